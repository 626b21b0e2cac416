"""Exercises of chapter 1: weights, made of scores and read."""

import numpy as np

from attnlib.ops import softmax
from coursekit.checks import Answer, Check, Mistake, numbers

__all__ = [
    "check_needed_lead",
    "check_sat_weights",
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
ROOT_FOR_TEMPERATURE = (
    "The scores are divided by a square root instead of the temperature. "
    "That scale comes in chapter 2; here, divide by `temperature`."
)


check_sat_weights = Answer(
    "sat_weights",
    task="work out the three weights of the query (0, 1) on paper, and give "
    "them as a list.",
    verified="the scores are 0, 0 and 2, and the weights share the sum of "
    "the powers, 1 + 1 + 7.39.",
    right=softmax([0.0, 0.0, 2.0]),
    tolerance=0.015,  # one digit will do
    parts="weights",
    mistakes={
        "scores": Mistake(
            "These are the scores. Take the exponential of each and divide "
            "by their sum.",
            [0, 0, 2],
        ),
        "not_normalised": Mistake(
            "These are the powers. Divide each by the sum of all three.",
            np.exp([0, 0, 2]),
        ),
        "hard": Mistake(
            "That is the hard lookup, or the scores divided by their sum. "
            "The soft lookup divides *powers*, 1, 1 and 7.39, by their sum: "
            "every word gets a share.",
            [0, 0, 1],
        ),
        "percent": Mistake(
            "These are percentages. Give shares of one: 0.5, not 50.",
            100 * softmax([0.0, 0.0, 2.0]),
            [10.7, 10.7, 78.7],
            [11, 11, 79],
        ),
        "old_query": Mistake(
            "These are the weights of the query (1, 0.5). Use (0, 1).",
            softmax(KEYS @ [1.0, 0.5]),
        ),
        "scaled": Mistake(
            "These are powers of 2, or the scores are divided by the square "
            "root of 2. Use powers of e, 2.718, and the scores as they are. "
            "(The root comes in chapter 2.)",
            softmax(np.array([0, 0, 2]) / 2**0.5),
            [1 / 6, 1 / 6, 4 / 6],
        ),
    },
)


check_needed_lead = Check(
    "needed_lead(n, share)",
    task="return the score at which one of n keys gets the weight `share`, "
    "when the others all score 0.",
    verified="the lead for 16, 256 and 4,096 keys, and for three shares; a "
    "softmax of such scores gives back the share.",
    right="""
def needed_lead(n, share):
    return np.log(share / (1 - share) * (n - 1))
""",
    parts="lead",
    cases=[(16, 0.9), (256, 0.9), (4096, 0.5), (10, 0.75)],
    mistakes={
        "itself_counted": Mistake(
            "The needed key is one of the n, so there are only n - 1 others.",
            {"(n - 1)": "n"},
        ),
        "share_only": Mistake(
            "This makes the power of the needed key `share` times the sum of "
            "the *others*. The weight is its share of the sum of *all*: solve "
            "power / (power + n - 1) = share.",
            {"share / (1 - share)": "share"},
        ),
        "upside_down": Mistake(
            "The fraction is upside down: a larger share needs a larger lead. "
            "Use share / (1 - share).",
            {"share / (1 - share)": "(1 - share) / share"},
        ),
        "one_other": Mistake(
            "This is the lead over one other key. There are n - 1 of them, "
            "and each takes a power of 1.",
            {" * (n - 1)": ""},
        ),
        "divided": Mistake(
            "More keys must need a larger lead, not a smaller one: multiply "
            "by n - 1.",
            {"* (n - 1)": "/ (n - 1)"},
        ),
        "no_logarithm": Mistake(
            "This is the power, e to the score. Its logarithm, `np.log`, is "
            "the score.",
            {"np.log(": "("},
        ),
        "wrong_base": Mistake(
            "This is a logarithm to another base. The softmax uses powers of "
            "e, so take `np.log`.",
            {"np.log(": "np.log2("},
            {"np.log(": "np.log10("},
        ),
        "sign": Mistake(
            "The sign is wrong: this score would push the key *below* the "
            "others.",
            {"np.log(": "-np.log("},
        ),
    },
)


# So many that `np.argpartition` does not sort them by accident.
_MANY = np.random.default_rng(31).permutation(1200).reshape(2, 600)

check_top_keys = Check(
    "top_keys(weights, count)",
    task="return, for each query, the numbers of the `count` keys with the "
    "largest weights, the largest first.",
    verified="the right keys in the right order, for 2, 3 and 5 queries, and "
    "for 600 keys.",
    right="""
def top_keys(weights, count):
    order = np.argsort(-weights, axis=-1)
    return order[:, :count]
""",
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
            {":count]": ":count][:, ::-1]"},
        ),
        "smallest": Mistake(
            "These are the keys with the *smallest* weights: `np.argsort` "
            "sorts upwards. Sort `-weights`, or take the last ones.",
            {"-weights": "weights"},
        ),
        "rows_reversed": Mistake(
            "`[::-1]` reverses the rows, so that the queries change places. "
            "Reverse the columns: `[:, ::-1]`.",
            {"-weights": "weights", "order[:,": "order[::-1,"},
        ),
        "wrong_axis": Mistake(
            "The columns are sorted: this ranks the queries for each key. "
            "Sort each row, `axis=-1`.",
            {"axis=-1": "axis=0"},
            {"axis=-1": "axis=0", "order[:, :count]": "order[:count].T"},
            {"axis=-1": "axis=0", "order[:, :count]": "order[:count]"},
        ),
        "weights_returned": Mistake(
            "These are the weights. Return the numbers of the keys: "
            "`np.argsort` instead of `np.sort`.",
            {"np.argsort": "-np.sort"},
        ),
        "rows_kept": Mistake(
            "`[:count]` keeps the first rows, the first queries. Keep the "
            "first columns of every row: `[:, :count]`.",
            {"[:, :count]": "[:count]"},
            {"-weights": "weights", "[:, :count]": "[:, ::-1][:count]"},
        ),
        "all_keys": Mistake(
            "These are all keys. Keep the first `count` columns.",
            {"[:, :count]": ""},
        ),
        "one_key": Mistake(
            "This is one key for each query. The exercise asks for `count` "
            "of them: sort, with `np.argsort`.",
            {"[:, :count]": "[:, 0]"},
            {"[:, :count]": "[:, count - 1]"},
            {"[:, :count]": "[:, count]"},
        ),
        "not_sorted": Mistake(
            "These are the right keys, but not in order. `np.argpartition` "
            "only puts the larger ones before the smaller ones: sort with "
            "`np.argsort`.",
            {"argsort(-weights": "argpartition(-weights, count - 1"},
            {"argsort(-weights": "argpartition(-weights, count"},
        ),
        "best_skipped": Mistake(
            "The best key is left out: start at column 0.",
            {":count]": "1 : count + 1]"},
        ),
    },
)
