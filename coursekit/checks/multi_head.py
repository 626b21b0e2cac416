"""Checks of chapter 3: attention with several heads."""

import numpy as np

import coursekit.checks.mistakes as say
from attnlib.multihead import merge_heads, split_heads
from coursekit.checks.engine import Check, Mistake, numbers
from coursekit.checks.heads import (
    RESHAPE_MERGE,
    RESHAPE_SPLIT,
    STRIDED,
    straight,
    straight_merge,
    strided,
)
from coursekit.checks.variants import attend, variants

__all__ = ["check_multi_head", "check_multi_head_loop"]


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


def _scaled(scale):
    """Divide by the root of what `scale` makes of the queries."""
    return lambda *a: attend(*a, factor=lambda q, k: scale(q) ** -0.5)


def _model_scale(x, w_q, w_k, w_v, w_o, num_heads):
    wrong = _multi(_scaled(lambda q: x.shape[-1]))
    return wrong(x, w_q, w_k, w_v, w_o, num_heads)


def _one_head(x, w_q, w_k, w_v, w_o, num_heads):
    output, weights = attend(x @ w_q, x @ w_k, x @ w_v)
    return output @ w_o, weights


def _swapped_merge(swap):
    """Merge after a wrong swap."""
    return _multi(merge=lambda heads: swap(heads).reshape(heads.shape[1], -1))


def _cut(x, num_heads):
    """Split without a swap."""
    return x.reshape(len(x), num_heads, -1)


def _matrices(seed, d_model):
    return [numbers(seed + i, d_model, d_model) for i in range(4)]


check_multi_head = Check(
    "multi_head(x, w_q, w_k, w_v, w_o, num_heads)",
    task="project, split into heads, attend, merge and project again; return "
    "the output and the weights of every head.",
    verified="output (n, d_model) and weights (num_heads, n, n), with 1, 2, "
    "3 and 5 heads.",
    reference=_multi(),
    parts="output weights",
    cases=[
        (
            np.array([[1.0, 0.0], [1.0, 2.0]]),
            np.array([[1.0, 0.0], [1.0, 1.0]]),
            np.array([[0.0, 1.0], [1.0, 0.0]]),
            np.array([[2.0, 1.0], [0.0, 3.0]]),
            np.array([[1.0, 0.0], [2.0, 1.0]]),
            2,
        ),
        (numbers(84, 2, 3), *_matrices(92, 3), 1),
        (numbers(85, 2, 4), *_matrices(92, 4), 2),
        (numbers(86, 5, 6), *_matrices(96, 6), 3),
        (numbers(87, 2, 10), *_matrices(104, 10), 5),
    ],
    mistakes=variants(
        "scale_missing scale_multiplied scale_not_root wrong_axis "
        "not_transposed batch_transposed keys_for_values no_softmax",
        _multi,
    )
    | {
        "scale_length": Mistake(
            say.SCALE_LENGTH, _multi(_scaled(lambda q: q.shape[1]))
        ),
        "scale_heads": Mistake(
            "The scale is made from the number of heads. It is their "
            "*width*, d_head, whose square root belongs there.",
            _multi(_scaled(len)),
        ),
        "scale_model": Mistake(say.SCALE_MODEL, _model_scale),
        "reshape_only": Mistake(
            RESHAPE_SPLIT,
            _multi(split=straight),
            _multi(split=straight, merge=straight_merge),
        ),
        "strided": Mistake(STRIDED, _multi(split=strided)),
        "split_not_swapped": Mistake(
            "The heads are cut, but not swapped: tokens still come first, "
            "so that the heads of one token attend to each other. Swap to "
            "(num_heads, n, d_head).",
            _multi(
                split=_cut, merge=lambda heads: heads.reshape(len(heads), -1)
            ),
            _multi(
                split=_cut,
                merge=lambda heads: heads.swapaxes(0, 1).reshape(
                    len(heads), -1
                ),
            ),
        ),
        "keys_from_query": Mistake(
            say.KEYS_FROM_QUERY,
            lambda x, w_q, w_k, *rest: _multi()(x, w_q, w_q, *rest),
        ),
        "merge_wrong_swap": Mistake(
            "The wrong axes are swapped before the merge. The heads are "
            "(num_heads, n, d_head): swap the first two, `swapaxes(0, 1)`.",
            _swapped_merge(lambda heads: heads.swapaxes(1, 2)),
            _swapped_merge(lambda heads: heads.T),
        ),
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
