"""Arguments of explorers: clean arrays and words, or a clear error."""

import operator

import numpy as np

import coursekit.explorers.frames as fr
from attnlib._validate import as_array, as_floats, as_number
from coursekit.explorers.controls import TrainingSteps

__all__ = [
    "ROUNDING",
    "check_distributions",
    "check_shares",
    "given",
    "integers",
    "listed",
    "matrices",
    "menu",
    "names_of",
    "nothing",
    "one_row",
    "positive",
    "query_names",
    "steps_of",
]

# Numbers are written in full, so larger ones would not fit on a page; and
# the products of two of them stay far from overflow.
LARGEST = 1e6
ROUNDING = 0.01  # weights may have been rounded to two or three digits


def nothing(*arguments):
    """Say whether all are missing: only then may an explorer make some up."""
    return all(argument is None for argument in arguments)


def given(name, value):
    """Return the value, which must not be missing."""
    if value is None:
        raise ValueError(
            f"{name} is missing: pass it as well, or leave the others out too"
        )
    return value


def listed(name, values):
    """Return the values as a list; a number or a str is not one."""
    kind = type(given(name, values)).__name__
    try:
        entries = None if isinstance(values, str) else list(values)
    except TypeError:
        entries = None
    if entries is None:
        raise TypeError(f"{name} must be a list, got {kind}")
    if not entries:
        raise ValueError(f"{name} is empty: at least one entry is needed")
    return entries


def matrices(**arrays):
    """Return the arrays as float64 matrices of numbers that fit on a page."""
    for name, x in arrays.items():
        given(name, x)
    clean, _ = as_floats(**arrays)
    for name, x in zip(arrays, clean, strict=True):
        if x.ndim != 2:
            raise ValueError(f"{name} must be a matrix, got shape {x.shape}")
        if not np.isfinite(x).all():
            raise ValueError(f"{name} {x.shape} contains nan or infinity")
        if abs(x).max() > LARGEST:
            raise ValueError(
                f"{name} {x.shape} contains numbers up to {abs(x).max():.3g}: "
                f"at most {LARGEST:,.0f} fits on a page"
            )
    return [x.astype(np.float64) for x in clean]


def one_row(name, x):
    """Return a vector as a matrix of one row."""
    return np.atleast_2d(as_array(name, given(name, x)))


def check_shares(name, x):
    """Refuse numbers that cannot be probabilities."""
    if not ((x >= 0) & (x <= 1 + ROUNDING)).all():
        raise ValueError(
            f"{name} must lie between 0 and 1, got shape {x.shape} with "
            f"numbers from {x.min():.3g} to {x.max():.3g}"
        )


def check_distributions(name, x):
    """Refuse rows (the last axis) that are not weights: they sum to 1."""
    check_shares(name, x)
    total = x.sum(axis=-1)
    wrong = np.argwhere(abs(total - 1) > ROUNDING)
    if len(wrong):
        place = tuple(wrong[0].tolist())
        raise ValueError(
            f"{name} must sum to 1 in each row, but row {list(place)} of "
            f"shape {x.shape} sums to {total[place]:.3g}"
        )


def names_of(tokens, n, name="tokens"):
    """Return n words; numbers if there are none."""
    if tokens is None:
        return [str(i) for i in range(n)]
    tokens = [str(token) for token in listed(name, tokens)]
    if len(tokens) != n:
        raise ValueError(f"{name} must hold {n} words, got {len(tokens)}")
    return tokens


def query_names(words, q):
    """Return a name for each query: the keys' names if there are as many."""
    return names_of(words if len(words) == len(q) else None, len(q))


def integers(name, values):
    """Return the values as a list of ints."""
    values = listed(name, values)
    try:
        return [operator.index(value) for value in values]
    except TypeError:
        raise TypeError(f"{name} must be integers, got {values}") from None


def positive(name, values):
    """Return positive numbers, none so extreme that scores overflow."""
    values = listed(name, values)
    for x in values:
        if not 1e-6 <= as_number(name, x) <= 1e6:
            raise ValueError(f"{name} must be from 1e-6 to 1e6, got {x}")
    return values


def steps_of(steps):
    """Return steps of training, ints; a slider needs them in order."""
    steps = integers("steps", steps)
    if steps != sorted(set(steps)):
        raise ValueError(f"steps must increase, got {steps}")
    return TrainingSteps(steps)


def menu(words):
    """Return options that are positions, labelled with the words."""
    return {name: i for i, name in enumerate(fr.distinct(words))}
