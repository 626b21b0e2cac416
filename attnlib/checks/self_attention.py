"""Checks of chapter 2: softmax and attention."""

import numpy as np

import attnlib.checks.mistakes as say
from attnlib.checks.engine import Check, Mistake, numbers
from attnlib.checks.variants import WRONG, attend, plain_softmax, variants
from attnlib.ops import softmax

__all__ = [
    "check_attention",
    "check_causal_self_attention",
    "check_chunked_attention",
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
            "The scores are divided by their sum. Take the exponential "
            "first: scores may be negative, weights may not.",
            lambda s: s / s.sum(axis=-1, keepdims=True),
        ),
        "maximum_divided": Mistake(
            MAXIMUM_DIVIDED,
            _by_maximum,
        ),
        "sign": Mistake(
            "The smallest score gets the largest weight: the sign in the "
            "exponent is wrong.",
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
            np.array([9000.0, 0.0]),
            np.array([[1.0, 1.0], [1.1, 0.0], [0.0, 2.0]]),
            numbers(30, 3, 5),
        ),
        (
            np.array([-9000.0, 0.0]),
            np.array([[1.0, 1.0], [1.1, 0.0], [1.2, 2.0]]),
            numbers(29, 3, 5),
        ),
    ],
    mistakes=variants(
        "scale_missing scale_multiplied scale_not_root scale_length "
        "scale_after no_softmax not_normalised no_maximum not_maximum "
        "far_below_zero nan_hidden not_transposed no_values keys_for_values"
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


def _causal(wrong, diagonal=0, visible=np.tri):
    """Make causal self-attention of an attention; return the output."""

    def function(x, w_q, w_k, w_v):
        mask = visible(x.shape[-2], k=diagonal).astype(bool)
        return wrong(x @ w_q, x @ w_k, x @ w_v, mask)[0]

    return function


def _upper(n, k):
    return np.triu(np.ones((n, n)), k)


def _from_query(x, w_q, w_k, w_v):
    return _causal(attend)(x, w_q, w_q, w_v)


def _raw_values(x, w_q, w_k, w_v):
    return attend(x @ w_q, x @ w_k, x, np.tri(x.shape[-2], dtype=bool))[0]


check_causal_self_attention = Check(
    "causal_self_attention(x, w_q, w_k, w_v)",
    task="project `x`, hide what comes after each token, and return the "
    "output.",
    verified="the output for one sequence, for a batch and with large "
    "scores; no token sees what comes after it.",
    reference=_causal(attend),
    parts="output",
    cases=[
        (
            numbers(50, 3, 2),
            numbers(51, 2, 2),
            numbers(52, 2, 2),
            numbers(53, 2, 5),
        ),
        (
            numbers(54, 2, 5, 3),
            numbers(55, 3, 7),
            numbers(56, 3, 7),
            numbers(57, 3, 2),
        ),
        tuple(numbers(s, 3, 3) for s in (58, 59, 60, 61)),
        (
            40 * numbers(62, 3, 2),
            3 * numbers(63, 2, 2),
            3 * numbers(64, 2, 2),
            numbers(65, 2, 2),
        ),
    ],
    mistakes=variants(
        "scale_missing scale_multiplied scale_not_root scale_length "
        "no_maximum not_transposed no_values mask_after mask_zero "
        "mask_added",
        _causal,
    )
    | {
        "wrong_axis": Mistake(
            say.WRONG_AXIS,
            _causal(lambda *a: attend(*a, share=lambda s: softmax(s, -2))),
            _causal(lambda *a: attend(*a, share=lambda s: softmax(s, 0))),
        ),
        "causal_missing": Mistake(
            say.CAUSAL_MISSING, _causal(lambda q, k, v, mask: attend(q, k, v))
        ),
        "causal_inverted": Mistake(
            say.CAUSAL_INVERTED,
            *(
                _causal(f, 1, _upper)
                for f in variants("empty_row_nan")["empty_row_nan"].functions
            ),
            _causal(attend, 1, _upper),
        ),
        "causal_upper": Mistake(say.CAUSAL_UPPER, _causal(attend, 0, _upper)),
        "causal_strict": Mistake(
            say.CAUSAL_STRICT,
            *(
                _causal(f, -1)
                for f in variants("empty_row_nan")["empty_row_nan"].functions
            ),
            _causal(attend, -1),
        ),
        "causal_one_ahead": Mistake(say.CAUSAL_ONE_AHEAD, _causal(attend, 1)),
        "keys_from_query": Mistake(
            "Queries and keys come from the same projection. Keys have their "
            "own: `x @ w_k`.",
            _from_query,
        ),
        "values_not_projected": Mistake(
            "The inputs themselves are mixed. Mix the values, `x @ w_v`.",
            _raw_values,
        ),
    },
)


def _in_chunks(q, k, v, size, stop=None, wrong=attend):
    parts = [
        wrong(q[i : i + size], k, v)[0]
        for i in range(0, len(q) if stop is None else stop, size)
    ]
    return np.concatenate(parts)


def _rest_zero(q, k, v, size):
    """Fill an array of zeros, but with whole chunks only."""
    output = np.zeros((len(q), v.shape[1]))
    whole = len(q) // size * size
    if whole:
        output[:whole] = attend(q[:whole], k, v)[0]
    return output


def _own_keys(q, k, v, size):
    parts = [
        attend(q[i : i + size], k[i : i + size], v[i : i + size])[0]
        for i in range(0, len(q), size)
    ]
    return np.concatenate(parts)


check_chunked_attention = Check(
    "chunked_attention(q, k, v, size)",
    task="attend with `size` queries at a time, and put the outputs together.",
    verified="the same output as without chunks, for 5 and 7 queries in "
    "chunks of 2, 3 and 11.",
    reference=lambda q, k, v, size: attend(q, k, v)[0],
    parts="output",
    cases=[
        (numbers(70, 5, 3), numbers(71, 5, 3), numbers(72, 5, 2), 2),
        (numbers(73, 7, 2), numbers(74, 7, 2), numbers(75, 7, 5), 3),
        (numbers(76, 5, 3), numbers(77, 5, 3), numbers(78, 5, 3), 11),
    ],
    mistakes={
        "last_dropped": Mistake(
            "The last chunk is missing: the number of queries is not a "
            "multiple of `size`. `range(0, len(q), size)` also visits the "
            "rest.",
            lambda q, k, v, size: np.concatenate(
                [
                    np.empty((0, v.shape[1])),
                    *(
                        attend(q[i : i + size], k, v)[0]
                        for i in range(0, len(q) - size + 1, size)
                    ),
                ]
            ),
            _rest_zero,
        ),
        "keys_chunked": Mistake(
            "Keys and values are cut too, so that a query sees only the keys "
            "of its own chunk. Cut the queries; every chunk needs all keys.",
            _own_keys,
        ),
        "one_chunk": Mistake(
            "Only one chunk is returned. Collect the outputs of all, and "
            "concatenate them.",
            lambda q, k, v, size: attend(q[:size], k, v)[0],
            lambda q, k, v, size: attend(
                q[(len(q) - 1) // size * size :], k, v
            )[0],
        ),
        "scale_missing": Mistake(
            say.SCALE_MISSING,
            lambda q, k, v, size: attend(q, k, v, factor=lambda q, k: 1)[0],
        ),
        "scale_chunk": Mistake(
            "The scale is made from the length of a chunk. It is the width "
            "of a query, `q.shape[-1]`, whose square root belongs there.",
            lambda q, k, v, size: _in_chunks(
                q,
                k,
                v,
                size,
                wrong=lambda q, k, v: attend(
                    q, k, v, factor=lambda q, k: len(q) ** -0.5
                ),
            ),
        ),
        "wrong_axis": Mistake(
            "The softmax runs over the queries of the chunk. Each query "
            "shares its weight out over the keys: `axis=-1`.",
            lambda q, k, v, size: _in_chunks(
                q,
                k,
                v,
                size,
                wrong=lambda q, k, v: attend(
                    q, k, v, share=lambda s: softmax(s, axis=0)
                ),
            ),
        ),
    },
)
