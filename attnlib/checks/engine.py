"""The judge: compare with the right function, then with wrong ones.

A check is a right function (`reference`), a few small examples (`cases`) and
the mistakes that learners make. A mistake is a *wrong function with words*.
What the learner wrote is run on every case. If a result is not the
reference's, the wrong functions are run too, and the one that gives the same
results on all cases is named. Otherwise `attnlib.checks.diagnosis` says what
can be said: the shape, NaN, a constant factor.
"""

import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import attnlib.checks.calling as calling
from attnlib.checks.calling import TooSlowError, as_arrays, call
from attnlib.checks.diagnosis import describe, equal, type_words
from attnlib.checks.words import kind, lower_first, number, show, wrap

__all__ = ["Check", "Mistake", "Report", "numbers"]


@dataclass(frozen=True, repr=False)
class Report:
    """The answer of a check, as text.

    `status` is "not attempted", "right" or "wrong"; `mistake` the name of
    the mistake, if it is a known one. A report is true if it says "right".
    """

    status: str
    text: str
    mistake: str | None = None

    def __repr__(self):
        return self.text

    def __bool__(self):
        return self.status == "right"


class Mistake:
    """Wrong functions, and what to say to those who wrote the same.

    More than one, if the same mistake can be made in several ways.
    """

    def __init__(self, words, *functions):
        self.words, self.functions = words, functions


@dataclass(eq=False)
class Trial:
    """One case: its arguments, what is right, and what the learner got."""

    arguments: tuple
    expected: list
    outcome: calling.Outcome | None = None
    found: list | None = None

    def judge(self, function):
        """Run the learner's function on this case."""
        self.outcome = call(function, self.arguments)
        if self.outcome.error is None:
            self.found = as_arrays(self.outcome.value, len(self.expected))

    @property
    def right(self):
        """Whether all results are right."""
        return self.found is not None and all_equal(self.found, self.expected)

    @property
    def unwritten(self):
        """Whether a `...` is left that was used, or returned."""
        if self.outcome.error is not None:
            return self.outcome.unwritten is not None
        return calling.has_ellipsis(self.outcome.value)


class Check:
    """Judge a learner's function: ``check(function)`` returns a `Report`.

    Parameters
    ----------
    call : str
        How the function is called, such as ``"softmax(scores)"``.
    task : str
        What to write; follows "Not attempted yet: ".
    verified : str
        What was compared; follows "Right: ".
    reference : callable
        The right function.
    cases : list of tuple
        Arguments for it, the smallest first. Choose them so that no two
        mistakes give the same results on all of them.
    mistakes : dict of str to Mistake
        The wrong functions, by name. One that raises is recognised if it
        works, and is wrong, on another case.
    parts : str
        The names of the results, with a space between them. Rows of what is
        called ``weights`` are expected to sum to one.
    untold : str, optional
        The mistake that is named only if asked for (``tell=True``), because
        to find it is the exercise.

    Examples
    --------
    >>> check = Check(
    ...     "double(x)",
    ...     task="return twice `x`.",
    ...     verified="two numbers.",
    ...     reference=lambda x: 2 * x,
    ...     cases=[(3.0,), (5.0,)],
    ...     mistakes={"squared": Mistake("It squares.", lambda x: x * x)},
    ... )
    >>> check(lambda x: ...)
    Not attempted yet: return twice `x`.
    >>> check(lambda x: x + x)
    Right: two numbers.
    >>> check(lambda x: x**2)
    Wrong: it squares.
    <BLANKLINE>
    Smallest failing example: double(x) with
      x = 3.0
    expected result = 6
    found result = 9
    """

    def __init__(
        self,
        call,
        *,
        task,
        verified,
        reference,
        cases,
        mistakes,
        parts="result",
        untold=None,
    ):
        self.name, _, names = call.rstrip(")").partition("(")
        self.names = [name.strip() for name in names.split(",") if name]
        self.task, self.verified = task, verified
        self.reference, self.cases = reference, cases
        self.mistakes, self.parts = mistakes, parts.split()
        self.untold = untold
        self.__doc__ = f"Check ``{call}``: {task}"

    def __repr__(self):
        return f"<check of {self.name}({', '.join(self.names)})>"

    def __call__(self, function, *, tell=False):
        """Judge a function; `tell` names even what is to be found."""
        if function is ...:
            return self._not_attempted()
        if not callable(function):
            return self._wrong(
                f"give the check the function `{self.name}` itself, without "
                f"calling it; found {kind(function)}."
            )
        return self._judge(function, tell)

    def _judge(self, function, tell):
        most = max(len(case) for case in self.cases)
        if not calling.takes(function, most):
            return self._wrong(
                f"the function cannot be called as {self._call(most)}: it "
                "must take these arguments, in this order."
            )
        trials = [
            Trial(*pair) for pair in zip(self.cases, self._right, strict=True)
        ]
        for trial in trials:
            trial.judge(function)
            if trial.unwritten:
                return self._not_attempted(trial.outcome.unwritten)
            if isinstance(trial.outcome.error, TooSlowError):
                return self._failed(trial, "")
        if calling.is_empty(function) and trials[0].outcome.value is None:
            return self._not_attempted()
        failed = [t for t in trials if not t.right]
        if failed and calling.left_open(function):
            return self._not_attempted(calling.left_open(function))
        if failed:
            return self._explain(function, trials, failed[0], tell)
        for trial in trials:
            if trial.outcome.changed:
                return self._changes_input(trial)
            for name, a, b in self._named(trial):
                if b.dtype == bool and a.dtype != bool:
                    return self._wrong(
                        f"{name} has the right entries as {a.dtype}, but "
                        "must be boolean, True and False: an integer would "
                        "count as a number later. `.astype(bool)` mends it."
                    )
        return Report("right", wrap(f"Right: {self.verified}"))

    @cached_property
    def _right(self):
        """What the reference returns, for each case."""
        return [results(self.reference, c, self.parts) for c in self.cases]

    @cached_property
    def _known(self):
        """What each wrong function returns or raises, for each case."""
        count = len(self.parts)
        return {
            name: [
                [attempt(function, case, count) for case in self.cases]
                for function in mistake.functions
            ]
            for name, mistake in self.mistakes.items()
        }

    def _explain(self, function, trials, first, tell):
        """Find the mistake that gives the learner's results."""
        score = {
            name: max((agreement(w, trials) for w in ways), key=sum)
            for name, ways in self._known.items()
        }
        full = [n for n, agrees in score.items() if all(agrees)]
        if not full:  # two mistakes at once: name the one that shows first
            at = trials.index(first)
            count = {n: sum(a) for n, a in score.items() if a[at]}
            best = max(count.values(), default=0)
            full = [n for n, c in count.items() if c == best]
        if len(full) != 1:
            return self._failed(first, self._general(function, first))
        name = full[0]
        words = self.mistakes[name].words
        if name == self.untold and not tell:
            words = (
                "it still gives what the function above gives. Follow the "
                "example below by hand. To be told what the mistake is, add "
                "`tell=True` to the check."
            )
        elif not all(score[name]):
            words += " This is not the only mistake: mend it, then look again."
        return self._failed(first, words, name)

    def _general(self, function, trial):
        """Say what can be said without knowing the mistake."""
        if trial.outcome.error is not None:
            return ""
        if trial.found is None:
            return self._odd_type(trial)
        again = as_arrays(
            call(function, trial.arguments).value, len(self.parts)
        )
        if again is None or not all_equal(again, trial.found):
            return (
                "two calls with the same arguments give different results: "
                "does it draw random numbers, or keep something between calls?"
            )
        if isinstance(trial.outcome.value, tuple) and len(self.parts) == 1:
            words = self._odd_type(trial)
            if words.startswith("return "):
                return words
        if len(trial.found) > 1 and all_equal(
            trial.found[::-1], trial.expected
        ):
            return f"return {', '.join(self.parts)} in this order."
        for name, found, expected in self._named(trial):
            if not equal(found, expected):
                words = describe(found, expected, name)
                break
        if trial.outcome.changed:
            which = self.names[trial.outcome.changed[0]]
            words += f" It also changes its argument `{which}`: use a copy."
        return words

    def _odd_type(self, trial):
        value, parts = trial.outcome.value, self.parts
        if isinstance(value, tuple | list) and len(value) != len(parts):
            arrays = [calling.as_array(v) for v in value[:8]]
            wanted = trial.expected[0]
            hit = (a is not None and equal(a, wanted) for a in arrays)
            if len(parts) == 1 and any(hit):
                return f"return {parts[0]} only, found {kind(value)}."
        return type_words(value, parts)

    def _changes_input(self, trial):
        name = self.names[trial.outcome.changed[0]]
        return self._wrong(
            f"the results are right, but the function changes its argument "
            f"`{name}`, which belongs to the caller. Work on a copy: write "
            f"`{name} = {name} - ...` in place of `{name} -= ...`, and "
            f"`{name}.copy()` before you assign to its entries.",
            "changes_input",
        )

    def _named(self, trial):
        return zip(self.parts, trial.found, trial.expected, strict=True)

    def _call(self, count):
        return f"{self.name}({', '.join(self.names[:count])})"

    def _not_attempted(self, variable=""):
        text = f"Not attempted yet: {self.task}"
        if variable:
            text += f" (`{variable}` still is `...`.)"
        return Report("not attempted", wrap(text))

    def _wrong(self, words, mistake=None, example=()):
        text = [wrap(f"Wrong: {lower_first(words)}"), *example]
        return Report("wrong", "\n".join(text), mistake)

    def _failed(self, trial, words, mistake=None):
        """Report a case that failed, with the whole example."""
        count = len(trial.arguments)
        lines = ["", f"Smallest failing example: {self._call(count)} with"]
        for name, value in zip(self.names, trial.arguments, strict=False):
            lines += ["  " + show(name, value).replace("\n", "\n  ")]
        error = trial.outcome.error
        if error is not None:
            raised = raised_words(trial.outcome)
            if words:
                lines.append(wrap(raised))
            words = words or raised
        elif trial.found is None:
            lines.append(f"found {kind(trial.outcome.value)}")
        else:
            lines += self._differences(trial)
        if trial.outcome.printed:
            lines += ["It printed:", trial.outcome.printed.rstrip()]
        return self._wrong(words, mistake, lines)

    def _differences(self, trial):
        lines = []
        for name, found, expected in self._named(trial):
            if equal(found, expected):
                continue
            lines.append("expected " + show(name, expected))
            lines.append("found " + show(name, found))
            if max(found.size, expected.size) > 32 and (
                found.shape == expected.shape
            ):
                lines.append(first_difference(found, expected))
        return lines


class Answer(Check):
    """Judge a number, or a few, that were found on paper.

    As `Check`, but the learner gives the value itself: ``check(0.5)``. The
    reference and the mistakes take no argument.
    """

    def __init__(self, name, *, tolerance=0.01, **settings):
        super().__init__(f"{name}()", cases=[()], **settings)
        self.tolerance = tolerance

    def __call__(self, value, *, tell=False):
        """Judge a value, which may be rounded."""
        if calling.has_ellipsis(value):
            return self._not_attempted()
        arrays = as_arrays(value, 1)
        if arrays is None:
            return self._wrong(type_words(value, self.parts))
        (found,) = arrays
        (expected,) = results(self.reference, (), self.parts)
        if self._near(found, expected):
            return Report("right", wrap(f"Right: {self.verified}"))
        for name, mistake in self.mistakes.items():
            for function in mistake.functions:
                wrong = results(function, (), self.parts)
                if self._near(found, *wrong):
                    return self._wrong(mistake.words, name)
        if found.shape != expected.shape:
            return self._wrong(describe(found, expected, self.parts[0]))
        lines = ["", "found " + show(self.parts[0], found)]
        return self._wrong("not what it should be.", None, lines)

    def _near(self, found, expected):
        return found.shape == expected.shape and np.allclose(
            found.astype(float), expected, self.tolerance, self.tolerance
        )


def numbers(seed, *shape):
    """Return numbers with one digit, which are easy to follow by hand."""
    x = np.random.default_rng(seed).normal(size=shape)
    return np.round(x, 1) + 0.0


def attempt(function, arguments, count):
    """Run one of our own functions; return its arrays, or what it raises."""
    try:
        with np.errstate(all="ignore"):
            value = function(*copy.deepcopy(arguments))
    except Exception as error:
        return error
    return as_arrays(value, count)


def results(function, arguments, parts):
    """Return the results of a function of ours that must not fail."""
    found = attempt(function, arguments, len(parts))
    if isinstance(found, Exception):
        raise found
    return found


def agreement(wrong, trials):
    """Say for each trial whether a wrong function does what the learner did.

    To raise an exception of the same type counts, but only if it says the
    same too, or if there is another case in which both return the same, and
    it is wrong.
    """
    agrees, seen = [], False
    for found, trial in zip(wrong, trials, strict=True):
        error = trial.outcome.error
        if isinstance(found, Exception) or error is not None:
            agrees.append(type(found) is type(error))
            same_words = calling.str_of(found) == calling.str_of(error)
            seen |= agrees[-1] and same_words
        else:
            same = trial.found is not None and all_equal(trial.found, found)
            agrees.append(same)
            seen |= same and not trial.right
    return agrees if seen else [False] * len(trials)


def all_equal(found, expected):
    """Say whether all arrays are equal."""
    return len(found) == len(expected) and all(map(equal, found, expected))


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
        apart = ~np.isclose(found, expected, 1e-4, 1e-5, equal_nan=True)
    place = tuple(np.argwhere(apart)[0].tolist())
    where = ", ".join(map(str, place))
    return (
        f"first at [{where}]: expected {number(expected[place])}, found "
        f"{number(found[place])}"
    )
