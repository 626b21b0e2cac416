"""The checks of the exercises: they name the mistake, and never fail."""

import math

import learners_bugs
import learners_cross_attention
import learners_efficient
import learners_intuition
import learners_language
import learners_multi_head
import learners_positions
import learners_real_heads
import learners_self_attention
import numpy as np
import pytest

import attnlib as al
from coursekit import checks
from coursekit.checks import Answer

CHAPTERS = [
    learners_intuition,
    learners_self_attention,
    learners_multi_head,
    learners_positions,
    learners_cross_attention,
    learners_language,
    learners_efficient,
    learners_real_heads,
    learners_bugs,
]
LEARNERS = {
    name: learner
    for chapter in CHAPTERS
    for name, learner in chapter.LEARNERS.items()
}
CHECKS = {
    name: getattr(checks, name)
    for name in checks.__all__
    if name.startswith("check_")
}
FUNCTIONS = [n for n, c in CHECKS.items() if not isinstance(c, Answer)]
OTHERS = [
    (name, number)
    for name, (_, _, others) in LEARNERS.items()
    for number in range(len(others))
]


def written(source):
    """Return the last function that a source defines."""
    space = {"np": np, "al": al, "math": math}
    exec(source, space)
    functions = [f for f in space.values() if type(f).__name__ == "function"]
    return functions[-1]


def edited(source, edits):
    for old, new in edits:
        assert old in source, old
        source = source.replace(old, new)
    return source


# By edits of the right answer, and in other ways that learners write.
PLANTED = [
    (name, mistake, edited(source, changes))
    for name, (source, edits, _) in LEARNERS.items()
    for mistake, changes in edits.items()
] + [way for c in CHAPTERS for way in getattr(c, "WAYS", [])]


@pytest.mark.parametrize(
    ("name", "mistake", "source"),
    PLANTED,
    ids=[f"{name}-{mistake}" for name, mistake, _ in PLANTED],
)
def test_a_planted_mistake_is_named(name, mistake, source):
    check = CHECKS[name]
    report = check(written(source), tell=True)
    print(report)
    text = " ".join(report.text.split())
    assert report.status == "wrong"
    assert report.mistake == mistake
    assert "not the only mistake" not in text
    words = check.mistakes[mistake].words
    assert text.lower().startswith(f"wrong: {words}".lower())
    assert "Smallest failing example" in text
    for other, known in check.mistakes.items():
        assert other == mistake or known.words[1:] not in text


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_right_answer_is_right(name):
    report = CHECKS[name](written(LEARNERS[name][0]))
    print(report)
    assert report
    assert report.status == "right"
    assert repr(report).startswith("Right: ")


@pytest.mark.parametrize(("name", "number"), OTHERS)
def test_other_styles_are_right(name, number):
    report = CHECKS[name](written(LEARNERS[name][2][number]))
    print(report)
    assert report.status == "right"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_mistake_of_every_check_is_planted(name):
    _, edits, others = LEARNERS[name]
    assert set(edits) == set(CHECKS[name].mistakes)
    assert len(edits) >= 5
    assert len(others) >= 2, "right answers in other styles"


def test_every_learner_belongs_to_a_check():
    assert set(LEARNERS) == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_wrong_functions_of_a_check_are_told_apart(name):
    check = CHECKS[name]
    assert check(check.reference)
    for mistake, known in check.mistakes.items():
        for function in known.functions:
            report = check(function)
            assert report.mistake == mistake
            assert "not the only" not in " ".join(report.text.split())


@pytest.mark.parametrize("name", learners_bugs.LEARNERS)
def test_the_bug_of_the_hunt_is_named_at_the_end_only(name):
    check = CHECKS[name]
    source, edits, _ = LEARNERS[name]
    report = check(written(edited(source, edits[check.untold])))
    text = " ".join(report.text.split())
    assert report.mistake == check.untold
    assert "it still gives what the function above gives" in text
    assert "Smallest failing example" in text
    assert check.mistakes[check.untold].words not in text
    assert "you found it" in check(written(source)).text


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_has_the_name_of_its_function_and_words(name):
    check = CHECKS[name]
    assert name == f"check_{check.name}"
    assert repr(check) == f"<check of {check.name}({', '.join(check.names)})>"
    for words in (check.task, check.verified):
        assert words[0].islower() or words[0].isdigit()
        assert words.endswith(".")
    for known in check.mistakes.values():
        assert known.words[0].isupper() or known.words[0] in "`0123456789"
        assert known.words.endswith((".", "?", ".)"))
        assert len(known.words) < 400
