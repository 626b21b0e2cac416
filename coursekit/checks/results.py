"""What a function returned, as arrays that can be compared."""

import numpy as np

from coursekit.checks.calling import ELEMENTS, call, items

RTOL, ATOL = 1e-4, 1e-5  # loose enough for float32


def as_arrays(value, shapes):
    """Return a result as arrays, or as None if it is no such thing.

    Array-likes are welcome: lists, nested lists, numbers. But several
    results are not one array, unless it is exactly their stack: the rows of
    an output that comes alone are not an output and its weights.

    >>> as_arrays([1, [2, 3]], [(), (2,)])
    [array(1), array([2, 3])]
    >>> as_arrays(np.eye(2), [(2, 2), (2, 2)]) is None
    True
    """
    if len(shapes) == 1:
        parts = [value]
    elif isinstance(value, np.ndarray):
        stacked = {value.shape} == {(len(shapes), *s) for s in shapes}
        parts = list(value) if stacked else []
    elif (
        isinstance(value, list)
        and getattr(as_array(value), "shape", None) in shapes
    ):
        parts = []
    else:
        parts = items(value)
    if len(parts) != len(shapes):
        return None
    arrays = [as_array(part) for part in parts]
    return None if any(a is None for a in arrays) else arrays


def as_array(value):
    """Return an array of numbers or of True and False, or None."""
    if value is None or isinstance(value, str | bytes | dict | set):
        return None
    if not isinstance(value, np.ndarray):
        outcome = call(lambda: np.asarray(value) if short(value) else None, ())
        value = outcome.value
    if isinstance(value, np.ndarray) and value.dtype == object:
        objects = value
        value = call(lambda: objects.astype(float), ()).value
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        return None
    return np.array(value)  # a plain array, which is ours


def short(value):
    """Say whether a list is short enough to be looked at."""
    try:
        return len(value) <= ELEMENTS
    except TypeError:
        return True
    except Exception:  # a list of its own kind
        return False


def close(found, expected):
    """Say which entries are the same; none are, if the shapes differ."""
    if found.shape != expected.shape:
        return np.zeros(found.shape, bool)
    return np.isclose(found, expected, RTOL, ATOL, equal_nan=True)


def equal(found, expected):
    """Say whether two arrays are the same, but for rounding."""
    if found.shape != expected.shape:
        return False
    if expected.dtype == bool or found.dtype == bool:
        return np.array_equal(found, expected)
    return np.allclose(found, expected, RTOL, ATOL, equal_nan=True)


def all_equal(found, expected):
    """Say whether all arrays are equal."""
    return len(found) == len(expected) and all(map(equal, found, expected))


def has_ellipsis(value):
    """Say whether a result, or a part of it, still is `...`.

    >>> has_ellipsis(...), has_ellipsis((1, np.array([..., 2])))
    (True, True)
    """
    return any(
        part is ... or any(p is ... for p in entries(part))
        for part in (value, *entries(value))
    )


def entries(value):
    """Return what a list, a tuple or an array of objects holds."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return list(value.flat[:ELEMENTS])
    return items(value)
