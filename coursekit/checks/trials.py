"""One case of a check: what the learner got there, and what to say of it."""

import itertools
from dataclasses import dataclass

from coursekit.checks.calling import Outcome, call, call_again, items, str_of
from coursekit.checks.diagnosis import describe, first_difference, type_words
from coursekit.checks.results import (
    all_equal,
    as_array,
    as_arrays,
    equal,
    has_ellipsis,
)
from coursekit.checks.words import LARGE, called, kind, show
from coursekit.phrases import phrase


@dataclass(eq=False)
class Trial:
    """A case: its arguments, what is right, and what the learner got."""

    arguments: tuple
    expected: list
    parts: list  # the names of the results
    outcome: Outcome | None = None
    found: list | None = None

    def judge(self, function):
        """Run the learner's function on this case."""
        self.outcome = call(function, self.arguments)
        if self.outcome.error is None:
            self.found = self.read(self.outcome.value)

    def read(self, value):
        """Return what came back as arrays, or None."""
        return as_arrays(value, [a.shape for a in self.expected])

    @property
    def right(self):
        """Whether all results are right."""
        return self.found is not None and all_equal(self.found, self.expected)

    @property
    def unwritten(self):
        """Whether a `...` came back, or was used as if it were a value."""
        error = self.outcome.error
        if error is None:
            return has_ellipsis(self.outcome.value)
        # Not a ValueError: einsum writes of an ellipsis its letters lack.
        return isinstance(error, NotImplementedError) or (
            isinstance(error, TypeError | AttributeError)
            and "ellipsis" in str_of(error).lower()
        )

    @property
    def named(self):
        """The results: name, what was found, what was expected."""
        return zip(self.parts, self.found, self.expected, strict=True)

    @property
    def differing(self):
        """The wrong results, the most telling first.

        That is a wrong shape, or the weights, of which an output is made.
        """
        return sorted(
            (t for t in self.named if not equal(*t[1:])),
            key=lambda t: (t[1].shape == t[2].shape, t[0] != "weights"),
        )


def explain(trial, function):
    """Say what can be said without knowing the mistake."""
    value = trial.outcome.value
    if trial.outcome.error is not None:
        return ""
    if holds_more(trial):
        return phrase(
            "return {result} only, found {kind}.",
            result=called(trial.parts[0]),
            kind=kind(value),
        )
    if trial.found is None:
        return type_words(value, trial.parts, trial.expected)
    again = trial.read(call_again(function, trial.arguments).value)
    if again is None or not all_equal(again, trial.found):
        return phrase(
            "two calls with the same arguments give different results: does "
            "it draw random numbers, or keep something between calls?"
        )
    orders = itertools.permutations(trial.found)
    if any(all_equal(other, trial.expected) for other in orders):
        names = ", ".join(trial.parts)
        return phrase("return {names} in this order.", names=names)
    name, found, expected = trial.differing[0]
    return describe(found, expected, name)


def holds_more(trial):
    """Say whether the one result is there, but in a list or a tuple."""
    value = items(trial.outcome.value)
    return len(trial.parts) == 1 and any(
        a is not None and equal(a, trial.expected[0])
        for a in map(as_array, value[:8])
    )


def differences(trial):
    """Show the results that differ, two at most, line by line."""
    lines = []
    for name, found, expected in trial.differing[:2]:
        lines.append(phrase("expected {value}", value=show(name, expected)))
        lines.append(phrase("found {value}", value=show(name, found)))
        if found.size > LARGE and found.shape == expected.shape:
            lines.append(first_difference(found, expected))
    return lines
