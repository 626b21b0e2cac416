"""Checks of the exercises: they say what is right, and name what is wrong.

Each check takes the function that you wrote and answers in words. It never
fails itself, whatever the function does. A new check is an object
`attnlib.checks.engine.Check` in the module of its chapter; its docstring
says what it is made of, and ``tests/test_checks.py`` asks for one learner's
function for each mistake.
"""

from attnlib.checks.engine import Answer, Check, Mistake, Report

__all__ = ["Answer", "Check", "Mistake", "Report"]
