"""The shell around the pages: policy, icons, style sheet, scripts, menus."""

import io
import json
import re

import hangul
import icons
import policy
import pytest
import sheets
from browsing import PHONE
from fontTools.ttLib import TTFont
from markup import Page
from pages import CHAPTERS, DOCUMENTS, MADE_BY_SPHINX, html_pages

PAGES = [f"{name}.html" for name in [*DOCUMENTS, *MADE_BY_SPHINX]]
CHAPTER = f"{CHAPTERS[1]}.html"
every_page = pytest.mark.parametrize("tabs", PAGES, indirect=True)


@pytest.fixture(scope="module")
def texts(site):
    return {
        name: (site / name).read_text("utf-8")
        for name in sorted(html_pages(site))
    }


# --- the policy ---------------------------------------------------------------


def test_every_page_starts_with_the_policy(texts):
    for name, text in texts.items():
        widgets = policy.STATE in text
        meta = (
            '<meta http-equiv="Content-Security-Policy" '
            f'content="{policy.policy(widgets)}">'
        )
        head = re.search(r"<head>\s*", text)
        place = head.end() if head else 0
        assert text.startswith(meta, place), name
        assert text.count("Content-Security-Policy") == 1, name


def test_policy_lets_no_script_of_the_page_itself_run(texts):
    rules = dict(r.split(" ", 1) for r in policy.policy().split("; "))
    assert rules["script-src"] == "'self'"
    for name, text in texts.items():
        for element in Page(text).elements:
            on = [a for a in element.attributes if a.startswith("on")]
            assert on == [], f"{name}: {element.tag} {on}"
            if element.tag == "script" and "src" not in element.attributes:
                assert "json" in element.attributes.get("type", ""), name


INJECTED = """
<img id=a src="https://example.org/a.png">
<img id=b src="missing.png" onerror="window.ran = 1">
<script>window.ran = 2</script>
<script src="https://example.org/a.js"></script>
<a id=c href="javascript:window.ran = 3">go</a>
<form id=d action="https://example.org/"><button>send</button></form>
"""
NOTE = """window.refused = [];
document.addEventListener('securitypolicyviolation', event => {
    refused.push(event.effectiveDirective);
});"""


def test_browser_refuses_what_the_policy_does_not_name(visit, site):
    html = (site / CHAPTER).read_text("utf-8")
    html = html.replace("<article", f"{INJECTED}<article", 1)
    tab = visit(CHAPTER, html=html, init_script=NOTE)
    page = tab.page
    page.locator("#c").click()
    page.locator("#d button").click()
    page.wait_for_function("refused.includes('form-action')")
    assert sorted(page.evaluate("refused")) == [
        "form-action",
        "img-src",
        "script-src-attr",
        "script-src-elem",
        "script-src-elem",
        "script-src-elem",
    ]
    assert page.evaluate("window.ran") is None
    assert tab.foreign == [], "it was asked for"


# --- icons --------------------------------------------------------------------

# The masks of all icons and titles, and whether each is seen.
MASKS = """() => {
    const look = (element, pseudo) => {
        const style = getComputedStyle(element, pseudo);
        return {
            mask: style.maskImage,
            size: Math.min(parseFloat(style.width), parseFloat(style.height)),
            seen: element.checkVisibility() && style.display !== 'none',
            what: element.outerHTML.slice(0, 200),
        };
    };
    return [
        ...[...document.querySelectorAll('.al-icon')].map(e => look(e)),
        ...[...document.querySelectorAll('.admonition > .admonition-title')]
            .map(e => look(e, '::after')),
    ];
}"""
SIZES = """all => Promise.all(all.map(async mask => {
    const image = new Image();
    image.src = mask.slice(5, -2);
    await image.decode();
    return image.naturalWidth;
}))"""


@every_page
def test_every_place_of_an_icon_shows_one(tabs):
    for tab in [tabs.light, tabs.dark]:
        found = tab.page.evaluate(MASKS)
        assert len(found) >= 8
        for icon in found:
            assert icon["mask"].startswith('url("data:image/svg+xml'), icon
            assert icon["size"] >= 12 or not icon["seen"], icon
        masks = sorted({icon["mask"] for icon in found})
        assert all(size > 0 for size in tab.page.evaluate(SIZES, masks))


def test_an_icon_that_nobody_drew_fails_the_build():
    page = Page('<i class="fa-solid fa-dragon"></i>')
    with pytest.raises(SystemExit, match="no icon for fa-dragon"):
        icons.replace(page)


def test_nothing_of_font_awesome_is_left(site, texts):
    files = [p.relative_to(site).as_posix() for p in site.rglob("*")]
    assert [f for f in files if "awesome" in f.lower()] == []
    for path in (site / "_static").glob("*.css"):
        assert not re.search("awesome|--fa-", path.read_text("utf-8"), re.I)
    for name, text in texts.items():
        assert not re.search(r'class="[^"]*\bfa-', text), name


# --- the style sheet ----------------------------------------------------------

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
                    for (const { 0: name } of
                         rule.style.cssText.matchAll(/[\w-]+(?=:)/g)) {
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
    const parts = text => text.match(/([^,()]|\([^()]*(\([^()]*\))*[^()]*\))+/g)
        ?.map(part => part.trim()) ?? [];
    const kept = selectors(purged);
    return [...selectors(whole)].filter(key => {
        if (kept.has(key)) return false;
        let selector = key.split(' | ')[1].replace(/::[\w-]+(\([^)]*\))?/g, '')
            .replace(states, '').replace(/:not\(\)/g, '');
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
    page.locator(".copybtn").first.click()
    assert lost(page, site) == []


def test_no_rule_is_left_out_that_a_search_needs(visit, site):
    page = visit("search.html?q=softmax", viewport=PHONE).page
    page.locator("#search-results ul.search li a").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert lost(page, site) == []
    page.locator("#search-results ul.search li a").last.click()
    page.locator("span.highlighted").first.wait_for()
    assert lost(page, site) == []


def test_every_variable_that_is_used_is_set(site):
    whole = sheets.WHOLE.read_text("utf-8")
    css = (site / "_static" / sheets.NAME).read_text("utf-8")
    texts = [css, *(p.read_text("utf-8") for p in site.rglob("book/*.html"))]
    used = {v for t in texts for v in re.findall(r"var\((--[\w-]+)", t)}
    was_set = set(re.findall(r"(--[\w-]+)\s*:", whole))
    assert used & was_set <= set(re.findall(r"(--[\w-]+):", css))


def test_a_page_links_one_style_sheet_before_its_text(texts):
    for name, text in texts.items():
        if name == "index.html":
            continue
        head = text[: text.index("<body")]
        assert head.count('rel="stylesheet"') == 1, name
        assert f"_static/{sheets.NAME}?v=" in head, name


# --- scripts ------------------------------------------------------------------


def test_the_browser_waits_for_one_small_script_only(site, texts):
    for name, text in texts.items():
        tags = re.findall(r"<script[^>]*\bsrc=[^>]*>", text)
        waits = [tag for tag in tags if " defer" not in tag]
        assert len(waits) == (name != "index.html"), name
        assert all("_static/first.js?v=" in tag for tag in waits), name
        searches = "searchindex.js" in text
        assert searches == (name == "search.html"), name
        assert 'rel="preload"' not in text, name
    assert (site / "_static" / "first.js").stat().st_size < 1000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_theme_is_right_before_the_other_scripts_run(browser, base_url, scheme):
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.route("**/site.js*", lambda route: route.abort())
    page.goto(base_url + CHAPTER)
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    page.evaluate("localStorage.setItem('mode', 'dark')")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    context.close()


def test_no_page_uses_a_script_that_was_dropped(texts):
    for name, text in texts.items():
        assert not re.search(r'class="[^"]*\bsd-tab-set', text), name
        toggles = set(re.findall(r'data-bs-toggle="(\w+)"', text))
        assert toggles <= {"dropdown", "tooltip"}, name


# --- menus, printing, the next page --------------------------------------------


def test_menus_open_and_close_by_pointer_and_keyboard(visit):
    tab = visit(CHAPTER)
    page = tab.page
    buttons = page.locator(".dropdown-toggle")
    first, second = buttons.nth(0), buttons.nth(1)
    menus = page.locator(".dropdown-menu")

    def shown():
        said = [b.get_attribute("aria-expanded") for b in buttons.all()]
        seen = [str(m.is_visible()).lower() for m in menus.all()]
        assert said == seen
        return seen.count("true")

    assert shown() == 0
    first.click()
    assert shown() == 1
    second.click()
    assert shown() == 1
    assert menus.nth(1).is_visible()
    second.click()
    assert shown() == 0
    second.press("ArrowDown")
    items = menus.nth(1).locator(".dropdown-item")
    assert items.nth(0).evaluate("e => e === document.activeElement")
    page.keyboard.press("ArrowDown")
    assert items.nth(1).evaluate("e => e === document.activeElement")
    page.keyboard.press("Escape")
    assert second.evaluate("e => e === document.activeElement")
    assert shown() == 0
    first.click()
    page.locator("article h1").click()
    assert shown() == 0
    second.press("ArrowDown")
    for _ in items.all():
        page.keyboard.press("Tab")
    assert shown() == 0, "the keyboard has left it"
    assert tab.errors == []


def test_menus_open_without_scripts(visit):
    page = visit(CHAPTER, java_script_enabled=False).page
    page.locator(".dropdown-download-buttons .dropdown-toggle").focus()
    link = page.locator(".btn-download-source-button")
    assert link.is_visible()


def test_pdf_button_prints(visit):
    count = "window.printed = 0; window.print = () => { printed += 1; };"
    page = visit(CHAPTER, init_script=count).page
    page.locator(".dropdown-download-buttons .dropdown-toggle").click()
    page.locator(".btn-download-pdf-button").click()
    assert page.evaluate("printed") == 1


@pytest.mark.parametrize("saves", [True, False])
def test_next_page_is_fetched_ahead_unless_data_is_saved(visit, saves):
    connection = f"{{ value: {{ saveData: {json.dumps(saves)} }} }}"
    script = f"Object.defineProperty(navigator, 'connection', {connection});"
    page = visit(CHAPTER, init_script=script).page
    links = page.locator("link[rel=prefetch]")
    found = links.evaluate_all("all => all.map(e => e.getAttribute('href'))")
    following = page.locator("a.right-next").evaluate("a => a.href")
    assert found == ([] if saves else [following])


# --- the Korean font ------------------------------------------------------------


def test_every_hangul_character_is_in_the_font(site, texts):
    shown = set()
    for text in texts.values():
        shown |= hangul.used_characters([text])
    css = (site / "_static" / sheets.NAME).read_text("utf-8")
    faces = re.findall(r'@font-face\{font-family:"Book Hangul"[^}]*\}', css)
    assert len(shown) > 50
    assert len(faces) == 2
    for face in faces:
        file = re.search(r"url\(([^?)]+)", face)[1]
        assert face.index("local(") < face.index("url(")
        content = (site / "_static" / file).read_bytes()
        named = {int(c, 16) for c in re.findall(r"U\+([0-9a-f]+)", face)}
        has = set(TTFont(io.BytesIO(content)).getBestCmap())
        assert named == has == set(map(ord, shown))
        assert len(content) < 100 * len(shown) + 1000


def test_a_page_with_hangul_loads_the_font_and_no_other_does(visit):
    def loaded(name):
        page = visit(f"{name}.html").page
        page.wait_for_load_state("networkidle")
        return page.evaluate(
            """() => performance.getEntriesByType('resource')
                .filter(e => e.name.includes('hangul')).length"""
        )

    assert loaded(CHAPTERS[0]) == 1
    assert loaded(CHAPTERS[6]) == 0


# --- looks ----------------------------------------------------------------------


def test_shapes_are_a_line_of_the_api_page(texts):
    api = texts["book/api.html"]
    assert "<dt>Shapes" not in api
    assert api.count("<p>Shapes: <code") == api.count("Shapes:") > 40


@pytest.mark.parametrize("at", ["light", "dark"])
@pytest.mark.parametrize("tabs", ["book/by-hand/03-heads.html"], indirect=True)
def test_there_is_room_to_write_in_every_empty_cell(tabs, at):
    cells = getattr(tabs, at).page.locator("article td:empty")
    heights = cells.evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().height)"
    )
    assert len(heights) > 20
    assert min(heights) >= 40
