"""Every exercise, judged by the Python of the page."""

import ast
import contextlib

import numpy as np
import pytest
import running
from browsing import Visit
from exercising import CALL, WITH_EXERCISES, cells_of, exercises
from learners import CHECKS, WRONG
from playwright.sync_api import expect

from coursekit.checks import Answer

TOOLS = """import math
import numpy as np
import attnlib as al
from coursekit import exercises
"""
FIRST = "book/01-intuition"
PAGE = f"{FIRST}.html"


def planted(name):
    """Return a wrong answer with its check, and the mistake that it makes."""
    check = CHECKS[name]
    if isinstance(check, Answer):
        mistake, known = next(iter(check.mistakes.items()))
        value = np.asarray(known.ways[0]).tolist()
        return f"{TOOLS}exercises.check_{name}({value})", mistake
    wrong = {m: s for m, s in WRONG[name].items() if m in check.mistakes}
    mistake, sources = next(iter(wrong.items()))
    source = sources[0].strip()
    if source.startswith("lambda"):
        source = f"function = {source}"
    last = ast.parse(source).body[-1]
    function = getattr(last, "name", "function")
    asked = ", tell=True" if check.untold else ""
    call = f"exercises.check_{name}({function}{asked})"
    return f"{TOOLS}{source}\n\n{call}", mistake


@pytest.fixture(scope="module")
def answers(browser, base_url):
    """Return what the page's Python, started once, says of all answers.

    Each chapter begins with its own set-up cell, as for a reader.
    """
    keys, code = [], []
    for name in WITH_EXERCISES:
        setup = [c["source"] for c in cells_of(name) if "setup" in c["tags"]]
        keys += [None] * len(setup)
        code += setup
        for label, start, check, (solution,), _ in exercises(name):
            wrong, _ = planted(CALL.match(check)[1].removeprefix("check_"))
            keys += [(label, kind) for kind in ("start", "right", "wrong")]
            code += [f"{start}\n\n{check}", f"{solution}\n\n{check}", wrong]
    with contextlib.closing(Visit(browser, base_url)) as tab:
        tab.open(PAGE)
        found = running.ask(tab.page, code)
        assert tab.foreign == []
    return dict(zip(keys, found, strict=True))


def said(answer):
    assert answer["ok"], answer["text"]
    return " ".join(answer["text"].split())


@pytest.mark.parametrize("name", WITH_EXERCISES)
def test_starting_code_is_not_attempted_and_solution_right(answers, name):
    for label, *_ in exercises(name):
        assert said(answers[label, "start"]).startswith("Not attempted yet: ")
        assert said(answers[label, "right"]).startswith("Right: "), label


@pytest.mark.parametrize("name", WITH_EXERCISES)
def test_a_mistake_is_named(answers, name):
    for label, _, check, *_ in exercises(name):
        task = CALL.match(check)[1].removeprefix("check_")
        _, mistake = planted(task)
        words = CHECKS[task].mistakes[mistake].words
        told = said(answers[label, "wrong"]).lower()
        assert told.startswith(f"wrong: {words}".lower()), label


# --- written with keys -------------------------------------------------------


def write_lines(page, old, new):
    """Replace the lines of an editor that differ, key by key."""
    lines = zip(old.splitlines(), new.splitlines(), strict=True)
    for number, (before, after) in enumerate(lines):
        if before == after:
            continue
        page.keyboard.press("Control+Home")
        for _ in range(number):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Home")
        page.keyboard.press("Shift+End")
        page.keyboard.type(after.strip())


def code_in(editor):
    return "\n".join(editor.locator(".cm-line").all_text_contents())


@pytest.mark.parametrize(
    ("label", "way"),
    [
        ("ex-intuition-2", "Control+Enter"),
        ("ex-intuition-3", "Shift+Enter"),
        ("ex-intuition-4", "Run"),
    ],
)
def test_an_exercise_is_solved_with_keys(visit, label, way):
    (found,) = [e for e in exercises(FIRST) if e[0] == label]
    _, start, check, (solution,), _ = found
    tab = visit(PAGE)
    page = tab.page
    cell = running.exercise(page, label)
    cell.locator(".cell_input pre").click()
    editor = cell.get_by_role("textbox")
    expect(editor).to_be_focused()
    write_lines(page, start, solution.strip())
    assert code_in(editor) == f"{solution.strip()}\n\n\n{check}"
    if way == "Run":
        running.press(cell, way)
    else:
        page.keyboard.press(way)
    report = running.output(cell).locator(".py-report")
    expect(report).to_contain_text("Right: ")
    expect(page.locator(".py-said[role=status]")).to_contain_text("Right: ")
    if way != "Run":
        expect(editor).to_be_focused()
    assert (tab.errors, tab.foreign) == ([], [])
