"""Exercises of chapter 8: maps without a token, or without one weight."""

import numpy as np

from attnlib.ops import softmax
from coursekit.checks import Check, Mistake, numbers

__all__ = ["check_hide_key", "check_without_first"]


def maps(seed, *shape):
    """Return weights with two digits, whose rows sum to one."""
    w = np.round(softmax(numbers(seed, *shape)), 2)
    w[..., 0] = np.round(1 - w[..., 1:].sum(axis=-1), 2)
    return w


def not_along_rows(old, new):
    """Return the mistakes of a sum over a wrong axis, as edits."""
    return {
        "columns": Mistake(
            "The sums do not run along the rows, each of which must sum to "
            "one: sum over the last axis, `axis=-1` with `keepdims=True`.",
            {old: new.format("axis=-2, keepdims=True")},
            {old: new.format("axis=0, keepdims=True")},
        ),
        "axis_one": Mistake(
            "`axis=1` runs along the rows of one map only. In a stack of "
            "maps it does not: use `axis=-1`.",
            {old: new.format("axis=1, keepdims=True")},
        ),
        "whole_map": Mistake(
            "All weights together are divided by one number. Each row has "
            "its own sum: `sum(axis=-1, keepdims=True)`.",
            {old: new.format("")},
            {old: new.format("axis=(-2, -1), keepdims=True")},
        ),
    }


KEEPDIMS = (
    "The sums of the rows have lost their axis: `keepdims=True` is missing. "
    "Without it every *column* is divided by one row's sum, or the shapes do "
    "not fit."
)
REST = "rest / rest.sum(axis=-1, keepdims=True)"
FIRST_HIDDEN = "weights * (np.arange(weights.shape[-1]) > 0)"

check_without_first = Check(
    "without_first(weights)",
    task="leave out the first token, as query and as key, and let each row "
    "sum to one again: (..., n, n) becomes (..., n - 1, n - 1).",
    verified="the row and column of the first token are gone, and all rows "
    "sum to one, for one map and for a stack of maps.",
    right="""
def without_first(weights):
    rest = weights[..., 1:, 1:]
    return rest / rest.sum(axis=-1, keepdims=True)
""",
    parts="weights",
    cases=[
        (np.array([[0.8, 0.1, 0.1], [0.5, 0.3, 0.2], [0.9, 0.02, 0.08]]),),
        (maps(804, 4, 4),),
        (maps(805, 2, 3, 3),),
    ],
    mistakes={
        "not_normalised": Mistake(
            "The rows do not sum to one: what the first token had is "
            "missing. Divide each row by its sum.",
            {REST: "rest"},
        ),
        "softmax_again": Mistake(
            "A second softmax is applied. These are weights already: divide "
            "by the sum, which keeps their ratios.",
            {REST: "al.softmax(rest)"},
            {REST: f"al.softmax({REST})"},
        ),
        "row_kept": Mistake(
            "The first token is gone as a key, but is still there as a "
            "query: leave out its row too.",
            {"1:, 1:": "1:"},
            {REST: "weights[..., 1:]"},
        ),
        "column_kept": Mistake(
            "The first token is gone as a query, but is still there as a "
            "key: leave out its column too.",
            {"1:, 1:": "1:, :"},
        ),
        "first_axes": Mistake(
            "The first two axes are cut. In a stack of maps rows and columns "
            "are the last two: `weights[..., 1:, 1:]`.",
            {"..., 1:, 1:": "1:, 1:"},
        ),
        "axes_counted": Mistake(
            "The axes are counted from the front, which does not fit a "
            "single map. Count from the back: `weights[..., 1:, 1:]`.",
            {"..., 1:, 1:": ":, 1:, 1:"},
        ),
        "zeroed": Mistake(
            "The weights of the first token become 0, but it is still there. "
            "Cut its row and its column off: the result is "
            "(..., n - 1, n - 1).",
            {"weights[..., 1:, 1:]": FIRST_HIDDEN},
            {
                "weights[..., 1:, 1:]": f"{FIRST_HIDDEN}"
                " * (np.arange(weights.shape[-1]) > 0)[:, None]"
            },
        ),
        "shared_evenly": Mistake(
            "The weight of the first token is shared out evenly. That adds "
            "attention where there was none: divide by the sum, which keeps "
            "the ratios.",
            {REST: "rest + weights[..., 1:, :1] / rest.shape[-1]"},
        ),
        "divided_by_first": Mistake(
            "The rows are divided by the weight of the first token. Divide "
            "by the sum of what is left.",
            {REST: "rest / weights[..., 1:, :1]"},
        ),
        **not_along_rows("axis=-1, keepdims=True", "{}"),
        "keepdims": Mistake(
            KEEPDIMS,
            {", keepdims=True": ""},
            {", keepdims=True)": ")[:, None]"},
        ),
        "last_token": Mistake(
            "The last token is left out. Leave out the first.",
            {"1:, 1:": ":-1, :-1"},
        ),
    },
)


HIDDEN = "hidden / hidden.sum(axis=-1, keepdims=True)"
PLACE = "hidden[..., query, key] = 0"
ROW = "hidden[..., query, :]"
RETURN = f"    return {HIDDEN}"


def on_row(line):
    """Return the edit that changes only the one row."""
    return {RETURN: f"    {line}\n    return hidden"}


check_hide_key = Check(
    "hide_key(weights, query, key)",
    task="return weights in which row `query` has nothing for column `key`, "
    "and still sums to one; its other weights keep their ratios, and the "
    "other rows stay as they are.",
    verified="the hidden weight is 0, its row sums to one, and all other "
    "rows are the same, for one map and for a stack of maps.",
    right="""
def hide_key(weights, query, key):
    hidden = weights.copy()
    hidden[..., query, key] = 0
    return hidden / hidden.sum(axis=-1, keepdims=True)
""",
    parts="weights",
    cases=[
        (np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.5, 0.3, 0.2]]), 2, 1),
        (maps(806, 4, 4), 0, 3),
        (maps(807, 2, 3, 3), 2, 0),
    ],
    mistakes={
        "not_normalised": Mistake(
            "The row sums to less than one. Divide it by its new sum.",
            {HIDDEN: "hidden"},
        ),
        "all_rows": Mistake(
            "The key is hidden from every query. Only the row `query` should "
            "lose it.",
            {"query, key]": "key]"},
            {"query, key]": "key]", HIDDEN: "hidden"},
        ),
        "whole_row": Mistake(
            "Nothing is left of the row: it is all 0 or all NaN. Set "
            "only its weight for `key` to 0: `[..., query, key]`.",
            {"query, key]": "query, :]"},
            {"query, key]": "query, :]", HIDDEN: "hidden"},
        ),
        "row_returned": Mistake(
            "Only the row `query` comes back. Return the whole map, with the "
            "other rows as they are.",
            {RETURN: f"    hidden = {ROW}\n{RETURN}"},
        ),
        "swapped": Mistake(
            "Query and key are swapped: queries are rows, keys are columns.",
            {"query, key]": "key, query]"},
        ),
        "first_axes": Mistake(
            "The first two axes are taken for rows and columns. In a stack "
            "of maps these are the last two: `weights[..., query, key]`.",
            {"..., query, key]": "query, key]"},
        ),
        "shared_evenly": Mistake(
            "The lost weight is shared out evenly over the other keys. A "
            "mask before the softmax keeps the ratios: divide the row by its "
            "new sum.",
            on_row(
                f"{ROW} += weights[..., query, key, None] / "
                f"(weights.shape[-1] - 1)\n    {PLACE}"
            ),
        ),
        "softmax_again": Mistake(
            "A second softmax is applied. These are weights already: divide "
            "by the sum, which keeps their ratios. (Where the softmax is "
            "given a 0, even the hidden key has some weight again.)",
            {HIDDEN: "al.softmax(hidden)"},
            on_row(f"{ROW} = al.softmax({ROW})"),
            {"= 0": "= -np.inf", HIDDEN: "al.softmax(hidden)"},
        ),
        "minus_infinity": Mistake(
            "The *weight* becomes -inf, or very negative. That is for scores, "
            "before a softmax; a hidden weight is 0.",
            {"= 0": "= -np.inf"},
            {"= 0": "= -np.inf", HIDDEN: "hidden"},
            {"= 0": "= -1e9"},
        ),
        "all_divided": Mistake(
            "Every row is divided by what is left of row `query`. The other "
            "rows must stay as they are: divide each by its own sum.",
            {HIDDEN: "hidden / (1 - weights[..., query, key])"},
            {HIDDEN: "hidden / (1 - weights[..., query, key, None, None])"},
        ),
        "one_sum_for_all": Mistake(
            "In a stack of maps the row of each map has its own sum: "
            "`sum(axis=-1, keepdims=True)`.",
            on_row(f"{ROW} /= {ROW}.sum()"),
        ),
        **not_along_rows("axis=-1, keepdims=True", "{}"),
        "keepdims": Mistake(
            KEEPDIMS,
            {", keepdims=True": ""},
            on_row(f"{ROW} = {ROW} / {ROW}.sum(axis=-1)"),
            on_row(f"{ROW} /= {ROW}.sum(axis=-1)"),
        ),
    },
)
