"""The engine of the exercises: call what a learner wrote, judge it, say why.

`Check` judges a function, `Answer` a number found on paper. The exercises
themselves are in `coursekit.exercises`.
"""

from coursekit.checks.answers import Answer
from coursekit.checks.engine import Check, Mistake, Report, numbers

__all__ = ["Answer", "Check", "Mistake", "Report", "numbers"]
