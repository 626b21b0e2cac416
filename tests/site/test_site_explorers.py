"""Explorers on static pages: no kernel, no other host, a real browser.

All explorers are on a throwaway page; whatever the chapters show is driven
in the same way. What a frame must show is read from the page's saved state,
whose every frame is compared with a fresh computation.
"""

import gzip
import json
import re
from itertools import pairwise, product

import pytest
from browsing import PHONE, Visit, serious_violations
from pages import DOCUMENTS
from playwright.sync_api import expect
from saved import Saved
from trial import HOSTILE, NAMES

from coursekit import explorers

PAGES = [f"{name}.html" for name in DOCUMENTS]
SHOWS = """([explorer, html]) => {
    const visible = explorer.querySelectorAll('.al-x');
    if (visible.length !== 1) return false;
    const found = visible[0].cloneNode(true);
    found.querySelectorAll('[tabindex]')
        .forEach(e => e.removeAttribute('tabindex'));
    const wanted = document.createElement('div');
    wanted.innerHTML = html;
    return found.outerHTML === wanted.innerHTML;
}"""
# The runtime writes a menu's spaces as spaces that do not break.
TEXTS = """elements => elements.map(
    e => e.textContent.replaceAll('\\u00a0', ' '))"""


@pytest.fixture(scope="module")
def saved(trial_site):
    return Saved((trial_site / "book" / "index.html").read_text("utf-8"))


def key_to(index, labels, step):
    """Return the key that leads to an option from the one before it."""
    ends = {0: "Home", len(labels) - 1: "End"}
    return ends.get(index, step)


class Driver:
    """One explorer in a browser, next to what it should show."""

    def __init__(self, page, saved, number):
        self.page, self.saved = page, saved
        self.name = saved.explorers[number]
        self.element = page.locator(".al-explorer").nth(number)
        self.indices = saved.start(self.name)

    def expect_frame(self):
        html = self.saved.frame(self.name, self.indices)
        handle = self.element.element_handle()
        self.page.wait_for_function(SHOWS, arg=[handle, html])

    def drive(self, way, ends=False):
        """Move each control through its options; check each frame.

        With `ends`, only to the first and to the last one.
        """
        self.expect_frame()
        for control in self.indices:
            state = self.saved.of(control)
            labels = state["_options_labels"]
            kind = self.saved.kind(control).removesuffix("Model")
            last = len(labels) - 1
            for index in [0, last] if ends else range(last + 1):
                getattr(self, f"{kind.lower()}_by_{way}")(
                    state["description"], index, labels
                )
                self.indices[control] = index
                self.expect_frame()
                words = self.element.locator(".al-words").inner_text()
                assert len(words) > 40, labels[index]
        said = self.element.get_by_role("status")
        expect(said).to_have_text(words)

    def slider(self, name):
        return self.element.get_by_role("slider", name=name, exact=True)

    def selectionslider_by_keyboard(self, name, index, labels):
        slider = self.slider(name)
        slider.press(key_to(index, labels, "ArrowRight"))
        expect(slider).to_have_attribute("aria-valuetext", labels[index])

    def selectionslider_by_pointer(self, name, index, labels):
        handle = self.slider(name)
        handle.scroll_into_view_if_needed()
        track = handle.locator("xpath=../..").bounding_box()
        box = handle.bounding_box()
        y = box["y"] + box["height"] / 2
        share = index / max(len(labels) - 1, 1)
        self.page.mouse.move(box["x"] + box["width"] / 2, y)
        self.page.mouse.down()
        self.page.mouse.move(track["x"] + track["width"] * share, y)
        self.page.mouse.up()
        expect(handle).to_have_attribute("aria-valuetext", labels[index])

    def dropdown_by_keyboard(self, name, index, labels):
        menu = self.element.get_by_label(name, exact=True)
        menu.press(key_to(index, labels, "ArrowDown"))

    def dropdown_by_pointer(self, name, index, labels):
        menu = self.element.get_by_label(name, exact=True)
        menu.select_option(index=index)

    def togglebuttons_by_keyboard(self, name, index, labels):
        self.button(name, labels[index]).press("Enter")

    def togglebuttons_by_pointer(self, name, index, labels):
        self.button(name, labels[index]).click()
        pressed = self.button(name, labels[index])
        expect(pressed).to_have_attribute("aria-pressed", "true")

    def button(self, name, label):
        group = self.element.get_by_role("group", name=name, exact=True)
        return group.get_by_role("button", name=label, exact=True)


@pytest.mark.parametrize("name", NAMES)
def test_saved_state_leads_every_choice_to_a_right_frame(saved, name):
    explorer = saved.explorers[NAMES.index(name)]
    controls = saved.controls(explorer)
    fresh = getattr(explorers, name)()
    options = [
        [value for _, value in w.options] for w in fresh.controls.values()
    ]
    labels = [saved.of(c)["_options_labels"] for c in controls]
    counts = [range(len(found)) for found in labels]
    assert [len(found) for found in options] == [len(c) for c in counts]
    for indices in product(*counts):
        chosen = zip(options, indices, strict=True)
        choice = tuple(values[i] for values, i in chosen)
        at = dict(zip(controls, indices, strict=True))
        assert saved.frame(explorer, at) == fresh.frames[choice]


@pytest.fixture(scope="module")
def trial_tab(browser, trial_url):
    """Open the page of all explorers once: they know nothing of each other."""
    tab = Visit(browser, trial_url)
    yield tab.open("book/index.html")
    tab.close()


@pytest.mark.parametrize("name", NAMES)
def test_each_control_shows_the_right_frame(trial_tab, saved, name):
    tab = trial_tab
    driver = Driver(tab.page, saved, NAMES.index(name))
    driver.drive("keyboard")
    driver.drive("pointer")
    assert tab.errors == []
    assert tab.foreign == []


def test_two_of_a_kind_do_not_disturb_each_other(visit, trial_site, trial_url):
    html = (trial_site / "book" / "twice.html").read_text("utf-8")
    both = Saved(html)
    tab = visit("book/twice.html", site_url=trial_url)
    first, second = (Driver(tab.page, both, i) for i in range(2))
    first.drive("keyboard")
    second.expect_frame()
    second.drive("pointer")
    first.expect_frame()
    assert tab.errors == []


def test_page_of_text_shows_an_explorer_without_its_code(
    visit, trial_site, trial_url
):
    html = (trial_site / "book" / "text.html").read_text("utf-8")
    tab = visit("book/text.html", site_url=trial_url)
    Driver(tab.page, Saved(html), 0).drive("keyboard")
    assert tab.page.locator("article pre").count() == 0
    assert tab.errors == []


def test_words_that_look_like_html_are_shown_as_typed(
    visit, trial_site, trial_url
):
    html = (trial_site / "book" / "hostile.html").read_text("utf-8")
    found = Saved(html)
    tab = visit("book/hostile.html", site_url=trial_url)
    for number in range(2):
        Driver(tab.page, found, number).drive("keyboard")
    menu, buttons = tab.page.locator(".al-explorer").all()
    named = [f"{word} ({i})" for i, word in enumerate(HOSTILE, start=1)]
    assert menu.locator("option").evaluate_all(TEXTS) == named
    assert buttons.locator("button").evaluate_all(TEXTS) == HOSTILE[:2]
    shown = menu.locator("li").evaluate_all(
        "items => items.map(li => li.firstChild.data)"
    )
    assert shown == HOSTILE
    assert tab.page.evaluate("window.ran") is None
    assert tab.errors == []


def test_no_json_of_a_page_holds_the_start_of_a_tag(trial_site):
    html = (trial_site / "book" / "hostile.html").read_text("utf-8")
    starts = [m.end() for m in re.finditer(r'<script type="[^"]+json">', html)]
    assert len(starts) == 3, "the state, and two views"
    for start in starts:
        assert html[start : html.index("<", start)].endswith("}")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, PHONE["width"]])
def test_explorers_are_accessible_in_both_themes(
    visit, trial_url, theme, width
):
    tab = visit(
        "book/index.html",
        site_url=trial_url,
        color_scheme=theme,
        viewport={"width": width, "height": PHONE["height"]},
    )
    assert serious_violations(tab.page) == []
    found = tab.page.evaluate("document.documentElement.scrollWidth")
    assert found <= width


def test_no_frame_is_wider_than_a_phone(visit, trial_url, saved):
    page = visit("book/index.html", site_url=trial_url, viewport=PHONE).page
    for number, name in enumerate(saved.explorers):
        driver = Driver(page, saved, number)
        for control in driver.indices:
            last = len(saved.of(control)["_options_labels"]) - 1
            kind = saved.kind(control).removesuffix("Model")
            move = getattr(driver, f"{kind.lower()}_by_pointer")
            labels = saved.of(control)["_options_labels"]
            move(saved.of(control)["description"], last, labels)
            driver.indices[control] = last
            driver.expect_frame()
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"], name


def test_controls_come_in_order_and_before_what_they_change(visit, trial_url):
    page = visit("book/index.html", site_url=trial_url).page
    element = page.locator(".al-explorer").nth(NAMES.index("explore_masks"))
    element.get_by_label("mask", exact=True).focus()
    order = []
    for _ in range(5):
        page.keyboard.press("Tab")
        order.append(
            page.evaluate("document.activeElement.getAttribute('aria-label')")
        )
    assert order[:2] == ["real words", "window"]
    for name, cell in zip(("score", "may", "looks"), order[2:], strict=True):
        assert name in cell, "a map is one stop"


READ = "c => getComputedStyle(c, '::after').content"


def test_pointing_at_a_cell_tells_query_key_and_value(visit, trial_url, saved):
    page = visit("book/index.html", site_url=trial_url).page
    element = page.locator(".al-explorer").nth(NAMES.index("explore_masks"))
    cell = element.get_by_role("cell", name="caught looks at cat:")
    assert cell.evaluate(READ) in ("none", "normal")
    cell.hover()
    told = cell.evaluate(READ).strip('"')
    assert told == f"caught looks at cat: {cell.inner_text()}"


def test_arrow_keys_move_between_the_cells_of_a_map(visit, trial_url):
    page = visit("book/index.html", site_url=trial_url).page
    element = page.locator(".al-explorer").nth(NAMES.index("explore_heads"))
    cells = element.locator(".al-map td[aria-label]")
    cells.first.focus()
    active = "document.activeElement.getAttribute('aria-label')"
    steps = ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]
    seen = [page.evaluate(active)]
    for key in steps:
        page.keyboard.press(key)
        seen.append(page.evaluate(active))
    assert all(a != b for a, b in pairwise(seen))
    assert seen[0] == seen[-1]
    page.keyboard.press("ArrowUp")
    assert page.evaluate(active) == seen[0], "the edge holds"
    assert "looks at" in page.evaluate(
        "getComputedStyle(document.activeElement, '::after').content"
    )


@pytest.mark.parametrize("modifier", ["Alt", "Control", "Meta", "Shift"])
def test_arrow_keys_with_a_modifier_are_the_browsers(
    visit, trial_url, modifier
):
    page = visit("book/index.html", site_url=trial_url).page
    element = page.locator(".al-explorer").nth(NAMES.index("explore_heads"))
    cells = element.locator(".al-map td[aria-label]")
    cells.first.focus()
    page.evaluate(
        "addEventListener('keydown', e => { window.taken = e.defaultPrevented;"
        " e.preventDefault(); })"
    )
    page.keyboard.press(f"{modifier}+ArrowRight")
    assert page.evaluate("window.taken") is False
    expect(cells.first).to_be_focused()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.taken") is True


# What each observer of our own script watches.
WATCHED = """
window.watched = [];
const observe = MutationObserver.prototype.observe;
MutationObserver.prototype.observe = function (target, options) {
    if (new Error().stack.includes('widgets-page.js')) watched.push(target);
    return observe.call(this, target, options);
};
"""


def test_only_the_places_of_widgets_are_watched_for_changes(visit, trial_url):
    tab = visit("book/index.html", site_url=trial_url, init_script=WATCHED)
    assert tab.page.evaluate("watched.length") == len(NAMES)
    assert tab.page.evaluate(
        "watched.every(e => e.querySelectorAll('.al-explorer').length === 1)"
    )


def test_scripts_off_show_the_first_frame(visit, trial_url, saved):
    page = visit(
        "book/index.html", site_url=trial_url, java_script_enabled=False
    ).page
    frames = page.locator("article noscript .al-x")
    expect(frames).to_have_count(len(NAMES))
    for number, name in enumerate(saved.explorers):
        frame = frames.nth(number)
        expect(frame).to_be_visible()
        html = saved.frame(name, saved.start(name))
        words = frame.locator(".al-words").inner_html()
        assert words in html


# --- what the chapters show ------------------------------------------------


def explorers_of(site, path):
    return Saved((site / path).read_text("utf-8"))


@pytest.mark.parametrize("path", PAGES)
def test_every_explorer_of_the_book_works(visit, site, path):
    found = explorers_of(site, path)
    if not found.explorers:
        return
    tab = visit(path)
    for number in range(len(found.explorers)):
        driver = Driver(tab.page, found, number)
        driver.drive("keyboard", ends=True)
        driver.drive("pointer", ends=True)
    assert tab.errors == []
    assert tab.foreign == []


@pytest.mark.parametrize("path", PAGES)
def test_explorers_of_a_page_are_light(site, path):
    found = explorers_of(site, path)
    state = json.dumps(found.models).encode()
    assert len(gzip.compress(state)) <= 300_000
