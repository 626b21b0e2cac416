"""Traffic between the memories: the formula, the frames, and a simulation.

The simulation runs attention on arrays that count every number which is read
from them or written into them, one by one.
"""

import re
from itertools import pairwise
from math import ceil

import numpy as np
import pytest
from frames import Frame

import attnlib as al
from coursekit import explorers
from coursekit.explorers.flash import BYTES, FAST

SIZES = [(12, 4, 4), (7, 3, 2), (5, 2, 5), (11, 5, 3), (4, 3, 9)]


class Slow:
    """The slow memory: arrays of which each access to a number is counted."""

    def __init__(self, **arrays):
        self.arrays = {name: x.copy() for name, x in arrays.items()}
        self.read = self.written = 0

    def load(self, name, rows, columns):
        part = np.empty((len(rows), len(columns)))
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                part[i, j] = self.arrays[name][row, column]
                self.read += 1
        return part

    def store(self, name, rows, columns, part):
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                self.arrays[name][row, column] = part[i, j]
                self.written += 1


def blocks(n, size):
    return [range(i, min(i + size, n)) for i in range(0, n, size)]


def run_tiled(slow, n, d, rows, columns):
    wide = range(d)
    for i in blocks(n, rows):
        q = slow.load("q", i, wide) / d**0.5
        peak, total, mixture = np.full((len(i), 1), -np.inf), 0.0, 0.0
        for j in blocks(n, columns):
            scores = q @ slow.load("k", j, wide).T
            new = np.maximum(peak, scores.max(axis=1, keepdims=True))
            powers, shrink = np.exp(scores - new), np.exp(peak - new)
            total = shrink * total + powers.sum(axis=1, keepdims=True)
            mixture = shrink * mixture + powers @ slow.load("v", j, wide)
            peak = new
        slow.store("o", i, wide, mixture / total)


def run_plain(slow, n, d, rows, columns):
    wide, whole = range(d), range(n)
    for i in blocks(n, rows):
        q = slow.load("q", i, wide) / d**0.5
        for j in blocks(n, columns):
            slow.store("s", i, j, q @ slow.load("k", j, wide).T)
    for i in blocks(n, rows):
        slow.store("a", i, whole, al.softmax(slow.load("s", i, whole)))
    for i in blocks(n, rows):
        output = 0.0
        for j in blocks(n, columns):
            a = slow.load("a", i, j)
            output = output + a @ slow.load("v", j, wide)
        slow.store("o", i, wide, output)


def simulate(n, d, rows, columns, *, tiled):
    q, k, v = np.random.default_rng(n).normal(size=(3, n, d))
    empty = np.full((n, n), np.nan)
    slow = Slow(q=q, k=k, v=v, o=np.zeros((n, d)), s=empty, a=empty)
    (run_tiled if tiled else run_plain)(slow, n, d, rows, columns)
    exact, _ = al.scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(slow.arrays["o"], exact, atol=1e-12)
    assert np.isnan(slow.arrays["s"]).all() == tiled
    return slow.read, slow.written


@pytest.mark.parametrize("tiled", [False, True])
@pytest.mark.parametrize(("n", "d", "rows"), SIZES)
@pytest.mark.parametrize("columns", [1, 4])
def test_formula_counts_what_a_real_run_moves(n, d, rows, columns, tiled):
    # columns do not matter: each tile of queries reads all keys once
    counted = explorers.count_traffic(n, d, rows, tiled=tiled)
    assert counted == simulate(n, d, rows, columns, tiled=tiled)


def test_the_two_ways_differ_by_four_squares():
    for n, d, rows in SIZES:
        both = [
            sum(explorers.count_traffic(n, d, rows, tiled=tiled))
            for tiled in (False, True)
        ]
        assert both[0] - both[1] == 4 * n * n
        assert both[1] == 2 * n * d + 2 * n * d * ceil(n / rows)


def told(frame):
    """Return the counters of a frame, without the headings."""
    return {
        row[0].text: [int(c.text.replace(",", "")) for c in row[1:]]
        for row in frame.tables["bytes moved"][1:]
    }


@pytest.mark.parametrize(
    ("n", "d", "tile"), [(12, 4, 4), (6, 2, 3), (5, 3, 1), (3, 4, 3)]
)
def test_counters_add_up_to_the_simulation(n, d, tile):
    explorer = explorers.explore_flash(n, d, tile)
    for way, tiled in (("plain", False), ("tiled", True)):
        moved = simulate(n, d, tile, tile, tiled=tiled)
        frames = [
            told(Frame(html))
            for (name, _), html in explorer.frames.items()
            if name == way
        ]
        assert frames[0][f"{way}, so far"] == [0, 0, 0]
        bytes_moved = [BYTES * x for x in (*moved, sum(moved))]
        assert frames[-1][f"{way}, so far"] == bytes_moved
        for before, after in pairwise(frames):
            assert after[f"{way}, in all"] == bytes_moved
            so_far = [
                x + y
                for x, y in zip(
                    before[f"{way}, so far"], after["this step"], strict=True
                )
            ]
            if after != before:
                assert after[f"{way}, so far"] == so_far


def arrows(html):
    """Return the heights at which arrows end, by colour."""
    found = re.findall(
        r'stroke:rgb\(var\(--al-(.)\)\).*?<path d="M\S+ ([\d.]+)l', html
    )
    return [(colour, float(y)) for colour, y in found]


def rectangles(html, strength):
    """Return the area of the rectangles that have a fill of this strength."""
    found = re.findall(
        rf'width=(\d+) height=(\d+) style="fill:rgb\([^"]*/{strength}\)"', html
    )
    return sum(int(w) * int(h) for w, h in found)


def test_what_is_drawn_as_moving_is_what_is_counted():
    for html in explorers.explore_flash().frames.values():
        moved = told(Frame(html))["this step"][2]
        assert rectangles(html, 0.7) == moved / BYTES * 7**2
        for colour, y in arrows(html):
            assert (colour == "c") == (y >= FAST), "read: down; written: up"
        assert bool(arrows(html)) == bool(moved)


def test_tiled_way_never_writes_scores_and_its_fast_memory_stays_small():
    held = {"plain": set(), "tiled": set()}
    for (way, _), html in explorers.explore_flash().frames.items():
        held[way].add(rectangles(html, 0.25) // 7**2)
        assert ("stroke-dasharray" in html) == (way == "tiled")
    # queries, keys, values, scores and output, 4 x 4 each
    assert max(held["tiled"]) == 5 * 16
    # whole rows of scores and weights, 4 x 12 each
    assert max(held["plain"]) == 2 * 48


def test_words_name_the_step_and_the_end():
    frames = explorers.explore_flash().frames
    said = {key: Frame(html).words for key, html in frames.items()}
    assert "tiled way has not begun" in said["tiled", 0]
    assert said["tiled", 1].startswith("Step 1 of 15. Read tile 1 of the que")
    assert "write the scores to the slow" in said["plain", 2]
    assert "scores of tile 2 of the queries again" in said["plain", 14]
    assert "weights again and tile 1 of the values" in said["plain", 16]
    assert said["plain", 27].endswith("This was the last step.")
    assert said["tiled", 27] == said["tiled", 15]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((13, 4, 1), ValueError, "n must be at most 12.*n 13"),
        ((12, 5, 4), ValueError, "d at most 4.*d 5"),
        ((12, 4, 5), ValueError, "tile_size must divide n.*tile_size 5"),
        ((12, 4, 0), ValueError, "tile_size must be"),
        ((2.5, 4, 1), TypeError, "n must be"),
    ],
)
def test_bad_size_is_a_clear_error(arguments, error, message):
    with pytest.raises(error, match=message):
        explorers.explore_flash(*arguments)


def test_bad_count_is_a_clear_error():
    with pytest.raises(ValueError, match="rows must be"):
        explorers.count_traffic(4, 4, 0, tiled=True)
