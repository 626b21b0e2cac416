"""What is wrong with a result, when no known mistake reproduces it."""

import numpy as np

import coursekit.checks.calling as calling
from coursekit.checks.limit import TooSlowError
from coursekit.checks.results import ATOL, RTOL, equal
from coursekit.checks.words import called, kind, number
from coursekit.phrases import later, phrase


def describe(found, expected, name):
    """Return the most telling difference between two arrays, in words."""
    if found.shape != expected.shape:
        return shape_words(found, expected, name)
    for look in (not_finite, distribution, relation, digits, order):
        words = look(found, expected, name)
        if words:
            return words
    wrong = ~np.isclose(found, expected, RTOL, ATOL, equal_nan=True)
    words = counted(
        wrong,
        later("{result} is wrong."),
        later("{result} is wrong in {count} of {size} places."),
        result=called(name),
    )
    advice = phrase(
        "It is none of the mistakes that this check knows: follow the "
        "example below by hand."
    )
    return f"{words} {advice}"


def counted(where, alone, among, **values):
    """Say `alone` of a single number, `among` of some among several.

    >>> counted(np.array(True), "{a} is so.", "", a="x")
    'x is so.'
    >>> counted(np.array([True, False]), "", "{count} of {size} are so.")
    '1 of 2 are so.'
    """
    if where.size > 1:
        values |= {"count": where.sum(), "size": where.size}
        return phrase(among, **values)
    return phrase(alone, **values)


def shape_words(found, expected, name):
    """Say how a shape is wrong, and whether the numbers are right."""
    words = phrase(
        "the shape of {result} is wrong: expected {expected}, found {found}.",
        result=called(name),
        expected=expected.shape,
        found=found.shape,
    )
    return f"{words} {axes_words(found, expected)}".rstrip()


def axes_words(found, expected):
    """Say what the axes have to do with a wrong shape, if they have."""
    if found.ndim > 1 and equal(found.T, expected):
        return phrase("The numbers are right, but transposed.")
    if found.size == expected.size and equal(
        found.reshape(expected.shape), expected
    ):
        return phrase("The numbers are right: only the axes differ.")
    if found.ndim == expected.ndim:
        return ""
    if expected.ndim == 1:
        return phrase("It must have 1 axis, not {found}.", found=found.ndim)
    return phrase(
        "It must have {count} axes, not {found}.",
        count=expected.ndim,
        found=found.ndim,
    )


def not_finite(found, expected, name):
    """Look for NaN and inf where there should be none, and the reverse."""
    bad = np.isnan(found) & np.isfinite(expected)
    if bad.any():
        return counted(
            bad,
            later("{result} is NaN."),
            later("{result} is NaN in {count} of {size} places."),
            result=called(name),
        )
    bad = np.isinf(found) & np.isfinite(expected)
    if bad.any():
        return counted(
            bad,
            later("{result} is infinite."),
            later("{result} is infinite in {count} of {size} places."),
            result=called(name),
        )
    missing = np.isinf(expected) & (found != expected)
    if missing.any():
        return counted(
            missing,
            later("{result} should be {value}, but is not."),
            later(
                "{result} should be {value}, but is not in {count} of {size} "
                "places."
            ),
            result=called(name),
            value=number(expected[missing][0]),
        )
    return ""


def distribution(found, expected, name):
    """Look at the sums and the zeros, if the rows should sum to one."""
    if expected.ndim == 0 or name != "weights":
        return ""
    if (found < 0).any():
        return phrase("weights must not be negative, and some are.")
    sums, wanted = found.sum(-1), expected.sum(-1)
    off = ~np.isclose(sums, wanted, 1e-3, 1e-3)
    if off.any():
        words = sum_words(sums, off)
        if (wanted == 0).any():
            remark = phrase(
                "(A query that may attend to nothing has weights 0.)"
            )
            words = f"{words} {remark}"
        return words
    leaks = (expected == 0) & (found > ATOL)
    if leaks.any():
        return counted(
            leaks,
            later("weights should be exactly 0, but are not."),
            later(
                "weights should be exactly 0, but are not in {count} of "
                "{size} places."
            ),
        )
    return ""


def sum_words(sums, off):
    """Say which row of weights does not sum to one."""
    if sums.ndim == 0:
        return phrase(
            "the weights must sum to 1, but they sum to {sum}.",
            sum=number(sums),
        )
    place = tuple(np.argwhere(off)[0].tolist())
    row = place[0] if len(place) == 1 else list(place)
    return phrase(
        "each row of weights must sum to 1, but row {row} sums to {sum}.",
        row=row,
        sum=number(sums[place]),
    )


def relation(found, expected, name):
    """Look for a constant factor or a constant difference."""
    if found.size < 2 or expected.dtype.kind != "f":
        return ""  # the numbers of words, or True and False, have no factor
    if not found.any():
        return phrase("{result} is 0 everywhere.", result=called(name))
    some = np.isfinite(expected)
    factor = scale(found[some & (expected != 0)], expected)
    if factor and equal(found, factor * expected):
        return phrase(
            "{result} is {factor} times what it should be.",
            result=called(name),
            factor=number(factor),
        )
    more = np.mean(found[some] - expected[some]) if some.any() else 0
    if equal(found, expected + more):
        return phrase(
            "{result} differs from what it should be by {difference} "
            "everywhere.",
            result=called(name),
            difference=number(more),
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
        if not np.array_equal(found, np.trunc(expected)):
            return ""
        return phrase(
            "{result} has lost its digits: is it kept in an integer array?",
            result=called(name),
        )
    if found.dtype == np.float16 and np.allclose(found, expected, 0.01, 0.01):
        return phrase(
            "{result} is nearly right: float16 has too few digits.",
            result=called(name),
        )
    some = np.any(found != np.round(found))  # 0 and 1 come without rounding
    off = (found != expected).sum()  # the fewer digits, the more by chance
    for k in (3, 2, 1):
        rounded = np.allclose(found, np.round(expected, k), 0, 1e-9)
        if some and rounded and off >= 4 - k:
            return rounded_words(k, called(name))
    return ""


def rounded_words(count, result):
    """Say to how many digits a result was rounded."""
    if count == 1:
        return phrase(
            "{result} is right, but rounded to 1 digit.", result=result
        )
    return phrase(
        "{result} is right, but rounded to {count} digits.",
        result=result,
        count=count,
    )


def order(found, expected, name):
    """Look for the right numbers in the wrong places."""
    if found.ndim > 1 and equal(found.T, expected):
        return phrase(
            "{result} is transposed: rows and columns change places.",
            result=called(name),
        )
    # Of two different numbers only, others than the right ones fit as well.
    if np.unique(expected).size > 2 and equal(
        np.sort(found, None), np.sort(expected, None)
    ):
        return phrase(
            "{result} holds the right numbers in the wrong order.",
            result=called(name),
        )
    return ""


def type_words(value, parts, expected):
    """Say what came back in place of numbers, or of arrays of them."""
    if value is None:
        wanted = phrase(" and ").join(called(part) for part in parts)
        return phrase(
            "it returns nothing: it must return {results}.", results=wanted
        )
    if len(parts) > 1:
        return phrase(
            "it must return {count} results, {names}, found {kind}.",
            count=len(parts),
            names=", ".join(parts),
            kind=kind(value),
        )
    (wanted,) = expected
    if isinstance(value, list) and wanted.ndim:
        words = later(
            "{result} must be an array of numbers, found {kind} whose rows "
            "differ in length or do not hold numbers."
        )
    elif wanted.ndim:
        words = later("{result} must be an array of numbers, found {kind}.")
    elif wanted.dtype == bool:
        words = later("{result} must be True or False, found {kind}.")
    else:
        words = later("{result} must be a number, found {kind}.")
    return phrase(words, result=called(parts[0]), kind=kind(value))


def not_boolean(found, name):
    """Say how numbers become True and False."""
    if found.ndim == 0:
        return phrase(
            "{result} is right, but is {value}, and must be True or False: "
            "wrap it in `bool(...)`.",
            result=called(name),
            value=number(found),
        )
    return phrase(
        "{result} has the right entries as {dtype}, but must be boolean, "
        "True and False: an integer would count as a number later. "
        "`.astype(bool)` fixes it.",
        result=called(name),
        dtype=found.dtype,
    )


def raised_words(outcome):
    """Say which exception came out, and of which line."""
    error, place = outcome.error, outcome.where
    message = ""
    if isinstance(error, TooSlowError):
        anywhere = later("it had not finished after {seconds} s.")
        there = later("it had not finished after {seconds} s in {place}.")
    elif isinstance(error, RecursionError):
        anywhere = later("the function calls itself without end.")
        there = later("the function calls itself without end in {place}.")
    elif message := calling.str_of(error):
        anywhere = later("it raised {error}: {message}")
        there = later("it raised {error} in {place}: {message}")
    else:
        anywhere = later("it raised {error}.")
        there = later("it raised {error} in {place}.")
    return phrase(
        there if place else anywhere,
        place=place,
        seconds=f"{calling.SECONDS:g}",
        error=type(error).__name__,
        message=message,
    )


def first_difference(found, expected):
    """Show the first place where two large arrays differ."""
    with np.errstate(all="ignore"):
        apart = ~np.isclose(found, expected, RTOL, ATOL, equal_nan=True)
    place = tuple(np.argwhere(apart)[0].tolist())
    where = ", ".join(map(str, place))
    return phrase(
        "first at [{place}]: expected {expected}, found {found}",
        place=where,
        expected=number(expected[place]),
        found=number(found[place]),
    )
