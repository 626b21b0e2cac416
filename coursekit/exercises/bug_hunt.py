"""Exercises of the bug hunt: what was to be found is told at the end only."""

import numpy as np

from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises import say
from coursekit.exercises.attending import (
    ATTEND,
    CARELESS,
    DIVIDE,
    HIDE,
    MASK,
    MAX,
    SHARE,
    lines,
    mistakes,
)
from coursekit.exercises.multi_head import check_multi_head
from coursekit.exercises.positions import check_positional_encoding

__all__ = [
    "check_fixed_attention",
    "check_fixed_causal",
    "check_fixed_chunks",
    "check_fixed_encoding",
    "check_fixed_heads",
    "check_fixed_softmax",
]


def hunt(call, bug, found, *, verified, **exercise):
    """Return a check that does not name the bug, unless asked to.

    Parameters
    ----------
    call : str
        How the function is called.
    bug : str
        The name of the mistake that is to be found.
    found : str
        What the bug was, for whoever has fixed it.
    verified, **exercise
        As for `Check`.
    """
    return Check(
        call,
        task="copy the function above, find its mistake and fix it.",
        verified=f"you found it. {found} Compared: {verified}",
        untold=bug,
        **exercise,
    )


def hunt_in(name, bug, found, check):
    """Return a hunt in the function of another exercise."""
    return hunt(
        f"{name}({', '.join(check.names)})",
        bug,
        found,
        verified=check.verified,
        right=check.right,
        parts=" ".join(check.parts),
        cases=check.cases,
        mistakes=check.mistakes,
    )


check_fixed_softmax = hunt(
    "fixed_softmax(scores)",
    "global_maximum",
    "One maximum for all rows keeps the largest score from overflowing, but "
    "lets a row that lies far below it underflow: 0 / 0. Each row needs its "
    "own.",
    verified="the weights of one row, of matrices and of a batch sum to one "
    "along the last axis, and scores of 1000 do not overflow.",
    right="def softmax(scores):\n" + lines(SHARE + "return weights\n"),
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
    mistakes=mistakes(
        "not_normalised no_exponential keepdims whole_array no_maximum "
        "not_maximum far_below_zero max_keepdims max_axis softmax_twice"
    )
    | {
        "wrong_axis": Mistake(
            say.WRONG_AXIS,
            {"axis=-1": "axis=0"},
            {"axis=-1": "axis=-2"},
            {DIVIDE: "al.softmax(scores, axis=-2)"},
        ),
        "axis_one": Mistake(
            say.AXIS_ONE,
            {"axis=-1": "axis=1"},
            {
                "axis=-1": "axis=1",
                "scores - peak": "scores",
                DIVIDE: "powers / total",
            },
            {DIVIDE: "al.softmax(scores, axis=1)"},
        ),
        "global_maximum": Mistake(
            say.GLOBAL_MAXIMUM, {MAX: "scores.max()"} | CARELESS
        ),
        "nan_hidden": Mistake(
            say.NAN_HIDDEN,
            {"scores - peak": "scores", DIVIDE: "np.nan_to_num(powers/total)"},
            {MAX: "scores.max()"},
        ),
        "maximum_divided": Mistake(
            say.MAXIMUM_DIVIDED, {"scores - peak": "scores / peak"}
        ),
        "sign": Mistake(say.SIGN, {DIVIDE: "al.softmax(-scores)"}),
    },
)


check_fixed_attention = hunt(
    "fixed_attention(q, k, v)",
    "scale_length",
    "`len(k)` is the number of keys, not their width. The two were equal in "
    "the example, and only there is the scale right.",
    verified="output and weights for three sizes, and with large scores.",
    right="def attention(q, k, v):\n"
    + lines(ATTEND.replace(MASK, "") + "return output, weights\n"),
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
    mistakes=mistakes(
        "scale_missing scale_multiplied scale_not_root scale_half "
        "scale_length scale_queries scale_values scale_after wrong_axis "
        "no_softmax softmax_twice no_maximum not_transposed "
        "scores_transposed no_values not_summed values_first "
        "keys_for_values values_for_keys"
    )
    | {
        "scale_fixed": Mistake(
            "The scores are divided by a fixed number. It must follow the "
            "width of the keys: `np.sqrt(k.shape[-1])`.",
            {"np.sqrt(q.shape[-1])": "np.sqrt(8)"},
            {"np.sqrt(q.shape[-1])": "np.sqrt(3)"},
        ),
    },
)


def _visible(edit, *hides):
    """Return the ways to use another mask, which may leave a query nothing."""
    way = {"np.tri(len(q), dtype=bool)": edit}
    return way, way | CARELESS, *(way | {HIDE: hide} for hide in hides)


_LOW = "np.where(mask, scores, -1e9)", "scores + np.where(mask, 0.0, -1e9)"
_ZEROS = {HIDE: "np.where(scores * mask == 0, -np.inf, scores)"}
_PAST_AND_FUTURE = np.array([[-1.0], [1.0]]), np.array([[2.0], [4.0]])

check_fixed_causal = hunt(
    "fixed_causal(q, k, v)",
    "mask_zero",
    "Multiplying by 0 makes hidden scores 0, and exp(0) is 1: the future was "
    "still visible, and most of all where the other scores were low.",
    verified="output and weights of 2, 3 and 5 tokens, with scores of 0 and "
    "of -2000; the future has weight 0.",
    right="def causal(q, k, v):\n    mask = np.tri(len(q), dtype=bool)\n"
    + lines(ATTEND + "return output, weights\n"),
    parts="output weights",
    cases=[
        (numbers(140, 2, 3), numbers(141, 2, 3), numbers(142, 2, 5)),
        (numbers(143, 3, 2), numbers(144, 3, 2), numbers(145, 3, 2)),
        (numbers(146, 5, 3), numbers(147, 5, 3), numbers(148, 5, 2)),
        (np.array([[400.0], [0.0]]), *_PAST_AND_FUTURE),
        (np.array([[2000.0], [500.0]]), *_PAST_AND_FUTURE),
    ],
    mistakes=mistakes(
        "scale_missing scale_not_root scale_half wrong_axis softmax_twice "
        "mask_ignored mask_after mask_renormalised mask_zero mask_added "
        "mask_times_infinity no_maximum"
    )
    | {
        "zeros_hidden": Mistake(
            "Every score that is 0 is hidden, and a visible one may be 0 "
            "too. Hide by place, not by value: "
            "`np.where(visible, scores, -np.inf)`.",
            _ZEROS,
            _ZEROS | CARELESS,
        ),
        "not_low_enough": Mistake(
            "Hidden scores get a number that is not low enough. Where the "
            "visible scores are lower still, the future gets the weight. "
            "Use -inf: nothing is lower.",
            {HIDE: "np.where(mask, scores, -100)"},
            {HIDE: "np.where(mask, scores, -1000)"},
            {HIDE: "scores - np.where(mask, 0, 100)"},
            {HIDE: "scores - np.where(mask, 0, 1000)"},
        ),
        "causal_inverted": Mistake(
            say.CAUSAL_INVERTED,
            *_visible("~np.tri(len(q), dtype=bool)", *_LOW),
        ),
        "causal_upper": Mistake(
            say.CAUSAL_UPPER, _visible("np.tri(len(q), dtype=bool).T")[0]
        ),
        "causal_strict": Mistake(
            say.CAUSAL_STRICT,
            *_visible("np.tri(len(q), k=-1, dtype=bool)", *_LOW),
        ),
        "causal_one_ahead": Mistake(
            say.CAUSAL_ONE_AHEAD,
            _visible("np.tri(len(q), k=1, dtype=bool)")[0],
        ),
    },
)


check_fixed_heads = hunt_in(
    "fixed_heads",
    "merge_reshape_only",
    "The heads, (num_heads, n, d_head), were reshaped without being swapped "
    "back, so that the rows mixed tokens. With one head there is nothing to "
    "swap.",
    check_multi_head,
)


check_fixed_encoding = hunt_in(
    "fixed_encoding",
    "by_column",
    "Every column had a frequency of its own, so that no sine had the cosine "
    "of the same angle beside it, and the product of two rows did not depend "
    "on their distance alone.",
    check_positional_encoding,
)


check_fixed_chunks = hunt(
    "fixed_chunks(q, k, v, size)",
    "own_triangle",
    "Every chunk used a triangle that starts at the first key. Only the "
    "first chunk starts there: the others' must be shifted by the number of "
    "tokens before them.",
    verified="the same output as without chunks, for chunks of 2, 3 and 11.",
    right="""
def chunks(q, k, v, size):
    outputs = []
    for start in range(0, len(q), size):
        part = q[start : start + size]
        seen = np.tri(len(part), len(k), start, dtype=bool)
        output, _ = al.scaled_dot_product_attention(part, k, v, seen)
        outputs.append(output)
    return np.concatenate(outputs)
""",
    parts="output",
    cases=[
        (numbers(150, 5, 2), numbers(151, 5, 2), numbers(152, 5, 2), 2),
        (numbers(156, 7, 2), numbers(157, 7, 2), numbers(158, 7, 5), 3),
        (numbers(159, 5, 3), numbers(160, 5, 3), numbers(161, 5, 3), 11),
    ],
    mistakes={
        "own_triangle": Mistake(
            "Every chunk gets a triangle that starts at the first key, as if "
            "its queries were the first tokens. Query i of the chunk is "
            "token start + i: `np.tri(rows, n, start)`.",
            {"start, dtype": "0, dtype"},
        ),
        "aligned_at_the_end": Mistake(
            "Every chunk is treated as if its queries were the last tokens, "
            "as `create_causal_mask(rows, n)` does. Only the last chunk's "
            "are: shift the triangle by the chunk's start.",
            {"start, dtype": "len(k) - len(part), dtype"},
        ),
        "one_ahead": Mistake(
            say.CAUSAL_ONE_AHEAD, {"start, dtype": "start + 1, dtype"}
        ),
        "strict": Mistake(
            say.CAUSAL_STRICT, {"start, dtype": "start - 1, dtype"}
        ),
        "number_of_chunk": Mistake(
            "The triangle is shifted by the number of the chunk. Shift it by "
            "the number of tokens before it, its start.",
            {"start, dtype": "start // size, dtype"},
        ),
        "chunk_size": Mistake(
            "The triangle is shifted by the size of a chunk. Shift it by the "
            "number of tokens before the chunk, its start.",
            {"start, dtype": "size, dtype"},
            {"start, dtype": "start + size, dtype"},
            {"start, dtype": "start + size - 1, dtype"},
        ),
        "other_way": Mistake(
            "The triangle is shifted to the left. A later chunk has more of "
            "the past to see: shift it to the right, by plus the start.",
            {"start, dtype": "-start, dtype"},
        ),
        "keys_chunked": Mistake(
            "The keys are cut too, so that a query sees only the past of its "
            "own chunk. It needs all keys before it.",
            {
                "k, v, seen)": (
                    "k[start : start + size], v[start : start + size], "
                    "np.tri(len(part), dtype=bool))"
                )
            },
        ),
        "nothing_hidden": Mistake(
            say.CAUSAL_MISSING, {"k, v, seen)": "k, v)"}
        ),
        "one_chunk": Mistake(
            "Only one chunk comes back. Collect the output of each, and "
            "return them all: is the `return` inside the loop?",
            {"    return": "        return"},
            {"np.concatenate(outputs)": "output"},
        ),
    },
)
