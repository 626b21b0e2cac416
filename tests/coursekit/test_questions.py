"""Questions: what is written into them, and what a file must not say."""

import re
from html.parser import HTMLParser

import matplotlib.pyplot as plt
import pytest

from attnlib import plots
from coursekit import explorers
from coursekit.explorers.cards import MOST, to_html

FILE = r"""
[[question]]
ask = 'What is $a < b$ in `a<b`?'
[[question.answer]]
text = '*This*'
why = 'No: $\R$.'
[[question.answer]]
text = 'That'
right = true
why = 'Yes & no.'
"""
ASK = "Which *one*?"
OPTIONS = {"left": "Right: $x$.", "right": "No, left."}


class Elements(HTMLParser):
    """The start tags of some HTML, with their attributes."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def all(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture
def write(tmp_path):
    def writer(text):
        path = tmp_path / "some.toml"
        path.write_text(text, "utf-8")
        return path

    return writer


@pytest.fixture
def figure():
    with plt.rc_context():
        plots.use_style()
        fig, ax = plt.subplots()
        ax.plot([1, 2], [3, 5], label="나는")
        ax.set(xlabel="words & more")
        ax.legend()
        yield fig
        plt.close("all")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a < b & c", "a &lt; b &amp; c"),
        ("`a*b*c` and `$HOME`", "<code>a*b*c</code> and <code>$HOME</code>"),
        ("2 * 3 * 5", "2 * 3 * 5"),
        ("*so it* is", "<em>so it</em> is"),
        ("*all `n`*", "<em>all <code>n</code></em>"),
        ("<b>", "&lt;b&gt;"),
    ],
)
def test_little_markdown_becomes_html_and_the_rest_is_escaped(text, html):
    assert to_html(text) == html


def test_formulas_are_written_as_sphinx_writes_them_without_macros():
    html = to_html(r"$\softmax(x) < 1$ in $\R^n$, not $\Rightarrow$")
    formulas = re.findall(
        r'<span class="math notranslate nohighlight">\\\((.*?)\\\)</span>',
        html,
    )
    assert formulas == [
        r"\operatorname{softmax}(x) &lt; 1",
        r"\mathbb{R}^n",
        r"\Rightarrow",
    ]


@pytest.mark.parametrize("text", ["a $ b", "`a", "$a$ $", "", " ", None, 3])
def test_broken_texts_are_refused(text):
    with pytest.raises(ValueError, match=r"unmatched .* in|text is needed"):
        to_html(text)


def test_each_answer_of_a_quiz_has_a_label_and_an_explanation(write):
    shown = explorers.quiz(write(FILE))
    elements = Elements(shown.html)
    inputs, labels = elements.all("input"), elements.all("label")
    assert [i["id"] for i in inputs] == [label["for"] for label in labels]
    assert len({i["id"] for i in inputs}) == 2
    assert len({i["name"] for i in inputs}) == 1
    assert {i["type"] for i in inputs} == {"radio"}
    assert [i["class"] for i in inputs] == ["w", "r"]
    assert not any("checked" in i for i in inputs)
    status = shown.html.split("role=status>")[1]
    assert status.startswith("<p class=w><b>Not quite.</b> No: ")
    assert "<p class=r><b>Right.</b> Yes &amp; no.</p>" in status
    assert not elements.all("script")


def test_plain_text_asks_but_does_not_tell(write):
    shown = explorers.quiz(write(FILE + FILE.replace("That", "These")))
    text = repr(shown)
    assert text == (
        "What is $a < b$ in `a<b`?\n  - *This*\n  - That\n\n"
        "What is $a < b$ in `a<b`?\n  - *This*\n  - These"
    )


def test_questions_of_a_quiz_share_neither_buttons_nor_ids(write):
    shown = explorers.quiz(write(FILE + FILE.replace("That", "These")))
    inputs = Elements(shown.html).all("input")
    assert len({i["id"] for i in inputs}) == 4
    assert len({i["name"] for i in inputs}) == 2


@pytest.mark.parametrize("mark", ["", "right = false\n"])
def test_repeated_question_is_refused(write, mark):
    again = FILE.replace("text = '*This*'", f"{mark}text = '*This*'")
    other = FILE.replace("That", "These")
    with pytest.raises(ValueError, match="question 3: the same as question 1"):
        explorers.quiz(write(FILE + other + again))


def test_quiz_without_questions_is_refused(write):
    with pytest.raises(ValueError, match=r"some\.toml: .*question is empty"):
        explorers.quiz(write("question = []"))


def test_same_content_gives_same_html_and_other_content_other_names(write):
    first = explorers.quiz(write(FILE)).html
    assert explorers.quiz(write(FILE)).html == first
    other = explorers.quiz(write(FILE.replace("That", "These"))).html
    names = [set(re.findall(r"name=(\S+)", html)) for html in (first, other)]
    assert names[0].isdisjoint(names[1])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "right = true",
            "",
            "question 1: exactly one answer must be right, got 0",
        ),
        ("text = 'That'", "right = true\ntext = 'That'", "Cannot overwrite"),
        (
            "why = 'No:",
            "right = true\nwhy = 'No:",
            "answer must be right, got 2",
        ),
        ("why = 'Yes & no.'", "", "question 1, answer 2: why is missing"),
        ("text = 'That'", "", "question 1, answer 2: text is missing"),
        ("why = 'Yes & no.'", "why = ''", "answer 2: why: a text is needed"),
        ("'That'", "'*This*'", "question 1: two answers are the same"),
        ("right = true", "right = 1", "right must be a bool, got 1"),
        ("right = true", "rigth = true", "answer 2: unknown key rigth"),
        ("ask =", "question =", "question 1: ask is missing"),
        ("ask =", "hint = 'no'\nask =", "question 1: unknown key hint"),
        ("`a<b`", "`a<b", "question 1: ask: unmatched `"),
        ("[[question", "[[quiz", "the file: question is missing"),
        ("[[question]]\n", "[question]\n", "question must be a list"),
    ],
)
def test_mistakes_in_a_file_are_named(write, old, new, message):
    path = write(FILE.replace(old, new))
    with pytest.raises(ValueError, match=r"some\.toml: ") as raised:
        explorers.quiz(path)
    assert message in str(raised.value)


@pytest.mark.parametrize("count", [1, 7])
def test_a_question_needs_some_answers_but_not_too_many(write, count):
    ask, right = FILE.split("[[question.answer]]")[::2]
    more = "".join(
        f"[[question.answer]]\ntext = '{i}'\nwhy = 'no'\n"
        for i in range(1, count)
    )
    text = f"{ask}[[question.answer]]{right}{more}"
    with pytest.raises(ValueError, match=f"1: answers: .*, got {count}"):
        explorers.quiz(write(text))


def test_style_sheet_explains_as_many_answers_as_are_allowed():
    style = explorers.predict(ASK, OPTIONS, "<p>", alt="a").html
    rules = re.findall(
        r"nth-of-type\((\d)\):checked ~ \.al-why > p:nth-child\((\d)\)", style
    )
    assert rules == [(str(i), str(i)) for i in range(1, MOST + 1)]


def test_figure_becomes_svg_with_words_and_is_closed(figure):
    html = explorers.predict(ASK, OPTIONS, figure, alt="It <grows>.").html
    assert 'role="img" aria-label="It &lt;grows&gt;."' in html
    assert ">words &amp; more</text>" in html
    assert ">나는</text>" in html
    assert not plt.fignum_exists(figure.number)
    ids = [a["id"] for _, a in Elements(html).found if "id" in a]
    assert len(set(ids)) == len(ids)
    assert set(re.findall(r'(?:url\(|href=")#([^")]+)', html)) <= set(ids)
    assert len(html) < 20_000


def test_two_pictures_share_no_id_and_each_is_reproducible():
    def html(height):
        fig, ax = plt.subplots()
        ax.plot([1, 2], [3, height])
        return explorers.predict(ASK, OPTIONS, fig, alt="a line").html

    def ids(text):
        return {a["id"] for _, a in Elements(text).found if "id" in a}

    assert html(5) == html(5)
    assert ids(html(5)).isdisjoint(ids(html(7)))


def test_frame_of_an_explorer_can_be_the_picture():
    frame = explorers.explore_temperature().first
    shown = explorers.predict(ASK, OPTIONS, frame, alt="cat gets most")
    assert frame in shown.html
    assert ".al-x {" in shown.html
    assert repr(shown) == "Which *one*?\n  - left\n  - right"


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"options": ["a", "b"]}, TypeError, "options must be a dict"),
        (
            {"options": {"a": "b"}},
            ValueError,
            "options: from 2 to 6 allowed, got 1",
        ),
        ({"options": {"a": "b", "c": ""}}, ValueError, "text is needed"),
        ({"picture": 3}, TypeError, "picture must be a Figure or HTML"),
        ({"ask": ""}, ValueError, "text is needed"),
        ({"alt": " "}, ValueError, "alt must say in words"),
    ],
)
def test_bad_arguments_of_predict_are_named(changed, error, message):
    given = {"ask": ASK, "options": OPTIONS, "picture": "<p>", "alt": "a"}
    with pytest.raises(error, match=message):
        explorers.predict(**given | changed)
