"""Exercises of chapter 1: looking things up, exactly and softly."""

import numpy as np

from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises import say
from coursekit.exercises.intuition import (
    KEYS,
    ROOT_FOR_TEMPERATURE,
    TEMPERATURE_AFTER,
    TEMPERATURE_IGNORED,
    TEMPERATURE_MULTIPLIED,
)

__all__ = ["check_hard_lookup", "check_slow_lookup"]

VALUES = np.array([[0.0, 0.0], [3.0, 1.0], [0.0, 3.0]])


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
