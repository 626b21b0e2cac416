"""Exercises as places to write: the keyboard, drafts, hints, what is kept."""

import json

import nbformat
import pytest
import running
from browsing import DESK, PHONE, serious_violations
from exercising import exercises
from playwright.sync_api import expect

FIRST, LANDING = "book/01-intuition", "book/index"
PAGE = f"{FIRST}.html"
TASK = {e[0]: e for e in exercises(FIRST)}
LABEL = "ex-intuition-2"
WRITTEN = ("attention-course:code:", "attention-course:exercises")


def task(page, label=LABEL):
    return running.exercise(page, label)


def answer(label=LABEL):
    """Return the solution of an exercise with its check."""
    _, _, check, (solution,), _ = TASK[label]
    return f"{solution.strip()}\n\n\n{check}"


def start(label=LABEL):
    *_, cell = TASK[label]
    return cell["source"].rstrip()


def edit(cell):
    """Open the editor of an exercise, or go there; return it."""
    running.press(cell, "Edit")
    editor = cell.get_by_role("textbox")
    expect(editor).to_be_focused()
    return editor


def write(cell, code):
    editor = edit(cell)
    cell.page.keyboard.press("Control+A")
    cell.page.keyboard.insert_text(code)
    return editor


def code_in(editor):
    return "\n".join(editor.locator(".cm-line").all_text_contents())


# --- the keyboard ------------------------------------------------------------


def test_tab_indents_and_after_escape_leaves_the_editor(visit):
    page = visit(PAGE).page
    cell = task(page)
    cell.get_by_role("button", name="Edit").press("Enter")
    editor = cell.get_by_role("textbox")
    expect(editor).to_be_focused()
    label = editor.get_attribute("aria-label")
    assert "press Escape, then Tab, to leave the editor" in label
    assert TASK[LABEL][4]["id"] not in label
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("x = 1")
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    assert code_in(editor) == "    x = 1"
    page.keyboard.press("Shift+Tab")
    assert code_in(editor) == "x = 1"
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(cell.get_by_role("button", name="Run").first).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(editor).to_be_focused()
    assert code_in(editor) == "x = 1"


def test_the_focus_is_never_lost(visit):
    page = visit(PAGE).page
    cell = task(page)
    run, again = (
        cell.get_by_role("button", name=name, exact=True)
        for name in ("Run", "Start again")
    )
    run.press("Enter")
    report = running.output(cell).locator(".py-report")
    expect(report).to_contain_text("Not attempted yet: ")
    expect(run).to_be_focused()
    editor = write(cell, answer())
    page.keyboard.press("Shift+Enter")
    expect(report).to_contain_text("Right: ")
    expect(editor).to_be_focused()
    again.press("Enter")
    expect(editor).to_be_focused()
    expect(report).to_have_count(0)
    assert code_in(editor) == start()
    write(cell, "while True: pass")
    page.keyboard.press("Control+Enter")
    expect(running.status(cell)).to_have_text("Running …")
    cell.get_by_role("button", name="Stop").press("Enter")
    expect(running.status(cell)).to_contain_text("Stopped.")
    expect(run).to_be_focused()
    page.reload()
    again.press("Enter")
    expect(run).to_be_focused()
    expect(cell.locator(".cell_input pre").first).to_have_text(start())


def test_names_are_completed_while_one_writes(visit):
    page = visit(PAGE).page
    cell = task(page)
    write(cell, "import numpy as np\n")
    page.keyboard.press("Control+Enter")
    expect(running.status(cell)).to_have_text("Done.")
    page.keyboard.type("np.linalg.choles")
    options = page.get_by_role("option")
    expect(options).to_have_text(["cholesky"])


# --- what is kept ------------------------------------------------------------


def test_what_was_written_and_solved_is_kept_until_it_is_forgotten(visit):
    page = visit(PAGE).page
    write(task(page), answer())
    page.keyboard.press("Control+Enter")
    expect(running.output(task(page))).to_contain_text("Right: ")
    write(task(page, "ex-intuition-3"), "a draft")
    kept = running.status(task(page, "ex-intuition-3"))
    expect(kept).to_have_text("Kept in this browser.")

    page.reload()
    code = task(page).locator(".cell_input pre").first
    expect(code).to_have_text(answer())
    assert "py-solved" in task(page).get_attribute("class")
    draft = task(page, "ex-intuition-3")
    expect(draft.locator(".cell_input pre").first).to_have_text("a draft")
    assert code_in(edit(draft)) == "a draft"
    running.press(draft, "Start again")
    page.reload()
    first = draft.locator(".cell_input pre").first
    expect(first).to_have_text(start("ex-intuition-3"))

    page.goto(page.url.replace(FIRST, LANDING))
    progress = page.locator(".course-progress")
    row = progress.get_by_role("listitem").first
    expect(row).to_contain_text(f"1 of {len(TASK)} exercises")
    expect(progress).to_contain_text("1 of 46 exercises solved")
    progress.get_by_role("button", name="Forget all").click()
    dialog = progress.get_by_role("dialog")
    expect(dialog).to_contain_text("the code you wrote (1 exercises)")
    dialog.get_by_role("button", name="Forget them").click()
    expect(row).to_contain_text(f"0 of {len(TASK)} exercises")
    names = page.evaluate("Object.keys(localStorage)")
    assert not [name for name in names if name.startswith(WRITTEN)]
    page.goto(page.url.replace(LANDING, FIRST))
    expect(code).to_have_text(start())
    assert "py-solved" not in task(page).get_attribute("class")


def test_a_download_is_a_notebook_with_the_readers_code(visit):
    page = visit(PAGE).page
    write(task(page), answer())
    with page.expect_download() as waiting:
        running.press(task(page), "Download")
    download = waiting.value
    assert download.suggested_filename == "01-intuition-exercises.ipynb"
    text = download.path().read_text("utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    sources = [c["source"] for c in json.loads(text)["cells"]]
    assert answer() in sources
    for label in set(TASK) - {LABEL}:
        assert start(label) in sources
    assert "import numpy as np" in sources[0]


def test_code_is_copied(visit, browser):
    page = visit(PAGE, permissions=["clipboard-read", "clipboard-write"]).page
    write(task(page), answer())
    running.press(task(page), "Copy")
    expect(running.status(task(page))).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == answer()


# --- hints and reports -------------------------------------------------------


def test_hints_open_one_by_one(visit):
    page = visit(PAGE).page
    hints = page.locator(f"#{LABEL} details")
    count = hints.count()
    assert count >= 2
    more = task(page).get_by_role("button", name="Show the next hint")
    for shown in range(1, count + 1):
        more.press("Enter")
        expect(page.locator(f"#{LABEL} details[open]")).to_have_count(shown)
        summary = hints.nth(shown - 1).locator("summary")
        expect(summary).to_be_focused()
    more.press("Enter")
    expect(page.locator(f"#{LABEL} details[open]")).to_have_count(count)


@pytest.mark.parametrize(("theme", "size"), [("light", DESK), ("dark", PHONE)])
def test_an_open_editor_a_report_and_an_error_are_readable(visit, theme, size):
    touch = size is PHONE
    page = visit(PAGE, color_scheme=theme, viewport=size, has_touch=touch).page
    wrong = TASK[LABEL][1].replace("...", "keys[0]")
    write(task(page), f"{wrong}\n\n{TASK[LABEL][2]}")
    running.press(task(page), "Run")
    report = running.output(task(page)).locator(".py-report")
    expect(report).to_contain_text("Wrong: ")
    said = page.get_by_role("status").filter(has_text="Wrong: ")
    expect(said).to_have_text(report.inner_text())
    failing = task(page, "ex-intuition-3")
    write(failing, "print(a_name_that_is_not_there)  # " + "long " * 30)
    page.keyboard.press("Control+Enter")
    expect(running.output(failing)).to_contain_text("NameError")
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) <= size["width"]
    assert serious_violations(page) == []
