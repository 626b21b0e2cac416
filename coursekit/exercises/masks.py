"""Exercises of chapter 2: masks, the rules for weights, and their cost."""

import numpy as np

from coursekit.checks import Check, Mistake
from coursekit.exercises import say

__all__ = ["check_causal_mask", "check_is_attention", "check_weight_bytes"]


check_weight_bytes = Check(
    "weight_bytes(n, num_heads, bytes_each)",
    task="return how many bytes the weights of n tokens need, in all heads.",
    verified="4,000,000 bytes for 1,000 tokens, and three other sizes.",
    right="""
def weight_bytes(n, num_heads, bytes_each):
    return n * n * num_heads * bytes_each
""",
    parts="bytes",
    cases=[(7, 3, 8), (1000, 1, 4), (1024, 12, 4), (16384, 1, 2)],
    mistakes={
        "not_squared": Mistake(
            "The weights are a matrix: every query has a weight for every "
            "key, so there are n times n.",
            {"n * n": "n"},
        ),
        "doubled": Mistake(
            "This counts 2 times n. The weights are a matrix, n times n: "
            "`n * n`.",
            {"n * n": "2 * n"},
        ),
        "not_a_power": Mistake(
            say.NOT_A_POWER,
            {"n * n": "(n ^ 2)"},
            {"n * n": "n ^ 2"},
            {"n * n * num_heads * bytes_each": "num_heads * bytes_each*n ^ 2"},
        ),
        "heads_squared": Mistake(
            "More than n is squared. Only the number of tokens enters twice, "
            "once for the queries and once for the keys: `n**2 * num_heads "
            "* bytes_each`.",
            {"n * n * num_heads": "(n * num_heads) ** 2"},
            {"n * n * num_heads * bytes_each": "(n*num_heads*bytes_each)**2"},
        ),
        "three": Mistake(
            "This is three times too much. Queries, keys and values are "
            "three arrays, but a head has only one array of weights.",
            {"n * n": "3 * n * n"},
        ),
        "numbers_only": Mistake(
            "This is the number of weights. Multiply it by the bytes that "
            "each takes.",
            {" * bytes_each": ""},
        ),
        "four_bytes": Mistake(
            "Every number is taken to have 4 bytes, as in float32. How many "
            "it has is given: multiply by `bytes_each`.",
            {"* bytes_each": "* 4"},
        ),
        "heads_ignored": Mistake(
            "Every head has weights of its own: multiply by the number of "
            "heads.",
            {" * num_heads": ""},
        ),
        "heads_divided": Mistake(
            "Heads divide the width, not the weights: every head compares "
            "all tokens with all. Multiply by the number of heads.",
            {"* num_heads": "/ num_heads"},
            {"* num_heads": "// num_heads"},
            {"* num_heads * bytes_each": "* bytes_each // num_heads"},
            {"n * n": "(n // num_heads) ** 2"},
            {"n * n": "(n / num_heads) ** 2"},
        ),
        "bits": Mistake(
            "This counts bits. Return bytes: `bytes_each` already has the "
            "right unit.",
            {"* bytes_each": "* bytes_each * 8"},
        ),
        "half": Mistake(
            "Only one triangle is counted. A causal mask makes half of the "
            "weights zero, but they are stored all the same.",
            {"n * n": "n * (n + 1) / 2"},
            {"n * n": "n * (n - 1) / 2"},
            {"n * n": "n * n / 2"},
        ),
        "megabytes": Mistake(
            "This is in kilobytes, megabytes or gigabytes. Return bytes, "
            "without a division.",
            *(
                {"* bytes_each": f"* bytes_each / {unit}"}
                for unit in ("1e3", "2**10", "1e6", "2**20", "1e9", "2**30")
            ),
        ),
    },
)


_EVEN = np.full((2, 5), 0.2)
_SUMS = "np.allclose(w.sum(axis=-1), 1)"
_ALL = "bool(finite and positive and sums)"


def _within(tolerance):
    """Return the edit that lets sums be off by so much."""
    return {_SUMS: f"(abs(w.sum(axis=-1) - 1) < {tolerance}).all()"}


check_is_attention = Check(
    "is_attention(weights)",
    task="return True if the weights are finite, none is negative, and each "
    "row sums to one (but for rounding), and False otherwise.",
    verified="five arrays that are weights, and ten that break one of the "
    "rules each.",
    right="""
def is_attention(w):
    finite = np.isfinite(w).all()
    positive = (w >= 0).all()
    sums = np.allclose(w.sum(axis=-1), 1)
    return bool(finite and positive and sums)
""",
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
            "Negative weights pass if the row sums to one, as 1.5 and -0.5 "
            "do. Ask that *no* weight is negative: `(weights >= 0).all()`; "
            "`.any()` is content with one.",
            {"(w >= 0).all()": "True"},
        ),
        "range_only": Mistake(
            "A row passes whatever its sum is. Each row must sum to one: "
            "`np.allclose(weights.sum(axis=-1), 1)`.",
            {_SUMS: "(w <= 1).all()"},
            {_SUMS: "True"},
        ),
        "zero_refused": Mistake(
            "A weight of 0 or 1 is refused, but it is as good as any other. "
            "None may be *negative*: ask for `weights >= 0`, and no more.",
            {"w >= 0": "w > 0"},
        ),
        "negative_passes": Mistake(
            "A negative weight passes if none is above 1. Ask for "
            "`(weights >= 0).all()`.",
            {"w >= 0": "w <= 1"},
        ),
        "loose": Mistake(
            "A row that sums to 1.002 passes. Rounding changes only the last "
            "of some 16 digits: use `np.allclose` without a tolerance of "
            "your own, and do not round.",
            *map(_within, (0.01, 0.15, 0.2, 0.5)),
        ),
        "nan_passes": Mistake(
            "NaN passes. Every comparison with NaN is False, so looking for "
            "what is *too large* or *negative* does not find it: ask for "
            "`np.isfinite(weights).all()`.",
            {
                "np.isfinite(w)": "~np.isinf(w)",
                "(w >= 0).all()": "not (w < 0).any()",
                _SUMS: "not (abs(w.sum(axis=-1) - 1) > 1e-6).any()",
            },
            {
                "np.isfinite(w).all()": "not (w < 0).any()",
                "(w >= 0).all()": "True",
                "w.sum(": "np.nansum(w, ",
            },
        ),
        "columns": Mistake(
            "The sums run over the wrong axis. Rows must sum to one: "
            "`weights.sum(axis=-1)`.",
            {"axis=-1": "axis=0"},
            {"axis=-1": "axis=-2"},
        ),
        "axis_one": Mistake(say.AXIS_ONE, {"axis=-1": "axis=1"}),
        "total": Mistake(
            "All weights are added up together. Too much in one row and too "
            "little in another then cancel: look at each row.",
            {_SUMS: "np.isclose(w.sum(), w[..., 0].size)"},
            {_SUMS: "np.isclose(w.sum(), len(w))"},
            {_SUMS: "np.isclose(w.sum(), 1)"},
        ),
        "exact": Mistake(
            "The sums are compared with `==`. Rounding makes 0.1 + 0.2 + "
            "0.3 + 0.4 or another sum differ from 1 in the last digit: "
            "use `np.allclose`.",
            {_SUMS: "(w.sum(axis=-1) == 1).all()"},
        ),
        "any_row": Mistake(
            "One good row is enough to pass. All must be good: use "
            "`.all()`, not `.any()`.",
            {_SUMS: "np.isclose(w.sum(axis=-1), 1).any()"},
        ),
        "first_row": Mistake(
            "Only the first row decides. Is the `return` inside the loop? "
            "`return True` belongs after it.",
            {"    finite": "    w = w[0]\n    finite"},
            {"    finite": "    w = w[0]\n    finite", "axis=-1": ""},
        ),
        "last_row": Mistake(
            "Only the last row decides: each row's answer replaces the one "
            "before. Return False at the first row that is wrong.",
            {"    finite": "    w = w[-1]\n    finite"},
            {"    finite": "    w = w[-1]\n    finite", "axis=-1": ""},
        ),
        "all_missing": Mistake(
            "`and` needs one yes or no, and here it gets an array of them. "
            "Sum it up with `.all()`.",
            {"np.isfinite(w).all()": "np.isfinite(w)"},
            {"(w >= 0).all()": "(w >= 0)"},
            {_SUMS: "w.sum(axis=-1) == 1"},
            {_SUMS: "np.isclose(w.sum(axis=-1), 1)"},
        ),
        "or_for_and": Mistake(
            "One rule that holds is enough to pass. All must hold: join them "
            "with `and`, not with `or`.",
            {_ALL: "bool(finite or positive or sums)"},
            {_ALL: "bool(positive or sums)"},
        ),
        "one_sided": Mistake(
            "The sums are compared with `<=` or `>=`, so rows that sum to "
            "something else pass. They must *equal* one, but for rounding: "
            "`np.allclose`.",
            {_SUMS: "(w.sum(axis=-1) <= 1).all()"},
            {_SUMS: "(w.sum(axis=-1) >= 1).all()"},
        ),
        "inverted": Mistake(
            "The answers are the wrong way round: True means that the "
            "weights are good.",
            {"return bool": "return not bool"},
        ),
        "always": Mistake(
            "The answer is True, whatever the weights are.", {_ALL: "True"}
        ),
        "never": Mistake(
            "The answer is False, whatever the weights are.", {_ALL: "False"}
        ),
    },
)


_SEEN = "keys <= n_k - n_q + queries"

check_causal_mask = Check(
    "causal_mask(n_q, n_k)",
    task="return a boolean array that is True where the query may attend: "
    "query i sees the keys up to n_k - n_q + i.",
    verified="boolean masks of the right shape, as many queries as keys and "
    "fewer.",
    right="""
def causal_mask(n_q, n_k):
    keys = np.arange(n_k)
    queries = np.arange(n_q)[:, None]
    return keys <= n_k - n_q + queries
""",
    parts="mask",
    cases=[(3, 3), (2, 5), (1, 3), (5, 7)],
    mistakes={
        "inverted": Mistake(
            say.CAUSAL_INVERTED, {"<=": ">"}, {_SEEN: "keys > queries"}
        ),
        "upper": Mistake(
            say.CAUSAL_UPPER, {"<=": ">="}, {_SEEN: "keys >= queries"}
        ),
        "strict": Mistake(
            say.CAUSAL_STRICT, {"<=": "<"}, {_SEEN: "keys < queries"}
        ),
        "one_ahead": Mistake(
            say.CAUSAL_ONE_AHEAD,
            {_SEEN: f"{_SEEN} + 1"},
            {_SEEN: "keys <= queries + 1"},
        ),
        "top_left": Mistake(say.CAUSAL_TOP_LEFT, {_SEEN: "keys <= queries"}),
        "other_way": Mistake(
            "The mask is shifted by n_q - n_k. With more keys than queries "
            "the diagonal must move to the right, by n_k - n_q.",
            {"n_k - n_q": "n_q - n_k"},
        ),
        "keys_ignored": Mistake(
            "The mask has as many columns as there are queries. It needs one "
            "for each key: shape (n_q, n_k).",
            {_SEEN: "np.tri(n_q, dtype=bool)"},
        ),
        "queries_ignored": Mistake(
            "The mask has a row for each key. It needs one for each query: "
            "shape (n_q, n_k). The queries are the *last* tokens.",
            {_SEEN: "np.tri(n_k, dtype=bool)"},
        ),
        "itself_only": Mistake(
            "Every query sees only itself. It may also see all that comes "
            "before it: `<=`, not `==`.",
            {"<=": "=="},
            {_SEEN: "keys == queries"},
        ),
        "axes_swapped": Mistake(
            "Queries and keys change places. Queries are rows, keys are "
            "columns: shape (n_q, n_k).",
            {_SEEN: f"({_SEEN}).T"},
            {_SEEN: "np.tri(n_k, n_q, dtype=bool)"},
        ),
        "no_column": Mistake(
            "Two rows of numbers are compared, entry by entry. To compare "
            "each query with each key, make the queries a column: "
            "`np.arange(n_q)[:, None]`.",
            {"[:, None]": ""},
        ),
        "one_row": Mistake(
            "Only the first row is filled in. Is the `return` inside the "
            "loop?",
            {_SEEN: f"({_SEEN}) & (queries == 0)"},
            {_SEEN: f"({_SEEN}) & (queries == 0) & (keys == 0)"},
        ),
        "additive": Mistake(
            "This is a mask to be added to scores, of 0 and -inf. Return "
            "True where the query may attend, False elsewhere.",
            {_SEEN: f"np.where({_SEEN}, 0, -np.inf)"},
            {_SEEN: f"np.where({_SEEN}, 0, -1e9)"},
        ),
        "nothing_hidden": Mistake(
            say.CAUSAL_MISSING, {_SEEN: "np.ones((n_q, n_k), bool)"}
        ),
    },
)
