"""Checks of chapter 1: weights, made of scores and read."""

import numpy as np

import coursekit.checks.mistakes as say
from attnlib.ops import softmax
from coursekit.checks.engine import Answer, Check, Mistake, numbers

__all__ = [
    "check_sat_weights",
    "check_share_out",
    "check_top_keys",
]

KEYS = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
TEMPERATURE_IGNORED = (
    "The temperature has no effect. Divide the scores by it, before the "
    "exponential."
)
TEMPERATURE_MULTIPLIED = (
    "The scores are multiplied by the temperature. Divide by it: a high "
    "temperature brings the scores together and makes the weights even."
)
TEMPERATURE_AFTER = (
    "The weights are divided by the temperature, not the scores. Divide "
    "before the exponential; the weights must sum to one."
)


check_sat_weights = Answer(
    "sat_weights",
    task="work out the three weights of the query (0, 1) on paper, and give "
    "them as a list.",
    verified="the scores are 0, 0 and 2, and the weights share the sum of "
    "the powers, 1 + 1 + 7.39.",
    reference=lambda: softmax([0.0, 0.0, 2.0]),
    tolerance=0.015,  # one digit will do
    parts="weights",
    mistakes={
        "scores": Mistake(
            "These are the scores. Take the exponential of each and divide "
            "by their sum.",
            lambda: [0, 0, 2],
        ),
        "not_normalised": Mistake(
            "These are the powers. Divide each by the sum of all three.",
            lambda: np.exp([0, 0, 2]),
        ),
        "hard": Mistake(
            "That is the hard lookup, or the scores divided by their sum. "
            "The soft lookup divides *powers*, 1, 1 and 7.39, by their sum: "
            "every word gets a share.",
            lambda: [0, 0, 1],
        ),
        "old_query": Mistake(
            "These are the weights of the query (1, 0.5). Use (0, 1).",
            lambda: softmax(KEYS @ [1.0, 0.5]),
        ),
        "scaled": Mistake(
            "These are powers of 2, or the scores are divided by the square "
            "root of 2. Use powers of e, 2.718, and the scores as they are. "
            "(The root comes in chapter 2.)",
            lambda: softmax(np.array([0, 0, 2]) / 2**0.5),
            lambda: [1 / 6, 1 / 6, 4 / 6],
        ),
    },
)


check_share_out = Check(
    "share_out(scores, temperature)",
    task="turn `scores` into weights that sum to one: powers of e, each "
    "divided by the sum of all.",
    verified="the weights are those of the softmax, at temperatures of 1, "
    "0.5 and 3.",
    reference=lambda scores, temperature: softmax(scores / temperature),
    parts="weights",
    cases=[
        (np.array([0.0, 2.0, 1.0]), 1.0),
        (np.array([0.0, 2.0, 1.0]), 0.5),
        (numbers(6, 5), 3.0),
    ],
    mistakes={
        "temperature_ignored": Mistake(
            TEMPERATURE_IGNORED, lambda scores, temperature: softmax(scores)
        ),
        "temperature_multiplied": Mistake(
            TEMPERATURE_MULTIPLIED,
            lambda scores, temperature: softmax(scores * temperature),
        ),
        "temperature_after": Mistake(
            TEMPERATURE_AFTER,
            lambda scores, temperature: softmax(scores) / temperature,
        ),
        "not_normalised": Mistake(
            say.NOT_NORMALISED,
            lambda scores, temperature: np.exp(scores / temperature),
        ),
        "largest_is_one": Mistake(
            "The powers are divided by the largest of them. Divide by their "
            "*sum*.",
            lambda scores, temperature: np.exp(
                (scores - scores.max()) / temperature
            ),
        ),
        "no_exponential": Mistake(
            say.NO_EXPONENTIAL,
            lambda scores, temperature: scores / scores.sum(),
        ),
        "sign": Mistake(
            say.SIGN,
            lambda scores, temperature: softmax(-scores / temperature),
        ),
        "base_two": Mistake(
            "These are powers of 2. Use powers of e: `np.exp`.",
            lambda scores, temperature: softmax(
                scores / temperature * np.log(2)
            ),
        ),
    },
)


# So many that `np.argpartition` does not sort them by the way.
_MANY = np.random.default_rng(31).permutation(1200).reshape(2, 600)

check_top_keys = Check(
    "top_keys(weights, count)",
    task="return, for each query, the numbers of the `count` keys with the "
    "largest weights, the largest first.",
    verified="the right keys in the right order, for 2, 3 and 5 queries, and "
    "for 600 keys.",
    reference=lambda weights, count: np.argsort(-weights)[:, :count],
    parts="keys",
    cases=[
        (np.array([[0.1, 0.4, 0.3, 0.2, 0.0], [0.5, 0.1, 0.3, 0, 0.1]]), 2),
        (np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.1, 0.7, 0.2]]), 1),
        (softmax(numbers(19, 5, 7) + np.arange(7) / 70), 3),
        (_MANY / _MANY.sum(axis=-1, keepdims=True), 200),
    ],
    mistakes={
        "ascending": Mistake(
            "The right keys, but the smallest of them first. Reverse the "
            "order.",
            lambda w, count: np.argsort(w)[:, -count:],
        ),
        "smallest": Mistake(
            "These are the keys with the *smallest* weights: `np.argsort` "
            "sorts upwards. Sort `-weights`, or take the last ones.",
            lambda w, count: np.argsort(w)[:, :count],
        ),
        "rows_reversed": Mistake(
            "`[::-1]` reverses the rows, so that the queries change places. "
            "Reverse the columns: `[:, ::-1]`.",
            lambda w, count: np.argsort(w)[::-1][:, :count],
            lambda w, count: np.argsort(w)[::-1, :count],
        ),
        "wrong_axis": Mistake(
            "The columns are sorted: this ranks the queries for each key. "
            "Sort each row, `axis=-1`.",
            lambda w, count: np.argsort(-w, axis=0)[:, :count],
            lambda w, count: np.argsort(-w, axis=0)[:count].T,
            lambda w, count: np.argsort(-w, axis=0)[:count],
        ),
        "weights_returned": Mistake(
            "These are the weights. Return the numbers of the keys: "
            "`np.argsort` in place of `np.sort`.",
            lambda w, count: -np.sort(-w)[:, :count],
        ),
        "rows_kept": Mistake(
            "`[:count]` keeps the first rows, the first queries. Keep the "
            "first columns of every row: `[:, :count]`.",
            lambda w, count: np.argsort(-w)[:count],
            lambda w, count: np.argsort(w)[:, ::-1][:count],
        ),
        "all_keys": Mistake(
            "These are all keys. Keep the first `count` columns.",
            lambda w, count: np.argsort(-w),
        ),
        "not_sorted": Mistake(
            "These are the right keys, but not in order. `np.argpartition` "
            "only puts the larger ones before the smaller ones: sort with "
            "`np.argsort`.",
            lambda w, count: np.argpartition(-w, count - 1)[:, :count],
            lambda w, count: np.argpartition(-w, count)[:, :count],
        ),
        "best_skipped": Mistake(
            "The best key is left out: start at column 0.",
            lambda w, count: np.argsort(-w)[:, 1 : count + 1],
        ),
    },
)
