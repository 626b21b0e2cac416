"""Checks of chapter 1: looking things up, exactly and softly."""

from functools import partial

import numpy as np

import coursekit.checks.mistakes as say
from attnlib.ops import softmax
from coursekit.checks.engine import Check, Mistake, numbers
from coursekit.checks.intuition import (
    KEYS,
    TEMPERATURE_AFTER,
    TEMPERATURE_IGNORED,
    TEMPERATURE_MULTIPLIED,
)
from coursekit.checks.variants import attend, variants

__all__ = ["check_hard_lookup", "check_slow_lookup"]

VALUES = np.array([[0.0, 0.0], [3.0, 1.0], [0.0, 3.0]])


def _lengths(keys):
    return np.sqrt((keys**2).sum(axis=-1))


def _hard(score):
    """Return the value whose key has the largest score."""
    return lambda query, keys, values: values[np.argmax(score(query, keys))]


def _soft(temperature):
    return lambda query, keys, values: (
        softmax(keys @ query / temperature) @ values
    )


check_hard_lookup = Check(
    "hard_lookup(query, keys, values)",
    task="return the value whose key has the largest dot product with "
    "`query`.",
    verified="the value of the best match, for four queries; one has "
    "negative scores only.",
    reference=_hard(lambda query, keys: keys @ query),
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
            _hard(lambda query, keys: -keys @ query),
        ),
        "key_returned": Mistake(
            "This is the key of the best match. Return the value in the "
            "same row.",
            lambda query, keys, values: keys[np.argmax(keys @ query)],
        ),
        "index_returned": Mistake(
            "This is the number of the best row. Use it as an index: "
            "`values[...]`.",
            lambda query, keys, values: np.argmax(keys @ query),
        ),
        "score_returned": Mistake(
            "This is the largest score. Find its place, with `np.argmax`, "
            "and return the value there.",
            lambda query, keys, values: np.max(keys @ query),
        ),
        "values_for_keys": Mistake(
            say.VALUES_FOR_KEYS,
            lambda query, keys, values: values[np.argmax(values @ query)],
        ),
        "longest_key": Mistake(
            "The query has no effect: this is the value of the longest key. "
            "The score is the dot product of key and query.",
            _hard(lambda query, keys: _lengths(keys)),
        ),
        "nearest_key": Mistake(
            "This is the value of the key that lies *nearest* to the query. "
            "The best match has the largest dot product, `keys @ query`, "
            "which also counts how long a key is.",
            _hard(lambda query, keys: -_lengths(keys - query)),
        ),
        "cosine": Mistake(
            "The keys are divided by their lengths. The score is the plain "
            "dot product, `keys @ query`: a longer key counts for more.",
            _hard(lambda query, keys: keys @ query / _lengths(keys)),
        ),
        "absolute": Mistake(
            "The sign of the scores is lost: a key that points away from the "
            "query wins. The largest score is asked for, not the largest "
            "size.",
            _hard(lambda query, keys: abs(keys @ query)),
        ),
        "zero_start": Mistake(
            "Negative scores never win. If all scores are negative, the "
            "largest of them is still the best: start at `-np.inf`, not at "
            "0, or use `np.argmax`.",
            _hard(lambda query, keys: np.maximum(keys @ query, 0)),
        ),
        "last_skipped": Mistake(
            "The last key is never looked at: `range(len(keys))` already "
            "ends before `len(keys)`.",
            _hard(lambda query, keys: keys[:-1] @ query),
        ),
        "soft": Mistake(
            "This is the soft lookup, a mixture, even if the temperature is "
            "low. The hard one returns one value as it is.",
            *map(_soft, (1, 0.1, 0.01)),
        ),
    },
)


def _at(temperature):
    return {"factor": lambda q, k: 1 / temperature}


def _lookup(wrong):
    """Let an attention take a temperature in place of a mask."""
    return lambda q, k, v, temperature: wrong(q, k, v, **_at(temperature))


_TEMPERATURE = {
    "temperature_ignored": Mistake(
        TEMPERATURE_IGNORED, lambda q, k, v, t: attend(q, k, v, **_at(1))
    ),
    "temperature_multiplied": Mistake(
        TEMPERATURE_MULTIPLIED,
        lambda q, k, v, t: attend(q, k, v, **_at(1 / t)),
    ),
    "temperature_after": Mistake(
        TEMPERATURE_AFTER,
        lambda q, k, v, t: tuple(x / t for x in attend(q, k, v, **_at(1))),
    ),
    "scaled": Mistake(
        "The scores are divided by the square root of d_k too. Here the "
        "temperature takes that place.",
        lambda q, k, v, t: attend(q, k, v, **_at(t * k.shape[-1] ** 0.5)),
    ),
}


def _first(function):
    return lambda *arguments: function(*arguments)[0]


def _powers_kept(queries, keys, values, temperature, strict=False):
    """Never empty the list of powers."""
    powers, mixtures = [], []
    for query in queries:
        powers += list(np.exp(keys @ query / temperature))
        pairs = zip(powers, values, strict=strict)
        mixtures.append(sum(p / sum(powers) * value for p, value in pairs))
    return mixtures


check_slow_lookup = Check(
    "slow_lookup(queries, keys, values, temperature)",
    task="loop over the queries, and return one mixture of the values for "
    "each.",
    verified="the mixtures for 2, 3 and 5 queries, with widths that all "
    "differ.",
    reference=_first(_lookup(attend)),
    parts="mixtures",
    cases=[
        (np.array([[1.0, 0.0], [0.5, 1.0]]), KEYS, VALUES, 1.0),
        (numbers(13, 3, 2), numbers(14, 5, 2), numbers(15, 5, 7), 0.5),
        (numbers(16, 5, 3), numbers(17, 3, 3), numbers(18, 3, 3), 2.0),
    ],
    mistakes={
        name: Mistake(m.words, *map(_first, m.functions))
        for name, m in (
            _TEMPERATURE
            | variants(
                "wrong_axis not_transposed values_for_keys keys_for_values "
                "no_softmax not_normalised",
                _lookup,
            )
        ).items()
    }
    | {
        "accumulates": Mistake(
            "From the second query on, the earlier results are still in the "
            "sum. Start with zeros for *each* query, inside the loop.",
            lambda q, k, v, t: np.cumsum(_lookup(attend)(q, k, v, t)[0], 0),
            lambda q, k, v, t: (
                np.cumsum((p := np.exp(q @ k.T / t)) @ v, axis=0)
                / p.sum(axis=1, keepdims=True)
            ),
        ),
        "one_row": Mistake(
            "Only one query is answered. Collect one result for each, and "
            "return them all: is the `return` inside the loop?",
            lambda q, k, v, t: _lookup(attend)(q, k, v, t)[0][0],
            lambda q, k, v, t: _lookup(attend)(q, k, v, t)[0][-1],
        ),
        "total_grows": Mistake(
            "From the second query on, the powers are divided by too much: "
            "the sum still holds those of earlier queries. Reset it inside "
            "the loop.",
            lambda q, k, v, t: (
                (p := np.exp(q @ k.T / t))
                / np.cumsum(p.sum(axis=1, keepdims=True), axis=0)
                @ v
            ),
        ),
        "powers_kept": Mistake(
            "From the second query on, the list of powers still holds those "
            "of earlier queries. Start a new list for *each* query, inside "
            "the loop.",
            _powers_kept,
            partial(_powers_kept, strict=True),
        ),
        "one_array": Mistake(
            "All rows are the same array: it is made once, and every query "
            "adds to it. Make a new one for *each* query, with `np.zeros` "
            "inside the loop.",
            lambda q, k, v, t: np.broadcast_to(
                _lookup(attend)(q, k, v, t)[0].sum(axis=0), (len(q), len(v.T))
            ),
        ),
        "last_key_only": Mistake(
            "Only the last key's share is left: `=` forgets what came "
            "before. Add the shares up, with `+=`.",
            lambda q, k, v, t: _lookup(attend)(q, k, v, t)[1][:, -1:] * v[-1],
        ),
        "hard": Mistake(
            "This is the hard lookup: one value for each query. Mix all "
            "values, each with its weight.",
            lambda q, k, v, t: v[np.argmax(q @ k.T, axis=1)],
        ),
    },
)
