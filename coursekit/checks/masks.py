"""Checks of chapter 2: masks, the rules for weights, and what they cost."""

import numpy as np

import coursekit.checks.mistakes as say
from attnlib.masks import create_causal_mask, create_padding_mask
from coursekit.checks.engine import Check, Mistake

__all__ = [
    "check_causal_mask",
    "check_is_attention",
    "check_padding_mask",
    "check_weight_bytes",
]


check_causal_mask = Check(
    "causal_mask(n_q, n_k)",
    task="return a boolean array that is True where the query may attend: "
    "query i sees the keys up to n_k - n_q + i.",
    verified="boolean masks of the right shape, as many queries as keys and "
    "fewer.",
    reference=create_causal_mask,
    parts="mask",
    cases=[(3, 3), (2, 5), (1, 3), (5, 7)],
    mistakes={
        "inverted": Mistake(
            say.CAUSAL_INVERTED,
            lambda n_q, n_k: ~create_causal_mask(n_q, n_k),
        ),
        "upper": Mistake(
            say.CAUSAL_UPPER,
            lambda n_q, n_k: ~np.tri(n_q, n_k, n_k - n_q - 1, dtype=bool),
            lambda n_q, n_k: ~np.tri(n_q, n_k, -1, dtype=bool),
        ),
        "strict": Mistake(
            say.CAUSAL_STRICT,
            lambda n_q, n_k: np.tri(n_q, n_k, n_k - n_q - 1, dtype=bool),
            lambda n_q, n_k: np.tri(n_q, n_k, -1, dtype=bool),
        ),
        "one_ahead": Mistake(
            say.CAUSAL_ONE_AHEAD,
            lambda n_q, n_k: np.tri(n_q, n_k, n_k - n_q + 1, dtype=bool),
            lambda n_q, n_k: np.tri(n_q, n_k, 1, dtype=bool),
        ),
        "top_left": Mistake(
            say.CAUSAL_TOP_LEFT,
            lambda n_q, n_k: np.tri(n_q, n_k, dtype=bool),
        ),
        "other_way": Mistake(
            "The mask is shifted by n_q - n_k. With more keys than queries "
            "the diagonal must move to the right, by n_k - n_q.",
            lambda n_q, n_k: np.tri(n_q, n_k, n_q - n_k, dtype=bool),
        ),
        "keys_ignored": Mistake(
            "The mask has as many columns as there are queries. It needs one "
            "for each key: shape (n_q, n_k).",
            lambda n_q, n_k: np.tri(n_q, dtype=bool),
        ),
        "axes_swapped": Mistake(
            "Queries and keys change places. Queries are rows, keys are "
            "columns: shape (n_q, n_k).",
            lambda n_q, n_k: create_causal_mask(n_q, n_k).T,
            lambda n_q, n_k: np.tri(n_k, n_q, dtype=bool),
        ),
        "additive": Mistake(
            "This is a mask to be added to scores, 0 and -inf. Return True "
            "where the query may attend.",
            lambda n_q, n_k: np.where(
                create_causal_mask(n_q, n_k), 0, -np.inf
            ),
            lambda n_q, n_k: np.where(create_causal_mask(n_q, n_k), 0, -1e9),
        ),
        "nothing_hidden": Mistake(
            say.CAUSAL_MISSING, lambda n_q, n_k: np.ones((n_q, n_k), bool)
        ),
    },
)


check_padding_mask = Check(
    "padding_mask(lengths, max_len)",
    task="return a boolean array of shape (batch, 1, 1, max_len) that is "
    "True where there is a real token.",
    verified="only real tokens are True, along the axis of the keys, with "
    "room for heads and queries.",
    reference=create_padding_mask,
    parts="mask",
    cases=[([2, 3], 3), ([1, 5, 0], 5), ([7, 2], 7), ([3, 3, 1, 2, 3], 5)],
    mistakes={
        "inverted": Mistake(
            say.MASK_INVERTED.split(";")[0] + ".",
            lambda n, size: ~create_padding_mask(n, size),
        ),
        "one_too_many": Mistake(
            "One padding position counts as a token. Positions start at 0, "
            "so that a sentence of length 2 has the positions 0 and 1: use "
            "`<`, not `<=`.",
            lambda n, size: np.arange(size) <= np.reshape(n, (-1, 1, 1, 1)),
        ),
        "one_too_few": Mistake(
            "The last token of each sentence is hidden too. A sentence of "
            "length 2 has the positions 0 and 1.",
            lambda n, size: np.arange(size) < np.reshape(n, (-1, 1, 1, 1)) - 1,
        ),
        "queries_masked": Mistake(
            "The mask lies along the axis of the queries, and would hide "
            "rows. Padding must not be *attended to*: put it along the last "
            "axis, that of the keys.",
            lambda n, size: create_padding_mask(n, size).swapaxes(-1, -2),
        ),
        "no_axes": Mistake(
            "The shape is (batch, max_len). Against scores of shape (batch, "
            "heads, n_q, n_k) the batch would be taken for queries: insert "
            "two axes of length 1, `mask[:, None, None, :]`.",
            lambda n, size: create_padding_mask(n, size)[:, 0, 0],
        ),
        "one_axis": Mistake(
            "An axis is missing: heads and queries need one of length 1 "
            "each, `mask[:, None, None, :]`.",
            lambda n, size: create_padding_mask(n, size)[:, 0],
        ),
        "padding_first": Mistake(
            "The padding is taken to stand before the tokens. It stands "
            "behind them: the first `length` positions are real.",
            lambda n, size: create_padding_mask(n, size)[..., ::-1],
        ),
    },
)


_EVEN = np.full((2, 5), 0.2)

check_is_attention = Check(
    "is_attention(weights)",
    task="return True if the weights are finite, none is negative, and each "
    "row sums to one (but for rounding), and False otherwise.",
    verified="five arrays that are weights, and ten that break one of the "
    "rules each.",
    reference=lambda w: bool(
        np.isfinite(w).all()
        and (w >= 0).all()
        and np.allclose(w.sum(axis=-1), 1)
    ),
    parts="answer",
    cases=[
        (np.array([[0.25, 0.75]]),),
        (np.array([[0.5, 0.5], [0.5, 0.5]]),),
        (np.array([[0.0, 1.0], [0.5, 0.5]]),),
        (np.array([[0.5, 0.5], [0.5, 0.6]]),),
        (np.array([[0.5, 0.4], [0.5, 0.5]]),),
        (np.array([[0.5, 0.6], [0.5, 0.4]]),),
        (np.array([[1.5, -0.5], [0.25, 0.75]]),),
        (np.array([[-0.2, 0.6, 0.6]]),),
        (np.array([[np.nan, 0.5], [0.5, 0.5]]),),
        (np.array([[0.5, 0.5], [np.nan, 1.0]]),),
        (np.array([[0.5, 0.502], [0.5, 0.5]]),),
        (np.array([[0.5, 0.9], [0.5, 0.1]]),),
        (np.array([[0.5, 0.5], [0.9, 0.9]]),),
        (np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.2, 0.3, 0.4]]),),
        (np.stack([_EVEN, _EVEN]),),
    ],
    mistakes={
        "sum_only": Mistake(
            "Only the sums are looked at. 1.5 and -0.5 sum to one as well: "
            "no weight may be negative.",
            lambda w: np.allclose(w.sum(axis=-1), 1),
        ),
        "range_only": Mistake(
            "Only the size of each weight is looked at. Each row must also "
            "sum to one.",
            lambda w: bool(((w >= 0) & (w <= 1)).all()),
            lambda w: bool((w >= 0).all()),
        ),
        "zero_refused": Mistake(
            "A weight of 0 or 1 is refused, but it is a weight as good as "
            "any. None may be *negative*: `weights >= 0`, and no more.",
            lambda w: bool((w > 0).all() and np.allclose(w.sum(axis=-1), 1)),
        ),
        "negative_passes": Mistake(
            "A negative weight passes, if none is above 1. Ask for it: "
            "`(weights >= 0).all()`.",
            lambda w: bool((w <= 1).all() and np.allclose(w.sum(axis=-1), 1)),
        ),
        "loose": Mistake(
            "A row that sums to 1.002 passes. Rounding changes the last of "
            "some 16 digits only: use `np.allclose` without a tolerance of "
            "your own, and do not round.",
            *(
                lambda w, off=off: bool(
                    (w >= 0).all() and (abs(w.sum(axis=-1) - 1) < off).all()
                )
                for off in (0.01, 0.2, 0.5)
            ),
        ),
        "nan_passes": Mistake(
            "NaN passes. Every comparison with NaN is False, so looking for "
            "what is *too large* or *negative* does not find it: ask "
            "`np.isfinite(weights).all()`.",
            lambda w: (
                not ((w < 0).any() or (abs(w.sum(axis=-1) - 1) > 1e-6).any())
            ),
            lambda w: (
                not (
                    (w < 0).any()
                    or (abs(np.nansum(w, axis=-1) - 1) > 1e-6).any()
                )
            ),
        ),
        "columns": Mistake(
            "The sums run over the wrong axis. Rows must sum to one: "
            "`weights.sum(axis=-1)`.",
            lambda w: bool((w >= 0).all() and np.allclose(w.sum(axis=0), 1)),
            lambda w: bool((w >= 0).all() and np.allclose(w.sum(axis=-2), 1)),
        ),
        "axis_one": Mistake(
            "`axis=1` is the last axis of a matrix, but not of a batch of "
            "them. `axis=-1` always is.",
            lambda w: bool((w >= 0).all() and np.allclose(w.sum(axis=1), 1)),
        ),
        "total": Mistake(
            "All weights are added up together. Too much in one row and too "
            "little in another then cancel: look at each row.",
            *(
                lambda w, rows=rows: bool(
                    (w >= 0).all() and np.isclose(w.sum(), rows(w))
                )
                for rows in (lambda w: w[..., 0].size, len, lambda w: 1)
            ),
        ),
        "exact": Mistake(
            "The sums are compared with `==`. Rounding makes 0.1 + 0.2 + "
            "0.3 + 0.4 or another sum differ from 1 in the last digit: "
            "use `np.allclose`.",
            lambda w: bool((w >= 0).all() and (w.sum(axis=-1) == 1).all()),
        ),
        "any_row": Mistake(
            "One good row is enough to pass. All must be: `.all()`, not "
            "`.any()`.",
            lambda w: bool(
                (w >= 0).all() and np.isclose(w.sum(axis=-1), 1).any()
            ),
        ),
        "always": Mistake(
            "The answer is True, whatever the weights are.", lambda w: True
        ),
        "never": Mistake(
            "The answer is False, whatever the weights are.", lambda w: False
        ),
    },
)


check_weight_bytes = Check(
    "weight_bytes(n, num_heads, bytes_each)",
    task="return how many bytes the weights of n tokens need, in all heads.",
    verified="4,000,000 bytes for 1,000 tokens, and three other sizes.",
    reference=lambda n, num_heads, bytes_each: n * n * num_heads * bytes_each,
    parts="bytes",
    cases=[(7, 3, 8), (1000, 1, 4), (1024, 12, 4), (16384, 1, 2)],
    mistakes={
        "not_squared": Mistake(
            "The weights are a matrix: every query has a weight for every "
            "key, n times n.",
            lambda n, h, b: n * h * b,
        ),
        "doubled": Mistake(
            "This is 2 times n. The weights are a matrix, n times n: `n * n`.",
            lambda n, h, b: 2 * n * h * b,
        ),
        "not_a_power": Mistake(
            "In Python `^` is not a power, but works on single bits. Write "
            "`n**2` or `n * n`.",
            lambda n, h, b: (n ^ 2) * h * b,
            lambda n, h, b: h * b * n ^ 2,
            lambda n, h, b: n ^ 2 * h * b,
        ),
        "numbers_only": Mistake(
            "These are numbers, not bytes: multiply by the bytes of each.",
            lambda n, h, b: n * n * h,
        ),
        "heads_ignored": Mistake(
            "Every head has weights of its own: multiply by their number.",
            lambda n, h, b: n * n * b,
        ),
        "heads_divided": Mistake(
            "Heads divide the width, not the weights: every head compares "
            "all tokens with all. Multiply by their number.",
            lambda n, h, b: n * n * b / h,
            lambda n, h, b: n * n * b // h,
            lambda n, h, b: (n // h) ** 2 * h * b,
            lambda n, h, b: (n / h) ** 2 * h * b,
        ),
        "bits": Mistake(
            "These are bits. A byte has 8; bytes are asked for.",
            lambda n, h, b: n * n * h * b * 8,
        ),
        "half": Mistake(
            "Only one triangle is counted. A causal mask makes half of the "
            "weights zero, but they are stored all the same.",
            lambda n, h, b: n * (n + 1) // 2 * h * b,
            lambda n, h, b: n * n * h * b / 2,
        ),
        "megabytes": Mistake(
            "These are kilobytes or megabytes. Return bytes, without a "
            "division.",
            *(
                lambda n, h, b, unit=unit: n * n * h * b / unit
                for unit in (1e3, 2**10, 1e6, 2**20)
            ),
        ),
    },
)
