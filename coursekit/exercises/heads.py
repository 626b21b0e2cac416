"""Exercises of chapter 3: split the width into heads, and merge them."""

import numpy as np

from attnlib.multihead import split_heads
from coursekit.checks import Check, Mistake, numbers

__all__ = ["check_merge_heads", "check_split_heads"]

RESHAPE_SPLIT = (
    "The reshape goes straight to (num_heads, n, d_head), which mixes tokens "
    "and heads although the shape is right. Reshape to (n, num_heads, "
    "d_head), then swap the first two of these axes."
)
STRIDED = (
    "Each head takes every num_heads-th column. A head is a block of columns "
    "next to each other: reshape the width to (num_heads, d_head), in this "
    "order."
)
RESHAPE_MERGE = (
    "The heads are reshaped without being swapped back, so that the rows mix "
    "tokens. Swap heads and tokens first, then reshape."
)
BATCH_SWAPPED = (
    "The axes are counted from the front, where a batch has its own. Count "
    "from the back: `swapaxes(-2, -3)` swaps heads and tokens for any number "
    "of batch axes."
)
ONE_BATCH_AXIS = (
    "It works with one batch axis, but not with two: the axes are counted "
    "from the front. Begin with `*batch, ... = x.shape`, and count from the "
    "back, `swapaxes(-2, -3)`."
)
AXES_FIXED = (
    "The shape is taken apart into a fixed number of axes. There may be any "
    "number of batch axes in front: write `*batch, ... = x.shape`, with a "
    "star, and reshape to `(*batch, ...)`."
)
TORCH_TRANSPOSE = (
    "NumPy's `transpose` takes the new order of *all* axes; it is PyTorch's "
    "that swaps two of them. In NumPy that is `swapaxes`."
)
ALL_REVERSED = (
    "`.T` reverses the order of *all* axes. Swap only heads and tokens, with "
    "`swapaxes(-2, -3)`."
)
FLOAT_WIDTH = (
    "`/` gives a float, and an axis cannot have the length 2.0. Divide "
    "whole numbers with `//`: `d_model // num_heads`."
)

_TOKENS = np.arange(3)[:, None] * 10.0 + np.arange(4)


check_split_heads = Check(
    "split_heads(x, num_heads)",
    task="turn (..., n, d_model) into (..., num_heads, n, d_head).",
    verified="every head holds its own block of columns of every token, with "
    "none, one and two batch axes.",
    right="""
def split_heads(x, num_heads):
    *batch, n, d_model = x.shape
    d_head = d_model // num_heads
    cut = x.reshape(*batch, n, num_heads, d_head)
    return cut.swapaxes(-2, -3)
""",
    parts="heads",
    cases=[
        (_TOKENS, 2),
        (numbers(80, 5, 6), 3),
        (numbers(81, 2, 3, 10), 5),
        (numbers(88, 2, 1, 3, 4), 2),
    ],
    mistakes={
        "reshape_only": Mistake(
            RESHAPE_SPLIT,
            {"n, num_heads,": "num_heads, n,", ".swapaxes(-2, -3)": ""},
        ),
        "strided": Mistake(
            STRIDED,
            {
                "num_heads, d_head)": "d_head, num_heads)",
                "cut.swapaxes(-2, -3)": "np.moveaxis(cut, -1, -3)",
            },
        ),
        "not_swapped": Mistake(
            "The width is cut into heads, but the tokens still come first. "
            "Swap them, so that the shape is (..., num_heads, n, d_head).",
            {".swapaxes(-2, -3)": ""},
        ),
        "wrong_swap": Mistake(
            "The last two axes are swapped too, so that each head is "
            "transposed. Swap only heads and tokens.",
            {"-3)": "-3).swapaxes(-1, -2)"},
        ),
        "last_swapped": Mistake(
            "Heads and columns are swapped, the last two axes. Swap tokens "
            "and heads, the two before the last: `swapaxes(-2, -3)`.",
            {"-2, -3": "-1, -2"},
            {"-2, -3": "1, 2"},
        ),
        "d_head_for_heads": Mistake(
            "The number of heads and their width are confused: the head axis "
            "must have num_heads entries, not d_model / num_heads.",
            {"num_heads, d_head)": "d_head, num_heads)"},
        ),
        "batch_swapped": Mistake(BATCH_SWAPPED, {"-2, -3": "0, 1"}),
        "one_batch_axis": Mistake(
            ONE_BATCH_AXIS,
            {"-2, -3": "*((0, 1) if x.ndim == 2 else (1, 2))"},
            {
                "swapaxes(-2, -3)": (
                    "transpose((1, 0, 2) if x.ndim == 2 else (0, 2, 1, 3))"
                )
            },
            {
                "    d_head =": (
                    "    if batch:\n        _, n, d_model = x.shape\n"
                    "    d_head ="
                )
            },
        ),
        "axes_fixed": Mistake(
            AXES_FIXED,
            {"*batch, ": ""},
            {"*batch": "batch"},
        ),
        "torch_transpose": Mistake(
            TORCH_TRANSPOSE, {"swapaxes(-2, -3)": "transpose(1, 2)"}
        ),
        "all_reversed": Mistake(ALL_REVERSED, {"swapaxes(-2, -3)": "T"}),
        "float_width": Mistake(FLOAT_WIDTH, {"//": "/"}),
    },
)


_MERGED = "swapped.reshape(*batch, n, num_heads * d_head)"

check_merge_heads = Check(
    "merge_heads(x)",
    task="turn (..., num_heads, n, d_head) back into (..., n, d_model).",
    verified="the heads stand next to each other in every token's row, with "
    "none, one and two batch axes.",
    right="""
def merge_heads(x):
    *batch, num_heads, n, d_head = x.shape
    swapped = x.swapaxes(-2, -3)
    return swapped.reshape(*batch, n, num_heads * d_head)
""",
    parts="merged",
    cases=[
        (split_heads(_TOKENS, 2).copy(),),
        (numbers(82, 3, 5, 2),),
        (numbers(83, 2, 5, 3, 7),),
        (numbers(89, 2, 1, 2, 3, 2),),
    ],
    mistakes={
        "reshape_only": Mistake(RESHAPE_MERGE, {".swapaxes(-2, -3)": ""}),
        "interleaved": Mistake(
            "The heads' columns are interleaved: the first of each head, "
            "then the second. Put the heads next to each other as blocks.",
            {"x.swapaxes(-2, -3)": "np.moveaxis(x, -3, -1)"},
        ),
        "summed": Mistake(
            "The heads are added up. Put them next to each other.",
            {_MERGED: "x.sum(axis=-3)"},
        ),
        "averaged": Mistake(
            "The heads are averaged. Put them next to each other.",
            {_MERGED: "x.mean(axis=-3)"},
        ),
        "swapped_only": Mistake(
            "Heads and tokens are swapped, but not merged yet: reshape the "
            "last two axes into one.",
            {_MERGED: "swapped"},
        ),
        "stacked": Mistake(
            "The heads stand below each other, as if they were more tokens. "
            "They belong next to each other, in the same row.",
            {_MERGED: "x.reshape(*batch, num_heads * n, d_head)"},
        ),
        "one_head": Mistake(
            "This is one head only. Put all of them next to each other.",
            {_MERGED: "x[..., 0, :, :]"},
            {_MERGED: "x[..., -1, :, :]"},
        ),
        "wrong_swap": Mistake(
            "The wrong axes are swapped, tokens and columns. Swap heads and "
            "tokens, `swapaxes(-2, -3)`, then reshape.",
            {"-2, -3": "-1, -2"},
        ),
        "batch_swapped": Mistake(BATCH_SWAPPED, {"-2, -3": "0, 1"}),
        "one_batch_axis": Mistake(
            ONE_BATCH_AXIS,
            {"-2, -3": "*((0, 1) if x.ndim == 3 else (1, 2))"},
            {
                "swapaxes(-2, -3)": (
                    "transpose((1, 0, 2) if x.ndim == 3 else (0, 2, 1, 3))"
                )
            },
            {
                "    swapped": (
                    "    if batch:\n"
                    "        _, num_heads, n, d_head = x.shape\n"
                    "    swapped"
                )
            },
        ),
        "axes_fixed": Mistake(
            AXES_FIXED,
            {"*batch, ": ""},
            {"*batch": "batch"},
        ),
        "torch_transpose": Mistake(
            TORCH_TRANSPOSE, {"swapaxes(-2, -3)": "transpose(1, 2)"}
        ),
        "all_reversed": Mistake(ALL_REVERSED, {"swapaxes(-2, -3)": "T"}),
    },
)
