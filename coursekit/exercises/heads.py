"""Exercises of chapter 3: split the width into heads, merge, move them."""

import numpy as np

from attnlib.multihead import split_heads
from coursekit.checks import Check, Mistake, numbers

__all__ = ["check_merge_heads", "check_shuffle_heads", "check_split_heads"]

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
    "This fits only one number of batch axes, and there may be any. Begin "
    "with `*batch, ... = x.shape`, with the star, and count the axes to swap "
    "from the back: `swapaxes(-2, -3)`."
)
TORCH_TRANSPOSE = (
    "NumPy's `transpose` takes the new order of *all* axes; it is PyTorch's "
    "that swaps two of them. In NumPy that is `swapaxes`."
)
ALL_REVERSED = (
    "The columns change places too, as with `.T`, which reverses all axes. "
    "Swap only heads and tokens, with `swapaxes(-2, -3)`."
)
STAR_MISSING = (
    "`batch` is a list of lengths, and `reshape` wants them one by one. "
    "Unpack it with a star: `reshape(*batch, ...)`."
)
FLOAT_WIDTH = (
    "`/` gives a float, and an axis cannot have the length 2.0. Divide "
    "whole numbers with `//`: `d_model // num_heads`."
)

_TOKENS = np.arange(3)[:, None] * 10.0 + np.arange(4)


# What goes wrong with the swap, in both directions.
SWAPPED = {
    "axes_fixed": Mistake(
        AXES_FIXED,
        {"*batch, ": ""},
        {"*batch": "batch"},
        {"swapaxes(-2, -3)": "transpose(1, 0, 2)"},
        {"swapaxes(-2, -3)": "transpose(0, 2, 1, 3)"},
    ),
    "star_missing": Mistake(STAR_MISSING, {"(*batch": "(batch"}),
    "torch_transpose": Mistake(
        TORCH_TRANSPOSE, {"swapaxes(-2, -3)": "transpose(1, 2)"}
    ),
    "all_reversed": Mistake(
        ALL_REVERSED, {"swapaxes(-2, -3)": "T"}, {"-2, -3": "-1, -3"}
    ),
}


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
        ),
        "d_head_for_heads": Mistake(
            "The number of heads and their width are confused: the head axis "
            "must have num_heads entries, not d_model / num_heads.",
            {"num_heads, d_head)": "d_head, num_heads)"},
        ),
        "batch_swapped": Mistake(
            BATCH_SWAPPED, {"-2, -3": "0, 1"}, {"-2, -3": "1, 2"}
        ),
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
        **SWAPPED,
        "heads_first": Mistake(
            "The heads come before the batch axes. They belong behind them, "
            "(..., num_heads, n, d_head): with `np.stack`, say `axis=-3`.",
            {"cut.swapaxes(-2, -3)": "np.moveaxis(cut, -2, 0)"},
        ),
        "width_not_divided": Mistake(
            "A head is given the whole width. The heads share it: each is "
            "`d_model // num_heads` wide.",
            {" // num_heads": ""},
        ),
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
        "batch_joined": Mistake(
            "`np.concatenate(x, axis=-1)` joins along the *first* axis, and "
            "with a batch that is not the heads. Swap heads and tokens, "
            "`swapaxes(-2, -3)`, then reshape.",
            {_MERGED: "np.concatenate(x, axis=-1)"},
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
        "batch_swapped": Mistake(
            BATCH_SWAPPED, {"-2, -3": "0, 1"}, {"-2, -3": "1, 2"}
        ),
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
        **SWAPPED,
    },
)


def _widths(*sizes):
    return [numbers(84 + sum(sizes) + i, *sizes) for i in range(4)]


_RESULT = "w_q[:, moved], w_k[:, moved], w_v[:, moved], w_o[moved]"

check_shuffle_heads = Check(
    "shuffle_heads(w_q, w_k, w_v, w_o, order)",
    task="put the heads' blocks into a new order, so that the layer's output "
    "stays the same. Head t of the new layer is head order[t].",
    verified="the layer's heads change places and its output does not change.",
    right="""
def shuffle_heads(w_q, w_k, w_v, w_o, order):
    blocks = np.arange(len(w_o)).reshape(len(order), -1)
    moved = blocks[order].ravel()
    return w_q[:, moved], w_k[:, moved], w_v[:, moved], w_o[moved]
""",
    parts="w_q w_k w_v w_o",
    cases=[
        (*_widths(4, 4), [1, 0]),
        (*_widths(6, 6), [2, 0, 1]),
        (*_widths(10, 10), [3, 0, 4, 1, 2]),
    ],
    mistakes={
        "output_columns": Mistake(
            "The columns of w_o are moved. Its *rows* belong to the heads: "
            "they meet the merged heads in the product.",
            {"w_o[moved]": "w_o[:, moved]"},
        ),
        "output_forgotten": Mistake(
            "`w_o` stays as it is, so that it meets the heads in the wrong "
            "order. Move its rows in the same way.",
            {"w_o[moved]": "w_o"},
        ),
        "inverse_order": Mistake(
            "The order is applied backwards: head order[t] must come to "
            "place t, not head t to place order[t].",
            {"blocks[order]": "blocks[np.argsort(order)]"},
        ),
        "output_inverse": Mistake(
            "The rows of w_o are moved backwards. They move exactly as the "
            "columns of the other three do: `w_o[moved]`.",
            {"w_o[moved]": "w_o[np.argsort(moved)]"},
        ),
        "order_reversed": Mistake(
            "The order is read from its end. Head 0 of the new layer is head "
            "order[0].",
            {"blocks[order]": "blocks[order[::-1]]"},
        ),
        "one_forgotten": Mistake(
            "Not all of w_q, w_k and w_v are moved. A head has a block of "
            "columns in each of the three, and they move together.",
            *({f"{w}[:, moved]": w} for w in ("w_q", "w_k", "w_v")),
        ),
        "single_columns": Mistake(
            "Single columns are moved. A head is a block of d_head columns "
            "next to each other, which move together.",
            {"blocks[order]": ("blocks.reshape(-1, len(order))[:, order]")},
            {"blocks[order]": "blocks.reshape(-1, len(order)).T[order]"},
            {"blocks[order]": "blocks[order].T"},
        ),
        "order_for_columns": Mistake(
            "`order` has one number for each head, but `moved` needs one for "
            "each column. Take the columns of every head: "
            "`blocks[order].ravel()`.",
            {"blocks[order].ravel()": "order"},
        ),
        "blocks_turned": Mistake(
            "`blocks` has d_head rows. It needs one row for each head: "
            "`reshape(len(order), -1)`.",
            {"len(order), -1": "-1, len(order)"},
        ),
        "not_flattened": Mistake(
            "The index has two axes, one row for each head, and so the "
            "result has three. Make it one row with `.ravel()`.",
            {".ravel()": ""},
        ),
        "nothing_moved": Mistake(
            "Nothing has moved.", {_RESULT: "w_q, w_k, w_v, w_o"}
        ),
        "rows_moved": Mistake(
            "The rows of w_q, w_k and w_v are moved. Their rows belong to "
            "the input; their *columns* belong to the heads.",
            {"[:, moved]": "[moved]"},
        ),
    },
)
