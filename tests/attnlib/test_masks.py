import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnlib as al

sizes = st.integers(1, 13)


@given(sizes, sizes)
def test_causal_mask_is_aligned_at_the_bottom_right(n_q, n_k):
    mask = al.create_causal_mask(n_q, n_k)
    assert mask.shape == (n_q, n_k)
    assert mask.dtype == bool
    for i in range(n_q):
        for j in range(n_k):
            assert mask[i, j] == (j <= n_k - n_q + i)


@given(sizes, sizes, sizes, st.booleans())
def test_window_mask_holds_the_near_keys_only(n_q, n_k, window, causal):
    mask = al.create_window_mask(n_q, n_k, window=window, causal=causal)
    for i in range(n_q):
        for j in range(n_k):
            distance = n_k - n_q + i - j
            near = abs(distance) < window and (distance >= 0 or not causal)
            assert mask[i, j] == near


def test_window_as_wide_as_the_sequence_is_the_causal_mask():
    np.testing.assert_array_equal(
        al.create_window_mask(5, 7, window=7), al.create_causal_mask(5, 7)
    )


def test_a_window_may_be_wider_than_anything():
    wide = al.create_window_mask(3, 5, window=2**31 - 1, causal=False)
    assert wide.all()


def test_padding_mask_marks_real_tokens():
    mask = al.create_padding_mask([2, 0, 5], max_len=7)
    assert mask.shape == (3, 1, 1, 7)
    assert mask.dtype == bool
    np.testing.assert_array_equal(mask.sum(axis=(1, 2, 3)), [2, 0, 5])
    np.testing.assert_array_equal(mask[0, 0, 0, :3], [True, True, False])


def test_padding_mask_is_as_long_as_the_longest_sequence():
    assert al.create_padding_mask([2, 5, 3]).shape == (3, 1, 1, 5)


def test_padding_mask_from_ids_equals_the_one_from_lengths():
    ids = [[5, 9, 0, 0], [7, 7, 7, 0]]
    np.testing.assert_array_equal(
        al.create_padding_mask_from_ids(ids, 0),
        al.create_padding_mask([2, 3], 4),
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: al.create_causal_mask(0), ValueError, "n_q"),
        (lambda: al.create_causal_mask(3, -1), ValueError, "n_k"),
        (lambda: al.create_causal_mask(2.0), TypeError, "n_q.*float"),
        (lambda: al.create_causal_mask(True), TypeError, "n_q.*bool"),
        (lambda: al.create_window_mask(3, window=0), ValueError, "window"),
        (lambda: al.create_padding_mask([3, 9], 7), ValueError, "max_len = 7"),
        (lambda: al.create_padding_mask([-1, 3]), ValueError, "lengths"),
        (lambda: al.create_padding_mask([0, 0]), ValueError, "lengths .* 0"),
        (lambda: al.create_causal_mask(10**30), ValueError, "n_q"),
        (
            lambda: al.create_window_mask(3, window=2, causal="no"),
            TypeError,
            "causal",
        ),
        (lambda: al.create_padding_mask([[1, 2]]), ValueError, r"\(1, 2\)"),
        (lambda: al.create_padding_mask([]), (TypeError, ValueError), "len"),
        (lambda: al.create_padding_mask([1.5]), TypeError, "lengths"),
        (lambda: al.create_padding_mask(["a"]), TypeError, "lengths"),
        (
            lambda: al.create_padding_mask_from_ids([1, 2], 0),
            ValueError,
            r"ids \(2,\)",
        ),
        (
            lambda: al.create_padding_mask_from_ids([[0.5]], 0),
            TypeError,
            "ids.*float64",
        ),
        (
            lambda: al.create_padding_mask_from_ids([[1, 2]], [0, 1]),
            ValueError,
            "pad_id",
        ),
        (
            lambda: al.create_padding_mask_from_ids([[1, 2], [3]], 0),
            ValueError,
            "ids",
        ),
    ],
)
def test_misuse_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
