"""Checks of chapter 3: several heads, split, merged and counted."""

import numpy as np

import attnlib.checks.mistakes as say
from attnlib.checks.engine import Check, Mistake, numbers
from attnlib.checks.variants import attend, variants
from attnlib.multihead import merge_heads, split_heads

__all__ = [
    "check_count_parameters",
    "check_merge_heads",
    "check_multi_head",
    "check_multi_head_loop",
    "check_shuffle_heads",
    "check_split_heads",
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

check_split_heads = Check(
    "split_heads(x, num_heads)",
    task="turn (..., n, d_model) into (..., num_heads, n, d_head).",
    verified="every head holds its own block of columns of every token, with "
    "and without a batch.",
    reference=split_heads,
    parts="heads",
    cases=[
        (_TOKENS, 2),
        (numbers(80, 5, 6), 3),
        (numbers(81, 2, 3, 10), 5),
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
        "d_head_for_heads": Mistake(
            "The number of heads and their width are confused: the head axis "
            "has d_model / num_heads entries.",
            lambda x, h: split_heads(x, x.shape[-1] // h),
        ),
        "batch_swapped": Mistake(
            "The first axes are swapped, counted from the front. With a "
            "batch these are others: count from the back, "
            "`swapaxes(-2, -3)`.",
            lambda x, h: x.reshape(
                *x.shape[:-1], h, x.shape[-1] // h
            ).swapaxes(0, 1),
        ),
    },
)


check_merge_heads = Check(
    "merge_heads(x)",
    task="turn (..., num_heads, n, d_head) back into (..., n, d_model).",
    verified="the heads stand next to each other in every token's row, with "
    "and without a batch.",
    reference=merge_heads,
    parts="merged",
    cases=[
        (split_heads(_TOKENS, 2).copy(),),
        (numbers(82, 3, 5, 2),),
        (numbers(83, 2, 5, 3, 7),),
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
    },
)


def _multi(
    wrong=attend,
    split=split_heads,
    merge=merge_heads,
    project=lambda joined, w_o: joined @ w_o,
):
    """Return multi-head self-attention with one step replaced."""

    def function(x, w_q, w_k, w_v, w_o, num_heads):
        parts = (split(x @ w, num_heads) for w in (w_q, w_k, w_v))
        output, weights = wrong(*parts)
        return project(merge(output), w_o), weights

    return function


def _width(*sizes):
    return [numbers(84 + sum(sizes) + i, *sizes) for i in range(4)]


def _model_scale(x, w_q, w_k, w_v, w_o, num_heads):
    scale = x.shape[-1] ** -0.5
    wrong = _multi(lambda *a: attend(*a, factor=lambda q, k: scale))
    return wrong(x, w_q, w_k, w_v, w_o, num_heads)


def _one_head(x, w_q, w_k, w_v, w_o, num_heads):
    output, weights = attend(x @ w_q, x @ w_k, x @ w_v)
    return output @ w_o, weights


check_multi_head = Check(
    "multi_head(x, w_q, w_k, w_v, w_o, num_heads)",
    task="project, split into heads, attend, merge and project again; return "
    "the output and the weights of every head.",
    verified="output (n, d_model) and weights (num_heads, n, n), with 2, 3 "
    "and 5 heads.",
    reference=_multi(),
    parts="output weights",
    cases=[
        (numbers(85, 3, 4), *_width(4, 4), 2),
        (numbers(86, 5, 6), *_width(6, 6), 3),
        (numbers(87, 2, 10), *_width(10, 10), 5),
    ],
    mistakes=variants(
        "scale_missing scale_multiplied scale_not_root scale_length "
        "wrong_axis not_transposed keys_for_values",
        _multi,
    )
    | {
        "scale_model": Mistake(say.SCALE_MODEL, _model_scale),
        "reshape_only": Mistake(
            RESHAPE_SPLIT,
            _multi(split=straight),
            _multi(split=straight, merge=straight_merge),
        ),
        "strided": Mistake(STRIDED, _multi(split=strided)),
        "merge_reshape_only": Mistake(
            RESHAPE_MERGE, _multi(merge=straight_merge)
        ),
        "output_missing": Mistake(
            "The last projection is missing: multiply the merged heads by "
            "w_o.",
            _multi(project=lambda joined, w_o: joined),
        ),
        "output_transposed": Mistake(
            "`w_o` is transposed. Rows are tokens: `joined @ w_o`.",
            _multi(project=lambda joined, w_o: joined @ w_o.T),
        ),
        "one_head": Mistake(
            "The whole width attends at once, as one head. Split it first.",
            _one_head,
        ),
        "heads_averaged": Mistake(
            "The weights of the heads are averaged. Return those of every "
            "head, with the shape (num_heads, n, n).",
            lambda *a: (_multi()(*a)[0], _multi()(*a)[1].mean(axis=0)),
        ),
    },
)


def _loop(
    wrong=attend,
    join=lambda heads: np.concatenate(heads, axis=-1),
    project=lambda joined, w_o: joined @ w_o,
):
    """Return multi-head attention with matrices (num_heads, ., d_head)."""

    def function(x, w_q, w_k, w_v, w_o):
        projections = zip(w_q, w_k, w_v, strict=True)
        heads = [wrong(x @ a, x @ b, x @ c)[0] for a, b, c in projections]
        return project(join(heads), w_o)

    return function


def _same_weights(x, w_q, w_k, w_v, w_o):
    first = (np.broadcast_to(w[:1], w.shape) for w in (w_q, w_k))
    return _loop()(x, *first, w_v, w_o)


def _by_head(seed, num_heads, d_model):
    shape = (num_heads, d_model, d_model // num_heads)
    return [numbers(seed + i, *shape) for i in range(3)]


check_multi_head_loop = Check(
    "multi_head_loop(x, w_q, w_k, w_v, w_o)",
    task="loop over the heads, whose matrices are w_q[h], w_k[h] and w_v[h]; "
    "join their outputs and multiply by w_o.",
    verified="the output with 2 and 3 heads.",
    reference=_loop(),
    parts="output",
    cases=[
        (numbers(90, 3, 4), *_by_head(91, 2, 4), numbers(94, 4, 4)),
        (numbers(95, 5, 6), *_by_head(96, 3, 6), numbers(99, 6, 6)),
        (numbers(100, 2, 6), *_by_head(101, 3, 6), numbers(104, 6, 6)),
    ],
    mistakes=variants(
        "scale_missing scale_multiplied scale_not_root scale_length "
        "wrong_axis not_transposed keys_for_values",
        _loop,
    )
    | {
        "scale_model": Mistake(
            say.SCALE_MODEL,
            lambda x, *w: _loop(
                lambda *a: attend(*a, factor=lambda q, k: x.shape[-1] ** -0.5)
            )(x, *w),
        ),
        "output_missing": Mistake(
            "The last projection is missing: multiply the joined heads by "
            "w_o.",
            _loop(project=lambda joined, w_o: joined),
        ),
        "stacked": Mistake(
            "The heads are joined below each other and reshaped, which mixes "
            "tokens. Join them side by side: `np.concatenate(heads, "
            "axis=-1)`.",
            _loop(
                join=lambda heads: np.reshape(heads, (heads[0].shape[0], -1))
            ),
        ),
        "interleaved": Mistake(
            "The heads' columns are interleaved. Put the heads next to each "
            "other as blocks: `np.concatenate(heads, axis=-1)`.",
            _loop(
                join=lambda heads: np.stack(heads, axis=-1).reshape(
                    len(heads[0]), -1
                )
            ),
        ),
        "reversed": Mistake(
            "The heads are joined in the wrong order: the first belongs to "
            "the left.",
            _loop(join=lambda heads: np.concatenate(heads[::-1], axis=-1)),
        ),
        "one_head": Mistake(
            "Every head uses the queries and keys of head 0. Index the "
            "matrices by the head.",
            _same_weights,
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
    cases=[(4, 2, False), (4, 2, True), (768, 12, True), (64, 16, False)],
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
        (*_width(4, 4), [1, 0]),
        (*_width(6, 6), [2, 0, 1]),
        (*_width(10, 10), [3, 0, 4, 1, 2]),
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
