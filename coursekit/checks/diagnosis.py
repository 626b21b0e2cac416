"""What is wrong with a result, when no known mistake reproduces it."""

import numpy as np

import coursekit.checks.calling as calling
from coursekit.checks.limit import TooSlowError
from coursekit.checks.results import ATOL, RTOL, equal
from coursekit.checks.words import called, kind, number, plural


def describe(found, expected, name):
    """Return the most telling difference between two arrays, in words."""
    if found.shape != expected.shape:
        return shape_words(found, expected, name)
    for look in (not_finite, distribution, relation, digits, order):
        words = look(found, expected, name)
        if words:
            return words
    wrong = ~np.isclose(found, expected, RTOL, ATOL, equal_nan=True)
    return (
        f"{called(name)} is wrong{places(wrong)}. It is none of the mistakes "
        "that this check knows: follow the example below by hand."
    )


def places(where):
    """Say in how many places something is so, if there is more than one.

    >>> places(np.array([True, False])), places(np.array(True))
    (' in 1 of 2 places', '')
    """
    many = where.size > 1
    return f" in {where.sum()} of {where.size} places" if many else ""


def shape_words(found, expected, name):
    """Say how a shape is wrong, and whether the numbers are right."""
    words = (
        f"the shape of {called(name)} is wrong: expected {expected.shape}, "
        f"found {found.shape}."
    )
    if found.ndim > 1 and equal(found.T, expected):
        return f"{words} The numbers are right, but transposed."
    if found.size == expected.size and equal(
        found.reshape(expected.shape), expected
    ):
        return f"{words} The numbers are right: only the axes differ."
    if found.ndim != expected.ndim:
        axes = plural(expected.ndim, "axis", "axes")
        return f"{words} It must have {axes}, not {found.ndim}."
    return words


def not_finite(found, expected, name):
    """Look for NaN and inf where there should be none, and the reverse."""
    for what, test in (("NaN", np.isnan), ("infinite", np.isinf)):
        bad = test(found) & np.isfinite(expected)
        if bad.any():
            return f"{called(name)} is {what}{places(bad)}."
    missing = np.isinf(expected) & (found != expected)
    if missing.any():
        what = number(expected[missing][0])
        return f"{called(name)} should be {what}, but is not{places(missing)}."
    return ""


def distribution(found, expected, name):
    """Look at the sums and the zeros, if the rows should sum to one."""
    if expected.ndim == 0 or name != "weights":
        return ""
    if (found < 0).any():
        return "weights must not be negative, and some are."
    sums, wanted = found.sum(-1), expected.sum(-1)
    off = ~np.isclose(sums, wanted, 1e-3, 1e-3)
    if off.any():
        words = sum_words(sums, off)
        if (wanted == 0).any():
            words += " (A query that may attend to nothing has weights 0.)"
        return words
    leaks = (expected == 0) & (found > ATOL)
    if leaks.any():
        return f"weights should be exactly 0, but are not{places(leaks)}."
    return ""


def sum_words(sums, off):
    """Say which row of weights does not sum to one."""
    if sums.ndim == 0:
        return f"the weights must sum to 1, but they sum to {number(sums)}."
    place = tuple(np.argwhere(off)[0].tolist())
    row = place[0] if len(place) == 1 else list(place)
    return (
        f"each row of weights must sum to 1, but row {row} sums to "
        f"{number(sums[place])}."
    )


def relation(found, expected, name):
    """Look for a constant factor or a constant difference."""
    if found.size < 2 or expected.dtype.kind != "f":
        return ""  # the numbers of words, or True and False, have no factor
    if not found.any():
        return f"{called(name)} is 0 everywhere."
    some = np.isfinite(expected)
    factor = scale(found[some & (expected != 0)], expected)
    if factor and equal(found, factor * expected):
        return f"{called(name)} is {number(factor)} times what it should be."
    more = np.mean(found[some] - expected[some]) if some.any() else 0
    if equal(found, expected + more):
        return (
            f"{called(name)} differs from what it should be by "
            f"{number(more)} everywhere."
        )
    return ""


def scale(found, expected):
    """Return the factor between two arrays, if there is one."""
    wanted = expected[np.isfinite(expected) & (expected != 0)]
    return np.median(found / wanted) if wanted.size else 0


def digits(found, expected, name):
    """Look for digits that were lost: rounded, or cut off."""
    if expected.dtype.kind != "f" or found.size < 2 or not found.any():
        return ""
    if found.dtype.kind in "iu":
        cut = np.array_equal(found, np.trunc(expected))
        lost = f"{called(name)} has lost its digits: "
        return lost + "is it kept in an integer array?" if cut else ""
    if found.dtype == np.float16 and np.allclose(found, expected, 0.01, 0.01):
        return f"{called(name)} is nearly right: float16 has too few digits."
    some = np.any(found != np.round(found))  # 0 and 1 come without rounding
    off = (found != expected).sum()  # the fewer digits, the more by chance
    for k in (3, 2, 1):
        rounded = np.allclose(found, np.round(expected, k), 0, 1e-9)
        if some and rounded and off >= 4 - k:
            count = plural(k, "digit", "digits")
            return f"{called(name)} is right, but rounded to {count}."
    return ""


def order(found, expected, name):
    """Look for the right numbers in the wrong places."""
    if found.ndim > 1 and equal(found.T, expected):
        return f"{called(name)} is transposed: rows and columns change places."
    # Of two different numbers only, others than the right ones fit as well.
    if np.unique(expected).size > 2 and equal(
        np.sort(found, None), np.sort(expected, None)
    ):
        return f"{called(name)} holds the right numbers in the wrong order."
    return ""


def type_words(value, parts, expected):
    """Say what came back in place of numbers, or of arrays of them."""
    if value is None:
        wanted = " and ".join(called(part) for part in parts)
        return f"it returns nothing: it must return {wanted}."
    if len(parts) > 1:
        return (
            f"it must return {len(parts)} results, {', '.join(parts)}, found "
            f"{kind(value)}."
        )
    (wanted,) = expected
    one = "True or False" if wanted.dtype == bool else "a number"
    what = "an array of numbers" if wanted.ndim else one
    words = f"{called(parts[0])} must be {what}, found {kind(value)}"
    if isinstance(value, list) and wanted.ndim:
        words += " whose rows differ in length or do not hold numbers"
    return words + "."


def not_boolean(found, name):
    """Say how numbers become True and False."""
    if found.ndim == 0:
        return (
            f"{called(name)} is right, but is {number(found)}, and must be "
            "True or False: wrap it in `bool(...)`."
        )
    return (
        f"{called(name)} has the right entries as {found.dtype}, but must be "
        "boolean, True and False: an integer would count as a number later. "
        "`.astype(bool)` fixes it."
    )


def raised_words(outcome):
    """Say which exception came out, and of which line."""
    error = outcome.error
    at = f" in {outcome.where}" if outcome.where else ""
    if isinstance(error, TooSlowError):
        return f"it had not finished after {calling.SECONDS:g} s{at}."
    if isinstance(error, RecursionError):
        return f"the function calls itself without end{at}."
    message = calling.str_of(error)
    message = f": {message}" if message else "."
    return f"it raised {type(error).__name__}{at}{message}"


def first_difference(found, expected):
    """Show the first place where two large arrays differ."""
    with np.errstate(all="ignore"):
        apart = ~np.isclose(found, expected, RTOL, ATOL, equal_nan=True)
    place = tuple(np.argwhere(apart)[0].tolist())
    where = ", ".join(map(str, place))
    return (
        f"first at [{where}]: expected {number(expected[place])}, found "
        f"{number(found[place])}"
    )
