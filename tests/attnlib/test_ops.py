import numpy as np
import pytest

import attnlib as al


def test_softmax_of_hand_computed_scores():
    # exp(0), exp(ln 2), exp(ln 5) are 1, 2 and 5, which sum to 8.
    weights = al.softmax([0.0, np.log(2.0), np.log(5.0)])
    np.testing.assert_allclose(weights, [1 / 8, 2 / 8, 5 / 8], rtol=1e-15)


def test_softmax_does_not_change_when_scores_are_shifted():
    scores = np.random.default_rng(0).normal(size=(3, 5, 7))
    np.testing.assert_allclose(
        al.softmax(scores), al.softmax(scores + 1234.0), atol=1e-13
    )


def test_softmax_sums_to_one_along_the_chosen_axis():
    scores = np.random.default_rng(0).normal(size=(3, 5, 7))
    for axis in (0, 1, 2, -1, -2, -3):
        total = al.softmax(scores, axis=axis).sum(axis=axis)
        np.testing.assert_allclose(total, 1, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_softmax_survives_huge_scores(dtype):
    scores = np.array([1e4, 1e4, -1e4], dtype)
    weights = al.softmax(scores)
    assert weights.dtype == dtype
    np.testing.assert_array_equal(weights, np.array([0.5, 0.5, 0], dtype))


def test_softmax_gives_zero_to_minus_infinity_and_zeros_to_an_empty_row():
    hidden = -np.inf
    weights = al.softmax([[1.0, hidden], [hidden, hidden]])
    np.testing.assert_array_equal(weights, [[1, 0], [0, 0]])


def test_softmax_keeps_nan_in_its_row_and_out_of_hidden_cells():
    weights = al.softmax([[np.nan, 0.0, -np.inf], [0.0, 0.0, -np.inf]])
    assert np.isnan(weights[0, :2]).all()
    np.testing.assert_array_equal(weights[:, 2], 0)
    np.testing.assert_array_equal(weights[1], [0.5, 0.5, 0])


def test_softmax_keeps_an_infinite_score_out_of_hidden_cells():
    weights = al.softmax([[np.inf, 0, -np.inf], [0, -np.inf, 0]])
    assert np.isnan(weights[0, 0])
    assert weights[0, 2] == 0
    np.testing.assert_array_equal(weights[1], [0.5, 0, 0.5])


def test_softmax_does_not_raise_when_the_caller_made_underflow_an_error():
    with np.errstate(all="raise"):
        weights = al.softmax([0.0, -1000.0])
    np.testing.assert_array_equal(weights, [1, 0])


@pytest.mark.parametrize(
    ("scores", "error"),
    [
        ("text", TypeError),
        (None, TypeError),
        ([True, False], TypeError),
        ([1j], TypeError),
        ([[1, 2], [3]], ValueError),
        ([], ValueError),
        (3.0, ValueError),
    ],
)
def test_softmax_names_bad_scores(scores, error):
    with pytest.raises(error, match="scores"):
        al.softmax(scores)


@pytest.mark.parametrize("axis", [2, -3, None, (0, 1), "a", 0.5])
def test_softmax_names_a_missing_axis(axis):
    with pytest.raises(ValueError, match=r"axis .*\(3, 5\)"):
        al.softmax(np.zeros((3, 5)), axis=axis)


def test_softmax_of_the_largest_scores_there_are():
    for dtype in (np.float32, np.float64):
        top = np.finfo(dtype).max
        np.testing.assert_array_equal(al.softmax([top, -top]), [1, 0])


def test_linear_multiplies_and_adds():
    y = al.linear([[1, 2]], [[3, 5, 7], [11, 13, 17]], [1, 1, 1])
    np.testing.assert_array_equal(y, [[26, 32, 42]])


def test_linear_names_what_does_not_fit():
    with pytest.raises(ValueError, match=r"x \(3, 5\), w \(7, 2\)"):
        al.linear(np.zeros((3, 5)), np.zeros((7, 2)))
    with pytest.raises(ValueError, match=r"w \(5, 2\), b \(3,\)"):
        al.linear(np.zeros((3, 5)), np.zeros((5, 2)), np.zeros(3))


def test_linear_sums_in_float64_where_float32_would_overflow():
    x = np.full((1, 2), 3e38, np.float32)
    w = np.array([[1.0], [-1.0]], np.float32)
    big = np.array([[10.0], [-10.0]], np.float32)
    assert al.linear(x, w) == 0
    assert al.linear(x, big) == 0


def test_layer_norm_of_a_hand_computed_row():
    # mean 2, variance (4 + 1 + 1 + 4) / 4 = 2.5
    row = np.array([0.0, 1.0, 3.0, 4.0])
    expected = np.array([-2, -1, 1, 2]) / np.sqrt(2.5)
    np.testing.assert_allclose(al.layer_norm(row, eps=0), expected)
    np.testing.assert_allclose(
        al.layer_norm(row, [2, 2, 2, 2], [1, 0, 0, 0], eps=0),
        2 * expected + [1, 0, 0, 0],
    )


def test_layer_norm_does_not_see_shift_and_stretch():
    x = np.random.default_rng(0).normal(size=(3, 5, 7))
    np.testing.assert_allclose(
        al.layer_norm(x, eps=0), al.layer_norm(11 * x + 13, eps=0), atol=1e-12
    )


def test_layer_norm_of_a_constant_row_and_of_huge_rows_is_finite():
    np.testing.assert_array_equal(al.layer_norm(np.full(3, 7.0)), 0)
    huge = np.array([3e38, -3e38], np.float32)
    np.testing.assert_allclose(al.layer_norm(huge), [1, -1], rtol=1e-6)


def test_layer_norm_keeps_rows_apart():
    x = np.array([[np.nan, 0], [1e30, -1e30], [1, 3]], np.float32)
    y = al.layer_norm(x)
    assert np.isnan(y[0]).all()
    np.testing.assert_allclose(y[1:], [[1, -1], [-1, 1]], atol=1e-5)
    for top in (1e200, 1.5e308):
        np.testing.assert_allclose(al.layer_norm([top, -top]), [1, -1])
        np.testing.assert_allclose(al.layer_norm([top, top]), 0)


@pytest.mark.parametrize("eps", [None, "x", [1, 2], 1j, True])
def test_layer_norm_names_a_bad_eps(eps):
    with pytest.raises(TypeError, match="eps"):
        al.layer_norm([1.0, 2.0], eps=eps)
    with pytest.raises(ValueError, match="eps"):
        al.layer_norm([1.0, 2.0], eps=-1)


@pytest.mark.parametrize("name", ["gain", "bias"])
def test_layer_norm_names_parameters_of_the_wrong_shape(name):
    with pytest.raises(ValueError, match=rf"x \(3, 5\), {name} \(7,\)"):
        al.layer_norm(np.zeros((3, 5)), **{name: np.ones(7)})


def test_gelu_is_near_the_exact_gaussian_form():
    import math

    x = np.linspace(-5, 5, 101)
    exact = [0.5 * t * (1 + math.erf(t / math.sqrt(2))) for t in x]
    np.testing.assert_allclose(al.gelu(x), exact, atol=5e-4)


def test_gelu_of_infinities():
    np.testing.assert_array_equal(al.gelu([-np.inf, np.inf]), [0, np.inf])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_small_operations_keep_their_float_type(dtype):
    x = np.ones((3, 4), dtype)
    assert al.gelu(x).dtype == dtype
    assert al.layer_norm(x, x[0], x[0]).dtype == dtype
    assert al.linear(x, x.T, x[0, :3]).dtype == dtype
    assert np.isfinite(al.gelu(np.array([3e38, -3e38], np.float32))).all()
