"""The tools in Korean: the same findings and numbers, in other words."""

import json
import random
import re
import textwrap
from collections import Counter
from importlib import resources

import in_page
import numpy as np
import pytest
import spoken
from babel.messages.pofile import read_po
from learners import CHECKS
from reports import SOFTMAX, returns
from test_checks_words import GENERAL, MORE, one_part, two_parts

from coursekit import explorers, phrases, sentences, set_language, translating
from coursekit.checks import Answer
from coursekit.checks.words import WIDTH, columns, lower_first, wrap
from coursekit.explorers.controls import BUTTONS, SLIDER, Control
from coursekit.explorers.markup import panel_html
from coursekit.phrases import phrase

CATALOGUE = resources.files("coursekit").joinpath("korean.po")
HANGUL = re.compile("[가-힣]")
GAP = re.compile(r"\{(\w+)\}")
ENGLISH = re.compile(r"\b[A-Za-z]+(?: [A-Za-z]+){2,}")
PRINTED = "some of my own words"
# Code, examples, arrays, Python's own words, the learner's.
NOT_SAID = re.compile(
    rf"`[^`]+`|“[^”]+”|\[[^\]]*\]|오류가 났습니다:.*?(?=\n\n|\Z)|{PRINTED}",
    re.DOTALL,
)


@pytest.fixture(autouse=True)
def english_again():
    yield
    set_language("en")


def numbers(text):
    return Counter(re.findall(r"\d+(?:[.,]\d+)*", text))


def english_in(report):
    """Return the English sentences of a report, less what is no sentence."""
    return ENGLISH.findall(NOT_SAID.sub("", report.text))


# --- the language ------------------------------------------------------------


def test_a_language_is_set_and_set_back():
    assert phrase("Start again") == "Start again"
    set_language("ko")
    assert phrase("Start again") == "처음부터 다시"
    set_language("en")
    assert phrase("Start again") == "Start again"


def test_a_language_that_nobody_speaks_changes_nothing():
    set_language("ko")
    with pytest.raises(ValueError, match="'en' or 'ko', got 'fr'"):
        set_language("fr")
    assert phrase("Start again") == "처음부터 다시"


def test_what_the_catalogue_does_not_know_stays_english():
    set_language("ko")
    assert phrase("no such {thing}", thing="words") == "no such words"
    assert phrase("{a} and {braces}") == "{a} and {braces}"


def test_the_catalogue_is_read_as_babel_reads_it():
    with CATALOGUE.open("rb") as stream:
        known = {m.id: m.string for m in read_po(stream) if m.id}
    assert phrases.catalogue(CATALOGUE.read_text("utf-8")) == known


PHRASES = [*dict.fromkeys(spoken.of_coursekit())]


def test_every_phrase_has_korean():
    set_language("ko")
    known = phrases.catalogue(CATALOGUE.read_text("utf-8"))
    assert [english for english in PHRASES if not known.get(english)] == []


def test_every_gap_is_filled_in_both_languages():
    for language in ("en", "ko"):
        set_language(language)
        for english in PHRASES:
            gaps = {gap: f"<{gap}>" for gap in GAP.findall(english)}
            said = phrase(english, **gaps)
            assert all(said.count(filled) for filled in gaps.values()), said
            assert not GAP.search(said)


# --- checks ------------------------------------------------------------------

STATUSES = {
    "아직 풀지 않았습니다: turn each row of": returns(...),
    "맞습니다: the weights of rows": SOFTMAX.reference,
    "틀렸습니다: the powers are not divided": np.exp,
}


@pytest.mark.parametrize("words", STATUSES)
def test_a_report_of_each_status_is_korean(words):
    before = SOFTMAX(STATUSES[words])
    set_language("ko")
    report = SOFTMAX(STATUSES[words])
    assert report.text.startswith(words)
    assert numbers(report.text) == numbers(before.text)
    same = ("status", "mistake")
    assert all(getattr(report, x) == getattr(before, x) for x in same)


def raises(text):
    def mine(*arguments):
        raise KeyError(text) if text else KeyError

    return mine


def prints(scores):
    print(PRINTED)
    scores += 1
    return scores


FINDINGS = [
    *((one_part(), function) for function in GENERAL.values()),
    *((two_parts(), function) for function in MORE.values()),
    (SOFTMAX, raises("")),
    (SOFTMAX, raises("words")),
    (SOFTMAX, prints),
    (CHECKS["sat_weights"], None),
    (CHECKS["sat_weights"], [0.1, 0.2, 0.7]),
    (CHECKS["sat_weights"], [0.1, 0.9]),
    (CHECKS["lucky_head"], None),
]


@pytest.mark.parametrize("number", range(len(FINDINGS)))
def test_what_is_found_is_said_in_korean_with_the_same_numbers(number):
    check, answer = FINDINGS[number]
    before = check(answer)
    set_language("ko")
    report = check(answer)
    assert report.text.startswith("틀렸습니다: ")
    assert english_in(report) == []
    if "두 번 호출했더니" not in report.text:  # it draws random numbers
        assert numbers(report.text) == numbers(before.text)


@pytest.mark.parametrize("name", CHECKS)
def test_all_that_an_exercise_says_is_korean(name):
    check = CHECKS[name]
    set_language("ko")
    mistakes = {m: check.mistakes[m].words for m in check.mistakes}
    for words in (check.task, check.verified, *mistakes.values()):
        assert HANGUL.search(phrase(words)), words
    value = isinstance(check, Answer)
    right = check(check.right if value else check.reference)
    assert right.status == "right"
    assert english_in(right) == english_in(check(...)) == []
    for mistake, words in mistakes.items():
        ways = check.mistakes[mistake].ways if value else check.wrong(mistake)
        for way in ways:
            report = check(way, tell=True)
            assert report.mistake == mistake
            assert english_in(report) == []
            flat = " ".join(report.text.split())
            assert flat.startswith(f"틀렸습니다: {phrase(words)}")


def test_a_report_counts_hangul_as_two_columns():
    set_language("ko")
    text = SOFTMAX(returns([[1], [2, 3]])).text
    first, *rest = text.split("\n\n")[0].splitlines()
    assert rest
    assert 60 < columns(first) <= WIDTH
    assert all(columns(line) <= WIDTH for line in rest)


def test_lines_are_broken_as_textwrap_breaks_them_but_not_inside_code():
    rng = random.Random(0)
    for _ in range(50):
        words = ["x" * rng.randint(1, 12) for _ in range(60)] + ["y" * 80]
        rng.shuffle(words)
        plain = textwrap.fill(" ".join(words), WIDTH, break_long_words=False)
        assert wrap("  ".join(words)) == plain
    assert wrap("") == ""
    code = "`scores - scores.max(axis=-1, keepdims=True)`"
    for before in range(1, 40):
        assert code in wrap("x " * before + code)


def test_wide_characters_take_two_columns():
    texts = {"abc": 3, "가나": 4, "Ａ가a": 5, "“…−”": 4}
    assert {text: columns(text) for text in texts} == texts
    lines = wrap("가나다 " * 30 + "`q @ k.T`를").splitlines()
    assert [columns(line) for line in lines[:-1]] == [69] * 3
    assert lines[-1] == "`q @ k.T`를"
    line = "가" * (WIDTH // 2 - 2)
    assert wrap(f"{line} xyz") == f"{line} xyz"
    assert wrap(f"{line} 가나") == f"{line}\n가나"


@pytest.mark.parametrize("text", ["Python은 셉니다.", "NaN이 있습니다."])
def test_korean_after_a_colon_stays_as_it_is(text):
    assert lower_first(text) == text


# --- quizzes and controls ----------------------------------------------------

QUIZ = """
[[question]]
ask = '무엇?'
[[question.answer]]
text = '이것'
why = '아니요.'
[[question.answer]]
text = '저것'
right = true
why = '예.'
"""


def test_a_quiz_is_korean_around_the_number_that_css_counts(tmp_path):
    path = tmp_path / "some.toml"
    path.write_text(QUIZ, "utf-8")
    english = explorers.quiz(path).html
    assert '<span data-then=" of 1">Right so far: </span>' in english
    set_language("ko")
    html = explorers.quiz(path).html
    assert "<small>1문제 중 1번 문제</small>" in html
    assert "<b>아쉽습니다.</b> 아니요." in html
    assert "<b>맞습니다.</b> 예." in html
    assert '<span data-then="개">지금까지 맞힌 문제: 1개 중 </span>' in html
    assert ">처음부터 다시</button>" in html


def test_a_prediction_is_korean():
    set_language("ko")
    options = {"이것": "예.", "저것": "아니요."}
    shown = explorers.predict("무엇?", options, "<p>1</p>", alt="하나")
    assert "<small>예상해 보고 확인하기</small>" in shown.html


def test_the_name_of_a_control_decides_and_its_label_is_shown():
    options = [("1", 1), ("2", 2)]
    controls = [
        Control("step", "단계", SLIDER, options, 0),
        Control("mask", "마스크", BUTTONS, options, 1),
    ]
    frames = {(a, b): f"{a}{b}" for a in (1, 2) for b in (1, 2)}
    set_language("ko")
    html = panel_html(controls, frames, "12")
    assert ">재생</button>" in html
    assert 'aria-label="단계"' in html
    assert "<legend>마스크</legend>" in html
    assert html.count('<input type=radio name="mask"') == 2
    controls[0].name = "place"
    assert ">재생</button>" not in panel_html(controls, frames, "12")


# --- the translator and the page ---------------------------------------------


def test_the_translator_says_in_korean_what_it_does_not_know():
    set_language("ko")
    words = ("나는", "바나나를", "먹는다")
    reason, hint = sentences.reasons(words, ["나는", "먹는다"])
    assert reason == "번역하지 못했습니다. 모르는 단어: 바나나를."
    assert hint.startswith("아는 문장 가운데 가장 비슷한 것: ")
    (reason,) = sentences.reasons(("가", "나"), ["가", "나"])
    assert "단어는 모두 알지만" in reason
    assert HANGUL.search(phrase(sentences.FORM))


def test_the_bar_of_the_training_is_korean():
    bar = translating.Progress(40)
    set_language("ko")
    assert bar.text(20, 0.5).endswith("░ 40스텝 중 20스텝, 손실 0.50")


KOREAN = "from coursekit import set_language\nset_language('ko')"
PLAYING = "from coursekit.page import playing\nplaying."
SHOWN = {
    "'a' * 300_000": "… (모두 300,002자)",
    "for i in range(200_000): print(i)": "… (나머지는 보여 주지 않습니다)",
    "import attnlib as al, numpy as np\n"
    "al.visualize_attention(np.eye(2)[None])": (
        "0번 헤드: 가장 큰 가중치는 “0” 행에서 “0” 열에 있는 1.00입니다."
    ),
    "import matplotlib.pyplot as plt\nplt.subplots()[1].violinplot(1)": (
        "Axes.violinplot 기능이 없습니다"
    ),
    f"{PLAYING}by_hand('the blue cat sat')": (
        "모르는 단어라서 뺐습니다: blue."
    ),
    f"{PLAYING}by_role('a dog saw a cat')": "입력한 단어는 5개입니다.",
    f"{PLAYING}by_role('dogs saw a cat')": "시작점 5, 1번 헤드",
}


@pytest.mark.parametrize("code", SHOWN)
def test_what_the_page_shows_is_korean(code):
    _, answer = in_page.run(KOREAN, code)
    shown = json.dumps(answer["pieces"], ensure_ascii=False)
    assert SHOWN[code] in shown
