"""Explorers speak Korean, with the same numbers and the same drawings."""

import re
from collections import Counter
from functools import cache
from html import unescape

import pytest

from coursekit import explorers
from coursekit.explorers.arguments import steps_of
from coursekit.explorers.controls import control
from coursekit.explorers.examples import CAT, MOUSE, SENTENCE
from coursekit.explorers.pairs import TARGET
from coursekit.phrases import set_language

NAMES = [name for name in explorers.__all__ if name.startswith("explore_")]
HANGUL = re.compile("[가-힣]")
# English words that stay: those of the examples, and names in formulas.
STAY = {*CAT, *MOUSE, *SENTENCE, *TARGET, "pad", "softmax", "sin", "cos"}


@pytest.fixture(autouse=True)
def english_again():
    yield
    set_language("en")


@cache
def made(name, language):
    """Return the explorer, made while this language was set."""
    set_language(language)
    return getattr(explorers, name)()


def pairs_of_frames(name):
    """Yield each frame in English and in Korean."""
    english, korean = made(name, "en"), made(name, "ko")
    assert list(english.frames) == list(korean.frames)
    pairs = zip(english.frames.values(), korean.frames.values(), strict=True)
    yield from dict.fromkeys(pairs)


def numbers(text):
    return re.findall(r"\d+(?:[.,]\d+)*|∞", text)


def cells(frame):
    """Return the numbers in each cell of the tables, in order."""
    return [numbers(text) for text in re.findall(r"<td[^>]*>([^<]*)", frame)]


def spoken(frame):
    """Return what a reader can see or hear, except what a model wrote."""
    frame = re.sub("<div class=al-text>.*?</div>", "", frame, flags=re.DOTALL)
    labels = re.findall(r'aria-label="([^"]*)"', frame)
    pieces = [*labels, *re.split(r"<[^>]*>", frame)]
    return [unescape(piece) for piece in pieces if piece.strip()]


def drawn(frame):
    """Count the tags, with what they draw but not what they say."""
    tags = re.findall(r"<[^>]*>", frame)
    return Counter(re.sub(r' aria-label="[^"]*"', "", tag) for tag in tags)


def left(text):
    """Return the English words that should not be there: XW is none."""
    words = re.findall("[A-Za-z]{2,}", text)
    return [w for w in words if w not in STAY and not w.isupper()]


@pytest.mark.parametrize("name", NAMES)
def test_controls_have_korean_labels_and_the_same_options(name):
    english, korean = made(name, "en").controls, made(name, "ko").controls
    assert list(korean) == list(english)
    for key, translated in korean.items():
        original = english[key]
        assert translated.name == original.name == key
        assert original.label == key.replace("_", " ")
        assert HANGUL.search(translated.label)
        assert translated.values == original.values
        assert translated.index == original.index
        for label in translated.labels:
            assert not left(label)


@pytest.mark.parametrize("name", NAMES)
def test_korean_frames_have_the_same_numbers_and_drawings(name):
    for english, korean in pairs_of_frames(name):
        assert cells(korean) == cells(english)
        said = [
            Counter(numbers(" ".join(spoken(f)))) for f in (korean, english)
        ]
        assert said[0] == said[1]
        assert drawn(korean) == drawn(english)


@pytest.mark.parametrize("name", NAMES)
def test_no_english_is_left_in_korean_frames(name):
    for _, frame in pairs_of_frames(name):
        (words,) = re.findall("<p class=al-words>(.*?)</p>", frame)
        assert re.search("니다[.(]", words)
        for piece in spoken(frame):
            assert not left(piece), piece


def test_step_of_training_is_not_called_like_one_of_a_calculation():
    training, calculation = steps_of([0, 5]), range(3)
    assert control("step", training).label == "step"
    assert control("steps", training).label == "steps"
    set_language("ko")
    assert control("step", training).label == "스텝"
    assert control("steps", training).label == "스텝"
    assert control("step", calculation).label == "단계"


def test_control_of_a_reader_keeps_its_name():
    set_language("ko")
    own = control("my_number", [1, 2])
    assert (own.name, own.label) == ("my_number", "my number")
