"""The nine arrays of the machine, and how each of their cells came about."""

import math
from typing import NamedTuple

import numpy as np

import coursekit.explorers.frames as fr
from attnlib.masks import create_causal_mask
from coursekit.phrases import later, phrase

__all__ = ["Stage", "size_of", "stages_of"]


class Stage(NamedTuple):
    """One array on its way through the machine.

    `look` is its colour, `doing` the operator on the arrow that leads to it,
    `sizes` the shapes on that arrow, `how` says how a cell came about, and
    `plan` is the operator while the stage is still ahead. Name and operators
    are English until they are drawn.
    """

    look: str
    name: str
    doing: str
    sizes: str
    values: np.ndarray
    columns: list
    how: callable
    digits: int = 2
    plan: str = ""

    def written(self, i, j):
        """Write the number in a cell."""
        return fr.number(self.values[i, j], self.digits)


def stages_of(arrays, words, mask, scale):
    """Return the nine stages, in the order in which they are computed.

    The arrays are x, w_q, w_k and w_v.
    """
    x, *projections = arrays
    q, k, v = map(_projected, [x] * 3, "QKV", projections)
    scores = _scores(q.values, k.values, words)
    scaled = _scaled(scores, q.values.shape[1], scale)
    masked = _masked(scaled, mask)
    weights = _weights(masked)
    output = _output(weights.values, v.values)
    return [_embedded(x), q, k, v, scores, scaled, masked, weights, output]


def _embedded(x):
    """Return the stage of the tokens."""
    count, width = x.shape
    digits = _digits(x)
    return Stage(
        look="x",
        name="X",
        doing=later("embeddings"),
        sizes=phrase("{count} tokens, {width} wide", count=count, width=width),
        values=x,
        columns=_places(x),
        how=lambda i, j: fr.number(x[i, j], digits),
        digits=digits,
    )


def _projected(x, letter, w):
    """Return the stage of the queries, the keys or the values."""
    values = x @ w
    return Stage(
        look=letter.lower(),
        name=letter,
        doing=f"<i class=x>X</i> × W<sub>{letter}</sub>",
        sizes=f"{size_of(x)} × {size_of(w)}",
        values=values,
        columns=_places(values),
        how=lambda i, j: _products(x[i], w[:, j], values[i, j]),
        digits=_digits(values),
    )


def _scores(q, k, words):
    """Return the stage in which every query meets every key."""
    values = q @ k.T
    return Stage(
        look="s m",
        name=later("scores"),
        doing="<i class=q>Q</i> × <i class=k>K</i><sup>⊤</sup>",
        sizes=f"{size_of(q)} × {size_of(k.T)}",
        values=values,
        columns=words,
        how=lambda i, j: _products(q[i], k[j], values[i, j]),
        digits=_digits(values),
    )


def _scaled(scores, width, on):
    """Return the stage of the scores divided by √width, if that is on."""
    root = math.sqrt(width)
    values = scores.values / root if on else scores.values
    digits = _digits(values)

    def how(i, j):
        score = scores.written(i, j)
        if not on:
            return phrase("{score}, not scaled", score=score)
        result = fr.number(values[i, j], digits)
        return f"{score} ÷ {fr.number(root)} = {result}"

    plan = f"÷ √{width}"
    return Stage(
        look="s",
        name=later("scaled"),
        doing=plan if on else later("scale off"),
        sizes=size_of(values),
        values=values,
        columns=scores.columns,
        how=how,
        digits=digits,
        plan=plan,
    )


def _masked(scaled, on):
    """Return the stage without the scores of later keys, if that is on."""
    n = len(scaled.values)
    seen = create_causal_mask(n) if on else np.ones((n, n), bool)

    def how(i, j):
        score = scaled.written(i, j)
        if seen[i, j]:
            return score
        return phrase("{score}, hidden: −∞", score=score)

    plan = later("+ mask")
    return scaled._replace(
        name=later("masked"),
        doing=plan if on else later("mask off"),
        values=np.where(seen, scaled.values, -np.inf),
        how=how,
        plan=plan,
    )


def _weights(masked):
    """Return the stage of the softmax."""
    powers = np.exp(masked.values)
    totals = powers.sum(axis=1)
    values = powers / totals[:, None]

    def how(i, j):
        parts = powers[i, j], totals[i], values[i, j]
        return "{} ÷ {} = {}".format(*map(fr.number, parts))

    return Stage(
        look="a",
        name=later("weights"),
        doing=later("softmax"),
        sizes=phrase("of each row"),
        values=values,
        columns=masked.columns,
        how=how,
    )


def _output(weights, v):
    """Return the stage in which the weights mix the values."""
    return Stage(
        look="o",
        name=later("output"),
        doing=later("<i class=a>weights</i> × <i class=v>V</i>"),
        sizes=f"{size_of(weights)} × {size_of(v)}",
        values=weights @ v,
        columns=_places(v),
        how=lambda i, j: _mixture(weights[i], v[:, j]),
    )


def size_of(x):
    """Write the shape of an array.

    >>> size_of(np.ones((2, 3)))
    '(2, 3)'
    """
    return "({}, {})".format(*x.shape)


def _places(x):
    """Return the names of columns that are no tokens."""
    return [str(j) for j in range(1, x.shape[1] + 1)]


def _digits(x):
    """Whole numbers are written without digits, others with two."""
    return 0 if (x == x.round()).all() else 2


def _products(row, column, total):
    """Write a row times a column, whose sum is given."""
    terms = " + ".join(
        f"{fr.number(a, _digits(a))}·{fr.number(b, _digits(b))}"
        for a, b in zip(row, column, strict=True)
    )
    return f"{terms} = {fr.number(total, _digits(total))}"


def _mixture(weights, column):
    """Write the weighted sum of a column."""
    terms = " + ".join(
        f"{fr.number(a, 3)}·{fr.number(b, _digits(b))}"
        for a, b in zip(weights, column, strict=True)
    )
    return f"{terms} = {fr.number(weights @ column)}"
