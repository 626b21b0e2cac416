"""Exercises of chapter 1: looking things up, exactly and softly."""

import numpy as np

from attnlib.ops import softmax
from coursekit.checks import Answer, Check, Mistake, numbers
from coursekit.exercises import say

__all__ = [
    "check_hard_lookup",
    "check_sat_weights",
    "check_share_out",
    "check_slow_lookup",
    "check_top_keys",
]

KEYS = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
VALUES = np.array([[0.0, 0.0], [3.0, 1.0], [0.0, 3.0]])

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
    "The scores are divided by a square root in place of the temperature. "
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


check_hard_lookup = Check(
    "hard_lookup(query, keys, values)",
    task="return the value whose key has the largest dot product with "
    "`query`.",
    verified="the value of the best match, for four queries; one has "
    "negative scores only.",
    right="""
def hard_lookup(query, keys, values):
    scores = keys @ query
    best = np.argmax(scores)
    return values[best]
""",
    parts="value",
    cases=[
        (
            np.array([1.0, -1.0]),
            np.array([[0.5, -1.0], [2.0, 0.0], [0.0, 3.0], [3.0, 3.0]]),
            np.array([[1.0, 4.0], [3.0, 1.0], [5.0, 0.0], [2.0, 2.0]]),
        ),
        (
            np.array([1.0, 2.0]),
            np.array([[0.0, -2.0], [-4.0, 1.0], [-1.0, 0.0]]),
            np.array([[1.0, 0.0], [2.0, 5.0], [0.0, 3.0]]),
        ),
        (
            np.array([1.0, 1.0, 0.0]),
            np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 3.0], [2.1, 0.0, -1.0]]),
            np.array([[10.0, 0.0], [5.0, 5.0], [0.0, 10.0]]),
        ),
        (
            np.array([-1.0, 2.0]),
            np.array([[-1.0, 4.0], [3.0, -2.0], [-1.0, 1.0]]),
            np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 0.0], [1.0, 1.0, 5.0]]),
        ),
    ],
    mistakes={
        "smallest": Mistake(
            "This is the value of the *worst* match. Take `np.argmax`, not "
            "`np.argmin`.",
            {"argmax": "argmin"},
        ),
        "key_returned": Mistake(
            "This is the key of the best match. Return the value in the "
            "same row.",
            {"values[best]": "keys[best]"},
        ),
        "index_returned": Mistake(
            "This is the number of the best row. Use it as an index: "
            "`values[...]`.",
            {"values[best]": "best"},
        ),
        "max_for_argmax": Mistake(
            "`max` gives the largest score, which is no row number. "
            "`np.argmax` gives its place: `values[np.argmax(scores)]`.",
            {"argmax": "max"},
            {"values[best]": "values[int(scores.max())]"},
        ),
        "score_returned": Mistake(
            "This is the largest score. Find its place, with `np.argmax`, "
            "and return the value there.",
            {"values[best]": "scores[best]"},
        ),
        "values_for_keys": Mistake(
            say.VALUES_FOR_KEYS,
            {"keys @ query": "values @ query"},
        ),
        "longest_key": Mistake(
            "The query has no effect: this is the value of the longest key. "
            "The score is the dot product of key and query.",
            {"keys @ query": "(keys**2).sum(axis=-1)"},
        ),
        "nearest_key": Mistake(
            "This is the value of the key that lies *nearest* to the query. "
            "The best match has the largest dot product, `keys @ query`, "
            "which also counts how long a key is.",
            {"keys @ query": "-((keys - query) ** 2).sum(axis=-1)"},
        ),
        "cosine": Mistake(
            "The keys are divided by their lengths. The score is the plain "
            "dot product, `keys @ query`: a longer key counts for more.",
            {"@ query": "@ query / np.linalg.norm(keys, axis=-1)"},
        ),
        "absolute": Mistake(
            "The sign of the scores is lost: a key that points away from the "
            "query wins. The exercise asks for the largest score, not the "
            "largest size.",
            {"keys @ query": "abs(keys @ query)"},
        ),
        "zero_start": Mistake(
            "Negative scores never win. If all scores are negative, the "
            "largest of them is still the best: start at `-np.inf`, not at "
            "0, or use `np.argmax`.",
            {"keys @ query": "np.maximum(keys @ query, 0)"},
        ),
        "last_skipped": Mistake(
            "The last key is never looked at: `range(len(keys))` already "
            "ends before `len(keys)`.",
            {"keys @ query": "keys[:-1] @ query"},
        ),
        "soft": Mistake(
            "This is the soft lookup, a mixture, even if the temperature is "
            "low. The hard one returns one value as it is.",
            {"values[best]": "al.softmax(scores) @ values"},
            {"values[best]": "al.softmax(scores / 0.1) @ values"},
            {"values[best]": "al.softmax(scores / 0.01) @ values"},
        ),
    },
)


check_share_out = Check(
    "share_out(scores, temperature)",
    task="turn `scores` into weights that sum to one: powers of e, each "
    "divided by the sum of all.",
    verified="the weights are those of the softmax, at temperatures of 1, "
    "0.5 and 3.",
    right="""
def share_out(scores, temperature):
    powers = np.exp(scores / temperature)
    return powers / powers.sum()
""",
    parts="weights",
    without="softmax",
    cases=[
        (np.array([0.0, 2.0, 1.0]), 1.0),
        (np.array([0.0, 2.0, 1.0]), 0.5),
        (numbers(6, 5), 3.0),
    ],
    mistakes={
        "temperature_ignored": Mistake(
            TEMPERATURE_IGNORED, {" / temperature": ""}
        ),
        "temperature_multiplied": Mistake(
            TEMPERATURE_MULTIPLIED, {"/ temp": "* temp"}
        ),
        "temperature_after": Mistake(
            TEMPERATURE_AFTER,
            {" / temperature": "", ".sum()": ".sum() / temperature"},
        ),
        "root_for_temperature": Mistake(
            ROOT_FOR_TEMPERATURE,
            {"temperature)\n": "np.sqrt(len(scores)))\n"},
        ),
        "not_normalised": Mistake(
            say.NOT_NORMALISED,
            {" / powers.sum()": ""},
        ),
        "largest_is_one": Mistake(
            "The powers are divided by the largest of them. Divide by their "
            "*sum*.",
            {"sum()": "max()"},
        ),
        "no_exponential": Mistake(
            say.NO_EXPONENTIAL,
            {"np.exp(scores / temperature)": "scores"},
        ),
        "sign": Mistake(say.SIGN, {"exp(": "exp(-"}),
        "base_two": Mistake(
            "These are powers of 2. Use powers of e: `np.exp`.",
            {"np.exp": "np.exp2"},
        ),
        "percent": Mistake(
            "These are percentages. Weights are shares of one.",
            {"powers /": "100 * powers /"},
        ),
        "twice": Mistake(
            "The softmax runs twice, on weights that are ready. Divide the "
            "powers by their sum, once.",
            {
                "return": "powers = np.exp(powers / powers.sum())\n    return",
            },
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
            "`np.argsort` in place of `np.sort`.",
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


check_slow_lookup = Check(
    "slow_lookup(queries, keys, values, temperature)",
    task="loop over the queries, and return one mixture of the values for "
    "each.",
    verified="the mixtures for 2, 3 and 5 queries, with widths that all "
    "differ.",
    right="""
def slow_lookup(queries, keys, values, temperature):
    mixtures = []
    for query in queries:
        scores = [sum(query * key) for key in keys]
        powers = [np.exp(s / temperature) for s in scores]
        total = sum(powers)
        mixture = np.zeros(values.shape[1])
        for power, value in zip(powers, values):
            mixture += power / total * value
        mixtures.append(mixture)
    return np.array(mixtures)
""",
    parts="mixtures",
    loop=True,
    without="@ al",
    cases=[
        (np.array([[1.0, 0.0], [0.5, 1.0]]), KEYS, VALUES, 1.0),
        (numbers(13, 3, 2), numbers(14, 5, 2), numbers(15, 5, 7), 0.5),
        (numbers(16, 5, 3), numbers(17, 3, 3), numbers(18, 3, 3), 2.0),
    ],
    mistakes={
        "temperature_ignored": Mistake(
            TEMPERATURE_IGNORED, {"s / temperature": "s"}
        ),
        "temperature_multiplied": Mistake(
            TEMPERATURE_MULTIPLIED, {"s / temp": "s * temp"}
        ),
        "temperature_after": Mistake(
            TEMPERATURE_AFTER,
            {"s / temperature": "s", "/ total": "/ total / temperature"},
        ),
        "root_for_temperature": Mistake(
            ROOT_FOR_TEMPERATURE,
            {"s / temperature": "s / np.sqrt(len(query))"},
        ),
        "scaled": Mistake(
            "The scores are divided by the square root of d_k too. Here the "
            "temperature takes that place.",
            {"/ temperature": "/ temperature / np.sqrt(len(query))"},
        ),
        "wrong_axis": Mistake(
            say.WRONG_AXIS,
            {
                "power / total": "power / share",
                "for power, value in zip(powers, values):": (
                    "for key, power, value in zip(keys, powers, values):\n"
                    "            share = sum(np.exp(queries @ key "
                    "/ temperature))"
                ),
            },
        ),
        "not_transposed": Mistake(
            say.NOT_TRANSPOSED,
            {"[sum(query * key) for key in keys]": "query @ keys"},
            {
                "[sum(query * key) for key in keys]": "query @ keys",
                "powers, values)": "powers, values, strict=True)",
            },
        ),
        "values_for_keys": Mistake(
            say.VALUES_FOR_KEYS, {"for key in keys": "for key in values"}
        ),
        "keys_for_values": Mistake(
            say.KEYS_FOR_VALUES,
            {"zip(powers, values)": "zip(powers, keys)", "values.": "keys."},
        ),
        "no_softmax": Mistake(
            say.NO_SOFTMAX,
            {"np.exp(s / temperature)": "s / temperature", " / total": ""},
        ),
        "not_normalised": Mistake(
            say.NOT_NORMALISED,
            {" / total": ""},
            {" / total": "", "np.exp(s ": "np.exp((s - max(scores)) "},
        ),
        "accumulates": Mistake(
            "From the second query on, the earlier results are still in the "
            "sum. Start with zeros for *each* query, inside the loop.",
            {
                "mixtures = []": "mixtures, mixture = [], 0",
                "        mixture = np.zeros(values.shape[1])\n": "",
                "mixture += power / total * value": (
                    "mixture = mixture + power / total * value"
                ),
            },
            {
                "mixtures = []": "mixtures, mixture = [], 0",
                "        mixture = np.zeros(values.shape[1])\n": "",
                "mixture += power / total": "mixture = mixture + power",
                "append(mixture)": "append(mixture / total)",
            },
        ),
        "one_row": Mistake(
            "Only one query is answered. Collect one result for each, and "
            "return them all: is the `return` inside the loop?",
            {"np.array(mixtures)": "mixtures[0]"},
            {"np.array(mixtures)": "mixtures[-1]"},
            {"    return np": "        return np"},
        ),
        "total_grows": Mistake(
            "From the second query on, the powers are divided by too much: "
            "the sum still holds those of earlier queries. Reset it inside "
            "the loop.",
            {
                "mixtures = []": "mixtures, total = [], 0",
                "total = sum(": "total += sum(",
            },
        ),
        "powers_kept": Mistake(
            "From the second query on, the list of powers still holds those "
            "of earlier queries. Start a new list for *each* query, inside "
            "the loop.",
            {
                "mixtures = []": "mixtures, powers = [], []",
                "powers = [np": "powers += [np",
            },
            {
                "mixtures = []": "mixtures, powers = [], []",
                "powers = [np": "powers += [np",
                "powers, values)": "powers, values, strict=True)",
            },
        ),
        "one_array": Mistake(
            "All rows are the same array: it is made once, and every query "
            "adds to it. Make a new one for *each* query, with `np.zeros` "
            "inside the loop.",
            {
                "        mixture = np.zeros(values.shape[1])\n": "",
                "    mixtures = []": (
                    "    mixtures = []\n"
                    "    mixture = np.zeros(values.shape[1])"
                ),
            },
        ),
        "last_key_only": Mistake(
            "Only the last key's share is left: `=` forgets what came "
            "before. Add the shares up, with `+=`.",
            {"mixture +=": "mixture ="},
        ),
        "hard": Mistake(
            "This is the hard lookup: one value for each query. Mix all "
            "values, each with its weight.",
            {"append(mixture)": "append(values[np.argmax(scores)])"},
        ),
    },
)
