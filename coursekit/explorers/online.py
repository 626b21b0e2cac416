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
from coursekit.phrases import phrase

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
        return fr.figure(*parts, words=said + phrase(BY_HAND) * made)

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
        label = phrase(
            "{query} and {key} score {score}",
            query=names[0][i],
            key=names[1][j],
            score=text,
        )
        look = " class=p" if score > 0 else ""
        return (
            f"<td{look} style=--w:{fr.share(score, peak)} "
            f'aria-label="{escape(label)}">{text}'
        )

    hint = phrase("·: read and dropped; empty: not read yet.")
    return fr.grid(
        phrase("scores in memory"),
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
        "before": phrase("before"),
        "adding": phrase("+ this tile"),
        "after": phrase("after"),
    }
    rows = []
    for step, (peak, total, output) in steps.items():
        first = [labels.get(step), fr.number(peak)]
        if step == "shrunk":
            first = [f"× {fr.number(peak)}", ""]
        rows.append([*first, fr.number(total), fr.vector(output)])
    _, total, output = steps["after"]
    mixed = output / (total or 1.0)
    return fr.table(
        phrase("kept for “{query}”", query=name),
        ["", phrase("maximum"), phrase("sum"), phrase("output sum")],
        rows,
        [[phrase("output so far"), "", "", fr.vector(mixed)]],
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
        phrase("the softmax over the keys read"),
        [
            phrase("key"),
            phrase("e<sup>score − maximum</sup>"),
            phrase("weight so far"),
        ],
        rows,
        [[phrase("sum"), fr.number(powers.sum()), fr.number(weights.sum())]],
    )


def _words(name, steps, tiles_read, stop, n_k):
    """Say what the last tile changed."""
    if not tiles_read:
        return phrase(
            "“{query}” has read no key yet: the maximum is −∞, the sum and "
            "the output are 0.",
            query=name,
        )
    said = [
        _progress(name, tiles_read, stop, n_k),
        _change(steps),
        _division(steps, stop == n_k),
    ]
    return " ".join(said)


def _progress(name, tiles_read, stop, n_k):
    """Say how many keys were read."""
    read = {"query": name, "read": stop, "keys": n_k}
    if tiles_read == 1:
        return phrase(
            "“{query}” has read {read} of {keys} keys (1 tile).", **read
        )
    return phrase(
        "“{query}” has read {read} of {keys} keys ({tiles} tiles).",
        tiles=tiles_read,
        **read,
    )


def _change(steps):
    """Say what the last tile does to the maximum, and to what was kept."""
    old, new = steps["before"][0], steps["after"][0]
    if np.isinf(old):
        return phrase(
            "The largest score so far is {score}.", score=fr.number(new)
        )
    if new > old:
        return phrase(
            "The new tile raises the maximum from {old} to {new}, so what "
            "was kept is first multiplied by {factor}.",
            old=fr.number(old),
            new=fr.number(new),
            factor=fr.number(steps["shrunk"][0]),
        )
    return phrase(
        "The new tile holds no larger score: the maximum stays {maximum} and "
        "what was kept stays as it is.",
        maximum=fr.number(new),
    )


def _division(steps, finished):
    """Say what the sum is, and what dividing by it gives."""
    _, total, output = steps["after"]
    made = {"sum": fr.number(total), "output": fr.vector(output / total)}
    if finished:
        return phrase(
            "The sum is {sum}. Dividing by it gives the output, {output}.",
            **made,
        )
    return phrase(
        "The sum is {sum}. Dividing by it gives the output so far, {output}.",
        **made,
    )
