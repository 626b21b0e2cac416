"""How the pages look: the one style sheet, the Korean font, some details."""

import base64
import io
import re

import hangul
import pytest
import sheets
from browsing import PHONE
from fontTools.ttLib import TTFont
from pages import CHAPTERS, DOCUMENTS, MADE_BY_SPHINX, ROOTS, html_pages
from playwright.sync_api import expect

PAGES = [f"{name}.html" for name in [*DOCUMENTS, *MADE_BY_SPHINX]]
CHAPTER = f"{CHAPTERS[1]}.html"
every_page = pytest.mark.parametrize("tabs", PAGES, indirect=True)


@pytest.fixture(scope="module")
def texts(site):
    return {
        name: (site / name).read_text("utf-8")
        for name in sorted(html_pages(site))
    }


# --- the style sheet ---------------------------------------------------------

# The selectors of a sheet that the purged one has not, and which match an
# element, whatever its state; `states` are what pointers and keys change.
LOST = r"""([whole, purged]) => {
    const states = /:(hover|focus(-within|-visible)?|active|visited|target)/g;
    const selectors = text => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(text);
        const found = new Set();
        const walk = (rules, where) => {
            for (const rule of rules) {
                const at = rule.conditionText ?? rule.media?.mediaText ?? '';
                for (const one of parts(rule.selectorText ?? '')) {
                    for (const name of rule.style) {
                        if (!name.startsWith('--')) {
                            found.add(`${where} | ${one} | ${name}`);
                        }
                    }
                }
                walk(rule.cssRules ?? [], `${where} ${at}`);
            }
        };
        walk(sheet.cssRules, '');
        return found;
    };
    const comma = /([^,()]|\([^()]*(\([^()]*\))*[^()]*\))+/g;
    const parts = text => (text.match(comma) ?? []).map(one => one.trim());
    const kept = selectors(purged);
    return [...selectors(whole)].filter(key => {
        if (kept.has(key)) return false;
        let selector = key.split(' | ')[1]
            .replace(/::[\w-]+(\([^)]*\))?/g, '')
            .replace(states, '')
            .replace(/, *(?=\))/g, '')
            .replace(/:not\(\)/g, '');
        if (!selector || /[>+~ ]$/.test(selector)) selector += '*';
        try {
            return document.querySelector(selector);
        } catch {
            return !/-(webkit|moz|ms)-/.test(selector);
        }
    });
}"""


def lost(page, site):
    """Return the rules that the page would need, and has not."""
    whole = sheets.WHOLE.read_text("utf-8")
    purged = (site / "_static" / sheets.NAME).read_text("utf-8")
    return page.evaluate(LOST, [whole, purged])


@every_page
def test_no_rule_is_left_out_that_a_page_needs(tabs, site):
    assert lost(tabs.light.page, site) == []


def test_no_rule_is_left_out_that_a_menu_or_a_dialog_needs(visit, site):
    page = visit(CHAPTER, viewport=PHONE).page
    for menu in page.locator(".dropdown-toggle").all():
        menu.click()
        assert lost(page, site) == []
    for button, dialog in {
        ".primary-toggle": "#pst-primary-sidebar-modal",
        ".secondary-toggle": "#pst-secondary-sidebar-modal",
        ".search-button": "#pst-search-dialog",
    }.items():
        page.locator(button).click()
        page.locator(dialog).and_(page.locator("[open]")).wait_for()
        assert lost(page, site) == []
        page.keyboard.press("Escape")
    page.locator(".copybtn").first.evaluate("button => button.click()")
    assert lost(page, site) == []


def test_no_rule_is_left_out_that_a_search_needs(visit, site):
    page = visit("search.html?q=softmax", viewport=PHONE).page
    page.locator("#search-results ul.search li a").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert lost(page, site) == []
    page.locator("#search-results ul.search li a").last.click()
    page.locator("span.highlighted").first.wait_for()
    assert lost(page, site) == []


def test_every_variable_of_the_theme_that_is_used_is_set(site):
    whole = sheets.WHOLE.read_text("utf-8")
    css = (site / "_static" / sheets.NAME).read_text("utf-8")
    texts = [css, *(p.read_text("utf-8") for p in site.rglob("book/*.html"))]
    used = {v for t in texts for v in re.findall(r"var\((--[\w-]+)", t)}
    roots = re.findall(r"(?:^|\})\s*(?::root|html)[^{}]*\{([^}]*)\}", whole)
    was_set = set(re.findall(r"(--[\w-]+)\s*:", ";".join(roots)))
    assert len(was_set) > 50
    assert used & was_set <= set(re.findall(r"(--[\w-]+):", css))


def test_a_page_links_one_style_sheet_and_those_of_its_fonts(texts):
    for name, text in texts.items():
        if name in ROOTS:
            continue
        head = text[: text.index("<body")]
        count = 1 + ('class="katex"' in text)
        count += bool(hangul.used_characters([text]))
        assert head.count('rel="stylesheet"') == count, name
        assert f"_static/{sheets.NAME}?v=" in head, name


FAR = """() => [...document.querySelectorAll('article section section > *')]
    .filter(e => !e.checkVisibility({ contentVisibilityAuto: true })).length"""


def test_what_is_far_from_the_screen_waits_and_can_be_linked(
    browser, base_url
):
    """The bottom is left for later, and an address with a # leads there."""
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(base_url + CHAPTER)
    hidden = page.evaluate(FAR)
    assert hidden > 20
    page.goto(base_url + CHAPTER + "#summary")
    heading = page.locator("#summary > h2")
    expect(heading).to_be_in_viewport()
    assert page.locator("#summary .katex").first.is_visible()
    context.close()


# --- the Korean font ---------------------------------------------------------


def test_every_hangul_character_is_in_the_font(site, texts):
    english = [t for name, t in texts.items() if not name.startswith("ko/")]
    script = (site / "_static" / "site.js").read_text("utf-8")
    shown = hangul.used_characters([*english, script.replace("가-힣", "")])
    faces = (site / "_static" / hangul.NAME).read_text("utf-8").splitlines()
    assert len(shown) > 50
    assert len(faces) == 2
    for face in faces:
        content = base64.b64decode(re.search(r"base64,([^)]+)", face)[1])
        ranges = re.search(r"unicode-range:([^;]+);", face)[1]
        named = {int(c, 16) for c in re.findall(r"U\+([0-9a-f]+)", ranges)}
        has = set(TTFont(io.BytesIO(content)).getBestCmap())
        assert named == has == set(map(ord, shown))
        assert len(content) < 100 * len(shown) + 1000


def test_a_page_with_hangul_links_the_font_and_no_other_does(texts):
    for name, text in texts.items():
        linked = f"_static/{hangul.NAME}?v=" in text
        assert linked == bool(hangul.used_characters([text])), name


# Elements whose text is one word of Hangul.
WORDS = """() => [...document.querySelectorAll('article *')].filter(
    e => !e.children.length && /^[가-힣]+$/.test(e.textContent)
        && e.checkVisibility())"""


@pytest.mark.parametrize("width", [390, 1280])
def test_no_korean_word_is_drawn_without_the_font(visit, width):
    """A word drawn before the font has come must be drawn again with it."""
    tab = visit(
        f"{CHAPTERS[4]}.html", viewport={"width": width, "height": 800}
    )
    tab.page.evaluate("document.fonts.ready")
    session = tab.context.new_cdp_session(tab.page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    session.send("DOM.getDocument", {"depth": -1})
    found = session.send("Runtime.evaluate", {"expression": f"({WORDS})()"})
    words = found["result"]["objectId"]
    count = tab.page.evaluate(f"({WORDS})().length")
    assert count > 20
    for i in range(count):
        word = session.send(
            "Runtime.callFunctionOn",
            {
                "objectId": words,
                "functionDeclaration": f"function() {{ return this[{i}]; }}",
            },
        )
        node = session.send(
            "DOM.requestNode", {"objectId": word["result"]["objectId"]}
        )
        fonts = session.send("CSS.getPlatformFontsForNode", node)["fonts"]
        assert all(font["isCustomFont"] for font in fonts), fonts


# --- looks -------------------------------------------------------------------


def test_shapes_are_a_line_of_the_api_page(texts):
    api = texts["book/api.html"]
    assert "<dt>Shapes" not in api
    assert api.count("<p>Shapes: <code") == api.count("Shapes:") > 40


@pytest.mark.parametrize("at", ["light", "dark"])
@pytest.mark.parametrize("tabs", ["book/by-hand/03-heads.html"], indirect=True)
def test_there_is_room_to_write_in_every_empty_cell(tabs, at):
    cells = getattr(tabs, at).page.locator("article td > p:empty")
    heights = cells.evaluate_all(
        "all => all.map(e => e.parentElement.clientHeight)"
    )
    assert len(heights) > 20
    assert min(heights) >= 40
