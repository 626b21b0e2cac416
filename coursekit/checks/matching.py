"""Which of the known mistakes gives the results that a learner got.

A false name is worse than none. All that a wrong function does must be what
the learner's function does; or, if the learner made two mistakes at once, so
much of it that chance is ruled out.
"""

import copy

import numpy as np

from coursekit.checks.calling import str_of
from coursekit.checks.results import all_equal, as_array, as_arrays, close

ENOUGH = 4  # so many different wrong numbers do not agree by chance


def results(function, arguments, count):
    """Return the results of a function of ours that must not fail."""
    with np.errstate(all="ignore"):
        value = function(*copy.deepcopy(arguments))
    return [as_array(part) for part in ([value] if count == 1 else value)]


def attempt(function, arguments, expected):
    """Run a wrong function; return its arrays, or what it raises."""
    try:
        with np.errstate(all="ignore"):
            value = function(*copy.deepcopy(arguments))
    except Exception as error:
        return error
    return as_arrays(value, [a.shape for a in expected])


def find(known, trials):
    """Return the name of the learner's mistake, and whether it explains all.

    `known` holds, for each name, what its wrong functions give on each case.
    Without a name, return None and False.
    """
    full = [
        name
        for name, ways in known.items()
        if any(explains(way, trials) for way in ways)
    ]
    if full:
        return (full[0], True) if len(full) == 1 else (None, False)
    weight = {
        name: max(evidence(way, trials) for way in ways)
        for name, ways in known.items()
    }
    best = max(weight.values(), default=0)
    names = [name for name, w in weight.items() if w == best]
    return (names[0] if best and len(names) == 1 else None), False


def explains(way, trials):
    """Say whether a wrong function does all that the learner's does.

    To raise the same type of exception is no evidence alone: there must be a
    wrong result too, or every failing case must raise with the same words.
    """
    if not all(map(agree, way, trials)):
        return False
    failed = [(w, t) for w, t in zip(way, trials, strict=True) if not t.right]
    return any(t.found is not None for _, t in failed) or all(
        str_of(w) == str_of(t.outcome.error) for w, t in failed
    )


def evidence(way, trials):
    """Count what speaks for one of two mistakes: equal wrong results.

    It must show in the first case that fails, and may not be seen in one
    that is right. One case must hold enough of it: yes or no, or one row out
    of a few, agree by chance in case after case.
    """
    pairs = list(zip(way, trials, strict=True))
    first = next(t for t in trials if not t.right)
    fits = all(agree(w, t) for w, t in pairs if t.right or t is first)
    if first.found is None or not fits:
        return 0
    weights = [
        weigh(t)
        for w, t in pairs
        if t.found is not None and not t.right and agree(w, t)
    ]
    return sum(weights) if max(weights) >= ENOUGH else 0


def weigh(trial):
    """Count the different numbers among those that are wrong.

    A thousand zeros are no better evidence than one.
    """
    return sum(
        len(np.unique(found[~close(found, expected)]))
        for found, expected in zip(trial.found, trial.expected, strict=True)
    )


def agree(wrong, trial):
    """Say whether a wrong function does on a case what the learner's did."""
    error = trial.outcome.error
    if isinstance(wrong, Exception) or error is not None:
        return type(wrong) is type(error)
    both = wrong is not None and trial.found is not None
    return both and all_equal(trial.found, wrong)
