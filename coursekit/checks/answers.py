"""The judge of numbers that were found on paper."""

import numpy as np

from coursekit.checks.diagnosis import describe
from coursekit.checks.engine import Check
from coursekit.checks.results import as_array, has_ellipsis
from coursekit.checks.words import kind, show
from coursekit.phrases import phrase


class Answer(Check):
    """Judge a number, or a few, that were found on paper.

    As `Check`, but the learner gives the value itself: ``check(0.5)``. What
    is right, and the ways to make a mistake, are values too.
    """

    def __init__(self, name, *, tolerance=0.01, **settings):
        super().__init__(f"{name}()", cases=[()], **settings)
        self.tolerance = tolerance

    def __call__(self, value, *, tell=False):
        """Judge a value, which may be rounded."""
        if has_ellipsis(value):
            return self.not_attempted()
        expected = np.asarray(self.right)
        found = as_array(value)
        if found is None:
            return self._wrong(_asked(expected, kind(value)))
        if self._near(found, expected):
            return self._right()
        for name, mistake in self.mistakes.items():
            if any(self._near(found, np.asarray(w)) for w in mistake.ways):
                return self._wrong(phrase(mistake.words), name)
        if found.shape != expected.shape:
            return self._wrong(describe(found, expected, self.parts[0]))
        shown = show(self.parts[0], found)
        lines = ["", phrase("found {value}", value=shown)]
        return self._wrong(phrase("this is not the right value."), None, lines)

    def _near(self, found, expected):
        return found.shape == expected.shape and np.allclose(
            found.astype(float), expected, rtol=0, atol=self.tolerance
        )


def _asked(expected, found):
    """Say how many numbers the exercise asks for."""
    if expected.ndim:
        return phrase(
            "give {count} numbers, found {kind}.",
            count=expected.size,
            kind=found,
        )
    return phrase("give a number, found {kind}.", kind=found)
