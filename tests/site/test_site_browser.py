"""The built site in a real browser, below a sub-path, without the world."""

import pytest
from browsing import PHONE, serious_violations
from pages import DOCUMENTS, MADE_BY_SPHINX, NOTEBOOKS

PAGES = [f"{name}.html" for name in [*DOCUMENTS, *MADE_BY_SPHINX]]
UNFOLD = """() => {
    document.querySelectorAll('details').forEach(d => { d.open = true; });
    document.querySelectorAll('.toggle-hidden')
        .forEach(d => d.classList.remove('toggle-hidden'));
}"""


@pytest.mark.parametrize("path", PAGES)
def test_page_opens_without_errors_or_other_hosts(visit, path):
    tab = visit(path)
    tab.page.wait_for_load_state("networkidle")
    assert tab.errors == []
    assert tab.foreign == []
    assert tab.page.locator("h1:visible").count() == 1


@pytest.mark.parametrize("path", [f"{name}.html" for name in DOCUMENTS])
def test_every_formula_is_typeset(visit, path):
    page = visit(path).page
    formulas = page.locator(".math.notranslate").count()
    typeset = page.locator(".math.notranslate:has(mjx-container)").count()
    assert typeset == formulas
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0


@pytest.mark.parametrize("path", [f"{name}.html" for name in DOCUMENTS])
def test_a_wide_formula_shows_its_beginning_on_a_phone(visit, path):
    page = visit(path, viewport=PHONE).page
    starts = page.evaluate(
        """() => [...document.querySelectorAll('div.math')].map(box =>
            box.querySelector('mjx-math').getBoundingClientRect().left
            - box.getBoundingClientRect().left)"""
    )
    assert all(start >= 0 for start in starts), starts


def test_cheat_sheet_prints_on_one_page(visit):
    page = visit("book/cheat-sheet.html").page
    paper = page.pdf(format="A4", prefer_css_page_size=True)
    assert paper.count(b"/Type /Page\n") == 1


@pytest.mark.parametrize("path", PAGES)
def test_page_does_not_scroll_sideways_on_a_phone(visit, path):
    page = visit(path, viewport=PHONE).page
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
@pytest.mark.parametrize("path", PAGES)
def test_page_is_accessible(visit, path, theme):
    page = visit(path, color_scheme=theme).page
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    page.evaluate(UNFOLD)
    assert serious_violations(page) == []


@pytest.mark.parametrize("path", [f"{name}.html" for name in DOCUMENTS])
def test_page_reads_with_scripts_off(visit, path):
    tab = visit(path, java_script_enabled=False)
    page = tab.page
    assert page.locator("article h1").is_visible()
    assert len(page.locator("article").inner_text()) > 50
    for image in page.locator("article img").all():
        assert image.is_visible()
    formulas = page.locator("article .math.notranslate")
    assert page.locator("article noscript > math").count() == formulas.count()
    for formula in formulas.all():
        style = "e => getComputedStyle(e).fontSize"
        assert formula.evaluate(style) == "0px", "raw TeX is shown"


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


def test_chapters_are_chained_by_previous_and_next(visit):
    page = visit(f"{DOCUMENTS[0]}.html").page
    for name in DOCUMENTS[1:]:
        page.locator("a.right-next").click()
        page.wait_for_url(f"**/{name}.html")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_can_be_downloaded(visit, name):
    tab = visit(f"{name}.html")
    link = tab.page.locator("a.btn-download-source-button").first
    answer = tab.page.request.get(link.evaluate("a => a.href"))
    assert answer.ok
    assert answer.json()["nbformat"] == 4


def test_code_can_be_copied_by_a_button(visit):
    page = visit(f"{NOTEBOOKS[0]}.html").page
    cells = page.locator("div.cell_input").count()
    assert page.locator("div.cell_input button.copybtn").count() == cells > 0
