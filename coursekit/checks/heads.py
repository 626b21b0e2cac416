"""Checks of chapter 3: heads that are split, merged, counted, moved."""

import numpy as np

from attnlib.multihead import merge_heads, split_heads
from coursekit.checks.engine import Check, Mistake, numbers

__all__ = [
    "check_count_parameters",
    "check_merge_heads",
    "check_shuffle_heads",
    "check_split_heads",
    "straight",
    "straight_merge",
    "strided",
]

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
    "The first axes are swapped, counted from the front. With a batch these "
    "are others: count from the back, `swapaxes(-2, -3)`."
)
ONE_BATCH_AXIS = (
    "One batch axis fits, two do not: the axes are counted from the front. "
    "Begin with `*batch, ... = x.shape`, and count from the back, "
    "`swapaxes(-2, -3)`."
)


def straight(x, num_heads):
    """Split by a reshape alone."""
    *batch, n, d = x.shape
    return x.reshape(*batch, num_heads, n, d // num_heads)


def strided(x, num_heads):
    """Split into every num_heads-th column."""
    *batch, n, d = x.shape
    columns = x.reshape(*batch, n, d // num_heads, num_heads)
    return np.moveaxis(columns, -1, -3)


def straight_merge(x):
    """Merge by a reshape alone."""
    *batch, heads, n, d = x.shape
    return x.reshape(*batch, n, heads * d)


_TOKENS = np.arange(3)[:, None] * 10.0 + np.arange(4)


def _cut(x, num_heads):
    return x.reshape(*x.shape[:-1], num_heads, -1)


def _joined(x, swapped):
    """Reshape what was swapped to the shape that is asked for."""
    *batch, heads, n, d = x.shape
    return swapped.reshape(*batch, n, heads * d)


def _front(batch_axes):
    """Return heads and tokens, counted from the front."""
    return (0, 1) if batch_axes == 0 else (1, 2)


def _one_batch_split(x, num_heads):
    if x.ndim == 2:
        return split_heads(x, num_heads)
    batch, n, d = x.shape
    return x.reshape(batch, n, num_heads, d // num_heads).swapaxes(1, 2)


def _one_batch_merge(x):
    if x.ndim == 3:
        return merge_heads(x)
    batch, heads, n, d = x.shape
    return x.swapaxes(1, 2).reshape(batch, n, heads * d)


check_split_heads = Check(
    "split_heads(x, num_heads)",
    task="turn (..., n, d_model) into (..., num_heads, n, d_head).",
    verified="every head holds its own block of columns of every token, with "
    "none, one and two batch axes.",
    reference=split_heads,
    parts="heads",
    cases=[
        (_TOKENS, 2),
        (numbers(80, 5, 6), 3),
        (numbers(81, 2, 3, 10), 5),
        (numbers(88, 2, 1, 3, 4), 2),
    ],
    mistakes={
        "reshape_only": Mistake(RESHAPE_SPLIT, straight),
        "strided": Mistake(STRIDED, strided),
        "not_swapped": Mistake(
            "The heads are cut, but the tokens still come first: swap them, "
            "so that the shape is (..., num_heads, n, d_head).",
            lambda x, h: split_heads(x, h).swapaxes(-2, -3),
        ),
        "wrong_swap": Mistake(
            "The last two axes are swapped too, so that each head is "
            "transposed. Swap only heads and tokens.",
            lambda x, h: split_heads(x, h).swapaxes(-1, -2),
        ),
        "last_swapped": Mistake(
            "Heads and columns are swapped, the last two axes. Swap tokens "
            "and heads, the two before the last: `swapaxes(-2, -3)`.",
            lambda x, h: _cut(x, h).swapaxes(-1, -2),
            lambda x, h: _cut(x, h).swapaxes(1, 2),
        ),
        "d_head_for_heads": Mistake(
            "The number of heads and their width are confused: the head axis "
            "must have num_heads entries, not d_model / num_heads.",
            lambda x, h: split_heads(x, x.shape[-1] // h),
        ),
        "batch_swapped": Mistake(
            BATCH_SWAPPED,
            lambda x, h: _cut(x, h).swapaxes(0, 1),
        ),
        "one_batch_axis": Mistake(
            ONE_BATCH_AXIS,
            lambda x, h: _cut(x, h).swapaxes(*_front(x.ndim - 2)),
            lambda x, h: _cut(x, h).transpose(
                (1, 0, 2) if x.ndim == 2 else (0, 2, 1, 3)
            ),
            _one_batch_split,
        ),
    },
)


check_merge_heads = Check(
    "merge_heads(x)",
    task="turn (..., num_heads, n, d_head) back into (..., n, d_model).",
    verified="the heads stand next to each other in every token's row, with "
    "none, one and two batch axes.",
    reference=merge_heads,
    parts="merged",
    cases=[
        (split_heads(_TOKENS, 2).copy(),),
        (numbers(82, 3, 5, 2),),
        (numbers(83, 2, 5, 3, 7),),
        (numbers(89, 2, 1, 2, 3, 2),),
    ],
    mistakes={
        "reshape_only": Mistake(RESHAPE_MERGE, straight_merge),
        "interleaved": Mistake(
            "The heads' columns are interleaved: the first of each head, "
            "then the second. Put the heads next to each other as blocks.",
            lambda x: np.moveaxis(x, -3, -1).reshape(
                *x.shape[:-3], x.shape[-2], -1
            ),
        ),
        "summed": Mistake(
            "The heads are added up. Put them next to each other.",
            lambda x: x.sum(axis=-3),
        ),
        "averaged": Mistake(
            "The heads are averaged. Put them next to each other.",
            lambda x: x.mean(axis=-3),
        ),
        "swapped_only": Mistake(
            "Swapped, but not merged yet: reshape the last two axes into one.",
            lambda x: x.swapaxes(-2, -3),
        ),
        "stacked": Mistake(
            "The heads stand below each other, as if they were more tokens. "
            "They belong next to each other, in the same row.",
            lambda x: x.reshape(*x.shape[:-3], -1, x.shape[-1]),
        ),
        "one_head": Mistake(
            "This is one head only. Put all of them next to each other.",
            lambda x: x[..., 0, :, :],
            lambda x: x[..., -1, :, :],
        ),
        "wrong_swap": Mistake(
            "The wrong axes are swapped, tokens and columns. Swap heads and "
            "tokens, `swapaxes(-2, -3)`, then reshape.",
            lambda x: _joined(x, x.swapaxes(-1, -2)),
        ),
        "batch_swapped": Mistake(
            BATCH_SWAPPED, lambda x: _joined(x, x.swapaxes(0, 1))
        ),
        "one_batch_axis": Mistake(
            ONE_BATCH_AXIS,
            lambda x: _joined(x, x.swapaxes(*_front(x.ndim - 3))),
            lambda x: _joined(
                x, x.transpose((1, 0, 2) if x.ndim == 3 else (0, 2, 1, 3))
            ),
            _one_batch_merge,
        ),
    },
)


check_count_parameters = Check(
    "count_parameters(d_model, num_heads, bias)",
    task="return the number of parameters of a multi-head layer: four "
    "projections of width d_model, with a bias each if `bias` is True.",
    verified="2.36 million for GPT-2's layer, with and without biases, and "
    "the same for any number of heads.",
    reference=lambda d, h, bias: 4 * d * d + (4 * d if bias else 0),
    parts="parameters",
    cases=[(6, 3, False), (6, 3, True), (768, 12, True), (64, 16, False)],
    mistakes={
        "times_heads": Mistake(
            "Heads do not multiply the parameters: each is only d_model / "
            "num_heads wide, and together they fill one matrix.",
            lambda d, h, bias: h * (4 * d * d + 4 * d * bias),
            lambda d, h, bias: 3 * h * d * d + d * d + 4 * d * bias,
        ),
        "output_forgotten": Mistake(
            "The output projection is missing: W_q, W_k, W_v and W_o.",
            lambda d, h, bias: 3 * d * d + 3 * d * bias,
            lambda d, h, bias: 3 * d * d + 4 * d * bias,
        ),
        "one_head_only": Mistake(
            "Queries, keys and values of one head only are counted. There "
            "are num_heads of them, each d_model by d_head.",
            lambda d, h, bias: 3 * d * (d // h) + d * d + 4 * d * bias,
            lambda d, h, bias: 4 * d * (d // h) + 4 * d * bias,
            lambda d, h, bias: 4 * d * (d // h) + 4 * (d // h) * bias,
            lambda d, h, bias: 4 * d * d // h + 4 * d * bias,
        ),
        "no_bias": Mistake(
            "The biases are missing: one number for each column of each of "
            "the four matrices, if `bias` is True.",
            lambda d, h, bias: 4 * d * d,
        ),
        "always_bias": Mistake(
            "The biases are counted even if `bias` is False.",
            lambda d, h, bias: 4 * d * d + 4 * d,
        ),
        "precedence": Mistake(
            "Without biases the result is 0: `a + b if bias else 0` is "
            "`(a + b) if bias else 0`. Put the bias in brackets: "
            "`a + (b if bias else 0)`.",
            lambda d, h, bias: 4 * d * d + 4 * d if bias else 0,
        ),
        "one_bias": Mistake(
            "One bias is counted. Each of the four projections has one.",
            lambda d, h, bias: 4 * d * d + d * bias,
        ),
        "scalar_bias": Mistake(
            "A bias is a vector of width d_model, not one number.",
            lambda d, h, bias: 4 * d * d + 4 * bias,
        ),
    },
)


def _widths(*sizes):
    return [numbers(84 + sum(sizes) + i, *sizes) for i in range(4)]


def _shuffle(w_q, w_k, w_v, w_o, order, rows=True, inverse=False, alone=False):
    order = np.argsort(order) if inverse else np.asarray(order)
    width = len(w_o) // len(order)
    blocks = np.arange(len(w_o)).reshape(-1, width)[order].ravel()
    if alone:
        return w_q[:, blocks], w_k[:, blocks], w_v[:, blocks], w_o
    moved = w_o[blocks] if rows else w_o[:, blocks]
    return w_q[:, blocks], w_k[:, blocks], w_v[:, blocks], moved


def _columns(w_q, w_k, w_v, w_o, order):
    width = len(w_o) // len(order)
    blocks = np.concatenate(
        [np.asarray(order) + len(order) * i for i in range(width)]
    )
    return w_q[:, blocks], w_k[:, blocks], w_v[:, blocks], w_o[blocks]


check_shuffle_heads = Check(
    "shuffle_heads(w_q, w_k, w_v, w_o, order)",
    task="put the heads' blocks into a new order, so that the layer's output "
    "stays the same. Head i of the new layer is head order[i].",
    verified="the layer's heads change places and its output does not change.",
    reference=_shuffle,
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
            lambda *a: _shuffle(*a, rows=False),
        ),
        "output_forgotten": Mistake(
            "`w_o` stays as it is, so that it meets the heads in the wrong "
            "order. Move its rows in the same way.",
            lambda *a: _shuffle(*a, alone=True),
        ),
        "inverse_order": Mistake(
            "The order is applied backwards: head order[i] must come to "
            "place i, not head i to place order[i].",
            lambda *a: _shuffle(*a, inverse=True),
        ),
        "single_columns": Mistake(
            "Single columns are moved. A head is a block of d_head columns, "
            "which move together.",
            _columns,
        ),
        "nothing_moved": Mistake(
            "Nothing has moved.", lambda q, k, v, o, order: (q, k, v, o)
        ),
        "rows_moved": Mistake(
            "The rows of w_q, w_k and w_v are moved. Their rows belong to "
            "the input; their *columns* belong to the heads.",
            lambda q, k, v, o, order: tuple(
                w.T if i < 3 else _shuffle(q, k, v, o, order)[3]
                for i, w in enumerate(_shuffle(q.T, k.T, v.T, o, order))
            ),
        ),
    },
)
