"""Explorers in a live JupyterLab that has only the requirements."""

import json
import os
import shutil
import subprocess

import korean_book
import live
import nbformat
import project
import pytest
import trial
from pages import NOTEBOOKS
from playwright.sync_api import expect

from coursekit import explorers

SECONDS = 1000
# No cell waits or runs. (Questions hide their code, and with it the prompt.)
SETTLED = """() => {
    const { content } = window.jupyterapp.shell.currentWidget;
    const code = content.widgets.filter(c => c.model.type === 'code');
    return code.length && code.every(c => c.model.executionCount);
}"""
OWN = """import numpy as np
explorers.explore_weight(
    np.array([[1.0, 2.0], [3.0, 5.0], [0.0, 1.0]]),
    np.eye(3, 2),
    ["나는", "학교에", "간다"],
)"""
BAD = "explorers.explore_masks(np.ones((2, 3)))"


def tagged(name, tag):
    """Return the sources of a notebook's cells that carry a tag."""
    text = (project.ROOT / f"{name}.ipynb").read_text("utf-8")
    return [
        "".join(cell["source"])
        for cell in json.loads(text)["cells"]
        if tag in cell["metadata"].get("tags", [])
    ]


CHAPTERS = [name for name in NOTEBOOKS if tagged(name, "widget")]
# Two of them, one that reads data, unless all are asked for (weekly.yml).
if not os.environ.get("COURSE_ALL_LIVE"):
    CHAPTERS = [CHAPTERS[0], CHAPTERS[-1]]


def written_in_binder():
    """Run what Binder runs last; return the folder of Korean notebooks."""
    folder = korean_book.FOLDER / "book"
    shutil.rmtree(folder / "quizzes", ignore_errors=True)
    python = live.environment() / "bin"
    subprocess.run(
        [str(project.ROOT / ".binder" / "postBuild")],
        check=True,
        cwd=project.ROOT,
        env={**os.environ, "PATH": f"{python}:{os.environ['PATH']}"},
    )
    assert (folder / "quizzes" / "01-intuition.toml").is_file()
    return folder


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Serve copies of the chapters and one more notebook; give the address."""
    home, root = (tmp_path_factory.mktemp(n) for n in ("home", "root"))
    for name in CHAPTERS:
        shutil.copy(project.ROOT / f"{name}.ipynb", root)
    shutil.copy(project.ROOT / "book" / "matplotlibrc", root)
    for folder in ("data", "quizzes"):
        shutil.copytree(project.ROOT / "book" / folder, root / folder)
    korean = written_in_binder() / f"{CHAPTERS[0].split('/')[-1]}.ipynb"
    shutil.copy(korean, root / "korean.ipynb")
    sources = ["explorers.explore_scale()", OWN, BAD]
    nbformat.write(trial.notebook("Live", sources), root / "live.ipynb")
    with live.server(home, root) as address:
        yield address


@pytest.fixture(scope="module")
def context(browser):
    """Return one context, so that JupyterLab is fetched once."""
    found = browser.new_context(viewport={"width": 1280, "height": 900})
    yield found
    found.close()


@pytest.fixture
def run(context, lab):
    """Return a function that opens a notebook and runs all its cells."""
    page = context.new_page()
    page.set_default_timeout(60 * SECONDS)

    def runner(name):
        page.goto(f"{lab}lab/tree/{name}.ipynb?reset")
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
        page.wait_for_function(
            """() => {
                const now = window.jupyterapp?.shell.currentWidget;
                return now?.sessionContext?.session?.kernel?.status === 'idle';
            }"""
        )
        page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
        return page

    yield runner
    page.close()


def test_sliders_move_and_own_arrays_and_bad_arguments_work(run):
    page = run("live")
    first, own = (page.locator(".al-explorer").nth(i) for i in range(2))
    panel = explorers.explore_scale(widths=[256, 512])
    for element in (first, own):
        expect(element.locator(".al-words")).to_be_visible()
    words = first.locator(".al-words")
    assert words.inner_text() in panel.frames[512, "with"]
    first.get_by_role("slider").press("ArrowLeft")
    expect(words).to_contain_text("Width 256")
    assert words.inner_text() in panel.frames[256, "with"]
    first.get_by_role("button", name="without").click()
    expect(words).to_contain_text("without")
    assert words.inner_text() in panel.frames[256, "without"]

    query, key = own.locator(".widget-toggle-buttons").all()
    query.get_by_role("button", name="학교에").click()
    key.get_by_role("button", name="나는").click()
    expect(own.locator(".al-words")).to_contain_text(
        "“학교에” looks at “나는”: the products add up to 3.00"
    )
    expect(words).to_contain_text("Width 256, without")

    problem = page.locator(".jp-OutputArea-output").last
    expect(problem).to_contain_text("ValueError: scores must have shape")
    expect(problem).to_contain_text("(n, n) with n at most 8, got (2, 3)")


def test_a_korean_notebook_speaks_korean(run):
    page = run("korean")
    page.wait_for_function(SETTLED)
    words = page.locator(".al-explorer .al-words").first
    expect(words).to_contain_text("온도 1에서 “sat” 쿼리는 “cat” 키를")
    reports = page.locator(".jp-OutputArea-output", has_text="아직 풀지 않았")
    expect(reports.first).to_be_visible()
    assert page.locator("a.other-edition").get_attribute("lang") == "en"
    errors = page.locator("[data-mime-type='application/vnd.jupyter.stderr']")
    assert errors.count() == 0


def move(element):
    """Move the last control of an explorer to another option."""
    if element.get_by_role("slider").count():
        handle = element.get_by_role("slider").last
        at_start = handle.get_attribute("aria-valuenow") == "0.0"
        handle.press("End" if at_start else "Home")
    elif element.locator(".widget-toggle-button").count():
        element.locator(".widget-toggle-button:not(.mod-active)").last.click()
    else:
        menu = element.locator("select").last
        at_start = menu.evaluate("m => m.selectedIndex === 0")
        last = menu.locator("option").count() - 1
        menu.select_option(index=last if at_start else 0)


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_runs_and_its_explorers_move(run, name):
    page = run(name.split("/")[-1])
    page.wait_for_function(SETTLED)
    assert page.locator(".jp-RenderedText[data-mime-type*=error]").count() == 0
    elements = page.locator(".al-explorer")
    expect(elements).to_have_count(len(tagged(name, "widget")))
    for element in elements.all():
        words = element.locator(".al-words")
        expect(words).to_be_visible()
        before = words.inner_text()
        move(element)
        expect(words).not_to_have_text(before)
    for kind in ("quiz", "predict"):
        forms = page.locator(f".al-{kind}")
        expect(forms).to_have_count(len(tagged(name, kind)))
        for form in forms.all():
            choose(page, form)
    assert page.locator(".al-ask .math:not(:has(mjx-container))").count() == 0


def choose(page, form):
    """Choose the second answer with the keyboard; see that it answers."""
    radios, said = (
        form.get_by_role("radio"),
        form.locator(".al-why > p:visible"),
    )
    expect(said).to_have_count(0)
    radios.first.focus()
    page.keyboard.press("ArrowDown")
    expect(radios.nth(1)).to_be_checked()
    expect(said).to_have_count(1)
    for picture in form.locator(".al-then").all():
        expect(picture).to_be_visible()
