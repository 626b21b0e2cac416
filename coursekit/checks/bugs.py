"""Checks of the bug hunt: what was to be found is told at the end only."""

from functools import partial

import numpy as np

import coursekit.checks.mistakes as say
from attnlib.masks import create_causal_mask
from coursekit.checks.engine import Check, Mistake, numbers
from coursekit.checks.multi_head import check_multi_head
from coursekit.checks.positions import check_positional_encoding
from coursekit.checks.self_attention import check_softmax
from coursekit.checks.sequences import own_keys, upper
from coursekit.checks.variants import attend, causes_nan, variants

__all__ = [
    "check_mended_attention",
    "check_mended_causal",
    "check_mended_chunks",
    "check_mended_encoding",
    "check_mended_heads",
    "check_mended_softmax",
]


def hunt(name, bug, base, found):
    """Turn the check of an exercise into one that does not tell the bug."""
    return Check(
        f"{name}({', '.join(base.names)})",
        task="copy the function above, find its mistake and mend it.",
        verified=f"you found it. {found} Compared: {base.verified}",
        reference=base.reference,
        cases=base.cases,
        mistakes=base.mistakes,
        parts=" ".join(base.parts),
        untold=bug,
    )


check_mended_softmax = hunt(
    "mended_softmax",
    "global_maximum",
    check_softmax,
    "One maximum for all rows keeps the largest score from overflowing, but "
    "lets a row that lies far below it underflow: 0 / 0. Each row needs its "
    "own.",
)


check_mended_attention = hunt(
    "mended_attention",
    "scale_length",
    Check(
        "attention(q, k, v)",
        task="attend.",
        verified="output and weights for three sizes, and with large scores.",
        reference=attend,
        parts="output weights",
        cases=[
            (numbers(130, 2, 3), numbers(131, 5, 3), numbers(132, 5, 2)),
            (numbers(133, 3, 3), numbers(134, 3, 3), numbers(135, 3, 3)),
            (numbers(136, 7, 2), numbers(137, 3, 2), numbers(138, 3, 2)),
            (
                np.array([[2000.0, 0.0]]),
                np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]]),
                np.array([[1.0, 3.0], [2.0, 0.0], [5.0, 1.0]]),
            ),
        ],
        mistakes=variants(
            "scale_missing scale_multiplied scale_not_root scale_length "
            "scale_queries scale_values scale_after wrong_axis no_maximum "
            "not_transposed no_values keys_for_values values_for_keys"
        ),
    ),
    "`len(k)` is the number of keys, not their width. The two were equal in "
    "the example, and only there is the scale right.",
)


def _causal(wrong, diagonal=0, visible=np.tri):
    def function(q, k, v):
        return wrong(q, k, v, visible(len(q), k=diagonal).astype(bool))

    return function


def _empty_rows(diagonal, visible=np.tri):
    """Return the ways to treat a mask that leaves a query nothing."""
    ways = variants("empty_row_nan empty_row_uniform empty_row_added")
    functions = [attend, *(way.functions[0] for way in ways.values())]
    return [_causal(function, diagonal, visible) for function in functions]


def _zeros_hidden(**share):
    """Hide all scores that are 0, the visible ones too."""

    def hide(scores, mask):
        scores = np.where(mask, scores, 0)
        return np.where(scores == 0, -np.inf, scores)

    return _causal(partial(attend, hide=hide, **share))


def _not_low_enough(low):
    return _causal(
        partial(attend, hide=lambda s, mask: np.where(mask, s, low))
    )


_PAST_AND_FUTURE = np.array([[-1.0], [1.0]]), np.array([[2.0], [4.0]])

check_mended_causal = hunt(
    "mended_causal",
    "mask_zero",
    Check(
        "causal(q, k, v)",
        task="attend to the past.",
        verified="output and weights of 2, 3 and 5 tokens, with scores of "
        "0 and of -2000; the future has weight 0.",
        reference=_causal(attend),
        parts="output weights",
        cases=[
            (numbers(140, 2, 3), numbers(141, 2, 3), numbers(142, 2, 5)),
            (numbers(143, 3, 2), numbers(144, 3, 2), numbers(145, 3, 2)),
            (numbers(146, 5, 3), numbers(147, 5, 3), numbers(148, 5, 2)),
            (np.array([[400.0], [0.0]]), *_PAST_AND_FUTURE),
            (np.array([[2000.0], [500.0]]), *_PAST_AND_FUTURE),
        ],
        mistakes=variants(
            "scale_missing scale_not_root wrong_axis mask_ignored "
            "mask_after mask_renormalised mask_zero mask_added "
            "mask_times_infinity no_maximum",
            _causal,
        )
        | {
            "zeros_hidden": Mistake(
                "Every score that is 0 is hidden, and a visible one may be "
                "0 too. Hide by place, not by value: "
                "`np.where(visible, scores, -np.inf)`.",
                _zeros_hidden(),
                _zeros_hidden(share=causes_nan),
            ),
            "not_low_enough": Mistake(
                "Hidden scores get a number that is not low enough. Where "
                "the visible scores are lower still, the future gets the "
                "weight. Use -inf: nothing is lower.",
                _not_low_enough(-100),
                _not_low_enough(-1000),
            ),
            "causal_inverted": Mistake(
                say.CAUSAL_INVERTED, *_empty_rows(1, upper)
            ),
            "causal_upper": Mistake(
                say.CAUSAL_UPPER, _causal(attend, 0, upper)
            ),
            "causal_strict": Mistake(say.CAUSAL_STRICT, *_empty_rows(-1)),
            "causal_one_ahead": Mistake(
                say.CAUSAL_ONE_AHEAD, _causal(attend, 1)
            ),
        },
    ),
    "A product with 0 makes hidden scores 0, and exp(0) is 1: the future was "
    "seen all the same, and most where the visible scores are low.",
)


check_mended_heads = hunt(
    "mended_heads",
    "merge_reshape_only",
    check_multi_head,
    "The heads, (num_heads, n, d_head), were reshaped without being swapped "
    "back, so that the rows mixed tokens. With one head there is nothing to "
    "swap.",
)


check_mended_encoding = hunt(
    "mended_encoding",
    "by_column",
    check_positional_encoding,
    "Every column had a frequency of its own, so that no sine had the cosine "
    "of the same angle beside it, and the product of two rows did not depend "
    "on their distance alone.",
)


def _chunks(q, k, v, size, visible):
    parts = [
        attend(q[i : i + size], k, v, visible(i, len(q[i : i + size]), len(q)))
        for i in range(0, len(q), size)
    ]
    return np.concatenate([output for output, _ in parts])


def _tri(shift):
    """Return what a chunk sees: keys up to its row plus shift(start, n)."""
    return lambda i, rows, n: np.tri(rows, n, shift(i, rows, n), dtype=bool)


check_mended_chunks = hunt(
    "mended_chunks",
    "own_triangle",
    Check(
        "chunks(q, k, v, size)",
        task="attend in chunks.",
        verified="the same output as without chunks, for chunks of 2, 3 and "
        "11.",
        reference=lambda q, k, v, size: attend(
            q, k, v, create_causal_mask(len(q))
        )[0],
        parts="output",
        cases=[
            (numbers(150, 5, 2), numbers(151, 5, 2), numbers(152, 5, 2), 2),
            (numbers(156, 7, 2), numbers(157, 7, 2), numbers(158, 7, 5), 3),
            (numbers(159, 5, 3), numbers(160, 5, 3), numbers(161, 5, 3), 11),
        ],
        mistakes={
            "own_triangle": Mistake(
                "Every chunk gets a triangle that starts at the first key, "
                "as if its queries were the first tokens. Query i of the "
                "chunk is token start + i: `np.tri(rows, n, start)`.",
                lambda *a: _chunks(*a, _tri(lambda i, rows, n: 0)),
            ),
            "aligned_at_the_end": Mistake(
                "Every chunk is treated as if its queries were the last "
                "tokens, as `create_causal_mask(rows, n)` does. Only the "
                "last chunk's are: shift the triangle by the chunk's start.",
                lambda *a: _chunks(*a, _tri(lambda i, rows, n: n - rows)),
            ),
            "one_ahead": Mistake(
                say.CAUSAL_ONE_AHEAD,
                lambda *a: _chunks(*a, _tri(lambda i, rows, n: i + 1)),
            ),
            "strict": Mistake(
                say.CAUSAL_STRICT,
                lambda *a: _chunks(*a, _tri(lambda i, rows, n: i - 1)),
            ),
            "number_of_chunk": Mistake(
                "The triangle is shifted by the number of the chunk. Shift "
                "it by the number of tokens before it, its start.",
                lambda q, k, v, size: _chunks(
                    q, k, v, size, _tri(lambda i, rows, n: i // size)
                ),
            ),
            "keys_chunked": Mistake(
                "The keys are cut too, so that a query sees only the past "
                "of its own chunk. It needs all keys before it.",
                partial(own_keys, visible=create_causal_mask),
            ),
            "nothing_hidden": Mistake(
                say.CAUSAL_MISSING, lambda q, k, v, size: attend(q, k, v)[0]
            ),
        },
    ),
    "Every chunk used a triangle that starts at the first key. Only the "
    "first chunk starts there: the others' must be shifted by the number of "
    "tokens before them.",
)
