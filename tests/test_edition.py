"""What scripts, build and theme say: whole phrases, each with its Korean."""

import json
import re

import catalogues
import edition
import goals
import jinja2
import pieces
import pytest
import scripts
import spoken
import theme_words
from edition import phrase
from markup import Page
from project import ROOT

CHAPTERS = sorted(path.stem for path in (ROOT / "book").glob("0*.ipynb"))
FILES = [
    path
    for folder, pattern in spoken.SCRIPTS.items()
    for path in sorted((ROOT / folder).glob(pattern))
]
FOOTER = """<p>
  Text and figures: <a href="https://creativecommons.org/licenses/by/4.0/">\
CC BY 4.0</a>.
  Code: <a href="https://opensource.org/license/mit">MIT licence</a>.
  <a href="book/licences.html">Licences</a> of what others made.
  <a href="there">Improve this page</a>.
</p>"""


@pytest.fixture
def language():
    yield edition.set_language
    edition.set_language("en")


def test_every_phrase_of_the_site_has_korean_with_the_same_gaps():
    assert catalogues.check({"site": spoken.of_site}) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_script_says_only_phrases_that_are_found_with_their_gaps(path):
    text = path.read_text("utf-8").replace("function phrase(", "")
    calls = [m.start() for m in re.finditer(r"\bphrase\(", text)]
    found = [m.start() for m in spoken.CALL.finditer(text)]
    assert calls == found
    for start, words in zip(found, spoken.in_script(text), strict=True):
        for gap in re.findall(r"\{(\w+)\}", words):
            call = text[start + 1 :].split("phrase(")[0]
            given = call.replace(f"{{{gap}}}", "")
            assert re.search(rf"\b{gap}\b", given), words


def test_a_phrase_is_said_in_the_language_that_was_set(language):
    assert phrase("{count} goals", count=5) == "5 goals"
    assert not edition.is_korean()
    language("ko")
    assert phrase("{count} goals", count=5) == "목표 5개"
    assert phrase("what nobody translated {x}", x=1).endswith(" 1")
    assert edition.is_korean()
    language("en")
    assert phrase("{count} goals", count=5) == "5 goals"


def test_a_language_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="name must be 'en' or 'ko'"):
        edition.set_language("fr")


def footer():
    text = (ROOT / "book/_templates/course-footer.html").read_text("utf-8")
    return jinja2.Template(text).render(
        phrase=phrase,
        pathto=lambda name: f"{name}.html",
        edit_source_url="there",
    )


def test_the_footer_speaks_both_languages(language):
    assert footer() == FOOTER
    language("ko")
    assert "MIT 라이선스" in footer()
    addresses = re.findall(r'href="[^"]*"', footer())
    assert sorted(addresses) == sorted(re.findall(r'href="[^"]*"', FOOTER))


# --- goals -------------------------------------------------------------------


def goals_of(chapter, translate):
    """Return the goals of a chapter as its page shows them."""
    path = catalogues.pages()[chapter]
    text = catalogues.translated(
        path, lambda kind, words, old: translate(words)
    )
    cells = json.loads(text)["cells"]
    lines = [line.strip() for cell in cells for line in cell["source"]]
    mark = "- [ ] "
    return [
        pieces.PARSER.renderInline(line.removeprefix(mark))
        for line in lines
        if line.startswith(mark)
    ]


def names_of(chapter, goals_shown):
    boxes = "".join(
        f'<li><input class="task-list-item-checkbox"> {goal}</li>'
        for goal in goals_shown
    )
    page = Page(f'<section id="summary"><ul>{boxes}</ul></section>')
    return goals.label_boxes(page, chapter)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_goal_has_the_same_name_in_both_editions(chapter, language):
    english = goals_of(chapter, lambda words: words)
    assert english
    names = names_of(chapter, english)
    assert len({*names}) == len(english)
    words = edition.words_of(chapter)
    translated = goals_of(chapter, lambda text: words.get(text, text))
    assert not {*translated} & {*english}
    language("ko")
    assert names_of(chapter, translated) == names


def test_the_names_of_goals_that_readers_ticked_are_kept():
    english = goals_of("01-intuition", lambda words: words)
    assert names_of("01-intuition", english)[:2] == [
        "01-intuition:7c976eca",
        "01-intuition:9c9bf796",
    ]


def test_a_goal_that_no_catalogue_has_ends_the_build(language):
    language("ko")
    with pytest.raises(SystemExit, match=r"01-intuition\.po has no text"):
        goals.goal_name("01-intuition", "모르는 목표")


# --- the theme ---------------------------------------------------------------

PAGE = """<html><body><a href="#main">Skip to main content</a>
<i class="theme-switch fa-solid fa-sun" title="Light"></i>
<div class="onthispage"><i></i> 내용</div><table><td>내용</td></table>
<div class="solution admonition"><p class="admonition-title">해답\
<a href="#ex"> 연습 문제 1.1 (제목)</a></p><p>Main</p></div></body></html>"""
THEIRS = (
    "const messages = {'en': {}}\nconst _ = Documentation.gettext;\n"
    "aria-label=\"Toggle hidden content\"\nlet toggleHintShow = 'x';\n"
)


def test_the_words_of_the_theme_are_replaced_where_they_stand(language):
    language("ko")
    page = Page(PAGE)
    theme_words.add(page)
    new = page.result()
    assert ">본문으로 건너뛰기</a>" in new
    assert 'title="밝게"' in new
    assert "<i></i> 목차</div><table><td>내용</td>" in new
    assert '"><a href="#ex">연습 문제 1.1 (제목)</a> 풀이</p>' in new
    assert "<p>Main</p>" in new


def test_in_english_the_theme_keeps_its_words():
    page = Page(PAGE)
    theme_words.add(page)
    assert page.edits == []


def test_scripts_of_others_say_their_words_by_phrases_and_none_is_missed():
    new = theme_words.in_script(THEIRS)
    assert 'copy: phrase("Copy")' in new
    assert 'aria-label="${phrase("Toggle hidden content")}"' in new
    assert 'let toggleHintShow = phrase("Click to show");' in new
    with pytest.raises(SystemExit, match="a script has changed"):
        theme_words.in_script("nothing of theirs")


def test_a_korean_page_is_told_the_words_of_all_scripts(language):
    language("ko")
    text = scripts.korean_words().decode()
    start, end = text.index("{"), text.rindex("}") + 1
    words = json.loads(text[start:end])
    assert text.startswith("window.courseWords = ")
    assert set(words) == set(spoken.of_scripts())
    assert words["Search Results"] == "검색 결과"
    assert words["Copy"] == "복사"
    assert not [english for english, said in words.items() if said == english]


def test_the_function_that_says_phrases_comes_first_of_our_scripts():
    ours = {path.name for path in (ROOT / "book/_static").glob("*.js")}
    ours.add("explorers.js")
    places = {name: scripts.BUNDLED.index(name) for name in ours}
    assert min(places, key=places.get) == "phrase.js"
