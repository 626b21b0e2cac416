"""Quizzes, predictions and checklists in a real browser."""

import re
import tomllib

import project
import pytest
from browsing import PHONE, serious_violations
from pages import NOTEBOOKS
from playwright.sync_api import expect

from coursekit.explorers.cards import to_html

FIRST = "book/01-intuition.html"
LANDING = "book/index.html"
QUIZZES = sorted((project.ROOT / "book" / "quizzes").glob("*.toml"))


def test_every_file_is_the_quiz_of_a_page(site):
    for file in QUIZZES:
        html = (site / "book" / f"{file.stem}.html").read_text("utf-8")
        ask = tomllib.loads(file.read_text("utf-8"))["question"][0]["ask"]
        assert to_html(ask).split("<")[0] in html


def said(group):
    """Return what a question answers now."""
    return group.get_by_role("status").locator("p:visible")


def test_quiz_is_answered_with_the_mouse_started_again_and_printed(visit):
    page = visit(FIRST).page
    form = page.locator(".al-quiz")
    first = form.get_by_role("group").first
    expect(said(first)).to_have_count(0)
    first.get_by_text("3 times").click()
    expect(said(first)).to_contain_text("Not quite.")
    first.locator("label:has(.math)").locator(".katex").click()
    expect(said(first)).to_contain_text("Right.")
    score = "e => getComputedStyle(e, '::after').content"
    assert "counter(al-right)" in form.locator(".al-end span").evaluate(score)
    form.get_by_role("button", name="Start again").click()
    expect(said(first)).to_have_count(0)
    assert form.locator("input:checked").count() == 0

    first.locator("label").first.click()
    page.emulate_media(media="print")
    assert page.locator(".al-predict .al-then").first.is_visible()
    assert page.locator(".al-why:visible").count() == 0, "paper tells nothing"


def test_keyboard_walks_over_the_answers_before_it_chooses(visit):
    page = visit(FIRST).page
    form = page.locator(".al-quiz")
    first = form.get_by_role("group").first
    radios = first.get_by_role("radio")
    radios.first.focus()
    for place in (1, 2, 0, 1):
        page.keyboard.press("ArrowDown")
        expect(radios.nth(place)).to_be_focused()
    expect(said(first)).to_have_count(0)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    expect(radios.nth(0)).to_be_checked()
    expect(said(first)).to_contain_text("Not quite.")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(radios.nth(2)).to_be_checked()
    expect(said(first)).to_contain_text("Right.")
    ring = "e => getComputedStyle(e.nextElementSibling).outlineStyle"
    assert radios.nth(2).evaluate(ring) == "solid"
    page.keyboard.press("Tab")
    second = form.get_by_role("group").nth(1)
    expect(second.get_by_role("radio").first).to_be_focused()
    assert page.url.endswith(FIRST), "nothing is sent"


@pytest.mark.parametrize(
    ("theme", "width"), [("light", 1280), ("dark", PHONE["width"])]
)
def test_answered_questions_are_readable(visit, theme, width):
    size = {"width": width, "height": PHONE["height"]}
    page = visit(FIRST, color_scheme=theme, viewport=size).page
    page.evaluate(
        """() => document.querySelectorAll('.al-card').forEach((card, i) => {
            const labels = card.querySelectorAll('label');
            labels[i % labels.length].click();
        })"""
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert serious_violations(page, ".al-ask") == []


def test_questions_answer_with_scripts_off_and_formulas_show(visit):
    page = visit(FIRST, java_script_enabled=False).page
    quiz = page.locator(".al-quiz")
    first = quiz.get_by_role("group").first
    assert first.locator("legend .katex-html").is_visible()
    first.locator("label").nth(1).click()
    expect(said(first)).to_contain_text("Not quite.")
    assert said(first).locator(".katex-html").is_visible()
    picture = page.locator(".al-predict .al-then").first
    assert not picture.is_visible()
    page.locator(".al-predict label").first.click()
    assert picture.is_visible()


# --- checklists --------------------------------------------------------------

NO_STORAGE = """for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, name, {
        configurable: true,
        get() { throw new DOMException("denied", "SecurityError"); },
    });
}"""


def boxes(page):
    return page.locator("#summary").get_by_role("checkbox")


def test_ticks_are_kept_and_counted_until_they_are_forgotten(visit):
    tab = visit(FIRST)
    page = tab.page
    boxes(page).nth(0).check()
    boxes(page).nth(2).press("Space")
    note = page.locator(".goals-note")
    count = boxes(page).count()
    expect(note).to_contain_text(f"2 of {count} ticked. Kept in this browser")
    page.reload()
    expect(note).to_contain_text(f"2 of {count} ticked.")
    ticks = [box.is_checked() for box in boxes(page).all()]
    assert ticks == [i in (0, 2) for i in range(count)]

    note.get_by_role("link").click()
    page.wait_for_url(f"**/{LANDING}#your-progress")
    progress = page.locator(".course-progress")
    rows = progress.get_by_role("listitem")
    expect(rows.first).to_contain_text(f"2 of {count}")
    expect(rows.nth(1)).to_contain_text("0 of ")
    expect(progress.get_by_role("status")).to_contain_text("2 of ")

    forget = progress.get_by_role("button", name="Forget all ticks …")
    forget.press("Enter")
    dialog = progress.get_by_role("dialog", name="Forget all 2 ticks?")
    keep = dialog.get_by_role("button", name="Keep them")
    expect(keep).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(forget).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(rows.first).to_contain_text(f"2 of {count}")
    forget.click()
    dialog.get_by_role("button", name="Forget them").press("Enter")
    expect(rows.first).to_contain_text(f"0 of {count}")
    expect(forget).to_be_hidden()
    page.go_back()
    expect(note).to_contain_text(f"0 of {count} ticked.")
    assert tab.errors == []
    assert tab.foreign == []


def test_progress_lists_every_chapter_its_goals_and_its_exercises(visit, site):
    page = visit(LANDING).page
    rows = page.locator(".course-progress li")
    exercises = []
    for row in rows.all():
        href = row.locator("a").get_attribute("href").removesuffix("#summary")
        html = (site / "book" / href).read_text("utf-8")
        names = re.findall(r'data-goal="(.*?)"', html)
        assert row.get_attribute("data-goals").split() == names
        codes = re.findall(r'data-exercise="(.*?)"', html)
        assert row.get_attribute("data-exercises").split() == codes
        exercises += codes
        stem = href.removesuffix(".html")
        source = (project.ROOT / "book" / f"{stem}.ipynb").read_text("utf-8")
        assert source.count("- [ ] ") == len(set(names))
        assert source.count('"exercise"\n') == len(set(codes))
    assert len(set(exercises)) == len(exercises) == 46
    page.evaluate("localStorage['attention-course:goals'] = '{\"x\": 1}'")
    page.reload()
    page.get_by_role("button", name="Forget all ticks …").click()
    expect(page.get_by_role("dialog", name="Forget the tick?")).to_be_visible()
    assert serious_violations(page, ".course-progress") == []
    chapters = [n for n in NOTEBOOKS if re.match(r"book/\d\d-", n)]
    assert rows.count() == len(chapters) + 1  # and the bug hunt


def test_a_second_tab_is_told(visit):
    page = visit(FIRST).page
    other = page.context.new_page()
    other.goto(page.url)
    boxes(other).nth(1).check()
    expect(boxes(page).nth(1)).to_be_checked()
    boxes(page).nth(3).check()
    expect(boxes(other).nth(1)).to_be_checked()
    expect(boxes(other).nth(3)).to_be_checked()


def test_without_storage_ticks_last_for_the_visit_and_a_note_says_so(visit):
    tab = visit(FIRST, init_script=NO_STORAGE)
    boxes(tab.page).nth(0).check()
    boxes(tab.page).nth(1).check()
    note = tab.page.locator(".goals-note")
    expect(note).to_contain_text("2 of ")
    expect(note).to_contain_text("keeps nothing for this site")
    note.get_by_role("link").click()
    told = tab.page.locator(".course-progress").get_by_role("status")
    expect(told).to_contain_text("keeps nothing for this site")
    switch = tab.page.locator("button.theme-switch-button:visible").first
    mode = "document.documentElement.dataset.mode"
    before = tab.page.evaluate(mode)
    switch.click()
    assert tab.page.evaluate(mode) != before
    assert tab.errors == []


def test_broken_storage_is_no_error(visit):
    script = "localStorage.setItem('attention-course:goals', '[oops')"
    tab = visit(FIRST, init_script=script)
    boxes(tab.page).nth(0).check()
    expect(tab.page.locator(".goals-note")).to_contain_text("1 of ")
    full = "() => { Storage.prototype.setItem = () => { throw 'full'; }; }"
    tab.page.evaluate(full)
    boxes(tab.page).nth(1).check()
    expect(tab.page.locator(".goals-note")).to_contain_text("2 of ")
    expect(tab.page.locator(".goals-note")).to_contain_text("keeps nothing")
    assert tab.errors == []


def test_progress_is_neutral_with_scripts_off(visit):
    page = visit(LANDING, java_script_enabled=False).page
    place = page.locator(".course-progress")
    expect(place.get_by_role("listitem").first).to_contain_text("5 goals")
    assert place.locator("button, progress").count() == 0
