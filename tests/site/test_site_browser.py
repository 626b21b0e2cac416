"""The built site in a real browser, below a sub-path, without the world.

Each page is opened once in each look, for all tests here that only look at it
or leave it as it was.
"""

import re
import tomllib
from html import unescape
from pathlib import Path

import project
import pytest
from browsing import DESK, PHONE, serious_violations
from driving import Driver
from pages import DOCUMENTS, MADE_BY_SPHINX, NOTEBOOKS
from playwright.sync_api import expect
from saved import Saved

from coursekit.explorers.cards import to_html

PAGES = [f"{name}.html" for name in [*DOCUMENTS, *MADE_BY_SPHINX]]
QUIZZES = sorted((project.ROOT / "book" / "quizzes").glob("*.toml"))
UNFOLD = """() => {
    document.querySelectorAll('details').forEach(d => { d.open = true; });
    document.querySelectorAll('.toggle-hidden')
        .forEach(d => d.classList.remove('toggle-hidden'));
}"""


every_page = pytest.mark.parametrize("tabs", PAGES, indirect=True)
every_page_of_both_editions = pytest.mark.parametrize(
    "tabs", [*PAGES, *(f"ko/{name}" for name in PAGES)], indirect=True
)
every_document = pytest.mark.parametrize(
    "tabs", [f"{name}.html" for name in DOCUMENTS], indirect=True
)
every_notebook = pytest.mark.parametrize(
    "tabs", [f"{name}.html" for name in NOTEBOOKS], indirect=True
)


@pytest.mark.parametrize("theme", ["light", "dark"])
@every_page_of_both_editions
def test_page_opens_without_errors_or_other_hosts(tabs, theme):
    tab = getattr(tabs, theme)
    tab.page.wait_for_load_state("networkidle")
    assert tab.errors == []
    assert tab.foreign == []
    assert tab.page.locator("h1:visible").count() == 1


@every_document
def test_pages_are_chained_by_previous_and_next(tabs):
    page = tabs.light.page
    at = [f"{name}.html" for name in DOCUMENTS].index(tabs.path)
    around = {"a.left-prev": at - 1, "a.right-next": at + 1}
    for link, there in around.items():
        found = page.locator(link)
        if there not in range(len(DOCUMENTS)):
            assert found.count() == 0
            continue
        found.click(trial=True)  # it could be clicked: nothing is before it
        address = f"{tabs.base_url}{DOCUMENTS[there]}.html"
        assert found.evaluate("a => a.href") == address


@every_notebook
def test_notebook_can_be_downloaded(tabs):
    page = tabs.light.page
    link = page.locator("a.btn-download-source-button").first
    answer = page.request.get(link.evaluate("a => a.href"))
    assert answer.ok
    assert answer.json()["nbformat"] == 4


@every_notebook
def test_code_can_be_copied_by_a_button(tabs):
    page = tabs.light.page
    cells = page.locator("div.cell_input").count()
    assert page.locator("div.cell_input button.copybtn").count() == cells > 0


@every_page
def test_page_does_not_scroll_sideways_on_a_phone(tabs):
    page = tabs.dark.page
    page.set_viewport_size(PHONE)
    page.evaluate(UNFOLD)
    width = page.evaluate("document.documentElement.scrollWidth")
    wide = page.evaluate(
        """() => [...document.querySelectorAll('article *')].filter(e => {
            if (e.getBoundingClientRect().right <= innerWidth + 1) return 0;
            for (let p = e.parentElement; p; p = p.parentElement) {
                if (getComputedStyle(p).overflowX !== 'visible') return 0;
            }
            return 1;
        }).map(e => e.outerHTML.slice(0, 120))"""
    )
    assert width <= PHONE["width"], wide
    assert wide == []


# --- explorers and questions -------------------------------------------------


@every_document
def test_every_explorer_of_the_page_works(tabs, site):
    found = Saved((site / tabs.path).read_text("utf-8"))
    tab = tabs.light
    for number, explorer in enumerate(found.explorers):
        driver = Driver(tab.page, explorer, number)
        driver.drive("keyboard", ends=True)
        driver.drive("pointer", ends=True)
    assert tab.errors == []
    assert tab.foreign == []


VERDICTS = {True: "Right. ", False: "Not quite. "}


def words(html):
    """Return what is said, without the formulas."""
    html = re.sub(r"\\\(.*?\\\)", "", html)
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


# Click every answer of a group of questions; after each, read what is shown.
CLICK_ALL = """(form) => {
    const read = () => [...form.querySelectorAll('.al-why > p, .al-then')]
        .filter(e => e.checkVisibility())
        .map(e => {
            const copy = e.cloneNode(true);
            copy.querySelectorAll('.math')
                .forEach(m => m.remove());
            return e.matches('p')
                ? copy.textContent.split(/\\s+/).join(' ').trim() : 'picture';
        });
    const found = [read()];
    for (const card of form.querySelectorAll('.al-card')) {
        for (const label of card.querySelectorAll('label')) {
            form.reset();
            label.click();
            found.push(read());
        }
    }
    form.reset();
    found.push(read());
    return found;
}"""


@pytest.mark.parametrize(
    "tabs", [f"book/{file.stem}.html" for file in QUIZZES], indirect=True
)
def test_each_choice_shows_its_own_explanation_and_no_other(tabs):
    file = QUIZZES[0].with_name(Path(tabs.path).stem + ".toml")
    questions = tomllib.loads(file.read_text("utf-8"))["question"]
    expected = [
        [words(VERDICTS[a.get("right", False)] + to_html(a["why"]))]
        for question in questions
        for a in question["answer"]
    ]
    form = tabs.light.page.locator(".al-quiz")
    assert form.evaluate(CLICK_ALL) == [[], *expected, []]
    assert tabs.light.errors == []


@every_notebook
def test_every_prediction_hides_its_picture_until_a_choice(tabs, site):
    count = (site / tabs.path).read_text("utf-8").count("al-predict")
    forms = tabs.light.page.locator(".al-predict")
    assert forms.count() == count
    for form in forms.all():
        nothing, *shown, again = form.evaluate(CLICK_ALL)
        assert nothing == again == []
        assert all(len(s) == 2 and s[1] == "picture" for s in shown)
        assert len({s[0] for s in shown}) == len(shown), "equal comments"
        form.locator("label").first.click()
        said = form.locator(".al-then, .al-then svg")
        assert len(said.last.get_attribute("aria-label")) > 40


# --- accessibility: these tests take most of the code off the page -----------


@pytest.mark.parametrize("theme", ["light", "dark"])
@every_page
def test_page_is_accessible(tabs, theme):
    page = getattr(tabs, theme).page
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    page.set_viewport_size(DESK)
    page.mouse.move(0, 0)  # nothing is pointed at
    page.evaluate(UNFOLD)
    # Only colours differ between the themes.
    rules = None if theme == "light" else ["color-contrast"]
    assert serious_violations(page, rules=rules) == []


@every_document
def test_page_reads_with_scripts_off(tabs):
    page = tabs.plain.page
    assert page.locator("article h1").is_visible()
    assert len(page.locator("article").inner_text()) > 50
    for image in page.locator("article img, article figure svg").all():
        assert image.is_visible()


@every_document
def test_every_explorer_has_a_still_with_scripts_off(tabs, site):
    found = Saved((site / tabs.path).read_text("utf-8"))
    stills = tabs.plain.page.locator("article .al-explorer .al-x:visible")
    expect(stills).to_have_count(len(found.explorers))


def test_cheat_sheet_prints_on_one_page(visit):
    page = visit("book/cheat-sheet.html").page
    paper = page.pdf(format="A4", prefer_css_page_size=True)
    assert paper.count(b"/Type /Page\n") == 1


def test_the_root_leads_to_the_landing_page(browser, base_url):
    page = browser.new_page()
    page.goto(base_url + "index.html")
    page.wait_for_url("**/book/index.html")
    page.close()


def test_search_finds_a_word_and_leads_there(visit):
    tab = visit("book/index.html")
    page = tab.page
    page.keyboard.press("Control+k")
    field = page.locator("dialog input[name=q]")
    field.fill("softmax")
    field.press("Enter")
    page.wait_for_url("**/search.html?q=softmax*")
    hit = page.locator("#search-results ul.search li a").first
    hit.wait_for()
    # The search fetches each hit's summary; leaving would cut that short.
    page.wait_for_load_state("networkidle")
    hit.click()
    page.wait_for_url("**/book/*.html*")
    assert "softmax" in page.locator("article").inner_text()
    assert tab.errors == []


def test_theme_button_changes_the_theme_and_is_remembered(visit):
    tab = visit("book/index.html", color_scheme="light")
    page = tab.page
    theme = "document.documentElement.dataset.theme"
    while page.evaluate(theme) != "dark":
        before = page.evaluate("document.documentElement.dataset.mode")
        page.locator("button.theme-switch-button:visible").first.click()
        assert page.evaluate("document.documentElement.dataset.mode") != before
    page.reload()
    assert page.evaluate(theme) == "dark"


def test_next_page_opens_by_a_click(visit):
    page = visit(f"{DOCUMENTS[0]}.html").page
    page.locator("a.right-next").click()
    page.wait_for_url(f"**/{DOCUMENTS[1]}.html")
