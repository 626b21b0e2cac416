"""Exercises of chapter 6: a block with the norm outside, and one head."""

import numpy as np

from attnlib.ops import gelu, softmax
from coursekit.checks import Check, Mistake, numbers
from coursekit.phrases import later, phrase

__all__ = ["check_keep_head", "check_post_norm_block"]


class Sublayer:
    """A function that is shown by its name, and equal to its copies."""

    def __init__(self, name, function):
        self.name, self.function = name, function

    def __repr__(self):
        return f"({phrase(self.name)})"

    def __deepcopy__(self, memo):
        return self

    def __call__(self, x):
        """Return what the sublayer makes of the rows."""
        return self.function(x)


def attend(x):
    """Return causal self-attention without parameters."""
    n = len(x)
    hidden = np.triu(np.full((n, n), -np.inf), k=1)
    return softmax(x @ x.T + hidden) @ np.roll(x, 1, axis=1)


SUBLAYERS = (
    Sublayer(later("causal self-attention"), attend),
    Sublayer(
        later("a feed-forward network"), lambda x: gelu(2 * x + 0.5)[:, ::-1]
    ),
)
FIRST = "al.layer_norm(x + attend(x))"
SECOND = "al.layer_norm(y + feed(y))"
INSIDE = "x + attend(al.layer_norm(x))"

check_post_norm_block = Check(
    "post_norm_block(x, attend, feed)",
    task="return the output of a block with the norm after each addition. "
    "`attend` and `feed` are functions; `al.layer_norm(x)` is the norm.",
    verified="both sublayers read the stream as it is, add to it, and the "
    "sum is normalised each time.",
    right="""
def post_norm_block(x, attend, feed):
    y = al.layer_norm(x + attend(x))
    return al.layer_norm(y + feed(y))
""",
    parts="output",
    cases=[
        (numbers(610, 2, 3), *SUBLAYERS),
        (3 * numbers(611, 3, 5), *SUBLAYERS),
        (numbers(612, 5, 4) + 1, *SUBLAYERS),
    ],
    mistakes={
        "pre_norm": Mistake(
            "This is the pre-norm block: the norm stands inside. Here the "
            "sublayer reads `x` itself, and the *sum* is normalised.",
            {FIRST: INSIDE, SECOND: "y + feed(al.layer_norm(y))"},
        ),
        "norm_inside": Mistake(
            "Only what a sublayer returns is normalised. Add it to `x` "
            "first, then normalise the sum.",
            {
                FIRST: "x + al.layer_norm(attend(x))",
                SECOND: "y + al.layer_norm(feed(y))",
            },
        ),
        "no_residual": Mistake(
            "The residual stream is lost: add each sublayer's result to `x` "
            "before the norm.",
            {"x + ": "", "y + ": ""},
        ),
        "no_residual_attend": Mistake(
            "What attention returns takes the place of `x`. Add it to `x`.",
            {"x + ": ""},
        ),
        "no_residual_feed": Mistake(
            "What the feed-forward network returns takes the place of `x`. "
            "Add it to `x`.",
            {"y + ": ""},
        ),
        "no_norm": Mistake(
            "There is no norm. Normalise after each of the two additions.",
            {"al.layer_norm": ""},
        ),
        "first_norm_missing": Mistake(
            "The norm after attention is missing: a block has two.",
            {"al.layer_norm(x": "(x"},
        ),
        "second_norm_missing": Mistake(
            "The norm after the feed-forward network is missing: a block "
            "has two.",
            {"al.layer_norm(y": "(y"},
        ),
        "residual_after_norm": Mistake(
            "`x` is added once more after the norm. Add first, then "
            "normalise the sum; nothing comes after the norm.",
            {FIRST: f"x + {FIRST}", SECOND: f"y + {SECOND}"},
        ),
        "parallel": Mistake(
            "Both sublayers read the same rows. The feed-forward network "
            "comes second and must read what the first norm returned.",
            {"feed(y)": "feed(x)"},
        ),
        "old_residual": Mistake(
            "The feed-forward network's result is added to the old `x`, so "
            "what attention added is lost. Add it to what the first "
            "norm returned.",
            {"y + feed": "x + feed"},
        ),
        "one_sum": Mistake(
            "Both sublayers read the same rows, and there is one sum and one "
            "norm. Add and normalise after attention; the feed-forward "
            "network reads the result.",
            {FIRST: "x + attend(x)", "feed(y)": "feed(x)"},
        ),
        "pre_norm_and_final": Mistake(
            "This is the pre-norm block, with one more norm at the end. Here "
            "the sublayers read `x` itself, and each *sum* is normalised.",
            {FIRST: INSIDE, "feed(y)": "feed(al.layer_norm(y))"},
        ),
        "both_norms": Mistake(
            "There is a norm before each sublayer and one after each sum. "
            "Here the sublayers read `x` itself; only the sums are "
            "normalised.",
            {
                "attend(x)": "attend(al.layer_norm(x))",
                "feed(y)": "feed(al.layer_norm(y))",
            },
        ),
        "stream_not_normalised": Mistake(
            "The feed-forward network's result is added to the sum before "
            "the first norm. Add it to what the first norm returned.",
            {"y + feed": "x + attend(x) + feed"},
        ),
        "feed_missing": Mistake(
            "The feed-forward network is missing. It comes second, with a "
            "sum and a norm of its own.",
            {SECOND: "y"},
        ),
        "attend_missing": Mistake(
            "Attention is missing. It comes first, with a sum and a norm of "
            "its own.",
            {FIRST: "x"},
        ),
        "swapped": Mistake(
            "The feed-forward network comes first here. Attention should.",
            {"attend(x)": "feed(x)", "feed(y)": "attend(y)"},
        ),
    },
)


ROWS = "slice(head * width, (head + 1) * width)"


def kept(rows):
    """Return the edit that keeps other rows."""
    return {ROWS: rows}


check_keep_head = Check(
    "keep_head(w_out, head, num_heads)",
    task="return a copy of the output projection in which only head number "
    "`head` (from 0) still has an effect.",
    verified="the rows of one head are as before, all others are 0, and the "
    "argument is unchanged, with 2, 3 and 5 heads.",
    right="""
def keep_head(w_out, head, num_heads):
    width = len(w_out) // num_heads
    rows = slice(head * width, (head + 1) * width)
    kept = np.zeros_like(w_out)
    kept[rows] = w_out[rows]
    return kept
""",
    parts="changed",
    cases=[
        (numbers(630, 3, 3), 1, 3),
        (numbers(631, 4, 4), 1, 2),
        (numbers(632, 5, 5), 2, 5),
        (numbers(633, 6, 6), 0, 3),
    ],
    mistakes={
        "this_one_gone": Mistake(
            "This head is gone and all others are kept. Keep this one only.",
            {"return kept": "return w_out - kept"},
        ),
        "columns": Mistake(
            "Columns are kept. In the product, the merged heads meet the "
            "*rows* of `w_out`: a head is a block of rows.",
            {"[rows]": "[:, rows]"},
        ),
        "square_block": Mistake(
            "Only a square of the head's rows and columns is kept. Its rows "
            "belong to it in their full width.",
            {"[rows]": "[rows, rows]"},
        ),
        "one_row": Mistake(
            "Only one row is kept. A head has d_model / num_heads rows.",
            {"[rows]": "[head]"},
        ),
        "start_is_head": Mistake(
            "The rows start at number `head`. The heads before it have "
            "d_head rows each: start at `head * d_head`.",
            kept("slice(head, head + width)"),
        ),
        "width_is_heads": Mistake(
            "The number of heads is taken for the width of a head, which is "
            "d_model / num_heads.",
            {"len(w_out) // num_heads": "num_heads"},
        ),
        "float_width": Mistake(
            "`/` gives a float, even where nothing is left over, and a slice "
            "needs integers. Divide with `//`.",
            {"//": "/"},
        ),
        "strided": Mistake(
            "Every num_heads-th row is kept. A head is a block of rows next "
            "to each other.",
            kept("slice(head, None, num_heads)"),
        ),
        "brackets": Mistake(
            "Brackets are missing: `head + 1 * d_head` multiplies first. End "
            "the rows at `(head + 1) * d_head`.",
            kept("slice(head * width, head + 1 * width)"),
        ),
        "moved": Mistake(
            "The rows of the head are moved to the top. Copy them to the "
            "place they came from.",
            {"kept[rows]": "kept[:width]"},
        ),
        "ones": Mistake(
            "The other rows are 1, so the other heads still have an "
            "effect. Set them to 0.",
            {"zeros_like": "ones_like"},
        ),
        "first_head": Mistake(
            "Head 0 is kept, whatever `head` is. Start at `head * d_head`.",
            kept("slice(width)"),
        ),
        "counted_from_one": Mistake(
            "The head before is kept. Heads are counted from 0: the rows "
            "start at `head * d_head`.",
            kept("slice((head - 1) * width, head * width)"),
            {"    rows": "    head = (head - 1) % num_heads\n    rows"},
        ),
        "one_row_more": Mistake(
            "One row too many is kept. A slice leaves out its end, so end it "
            "at `(head + 1) * d_head`.",
            kept("slice(head * width, (head + 1) * width + 1)"),
        ),
        "one_row_less": Mistake(
            "The last row of the head is missing. A slice leaves out its "
            "end, so end it at `(head + 1) * d_head`.",
            kept("slice(head * width, (head + 1) * width - 1)"),
        ),
        "no_end": Mistake(
            "All heads from this one on are kept: the slice has no end.",
            kept("slice(head * width, None)"),
        ),
        "no_start": Mistake(
            "All heads up to this one are kept: the slice has no start.",
            kept("slice((head + 1) * width)"),
        ),
        "cut_out": Mistake(
            "Only the rows of the head are returned, so the shape has "
            "changed. Keep the other rows too, as zeros.",
            {"return kept": "return kept[rows]"},
        ),
        "nothing": Mistake(
            "Nothing has changed. Set the rows of the other heads to 0.",
            {"return kept": "return w_out"},
        ),
    },
)
