"""Exercises of chapter 8: what a head looks at, and what it adds."""

import numpy as np

from coursekit.checks import Answer, Check, Mistake, numbers
from coursekit.exercises.real_maps import maps

__all__ = ["check_distance_score", "check_head_parts", "check_lucky_head"]

DIAGONAL = "np.diagonal(weights, offset, -2, -1)"
MEAN, THERE = "found.mean(axis=-1)", "if 0 <= i + offset < n"


def walk(rows, place="..., i, i + offset"):
    """Return the edit that collects the weights row by row."""
    found = f"[weights[{place}] for i in range(n) {rows}]"
    return {DIAGONAL: f"np.stack({found}, -1)"}


FIRST_AXES = walk(THERE, "i, i + offset") | {
    "weights.shape[-1]": "len(weights)"
}

check_distance_score = Check(
    "distance_score(weights, offset)",
    task="return the mean weight on the token `offset` places further on "
    "(-1 is the token before), over the rows that have such a token. "
    "`weights` may be (n, n) or (..., n, n).",
    verified="the tokens before, after and farther away, and the token "
    "itself, for one map and for stacks of maps.",
    right="""
def distance_score(weights, offset):
    n = weights.shape[-1]
    found = np.diagonal(weights, offset, -2, -1)
    return found.mean(axis=-1)
""",
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
        (maps(801, 4, 4), 1),
        (maps(802, 2, 3, 3), -1),
        (maps(803, 2, 1, 3, 3), 0),
        (maps(804, 4, 4), -2),
    ],
    mistakes={
        "other_side": Mistake(
            "It looks the other way. A negative offset is a token *before* "
            "the query: a column with a smaller number than the row.",
            {"offset, -2": "-offset, -2"},
        ),
        "offset_ignored": Mistake(
            "It always looks at the token before, or always at the one after, "
            "whatever `offset` is. Use column i + offset.",
            {"offset, -2": "-1, -2"},
            {"offset, -2": "1, -2"},
        ),
        "all_rows": Mistake(
            "The sum is divided by n. Not every row has a token that far "
            "away: the first token has none before it. Divide by the number "
            "of rows that have one.",
            {MEAN: "found.sum(axis=-1) / n"},
        ),
        "other_count": Mistake(
            "The sum is divided by the wrong number of rows. There are "
            "n - abs(offset) rows that have such a token.",
            {MEAN: "found.sum(axis=-1) / (n - offset)"},
            {MEAN: "found.sum(axis=-1) / (n + offset)"},
            {MEAN: "found.sum(axis=-1) / (n - 1)"},
        ),
        "no_mean": Mistake(
            "The weights are added up, not averaged. Take their mean.",
            {"mean": "sum"},
        ),
        "all_heads": Mistake(
            "One number comes back for all maps together. Each map of a "
            "stack has its own score: average over the last axis only.",
            {"mean(axis=-1)": "mean()"},
        ),
        "wrong_axes": Mistake(
            "The first two axes are taken for rows and columns. In a stack "
            "of maps these are the last two: `weights[..., i, j]`, or "
            "`np.diagonal(weights, offset, -2, -1)`.",
            {", -2, -1": ""},
            {", -2, -1": "", MEAN: "found.mean()"},
            walk(THERE, "i, i + offset"),
            FIRST_AXES,
            FIRST_AXES | {MEAN: "found.mean()"},
        ),
        "axes_counted": Mistake(
            "The axes are counted from the front, which fits only a "
            "stack with one more axis. Count from the back: "
            "`np.diagonal(weights, offset, -2, -1)`.",
            {"-2, -1": "1, 2"},
        ),
        "mean_axis": Mistake(
            "The mean runs over the wrong axis. The weights of one map lie "
            "along the last one: `mean(axis=-1)`.",
            {"axis=-1": "axis=0"},
            {"axis=-1": "axis=1"},
        ),
        "offset_is_column": Mistake(
            "`offset` is used as the number of a column. It is a distance: "
            "row i has its token in column i + offset.",
            {DIAGONAL: "weights[..., offset]"},
        ),
        "one_map_only": Mistake(
            "`np.diag` takes one map only. In a stack of maps rows and "
            "columns are the last two axes: "
            "`np.diagonal(weights, offset, -2, -1)`.",
            {DIAGONAL: "np.diag(weights, offset)"},
        ),
        "largest": Mistake(
            "This is the largest weight. Take the mean.", {"mean": "max"}
        ),
        "one_row": Mistake(
            "Only one row counts. Is the `return` inside the loop, or does "
            "`=` forget the rows before? Collect the weights of all rows.",
            {MEAN: "found[..., 0]"},
            {MEAN: "found[..., -1]"},
            {MEAN: "found[..., 0] / (n - abs(offset))"},
        ),
        "wraps_around": Mistake(
            "The last token counts as the one before the first. `np.roll` "
            "and negative indices wrap around: leave out the rows that have "
            "no such token.",
            walk("", "..., i, (i + offset) % n"),
            walk(""),
            walk("if i + offset < n"),
            walk("if i < n - abs(offset)"),
        ),
        "zero_left_out": Mistake(
            "Column 0 is left out, though it is a token like the others. The "
            "rows that count have `0 <= i + offset < n`.",
            walk("if 0 < i + offset < n"),
        ),
        "end_missed": Mistake(
            "For a positive offset it runs past the end of the row: there the "
            "*last* rows have no such token. Count the rows with "
            "`0 <= i + offset < n`.",
            walk("if i + offset >= 0"),
            walk("if i >= abs(offset)"),
        ),
        "percent": Mistake(
            "This is a percentage. Weights, and their mean, are shares of 1.",
            {"return": "return 100 *"},
        ),
    },
)


BLOCK = "w_o[i * d : (i + 1) * d]"
PARTS = f"[heads[i] @ {BLOCK} for i in range(h)]"
OWN = "(np.arange(h * d) // d == np.arange(h)[:, None])[:, None]"

check_head_parts = Check(
    "head_parts(heads, w_o)",
    task="return what each head adds to the output of multi-head attention, "
    "(num_heads, n, d_model). `heads` is (num_heads, n, d_head), `w_o` is "
    "(num_heads * d_head, d_model).",
    verified="each head meets its own rows of w_o, and the sum over the "
    "heads is the output of the layer; with 2 and 3 heads.",
    right=f"""
def head_parts(heads, w_o):
    h, n, d = heads.shape
    parts = {PARTS}
    return np.stack(parts)
""",
    parts="parts",
    cases=[
        (numbers(808, 2, 1, 2), numbers(809, 4, 4)),
        (numbers(810, 3, 2, 1), numbers(811, 3, 3)),
        (numbers(812, 2, 3, 3), numbers(813, 6, 6)),
    ],
    mistakes={
        "summed": Mistake(
            "This is the output itself, the sum over all heads. Keep the "
            "heads apart: one (n, d_model) for each.",
            {"np.stack": "sum"},
        ),
        "columns": Mistake(
            "Each head gets a block of *columns* of the output. But W_o "
            "mixes: every head writes to the whole width. Its block is one "
            "of *rows* of `w_o`.",
            {"np.stack(parts)": f"sum(parts) * {OWN}"},
        ),
        "columns_of_w_o": Mistake(
            "The block of columns of `w_o` is used. Multiply a head's result "
            "by its block of *rows*.",
            {BLOCK: "w_o[:, i * d : (i + 1) * d].T"},
        ),
        "first_block": Mistake(
            "Every head meets the first block of rows of `w_o`. Head i has "
            "the rows from i * d_head to (i + 1) * d_head.",
            {BLOCK: "w_o[:d]"},
        ),
        "start_is_head": Mistake(
            "The rows of head i start at row i. The heads before it have "
            "d_head rows each: start at i * d_head.",
            {BLOCK: "w_o[i : i + d]"},
        ),
        "width_is_heads": Mistake(
            "The number of heads is taken for the width of a head. Each has "
            "d_head rows: `w_o[i * d_head : (i + 1) * d_head]`, or all at "
            "once `w_o.reshape(num_heads, d_head, d_model)`.",
            {BLOCK: "w_o[i * h : (i + 1) * h]"},
            {PARTS: "heads @ w_o.reshape(d, h, -1)"},
        ),
        "brackets": Mistake(
            "Brackets are missing: `i + 1 * d` multiplies first. End the "
            "block at `(i + 1) * d`.",
            {BLOCK: "w_o[i * d : i + 1 * d]"},
        ),
        "one_head": Mistake(
            "Only one head's part comes back. Collect the parts of all "
            "heads: is the `return` inside the loop?",
            {"np.stack(parts)": "parts[0]"},
            {"np.stack(parts)": "parts[-1]"},
            {"np.stack(parts)": "parts[:1]"},
        ),
        "rows_do_not_fit": Mistake(
            "A head's result is d_head wide, so it can only meet d_head "
            "*rows* of `w_o`. Multiply by its block as it is: "
            "`heads[i] @ w_o[i * d : (i + 1) * d]`, where d is d_head.",
            {BLOCK: "w_o"},
            {f"heads[i] @ {BLOCK}": "np.dot(heads[i], w_o)"},
            {PARTS: "np.dot(heads, w_o)"},
        ),
        "no_projection": Mistake(
            "The output projection is missing: these are only the heads side "
            "by side, each in its own columns.",
            {"np.stack(parts)": f"np.tile(heads, (1, 1, h)) * {OWN}"},
        ),
        "interleaved": Mistake(
            "The rows of `w_o` are dealt out to the heads one by one. A head "
            "has d_head rows in one block, as `merge_heads` puts them.",
            {BLOCK: "w_o[i::h]"},
        ),
    },
)


MISS = 15 / 16

check_lucky_head = Answer(
    "lucky_head",
    task="give the probability as a number between 0 and 1.",
    verified="1 - (15/16) ** 72 is 0.99: among so many heads one that fits "
    "is nearly certain.",
    # Between 0.99, rounded, and 0.9904: 71 or 73 heads are outside.
    right=0.9902,
    tolerance=0.000215,
    mistakes={
        "one_head": Mistake(
            "That is the chance for one given head. There are 72 to choose "
            "from.",
            1 / 16,
            0.063,
            0.06,
        ),
        "one_misses": Mistake(
            "That is the chance that one given head misses. All 72 must "
            "miss: take it to the power of 72, and subtract that from 1.",
            MISS,
            0.94,
        ),
        "none": Mistake(
            "That is the chance that *no* head does. Subtract it from 1.",
            MISS**72,
            0.01,
        ),
        "added": Mistake(
            "A probability cannot be larger than 1: you cannot add the "
            "chances of events that can happen together. Start with the "
            "chance that no head does.",
            72 / 16,
        ),
        "not_all": Mistake(
            "That is (nearly) the chance that *not all* heads do. Start with "
            "the chance that one head misses, 15/16, and work out the chance "
            "that all of them miss.",
            1 - (1 / 16) ** 72,
        ),
        "exactly_one": Mistake(
            "That is the chance that *exactly* one head does. At least one "
            "may be two or more: subtract the chance of none from 1.",
            72 / 16 * MISS**71,
            0.05,
        ),
        "swapped": Mistake(
            "Tokens and heads are swapped. There are 72 heads, and each of "
            "them misses with probability 15/16.",
            1 - (71 / 72) ** 16,
            0.201,
            0.2,
        ),
        "tokens_for_heads": Mistake(
            "That is the chance with 16 heads. All 72 heads must miss: the "
            "exponent is 72.",
            1 - MISS**16,
            0.64,
        ),
        "percent": Mistake(
            "That is a percentage. Give a number between 0 and 1.",
            99.0,
            99.04,
            100 * (1 - MISS**72),
        ),
        "all_heads": Mistake(
            "That is (nearly) the chance that *all* heads do. The question "
            "asks for at least one.",
            (1 / 16) ** 72,
        ),
    },
)
