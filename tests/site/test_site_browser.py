"""The built site in a real browser, below a sub-path, without the world."""

import pytest
from browsing import DESK, PHONE, serious_violations
from pages import DOCUMENTS, MADE_BY_SPHINX, NOTEBOOKS
from playwright.sync_api import expect
from saved import Saved

PAGES = [f"{name}.html" for name in [*DOCUMENTS, *MADE_BY_SPHINX]]
UNFOLD = """() => {
    document.querySelectorAll('details').forEach(d => { d.open = true; });
    document.querySelectorAll('.toggle-hidden')
        .forEach(d => d.classList.remove('toggle-hidden'));
}"""


every_page = pytest.mark.parametrize("tabs", PAGES, indirect=True)
every_document = pytest.mark.parametrize(
    "tabs", [f"{name}.html" for name in DOCUMENTS], indirect=True
)
every_notebook = pytest.mark.parametrize(
    "tabs", [f"{name}.html" for name in NOTEBOOKS], indirect=True
)


@pytest.mark.parametrize("theme", ["light", "dark"])
@every_page
def test_page_opens_without_errors_or_other_hosts(tabs, theme):
    tab = getattr(tabs, theme)
    tab.page.wait_for_load_state("networkidle")
    assert tab.errors == []
    assert tab.foreign == []
    assert tab.page.locator("h1:visible").count() == 1


@every_document
def test_every_formula_is_typeset(tabs):
    page = tabs.light.page
    formulas = page.locator(".math.notranslate").count()
    typeset = page.locator(".math.notranslate:has(mjx-container)").count()
    assert typeset == formulas
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0


@every_document
def test_a_wide_formula_shows_its_beginning_on_a_phone(tabs):
    page = tabs.dark.page
    page.set_viewport_size(PHONE)
    starts = page.evaluate(
        """() => [...document.querySelectorAll('div.math')].map(box =>
            box.querySelector('mjx-math').getBoundingClientRect().left
            - box.getBoundingClientRect().left)"""
    )
    assert all(start >= 0 for start in starts), starts


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


@pytest.mark.parametrize("theme", ["light", "dark"])
@every_page
def test_page_is_accessible(tabs, theme):
    page = getattr(tabs, theme).page
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    page.set_viewport_size(DESK)
    page.mouse.move(0, 0)  # nothing is pointed at
    page.evaluate(UNFOLD)
    assert serious_violations(page) == []


@every_document
def test_page_reads_with_scripts_off(tabs):
    page = tabs.plain.page
    assert page.locator("article h1").is_visible()
    assert len(page.locator("article").inner_text()) > 50
    for image in page.locator("article img").all():
        assert image.is_visible()
    formulas = page.locator("article .math.notranslate")
    assert page.locator("article noscript > math").count() == formulas.count()
    sizes = formulas.evaluate_all(
        "all => all.map(e => getComputedStyle(e).fontSize)"
    )
    assert set(sizes) <= {"0px"}, "raw TeX is shown"


@every_document
def test_every_explorer_has_a_still_with_scripts_off(tabs, site):
    found = Saved((site / tabs.path).read_text("utf-8"))
    stills = tabs.plain.page.locator("article noscript .al-x")
    expect(stills).to_have_count(len(found.explorers))


def test_cheat_sheet_prints_on_one_page(visit):
    page = visit("book/cheat-sheet.html").page
    paper = page.pdf(format="A4", prefer_css_page_size=True)
    assert paper.count(b"/Type /Page\n") == 1


def test_the_root_leads_to_the_landing_page(visit):
    page = visit("index.html").page
    page.wait_for_url("**/book/index.html")


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
