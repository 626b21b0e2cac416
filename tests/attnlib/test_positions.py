import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnlib as al

N, D = 7, 10


def test_sinusoidal_encoding_follows_the_paper_entry_by_entry():
    encoding = al.positional_encoding(N, D)
    for position in range(N):
        for i in range(D // 2):
            angle = position / 10000 ** (2 * i / D)
            assert math.isclose(
                encoding[position, 2 * i], math.sin(angle), abs_tol=1e-15
            )
            assert math.isclose(
                encoding[position, 2 * i + 1], math.cos(angle), abs_tol=1e-15
            )


def test_sinusoidal_encoding_of_odd_width_ends_in_a_sine():
    odd = al.positional_encoding(N, 5)
    assert odd.shape == (N, 5)
    np.testing.assert_allclose(odd[:, 4], np.sin(np.arange(N) / 10000**0.8))


def test_products_of_encodings_depend_on_distance_only():
    encoding = al.positional_encoding(13, D)
    products = encoding @ encoding.T
    for distance in range(13):
        diagonal = np.diagonal(products, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_adding_the_encoding_keeps_type_and_input(dtype):
    x = np.ones((2, 3, N, D), dtype)
    x.flags.writeable = False
    y = al.add_positional_encoding(x)
    assert y.dtype == dtype
    want = 1 + al.positional_encoding(N, D)
    tolerance = float(np.finfo(dtype).eps) * 2
    np.testing.assert_allclose(y[1, 2], want, atol=tolerance)


def test_rope_turns_a_pair_by_hand():
    # width 2: one pair, turned by the position in radians
    x = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    turned = al.apply_rope(x)
    c1, s1, c2, s2 = math.cos(1), math.sin(1), math.cos(2), math.sin(2)
    np.testing.assert_allclose(
        turned, [[1, 0], [c1, s1], [-2 * s2, 2 * c2]], atol=1e-15
    )


@pytest.mark.parametrize("interleaved", [False, True])
def test_rope_follows_the_definition_entry_by_entry(interleaved):
    x = np.random.default_rng(0).normal(size=(N, D))
    turned = al.apply_rope(x, base=100.0, interleaved=interleaved)
    for p in range(N):
        for i in range(D // 2):
            a, b = (2 * i, 2 * i + 1) if interleaved else (i, i + D // 2)
            turn = np.exp(1j * p * 100.0 ** (-2 * i / D))
            want = (x[p, a] + 1j * x[p, b]) * turn
            assert abs(turned[p, a] + 1j * turned[p, b] - want) < 1e-12


def test_layouts_of_rope_are_the_same_but_for_the_order_of_columns():
    x = np.random.default_rng(0).normal(size=(N, D))
    order = np.arange(D).reshape(2, D // 2).T.ravel()  # 0 5 1 6 2 7 ...
    np.testing.assert_allclose(
        al.apply_rope(x)[:, order],
        al.apply_rope(x[:, order], interleaved=True),
        atol=1e-14,
    )


@pytest.mark.parametrize("interleaved", [False, True])
@given(m=st.integers(0, 500), n=st.integers(0, 500), s=st.integers(0, 500))
def test_rope_scores_depend_only_on_distance(interleaved, m, n, s):
    q, k = np.random.default_rng(1).normal(size=(2, 1, D))

    def score(i, j):
        turned_q = al.apply_rope(q, [i], interleaved=interleaved)
        turned_k = al.apply_rope(k, [j], interleaved=interleaved)
        return (turned_q @ turned_k.T).item()

    assert math.isclose(score(m, n), score(m + s, n + s), abs_tol=1e-9)


def test_rope_keeps_lengths_and_leaves_position_zero_alone():
    x = np.random.default_rng(2).normal(size=(3, 2, N, D))
    turned = al.apply_rope(x)
    np.testing.assert_allclose(
        np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1)
    )
    np.testing.assert_array_equal(turned[..., 0, :], x[..., 0, :])


def test_rope_of_one_cached_token_equals_its_row_in_the_full_pass():
    x = np.random.default_rng(3).normal(size=(3, N, D))
    full = al.apply_rope(x)
    last = al.apply_rope(x[:, -1:], positions=[N - 1])
    np.testing.assert_allclose(last, full[:, -1:], atol=1e-15)


def test_rope_takes_positions_for_each_batch_item():
    x = np.random.default_rng(4).normal(size=(2, N, D))
    positions = np.stack([np.arange(N), np.arange(N) + 11])
    turned = al.apply_rope(x, positions)
    for item in range(2):
        np.testing.assert_allclose(
            turned[item], al.apply_rope(x[item], positions[item])
        )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rope_keeps_type_and_input(dtype):
    x = np.ones((N, D), dtype)
    x.flags.writeable = False
    assert al.apply_rope(x).dtype == dtype


def test_rope_in_float32_is_exact_at_far_positions():
    x = np.ones((1, 6), np.float32)
    p = 1_000_003
    turned = al.apply_rope(x, [p])
    for i in range(3):
        angle = p * 10000.0 ** (-2 * i / 6)
        want = math.cos(angle) - math.sin(angle)
        assert math.isclose(turned[0, i], want, abs_tol=1e-6)


def test_alibi_slopes_of_the_paper():
    np.testing.assert_allclose(
        al.alibi_slopes(8), [2.0**-i for i in range(1, 9)]
    )
    np.testing.assert_allclose(
        al.alibi_slopes(16), [2 ** (-i / 2) for i in range(1, 17)]
    )


def test_alibi_slopes_for_counts_that_are_no_power_of_two():
    # 8 slopes as for 8 heads, then the odd ones of 16 heads
    want = [2.0**-i for i in range(1, 9)] + [2 ** (-i / 2) for i in (1, 3, 5)]
    np.testing.assert_allclose(al.alibi_slopes(11), want)
    np.testing.assert_allclose(al.alibi_slopes(1), [2.0**-8])
    np.testing.assert_allclose(al.alibi_slopes(3), [2.0**-4, 2.0**-8, 2.0**-2])


@given(st.integers(1, 40))
def test_alibi_slopes_are_positive_and_all_different(num_heads):
    slopes = al.alibi_slopes(num_heads)
    assert slopes.shape == (num_heads,)
    assert ((slopes > 0) & (slopes <= 1)).all()
    assert len(set(slopes)) == num_heads


def test_alibi_bias_is_minus_slope_times_distance():
    bias = al.alibi_bias(2, 3, 5)
    for h, slope in enumerate([2.0**-4, 2.0**-8]):
        for i in range(3):
            for j in range(5):
                assert bias[h, i, j] == -slope * abs(5 - 3 + i - j)


def test_alibi_weights_do_not_change_when_everything_moves():
    q = np.random.default_rng(5).normal(size=(2, 3, 5))
    k = np.random.default_rng(6).normal(size=(2, 7, 5))
    small = al.scaled_dot_product_attention(q, k, k, al.alibi_bias(2, 3, 7))[1]
    longer = np.concatenate([np.zeros((2, 4, 5)), k], axis=1)
    mask = al.alibi_bias(2, 3, 11)
    mask[..., :4] = -np.inf
    big = al.scaled_dot_product_attention(q, longer, longer, mask)[1]
    np.testing.assert_allclose(big[..., 4:], small, atol=1e-14)


def t5_bucket(relative, bidirectional, num_buckets, max_distance):
    """Compute the bucket by the formula of T5, for one number, exactly."""
    bucket = 0
    if bidirectional:
        num_buckets //= 2
        bucket += num_buckets if relative > 0 else 0
        distance = abs(relative)
    else:
        distance = max(-relative, 0)
    exact = num_buckets // 2
    if distance < exact:
        return bucket + distance
    # The largest step with exact * (max / exact)**(step / coarse) <= distance
    coarse, step = num_buckets - exact, 0
    while (
        step + 1 < coarse
        and max_distance ** (step + 1) * exact ** (coarse - step - 1)
        <= distance**coarse
    ):
        step += 1
    return bucket + exact + step


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize(
    ("num_buckets", "max_distance"), [(32, 128), (8, 20), (4, 3), (64, 1000)]
)
def test_buckets_follow_t5(bidirectional, num_buckets, max_distance):
    relative = np.arange(-300, 301)
    got = al.relative_position_bucket(
        relative,
        bidirectional=bidirectional,
        num_buckets=num_buckets,
        max_distance=max_distance,
    )
    want = [
        t5_bucket(int(r), bidirectional, num_buckets, max_distance)
        for r in relative
    ]
    np.testing.assert_array_equal(got, want)


def test_buckets_of_the_largest_integers():
    far = np.array([-(2**63), 2**63 - 1])
    assert al.relative_position_bucket(far).tolist() == [15, 31]
    far = np.array([2**64 - 1], np.uint64)
    assert al.relative_position_bucket(far).tolist() == [31]
    near = np.array([-1, 1], np.int8)
    assert al.relative_position_bucket(near).tolist() == [1, 17]


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.int64, int])
def test_buckets_are_plain_integers_whatever_the_distances_are(dtype):
    got = al.relative_position_bucket(np.array([0, 1, 100], dtype))
    assert got.dtype == np.dtype(int)


def test_relative_bias_looks_up_its_table():
    table = np.random.default_rng(7).normal(size=(32, 3)).astype(np.float32)
    bias = al.relative_position_bias(table, 5, 7)
    assert bias.shape == (3, 5, 7)
    assert bias.dtype == np.float32
    for i in range(5):
        for j in range(7):
            bucket = t5_bucket(j - (7 - 5 + i), True, 32, 128)
            np.testing.assert_array_equal(bias[:, i, j], table[bucket])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: al.positional_encoding(0, 4), ValueError, "n "),
        (lambda: al.positional_encoding(4, -1), ValueError, "d_model"),
        (lambda: al.positional_encoding(4, 2.0), TypeError, "d_model"),
        (lambda: al.add_positional_encoding("x"), TypeError, "x"),
        (lambda: al.add_positional_encoding([1.0]), ValueError, r"\(1,\)"),
        (lambda: al.apply_rope(np.ones((3, 5))), ValueError, r"even.*\(3, 5"),
        (
            lambda: al.apply_rope(np.ones((3, 4)), [0, 1]),
            ValueError,
            r"positions .*\(2,\).*\(3, 4\)",
        ),
        (
            lambda: al.apply_rope(np.ones((3, 4)), ["a", "b", "c"]),
            TypeError,
            "positions",
        ),
        (lambda: al.apply_rope(np.ones((3, 4)), base=0), ValueError, "base"),
        (lambda: al.apply_rope(np.ones((3, 4)), base="x"), TypeError, "base"),
        (
            lambda: al.apply_rope(np.ones((3, 4)), interleaved="no"),
            TypeError,
            "interleaved",
        ),
        (
            lambda: al.relative_position_bias(
                np.ones((32, 2)), 3, num_buckets="32"
            ),
            TypeError,
            "num_buckets",
        ),
        (lambda: al.alibi_slopes(0), ValueError, "num_heads"),
        (lambda: al.alibi_bias(2, 0), ValueError, "n_q"),
        (
            lambda: al.relative_position_bucket([0.5]),
            TypeError,
            "relative_position.*float64",
        ),
        (
            lambda: al.relative_position_bucket([1], num_buckets=30),
            ValueError,
            "num_buckets .*4.*30",
        ),
        (
            lambda: al.relative_position_bucket([1], max_distance=8),
            ValueError,
            "max_distance",
        ),
        (
            lambda: al.relative_position_bias(np.ones((31, 2)), 3),
            ValueError,
            r"table .*32.*\(31, 2\)",
        ),
    ],
)
def test_misuse_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
