"""The playground in a real browser: examples, links, forms."""

import json
import re

import playground
import project
import pytest
from browsing import DESK, PHONE, Visit, serious_violations
from playwright.sync_api import expect

import attnlib as al

PAGE = "book/playground.html"
WORKING = 120_000  # ms for the first start of Python on a busy machine
KEPT = "localStorage.getItem('attention-course:code:playground')"
HANGUL = 'print("나는 학교에 간다 🙂")\n'
CHAPTER_3 = "book/03-multi-head-attention"


@pytest.fixture(scope="module")
def started(browser, base_url):
    """Return the page in which Python runs already."""
    tab = Visit(browser, base_url, viewport=DESK)
    tab.open(PAGE)
    run(tab.page, "1 + 1")
    yield tab
    tab.close()


def cell(page, number):
    return page.locator(f"div.cell[data-cell='{number}']")


def wait_for_end(page, number):
    """Wait until a cell has run; return what it shows."""
    panel = cell(page, number).locator(".py-panel")
    expect(panel.locator("[data-py=stop]")).to_have_count(0, timeout=WORKING)
    return cell(page, number).locator(".py-output")


def type_code(page, code):
    """Put code into the editor as a reader would paste it."""
    if not page.locator(".cm-content").count():
        cell(page, 0).locator(".py-edit").click()
    editor = page.locator(".cm-content").first
    editor.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(code)
    return editor


def run(page, code):
    type_code(page, code)
    return press_run(page)


def press_run(page):
    old = cell(page, 0).locator(".py-output")
    if old.count():
        old.evaluate("e => e.classList.add('old')")
    cell(page, 0).locator(".py-run").click()
    new = cell(page, 0).locator(".py-output:not(.old)")
    expect(new).to_have_count(1, timeout=WORKING)
    return wait_for_end(page, 0)


def ask(page, number, words, choice=None):
    """Fill in a form and press its button; return what it shows."""
    form = cell(page, number).locator("form.py-form")
    if choice is not None:
        form.locator("select").select_option(index=choice)
    form.locator("input").fill(words)
    old = cell(page, number).locator(".py-output")
    if old.count():
        old.evaluate("e => e.classList.add('old')")
    form.get_by_role("button").click()
    new = cell(page, number).locator(".py-output:not(.old)")
    expect(new).to_have_count(1, timeout=WORKING)
    return wait_for_end(page, number)


def load(page, title):
    form = cell(page, 0).locator("form.py-form")
    form.locator("select").select_option(label=title)
    form.get_by_role("button", name="Load").click()
    expect(cell(page, 0).locator(".py-status")).to_contain_text(title)


def editor_text(page):
    lines = page.locator(".cm-content").first.locator(".cm-line")
    return "\n".join(lines.all_text_contents())


def test_nothing_is_loaded_before_the_first_press(browser, base_url):
    tab = Visit(browser, base_url)
    asked = []
    tab.page.on("request", lambda request: asked.append(request.url))
    tab.open(PAGE)
    tab.page.wait_for_load_state("networkidle")
    assert [url for url in asked if "_static/python/" in url] == []
    cell(tab.page, 0).locator(".py-edit").click()
    expect(tab.page.locator(".cm-content")).to_be_visible()
    loaded = [url for url in asked if "_static/python/" in url]
    assert loaded
    assert not [url for url in loaded if url.endswith((".wasm", ".zip"))]
    assert tab.errors == tab.foreign == []
    tab.close()


def test_without_scripts_the_page_says_that_it_needs_them(visit):
    page = visit(PAGE, java_script_enabled=False).page
    said = page.locator("article noscript p")
    expect(said).to_be_visible()
    assert said.inner_text().startswith("This needs scripts.")
    expect(page.locator("form.py-form:visible")).to_have_count(0)
    expect(cell(page, 0).locator("pre")).to_contain_text("import attnlib")


@pytest.mark.parametrize("title", playground.examples())
def test_each_example_is_short_and_runs(started, title):
    code = playground.examples()[title]
    assert len(code.splitlines()) <= 18
    load(started.page, title)
    assert editor_text(started.page).strip() == code.strip()
    output = press_run(started.page)
    expect(output.locator(".py-error")).to_have_count(0)
    expect(output.locator("pre, .al-explorer").first).to_be_visible()
    if "visualize" in code:
        expect(output.locator("table").first).to_be_visible()
    assert started.errors == started.foreign == []


def test_loading_an_example_keeps_what_was_written(visit):
    page = visit(PAGE).page
    mine = "mine = 1"
    type_code(page, mine)
    titles = list(playground.examples())
    for title in titles[:2]:
        load(page, title)
        expect(page.locator(".cm-content")).not_to_contain_text(mine)
    page.reload()
    load(page, titles[2])
    back = page.get_by_role("button", name="Bring back what was here")
    back.click()
    expect(page.locator(".cm-content")).to_have_text(mine)
    assert page.evaluate(KEPT) == mine
    back.click()
    expect(page.locator(".cm-content")).not_to_contain_text(mine)


def shared_link(page, code):
    type_code(page, code)
    cell(page, 0).locator(".py-share").click()
    field = page.locator(".py-link input")
    expect(field).to_be_visible()
    return field.input_value()


NO_COMPRESSION = "delete globalThis.CompressionStream"


@pytest.mark.parametrize("script", ["", NO_COMPRESSION], ids=["zip", "plain"])
def test_a_link_carries_the_code_and_does_not_run_it(visit, script):
    code = HANGUL + "# " + "a long line " * 20
    page = visit(PAGE, init_script=script or None).page
    link = shared_link(page, code)
    address, _, fragment = link.partition("#")
    assert address == page.url
    assert re.fullmatch(r"code=[tz][\w-]+", fragment)

    other = visit(PAGE + "#" + fragment)
    status = cell(other.page, 0).locator(".py-status")
    expect(status).to_contain_text("This code came with the link")
    assert editor_text(other.page).strip() == code.strip()
    expect(cell(other.page, 0).locator(".py-output")).to_have_count(0)
    expect(other.page.locator("[data-py=stop]")).to_have_count(0)
    assert "#" not in other.page.url
    assert other.errors == other.foreign == []


def test_code_from_a_link_has_not_started_python(browser, base_url, visit):
    fragment = shared_link(visit(PAGE).page, HANGUL).partition("#")[2]
    tab = Visit(browser, base_url)
    asked = []
    tab.page.on("request", lambda request: asked.append(request.url))
    tab.open(f"{PAGE}#{fragment}")
    status = cell(tab.page, 0).locator(".py-status")
    expect(status).to_contain_text("This code came with the link")
    assert [u for u in asked if u.endswith((".wasm", ".zip"))] == []
    tab.close()


def test_a_link_takes_nothing_away(visit):
    page = visit(PAGE).page
    link = shared_link(page, "theirs = 2")
    type_code(page, "mine = 1")
    page.goto("about:blank")
    page.goto(link)
    status = cell(page, 0).locator(".py-status")
    expect(status).to_contain_text("This code came with the link")
    expect(page.locator(".cm-content")).to_have_text("theirs = 2")
    page.get_by_role("button", name="Bring back what was here").click()
    expect(page.locator(".cm-content")).to_have_text("mine = 1")


@pytest.mark.parametrize("fragment", ["code=z!!", "code=zAAAA", "code=t_-8"])
def test_a_damaged_link_changes_nothing_and_says_so(visit, fragment):
    tab = visit(f"{PAGE}#{fragment}")
    status = cell(tab.page, 0).locator(".py-status")
    expect(status).to_contain_text("The link is damaged")
    expect(cell(tab.page, 0).locator("pre")).to_contain_text("import attnlib")
    assert tab.errors == []


def test_a_small_link_that_holds_too_much_is_refused(visit):
    page = visit(PAGE).page
    fragment = page.evaluate(
        """async () => {
            const zeros = new Blob(["0".repeat(50_000_000)]).stream();
            const stream = new CompressionStream("deflate-raw");
            const small = new Response(zeros.pipeThrough(stream));
            const bytes = new Uint8Array(await small.arrayBuffer());
            const text = Array.from(bytes, b => String.fromCharCode(b));
            return btoa(text.join("")).replaceAll("+", "-")
                .replaceAll("/", "_").replace(/=+$/, "");
        }"""
    )
    tab = visit(f"{PAGE}#code=z{fragment}")
    status = cell(tab.page, 0).locator(".py-status")
    expect(status).to_contain_text("The link is damaged")


def test_korean_is_translated_and_aligned(started):
    output = ask(started.page, 2, "나는 학교에 간다.")
    report = output.locator(".py-report")
    expect(report).to_have_text("나는 학교에 간다 → I go to school")
    expect(output.locator("thead th")).to_contain_text(
        ["나는", "학교에", "간다"]
    )
    rows = output.locator("table").first.locator("tbody tr")
    best = {"I": 0, "go": 2, "to": 1, "school": 1}
    for row in rows.all()[:4]:
        name = row.locator("th").inner_text()
        numbers = [float(text) for text in row.locator("td").all_inner_texts()]
        assert numbers.index(max(numbers)) == best[name]
    words = output.locator(".al-words")
    expect(words).to_contain_text("The translation ends here")
    output.get_by_role("slider").press("Home")
    expect(words).to_contain_text("Word 1 of 5")
    assert started.errors == started.foreign == []


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("나는 바나나를 먹는다", "I don't know 바나나를."),
        ("나는 학교에 먹는다", "I know these words, but not this sentence."),
        ("  ", "There are no words to translate."),
    ],
)
def test_what_cannot_be_translated_is_explained(started, sentence, reason):
    output = ask(started.page, 2, sentence)
    expect(output.locator(".py-report")).to_contain_text(reason)
    expect(output.locator("table")).to_have_count(0)
    expect(started.page.locator(".py-said")).to_contain_text(reason)


@pytest.mark.parametrize(
    ("choice", "words", "unknown", "columns"),
    [
        (0, "The cat Sat quietly", "quietly", ["the", "cat", "sat"]),
        (
            1,
            "Ada greets Grace today",
            None,
            ["Ada", "greets", "Grace", "today"],
        ),
        (2, "나는 바나나를 먹는다", "바나나를", ["나는", "먹는다"]),
        (3, "The zebra sang", "zebra", ["<start>", "the", "sang"]),
    ],
)
def test_own_words_get_a_map_and_unknown_ones_are_named(
    started, choice, words, unknown, columns
):
    output = ask(started.page, 1, words, choice)
    table = output.locator("table").first
    assert table.locator("thead th").all_inner_texts() == columns
    report = output.locator(".py-report")
    expect(report).to_contain_text(f"chapter {[2, 3, 5, 5][choice]}")
    if unknown:
        expect(report).to_contain_text(f"Not known, and left out: {unknown}.")
    else:
        expect(report).not_to_contain_text("Not known")
    for row in table.locator("tbody tr").all():
        numbers = [float(t) for t in row.locator("td").all_inner_texts() if t]
        assert sum(numbers) == pytest.approx(1, abs=0.06)
    assert started.errors == started.foreign == []


def test_chapter_2_gives_its_own_weights(started):
    output = ask(started.page, 1, "The cat sat", 0)
    row = output.locator("tbody tr").nth(2).locator("td")
    assert row.all_inner_texts() == ["0.09", "0.67", "0.24"]


def test_the_heads_of_chapter_3_are_those_that_it_trains():
    text = (project.ROOT / f"{CHAPTER_3}.ipynb").read_text("utf-8")
    sources = ["".join(c["source"]) for c in json.loads(text)["cells"]]
    wanted = ("WANTED = ", "def mean_error", "def train")
    space = {"al": al, "np": al.ops.np}
    for start in wanted:
        (source,) = [s for s in sources if s.startswith(start)]
        exec(source.split("\n\n\nscores, W")[0], space)
    module = project.ROOT / "coursekit" / "page" / "playing.py"
    (stored,) = re.findall(
        r"^LEARNED = (\{.*?^\})", module.read_text(), re.M | re.S
    )
    for seed, scores in eval(stored).items():
        learned, _ = space["train"](2, seed)
        assert abs(al.softmax(learned) - al.softmax(scores)).max() < 0.005


def test_what_no_weights_know_is_said_with_the_words_they_know(started):
    output = ask(started.page, 1, "zebra", 0)
    expect(output.locator(".py-report")).to_contain_text("It knows 11 words")
    output = ask(started.page, 1, "one two", 1)
    expect(output.locator(".py-report")).to_contain_text("You typed 2.")
    expect(output.locator("table")).to_have_count(0)


def test_typed_words_are_words_and_not_code(started):
    ask(started.page, 1, '"); x = 1/0  # \\', 0)
    output = cell(started.page, 1).locator(".py-output")
    expect(output.locator(".py-error")).to_have_count(0)
    expect(output.locator(".py-report")).to_contain_text("1/0")


def test_another_model_brings_its_example_but_keeps_own_words(visit):
    page = visit(PAGE).page
    form = cell(page, 1).locator("form.py-form")
    field = form.locator("input")
    form.locator("select").select_option(index=1)
    expect(field).to_have_value("Ada greets Grace today")
    field.fill("my own four words")
    form.locator("select").select_option(index=2)
    page.wait_for_function("() => document.querySelector('.py-said')")
    expect(field).to_have_value("my own four words")


def test_the_python_behind_a_form_can_be_read_and_changed(started):
    page = started.page
    ask(page, 2, "우리는 집에 간다")
    behind = cell(page, 2).locator("details").first
    behind.locator("summary").click()
    code = behind.locator("pre")
    expect(code).to_contain_text('translate("우리는 집에 간다", "data/')
    behind.locator(".cell_input").hover()
    behind.locator(".py-edit").click()
    editor = behind.locator(".cm-content")
    expect(editor).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("6 * 7")
    page.keyboard.press("Control+Enter")
    output = cell(page, 2).locator(".py-output")
    expect(output).to_have_text("42")
    form = cell(page, 2).locator("form.py-form")
    form.locator("input").fill("나는 학교에 간다")
    form.locator("input").press("Enter")
    expect(output.locator(".py-report")).to_contain_text("I go to school")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_used_playground_is_accessible_and_fits_a_phone(visit, scheme):
    tab = visit(PAGE, viewport=PHONE, color_scheme=scheme)
    page = tab.page
    load(page, next(iter(playground.examples())))
    press_run(page)
    cell(page, 0).locator(".py-share").click()
    ask(page, 1, "친구들은 어제 공원에서 노래를 했다", 2)
    ask(page, 2, "아이들은 어제 공원에서 빵을 먹었다")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width == PHONE["width"]
    assert serious_violations(page) == []
    assert tab.errors == tab.foreign == []
