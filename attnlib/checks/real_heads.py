"""Checks of chapter 8: reading the heads of a real model."""

import numpy as np

from attnlib.checks.engine import Answer, Check, Mistake, numbers
from attnlib.ops import softmax

__all__ = [
    "check_distance_score",
    "check_head_parts",
    "check_hide_key",
    "check_lucky_head",
    "check_without_first",
]


def _weights(seed, *shape):
    """Return weights with two digits, whose rows sum to one."""
    w = np.round(softmax(numbers(seed, *shape)), 2)
    w[..., 0] = np.round(1 - w[..., 1:].sum(axis=-1), 2)
    return w


def _distance_score(weights, offset):
    return np.diagonal(weights, offset, -2, -1).mean(axis=-1)


check_distance_score = Check(
    "distance_score(weights, offset)",
    task="return the mean weight on the token `offset` places further on "
    "(-1 is the token before), over the rows that have such a token. "
    "`weights` may be (n, n) or (..., n, n).",
    verified="the tokens before, after and farther away, and the token "
    "itself, for one map and for a stack of maps.",
    reference=_distance_score,
    parts="score",
    cases=[
        (np.array([[0.7, 0.2, 0.1], [0.5, 0.2, 0.3], [0.2, 0.4, 0.4]]), -1),
        (_weights(801, 4, 4), 1),
        (_weights(802, 5, 3, 4, 4), -2),
        (_weights(803, 3, 4, 4), 0),
    ],
    mistakes={
        "other_side": Mistake(
            "It looks the other way: a negative offset is a token *before* "
            "the query, so a column with a smaller number than the row.",
            lambda w, offset: _distance_score(w, -offset),
        ),
        "all_rows": Mistake(
            "The sum is divided by n. Not every row has a token that far "
            "away: the first token has none before it. Divide by the number "
            "of rows that have one.",
            lambda w, offset: (
                np.diagonal(w, offset, -2, -1).sum(axis=-1) / w.shape[-1]
            ),
        ),
        "no_mean": Mistake(
            "The weights are added up, not averaged.",
            lambda w, offset: np.diagonal(w, offset, -2, -1).sum(axis=-1),
        ),
        "all_heads": Mistake(
            "One number comes back for all maps together. Each map of a "
            "stack has its own score: average over the last axis only.",
            lambda w, offset: np.diagonal(w, offset, -2, -1).mean(),
        ),
        "wrong_axes": Mistake(
            "The diagonal is taken over the first two axes. In a stack of "
            "maps, rows and columns are the last two: "
            "`np.diagonal(weights, offset, -2, -1)`.",
            lambda w, offset: np.diagonal(w, offset).mean(axis=-1),
        ),
        "largest": Mistake(
            "It returns the largest weight, not the mean.",
            lambda w, offset: np.diagonal(w, offset, -2, -1).max(axis=-1),
        ),
        "wraps_around": Mistake(
            "The last token counts as the one before the first. `np.roll` "
            "and negative indices wrap around: leave out the rows that have "
            "no such token.",
            lambda w, offset: np.mean(
                [
                    w[..., i, (i + offset) % w.shape[-1]]
                    for i in range(w.shape[-1])
                ],
                axis=0,
            ),
        ),
    },
)


def _without_first(weights):
    rest = weights[..., 1:, 1:]
    return rest / rest.sum(axis=-1, keepdims=True)


check_without_first = Check(
    "without_first(weights)",
    task="leave out the first token, as query and as key, and let each row "
    "sum to one again: (..., n, n) becomes (..., n - 1, n - 1).",
    verified="rows and column of the first token are gone, and all rows sum "
    "to one, for one map and for a stack of maps.",
    reference=_without_first,
    parts="weights",
    cases=[
        (np.array([[0.8, 0.1, 0.1], [0.5, 0.3, 0.2], [0.9, 0.02, 0.08]]),),
        (_weights(804, 4, 4),),
        (_weights(805, 2, 5, 5),),
    ],
    mistakes={
        "not_normalised": Mistake(
            "The rows do not sum to one: what the first token had is "
            "missing. Divide each row by its sum.",
            lambda w: w[..., 1:, 1:],
        ),
        "softmax_again": Mistake(
            "A second softmax is applied. The weights are weights already: "
            "divide by the sum, which keeps their ratios.",
            lambda w: softmax(w[..., 1:, 1:]),
        ),
        "row_kept": Mistake(
            "The first token is gone as a key, but is still there as a "
            "query: leave out its row too.",
            lambda w: w[..., 1:] / w[..., 1:].sum(axis=-1, keepdims=True),
        ),
        "column_kept": Mistake(
            "The first token is gone as a query, but is still there as a "
            "key: leave out its column too.",
            lambda w: w[..., 1:, :],
        ),
        "shared_evenly": Mistake(
            "The weight of the first token is shared out evenly. That adds "
            "attention where there was none: divide by the sum, which keeps "
            "the ratios.",
            lambda w: w[..., 1:, 1:] + w[..., 1:, :1] / (w.shape[-1] - 1),
        ),
        "columns": Mistake(
            "The columns sum to one, not the rows: sum over the last axis, "
            "with `keepdims=True`.",
            lambda w: (
                w[..., 1:, 1:] / w[..., 1:, 1:].sum(axis=-2, keepdims=True)
            ),
        ),
        "whole_map": Mistake(
            "All weights together are divided by one number. Each row has "
            "its own sum: `sum(axis=-1, keepdims=True)`.",
            lambda w: w[..., 1:, 1:] / w[..., 1:, 1:].sum(),
        ),
        "keepdims": Mistake(
            "The sums of the rows have lost their axis: `keepdims=True` is "
            "missing.",
            lambda w: w[..., 1:, 1:] / w[..., 1:, 1:].sum(axis=-1),
        ),
        "last_token": Mistake(
            "The last token is left out, not the first.",
            lambda w: (
                w[..., :-1, :-1] / w[..., :-1, :-1].sum(-1, keepdims=True)
            ),
        ),
    },
)


def _hide(weights, query, key, rows=True, again=True):
    weights = weights.copy()
    if rows:
        weights[..., query, key] = 0
    else:
        weights[..., key] = 0
    if again:
        weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def _hide_evenly(weights, query, key):
    n = weights.shape[-1]
    lost = weights[..., query, key, None] / (n - 1)
    weights = weights.copy()
    weights[..., query, :] += lost
    weights[..., query, key] = 0
    return weights


def _hide_softmax(weights, query, key):
    weights = _hide(weights, query, key, again=False)
    weights[..., query, :] = softmax(weights[..., query, :])
    return weights


check_hide_key = Check(
    "hide_key(weights, query, key)",
    task="return weights in which row `query` has nothing for column `key`, "
    "and still sums to one; its other weights keep their ratios, and the "
    "other rows stay as they are.",
    verified="the hidden weight is 0, its row sums to one, and all other "
    "rows are the same, for one map and for a stack of maps.",
    reference=_hide,
    parts="weights",
    cases=[
        (np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.6, 0.3, 0.1]]), 2, 1),
        (_weights(806, 4, 4), 0, 3),
        (_weights(807, 2, 3, 5, 5), 3, 1),
    ],
    mistakes={
        "not_normalised": Mistake(
            "The row sums to less than one: divide it by its new sum.",
            lambda w, q, k: _hide(w, q, k, again=False),
        ),
        "all_rows": Mistake(
            "The key is hidden from every query. Only the row `query` should "
            "lose it.",
            lambda w, q, k: _hide(w, q, k, rows=False),
            lambda w, q, k: _hide(w, q, k, rows=False, again=False),
        ),
        "swapped": Mistake(
            "Query and key are swapped: queries are rows, keys are columns.",
            lambda w, q, k: _hide(w, k, q),
        ),
        "shared_evenly": Mistake(
            "The lost weight is shared out evenly over the other keys. A "
            "mask before the softmax keeps the ratios: divide the row by its "
            "new sum.",
            _hide_evenly,
        ),
        "softmax_again": Mistake(
            "A second softmax is applied to the row. The weights are weights "
            "already: divide by the sum. (After a second softmax even the "
            "hidden key has some weight again.)",
            _hide_softmax,
        ),
    },
)


def _parts(heads, w_o):
    h, _, d = heads.shape
    return heads @ w_o.reshape(h, d, -1)


def _parts_of_columns(heads, w_o):
    h, n, d = heads.shape
    whole = heads.swapaxes(0, 1).reshape(n, h * d) @ w_o
    parts = np.zeros((h, *whole.shape))
    for i in range(h):
        parts[i, :, i * d : (i + 1) * d] = whole[:, i * d : (i + 1) * d]
    return parts


check_head_parts = Check(
    "head_parts(heads, w_o)",
    task="return what each head adds to the output of multi-head attention, "
    "(num_heads, n, d_model). `heads` is (num_heads, n, d_head), `w_o` is "
    "(num_heads * d_head, d_model).",
    verified="each head meets its own rows of w_o, and the sum over the "
    "heads is the output of the layer; with 2, 3 and 5 heads.",
    reference=_parts,
    parts="parts",
    cases=[
        (numbers(808, 2, 1, 2), numbers(809, 4, 4)),
        (numbers(810, 3, 4, 2), numbers(811, 6, 6)),
        (numbers(812, 5, 3, 2), numbers(813, 10, 10)),
    ],
    mistakes={
        "summed": Mistake(
            "This is the output itself, the sum over all heads. Keep the "
            "heads apart: one (n, d_model) for each.",
            lambda heads, w_o: _parts(heads, w_o).sum(axis=0),
        ),
        "columns": Mistake(
            "Each head gets a block of *columns* of the output. But W_o "
            "mixes: every head writes to the whole width. Its block is that "
            "of the *rows* of w_o.",
            _parts_of_columns,
        ),
        "columns_of_w_o": Mistake(
            "The block of columns of w_o is used. A head's result is "
            "multiplied with its block of *rows*.",
            lambda heads, w_o: (
                heads
                @ w_o.reshape(
                    len(w_o), heads.shape[0], heads.shape[2]
                ).transpose(1, 2, 0)
            ),
        ),
        "first_block": Mistake(
            "Every head meets the first block of rows of w_o. Head i has the "
            "rows from i * d_head to (i + 1) * d_head.",
            lambda heads, w_o: heads @ w_o[: heads.shape[2]],
        ),
        "no_projection": Mistake(
            "The output projection is missing: this is only the heads side "
            "by side, each in its own columns.",
            lambda heads, w_o: _parts_of_columns(heads, np.eye(len(w_o))),
        ),
        "interleaved": Mistake(
            "The rows of w_o are dealt out to the heads one by one. A head "
            "has d_head rows in one block, as `merge_heads` puts them.",
            lambda heads, w_o: (
                heads
                @ w_o.reshape(heads.shape[2], heads.shape[0], -1).swapaxes(
                    0, 1
                )
            ),
        ),
    },
)


check_lucky_head = Answer(
    "lucky_head",
    task="give the probability as a number between 0 and 1.",
    verified="1 - (15/16) ** 72 is 0.99: among so many heads one that fits "
    "is nearly certain.",
    reference=lambda: 1 - (15 / 16) ** 72,
    tolerance=0.003,
    mistakes={
        "one_head": Mistake(
            "That is the chance of one given head. There are 72 to choose "
            "from.",
            lambda: 1 / 16,
        ),
        "none": Mistake(
            "That is the chance that *no* head does. Take it from 1.",
            lambda: (15 / 16) ** 72,
        ),
        "added": Mistake(
            "A probability cannot be larger than 1: chances of events that "
            "can happen together do not add up. Start with the chance that "
            "no head does.",
            lambda: 72 / 16,
        ),
        "all_heads": Mistake(
            "That is (nearly) the chance that *all* heads do. Asked is at "
            "least one.",
            lambda: (1 / 16) ** 72,
        ),
    },
)
