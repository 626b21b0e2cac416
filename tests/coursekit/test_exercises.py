"""The exercises: their checks name the mistake that a learner made."""

import itertools
import linecache
import math

import numpy as np
import pytest
from learners import CHECKS, RIGHT, WRONG

import attnlib as al
from coursekit.checks import Answer
from coursekit.checks.edits import edited

FUNCTIONS = [n for n, c in CHECKS.items() if not isinstance(c, Answer)]
HUNT = [n for n, c in CHECKS.items() if c.untold]
COUNT = itertools.count()


def written(source):
    """Return a learner's function, whose source can be read as in Jupyter."""
    source = source.strip()
    if source.startswith("lambda"):
        source = f"function = {source}"
    file = f"<learner {next(COUNT)}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[file] = (len(source), None, lines, file)
    space = {"np": np, "al": al, "math": math}
    exec(compile(source, file, "exec"), space)
    found = [f for f in space.values() if type(f).__name__ == "function"]
    return found[-1]


def flat(report):
    return " ".join(report.text.split())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_right_source_is_right(name):
    check = CHECKS[name]
    assert check(check.reference).status == "right"
    report = check(written(check.right))
    assert report.status == "right", report


@pytest.mark.parametrize(
    ("name", "number"),
    [(name, i) for name in RIGHT for i in range(len(RIGHT[name]))],
)
def test_other_styles_are_right(name, number):
    report = CHECKS[name](written(RIGHT[name][number]))
    assert report.status == "right", report
    assert repr(report).startswith("Right: ")


@pytest.mark.parametrize(
    ("name", "mistake", "source"),
    [
        pytest.param(name, mistake, source, id=f"{name}-{mistake}-{i}")
        for name, mistakes in WRONG.items()
        for mistake, sources in mistakes.items()
        for i, source in enumerate(sources)
    ],
)
def test_a_learners_mistake_is_named(name, mistake, source):
    check = CHECKS[name]
    report = check(written(source), tell=True)
    assert report.status == "wrong", report
    assert report.mistake == mistake, report
    if mistake == "rule":
        assert "this exercise asks" in flat(report)
        return
    assert "not the only mistake" not in flat(report)
    words = check.mistakes[mistake].words
    assert flat(report).lower().startswith(f"wrong: {words}".lower())
    assert "Smallest failing example" in report.text
    for other, known in check.mistakes.items():
        assert other == mistake or known.words[1:] not in flat(report)


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        (name, mistake)
        for name in FUNCTIONS
        for mistake in CHECKS[name].mistakes
    ],
)
def test_the_edits_of_a_mistake_are_told_apart_from_all_others(name, mistake):
    check = CHECKS[name]
    for wrong in check.wrong(mistake):
        report = check(wrong, tell=True)
        assert report.mistake == mistake, report
        assert "not the only" not in flat(report)


@pytest.mark.parametrize("name", CHECKS)
def test_a_value_with_a_known_mistake_is_named(name):
    check = CHECKS[name]
    if name in FUNCTIONS:
        assert len(check.mistakes) >= 5
        return
    assert check(check.right).status == "right"
    for mistake, known in check.mistakes.items():
        for value in known.ways:
            assert check(value).mistake == mistake


@pytest.mark.parametrize("name", FUNCTIONS)
def test_learners_have_written_right_and_wrong_answers(name):
    assert len(RIGHT[name]) >= 2, "right answers in other styles"
    known = set(CHECKS[name].mistakes)
    assert set(WRONG[name]) - {"rule"} <= known
    missing = known - set(WRONG[name])
    assert len(missing) <= len(known) / 4, f"written by nobody: {missing}"


def test_every_learner_has_an_exercise():
    assert set(RIGHT) == set(WRONG) == set(FUNCTIONS)


@pytest.mark.parametrize("name", HUNT)
def test_the_bug_of_the_hunt_is_named_only_if_asked_for(name):
    check = CHECKS[name]
    bug = check.mistakes[check.untold]
    report = check(written(edited(check.right, bug.ways[0])))
    assert report.mistake == check.untold
    assert "it still gives what the function above gives" in flat(report)
    assert "Smallest failing example" in report.text
    assert bug.words not in flat(report)
    assert "you found it" in check(written(check.right)).text


@pytest.mark.parametrize("name", CHECKS)
def test_an_exercise_has_the_name_of_its_function_and_words(name):
    check = CHECKS[name]
    assert name == check.name
    assert repr(check) == f"<check of {check.name}({', '.join(check.names)})>"
    for words in (check.task, check.verified):
        assert words[0].islower() or words[0].isdigit()
        assert words.endswith(".")
    for known in check.mistakes.values():
        assert known.words[0].isupper() or known.words[0] in "`0123456789"
        assert known.words.endswith((".", "?", ".)"))
        assert len(known.words) < 400
