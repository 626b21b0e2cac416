"""Every frame of the online softmax is the softmax over the keys so far."""

import re

import numpy as np
import pytest
from frames import Frame

from coursekit import explorers
from coursekit.explorers.examples import LOOKS

HALF = 0.005 + 1e-9  # what rounding to two digits may take or give


def numbers(text):
    return [
        float(x)
        for x in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))
    ]


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def sums(scores, v, peak):
    """Return the sum of the exponentials, and of the values they weigh."""
    total, mixture = 0.0, np.zeros(v.shape[1])
    for score, value in zip(scores, v, strict=True):
        total += np.exp(score - peak)
        mixture = mixture + np.exp(score - peak) * value
    return total, mixture


def frames_of(explorer):
    for (query, tiles_read), html in explorer.frames.items():
        yield query, tiles_read, Frame(html)


def check_memory(frame, scores, words, start, stop):
    """Only the scores of the last tile are shown, and all of them are."""
    head, *rows = frame.tables["scores in memory"]
    assert [cell.text for cell in head[1:]] == words
    for row, expected in zip(rows, scores, strict=True):
        texts = [cell.text for cell in row[1:]]
        assert texts[:start] == ["·"] * start
        assert texts[stop:] == [""] * (len(words) - stop)
        found = [cell.number for cell in row[1 + start : 1 + stop]]
        assert np.allclose(found, expected[start:stop], atol=0.05 + 1e-9)


def check_kept(table, scores, v, start, stop):
    """Maximum, sum and output are those of the keys before `stop`."""
    *rows, foot = table[1:]
    assert len(rows) == (4 if stop else 1)
    told = [[c.text for c in row] for row in rows]
    peak = scores[:stop].max(initial=-np.inf)
    total, mixture = sums(scores[:stop], v[:stop], peak)
    assert rows[-1][1].number == pytest.approx(peak, abs=HALF)
    assert numbers(told[-1][2])[0] == pytest.approx(total, abs=HALF)
    assert numbers(told[-1][3]) == pytest.approx(mixture, abs=HALF)
    weights = np.exp(scores[:stop]) / np.exp(scores[:stop]).sum()
    assert numbers(foot[3].text) == pytest.approx(weights @ v[:stop], abs=HALF)
    if not stop:
        return
    old = scores[:start].max(initial=-np.inf)
    assert rows[0][1].number == pytest.approx(old, abs=HALF)
    before = sums(scores[:start], v[:start], old)
    shrunk = sums(scores[:start], v[:start], peak)
    adding = sums(scores[start:stop], v[start:stop], peak)
    for row, (part, mixed) in zip(
        told, (before, shrunk, adding), strict=False
    ):
        assert numbers(row[2])[0] == pytest.approx(part, abs=HALF)
        assert numbers(row[3]) == pytest.approx(mixed, abs=HALF)
    assert numbers(told[1][0])[0] == pytest.approx(
        np.exp(old - peak), abs=HALF
    )


def check_comparison(table, scores, stop):
    *rows, foot = table[1:]
    powers = np.exp(scores[:stop])
    weights = powers / powers.sum()
    assert [r[2].number for r in rows[:stop]] == pytest.approx(
        weights, abs=HALF
    )
    peak = scores[:stop].max(initial=-np.inf)
    assert [r[1].number for r in rows[:stop]] == pytest.approx(
        np.exp(scores[:stop] - peak), abs=HALF
    )
    assert all(c.text == "" for row in rows[stop:] for c in row[1:])
    assert foot[2].number == pytest.approx(1.0 if stop else 0.0)


def check_words(said, scores, v, start, stop):
    if not stop:
        assert "no key yet" in said
        return
    told = numbers(said.split("” has read")[1])
    assert told[:2] == [stop, len(scores)]
    old = scores[:start].max(initial=-np.inf)
    peak = scores[:stop].max()
    assert ("raises the maximum" in said) == (start > 0 and peak > old)
    assert ("no larger score" in said) == (start > 0 and peak == old)
    total, mixture = sums(scores[:stop], v[:stop], peak)
    told = numbers(said.split("The sum is")[1])
    assert told == pytest.approx([total, *(mixture / total)], abs=HALF)


def check_online(explorer, scores, v, words, askers, tile):
    seen = set()
    for query, tiles_read, frame in frames_of(explorer):
        stop = min(tiles_read * tile, len(v))
        start = max(tiles_read - 1, 0) * tile
        seen.add((query, stop))
        check_memory(frame, scores, words, start, stop)
        kept = frame.tables[f"kept for “{askers[query]}”"]
        check_kept(kept, scores[query], v, start, stop)
        name = "the softmax over the keys read"
        check_comparison(frame.tables[name], scores[query], stop)
        check_words(frame.words, scores[query], v, start, stop)
    ends = {min(end, len(v)) for end in range(0, len(v) + tile, tile)}
    assert seen == {(i, end) for i in range(len(scores)) for end in ends}


def test_each_frame_is_the_softmax_over_the_keys_read_so_far():
    from coursekit.explorers.online import ABOUT

    words = list(LOOKS)
    scores = np.array([[LOOKS[a].get(b, 0) for b in words] for a in words])
    check_online(
        explorers.explore_online_softmax(),
        scores.astype(float),
        np.array(ABOUT, float),
        words,
        words,
        3,
    )


@pytest.mark.parametrize("tile", [1, 2, 5, 7, 100])
def test_own_arrays_in_tiles_of_any_size(tile):
    q, k, v = normal(2, 5), normal(7, 5, seed=1), normal(7, 3, seed=2)
    words = list("abcdefg")
    explorer = explorers.explore_online_softmax(
        3 * q, k, v, words, tile_size=tile
    )
    scores = 3 * q @ k.T / np.sqrt(5)
    check_online(explorer, scores, v, words, ["0", "1"], tile)


def test_scores_that_overflow_without_the_maximum():
    k = np.array([[100.0], [1000.0], [-1000.0], [999.0]])
    v = np.array([[1.0], [2.0], [3.0], [4.0]])
    explorer = explorers.explore_online_softmax([[1.0]], k, v, tile_size=1)
    frames = [Frame(html) for html in explorer.frames.values()]
    mixed = [f.tables["kept for “0”"][-1][3].text for f in frames]
    # the softmax of 1000 and 999 is 0.731 and 0.269
    assert mixed == ["(0.00)", "(1.00)", "(2.00)", "(2.00)", "(2.54)"]


def test_the_last_frame_is_attention():
    import attnlib as al

    q, k, v = normal(3, 4), normal(6, 4, seed=1), normal(6, 2, seed=2)
    explorer = explorers.explore_online_softmax(q, k, v, tile_size=4)
    output = al.memory_efficient_attention(q, k, v)
    for i in range(3):
        frame = Frame(explorer.frames[i, 2])
        told = numbers(frame.tables[f"kept for “{i}”"][-1][3].text)
        assert told == pytest.approx(output[i], abs=HALF)


EYE = np.eye(3)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ([EYE], {}, ValueError, "k is missing"),
        ([EYE, EYE, np.eye(4)], {}, ValueError, r"the same length.*\(4, 4\)"),
        ([EYE, np.eye(4), EYE], {}, ValueError, r"the same width.*\(4, 4\)"),
        ([np.eye(13)] * 3, {}, ValueError, "at most 12 queries"),
        ([EYE, EYE, np.ones((3, 5))], {}, ValueError, "4 columns"),
        ([EYE * 1e308, EYE, EYE], {}, ValueError, r"q.*up to 1e\+308.*fits"),
        ([EYE, EYE, EYE * -1e308], {}, ValueError, r"v.*up to 1e\+308.*fits"),
        ([EYE * np.nan, EYE, EYE], {}, ValueError, "q.*nan"),
        ([], {"tile_size": 0}, ValueError, "tile_size must be"),
        ([], {"tile_size": 1.5}, TypeError, "tile_size must be"),
        ([], {"tokens": ["a"]}, ValueError, "hold 11 words"),
    ],
)
def test_bad_argument_is_a_clear_error(arguments, options, error, message):
    with pytest.raises(error, match=message):
        explorers.explore_online_softmax(*arguments, **options)
