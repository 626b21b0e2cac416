"""The explorers of a whole model: their numbers, errors and weight."""

import gzip
import re
from html import unescape
from itertools import product

import numpy as np
import pytest
from frames import Frame

from coursekit import explorers

BOTH = [explorers.explore_real_heads, explorers.explore_all_heads]
WORDS = [
    ["[CLS]", "go", "##ing", ".", "[SEP]"],
    ["[CLS]", "the", "cat", "and", "the", "cat", "[SEP]"],
    ["a", "b", "c"],
]


def softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


@pytest.fixture(scope="module")
def maps():
    rng = np.random.default_rng(0)
    return [
        softmax(3 * rng.normal(size=(2, 5, len(w), len(w)))) for w in WORDS
    ]


def levels(svg, n):
    """Return the opacity of every cell, read from the strokes of a map."""
    found = np.zeros((n, n))
    pattern = r'<path d="([^"]+)" opacity=([\d.]+)'
    for d, opacity in re.findall(pattern, svg):
        moves = re.findall(r"([Mm])(\d+) ([\d.]+)h1", d)
        assert "".join(f"{c}{x} {y}h1" for c, x, y in moves) == d
        for c, x, y in moves:
            if c == "M":
                i, j = int(float(y)), int(x)
                assert float(y) == i + 0.5, "in the middle of its row"
            else:
                assert y == "0"
                j += 1 + int(x)
            assert found[i, j] == 0
            found[i, j] = float(opacity)
    return found


def test_every_frame_shows_its_head(maps):
    panel = explorers.explore_real_heads(maps, WORDS)
    assert set(panel.frames) == set(product(range(3), range(2), range(5)))
    for (sentence, layer, head), html in panel.frames.items():
        weights, words = maps[sentence][layer, head], WORDS[sentence]
        assert abs(levels(html, len(words)) - weights).max() <= 0.0251
        rows = Frame(html).tables["where each token looks"][1:]
        for row, w in zip(rows, weights, strict=True):
            found = [float(cell.text.split()[-1]) for cell in row[1:]]
            styles = [cell.attributes["style"] for cell in row[1:]]
            tints = [float(style.removeprefix("--w:")) for style in styles]
            assert np.allclose(tints, np.sort(w)[::-1][:3], atol=0.0251)
            assert np.allclose(found, np.sort(w)[::-1][:3], atol=0.00501)
            best = row[1].text.rsplit(" ", 1)[0]
            assert best.split(" (")[0] == words[w.argmax()]


def test_words_tell_the_patterns(maps):
    panel = explorers.explore_real_heads(maps, WORDS)
    for (sentence, layer, head), html in panel.frames.items():
        w, n = maps[sentence][layer, head], len(WORDS[sentence])
        rest = [w[i, j] for i in range(n) for j in range(1, n) if i != j]
        expected = [
            w[1:, 0].mean(),
            np.mean([w[i, i - 1] for i in range(1, n)]),
            np.mean([w[i, i + 1] for i in range(n - 1)]),
            np.mean([w[i, i] for i in range(n)]),
            max(rest),
        ]
        said = Frame(html).words
        assert said.startswith(f"Head L{layer}H{head} on “")
        found = [float(x) for x in re.findall(r"\d\.\d\d", said)]
        assert np.allclose(found, expected, atol=0.00501)


def test_glance_shows_all_heads_and_counts_those_that_rest(maps):
    resting = 0
    panel = explorers.explore_all_heads(maps, WORDS)
    for (sentence,), html in panel.frames.items():
        weights, n = maps[sentence], len(WORDS[sentence])
        rest = weights[..., 1:, 0].mean(axis=-1)
        groups = re.findall(
            r'<g class=("al-k p"|al-k) transform[^>]*>(.*?)</g>', html
        )
        assert len(groups) == 10
        for (look, svg), w, r in zip(
            groups, weights.reshape(10, n, n), rest.ravel(), strict=True
        ):
            assert abs(levels(svg, n) - w).max() <= 0.1251
            assert (look == '"al-k p"') == (r > 0.5)
        said = Frame(html).words
        assert f"{(rest > 0.5).sum()} of them rest" in said
        resting += (rest > 0.5).sum()
    assert resting > 0, "some head has the other colour"


def test_sentences_are_called_as_a_reader_would_write_them(maps):
    widget = explorers.explore_all_heads(maps, WORDS).controls["sentence"]
    labels = [label for label, _ in widget.options]
    assert labels == ["going.", "the cat and the cat", "a b c"]
    words = ["[CLS]", "it", "didn", "'", "t", ",", "no", "[SEP]"]
    uniform = np.full((1, 1, 8, 8), 1 / 8)
    panel = explorers.explore_all_heads([uniform], [words])
    assert panel.controls["sentence"].options[0][0] == "it didn't, no"


@pytest.mark.parametrize("function", BOTH)
def test_without_arguments_the_words_say_that_it_is_made_by_hand(function):
    for html in function().frames.values():
        assert "made by hand, not learned" in Frame(html).words


@pytest.mark.parametrize("function", BOTH)
def test_start_and_missing_tokens(function, maps):
    panel = function(maps, start={"sentence": 2})
    assert panel.controls["sentence"].index == 2
    assert "0 1 2" in panel.controls["sentence"].options[2][0]


@pytest.mark.parametrize("function", BOTH)
def test_names_of_a_dict_are_those_of_the_menu(function, maps):
    named = dict(zip("xyz", maps, strict=True))
    words = dict(zip("zyx", WORDS[::-1], strict=True))
    panel = function(named, words)
    labels = [label for label, _ in panel.controls["sentence"].options]
    assert labels == ["x", "y", "z"]
    assert panel.frames == function(maps, WORDS).frames
    for bad in [WORDS, {"x": WORDS[0]}]:
        with pytest.raises(
            ValueError, match=r"same keys as maps.*'x', 'y', 'z'"
        ):
            function(named, bad)


@pytest.mark.parametrize("function", BOTH)
def test_tokens_cannot_break_the_page(function):
    words = ["<img src=x onerror=alert(1)>", '"', "&amp;"]
    panel = function([np.full((1, 1, 3, 3), 1 / 3)], [words])
    for html in panel.frames.values():
        assert "<img" not in html
        assert "&amp;amp;" in html
    label = panel.controls["sentence"].options[0][0]
    assert label == unescape(label).replace("&", "&amp;")


GOOD = np.full((1, 2, 3, 3), 1 / 3)


@pytest.mark.parametrize("function", BOTH)
@pytest.mark.parametrize(
    ("maps", "sentences", "error", "message"),
    [
        ([], None, ValueError, "maps is empty"),
        ([GOOD[0]], None, ValueError, r"maps\[0\].*layers.*\(2, 3, 3\)"),
        ([GOOD[..., :2]], None, ValueError, r"\(1, 2, 3, 2\)"),
        (
            [GOOD, GOOD[:, :1]],
            None,
            ValueError,
            "same numbers of layers and heads",
        ),
        ([GOOD, 2 * GOOD + 1], None, ValueError, r"maps\[1\].*between 0 and"),
        (
            [GOOD, GOOD * 2],
            None,
            ValueError,
            r"maps\[1\] must sum to 1 in each row, but row \[0, 0, 0\].* to 2",
        ),
        ([GOOD * np.nan], None, ValueError, "between 0 and 1"),
        ([["a"]], None, TypeError, r"maps\[0\]"),
        ([GOOD], [["a", "b"]], ValueError, "hold 3 words, got 2"),
        ([GOOD], ["abc"], TypeError, r"sentences\[0\] must be a list"),
        ([GOOD], [], ValueError, "sentences is empty"),
        (
            [GOOD],
            [None] * 2,
            ValueError,
            "sentences must hold.* 1 maps, got 2",
        ),
        ([GOOD], 7, TypeError, "sentences must be a list, got int"),
        (7, None, TypeError, "maps must be a list, got int"),
        ([np.full((1, 1, 25, 25), 0.04)], None, ValueError, "2 to 24"),
    ],
)
def test_bad_arguments(function, maps, sentences, error, message):
    with pytest.raises(error, match=message):
        function(maps, sentences)


def test_six_sentences_of_seventy_two_heads_fit_on_a_page():
    rng = np.random.default_rng(0)
    sizes = [14, 15, 16, 16, 14, 7]
    maps = [softmax(2 * rng.normal(size=(6, 12, n, n))) for n in sizes]
    words = [[f"word{i}" for i in range(n)] for n in sizes]
    words = [["[CLS]", str(k), *w[2:]] for k, w in enumerate(words)]
    panel = explorers.explore_real_heads(maps, words)
    assert len(panel.frames) == 432
    assert len(gzip.compress(panel.html.encode())) < 215_000
