"""The judge of numbers that were found on paper."""

import numpy as np

from coursekit.checks.diagnosis import describe
from coursekit.checks.engine import Check, Report
from coursekit.checks.results import as_array, has_ellipsis
from coursekit.checks.words import kind, show, wrap


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
            return self._not_attempted()
        expected = np.asarray(self.right)
        found = as_array(value)
        if found is None:
            many = f"{expected.size} numbers" if expected.ndim else "a number"
            return self._wrong(f"give {many}, found {kind(value)}.")
        if self._near(found, expected):
            return Report("right", wrap(f"Right: {self.verified}"))
        for name, mistake in self.mistakes.items():
            if any(self._near(found, np.asarray(w)) for w in mistake.ways):
                return self._wrong(mistake.words, name)
        if found.shape != expected.shape:
            return self._wrong(describe(found, expected, self.parts[0]))
        lines = ["", "found " + show(self.parts[0], found)]
        return self._wrong("this is not the right value.", None, lines)

    def _near(self, found, expected):
        return found.shape == expected.shape and np.allclose(
            found.astype(float), expected, rtol=0, atol=self.tolerance
        )
