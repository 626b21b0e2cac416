"""One query, its keys, and what comes out: lookups, scales, weights."""

from html import escape

import numpy as np

import coursekit.explorers.drawings as dr
import coursekit.explorers.frames as fr
from attnlib._validate import as_size
from attnlib.attention import scaled_dot_product_attention
from attnlib.ops import softmax
from coursekit.explorers.arguments import (
    listed,
    matrices,
    menu,
    names_of,
    nothing,
    one_row,
    positive,
    query_names,
)
from coursekit.explorers.examples import CAT
from coursekit.explorers.panel import explore
from coursekit.phrases import later, phrase

__all__ = ["explore_scale", "explore_temperature", "explore_weight"]

TEMPERATURES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
SCALES = {
    later("with"): later("Width {width}, with the scale:"),
    later("without"): later("Width {width}, without the scale:"),
}


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
    temperatures = positive("temperatures", temperatures)
    results = {
        t: scaled_dot_product_attention(q, k, v, scale=1 / t)
        for t in temperatures
    }

    def draw(query, temperature):
        mixed, weights = (x[query] for x in results[temperature])
        name = fr.distinct(askers)[query]
        parts = [_lookup_table(words, k @ q[query], weights, v, mixed)]
        if v.shape[1] == 2 and 3 <= len(v) <= 8:
            title = phrase("values and mixture")
            parts.append(dr.plane(title, v, words, mixed))
        said = _lookup_words(temperature, name, words, weights, mixed)
        return fr.figure(*parts, words=said)

    middle = min(temperatures, key=lambda t: abs(np.log(t)))
    return explore(
        draw,
        {"query": len(q) - 1, "temperature": middle},
        query=menu(askers),
        temperature=temperatures,
    )


def _lookup_table(words, scores, weights, v, mixed):
    """Draw one soft lookup: each key, and the mixture."""
    columns = (
        map(escape, words),
        map(fr.number, scores),
        fr.bars(weights),
        map(fr.vector, v),
    )
    return fr.table(
        phrase("soft lookup"),
        [phrase("key"), phrase("score"), phrase("weight"), phrase("value")],
        zip(*columns, strict=True),
        [[phrase("mixture"), "", fr.number(weights.sum()), fr.vector(mixed)]],
    )


def _lookup_words(temperature, query, words, weights, mixed):
    """Say which key a query looks at most, and what comes out."""
    look = phrase(
        "At temperature {temperature}, “{query}” looks most at “{key}” "
        "({weight}).",
        temperature=f"{temperature:g}",
        query=escape(query),
        key=escape(fr.distinct(words)[int(weights.argmax())]),
        weight=fr.number(weights.max()),
    )
    result = phrase(
        "The entropy is {entropy}, out of at most {most}. The mixture is "
        "{mixture}.",
        entropy=fr.number(_entropy(weights)),
        most=fr.number(np.log(len(weights))),
        mixture=fr.vector(mixed),
    )
    return f"{look} {result}"


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
    q, k = _wide(q, k, max(widths))
    top = max(abs(k[:, :w] @ q[:w]).max() for w in widths)

    def draw(width, scale):
        factor = width**-0.5 if scale == "with" else 1.0
        scores = (k[:, :width] @ q[:width]) * factor
        weights = softmax(scores)
        case = phrase(SCALES[scale], width=width)
        return fr.figure(
            _scores_table(width, scores, top, weights),
            words=f"{case} {_spread(scores, weights)}",
        )

    return explore(
        draw,
        {"width": widths[-1]},
        width=widths,
        scale={phrase(scale): scale for scale in SCALES},
    )


def _wide(q, k, width):
    """Return a query and keys of at least this width, random if not given."""
    if nothing(q, k):
        rng = np.random.default_rng(0)
        q, k = rng.standard_normal(width), rng.standard_normal((8, width))
    q, k = matrices(q=one_row("q", q), k=k)
    if len(q) > 1 or q.shape[1] != k.shape[1] or q.shape[1] < width:
        raise ValueError(
            "q must be one query, and q and k at least as wide as the largest "
            f"width, got q {q.shape}, k {k.shape}, widths up to {width}"
        )
    return q[0], k


def _scores_table(width, scores, top, weights):
    """Draw the scores and the weights of keys that have no names."""
    count = len(scores)
    names = [phrase("key {number}", number=i + 1) for i in range(count)]
    bars = fr.bars(scores, top, signed=True), fr.bars(weights)
    return fr.table(
        phrase("{count} keys of width {width}", count=count, width=width),
        ["", phrase("score"), phrase("weight")],
        zip(names, *bars, strict=True),
    )


def _spread(scores, weights):
    """Say how far scores and weights are spread."""
    return phrase(
        "the scores have a standard deviation of {deviation}, the largest "
        "weight is {largest}, and the entropy is {entropy}, out of at "
        "most {most}.",
        deviation=fr.number(scores.std()),
        largest=fr.number(weights.max()),
        entropy=fr.number(_entropy(weights)),
        most=fr.number(np.log(len(weights))),
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
    rows = zip(query, key, products, strict=True)
    return fr.table(
        phrase("1 · multiply, and add up"),
        ["", phrase("query"), phrase("key"), phrase("product")],
        [[f"{i}", *map(fr.number, row)] for i, row in enumerate(rows, 1)],
        [[phrase("sum"), "", "", fr.number(products.sum())]],
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
    sums = fr.number(powers.sum()), fr.number(weights.sum())
    return fr.table(
        phrase("2 · the row of this query"),
        [
            phrase("key"),
            phrase("scaled"),
            phrase("exponential"),
            phrase("weight"),
        ],
        rows,
        [[phrase("total"), "", *sums]],
    )


def _weight_words(names, sums, scores, weights, key):
    """Say how one weight comes about."""
    product, scale, score = sums
    return phrase(
        "“{query}” looks at “{key}”: the products add up to {sum}. Times the "
        "scale, {scale}, that makes {score}. Its exponential is {power}; "
        "divided by the row’s total, {total}, it gives the weight "
        "<b>{weight}</b>.",
        query=escape(names[0]),
        key=escape(names[1]),
        sum=fr.number(product),
        scale=fr.number(scale, 3),
        score=fr.number(score),
        power=fr.number(np.exp(score)),
        total=fr.number(np.exp(scores).sum()),
        weight=fr.number(weights[key]),
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
