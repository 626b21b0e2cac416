"""The online softmax: keys arrive tile by tile, and little is kept."""

import math
from html import escape

import numpy as np

import coursekit.explorers.frames as fr
from attnlib._validate import as_size
from coursekit.explorers.arguments import (
    matrices,
    menu,
    names_of,
    nothing,
    query_names,
)
from coursekit.explorers.examples import BY_HAND, SENTENCE, sentence_scores
from coursekit.explorers.panel import explore

__all__ = ["explore_online_softmax"]

MOST = 12  # queries and keys: more would not fit on a page
# How much each word of the sentence has to do with (money, time): by hand.
ABOUT = (
    (0, 0), (2, 0), (0, 0), (1, 0), (3, 0), (0, 2),
    (0, 3), (1, 1), (0, 3), (2, 0), (3, 0),
)  # fmt: skip


def explore_online_softmax(
    q=None, k=None, v=None, tokens=None, *, tile_size=3
):
    """Read the keys tile by tile, with a running maximum, sum and output.

    Shapes: q (n_q, d_k), k (n_k, d_k), v (n_k, d_v)

    Each frame reads one more tile. What is kept for a query is its largest
    score so far, the sum of the exponentials and the weighted sum of the
    values; the last divided by the sum is the output of attention over the
    keys read so far. Without arguments the scores, from 0 to 3, and the
    values were made by hand. Chapter: efficient attention.

    Parameters
    ----------
    q, k, v : array_like, optional
        Queries, keys and values; all three or none. At most 12 queries, 12
        keys and 4 columns of values.
    tokens : sequence of str, optional
        The names of the keys, and of the queries if there are as many.
    tile_size : int
        The number of keys in a tile.

    Returns
    -------
    Explorer
        Its controls are the query and the number of tiles read.

    Examples
    --------
    >>> explore_online_softmax(np.eye(3), np.eye(3), np.eye(3), tile_size=2)
    Explorer(query, tiles_read: 9 pictures)
    """
    made = nothing(q, k, v)
    if made:
        q, k, v = _sentence()
        tokens = SENTENCE if tokens is None else tokens
    q, k, v = _checked(q, k, v)
    tile = as_size("tile_size", tile_size)
    words = names_of(tokens, len(k))
    askers = query_names(words, q)
    scores = q @ k.T / math.sqrt(q.shape[1])
    count = math.ceil(len(k) / tile)

    def draw(query, tiles_read):
        parts, said = _frame(scores, v, askers, words, query, tiles_read, tile)
        return fr.figure(*parts, words=said + BY_HAND * made)

    return explore(
        draw,
        {"query": len(q) - 1, "tiles_read": max(count - 1, 1)},
        query=menu(askers),
        tiles_read=range(count + 1),
    )


def _sentence():
    """Return q, k, v that give the sentence its scores."""
    n = len(SENTENCE)
    return sentence_scores() * math.sqrt(n), np.eye(n), np.array(ABOUT, float)


def _checked(q, k, v):
    """Return the arrays, which must match and fit on a page."""
    q, k, v = matrices(q=q, k=k, v=v)
    if q.shape[1] != k.shape[1] or len(k) != len(v):
        raise ValueError(
            "q and k must have the same width, and k and v the same length, "
            f"got q {q.shape}, k {k.shape}, v {v.shape}"
        )
    if max(len(q), len(k)) > MOST or v.shape[1] > 4:
        raise ValueError(
            f"at most {MOST} queries, {MOST} keys and 4 columns of values fit "
            f"on a page, got q {q.shape}, k {k.shape}, v {v.shape}"
        )
    return q, k, v


def _frame(scores, v, askers, words, query, tiles_read, tile):
    """Return what is drawn after some tiles, and what is said about it."""
    start = max(tiles_read - 1, 0) * tile
    stop = min(tiles_read * tile, len(v))
    steps = _steps(scores[query], v, tile, stop)
    name = escape(fr.distinct(askers)[query])
    parts = [
        _memory(scores, askers, words, query, start, stop),
        _kept(name, steps),
        _compare(scores[query], steps["after"][0], words, stop),
    ]
    return parts, _words(name, steps, tiles_read, stop, len(v))


def _steps(scores, v, tile, stop):
    """Run the algorithm over the keys before `stop`, a tile at a time.

    Return maximum, sum and output sum at each step of the last tile: before
    it, shrunk (with the factor in place of the maximum), what the tile adds,
    and after it.
    """
    peak, total, output = -np.inf, 0.0, np.zeros(v.shape[1])
    steps = {"after": (peak, total, output)}
    for low in range(0, stop, tile):
        steps = {"before": (peak, total, output)}
        keys = slice(low, min(low + tile, stop))
        new = max(peak, scores[keys].max())
        shrink, powers = math.exp(peak - new), np.exp(scores[keys] - new)
        more = powers.sum(), powers @ v[keys]
        steps["shrunk"] = shrink, total * shrink, output * shrink
        steps["adding"] = new, *more
        peak, total = new, total * shrink + more[0]
        output = output * shrink + more[1]
        steps["after"] = peak, total, output
    return steps


def _memory(scores, askers, words, query, start, stop):
    """Draw the scores that are in memory now: those of the last tile."""
    peak = max(np.abs(scores).max(), 1e-9)
    names = fr.distinct(askers), fr.distinct(words)

    def cell(i, j):
        if not start <= j < stop:
            return "<td>·" if j < start else "<td>"
        score, text = scores[i, j], fr.number(scores[i, j], 1)
        label = f"{names[0][i]} and {names[1][j]} score {text}"
        look = " class=p" if score > 0 else ""
        return (
            f"<td{look} style=--w:{fr.share(score, peak)} "
            f'aria-label="{escape(label)}">{text}'
        )

    hint = "·: read and dropped; empty: not read yet."
    return fr.grid(
        "scores in memory",
        askers,
        words,
        cell,
        hint,
        look="al-tight",
        chosen=query,
    )


def _kept(name, steps):
    """Draw what is kept for one query, and how the tile changes it."""
    labels = {
        "before": "before",
        "shrunk": "× {}",
        "adding": "+ this tile",
        "after": "after",
    }
    rows = []
    for step, (peak, total, output) in steps.items():
        label = labels[step].format(fr.number(peak))
        first = "" if step == "shrunk" else fr.number(peak)
        rows.append([label, first, fr.number(total), fr.vector(output)])
    _, total, output = steps["after"]
    mixed = output / (total or 1.0)
    return fr.table(
        f"kept for “{name}”",
        ["", "maximum", "sum", "output sum"],
        rows,
        [["output so far", "", "", fr.vector(mixed)]],
    )


def _compare(scores, peak, words, stop):
    """Draw the softmax over the keys read so far, computed in one go."""
    rows = []
    powers = np.exp(scores[:stop] - peak) if stop else scores[:0]
    weights = powers / powers.sum()
    bars = fr.bars(weights)
    for j, word in enumerate(words):
        cells = (fr.number(powers[j]), bars[j]) if j < stop else ("", "")
        rows.append([escape(word), *cells])
    return fr.table(
        "the softmax over the keys read",
        ["key", "e<sup>score − maximum</sup>", "weight so far"],
        rows,
        [["sum", fr.number(powers.sum()), fr.number(weights.sum())]],
    )


def _words(name, steps, tiles_read, stop, n_k):
    """Say what the last tile changed."""
    if not tiles_read:
        return (
            f"“{name}” has read no key yet: the maximum is −∞, the sum and "
            "the output are 0."
        )
    old, new = steps["before"][0], steps["after"][0]
    factor, total = steps["shrunk"][0], steps["after"][1]
    said = f"“{name}” has read {stop} of {n_k} keys ({_tiles(tiles_read)})"
    if np.isinf(old):
        said += f". The largest score so far is {fr.number(new)}"
    elif new > old:
        said += (
            f". The new tile raises the maximum from {fr.number(old)} to "
            f"{fr.number(new)}, so what was kept is first multiplied by "
            f"{fr.number(factor)}"
        )
    else:
        said += (
            f". The new tile holds no larger score: the maximum stays "
            f"{fr.number(new)} and what was kept stays as it is"
        )
    end = "the output" if stop == n_k else "the output so far"
    return (
        f"{said}. The sum is {fr.number(total)}. Dividing by it gives {end}, "
        f"{fr.vector(steps['after'][2] / total)}."
    )


def _tiles(count):
    return f"{count} tile{'s' * (count > 1)}"
