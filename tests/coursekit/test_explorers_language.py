"""Every frame of the language explorer against a fresh computation."""

import re

import numpy as np
import pytest
from frames import Frame

from coursekit import explorers

TOKENS = [*"abcab"]
STEPS = [0, 30, 700]


def arrays(seed=0):
    """Return random maps (3, 2, 5, 5) and probabilities (3, 5, 7)."""
    rng = np.random.default_rng(seed)
    maps = np.tril(rng.random((3, 2, 5, 5)))
    chances = rng.random((3, 5, 7))
    return tuple(x / x.sum(axis=-1, keepdims=True) for x in (maps, chances))


def test_frames_show_the_row_the_map_and_the_likeliest_tokens():
    maps, chances = arrays()
    panel = explorers.explore_induction(
        maps, chances, TOKENS, vocabulary=[*"abcdefg"], steps=STEPS
    )
    assert len(panel.frames) == 3 * 2 * 5
    for (step, head, place), html in panel.frames.items():
        frame, at, i = Frame(html), STEPS.index(step), place - 1
        row = maps[at, head, i]
        texts = [re.fullmatch(r"(\w)([\d.·]+)", c.text) for c in frame.items]
        assert [t[1] for t in texts] == TOKENS
        found = [float(t[2]) for t in texts[:place]]
        np.testing.assert_allclose(found, row[:place], atol=0.0051)
        assert {t[2] for t in texts[place:]} <= {"·"}
        assert frame.items[i].attributes["class"] == "on"
        squares = frame.squares[0]
        for (j, k), w in np.ndenumerate(maps[at, head]):
            assert abs(squares.get((j, k), 0.0) - w) <= 0.0501
        best = np.argsort(-chances[at, i])[:3]
        rows = frame.tables["what comes next?"][1:]
        assert [r[0].text for r in rows] == ["abcdefg"[j] for j in best]
        np.testing.assert_allclose(
            [r[1].number for r in rows], chances[at, i, best], atol=0.0051
        )
        check_words(frame.words, step, place, row, chances[at, i])


def check_words(words, step, place, row, chances):
    i, top = place - 1, int(np.argmax(row))
    assert words.startswith(f"Step {step}, ")
    assert f"looks most at “{TOKENS[top]}” at place {top + 1} (" in words
    if i >= 3:
        follower = f"“{TOKENS[i - 2]}” at place {i - 1}, gets {row[i - 2]:.2f}"
        assert follower in words
    else:
        assert "has come before" not in words
    guess = "abcdefg"[int(np.argmax(chances))]
    assert f"next token is “{guess}”" in words
    assert f"{chances.max():.2f}" in words
    if i + 1 < len(TOKENS):
        assert (": correct." in words) == (guess == TOKENS[i + 1])
        new = TOKENS[i + 1] not in TOKENS[: i + 1] and guess != TOKENS[i + 1]
        assert ("nothing could predict it" in words) == new
    else:
        assert "the sequence ends here" in words


def test_without_arguments_two_heads_are_made_by_hand():
    panel = explorers.explore_induction()
    assert [*panel.controls] == ["step", "head", "place"]
    tokens = [*"abcde"] * 2
    for (step, head, place), html in panel.frames.items():
        frame, i = Frame(html), place - 1
        assert "made by hand" in frame.words
        target = i - 4 if head else i - 1
        scores = np.array([0, 2, 4, 8][step] * (np.arange(i + 1) == target))
        row = np.exp(scores) / np.exp(scores).sum()
        found = [float(c.text[1:]) for c in frame.items[:place]]
        np.testing.assert_allclose(found, row, atol=0.0051)
    last = Frame(panel.frames[3, 1, 6])
    assert (
        "the token that followed it, “b” at place 2, gets 1.00" in last.words
    )
    assert "is “b”, with probability 1.00: correct" in last.words
    assert [c.text[0] for c in last.items] == tokens


def test_the_controls_start_at_the_end_of_training_in_the_second_half():
    maps, chances = arrays()
    names = ["first", "second"]
    panel = explorers.explore_induction(
        maps, chances, TOKENS, steps=STEPS, heads=names
    )
    chosen = [widget.value for widget in panel.controls.values()]
    assert chosen == [700, 1, 3]
    labels = [label for label, _ in panel.controls["head"].options]
    assert labels == names


MAPS, CHANCES = arrays()


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ([MAPS], {}, ValueError, "probabilities is missing"),
        ([MAPS[0], CHANCES], {}, ValueError, r"maps \(2, 5, 5\)"),
        ([MAPS, CHANCES[:2]], {}, ValueError, r"\(2, 5, 7\)"),
        ([MAPS[..., :4], CHANCES], {}, ValueError, r"\(3, 2, 5, 4\)"),
        ([MAPS, CHANCES[:, :4]], {}, ValueError, r"\(3, 4, 7\)"),
        ([2 * MAPS, CHANCES], {}, ValueError,
         r"maps must lie between 0 and 1.*\(3, 2, 5, 5\).*to 2"),
        ([np.ones_like(MAPS), CHANCES], {}, ValueError,
         r"maps must sum to 1 in each row, but row \[0, 0, 0\].* sums to 5"),
        ([MAPS, CHANCES / 2], {}, ValueError,
         r"probabilities must sum to 1 in each row, but .* sums to 0.5"),
        ([MAPS, CHANCES * np.nan], {}, ValueError, "probabilities must lie"),
        ([MAPS, CHANCES], {"tokens": ["a"]}, ValueError, "hold 5 words"),
        ([MAPS, CHANCES], {"vocabulary": ["a"]}, ValueError,
         "vocabulary must hold 7 words, got 1"),
        ([MAPS, CHANCES], {"heads": "ab"}, TypeError,
         "heads must be a list, got str"),
        ([MAPS, CHANCES[..., 0]], {}, ValueError, r"probabilities \(3, 5\)"),
        ([MAPS, [[0.5], [0.2, 0.8]]], {}, ValueError,
         "probabilities is not a rectangular array"),
        ([MAPS, CHANCES], {"steps": [1, 5, 2]}, ValueError,
         r"steps must increase, got \[1, 5, 2\]"),
        ([MAPS, CHANCES], {"steps": [0.5, 1, 2]}, TypeError,
         "steps must be integers"),
        ([MAPS, CHANCES], {"steps": [1]}, ValueError,
         "one step for each of 3 maps, got 1"),
        ([["a"], CHANCES], {}, TypeError, "maps must hold"),
    ],
)  # fmt: skip
def test_bad_argument_is_a_clear_error(arguments, options, error, message):
    with pytest.raises(error, match=message):
        explorers.explore_induction(*arguments, **options)


def test_names_cannot_break_the_page():
    bad = "<img src=x onerror=alert(1)>"
    panel = explorers.explore_induction(
        MAPS, CHANCES, [bad] * 5, vocabulary=[bad] * 7, heads=[bad, "b"]
    )
    for html in panel.frames.values():
        assert "<img" not in html
