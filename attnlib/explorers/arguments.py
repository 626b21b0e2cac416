"""Arguments of explorers: clean arrays and words, or a clear error."""

import numpy as np

import attnlib.explorers.frames as fr
from attnlib._validate import as_floats

__all__ = [
    "given",
    "matrices",
    "menu",
    "names_of",
]


def given(**arguments):
    """Return the one argument, which must not be missing."""
    ((name, value),) = arguments.items()
    if value is None:
        raise ValueError(f"{name} is missing: give all arrays, or none")
    return np.asarray(value)


def matrices(**arrays):
    """Return the arrays as float64 matrices of finite numbers."""
    for name, x in arrays.items():
        given(**{name: x})
    clean, _ = as_floats(**arrays)
    for name, x in zip(arrays, clean, strict=True):
        if x.ndim != 2:
            raise ValueError(f"{name} must be a matrix, got shape {x.shape}")
        if not np.isfinite(x).all():
            raise ValueError(f"{name} {x.shape} holds nan or infinity")
    return [x.astype(np.float64) for x in clean]


def names_of(tokens, n):
    """Return n words; numbers if there are none."""
    if tokens is None:
        return [str(i) for i in range(n)]
    if isinstance(tokens, str):
        raise TypeError("tokens must be a list of words, got one str")
    tokens = [str(token) for token in tokens]
    if len(tokens) != n:
        raise ValueError(f"got {len(tokens)} tokens for {n} rows")
    return tokens


def menu(words):
    """Return options that are positions, called by the words."""
    return {name: i for i, name in enumerate(fr.distinct(words))}
