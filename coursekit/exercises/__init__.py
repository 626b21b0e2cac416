"""The exercises of the course, one module a chapter.

Each is a `Check` or an `Answer`: what to write, a right answer, examples, and
the mistakes that learners make, as words and as edits of the right answer. To
add one, write it into the module of its chapter and name it here; then write
answers as a learner would, right ones and wrong ones, into
``tests/coursekit/learners_*.py``.
"""

from coursekit.exercises.intuition import (
    check_hard_lookup,
    check_sat_weights,
    check_share_out,
    check_slow_lookup,
    check_top_keys,
)

__all__ = [
    "check_hard_lookup",
    "check_sat_weights",
    "check_share_out",
    "check_slow_lookup",
    "check_top_keys",
]
