"""One query, its keys, and what comes out: lookups, scales, weights."""

from html import escape

import numpy as np

import coursekit.explorers.drawings as dr
import coursekit.explorers.frames as fr
from attnlib._validate import as_number, as_size
from attnlib.attention import scaled_dot_product_attention
from attnlib.ops import softmax
from coursekit.explorers.arguments import (
    listed,
    matrices,
    menu,
    names_of,
    nothing,
    one_row,
    query_names,
)
from coursekit.explorers.examples import CAT
from coursekit.explorers.panel import explore

__all__ = [
    "explore_scale",
    "explore_temperature",
    "explore_weight",
]

TEMPERATURES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)


def explore_temperature(
    q=None, k=None, v=None, tokens=None, *, temperatures=TEMPERATURES
):
    """Move the temperature of a soft lookup: from one key to all of them.

    Shapes: q (n_q, d_k), k (n_k, d_k), v (n_k, d_v)

    ``weights = softmax(q @ k.T / temperature)``; the mixture that comes out
    is ``weights @ v``. Chapter: intuition.

    Parameters
    ----------
    q, k, v : array_like, optional
        Queries, keys and values; all three or none.
    tokens : sequence of str, optional
        The names of the keys, and of the queries if there are as many.
    temperatures : sequence of float
        The options of the slider.

    Returns
    -------
    Explorer
        Its controls are the query and the temperature.

    Examples
    --------
    >>> explore_temperature(temperatures=[0.5, 1.0])
    Explorer(query, temperature: 6 pictures)
    """
    if nothing(q, k, v):
        q = [[1.0, 0.0], [0.5, 1.0], [1.0, 0.5]]
        k = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]
        v = [[0.0, 0.0], [3.0, 1.0], [0.0, 3.0]]
        tokens = CAT if tokens is None else tokens
    q, k, v = matrices(q=q, k=k, v=v)
    words = names_of(tokens, len(k))
    askers = query_names(words, q)
    temperatures = _positive("temperatures", temperatures)
    results = {
        t: scaled_dot_product_attention(q, k, v, scale=1 / t)
        for t in temperatures
    }

    def draw(query, temperature):
        mixed, weights = (x[query] for x in results[temperature])
        name = escape(fr.distinct(askers)[query])
        said = f"At temperature {temperature:g}, “{name}”"
        return _lookup(said, words, k @ q[query], weights, v, mixed)

    middle = min(temperatures, key=lambda t: abs(np.log(t)))
    return explore(
        draw,
        {"query": len(q) - 1, "temperature": middle},
        query=menu(askers),
        temperature=temperatures,
    )


def _positive(name, values):
    """Return positive numbers, none so extreme that scores overflow."""
    values = listed(name, values)
    for x in values:
        if not 1e-6 <= as_number(name, x) <= 1e6:
            raise ValueError(f"{name} must be from 1e-6 to 1e6, got {x}")
    return values


def _lookup(said, words, scores, weights, v, mixed):
    """Draw one soft lookup: a table, the plane of values, and words."""
    rows = [
        [escape(word), fr.number(score), bar, fr.vector(value)]
        for word, score, bar, value in zip(
            words, scores, fr.bars(weights), v, strict=True
        )
    ]
    table = fr.table(
        "soft lookup",
        ["key", "score", "weight", "value"],
        rows,
        [["mixture", "", fr.number(weights.sum()), fr.vector(mixed)]],
    )
    best = int(weights.argmax())
    said += (
        f" looks most at “{escape(fr.distinct(words)[best])}” "
        f"({fr.number(weights[best])}). The entropy is "
        f"{fr.number(_entropy(weights))}, out of at most "
        f"{fr.number(np.log(len(v)))}. The mixture is {fr.vector(mixed)}."
    )
    parts = [table]
    if v.shape[1] == 2 and 3 <= len(v) <= 8:
        parts.append(dr.plane("values and mixture", v, words, mixed))
    return fr.figure(*parts, words=said)


def explore_scale(
    q=None, k=None, *, widths=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
):
    """Widen queries and keys, with and without the scale.

    Shapes: q (d), k (n_k, d)

    At width ``d_k`` the first ``d_k`` numbers of each are used. Without
    arguments they are drawn from a normal distribution (seed 0): random
    numbers are the point here, because it is their sums that grow with the
    width. Chapter: self-attention.

    Parameters
    ----------
    q, k : array_like, optional
        One query and some keys, at least as wide as the largest width.
    widths : sequence of int
        The options of the slider.

    Returns
    -------
    Explorer
        Its controls are the width and the scale.

    Examples
    --------
    >>> explore_scale(widths=[2, 8])
    Explorer(width, scale: 4 pictures)
    """
    widths = [as_size("widths", w) for w in listed("widths", widths)]
    if nothing(q, k):
        rng = np.random.default_rng(0)
        q = rng.standard_normal(max(widths))
        k = rng.standard_normal((8, max(widths)))
    q, k = matrices(q=one_row("q", q), k=k)
    if len(q) > 1 or q.shape[1] != k.shape[1] or q.shape[1] < max(widths):
        raise ValueError(
            "q must be one query, and q and k at least as wide as the largest "
            f"width, got q {q.shape}, k {k.shape}, widths up to {max(widths)}"
        )
    top = max(abs(q[:, :w] @ k[:, :w].T).max() for w in widths)
    names = [f"key {i}" for i in range(1, len(k) + 1)]

    def draw(width, scale):
        factor = width**-0.5 if scale == "with" else 1.0
        scores = (k[:, :width] @ q[0, :width]) * factor
        weights = softmax(scores)
        table = fr.table(
            f"{len(k)} keys of width {width}",
            ["", "score", "weight"],
            list(
                zip(
                    names,
                    fr.bars(scores, top, signed=True),
                    fr.bars(weights),
                    strict=True,
                )
            ),
        )
        said = (
            f"Width {width}, {scale} the scale: the scores have a standard "
            f"deviation of {fr.number(scores.std())}, the largest weight is "
            f"{fr.number(weights.max())}, and the entropy is "
            f"{fr.number(_entropy(weights))}, out of at most "
            f"{fr.number(np.log(len(k)))}."
        )
        return fr.figure(table, words=said)

    return explore(
        draw, {"width": widths[-1]}, width=widths, scale=["with", "without"]
    )


def explore_weight(q=None, k=None, tokens=None):
    """Choose a query and a key: every number behind one weight.

    Shapes: q (n_q, d_k), k (n_k, d_k)

    Products, their sum, the scale, the exponential, the total of the row,
    and the quotient. Chapter: self-attention.

    Parameters
    ----------
    q, k : array_like, optional
        Queries and keys; both or none.
    tokens : sequence of str, optional
        The names of the keys, and of the queries if there are as many.

    Returns
    -------
    Explorer
        Its controls are the query and the key.

    Examples
    --------
    >>> explore_weight([[1.0, 2.0]], [[0.5, 0.0], [0.0, 0.5]])
    Explorer(query, key: 2 pictures)
    """
    if nothing(q, k):
        q = [[0.0, 4, 0, 0], [2, 0, 2, 0], [0, 2, 2, 2]]
        k = [[1.0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
        tokens = CAT if tokens is None else tokens
    q, k = matrices(q=q, k=k)
    _, weights = scaled_dot_product_attention(q, k, k)
    words = names_of(tokens, len(k))
    askers = query_names(words, q)
    scale = q.shape[1] ** -0.5
    scores = q @ k.T * scale
    if abs(scores).max() > 50:
        raise ValueError(
            "the scores of q and k are too large for their exponentials to be "
            f"written down: up to {abs(scores).max():.3g}, at most 50 fits"
        )

    def draw(query, key):
        names = fr.distinct(askers)[query], fr.distinct(words)[key]
        sums = q[query] @ k[key], scale, scores[query, key]
        row = scores[query], weights[query]
        return fr.figure(
            _products(q[query], k[key]),
            _softmax_table(words, key, *row),
            words=_weight_words(names, sums, *row, key),
        )

    return explore(
        draw,
        {"query": len(q) - 1, "key": int(weights[-1].argmax())},
        query=menu(askers),
        key=menu(words),
    )


def _products(query, key):
    """Draw the sum of products of one query and one key."""
    products = query * key
    return fr.table(
        "1 · multiply, and add up",
        ["", "query", "key", "product"],
        [
            [f"{i}", *map(fr.number, row)]
            for i, row in enumerate(
                zip(query, key, products, strict=True), start=1
            )
        ],
        [["sum", "", "", fr.number(products.sum())]],
    )


def _softmax_table(words, key, scores, weights):
    """Draw a row of scores, their exponentials and weights."""
    powers = np.exp(scores)
    rows = [
        [escape(word), fr.number(score), fr.number(power), bar]
        for word, score, power, bar in zip(
            words, scores, powers, fr.bars(weights), strict=True
        )
    ]
    rows[key] = [_outlined(cell) for cell in rows[key]]
    return fr.table(
        "2 · the row of this query",
        ["key", "scaled", "exponential", "weight"],
        rows,
        [["total", "", fr.number(powers.sum()), fr.number(weights.sum())]],
    )


def _weight_words(names, sums, scores, weights, key):
    """Say how one weight comes about."""
    product, scale, score = sums
    return (
        f"“{escape(names[0])}” looks at “{escape(names[1])}”: the products "
        f"add up to {fr.number(product)}. Times the scale, "
        f"{fr.number(scale, 3)}, that makes {fr.number(score)}. Its "
        f"exponential is {fr.number(np.exp(score))}; divided by the row’s "
        f"total, {fr.number(np.exp(scores).sum())}, it gives the weight "
        f"<b>{fr.number(weights[key])}</b>."
    )


def _outlined(cell):
    """Give a cell of a table an outline; a heading becomes bold."""
    if cell.startswith('<td class="b'):
        return cell.replace('<td class="b', '<td class="on b', 1)
    return f"<b>{cell}</b>"


def _entropy(weights):
    """Return the entropy of weights, in nats."""
    w = weights[weights > 0]
    return (w * np.log(1 / w)).sum()
