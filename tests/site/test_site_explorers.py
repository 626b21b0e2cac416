"""Explorers on static pages: no kernel, no other host, a real browser.

All explorers are on a throwaway page, where every option of every control is
tried. What a frame must show is read from the page's data, whose every frame
is compared with a fresh computation. (What the chapters show is driven
in `test_site_browser.py`, where their pages are open anyway.)
"""

import re
from itertools import pairwise

import pytest
from browsing import PHONE, Visit, serious_violations
from driving import Driver
from playwright.sync_api import expect
from saved import Saved
from trial import HOSTILE, NAMES, SHORT

from coursekit import explorers

TEXTS = """elements => elements.map(
    e => e.textContent.replaceAll('\\u00a0', ' '))"""


@pytest.fixture(scope="module")
def saved(trial_site):
    return Saved((trial_site / "book" / "index.html").read_text("utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_data_of_the_page_lead_every_choice_to_a_right_frame(saved, name):
    explorer = saved.explorers[NAMES.index(name)]
    fresh = getattr(explorers, name)()
    controls = [*fresh.controls.values()]
    assert [c.labels for c in explorer.controls] == [
        c.labels for c in controls
    ]
    assert [c.label for c in explorer.controls] == [c.label for c in controls]
    assert explorer.start == [c.index for c in controls]
    missing = 0
    for choice, html in fresh.frames.items():
        indices = [
            control.values.index(value)
            for control, value in zip(controls, choice, strict=True)
        ]
        found = explorer.frame(indices)
        missing += found is None
        assert found == (None if html == fresh.first else html)
    assert missing, "the first frame is not stored twice"
    frames = explorer.frames
    assert len(frames) == len(set(frames)) == len(set(fresh.frames.values()))


@pytest.fixture(scope="module")
def trial_tab(browser, trial_url):
    """Open the page of all explorers once: they know nothing of each other."""
    tab = Visit(browser, trial_url)
    yield tab.open("book/index.html")
    tab.close()


@pytest.fixture(scope="module")
def still_tab(browser, trial_url):
    """Open that page once for tests that move no control."""
    tab = Visit(browser, trial_url)
    yield tab.open("book/index.html")
    tab.close()


@pytest.mark.parametrize("name", NAMES)
def test_each_control_shows_the_right_frame(trial_tab, saved, name):
    tab = trial_tab
    number = NAMES.index(name)
    driver = Driver(tab.page, saved.explorers[number], number)
    driver.drive("keyboard")
    driver.drive("pointer")
    assert tab.errors == []
    assert tab.foreign == []


def test_each_control_follows_a_finger(visit, trial_url, saved):
    tab = visit(
        "book/index.html", site_url=trial_url, viewport=PHONE, has_touch=True
    )
    for number, explorer in enumerate(saved.explorers):
        Driver(tab.page, explorer, number).drive("touch", ends=True)
        width = tab.page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], NAMES[number]
    assert tab.errors == []


def test_two_of_a_kind_do_not_disturb_each_other(visit, trial_site, trial_url):
    html = (trial_site / "book" / "twice.html").read_text("utf-8")
    both = Saved(html)
    tab = visit("book/twice.html", site_url=trial_url)
    first, second = (
        Driver(tab.page, explorer, i)
        for i, explorer in enumerate(both.explorers)
    )
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
    [explorer] = Saved(html).explorers
    Driver(tab.page, explorer, 0).drive("keyboard")
    assert tab.page.locator("article pre").count() == 0
    assert tab.errors == []


def test_words_that_look_like_html_are_shown_as_typed(
    visit, trial_site, trial_url
):
    html = (trial_site / "book" / "hostile.html").read_text("utf-8")
    found = Saved(html)
    tab = visit("book/hostile.html", site_url=trial_url)
    for number, explorer in enumerate(found.explorers):
        Driver(tab.page, explorer, number).drive("keyboard")
    menu, buttons = tab.page.locator(".al-explorer").all()
    named = [f"{word} ({i})" for i, word in enumerate(HOSTILE, start=1)]
    assert menu.locator("option").evaluate_all(TEXTS) == named
    names = buttons.locator("label").evaluate_all(TEXTS)
    assert names == SHORT
    shown = menu.locator("li").evaluate_all(
        "items => items.map(li => li.firstChild.data)"
    )
    assert shown == HOSTILE
    assert tab.page.evaluate("window.ran") is None
    assert tab.errors == []


def test_no_json_of_a_page_holds_the_start_of_a_tag(trial_site):
    html = (trial_site / "book" / "hostile.html").read_text("utf-8")
    starts = [m.end() for m in re.finditer(r'<script type="[^"]+json">', html)]
    assert len(starts) == 2
    for start in starts:
        assert html[start : html.index("<", start)].endswith("}")


# Colours depend on the theme only, and what fits on the width only.
@pytest.mark.parametrize(
    ("theme", "width"), [("light", 1280), ("dark", PHONE["width"])]
)
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


def test_controls_come_in_order_and_before_what_they_change(still_tab):
    page = still_tab.page
    element = page.locator(".al-explorer").nth(NAMES.index("explore_masks"))
    element.get_by_role("combobox", name="mask").focus()
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


def test_pointing_at_a_cell_tells_query_key_and_value(still_tab):
    page = still_tab.page
    element = page.locator(".al-explorer").nth(NAMES.index("explore_masks"))
    cell = element.get_by_role("cell", name="caught looks at cat:")
    assert cell.evaluate(READ) in ("none", "normal")
    cell.hover()
    told = cell.evaluate(READ).strip('"')
    assert told == f"caught looks at cat: {cell.inner_text()}"


def test_arrow_keys_move_between_the_cells_of_a_map(still_tab):
    page = still_tab.page
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


def test_arrow_keys_with_a_modifier_are_the_browsers(visit, trial_url):
    page = visit("book/index.html", site_url=trial_url).page
    element = page.locator(".al-explorer").nth(NAMES.index("explore_heads"))
    cells = element.locator(".al-map td[aria-label]")
    page.evaluate(
        "addEventListener('keydown', e => { window.taken = e.defaultPrevented;"
        " e.preventDefault(); })"
    )
    for modifier in ("Alt", "Control", "Meta", "Shift"):
        cells.first.focus()
        page.keyboard.press(f"{modifier}+ArrowRight")
        assert page.evaluate("window.taken") is False, modifier
        expect(cells.first).to_be_focused()
        page.keyboard.press("ArrowRight")
        assert page.evaluate("window.taken") is True


MOVING = {"reduced_motion": "no-preference"}


def stop_clock(page):
    """Let time pass only when the test says so."""
    page.clock.install(time=0)
    page.clock.pause_at(600_000)


def machine(page):
    """Return the explorer with steps: element, slider and button."""
    element = page.locator(".al-explorer").nth(NAMES.index("explore_machine"))
    slider = element.get_by_role("slider", name="step", exact=True)
    return element, slider, element.get_by_role("button", name="Play")


def test_play_moves_the_steps_until_the_end(visit, trial_url):
    tab = visit("book/index.html", site_url=trial_url, **MOVING)
    stop_clock(tab.page)
    element, slider, button = machine(tab.page)
    expect(slider).to_have_value("8")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.press("Enter")
    expect(slider).to_have_value("0")
    expect(button).to_have_attribute("aria-pressed", "true")
    for step in range(1, 9):
        tab.page.clock.run_for(1000)
        expect(slider).to_have_value(str(step))
        expect(slider).to_have_attribute("aria-valuetext", str(step + 1))
        words = element.locator(".al-words")
        expect(words).to_contain_text(f"Step {step + 1} of 9.")
    expect(button).to_have_attribute("aria-pressed", "false")
    tab.page.clock.run_for(5000)
    expect(slider).to_have_value("8")
    assert tab.errors == []


@pytest.mark.parametrize("way", ["slider", "button", "token"])
def test_play_stops_when_the_reader_does_something(visit, trial_url, way):
    tab = visit("book/index.html", site_url=trial_url, **MOVING)
    stop_clock(tab.page)
    element, slider, button = machine(tab.page)
    button.click()
    tab.page.clock.run_for(2000)
    expect(slider).to_have_value("2")
    if way == "slider":
        slider.press("ArrowRight")
    elif way == "token":
        element.get_by_role("radio", name="The").check(force=True)
    else:
        button.press("Space")
    now = "3" if way == "slider" else "2"
    expect(button).to_have_attribute("aria-pressed", "false")
    tab.page.clock.run_for(5000)
    expect(slider).to_have_value(now)
    button.click()
    tab.page.clock.run_for(1000)
    expect(slider).to_have_value(str(int(now) + 1))


def test_who_wants_no_motion_gets_no_play_button(visit, trial_url):
    page = visit("book/index.html", site_url=trial_url).page
    element, slider, _ = machine(page)
    expect(slider).to_be_visible()
    expect(element.locator(".al-play")).to_be_hidden()


def test_a_cell_lights_what_it_was_made_of(visit, trial_url):
    page = visit("book/index.html", site_url=trial_url).page
    element, _, _ = machine(page)
    cell = element.get_by_role("cell", name="sat, cat: 0·0 + 2·1")
    cell.hover()
    told = cell.evaluate(READ).strip('"')
    assert told == "sat, cat: 0·0 + 2·1 + 2·0 + 2·1 = 4"
    for letter, lit in (("q", 2), ("k", 1)):
        rows = element.locator(f".al-st.{letter} tbody tr").all()
        for i, row in enumerate(rows):
            style = row.locator("td").first.evaluate(
                "e => getComputedStyle(e).outlineStyle"
            )
            assert (style == "dashed") == (i == lit), letter


def test_scripts_off_show_the_first_frame_and_no_dead_control(
    visit, trial_url
):
    page = visit(
        "book/index.html", site_url=trial_url, java_script_enabled=False
    ).page
    frames = page.locator("article .al-x")
    expect(frames).to_have_count(len(NAMES))
    for number, name in enumerate(NAMES):
        expect(frames.nth(number)).to_be_visible()
        words = frames.nth(number).locator(".al-words").inner_html()
        assert words in getattr(explorers, name)().first
    for control in page.locator(".al-control").all():
        expect(control).to_be_hidden()


def test_a_choice_does_not_survive_a_reload_without_its_frame(
    visit, trial_url, saved
):
    tab = visit("book/index.html", site_url=trial_url)
    explorer = saved.explorers[0]
    Driver(tab.page, explorer, 0).drive("keyboard", ends=True)
    tab.page.reload()
    Driver(tab.page, explorer, 0).drive("keyboard", ends=True)


def test_a_widget_of_another_kind_gets_the_stock_runtime_on_its_page(
    visit, trial_site, trial_url
):
    tab = visit("book/foreign.html", site_url=trial_url)
    slider = tab.page.get_by_role("slider")
    expect(slider).to_have_count(1)
    slider.press("ArrowRight")
    expect(tab.page.locator(".widget-readout")).to_have_text("4")
    assert tab.errors == []
    assert tab.foreign == []
    for page in trial_site.glob("book/*.html"):
        runs = "widgets/embed.js" in page.read_text("utf-8")
        assert runs == (page.stem == "foreign")
