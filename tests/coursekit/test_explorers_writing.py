"""The writing explorer: drawn letters and copies, computed once more."""

import re
from html import unescape
from itertools import pairwise

import numpy as np
import pytest
from frames import Frame

from coursekit import explorers
from coursekit.explorers.writing import copied_from, sample

LETTERS = [*"abc d\n<"]
SOURCE = "abc abd <abc dab> cab\nabc abd abc dab c"
HEATS, SEEDS = [0.3, 1.0, 2.5], [3, 11]


def predict(ids):
    """Return logits that depend on the last two letters."""
    table = np.random.default_rng(5).normal(size=(7, 7, 7))
    before = ids[:, -2] if ids.shape[1] > 1 else ids[:, -1]
    return 2 * table[before, ids[:, -1]]


def one_by_one(opening, heat, seed, count):
    """Sample with NumPy's own choice, one letter of one text at a time."""
    rng = np.random.default_rng(seed)
    ids = [LETTERS.index(letter) for letter in opening]
    for _ in range(count):
        powers = np.exp(predict(np.array([ids]))[0]) ** (1 / heat)
        ids.append(int(rng.choice(7, p=powers / powers.sum())))
    return "".join(LETTERS[i] for i in ids)


def written(html):
    text = re.search(r"<div class=al-text>(.*?)</div>", html, re.DOTALL)[1]
    return unescape(re.sub("</?mark>", "", text))


def longest_common(source, text):
    """Return the length of the longest common piece, by a table."""
    table = np.zeros((len(source) + 1, len(text) + 1), int)
    for i, a in enumerate(source):
        for j, b in enumerate(text):
            table[i + 1, j + 1] = (table[i, j] + 1) * (a == b)
    return table.max()


def test_frames_show_what_numpy_s_choice_draws_letter_by_letter():
    panel = explorers.explore_writing(
        predict, LETTERS, SOURCE, openings=["a", "ab d"],
        temperatures=HEATS, seeds=SEEDS, count=60,
    )  # fmt: skip
    assert len(panel.frames) == 2 * 3 * 2
    for (opening, heat, seed), html in panel.frames.items():
        text = one_by_one(opening, heat, seed, 60)
        assert written(html) == text
        words = Frame(html).words
        assert f"temperature {heat:g}, seed {seed}" in words
        longest = longest_common(SOURCE, text)
        assert f"there has {longest} letters" in words
    assert len({written(html) for html in panel.frames.values()}) == 12


def test_shares_of_drawn_letters_are_the_probabilities():
    logits, n = np.log([0.5, 0.3, 0.2]), 4000
    for heat in (0.5, 1.0):
        drawn = sample(
            lambda ids: np.tile(logits, (len(ids), 1)),
            [0], [heat] * n, range(n), 1,
        )[:, 1]  # fmt: skip
        chances = np.array([0.5, 0.3, 0.2]) ** (1 / heat)
        shares = np.bincount(drawn, minlength=3) / n
        np.testing.assert_allclose(
            shares, chances / chances.sum(), atol=4 * 0.5 / n**0.5
        )


@pytest.mark.parametrize("run", [1, 3, 5])
def test_copied_letters_are_those_in_a_long_common_piece(run):
    text = "cab\nabc dxabd <d abc"
    copied, longest = copied_from(SOURCE, text, run)
    for i, mark in enumerate(copied):
        pieces = [text[s : s + run] for s in range(i - run + 1, i + 1)
                  if 0 <= s <= len(text) - run]  # fmt: skip
        assert mark == any(piece in SOURCE for piece in pieces)
    assert longest == longest_common(SOURCE, text)


def test_tinted_letters_are_the_copied_ones():
    source = "the cat sat down beside the bank"
    letters = sorted(set(source))
    said = source + source[:3][::-1] + source[:9]
    following = [letters.index(letter) for letter in said]

    def parrot(ids):
        return 99 * np.eye(len(letters))[[following[ids.shape[1]]] * len(ids)]

    panel = explorers.explore_writing(
        parrot, letters, source, openings=["t"], temperatures=[1.0],
        seeds=[0], count=len(said) - 1,
    )  # fmt: skip
    assert written(panel.first) == said
    assert f"<mark>{source}</mark>eht" in panel.first
    assert "73% of these 44 letters" in Frame(panel.first).words
    assert "has 32 letters" in Frame(panel.first).words


def test_without_arguments_pairs_of_letters_are_counted():
    panel = explorers.explore_writing()
    assert [*panel.controls] == ["opening", "temperature", "seed"]
    for html in panel.frames.values():
        assert "only counts which letter follows" in Frame(html).words
        cold = written(panel.frames["the ", 0.2, 0])
    pairs = {a + b for a, b in pairwise(cold)}
    line = "the cat sat on the mat. the rat sat on the cat. t"
    assert pairs <= {a + b for a, b in pairwise(line)}


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ([predict], {}, ValueError, "vocabulary is missing"),
        ([predict, LETTERS], {}, ValueError, "source is missing"),
        ([3, LETTERS, SOURCE], {}, TypeError, "predict must be a function"),
        ([], {"openings": ["x!"]}, ValueError, "'x!' with \\['!', 'x'\\]"),
        ([], {"openings": [""]}, ValueError, "openings must be written"),
        ([], {"openings": "the"}, TypeError, "openings must be a list"),
        ([], {"temperatures": [0]}, ValueError, "from 0.01 to 100, got 0"),
        ([], {"seeds": [0.5]}, TypeError, "seeds must be integers"),
    ],
)
def test_bad_argument_is_a_clear_error(arguments, options, error, message):
    with pytest.raises(error, match=message):
        explorers.explore_writing(*arguments, **options)
