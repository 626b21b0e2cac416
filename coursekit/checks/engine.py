"""The judge: compare with the right function, then with wrong ones.

An exercise is a right function, as source (`right`), a few small examples
(`cases`) and the mistakes that learners make. A mistake is *words and edits*
of the right source, each of which plants it. What the learner wrote is run on
every case. If a result is not that of the right function, the edited ones are
run too, and the mistake that gives the same results is named
(`coursekit.checks.matching`). Otherwise `coursekit.checks.diagnosis` says
what can be said: the shape, NaN, a constant factor.
"""

import copy
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from coursekit.checks.calling import takes
from coursekit.checks.diagnosis import not_boolean, raised_words
from coursekit.checks.edits import compiled, edited
from coursekit.checks.limit import TooSlowError
from coursekit.checks.matching import attempt, find, results
from coursekit.checks.source import is_empty, left_open, loops, tree_of, used
from coursekit.checks.trials import Trial, differences, explain
from coursekit.checks.words import (
    kind,
    lower_first,
    show_all,
    wrap,
)
from coursekit.phrases import phrase

__all__ = ["Check", "Mistake", "Report", "numbers"]


@dataclass(frozen=True, repr=False)
class Report:
    """The answer of a check, as text.

    `status` is "not attempted", "right" or "wrong"; `mistake` the name of
    the mistake, if it is a known one; `arguments` those of the example that
    failed. A report is true if it says "right".
    """

    status: str
    text: str
    mistake: str | None = None
    arguments: tuple = ()

    def __repr__(self):
        return self.text

    def __bool__(self):
        return self.status == "right"


class Mistake:
    """What to say of a mistake, and the ways in which it is made.

    A way is an edit of the right source, ``{"old text": "new text", ...}``,
    or the source of a wholly different function; for an `Answer`, a value.
    """

    def __init__(self, words, *ways):
        self.words, self.ways = words, ways


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
    right : str
        The source of a right function, which may use `np`, `al` and `math`.
    cases : list of tuple
        Arguments for it, the smallest first. Choose them so that no two
        mistakes give the same results on all of them.
    mistakes : dict of str to Mistake
        The mistakes, by name. A way that raises is recognised if it works,
        and is wrong, on another case, or if it says the same wherever it
        fails.
    parts : str
        The names of the results, with a space between them. Rows of what is
        called ``weights`` are expected to sum to one.
    untold : str, optional
        The mistake that is named only if asked for (``tell=True``), because
        finding it is the exercise.
    loop : bool
        Whether the exercise asks for a loop.
    without : str
        The names that may not be used, with a space between them; ``@`` is
        the product of matrices, ``for`` a loop.

    Examples
    --------
    >>> check = Check(
    ...     "double(x)",
    ...     task="return twice `x`.",
    ...     verified="two numbers.",
    ...     right="def double(x): return 2 * x",
    ...     cases=[(3.0,), (5.0,)],
    ...     mistakes={"squared": Mistake("It squares.", {"2 * x": "x * x"})},
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
        right,
        cases,
        mistakes,
        parts="result",
        untold=None,
        loop=False,
        without="",
    ):
        self.name, _, names = call.rstrip(")").partition("(")
        self.names = [name.strip() for name in names.split(",") if name]
        self.task, self.verified = task, verified
        self.right, self.cases = right, cases
        self.mistakes, self.parts = mistakes, parts.split()
        self.untold, self.loop, self.without = untold, loop, without.split()
        self.__doc__ = f"Check ``{call}``: {task}"

    def __repr__(self):
        return f"<check of {self.name}({', '.join(self.names)})>"

    def __call__(self, function, *, tell=False):
        """Judge a function; `tell` names even what is to be found."""
        if function is ...:
            return self.not_attempted()
        if not callable(function):
            words = phrase(
                "give the check the function `{name}` itself, without "
                "calling it; found {kind}.",
                name=self.name,
                kind=kind(function),
            )
            return self._wrong(words)
        return self._judge(function, tell)

    def _judge(self, function, tell):
        most = max(len(case) for case in self.cases)
        if not takes(function, most):
            words = phrase(
                "the function cannot be called as {call}: it must take these "
                "arguments, in this order.",
                call=self._call(most),
            )
            return self._wrong(words)
        trials = [
            Trial(case, expected, self.parts)
            for case, expected in zip(self.cases, self._expected, strict=True)
        ]
        tree = tree_of(function)
        for trial in trials:
            trial.judge(function)
            if trial.unwritten:
                left = tree and left_open(tree)
                return self.not_attempted(left or "")
            if isinstance(trial.outcome.error, TooSlowError):
                break
        failed = [t for t in trials if t.outcome and not t.right]
        left = left_open(tree, works=not failed) if tree else None
        if left is not None:
            return self.not_attempted(left)
        if tree and is_empty(tree) and trials[0].outcome.value is None:
            return self.not_attempted()
        if isinstance(trial.outcome.error, TooSlowError):
            return self._failed(trial, "")
        if failed:
            return self._explain(function, trials, failed[0], tell)
        return self._accept(trials, tree)

    def _accept(self, trials, tree):
        """Look at what else may be wrong where all results are right."""
        for trial in trials:
            if trial.outcome.changed:
                return self._changes_input(trial)
            for name, a, b in trial.named:
                if b.dtype == bool and a.dtype != bool:
                    return self._wrong(not_boolean(a, name))
        broken = self._broken_rule(tree) if tree else ""
        if broken:
            return self._wrong(broken, "rule")
        return self._right()

    def _broken_rule(self, tree):
        """Say which rule of the exercise a right function breaks."""
        some, statement = loops(tree)
        if self.loop and not some:
            return phrase(
                "the results are right, but this exercise asks you to write "
                "it with a loop."
            )
        if "for" in self.without and statement:
            return phrase(
                "the results are right, but this exercise asks you to write "
                "it without a loop."
            )
        for name in self.without:
            if name in used(tree):
                return phrase(
                    "the results are right, but this exercise asks you to do "
                    "it without `{name}`.",
                    name=name,
                )
        return ""

    @cached_property
    def reference(self):
        """The right function."""
        return compiled(self.right)

    @cached_property
    def _expected(self):
        """What the right function returns, for each case."""
        count = len(self.parts)
        return [results(self.reference, c, count) for c in self.cases]

    @cached_property
    def _known(self):
        """What each wrong function returns or raises, for each case."""
        return {
            name: [
                list(map(partial(attempt, way), self.cases, self._expected))
                for way in self.wrong(name)
            ]
            for name in self.mistakes
        }

    def wrong(self, name):
        """Return the functions that make a mistake, one for each way."""
        ways = self.mistakes[name].ways
        return [compiled(edited(self.right, way)) for way in ways]

    def _explain(self, function, trials, first, tell):
        """Find the mistake that gives the learner's results."""
        name, alone = find(self._known, trials)
        if name == self.untold and not (tell or alone):
            name = None  # its results are others: there is nothing to hide
        if name is None:
            return self._failed(first, explain(first, function))
        words = phrase(self.mistakes[name].words)
        if name == self.untold and not tell:
            words = phrase(
                "it still gives what the function above gives. Follow the "
                "example below by hand. To be told what the mistake is, add "
                "`tell=True` to the check."
            )
        elif not alone:
            more = phrase(
                "This is not the only mistake: fix it, then look again."
            )
            words = f"{words} {more}"
        return self._failed(first, words, name)

    def _changes_input(self, trial):
        words = phrase(
            "the results are right, but the function changes its argument "
            "`{name}`, which belongs to the caller. Work on a copy, "
            "`{name} = {name}.copy()`: both `{name} += ...` and "
            "`{name}[i] = ...` write into what the caller has.",
            name=self.names[trial.outcome.changed[0]],
        )
        return self._wrong(words, "changes_input")

    def _call(self, count):
        return f"{self.name}({', '.join(self.names[:count])})"

    def not_attempted(self, variable=""):
        """Say what is to be written, and which name is still open."""
        text = phrase("Not attempted yet: {task}", task=phrase(self.task))
        if variable:
            left = phrase("(`{variable}` still is `...`.)", variable=variable)
            text = f"{text} {left}"
        return Report("not attempted", wrap(text))

    def _right(self):
        verified = phrase(self.verified)
        text = phrase("Right: {verified}", verified=verified)
        return Report("right", wrap(text))

    def _wrong(self, words, mistake=None, example=(), arguments=()):
        words = phrase("Wrong: {words}", words=lower_first(words))
        text = [wrap(words), *example]
        given = copy.deepcopy(arguments)
        return Report("wrong", "\n".join(text), mistake, given)

    def _failed(self, trial, words, mistake=None):
        """Report a case that failed, with the whole example."""
        call = self._call(len(trial.arguments))
        lines = [
            "",
            phrase("Smallest failing example: {call} with", call=call),
        ]
        lines += show_all(self.names, trial.arguments)
        error = trial.outcome.error
        if error is not None:
            raised = raised_words(trial.outcome)
            if words:
                lines.append(wrap(raised))
            words = words or raised
        elif trial.found is None:
            lines.append(
                phrase("found {kind}", kind=kind(trial.outcome.value))
            )
        else:
            lines += differences(trial)
        if error is None and trial.outcome.changed:
            name = self.names[trial.outcome.changed[0]]
            also = phrase(
                "It also changes its argument `{name}`: use a copy.", name=name
            )
            words = f"{words} {also}"
        if trial.outcome.printed:
            lines += [phrase("It printed:"), trial.outcome.printed.rstrip()]
        return self._wrong(words, mistake, lines, trial.arguments)


def numbers(seed, *shape):
    """Return numbers with one digit, which are easy to follow by hand."""
    x = np.random.default_rng(seed).normal(size=shape)
    return np.round(x, 1) + 0.0
