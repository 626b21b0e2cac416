"""Checks of chapter 2: softmax and attention."""

import numpy as np

import coursekit.checks.mistakes as say
from attnlib.ops import softmax
from coursekit.checks.engine import Check, Mistake, numbers
from coursekit.checks.variants import WRONG, attend, plain_softmax, variants

__all__ = [
    "check_attention",
    "check_mini_attention",
    "check_softmax",
]

MAXIMUM_DIVIDED = (
    "The scores are divided by their maximum. Subtract it: only a difference "
    "cancels in the softmax."
)


def _by_maximum(scores):
    return softmax(scores / scores.max(axis=-1, keepdims=True))


def _shares(*names):
    """Return those mistakes of an attention that lie in its softmax."""
    return {
        name: Mistake(
            WRONG[name][0], *(way["share"] for way in WRONG[name][1:])
        )
        for name in names
    }


check_softmax = Check(
    "softmax(scores)",
    task="turn each row of `scores` into weights, with NumPy only.",
    verified="the weights of one row, of matrices and of a batch sum to one "
    "along the last axis, and scores of 1000 do not overflow.",
    reference=softmax,
    parts="weights",
    cases=[
        (np.array([0.0, 2.0, 1.0]),),
        (np.array([[0.0, 2.0, 1.0], [1.0, 1.0, 3.0]]),),
        (numbers(20, 3, 3),),
        (numbers(21, 2, 3, 5),),
        (np.array([[1000.0, 1001.0, 999.0], [0.0, -3.0, 2.0]]),),
        (np.array([[2000.0, 1999.0], [-2000.0, -2001.0]]),),
        (np.array([2000.0, 0.0, -2000.0]),),
    ],
    mistakes=_shares(
        "not_normalised",
        "keepdims",
        "wrong_axis",
        "whole_array",
        "not_maximum",
        "far_below_zero",
        "max_keepdims",
        "max_axis",
    )
    | {
        "no_maximum": Mistake(say.NO_MAXIMUM, plain_softmax),
        "global_maximum": Mistake(
            say.GLOBAL_MAXIMUM, lambda s: plain_softmax(s - s.max())
        ),
        "nan_hidden": Mistake(
            say.NAN_HIDDEN,
            lambda s: np.nan_to_num(plain_softmax(s)),
            lambda s: np.nan_to_num(plain_softmax(s - s.max())),
        ),
        "axis_one": Mistake(
            "`axis=1` is the last axis of a matrix, but not of a single row "
            "or of a batch. `axis=-1` always is.",
            lambda s: softmax(s, axis=1),
            lambda s: plain_softmax(s - s.max(axis=1, keepdims=True), axis=1),
            lambda s: plain_softmax(s, axis=1),
        ),
        "no_exponential": Mistake(
            say.NO_EXPONENTIAL,
            lambda s: s / s.sum(axis=-1, keepdims=True),
        ),
        "maximum_divided": Mistake(
            MAXIMUM_DIVIDED,
            _by_maximum,
        ),
        "sign": Mistake(
            say.SIGN,
            lambda s: softmax(-s),
        ),
    },
)


check_mini_attention = Check(
    "mini_attention(query, keys, values)",
    task="compute the scaled scores of one query, its weights, and the "
    "output.",
    verified="output and weights of a single query, for three sizes and "
    "with large scores.",
    reference=attend,
    parts="output weights",
    cases=[
        (
            np.array([2.0, 0.0, 2.0, 0.0]),
            np.array([[1.0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]]),
            np.array([10.0, 20.0, 30.0]),
        ),
        (numbers(22, 3), numbers(23, 5, 3), numbers(24, 5, 2)),
        (numbers(25, 3), numbers(26, 3, 3), numbers(27, 3, 3)),
        (
            np.array([20000.0, 0.0]),
            np.array([[1.0, 1.0], [1.1, 0.0], [0.0, 2.0]]),
            numbers(30, 3, 5),
        ),
        (
            np.array([-20000.0, 0.0]),
            np.array([[1.0, 1.0], [1.1, 0.0], [1.2, 2.0]]),
            numbers(29, 3, 5),
        ),
    ],
    mistakes=variants(
        "scale_missing scale_multiplied scale_not_root scale_length "
        "scale_values scale_after no_softmax not_normalised no_maximum "
        "not_maximum far_below_zero nan_hidden not_transposed no_values "
        "keys_for_values"
    )
    | {
        "scale_fixed": Mistake(
            "The scores are divided by 2. That is the square root of d_k "
            "only where d_k is 4: use `np.sqrt(len(query))`.",
            lambda q, k, v: attend(q, k, v, factor=lambda q, k: 0.5),
        ),
        "maximum_divided": Mistake(
            MAXIMUM_DIVIDED,
            lambda q, k, v: attend(q, k, v, share=_by_maximum),
        ),
        "values_for_keys": Mistake(
            say.VALUES_FOR_KEYS,
            lambda q, k, v: (
                (w := softmax(v @ q * len(q) ** -0.5)) @ v,
                w,
            ),
        ),
    },
)


_MASK = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1]], bool)

check_attention = Check(
    "attention(q, k, v, mask)",
    task="return the output and the weights; hide the scores where `mask` is "
    "False. `mask` is None if everything may be seen.",
    verified="output and weights with and without a mask, with batches, "
    "with large scores, and for a query that may attend to nothing.",
    reference=attend,
    parts="output weights",
    cases=[
        (numbers(31, 2, 3), numbers(32, 5, 3), numbers(33, 5, 2), None),
        (numbers(34, 3, 2), numbers(35, 3, 2), numbers(36, 3, 2), _MASK),
        (
            numbers(37, 3, 2, 3),
            numbers(38, 3, 3, 3),
            numbers(39, 3, 3, 3),
            None,
        ),
        (
            numbers(40, 2, 2, 5),
            numbers(41, 2, 7, 5),
            numbers(42, 2, 7, 3),
            np.arange(14).reshape(2, 7) % 3 > 0,
        ),
        (
            np.array([[9000.0, 0.0], [0.0, 1.0]]),
            np.array([[1.0, 1.0], [1.1, 0.0], [0.0, 2.0]]),
            numbers(43, 3, 2),
            None,
        ),
        (
            np.array([[-9000.0, 0.0]]),
            np.array([[1.0, 1.0], [1.1, 0.0], [1.2, 2.0]]),
            numbers(48, 3, 2),
            None,
        ),
        (
            np.array([[2000.0, 0.0]]),
            np.array([[1.0, 0.1], [0.0, 1.0], [0.0, 2.0]]),
            numbers(44, 3, 2),
            np.array([[False, True, True]]),
        ),
        (
            numbers(45, 2, 3),
            numbers(46, 2, 3),
            numbers(47, 2, 5),
            np.array([[True, True], [False, False]]),
        ),
        (
            numbers(66, 1, 2, 2, 3),
            numbers(67, 1, 2, 3, 3),
            numbers(68, 1, 2, 3, 2),
            None,
        ),
    ],
    mistakes=variants(
        "scale_missing scale_multiplied scale_not_root scale_length "
        "scale_queries scale_values scale_after wrong_axis whole_array "
        "keepdims max_keepdims max_axis no_softmax not_normalised "
        "no_maximum not_maximum global_maximum far_below_zero nan_hidden "
        "not_transposed batch_transposed batch_counted no_values "
        "keys_for_values values_for_keys mask_ignored mask_after "
        "mask_renormalised mask_inverted mask_zero mask_added "
        "mask_times_infinity mask_index queries_masked empty_row_nan "
        "empty_row_uniform empty_row_added"
    ),
)
