import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import attnlib as al
from attnlib import attention

rng = np.random.default_rng(0)
N_Q, N_K, D_K, D_V = 3, 5, 7, 11


def random_qkv(*batch, dtype=np.float64, n_q=N_Q, n_k=N_K):
    fresh = np.random.default_rng(17)
    shapes = (n_q, D_K), (n_k, D_K), (n_k, D_V)
    return [fresh.normal(size=(*batch, *s)).astype(dtype) for s in shapes]


def reference(q, k, v, mask=None):
    """Attention by Python loops, from the definition."""
    output = np.zeros((len(q), v.shape[1]))
    weights = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        seen = [j for j in range(len(k)) if mask is None or mask[i, j]]
        scores = [math.fsum(q[i] * k[j]) / math.sqrt(len(q[i])) for j in seen]
        total = math.fsum(map(math.exp, scores))
        for j, score in zip(seen, scores, strict=True):
            weights[i, j] = math.exp(score) / total
            output[i] += weights[i, j] * v[j]
    return output, weights


def test_hand_computed_example():
    # scores ln 3 and 0 after a scale of 1: weights 3/4 and 1/4
    q, k = [[1.0, 0.0]], [[math.log(3), 5.0], [0.0, 9.0]]
    output, weights = al.scaled_dot_product_attention(
        q, k, [[4.0, 0.0], [0.0, 8.0]], scale=1
    )
    np.testing.assert_allclose(weights, [[0.75, 0.25]], rtol=1e-15)
    np.testing.assert_allclose(output, [[3.0, 2.0]], rtol=1e-15)


def test_default_scale_is_one_over_root_of_key_width():
    # d_k = 4, so the score ln 9 counts half: weights 3/4 and 1/4
    q, k = np.eye(1, 4), np.zeros((2, 4))
    k[0, 0] = math.log(9)
    _, weights = al.scaled_dot_product_attention(q, k, [[0.0], [0.0]])
    np.testing.assert_allclose(weights, [[0.75, 0.25]], rtol=1e-15)


def test_agrees_with_loops_over_the_definition():
    q, k, v = random_qkv()
    mask = np.random.default_rng(1).random((N_Q, N_K)) < 0.6
    mask[1] = False
    for m in (None, mask):
        for got, want in zip(
            al.scaled_dot_product_attention(q, k, v, m),
            reference(q, k, v, m),
            strict=True,
        ):
            np.testing.assert_allclose(got, want, atol=1e-14)


@pytest.mark.parametrize("batch", [(), (2,), (2, 13), (2, 13, 17)])
def test_batches_are_independent_problems(batch):
    q, k, v = random_qkv(*batch)
    output, weights = al.scaled_dot_product_attention(q, k, v)
    assert output.shape == (*batch, N_Q, D_V)
    assert weights.shape == (*batch, N_Q, N_K)
    for item in np.ndindex(*batch):
        one = al.scaled_dot_product_attention(q[item], k[item], v[item])
        np.testing.assert_allclose(output[item], one[0], atol=1e-14)
        np.testing.assert_allclose(weights[item], one[1], atol=1e-14)


def test_batch_axes_broadcast():
    q, _, _ = random_qkv(2, 13)
    _, k, v = random_qkv(13)
    output, weights = al.scaled_dot_product_attention(q, k, v[0])
    assert output.shape == (2, 13, N_Q, D_V)
    one = al.scaled_dot_product_attention(q[1, 4], k[4], v[0])
    np.testing.assert_allclose(output[1, 4], one[0], atol=1e-14)
    np.testing.assert_allclose(weights[1, 4], one[1], atol=1e-14)


@given(data=st.data())
def test_masks_of_every_broadcastable_shape(data):
    q, k, v = random_qkv(2, 13)
    full = (2, 13, N_Q, N_K)
    axes = data.draw(st.integers(0, 4))
    shape = [n if data.draw(st.booleans()) else 1 for n in full[4 - axes :]]
    mask = data.draw(hnp.arrays(bool, shape))
    output, weights = al.scaled_dot_product_attention(q, k, v, mask)
    al.validate_attention(weights, mask)
    item = data.draw(st.tuples(st.integers(0, 1), st.integers(0, 12)))
    want = reference(
        q[item], k[item], v[item], np.broadcast_to(mask, full)[item]
    )
    np.testing.assert_allclose(output[item], want[0], atol=1e-13)
    np.testing.assert_allclose(weights[item], want[1], atol=1e-13)


def test_order_of_keys_does_not_matter():
    q, k, v = random_qkv()
    order = np.random.default_rng(2).permutation(N_K)
    output, weights = al.scaled_dot_product_attention(q, k, v)
    again, shuffled = al.scaled_dot_product_attention(q, k[order], v[order])
    np.testing.assert_allclose(again, output, atol=1e-14)
    np.testing.assert_allclose(shuffled, weights[:, order], atol=1e-14)


def test_a_constant_added_to_every_score_changes_nothing():
    q, k, v = random_qkv()
    plain = al.scaled_dot_product_attention(q, k, v)
    shifted = al.scaled_dot_product_attention(
        q, k, v, np.full((N_Q, N_K), 99.0)
    )
    np.testing.assert_allclose(shifted[0], plain[0], atol=1e-12)


def test_output_does_not_leave_the_range_of_the_values():
    q, k, v = random_qkv(13)
    output, _ = al.scaled_dot_product_attention(9 * q, k, v)
    assert (output <= v.max(axis=-2, keepdims=True) + 1e-12).all()
    assert (output >= v.min(axis=-2, keepdims=True) - 1e-12).all()


def test_causal_prefix_does_not_depend_on_later_tokens():
    x = np.random.default_rng(3).normal(size=(13, D_K))
    full, _ = al.scaled_dot_product_attention(
        x, x, x, al.create_causal_mask(13)
    )
    part, _ = al.scaled_dot_product_attention(
        x[:5], x[:5], x[:5], al.create_causal_mask(5)
    )
    np.testing.assert_allclose(full[:5], part, atol=1e-14)


def test_float_mask_is_added_to_the_scores():
    q, k, v = random_qkv()
    bias = np.random.default_rng(4).normal(size=(N_Q, N_K))
    got, _ = al.scaled_dot_product_attention(q, k, v, bias)
    scores = q @ k.T / math.sqrt(D_K) + bias
    np.testing.assert_allclose(got, al.softmax(scores) @ v, atol=1e-14)


def test_minus_infinity_in_a_float_mask_hides_like_false():
    q, k, v = random_qkv()
    mask = np.random.default_rng(5).random((N_Q, N_K)) < 0.5
    mask[2] = False
    by_bool = al.scaled_dot_product_attention(q, k, v, mask)
    by_float = al.scaled_dot_product_attention(
        q, k, v, np.where(mask, 0.0, -np.inf)
    )
    for a, b in zip(by_bool, by_float, strict=True):
        np.testing.assert_array_equal(a, b)


def test_fully_masked_row_gives_zeros_even_if_every_error_is_raised():
    q, k, v = random_qkv()
    mask = np.ones((N_Q, N_K), bool)
    mask[1] = False
    with np.errstate(all="raise"):
        output, weights = al.scaled_dot_product_attention(q, k, v, mask)
    np.testing.assert_array_equal(output[1], 0)
    np.testing.assert_array_equal(weights[1], 0)
    assert (weights[[0, 2]] > 0).all()


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", ["bool", "float"])
def test_what_is_masked_never_leaks(poison, kind):
    q, k, v = random_qkv()
    mask = np.ones((N_Q, N_K), bool)
    mask[:2, 4] = False  # only the last query sees the last key
    if kind == "float":
        mask = np.where(mask, 0.0, -np.inf)
    clean = al.scaled_dot_product_attention(q, k, v, mask)
    k[4, 0] = poison
    v[4, 1] = poison
    dirty = al.scaled_dot_product_attention(q, k, v, mask)
    for a, b in zip(clean, dirty, strict=True):
        np.testing.assert_array_equal(a[:2], b[:2])
    assert not np.isfinite(dirty[0][2]).all()


def test_a_visible_nan_spoils_only_its_own_column_of_the_output():
    q, k, v = random_qkv()
    v[0, 3] = np.nan
    output, _ = al.scaled_dot_product_attention(
        q, k, v, np.ones((N_Q, N_K), bool)
    )
    assert np.isnan(output[:, 3]).all()
    assert np.isfinite(np.delete(output, 3, axis=1)).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_type_is_kept(dtype):
    q, k, v = random_qkv(2, dtype=dtype)
    for result in al.scaled_dot_product_attention(q, k, v):
        assert result.dtype == dtype
    mask = np.zeros((N_Q, N_K))  # float64 on purpose
    for result in al.scaled_dot_product_attention(q, k, v, mask):
        assert result.dtype == dtype
    for result in al.scaled_dot_product_attention(
        q, k, v, scale=np.float64(0.3)
    ):
        assert result.dtype == dtype


def test_integers_count_as_float64():
    output, weights = al.scaled_dot_product_attention(
        [[1, 0]], [[1, 0]], [[3]]
    )
    assert output.dtype == weights.dtype == np.float64
    np.testing.assert_array_equal(output, [[3]])


def test_float16_is_computed_in_float32():
    # The score 300 * 300 = 90,000 does not fit into float16.
    q = np.array([[300.0]], np.float16)
    k = np.array([[300.0], [299.75]], np.float16)
    _, weights = al.scaled_dot_product_attention(q, k, k, scale=0.01)
    expected = al.softmax([[900.0, 899.25]])
    np.testing.assert_allclose(weights, expected, atol=1e-3)


def test_float32_never_becomes_float64_inside(monkeypatch):
    results = []
    for name in ("softmax_in_place", "mix"):
        real = getattr(attention, name)

        def spy(*arguments, real=real):
            results.append(real(*arguments))
            return results[-1]

        monkeypatch.setattr(attention, name, spy)
    q, k, v = random_qkv(2, dtype=np.float32)
    al.scaled_dot_product_attention(q, k, v, np.zeros((N_Q, N_K)))
    assert [x.dtype for x in results] == [np.float32] * 2


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_scores_of_ten_thousand_give_finite_results(dtype):
    q = np.array([[100.0], [-100.0]], dtype)
    k = np.array([[100.0], [80.0], [-100.0]], dtype)
    output, weights = al.scaled_dot_product_attention(q, k, k)
    np.testing.assert_array_equal(weights, [[1, 0, 0], [0, 0, 1]])
    np.testing.assert_array_equal(output, [[100], [-100]])


@pytest.mark.parametrize("sign", [1, -1])
def test_inputs_as_large_as_float32_allows_give_finite_results(sign):
    top = np.finfo(np.float32).max
    q = np.full((N_Q, D_K), sign * top)
    k = np.full((N_K, D_K), top)
    v = np.full((N_K, D_V), top)
    output, weights = al.scaled_dot_product_attention(q, k, v)
    assert output.dtype == weights.dtype == np.float32
    np.testing.assert_allclose(weights, 1 / N_K, rtol=1e-6)
    np.testing.assert_allclose(output, top, rtol=1e-6)


@pytest.mark.parametrize("huge", [1e30, 1e160, 1e200, 1e308])
def test_what_nobody_sees_may_be_as_large_as_it_likes(huge):
    for dtype in (np.float32, np.float64):
        q, k, v = random_qkv(dtype=dtype)
        mask = np.ones((N_Q, N_K), bool)
        mask[:, 3] = False
        clean = al.scaled_dot_product_attention(q, k, v, mask)
        huge = min(huge, float(np.finfo(dtype).max))
        k[3] = v[3] = huge
        dirty = al.scaled_dot_product_attention(q, k, v, mask)
        for a, b in zip(clean, dirty, strict=True):
            np.testing.assert_array_equal(a, b)


def test_large_values_in_float64_are_no_overflow():
    output, _ = al.scaled_dot_product_attention(
        [[1.0]], [[1.0], [1.0]], [[1.5e300], [1.5e300]]
    )
    np.testing.assert_allclose(output, 1.5e300)


def test_a_large_scale_of_small_numbers_is_no_overflow():
    q, k = np.full((1, 4), 1e30, "f"), np.full((2, 4), 1e-38, "f")
    v = np.array([[1.0], [3.0]], "f")
    output, _ = al.scaled_dot_product_attention(q, k, v, scale=1e10)
    np.testing.assert_allclose(output, [[2.0]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_least_float64_in_a_mask_is_no_minus_infinity(dtype):
    q, k = np.ones((1, 2), dtype), np.ones((2, 2), dtype)
    v = np.array([[1.0], [3.0]], dtype)
    least = np.finfo(np.float64).min
    output, weights = al.scaled_dot_product_attention(q, k, v, [[0, least]])
    assert output == 1
    output, weights = al.scaled_dot_product_attention(q, k, v, [[least] * 2])
    np.testing.assert_array_equal(weights, [[0.5, 0.5]])
    output, _ = al.scaled_dot_product_attention(q, k, v, [[0, 1e300]])
    assert output == 3


def test_a_visible_infinity_is_the_same_with_and_without_a_mask():
    q, k = np.zeros((1, 1)), np.zeros((3, 1))
    v = np.array([[np.inf], [1.0], [1.0]])
    for mask in (None, np.ones((1, 3), bool)):
        output, _ = al.scaled_dot_product_attention(q, k, v, mask)
        assert output == np.inf


def test_ordinary_input_raises_nothing_even_if_every_error_is_raised():
    q, k, v = random_qkv(2, dtype=np.float32)
    q, half = 50 * q, [x.astype(np.float16) for x in (50 * q, k, v)]
    with np.errstate(all="raise"):
        al.scaled_dot_product_attention(q, k, v)
        al.scaled_dot_product_attention(*half)
        al.memory_efficient_attention(*half)
        al.linear_attention(q, k, v)
        al.gelu(q)
        al.layer_norm(q)


def test_overflow_beyond_float64_is_an_error_and_not_a_nan():
    with pytest.raises(ValueError, match="overflow float64: q"):
        al.scaled_dot_product_attention([[1e200]], [[1e200]], [[1.0]])


def test_inputs_are_never_modified():
    q, k, v = random_qkv(2, dtype=np.float32)
    mask = np.zeros((N_Q, N_K), np.float32)
    mask[0, 0] = -np.inf
    for array in (q, k, v, mask):
        array.flags.writeable = False
    copies = [x.copy() for x in (q, k, v, mask)]
    al.scaled_dot_product_attention(q, k, v, mask)
    for array, copy in zip((q, k, v, mask), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("shape", [(3, 2), (1, 6), (6, 1), (2, 3, 1)])
def test_large_problems_in_tiles_equal_small_ones(monkeypatch, shape):
    q, k, v = random_qkv(*shape[:-1], n_q=13, n_k=11)
    mask = np.random.default_rng(6).random((13, 11)) < 0.7
    whole = al.scaled_dot_product_attention(q, k, v, mask)
    for tile in (1, 11, 30, 200, 1000):
        monkeypatch.setattr(attention, "TILE", tile)
        tiled = al.scaled_dot_product_attention(q, k, v, mask)
        for a, b in zip(whole, tiled, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-14)


def test_a_small_problem_pays_for_neither_tiles_nor_bounds(monkeypatch):
    q, k, v = random_qkv(2, dtype=np.float32)
    for place, name in [(attention._tiles, "run"), (attention, "longest")]:
        monkeypatch.setattr(place, name, pytest.fail)
    al.scaled_dot_product_attention(q, k, v)
    al.grouped_query_attention(q, k, v)


@pytest.mark.parametrize("size", [1e-30, 1e-20, 1.0, 1e5, 1e11])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_cheap_bound_changes_no_result(monkeypatch, dtype, size):
    q, k, v = (size * x for x in random_qkv(2, dtype=dtype))
    scale = 0.3 / max(size, 1.0) ** 2
    cheap = al.scaled_dot_product_attention(q, k, v, scale=scale)
    monkeypatch.setattr(attention, "_are_modest", lambda *_: False)
    exact = al.scaled_dot_product_attention(q, k, v, scale=scale)
    for a, b in zip(cheap, exact, strict=True):
        assert a.dtype == dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("spoil", [(0, 1e13), (1, 1e13), (2, 1e13), (0, 9e37)])
def test_large_numbers_are_not_taken_for_modest(monkeypatch, spoil):
    which, value = spoil
    arrays = random_qkv(2, dtype=np.float32)
    arrays[which][0, 0, 0] = value
    calls, real = [], attention.prepare

    def spy(*arguments):
        calls.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(attention, "prepare", spy)
    output, weights = al.scaled_dot_product_attention(*arrays)
    assert len(calls) == 1
    assert np.isfinite(output).all()
    assert np.isfinite(weights).all()


def call(q=(3, 7), k=(5, 7), v=(5, 11), mask=None, **rest):
    arrays = (np.zeros(s) for s in (q, k, v))
    return al.scaled_dot_product_attention(*arrays, mask, **rest)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"q": (3, 5)}, ValueError, r"q \(3, 5\), k \(5, 7\)"),
        ({"v": (7, 11)}, ValueError, r"k \(5, 7\), v \(7, 11\)"),
        ({"q": (7,)}, ValueError, r"q .*\(7,\)"),
        ({"k": (0, 7), "v": (0, 11)}, ValueError, r"k .*\(0, 7\)"),
        ({"q": (2, 3, 7), "k": (3, 5, 7)}, ValueError, r"q \(2, 3, 7\), k"),
        ({"mask": np.ones((3, 7), bool)}, ValueError, r"mask .*\(3, 7\).*5\)"),
        ({"mask": np.ones((2, 3, 5), bool)}, ValueError, r"mask .*\(2, 3, 5"),
        ({"mask": np.ones((3, 5), int)}, TypeError, "mask .*int(32|64)"),
        ({"mask": "causal"}, TypeError, "mask"),
        ({"mask": np.full((3, 5), np.nan)}, ValueError, "mask .*nan"),
        ({"mask": np.full((3, 5), np.inf)}, ValueError, "mask .*inf"),
        ({"scale": "big"}, TypeError, "scale .*str"),
        ({"scale": np.nan}, ValueError, "scale .*nan"),
        ({"scale": np.ones(3)}, TypeError, "scale .*ndarray"),
        ({"scale": 10**400}, ValueError, "scale .*finite"),
        ({"scale": True}, TypeError, "scale .*bool"),
        (
            {"mask": np.ma.array(np.ones((3, 5), bool), mask=True)},
            TypeError,
            "mask is a masked array",
        ),
    ],
)
def test_misuse_is_named_with_shapes(arguments, error, message):
    with pytest.raises(error, match=message):
        call(**arguments)


@pytest.mark.parametrize(
    "bad",
    ["text", None, [["a"]], [[1j]], [[True]], {}, np.ma.array([[1.0]])],
    ids=str,
)
@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_input_that_is_no_number_is_named(name, bad):
    arguments = dict(zip("qkv", random_qkv(), strict=True))
    arguments[name] = bad
    with pytest.raises(TypeError, match=rf"^{name} "):
        al.scaled_dot_product_attention(**arguments)


def test_self_attention_projects_and_attends():
    x = rng.normal(size=(2, 13, 3))
    w_q, w_k, w_v = (rng.normal(size=(3, d)) for d in (5, 5, 7))
    mask = al.create_causal_mask(13)
    got = al.self_attention(x, w_q, w_k, w_v, mask)
    want = al.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, mask)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-14)


def test_self_attention_keeps_its_float_type_and_survives_huge_input():
    eye = np.eye(3, dtype=np.float32)
    x = np.full((5, 3), np.finfo(np.float32).max)
    output, weights = al.self_attention(x, eye, eye, eye)
    assert output.dtype == np.float32
    np.testing.assert_allclose(weights, 1 / 5, rtol=1e-6)
    np.testing.assert_allclose(output, x, rtol=1e-6)


def test_self_attention_names_projections_that_do_not_fit():
    x, w = np.zeros((5, 3)), np.zeros((3, 7))
    with pytest.raises(ValueError, match=r"x \(5, 3\), w_k \(7, 3\)"):
        al.self_attention(x, w, w.T, w)
    with pytest.raises(ValueError, match=r"w_q \(3, 7\), w_k \(3, 2\)"):
        al.self_attention(x, w, w[:, :2], w)
    with pytest.raises(TypeError, match="w_v"):
        al.self_attention(x, w, w, "w")


def good_weights():
    q, k, v = random_qkv(2)
    return al.scaled_dot_product_attention(q, k, v)[1]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_validation_accepts_what_attention_returns(dtype):
    q, k, v = random_qkv(2, dtype=dtype, n_k=997)
    mask = al.create_padding_mask([0, 991], 997)[:, 0]
    weights = al.scaled_dot_product_attention(q, k, v, mask)[1]
    al.validate_attention(weights, mask)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda w: w.__setitem__((1, 2, 3), np.nan), r"finite.*\[1, 2, 3\]"),
        (lambda w: w.__setitem__((0, 0, 0), -0.1), "negative.*-0.1"),
        (lambda w: w.__setitem__((0, 0, 0), 1.5), "exceed 1.*1.5"),
        (lambda w: w.__imul__(0.9), r"sum to 1.*\[0, 0\] sums to 0.9"),
        (lambda w: w.__setitem__((0, 1), 0), r"sum to 1.*\[0, 1\] sums to 0"),
    ],
)
def test_validation_says_which_property_fails(spoil, message):
    weights = good_weights()
    al.validate_attention(weights)
    spoil(weights)
    with pytest.raises(ValueError, match=message):
        al.validate_attention(weights)


@pytest.mark.parametrize(
    ("dtype", "off", "n"),
    [(np.float16, 0.02, 4096), (np.float32, 1e-5, 7), (np.float64, 1e-12, 7)],
)
def test_validation_notices_small_faults(dtype, off, n):
    weights = np.zeros((1, n), dtype)
    weights[0, :2] = 0.5
    al.validate_attention(weights)
    weights[0, 0] += dtype(off)
    with pytest.raises(ValueError, match="sum to 1"):
        al.validate_attention(weights)


def test_validation_says_not_finite_before_anything_warns():
    for bad in ([[np.inf, -np.inf]], np.full((1, 2), 3e38, "f")):
        with pytest.raises(ValueError, match=r"finite|exceed"):
            al.validate_attention(bad)


def test_validation_finds_weight_on_a_hidden_key():
    mask = np.ones((N_Q, N_K), bool)
    mask[1, 2] = False
    with pytest.raises(ValueError, match=r"mask hides.*\[0, 1, 2\]"):
        al.validate_attention(good_weights(), mask)
