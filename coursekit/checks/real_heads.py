"""Checks of chapter 8: what a head adds, and a head by chance."""

import numpy as np

from coursekit.checks.engine import Answer, Check, Mistake, numbers

__all__ = ["check_head_parts", "check_lucky_head"]


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


def _parts_from_row(heads, w_o):
    d = heads.shape[2]
    return np.stack([x @ w_o[i : i + d] for i, x in enumerate(heads)])


check_head_parts = Check(
    "head_parts(heads, w_o)",
    task="return what each head adds to the output of multi-head attention, "
    "(num_heads, n, d_model). `heads` is (num_heads, n, d_head), `w_o` is "
    "(num_heads * d_head, d_model).",
    verified="each head meets its own rows of w_o, and the sum over the "
    "heads is the output of the layer; with 2 and 3 heads.",
    reference=_parts,
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
        "start_is_head": Mistake(
            "The rows of head i begin at row i. The heads before it have "
            "d_head rows each: begin at i * d_head.",
            _parts_from_row,
        ),
        "rows_do_not_fit": Mistake(
            "A head's result is d_head wide, so it can only meet d_head "
            "*rows* of w_o. Take its block, `w_o[i * d : (i + 1) * d]`, "
            "where d is d_head.",
            lambda heads, w_o: heads @ w_o,
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
    # Between 0.99, rounded, and 0.9904: 71 or 73 heads are outside.
    reference=lambda: 0.9902,
    tolerance=0.000215,
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
        "not_all": Mistake(
            "That is (nearly) the chance that *not all* heads do. Start with "
            "the chance that one head misses, 15/16, and that all miss.",
            lambda: 1 - (1 / 16) ** 72,
        ),
        "exactly_one": Mistake(
            "That is the chance that *exactly* one head does. At least one "
            "may be two or more: take the chance of none from 1.",
            lambda: 72 * (1 / 16) * (15 / 16) ** 71,
        ),
        "percent": Mistake(
            "That is in percent. Give a number between 0 and 1.",
            lambda: 99.0,
            lambda: 99.04,
            lambda: 100 * (1 - (15 / 16) ** 72),
        ),
        "all_heads": Mistake(
            "That is (nearly) the chance that *all* heads do. Asked is at "
            "least one.",
            lambda: (1 / 16) ** 72,
        ),
    },
)
