"""What is wrong with a result, when no known mistake reproduces it."""

import numpy as np

from attnlib.checks.words import kind, number

RTOL, ATOL = 1e-4, 1e-5  # loose enough for float32


def equal(found, expected):
    """Say whether two arrays are the same, but for rounding."""
    if found.shape != expected.shape:
        return False
    if expected.dtype == bool or found.dtype == bool:
        return np.array_equal(found, expected)
    return np.allclose(found, expected, RTOL, ATOL, equal_nan=True)


def describe(found, expected, name):
    """Return the most telling difference between two arrays, in words."""
    if found.shape != expected.shape:
        return shape_words(found, expected, name)
    found, wanted = found.astype(float), expected.astype(float)
    for look in (not_finite, distribution, relation, order):
        words = look(found, wanted, name)
        if words:
            return words
    wrong = ~np.isclose(found, wanted, RTOL, ATOL)
    return (
        f"{name} is wrong in {wrong.sum()} of {wrong.size} places. It is none "
        "of the mistakes that this check knows: follow the example below by "
        "hand."
    )


def shape_words(found, expected, name):
    """Say how a shape is wrong, and whether the numbers are right."""
    words = (
        f"the shape of {name} is wrong: expected {expected.shape}, found "
        f"{found.shape}."
    )
    if found.ndim > 1 and equal(found.T, expected):
        return f"{words} The numbers are right, but transposed."
    if found.size == expected.size and equal(
        found.reshape(expected.shape), expected
    ):
        return f"{words} The numbers are right: only the axes differ."
    if found.ndim != expected.ndim:
        return f"{words} It must have {expected.ndim} axes, not {found.ndim}."
    return words


def not_finite(found, wanted, name):
    """Look for NaN and inf where there should be none."""
    for what, test in (("NaN", np.isnan), ("infinite", np.isinf)):
        bad = test(found) & np.isfinite(wanted)
        if bad.any():
            return f"{name} is {what} in {bad.sum()} of {bad.size} places."
    return ""


def distribution(found, wanted, name):
    """Look at the sums, if the rows should sum to one."""
    if wanted.ndim == 0 or name != "weights":
        return ""
    if (found < 0).any():
        return "weights must not be negative, and some are."
    sums = found.sum(-1)
    off = ~np.isclose(sums, wanted.sum(-1), 1e-3, 1e-3)
    if not off.any():
        return ""
    place = tuple(np.argwhere(off)[0].tolist())
    words = f"each row of weights must sum to 1, but row {place[-1:]} sums to "
    words = words.replace("(", "").replace(",)", "") + number(sums[place])
    return words + ". (A query that may attend to nothing has weights 0.)"


def relation(found, wanted, name):
    """Look for a constant factor, a constant difference, or rounding."""
    with np.errstate(all="ignore"):
        ratio = (found / wanted)[np.isfinite(wanted) & (wanted != 0)]
        apart = (found - wanted)[np.isfinite(wanted)]
    if found.size > 1 and ratio.size and np.isfinite(ratio).all():
        factor = np.median(ratio)
        if factor == 0:
            return f"{name} is 0 everywhere." if not found.any() else ""
        with np.errstate(all="ignore"):
            scaled = found / factor
        if equal(scaled, wanted):
            return f"{name} is {number(factor)} times what it should be."
    if found.size > 1 and apart.size and equal(wanted + apart.mean(), found):
        more = number(apart.mean())
        return f"{name} differs from what it should be by {more} everywhere."
    if apart.size and np.abs(apart).max() < 6e-3:
        return f"{name} is nearly right: are numbers rounded on the way?"
    if np.array_equal(found, np.trunc(wanted)):
        return f"{name} has lost its digits: is it kept in an integer array?"
    return ""


def order(found, wanted, name):
    """Look for the right numbers in the wrong places."""
    if found.ndim > 1 and equal(found.T, wanted):
        return f"{name} is transposed: rows and columns change places."
    if equal(np.sort(found, None), np.sort(wanted, None)):
        return f"{name} holds the right numbers in the wrong order."
    return ""


def type_words(value, parts):
    """Say what came back in place of arrays of numbers."""
    wanted = " and ".join(parts)
    if value is None:
        return f"it returns nothing: `return` {wanted}."
    if len(parts) == 1:
        words = f"{wanted} must be an array of numbers, found {kind(value)}"
        if isinstance(value, list):
            words += " whose rows differ in length or do not hold numbers"
        return words + "."
    return (
        f"it must return {len(parts)} arrays of numbers, {', '.join(parts)}, "
        f"found {kind(value)}."
    )
