"""The picture of multi-head attention against its numbers, typed again."""

import re

import numpy as np
import pytest
from frames import Frame

from coursekit import explorers

# The, cat, sat; then what each head of width 2 projects and writes.
X = np.array([[1, 0, 0, 2], [0, 1, 2, 0], [0, 2, 0, 1]])
Q = np.array([[1, 2, 3, 0], [2, 1, 0, 3], [0, 3, 1, 2]])
K = np.array([[2, 1, 0, 3], [1, 2, 3, 0], [3, 0, 2, 1]])
V = np.array([[3, 0, 2, 1], [0, 3, 1, 2], [1, 2, 3, 0]])
W_O = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]])
PROJECTED = {"Q": Q, "K": K, "V": V}
WORDS = ["The", "cat", "sat"]


@pytest.fixture(scope="module")
def panel():
    return explorers.explore_multi_head()


def drawn(html):
    """Return the numbers of every matrix of the picture, row by row."""
    found = {}
    for name, inner in re.findall(
        r'<g data-m="(\w+)">(.*?)</g>', html, re.DOTALL
    ):
        cells = re.findall(r"<text x=\S+ y=(\S+)>([\d.]+)</text>", inner)
        rows = {}
        for y, value in cells:
            rows.setdefault(float(y), []).append(float(value))
        found[name] = np.array([rows[y] for y in sorted(rows)])
    return found


def near(found, expected):
    assert found.shape == np.shape(expected)
    assert abs(found - expected).max() < 0.005 + 1e-9


def one_head(own):
    """Attend on paper: a sum for every score, every weight and every mean."""
    weights, output = np.zeros((3, 3)), np.zeros((3, len(range(4)[own])))
    for i in range(3):
        for j in range(3):
            score = sum(
                a * b for a, b in zip(Q[i, own], K[j, own], strict=True)
            )
            weights[i, j] = np.exp(score / np.sqrt(len(output[0])))
        weights[i] /= weights[i].sum()
        output[i] = sum(weights[i, j] * V[j, own] for j in range(3))
    return weights, output


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_every_matrix_of_every_head_is_right(panel, heads):
    wide = 4 // heads
    for head in range(4):
        for word in range(3):
            found = drawn(panel.frames[heads, head, word])
            assert len(found) == 2 + 9 * heads
            near(found["X"], X)
            joined = []
            for t in range(heads):
                own = slice(t * wide, (t + 1) * wide)
                for name, projected in PROJECTED.items():
                    narrow = found[f"W{name}{t}"]
                    assert narrow.shape == (4, wide), "the whole row is read"
                    near(found[f"{name}{t}"], X @ narrow)
                    near(found[f"{name}{t}"], projected[:, own])
                weights, output = one_head(own)
                near(found[f"A{t}"], weights)
                near(found[f"O{t}"], output)
                near(found[f"WO{t}"], W_O[own])
                joined.append(output)
            near(found["Y"], np.hstack(joined) @ W_O)


def test_no_head_can_do_with_a_slice_of_the_embedding(panel):
    for heads in (2, 4):
        found = drawn(panel.frames[heads, 0, 0])
        for t in range(heads):
            for name in ("WQ", "WK", "WV"):
                narrow = found[f"{name}{t}"]
                assert narrow[:2].any(axis=0).all(), "the row's first half"
                assert narrow[2:].any(axis=0).all(), "its second half"
                assert heads > 2 or narrow.any(axis=1).all(), "all of it"


def test_words_follow_the_chosen_word_through_the_chosen_head(panel):
    said = Frame(panel.frames[2, 1, 2]).words
    assert "Head 1 of 2 reads the whole row of “sat”, (0, 2, 0, 1)" in said
    assert "projection is (4, 2)" in said
    assert "(0 + 1, 2 + 0) = (1, 2)" in said
    weights, output = one_head(slice(2, 4))
    most = WORDS[weights[2].argmax()]
    assert f"most at “{most}”, with the weight {weights[2].max():.2f}" in said
    assert "({:.2f}, {:.2f}), fills columns 2 to 3".format(*output[2]) in said
    even = Frame(panel.frames[4, 0, 2]).words  # its query is 0
    assert "looks at all three words alike" in even


def test_a_head_that_is_not_there_is_said(panel):
    for (heads, head, _), html in panel.frames.items():
        said = Frame(html).words
        assert (f"There is no head {head}" in said) == (head >= heads)
        shown = min(head, heads - 1)
        assert f"Head {shown} of {heads} reads" in said
        marked = re.findall(r'<g class="t(\d) mine">', html)
        assert set(marked) == {str(shown)}


def test_framed_row_is_the_chosen_word_s(panel):
    for (heads, _, word), html in panel.frames.items():
        framed = {
            name: float(y)
            for name, top, y in re.findall(
                r'data-m="(\w+)"><rect class=c x=\S+ y=(\S+) [^>]*>'
                r"<path[^>]*><rect class=r x=\S+ y=(\S+)",
                html,
            )
            if float(y) == float(top) + 18 * word
        }
        expected = {"X", "Y"}
        for t in range(heads):
            expected |= {f"Q{t}", f"A{t}", f"O{t}"}
        assert set(framed) == expected
