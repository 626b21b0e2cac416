"""Checks of chapter 2: attention within a sequence, causal or in chunks."""

from functools import partial

import numpy as np

import coursekit.checks.mistakes as say
from attnlib.ops import softmax
from coursekit.checks.engine import Check, Mistake, numbers
from coursekit.checks.variants import attend, variants

__all__ = [
    "check_causal_self_attention",
    "check_chunked_attention",
    "own_keys",
    "upper",
]


def _causal(wrong, diagonal=0, visible=np.tri):
    """Make causal self-attention of an attention; return the output."""

    def function(x, w_q, w_k, w_v):
        mask = visible(x.shape[-2], k=diagonal).astype(bool)
        return wrong(x @ w_q, x @ w_k, x @ w_v, mask)[0]

    return function


def upper(n, k):
    """Return the upper triangle, as `np.tri` returns the lower one."""
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
                _causal(f, 1, upper)
                for f in variants("empty_row_nan")["empty_row_nan"].functions
            ),
            _causal(attend, 1, upper),
        ),
        "causal_upper": Mistake(say.CAUSAL_UPPER, _causal(attend, 0, upper)),
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
            say.KEYS_FROM_QUERY,
            _from_query,
        ),
        "values_not_projected": Mistake(
            "The inputs themselves are mixed. Mix the values, `x @ w_v`.",
            _raw_values,
        ),
    },
)


def _in_chunks(words, **steps):
    """Return the mistake of attending in chunks with a step replaced."""

    def function(q, k, v, size):
        starts = range(0, len(q), size)
        parts = [attend(q[i : i + size], k, v, **steps)[0] for i in starts]
        return np.concatenate(parts)

    return Mistake(words, function)


def _rest_zero(q, k, v, size):
    """Fill an array of zeros, but with whole chunks only."""
    output = np.zeros((len(q), v.shape[1]))
    whole = len(q) // size * size
    if whole:
        output[:whole] = attend(q[:whole], k, v)[0]
    return output


def own_keys(q, k, v, size, visible=lambda n: None):
    """Cut the keys as well; `visible` is the mask of a chunk."""
    chunks = [slice(i, i + size) for i in range(0, len(q), size)]
    parts = [attend(q[c], k[c], v[c], visible(len(q[c])))[0] for c in chunks]
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
            own_keys,
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
        "scale_chunk": _in_chunks(
            "The scale is made from the length of a chunk. It is the width "
            "of a query, `q.shape[-1]`, whose square root belongs there.",
            factor=lambda q, k: len(q) ** -0.5,
        ),
        "wrong_axis": _in_chunks(
            "The softmax runs over the queries of the chunk. Each query "
            "shares its weight out over the keys: `axis=-1`.",
            share=partial(softmax, axis=0),
        ),
    },
)
