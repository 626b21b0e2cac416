"""What teaches with attnlib: explorers, quizzes, exercises and their checks.

The chapters import it beside `attnlib`, which holds the mathematics and
knows nothing of this package.
"""

from coursekit.phrases import set_language

__all__ = ["set_language"]
