"""The shell around the pages: policy, icons, scripts, menus."""

import json
import re

import icons
import policy
import pytest
import scripts
from markup import Page
from pages import CHAPTERS, DOCUMENTS, MADE_BY_SPHINX, ROOTS, html_pages

PAGES = [f"{name}.html" for name in [*DOCUMENTS, *MADE_BY_SPHINX]]
CHAPTER = f"{CHAPTERS[1]}.html"
every_page = pytest.mark.parametrize("tabs", PAGES, indirect=True)


@pytest.fixture(scope="module")
def texts(site):
    return {
        name: (site / name).read_text("utf-8")
        for name in sorted(html_pages(site))
    }


# --- the policy --------------------------------------------------------------


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


def test_policy_lets_only_the_first_script_of_the_page_itself_run(texts):
    rules = dict(r.split(" ", 1) for r in policy.policy().split("; "))
    allowed = r"'self' 'wasm-unsafe-eval' 'sha256-[\w+/]{43}='"
    assert re.fullmatch(allowed, rules["script-src"])
    assert rules["worker-src"] == "'self' blob:"
    assert rules["default-src"] == "'self'", "no other host"
    for name, text in texts.items():
        for element in Page(text).elements:
            on = [a for a in element.attributes if a.startswith("on")]
            assert on == [], f"{name}: {element.tag} {on}"
            if element.tag == "script" and "type" in element.attributes:
                assert "json" in element.attributes["type"], name


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
    page.evaluate("document.querySelector('#c').click()")
    page.evaluate("document.querySelector('#d button').click()")
    page.wait_for_function("() => refused.includes('form-action')")
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


# --- icons -------------------------------------------------------------------

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


# --- scripts -----------------------------------------------------------------


def test_the_browser_waits_for_no_script_but_one_in_the_page(texts):
    for name, text in texts.items():
        tags = re.findall(r"<script[^>]*\bsrc=[^>]*>", text)
        assert all(" defer" in tag for tag in tags), name
        inline = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
        known = [] if name in ROOTS else [scripts.first()]
        assert inline == known, name
        searches = "searchindex.js" in text
        assert searches == name.endswith("search.html"), name
        assert 'rel="preload"' not in text, name
    assert len(scripts.first()) < 1000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_theme_is_right_before_the_other_scripts_run(
    browser, base_url, scheme
):
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


# --- menus, printing, the next page ------------------------------------------


def test_menus_open_and_close_by_pointer_and_keyboard(visit):
    tab = visit(CHAPTER)
    page = tab.page
    buttons = page.locator(".dropdown-toggle")
    first, second = buttons.nth(0), buttons.nth(1)
    menus = page.locator(".dropdown-menu")

    def shown():
        page.mouse.move(0, 0)  # the theme opens a menu that is pointed at
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
