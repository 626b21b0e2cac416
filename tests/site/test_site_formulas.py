"""Formulas of the built site: all of them rendered, legible, in their box."""

import base64
import io
import re
from html import unescape

import pytest
from browsing import DESK, serious_violations
from fontTools.ttLib import TTFont
from markup import Page
from pages import DOCUMENTS
from PIL import Image

SIZE = 1.1  # of a formula's letters, as compared with the prose around it
NARROW = {"width": 320, "height": 700}
TEX = re.compile(r'<annotation encoding="application/x-tex">([^<]+)<')
UNFOLD = """() => {
    document.querySelectorAll('details').forEach(d => { d.open = true; });
    document.querySelectorAll('.toggle-hidden')
        .forEach(d => d.classList.remove('toggle-hidden'));
}"""

every_document = pytest.mark.parametrize(
    "tabs", [f"{name}.html" for name in DOCUMENTS], indirect=True
)


def of_page(*names):
    """Run a test on some pages, opened once for all tests here."""
    pages = [f"book/{name}.html" for name in names]
    return pytest.mark.parametrize("tabs", pages, indirect=True)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_formula_is_rendered_and_keeps_its_tex(site, name):
    page = Page((site / f"{name}.html").read_text("utf-8"))
    elements = [*page.find("span", "math"), *page.find("div", "math")]
    assert len(page.find("span", "katex")) == len(elements)
    for element in elements:
        html = page.html[element.start : element.end]
        assert html.count("<math") == len(TEX.findall(html)) == 1, html
        assert html.count('<span class="katex-html" aria-hidden="true">') == 1
        shown = unescape(TEX.sub("", html))
        assert not re.search(r"\\[()\[\]]", shown), html


@pytest.mark.parametrize("name", DOCUMENTS)
def test_only_pages_with_formulas_load_their_style_and_none_a_script(
    site, name
):
    page = Page((site / f"{name}.html").read_text("utf-8"))
    styles = [e.attributes.get("href", "") for e in page.find("link")]
    styles = [path for path in styles if "/formulas.css?v=" in path]
    assert len(styles) == bool(page.find("span", "katex"))
    for script in page.find("script"):
        code = page.html[script.start : script.end].lower()
        assert "mathjax" not in code
        assert "katex" not in script.attributes.get("src", "")


# --- fonts -------------------------------------------------------------------

# The letters that a browser shows in each font: [family, style, weight].
LETTERS = """() => {
    const found = {};
    for (const root of document.querySelectorAll('.katex-html')) {
        const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
            const style = getComputedStyle(walk.currentNode.parentElement);
            const face = [style.fontFamily.split(',')[0], style.fontStyle,
                          style.fontWeight].join();
            found[face] = (found[face] ?? '') + walk.currentNode.data;
        }
    }
    return found;
}"""


@pytest.fixture(scope="module")
def fonts(site):
    """Return the letters of each font that the style sheet holds."""
    css = (site / "_static" / "formulas.css").read_text("utf-8")
    found = {}
    for rule in re.findall(r"@font-face\{[^}]+\}", css):
        face = [
            re.search(rf"font-{what}:([^;]+);", rule)[1]
            for what in ("family", "style", "weight")
        ]
        data = re.search(r"base64,([\w+/=]+)\)", rule)[1]
        font = TTFont(io.BytesIO(base64.b64decode(data)))
        found[",".join(face)] = set(map(chr, font.getBestCmap()))
    return found


@every_document
def test_fonts_have_every_letter_that_a_formula_shows(tabs, fonts):
    for face, letters in tabs.light.page.evaluate(LETTERS).items():
        missing = set(letters) - fonts[face] - {"\u200b"}
        assert not missing, f"{face}: {sorted(missing)}"


# --- looks -------------------------------------------------------------------


@every_document
def test_formulas_in_the_prose_are_of_its_size(tabs):
    ratios = tabs.light.page.evaluate(
        """() => [...document.querySelectorAll('span.math > .katex')].map(e =>
            parseFloat(getComputedStyle(e).fontSize)
            / parseFloat(getComputedStyle(e.parentElement).fontSize))"""
    )
    assert ratios == pytest.approx([SIZE] * len(ratios), abs=0.01)


@of_page("02-self-attention")
def test_the_sign_of_a_transpose_has_a_stem_and_a_bar(tabs):
    page = tabs.light.page
    page.set_viewport_size(DESK)
    sign = page.locator("p .katex-html .mtight", has_text=re.compile("^⊤$"))
    seen = sign.filter(visible=True).first
    picture = Image.open(io.BytesIO(seen.screenshot())).convert("L")
    wide, high = picture.size
    ink = [
        sum(255 - picture.getpixel((x, y)) for x in range(wide))
        for y in range(high)
    ]
    rows = [amount for amount in ink if amount > 60]
    assert len(rows) >= 4, "too low to be read"
    assert max(rows) >= 3 * sorted(rows)[len(rows) // 2], "a stem, no bar"


@every_document
def test_formulas_of_a_checklist_stand_in_their_line(tabs):
    page = tabs.light.page
    page.set_viewport_size(DESK)
    outside = page.evaluate(
        """() => [...document.querySelectorAll('label .katex-base')].filter(
            base => {
                const box = base.getBoundingClientRect();
                const label = base.closest('label').getBoundingClientRect();
                const range = document.createRange();
                range.selectNodeContents(base);
                const ink = range.getBoundingClientRect();
                return ink.left < box.left - 1 || ink.right > box.right + 1
                    || box.left < label.left || box.right > label.right
                    || box.top < label.top - 1
                    || box.bottom > label.bottom + 1;
            }).map(base => base.closest('label').textContent)"""
    )
    assert outside == []


# --- narrow screens ----------------------------------------------------------


@every_document
def test_a_wide_formula_shows_its_beginning_and_its_number(tabs):
    page = tabs.dark.page
    page.set_viewport_size(NARROW)
    page.evaluate(UNFOLD)
    wrong = page.evaluate(
        """() => [...document.querySelectorAll('div.math')].filter(math => {
            const box = math.querySelector('.katex-display');
            const first = math.querySelector('.katex-base');
            const number = math.querySelector('.eqno');
            const { left, right } = box.getBoundingClientRect();
            return first.getBoundingClientRect().left < left
                || number && number.getBoundingClientRect().left < right
                || (number ?? box).getBoundingClientRect().right > innerWidth;
        }).map(math => math.textContent)"""
    )
    assert wrong == []


@of_page("05-cross-attention", "cheat-sheet")
def test_the_keyboard_scrolls_a_formula_that_is_too_wide(tabs):
    page = tabs.dark.page
    page.set_viewport_size(NARROW)
    page.evaluate(UNFOLD)
    wide = page.locator(".katex-display[tabindex='0']")
    wide.first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.activeElement.scrollLeft > 0")
    rules = ["scrollable-region-focusable"]
    assert serious_violations(page, ".katex-display", rules=rules) == []


# --- scripts off -------------------------------------------------------------

SIZES = """() => [...document.querySelectorAll('.katex-base')].map(e => {
    const { width, height } = e.getBoundingClientRect();
    return [Math.round(width), Math.round(height)];
})"""


@every_document
def test_formulas_look_the_same_with_scripts_off(tabs):
    found = []
    for tab in (tabs.light, tabs.plain):
        tab.page.set_viewport_size(DESK)
        tab.page.evaluate(UNFOLD)
        found.append(tab.page.evaluate(SIZES))
    assert found[0] == found[1]
