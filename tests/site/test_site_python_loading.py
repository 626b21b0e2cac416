"""How the page's Python comes: only when asked, checked, kept, or not at all.

The server is one that can be disturbed; nothing stands between it and the
browser, so that the browser keeps files as it does for a reader.
"""

import contextlib
import gzip
import re

import pytest
import running
from exercising import code_of, stored_text
from playwright.sync_api import expect

FIRST, SECOND = "book/01-intuition", "book/02-self-attention"
CELL = running.number_of(FIRST, "ch01-vector-13")
PRINTED = stored_text(code_of(FIRST)[CELL]).strip()
LIMIT = 10_000_000

LOST = "Python could not be loaded: the connection is lost"
OTHER = "A file of Python is not the one that belongs to this page."
NO_WASM = "This browser runs no WebAssembly"
NO_WORKER = "This browser does not let the page start a worker"


@pytest.fixture
def reader(browser, shaky):
    """Return a function that opens pages for one reader."""
    with contextlib.closing(browser.new_context()) as context:

        def opener(name=FIRST, script=""):
            page = context.new_page()
            page.add_init_script(script)
            page.goto(f"{shaky.url}{name}.html")
            return page

        yield opener


def sent(path):
    """Return how many bytes a host sends that compresses what it can."""
    return len(gzip.compress(path.read_bytes()))


def press_run(page):
    """Press Run at a cell that needs two others; return the cell."""
    cell = running.cell(page, CELL)
    running.press(cell, "Run")
    return cell


def expect_result(cell):
    expect(running.output(cell).locator("pre")).to_have_text(PRINTED)
    expect(running.status(cell)).to_have_text("Done.")


def expect_as_it_was(cell):
    """Expect that a cell shows what was printed, and can be run."""
    expect(cell.get_by_role("button", name="Stop")).to_have_count(0)
    expect(running.output(cell)).to_have_count(0)
    expect(cell.locator(".cell_output")).to_be_visible()


# --- only when asked ---------------------------------------------------------


def test_nothing_of_python_is_loaded_before_a_press(reader, shaky):
    page = reader()
    page.mouse.wheel(0, 30_000)
    page.wait_for_load_state("networkidle")
    running.cell(page, CELL).hover()
    assert shaky.large() == []


def test_what_is_loaded_is_small_kept_and_loaded_once(reader, shaky, site):
    page = reader(script=COUNT)
    cell = press_run(page)
    other = running.cell(page, CELL + 1)
    running.press(other, "Run")
    expect(running.status(other)).to_contain_text("Another cell is running.")
    running.press(cell, "Run")
    expect_result(cell)
    assert page.evaluate("started") == 1
    assert len(set(shaky.large())) == len(shaky.large())
    names = {name.split("/")[-1] for name in shaky.large()}
    assert {"numpy.zip", "course.zip", "pyodide.asm.wasm"} < names
    sizes = [sent(site / name.strip("/")) for name in shaky.large()]
    assert sum(sizes) <= LIMIT
    told = page.locator("html").get_attribute("data-python-size")
    assert float(told) == pytest.approx(sum(sizes) / 1e6, abs=0.1)

    shaky.sent.clear()
    next_page = reader(SECOND)
    cell = next_page.locator(".cell.tag_setup")
    running.press(cell, "Run")
    expect(running.status(cell)).to_have_text("Done.")
    assert shaky.large() == []


KEPT = """async () => {
    const shelf = await caches.open('attention-course-python');
    return (await shelf.keys()).map(request => request.url);
}"""


def test_a_file_that_cells_read_is_kept_for_the_next_page(reader):
    page = reader()
    (found,) = running.ask(
        page, ['len(open("data/minilm-heads.npz", "rb").read())']
    )
    assert found["ok"]
    other = reader(SECOND)
    (found,) = running.ask(other, ["1 + 1"])
    assert found == {"ok": True, "text": "2"}
    kept = other.evaluate(KEPT)
    assert [url for url in kept if url.endswith("/minilm-heads.npz")]
    assert [url for url in kept if url.endswith("/numpy.zip")]


COUNT = """window.started = 0;
window.Worker = class extends Worker {
    constructor(...address) { super(...address); started += 1; }
};"""
SAVING = """Object.defineProperty(navigator, 'connection', {
    value: { saveData: true },
});"""


def test_a_reader_who_saves_data_is_asked_first_and_once(reader, shaky):
    page = reader(script=SAVING)
    cell = press_run(page)
    expect(running.status(cell)).to_have_text(
        re.compile(r"asks sites to save data\. Python is [5-9]\.\d MB")
    )
    running.press(cell, "Not now")
    expect_as_it_was(cell)
    expect(running.status(cell)).to_have_text("")
    assert not [n for n in shaky.large() if n.endswith((".zip", ".wasm"))]
    press_run(page)
    running.press(cell, "Run it all")
    expect_result(cell)
    press_run(page)
    expect_result(cell)


# --- slowly, or not as it should ---------------------------------------------


def test_a_slow_connection_shows_bytes_and_can_be_stopped(reader, shaky):
    shaky.faults["pyodide.asm.wasm"] = "slow"
    page = reader()
    cell = press_run(page)
    loading = re.compile(r"Loading Python: \d\.\d of \d\.\d MB")
    expect(running.status(cell)).to_have_text(loading)
    bar = cell.get_by_role("progressbar")
    some = "bar => bar.value > bar.max / 5"
    page.wait_for_function(some, arg=bar.element_handle())
    assert bar.evaluate("bar => bar.value < bar.max")
    running.press(cell, "Stop")
    expect(running.status(cell)).to_contain_text("Stopped.")
    expect_as_it_was(cell)
    expect(bar).to_have_count(0)
    press_run(page)
    expect(running.status(cell)).to_have_text(loading)
    shaky.go_on.set()
    expect_result(cell)


@pytest.mark.parametrize("name", ["python.js", "numpy.zip"])
def test_a_file_that_is_lost_cut_or_garbled_is_told(reader, shaky, name):
    page = reader()
    faults = {"missing": LOST, "cut": LOST, "garbled": OTHER}
    for fault, words in faults.items():
        shaky.faults[name] = fault
        cell = press_run(page)
        expect(running.status(cell)).to_contain_text(words)
        expect_as_it_was(cell)
        running.status(cell).evaluate("e => { e.textContent = ''; }")
    shaky.faults.clear()
    expect_result(press_run(page))


def test_a_file_that_a_cell_reads_may_be_lost_too(reader, shaky):
    shaky.faults["minilm-heads.npz"] = "missing"
    page = reader("book/08-real-heads")
    number = running.number_of("book/08-real-heads", "ch08-load")
    cell = running.cell(page, number)
    running.press(cell, "Run")
    expect(running.status(cell)).to_contain_text(LOST)
    shaky.faults.clear()
    running.press(cell, "Run")
    expect(running.status(cell)).to_have_text("Done.")


def test_buttons_that_cannot_load_their_script_say_so(reader, shaky):
    shaky.faults["live.js"] = "missing"
    page = reader()
    cell = press_run(page)
    expect(cell.locator(".py-bar")).to_contain_text("could not be loaded")
    shaky.faults.clear()
    expect_result(press_run(page))


# --- browsers that cannot ----------------------------------------------------


def test_without_webassembly_a_sentence_says_so(reader):
    cell = press_run(reader(script="delete window.WebAssembly;"))
    expect(running.status(cell)).to_contain_text(NO_WASM)
    expect_as_it_was(cell)


def test_without_workers_a_sentence_says_so(reader):
    refuse = "window.Worker = class { constructor() { throw Error('no'); } };"
    cell = press_run(reader(script=refuse))
    expect(running.status(cell)).to_contain_text(NO_WORKER)
    expect_as_it_was(cell)


def test_without_scripts_there_is_plain_code_and_no_button(visit):
    page = visit(f"{FIRST}.html", java_script_enabled=False).page
    cell = running.cell(page, CELL)
    assert cell.locator(".cell_input pre").is_visible()
    assert cell.locator(".cell_output").is_visible()
    assert page.locator(".cell_input").get_by_role("button").count() == 0
    assert page.locator(".py-bar").count() == 0
