"""The Korean site beside the English one: the same, in other words."""

import json
import re

import hangul
import korean_book
import pytest
import sheets
import weight
from browsing import DESK, PHONE, serious_violations
from fontTools.ttLib import TTFont
from markup import Page
from pages import CHAPTERS, DOCUMENTS, MADE_BY_SPHINX, NOTEBOOKS, html_pages
from playwright.sync_api import expect
from test_site_weight import LIMIT, LIMITS

NAMES = [f"{name}.html" for name in [*DOCUMENTS, *MADE_BY_SPHINX]]
KOREAN = [f"ko/{name}" for name in NAMES]
CHAPTER = f"{CHAPTERS[0]}.html"
HANGUL = re.compile("[가-힣]")
every_page = pytest.mark.parametrize("name", NAMES)
every_korean_page = pytest.mark.parametrize("tabs", KOREAN, indirect=True)


@pytest.fixture(scope="module")
def pairs(site):
    """Return the English and the Korean page of each name."""
    return {
        name: tuple(
            Page((site / folder / name).read_text("utf-8"))
            for folder in ("", "ko")
        )
        for name in NAMES
    }


# --- the same ----------------------------------------------------------------


def anchors(page):
    """Return what can be linked to: sections, figures, exercises, terms."""
    kinds = {"section", "figure", "dt", "div", "span"}
    found = [e.attributes.get("id") for e in page.elements if e.tag in kinds]
    # Docutils numbers what has no name: backlinks of citations.
    return [i for i in found if i and not re.fullmatch(r"id\d+", i)]


@every_page
def test_the_anchors_are_english(pairs, name):
    english, korean = pairs[name]
    assert anchors(korean) == anchors(english)


def tex(page):
    """Return the formulas of a page, without the words in them."""
    found = page.find("annotation")
    texts = [page.text(e.inner, e.close) for e in found]
    bare = [re.sub(r"\\text\{[^}]*\}", "", text) for text in texts]
    return sorted(" ".join(text.split()) for text in bare)


@every_page
def test_the_formulas_are_the_same(pairs, name):
    english, korean = pairs[name]
    assert tex(korean) == tex(english)


def code(page):
    """Return the code and what it printed, as the page shows it."""
    blocks = []
    for block in page.find("pre"):
        inside = [e for e in page.find("details") if block.within(e)]
        if not inside:
            blocks.append(page.text(block.inner, block.close))
    return blocks


LANGUAGE = 'set_language("ko")\n'


@every_page
def test_the_code_and_its_output_are_the_same(pairs, name):
    english, korean = pairs[name]
    for old, new in zip(code(english), code(korean), strict=True):
        if old.startswith("Not attempted yet:"):
            assert new.startswith("아직 풀지 않았습니다:")
        elif new != old:
            plain = new.replace(LANGUAGE, "").replace(", set_language", "")
            assert LANGUAGE in new
            assert plain == old


def count(page, tag, look=None):
    return len(page.find(tag, look))


@pytest.mark.parametrize(
    "look",
    ["exercise", "solution", "cell", "al-card", "admonition", "sd-card"],
)
@every_page
def test_there_is_as_much_of_everything(pairs, name, look):
    english, korean = pairs[name]
    assert count(korean, "div", look) == count(english, "div", look)
    for tag in ("form", "figure", "table", "li", "p", "svg"):
        assert count(korean, tag) == count(english, tag), tag


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_reader_of_the_korean_page_gets_the_korean_notebook(site, name):
    text = (site / "ko" / "_sources" / f"{name}.ipynb").read_text("utf-8")
    assert text == (korean_book.FOLDER / f"{name}.ipynb").read_text("utf-8")
    cells = json.loads(text)["cells"]
    first = "".join(cells[0]["source"])
    assert HANGUL.search(first)
    back = re.search(r'class="other-edition" lang="en".*href="([^"]+)"', first)
    there = (korean_book.FOLDER / "book" / back[1]).resolve()
    assert there.name == f"{name.split('/')[-1]}.ipynb"
    assert there.is_file()
    page = (site / "ko" / f"{name}.html").read_text("utf-8")
    assert f"urlpath=lab/tree/_build/ko/{name}.ipynb" in page


# --- in other words ----------------------------------------------------------


def shown(page):
    """Return the texts of a page that are prose."""
    skipped = ["pre", "code", "script", "style", "annotation", "svg", "kbd"]
    skipped += ["math"]
    apart = [e for tag in skipped for e in page.find(tag)]
    apart += [e for e in page.elements if e.attributes.get("lang") == "en"]
    apart += page.find("span", "katex")
    apart += page.find("div", "al-text")  # what a model wrote
    spans = sorted((e.start, e.end) for e in apart)
    texts, at = [], 0
    for start, end in spans:
        if start >= at:
            texts.append(page.text(at, start))
        at = max(at, end)
    texts.append(page.text(at, len(page.html)))
    return " ".join(" ".join(texts).split())


# What is quoted, and what has a name.
QUOTED = re.compile(r"“[^”]*”|‘[^’]*’|\([^)가-힣]*\)|\[[^\]가-힣]*\]")
SENTENCE = re.compile(r"(?:\b[a-z][a-z'’-]*[ ,]+){4,}[a-z]+")
# Titles of papers; docstrings; licences; words of the toy grammar.
ENGLISH = {"book/bibliography", "book/api", "book/licences"}
ENGLISH |= {"book/playground"}


@pytest.mark.parametrize("name", [n for n in NAMES if n[:-5] not in ENGLISH])
def test_no_english_sentence_is_left(pairs, name):
    text = QUOTED.sub(" ", shown(pairs[name][1]))
    assert len(HANGUL.findall(text)) > 50
    assert SENTENCE.findall(text) == []


@every_page
def test_what_is_said_to_those_who_do_not_see_is_korean(pairs, name):
    _, korean = pairs[name]
    for element in korean.elements:
        if element.attributes.get("lang") == "en":
            continue
        for key in ("aria-label", "alt", "title"):
            words = element.attributes.get(key) or ""
            words = re.sub(r"\battnlib[\w.]*", "", words)
            if len(re.findall("[A-Za-z]{2,}", words)) > 2:
                assert HANGUL.search(words), (element.tag, key, words)


def meta(page, name):
    [found] = [
        e.attributes["content"]
        for e in page.find("meta")
        if e.attributes.get("name") == name
    ]
    return found


@pytest.mark.parametrize("name", [f"{name}.html" for name in DOCUMENTS])
def test_language_title_and_description_fit(pairs, name):
    for page, language in zip(pairs[name], ("en", "ko"), strict=True):
        assert page.find("html")[0].attributes["lang"] == language
        [title] = page.find("title")
        words = page.text(title.inner, title.close)
        assert bool(HANGUL.search(words)) == (language == "ko")
        about = meta(page, "description")
        assert 20 < len(about) <= 163
        assert bool(HANGUL.search(about)) == (language == "ko")


@every_page
def test_each_page_names_its_twins_and_links_the_other(site, pairs, name):
    for page, folder in zip(pairs[name], ("", "ko"), strict=True):
        here = (site / folder / name).parent
        found = {
            e.attributes["hreflang"]: (here / e.attributes["href"]).resolve()
            for e in page.find("link")
            if e.attributes.get("rel") == "alternate"
            and "hreflang" in e.attributes
        }
        assert found == {"en": site / name, "ko": site / "ko" / name}
        [switch] = page.find("a", "edition-switch")
        other = "en" if folder else "ko"
        address = (here / switch.attributes["href"]).resolve()
        assert address == found[other]
        assert switch.attributes["hreflang"] == other
        assert switch.attributes["lang"] == other


def test_edit_links_lead_to_the_catalogue(pairs):
    _, korean = pairs["book/by-hand/01-lookup.html"]
    links = [e.attributes.get("href") or "" for e in korean.find("a")]
    edits = {link for link in links if "/edit/" in link}
    assert {e.partition("/main/")[2] for e in edits} == {
        "book/_korean/by-hand-01-lookup.po"
    }


# --- files -------------------------------------------------------------------


def test_no_file_is_shipped_twice(site):
    def files(folder):
        return {
            p.relative_to(folder).as_posix(): p.read_bytes()
            for p in folder.rglob("*")
            if p.is_file()
        }

    english = files(site / "_static")
    korean = files(site / "ko" / "_static")
    assert not [
        n for n, content in korean.items() if english.get(n) == content
    ]
    assert f"{sheets.NAME}" not in korean
    assert "site.js" not in korean
    assert not (site / "ko" / "_static" / "python").exists()


def test_the_font_has_every_letter_that_may_be_shown(site):
    texts = [p.read_text("utf-8") for p in (site / "ko").rglob("*.html")]
    texts += [p.read_text("utf-8") for p in hangul.SAID]
    wanted = set(map(ord, hangul.used_characters(texts)))
    assert len(wanted) > 700
    for weight_ in hangul.WEIGHTS:
        file = site / "ko" / "_static" / f"hangul-{weight_}.woff2"
        assert set(TTFont(file).getBestCmap()) == wanted
        assert file.stat().st_size < 100 * len(wanted)


@pytest.mark.parametrize("name", [DOCUMENTS[0], *CHAPTERS])
def test_a_first_visit_is_light(browser, base_url, site, name):
    found = weight.parts(browser, base_url, site, f"ko/{name}.html")
    assert "ko/_static/hangul-400.woff2" in found
    heavy = sorted(found.items(), key=lambda item: -item[1])[:8]
    assert sum(found.values()) <= LIMITS.get(name, LIMIT), heavy


# --- in a browser ------------------------------------------------------------


@every_korean_page
def test_a_phone_shows_all_of_a_page(tabs):
    page = tabs.dark.page
    wide = "document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(f"() => {wide}") <= 0


LEANING = """() => [...document.querySelectorAll('body *')].filter(
    e => [...e.childNodes].some(
        n => n.nodeType === 3 && /[가-힣]/.test(n.data))
        && getComputedStyle(e).fontSynthesisStyle !== 'none').length"""
BREAKING = "() => getComputedStyle(document.querySelector('article p'))"


@every_korean_page
def test_hangul_stands_upright_and_breaks_between_words(tabs):
    page = tabs.light.page
    assert page.evaluate(LEANING) == 0
    if page.locator("article p").count():
        assert page.evaluate(f"{BREAKING}.wordBreak") == "keep-all"


@pytest.mark.parametrize("theme", ["light", "dark"])
@every_korean_page
def test_axe_finds_nothing_serious(tabs, theme):
    page = getattr(tabs, theme).page
    rules = None if theme == "light" else ["color-contrast"]
    assert serious_violations(page, rules=rules) == []


@pytest.mark.parametrize("way", [("", "ko"), ("ko/", "en")])
def test_the_switch_leads_to_the_section_that_is_read(visit, way):
    here, there = way
    page = visit(f"{here}{CHAPTER}", viewport=DESK, locale="en-US").page
    section = page.locator("section section[id]").nth(3)
    name = section.get_attribute("id")
    section.evaluate("e => e.scrollIntoView()")
    page.wait_for_function("() => scrollY > 500")
    page.evaluate("() => document.querySelector('.edition-switch').click()")
    page.wait_for_url(f"**/{'ko/' * (there == 'ko')}{CHAPTER}#{name}")
    assert page.locator("html").get_attribute("lang") == there
    expect(page.locator(f"#{name} > h2")).to_be_in_viewport()


def test_from_the_top_the_switch_leads_to_the_top(visit):
    page = visit(CHAPTER, viewport=PHONE, locale="en-US").page
    page.locator("a.edition-switch").click()
    page.wait_for_url(f"**/ko/{CHAPTER}")


def test_a_choice_is_remembered_and_nobody_is_sent_anywhere(visit):
    tab = visit(CHAPTER, locale="en-US")
    page = tab.page
    assert page.locator(".edition-offer").count() == 0
    page.locator("a.edition-switch").click()
    page.wait_for_url(f"**/ko/{CHAPTER}")
    assert page.locator(".edition-offer").count() == 0
    # An English page stays English, and offers the Korean one.
    page.goto(f"{tab.base_url}{CHAPTERS[1]}.html")
    offer = page.locator(".edition-offer")
    expect(offer).to_be_visible()
    assert page.url.endswith(f"path/{CHAPTERS[1]}.html")
    offer.get_by_role("link").click()
    page.wait_for_url(f"**/ko/{CHAPTERS[1]}.html")
    # Who closes the offer has chosen, too.
    page.goto(f"{tab.base_url}{CHAPTERS[1]}.html")
    offer.get_by_role("button").click()
    expect(offer).to_have_count(0)
    page.reload()
    page.wait_for_load_state("networkidle")
    assert offer.count() == 0


def test_a_korean_browser_is_offered_korean_once(visit):
    page = visit(CHAPTER, locale="ko-KR").page
    offer = page.locator(".edition-offer")
    expect(offer).to_have_text(re.compile("한국어로"))
    assert offer.get_attribute("lang") == "ko"
    assert serious_violations(page, ".edition-offer") == []


def test_ticks_hold_in_both_editions(visit):
    tab = visit(f"ko/{CHAPTER}", locale="ko-KR")
    page = tab.page
    box = page.locator("#summary input[type=checkbox]").nth(1)
    box.check()
    note = page.locator("#summary .goals-note")
    expect(note).to_contain_text("1")
    page.goto(tab.base_url + CHAPTER)
    boxes = page.locator("#summary input[type=checkbox]")
    expect(boxes.nth(1)).to_be_checked()
    expect(boxes.nth(0)).not_to_be_checked()
    page.goto(f"{tab.base_url}ko/{DOCUMENTS[0]}.html")
    first = page.locator(".course-progress li").first
    expect(first.locator("span")).to_have_text(re.compile("1.*[가-힣]"))


def test_a_draft_is_kept_and_checked_in_both_languages(visit):
    tab = visit(f"ko/{CHAPTER}", locale="ko-KR")
    page = tab.page
    cell = page.locator("div.tag_exercise").first
    cell.get_by_role("button", name="실행", exact=True).click()
    expect(cell).to_contain_text("아직 풀지 않았습니다", timeout=120_000)
    assert tab.errors == []
    name = cell.get_attribute("data-exercise")
    key = f"attention-course:code:{name}"
    page.evaluate("([k, v]) => localStorage.setItem(k, v)", [key, "x = 1"])
    page.goto(tab.base_url + CHAPTER)
    english = page.locator(f"div.tag_exercise[data-exercise='{name}']")
    expect(english.locator("pre").first).to_have_text(re.compile("x = 1"))


SEARCHES = ["어텐션은", "어텐션", "가중치를", "소프트맥스에서", "GPT는"]
SEARCHES += ["마스크", "softmax", "번역기가", "값을", "학습합니다"]


@pytest.mark.parametrize("words", SEARCHES)
def test_search_finds_a_word_with_and_without_its_particle(visit, words):
    page = visit(f"ko/search.html?q={words}", locale="ko-KR").page
    found = page.locator("#search-results ul.search li a")
    found.first.wait_for()
    page.wait_for_load_state("networkidle")
    addresses = found.evaluate_all("links => links.map(a => a.href)")
    assert all("/ko/book/" in address for address in addresses)
    expect(page.locator("#search-results")).to_contain_text("검색")


def test_a_particle_changes_nothing_in_what_is_found(visit):
    found = []
    for words in ("소프트맥스", "소프트맥스를", "소프트맥스에서는"):
        page = visit(f"ko/search.html?q={words}").page
        status = page.locator("p.search-summary")
        expect(status).to_have_text(re.compile(r"\d+"))
        found.append(re.search(r"\d+", status.inner_text())[0])
    assert len(set(found)) == 1
    assert int(found[0]) >= 4


def test_the_pages_of_both_editions_are_all(site):
    korean = {n for n in html_pages(site) if n.startswith("ko/")}
    assert {n.removeprefix("ko/") for n in korean} | korean == html_pages(site)
