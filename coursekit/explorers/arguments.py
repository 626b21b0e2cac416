"""Arguments of explorers: clean arrays and words, or a clear error."""

import operator

import numpy as np

import coursekit.explorers.frames as fr
from attnlib._validate import as_array, as_floats

__all__ = [
    "check_weights",
    "given",
    "integers",
    "listed",
    "matrices",
    "menu",
    "names_of",
    "nothing",
    "one_row",
    "steps_of",
]


def nothing(*arguments):
    """Say whether all are missing: only then may an explorer make some up."""
    return all(argument is None for argument in arguments)


def given(name, value):
    """Return the value, which must not be missing."""
    if value is None:
        raise ValueError(f"{name} is missing: give it too, or nothing at all")
    return value


def listed(name, values):
    """Return the values as a list; a number or a str is none."""
    kind = type(given(name, values)).__name__
    if isinstance(values, str):
        raise TypeError(f"{name} must be a list, got one str")
    try:
        values = list(values)
    except TypeError:
        raise TypeError(f"{name} must be a list, got {kind}") from None
    if not values:
        raise ValueError(f"{name} is empty: at least one entry is needed")
    return values


def matrices(**arrays):
    """Return the arrays as float64 matrices of finite numbers."""
    for name, x in arrays.items():
        given(name, x)
    clean, _ = as_floats(**arrays)
    for name, x in zip(arrays, clean, strict=True):
        if x.ndim != 2:
            raise ValueError(f"{name} must be a matrix, got shape {x.shape}")
        if not np.isfinite(x).all():
            raise ValueError(f"{name} {x.shape} holds nan or infinity")
    return [x.astype(np.float64) for x in clean]


def one_row(name, x):
    """Return a vector as a matrix of one row."""
    return np.atleast_2d(as_array(name, given(name, x)))


def check_weights(name, x):
    """Refuse what is no weight and no probability."""
    if not ((x >= 0) & (x <= 1.001)).all():
        raise ValueError(
            f"{name} must lie between 0 and 1, got shape {x.shape} with "
            f"numbers from {x.min():.3g} to {x.max():.3g}"
        )


def names_of(tokens, n, name="tokens"):
    """Return n words; numbers if there are none."""
    if tokens is None:
        return [str(i) for i in range(n)]
    tokens = [str(token) for token in listed(name, tokens)]
    if len(tokens) != n:
        raise ValueError(f"{name} must hold {n} words, got {len(tokens)}")
    return tokens


def integers(name, values):
    """Return the values as a list of ints."""
    values = listed(name, values)
    try:
        return [operator.index(value) for value in values]
    except TypeError:
        raise TypeError(f"{name} must be integers, got {values}") from None


def steps_of(steps):
    """Return steps of training as ints; a slider needs them in order."""
    steps = integers("steps", steps)
    if steps != sorted(set(steps)):
        raise ValueError(f"steps must grow, got {steps}")
    return steps


def menu(words):
    """Return options that are positions, called by the words."""
    return {name: i for i, name in enumerate(fr.distinct(words))}
