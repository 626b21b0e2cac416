"""Cells that run in the page: what they show, and how they end."""

import pytest
import running
from exercising import code_of, stored_text
from playwright.sync_api import expect

FIRST, SECOND = "book/01-intuition", "book/02-self-attention"
NO_STORAGE = """for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, name, {
        configurable: true,
        get() { throw new DOMException("denied", "SecurityError"); },
    });
}"""


def number(cell_id):
    return running.number_of(FIRST, cell_id)


def printed(cell_id):
    return stored_text(code_of(FIRST)[number(cell_id)]).strip()


def cell_of(page, cell_id):
    return running.cell(page, number(cell_id))


def run(cell):
    running.press(cell, "Run")
    expect(running.status(cell)).to_have_text("Done.")


def write(cell, code):
    """Put other code into a cell."""
    running.press(cell, "Edit")
    expect(cell.get_by_role("textbox")).to_be_focused()
    cell.page.keyboard.press("Control+A")
    cell.page.keyboard.insert_text(code)


@pytest.fixture
def tab(visit):
    tab = visit(f"{FIRST}.html")
    yield tab
    assert (tab.errors, tab.foreign) == ([], [])


# --- how a run ends ----------------------------------------------------------


def test_stop_ends_an_endless_loop_and_what_is_needed_runs_again(tab):
    page = tab.page
    vector = cell_of(page, "ch01-vector-13")
    run(vector)
    endless = cell_of(page, "ch01-dict-06")
    write(endless, "print('begun')\nwhile True: pass")
    page.keyboard.press("Control+Enter")
    expect(running.output(endless)).to_have_text("begun")
    stop = endless.get_by_role("button", name="Stop")
    stop.press("Enter")
    expect(running.status(endless)).to_contain_text("Stopped.")
    expect(page.locator(".py-said")).to_contain_text("Stopped.")
    expect(stop).to_have_count(0)
    expect(endless.get_by_role("button", name="Run").first).to_be_focused()
    write(vector, "print(K.shape)")
    page.keyboard.press("Shift+Enter")
    expect(running.output(vector)).to_have_text("(3, 2)")


def test_a_breakdown_is_told_and_the_next_run_works(visit):
    page = visit(f"{FIRST}.html").page
    vector = cell_of(page, "ch01-vector-13")
    write(vector, "import os\nos.abort()")
    page.keyboard.press("Control+Enter")
    expect(running.status(vector)).to_contain_text("Python broke down")
    write(vector, "print(len(K))")
    page.keyboard.press("Control+Enter")
    expect(running.output(vector)).to_have_text("3")


KEEP = """window.Worker = class extends Worker {
    constructor(...address) { super(...address); window.worker = this; }
};"""


def test_a_worker_that_dies_is_told_and_the_next_run_works(visit):
    page = visit(f"{FIRST}.html", init_script=KEEP).page
    vector = cell_of(page, "ch01-vector-13")
    write(vector, "while True: pass")
    page.keyboard.press("Control+Enter")
    expect(running.status(vector)).to_have_text("Running …")
    page.evaluate("worker.dispatchEvent(new ErrorEvent('error'))")
    expect(running.status(vector)).to_contain_text("Python broke down")
    write(vector, "print(len(K))")
    page.keyboard.press("Control+Enter")
    expect(running.output(vector)).to_have_text("3")


def test_two_tabs_do_not_disturb_each_other(tab):
    page = tab.page
    other = page.context.new_page()
    other.goto(page.url)
    running.ask(page, ["mine = 1"])
    (unknown,) = running.ask(other, ["mine"])
    assert "NameError" in unknown["text"]
    endless = cell_of(page, "ch01-dict-06")
    write(endless, "print('begun')\nwhile True: pass")
    page.keyboard.press("Control+Enter")
    expect(running.output(endless)).to_have_text("begun")
    assert running.ask(other, ["6 * 7"]) == [{"ok": True, "text": "42"}]
    running.press(endless, "Stop")
    expect(running.status(endless)).to_contain_text("Stopped.")
    assert running.ask(other, ["6 * 7"]) == [{"ok": True, "text": "42"}]


def test_a_browser_that_keeps_nothing_runs_cells_and_says_so(visit):
    page = visit(f"{FIRST}.html", init_script=NO_STORAGE).page
    task = running.exercise(page, "ex-intuition-2")
    write(task, "print('kept?')")
    expect(running.status(task)).to_contain_text("keeps nothing for this site")
    page.keyboard.press("Control+Enter")
    expect(running.output(task)).to_have_text("kept?")


# --- what a run shows --------------------------------------------------------


def test_an_error_shows_the_readers_line(tab):
    page = tab.page
    vector = cell_of(page, "ch01-vector-13")
    write(vector, "a = 1\n\nprint(a + b_is_missing)\nprint(2)")
    page.keyboard.press("Control+Enter")
    error = running.output(vector)
    expect(error).to_contain_text("NameError: name 'b_is_missing'")
    expect(error).to_contain_text("line 3")
    expect(error).to_contain_text("print(a + b_is_missing)")
    expect(vector.locator(".py-marked")).to_have_text(
        "print(a + b_is_missing)"
    )
    expect(page.locator(".py-said")).to_have_text("Python reports an error.")
    expect(vector.get_by_role("textbox")).to_be_focused()
    write(vector, "print(1")
    expect(vector.locator(".py-marked")).to_have_count(0)
    page.keyboard.press("Control+Enter")
    expect(error).to_contain_text("SyntaxError")
    expect(vector.locator(".py-marked")).to_have_text("print(1")


def test_an_error_above_is_shown_where_it_is(tab):
    page = tab.page
    hand, vector = (
        cell_of(page, name) for name in ("ch01-hand-09", "ch01-vector-13")
    )
    write(hand, "K = V = 1 / 0")
    running.press(vector, "Run")
    expect(running.status(vector)).to_contain_text("A cell above")
    expect(running.output(hand)).to_contain_text("ZeroDivisionError")
    write(hand, "import numpy as np\nK = V = np.eye(2)")
    running.press(vector, "Run")
    expect(running.output(vector)).to_contain_text("shapes: (3, 2)")
    expect(running.output(hand)).to_have_count(0)


def test_the_printed_output_can_be_put_back(tab):
    page = tab.page
    vector = cell_of(page, "ch01-vector-13")
    old = vector.locator(".cell_output:not(.py-output)")
    write(vector, "print('new')")
    page.keyboard.press("Control+Enter")
    expect(running.output(vector)).to_have_text("new")
    expect(old).to_be_hidden()
    back = vector.get_by_role("button", name="Show the printed output")
    back.press("Enter")
    expect(old).to_be_visible()
    expect(running.output(vector)).to_have_count(0)
    expect(back).to_have_count(0)
    expect(vector.get_by_role("button", name="Run").first).to_be_focused()


def test_all_above_runs_and_shows_what_it_prints(tab):
    page = tab.page
    numpy = cell_of(page, "ch01-attnlib-15")
    numpy.hover()
    running.press(numpy, "Run all above")
    expect(running.status(numpy)).to_have_text("Done.")
    for name in ("ch01-dict-06", "ch01-hand-09", "ch01-vector-13"):
        shown = running.output(cell_of(page, name)).locator("pre")
        expect(shown).to_have_text(printed(name))
    expect(running.output(numpy)).to_have_count(0)


def test_maps_are_drawn_and_other_figures_stay(tab):
    page = tab.page
    maps = cell_of(page, "ch01-map-16")
    unfold(maps)
    run(maps)
    heat = running.output(maps).locator(".al-explorer table")
    expect(heat.first).to_be_visible()
    expect(running.output(maps)).to_contain_text("The largest weight is")
    expect(maps.locator("figure")).to_be_hidden()
    keys = cell_of(page, "ch01-keys-11")
    unfold(keys)
    run(keys)
    expect(keys.locator("figure").first).to_be_visible()
    expect(running.output(keys)).to_have_text(
        "The figure was drawn when the book was built."
    )


def unfold(cell):
    """Open a cell whose code is folded."""
    summary = cell.locator("details summary").first
    if summary.count() and not cell.locator(".py-run").is_visible():
        summary.click()


def test_an_explorer_that_is_run_works(tab):
    page = tab.page
    cell = cell_of(page, "ch01-explore")
    run(cell)
    explorer = running.output(cell).locator("form.al-explorer")
    expect(explorer).to_be_visible()
    slider = explorer.get_by_role("slider").first
    words = explorer.locator(".al-words").inner_text()
    slider.press("End")
    expect(explorer.locator(".al-words")).not_to_have_text(words)
    printed = cell.locator(".cell_output:not(.py-output) form.al-explorer")
    expect(printed).to_be_hidden()


def test_a_long_cell_says_how_long_and_asks(visit):
    name = "book/03-multi-head-attention"
    page = visit(f"{name}.html").page
    cell = running.cell(page, running.number_of(name, "ch03-cost-timing"))
    unfold(cell)
    running.press(cell, "Run")
    expect(running.status(cell)).to_contain_text("s in the page.")
    expect(cell.get_by_role("button", name="Run it all")).to_be_focused()
    assert cell.get_by_role("button", name="Run with fewer").is_visible()
    running.press(cell, "Not now")
    expect(cell.get_by_role("button", name="Run").first).to_be_focused()
    expect(running.output(cell)).to_have_count(0)
    running.press(cell, "Run")
    expect(cell.get_by_role("button", name="Run it all")).to_be_focused()
    running.press(cell, "Stop")
    expect(running.status(cell)).to_contain_text("Stopped.")
    expect(cell.get_by_role("button", name="Stop")).to_have_count(0)
