"""Checks of chapter 8: reading the maps of a real model."""

import numpy as np

from attnlib.ops import softmax
from coursekit.checks.engine import Check, Mistake, numbers

__all__ = [
    "check_distance_score",
    "check_hide_key",
    "check_without_first",
]


def _weights(seed, *shape):
    """Return weights with two digits, whose rows sum to one."""
    w = np.round(softmax(numbers(seed, *shape)), 2)
    w[..., 0] = np.round(1 - w[..., 1:].sum(axis=-1), 2)
    return w


def _diagonal(weights, offset):
    return np.diagonal(weights, offset, -2, -1)


def _walk(there, at=lambda w, i, j: w[..., i, j]):
    """Return the mean over the rows whose token, it seems, is there."""

    def function(weights, offset):
        n = weights.shape[-1]
        rows = [i for i in range(n) if there(i + offset, n)]
        return np.mean([at(weights, i, i + offset) for i in rows], axis=0)

    return function


check_distance_score = Check(
    "distance_score(weights, offset)",
    task="return the mean weight on the token `offset` places further on "
    "(-1 is the token before), over the rows that have such a token. "
    "`weights` may be (n, n) or (..., n, n).",
    verified="the tokens before, after and farther away, and the token "
    "itself, for one map and for stacks of maps.",
    reference=lambda w, offset: _diagonal(w, offset).mean(axis=-1),
    parts="score",
    cases=[
        (
            np.array(
                [
                    [0.4, 0.1, 0.2, 0.3],
                    [0.3, 0.4, 0.2, 0.1],
                    [0.1, 0.6, 0.1, 0.2],
                    [0.3, 0.1, 0.1, 0.5],
                ]
            ),
            -1,
        ),
        (_weights(801, 4, 4), 1),
        (_weights(802, 2, 3, 3), -1),
        (_weights(803, 2, 1, 3, 3), 0),
        (_weights(804, 4, 4), -2),
    ],
    mistakes={
        "other_side": Mistake(
            "It looks the other way: a negative offset is a token *before* "
            "the query, so a column with a smaller number than the row.",
            lambda w, offset: _diagonal(w, -offset).mean(axis=-1),
        ),
        "all_rows": Mistake(
            "The sum is divided by n. Not every row has a token that far "
            "away: the first token has none before it. Divide by the number "
            "of rows that have one.",
            lambda w, offset: _diagonal(w, offset).sum(axis=-1) / w.shape[-1],
        ),
        "no_mean": Mistake(
            "The weights are added up, not averaged.",
            lambda w, offset: _diagonal(w, offset).sum(axis=-1),
        ),
        "all_heads": Mistake(
            "One number comes back for all maps together. Each map of a "
            "stack has its own score: average over the last axis only.",
            lambda w, offset: _diagonal(w, offset).mean(),
        ),
        "wrong_axes": Mistake(
            "The first two axes are taken for rows and columns. In a stack "
            "of maps these are the last two: `weights[..., i, j]`, or "
            "`np.diagonal(weights, offset, -2, -1)`.",
            lambda w, offset: np.diagonal(w, offset).mean(axis=-1),
            _walk(lambda j, n: 0 <= j < n, lambda w, i, j: w[i, j]),
        ),
        "one_map_only": Mistake(
            "`np.diag` takes one map only. In a stack of maps rows and "
            "columns are the last two axes: "
            "`np.diagonal(weights, offset, -2, -1)`.",
            lambda w, offset: np.diag(w, offset).mean(),
        ),
        "largest": Mistake(
            "It returns the largest weight, not the mean.",
            lambda w, offset: _diagonal(w, offset).max(axis=-1),
        ),
        "wraps_around": Mistake(
            "The last token counts as the one before the first. `np.roll` "
            "and negative indices wrap around: leave out the rows that have "
            "no such token.",
            _walk(
                lambda j, n: True, lambda w, i, j: w[..., i, j % w.shape[-1]]
            ),
            _walk(lambda j, n: True),
            _walk(lambda j, n: j < n),
        ),
    },
)


def _normalised(rest, axis=-1):
    return rest / rest.sum(axis=axis, keepdims=True)


def _rest(axis):
    """Return the check's function with another axis for the sums."""
    return lambda w: _normalised(w[..., 1:, 1:], axis)


_NOT_ALONG_ROWS = (
    "The sums do not run along the rows, each of which must sum to one: sum "
    "over the last axis, `axis=-1` with `keepdims=True`."
)
_AXIS_ONE = (
    "`axis=1` runs along the rows of one map only. In a stack of maps it "
    "does not: use `axis=-1`."
)
_WHOLE_MAP = (
    "All weights together are divided by one number. Each row has its own "
    "sum: `sum(axis=-1, keepdims=True)`."
)
_KEEPDIMS = (
    "The sums of the rows have lost their axis: `keepdims=True` is missing."
)

check_without_first = Check(
    "without_first(weights)",
    task="leave out the first token, as query and as key, and let each row "
    "sum to one again: (..., n, n) becomes (..., n - 1, n - 1).",
    verified="rows and column of the first token are gone, and all rows sum "
    "to one, for one map and for a stack of maps.",
    reference=_rest(-1),
    parts="weights",
    cases=[
        (np.array([[0.8, 0.1, 0.1], [0.5, 0.3, 0.2], [0.9, 0.02, 0.08]]),),
        (_weights(804, 4, 4),),
        (_weights(805, 2, 3, 3),),
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
            lambda w: _normalised(w[..., 1:]),
        ),
        "column_kept": Mistake(
            "The first token is gone as a query, but is still there as a "
            "key: leave out its column too.",
            lambda w: w[..., 1:, :],
        ),
        "first_axes": Mistake(
            "The first two axes are cut. In a stack of maps rows and columns "
            "are the last two: `weights[..., 1:, 1:]`.",
            lambda w: _normalised(w[1:, 1:]),
        ),
        "shared_evenly": Mistake(
            "The weight of the first token is shared out evenly. That adds "
            "attention where there was none: divide by the sum, which keeps "
            "the ratios.",
            lambda w: w[..., 1:, 1:] + w[..., 1:, :1] / (w.shape[-1] - 1),
        ),
        "columns": Mistake(_NOT_ALONG_ROWS, _rest(-2), _rest(0)),
        "axis_one": Mistake(_AXIS_ONE, _rest(1)),
        "whole_map": Mistake(
            _WHOLE_MAP,
            _rest(None),
            _rest((-2, -1)),
        ),
        "keepdims": Mistake(
            _KEEPDIMS,
            lambda w: w[..., 1:, 1:] / w[..., 1:, 1:].sum(axis=-1),
        ),
        "last_token": Mistake(
            "The last token is left out, not the first.",
            lambda w: _normalised(w[..., :-1, :-1]),
        ),
    },
)


def _hidden(weights, place):
    weights = weights.copy()
    weights[place] = 0
    return weights


def _hide(again):
    """Return the check's function; `again` lets the rows sum to one."""
    return lambda w, query, key: again(_hidden(w, np.s_[..., query, key]))


def _on_row(change):
    """Return the check's function that changes only the one row."""

    def function(weights, query, key):
        weights = _hidden(weights, np.s_[..., query, key])
        weights[..., query, :] = change(weights[..., query, :])
        return weights

    return function


def _hide_evenly(weights, query, key):
    n = weights.shape[-1]
    lost = weights[..., query, key, None] / (n - 1)
    weights = weights.copy()
    weights[..., query, :] += lost
    return _hidden(weights, np.s_[..., query, key])


check_hide_key = Check(
    "hide_key(weights, query, key)",
    task="return weights in which row `query` has nothing for column `key`, "
    "and still sums to one; its other weights keep their ratios, and the "
    "other rows stay as they are.",
    verified="the hidden weight is 0, its row sums to one, and all other "
    "rows are the same, for one map and for a stack of maps.",
    reference=_hide(_normalised),
    parts="weights",
    cases=[
        (np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.6, 0.3, 0.1]]), 2, 1),
        (_weights(806, 4, 4), 0, 3),
        (_weights(807, 2, 3, 3), 2, 0),
    ],
    mistakes={
        "not_normalised": Mistake(
            "The row sums to less than one: divide it by its new sum.",
            _hide(lambda w: w),
        ),
        "all_rows": Mistake(
            "The key is hidden from every query. Only the row `query` should "
            "lose it.",
            lambda w, query, key: _normalised(_hidden(w, np.s_[..., key])),
            lambda w, query, key: _hidden(w, np.s_[..., key]),
        ),
        "swapped": Mistake(
            "Query and key are swapped: queries are rows, keys are columns.",
            lambda w, query, key: _hide(_normalised)(w, key, query),
        ),
        "first_axes": Mistake(
            "The first two axes are taken for rows and columns. In a stack "
            "of maps these are the last two: `weights[..., query, key]`.",
            lambda w, query, key: _normalised(_hidden(w, (query, key))),
        ),
        "shared_evenly": Mistake(
            "The lost weight is shared out evenly over the other keys. A "
            "mask before the softmax keeps the ratios: divide the row by its "
            "new sum.",
            _hide_evenly,
        ),
        "softmax_again": Mistake(
            "A second softmax is applied. The weights are weights already: "
            "divide by the sum. (After a second softmax even the hidden key "
            "has some weight again.)",
            _on_row(softmax),
            _hide(softmax),
        ),
        "columns": Mistake(
            _NOT_ALONG_ROWS,
            _hide(lambda w: _normalised(w, -2)),
            _hide(lambda w: _normalised(w, 0)),
        ),
        "axis_one": Mistake(_AXIS_ONE, _hide(lambda w: _normalised(w, 1))),
        "whole_map": Mistake(
            _WHOLE_MAP,
            _hide(lambda w: w / w.sum()),
            _hide(lambda w: _normalised(w, (-2, -1))),
        ),
        "keepdims": Mistake(
            _KEEPDIMS,
            _hide(lambda w: w / w.sum(axis=-1)),
            _on_row(lambda row: row / row.sum(axis=-1)),
            _on_row(lambda row: np.divide(row, row.sum(axis=-1), out=row)),
        ),
    },
)
