"""Positions: waves, and arrows that turn together."""

import numpy as np

import coursekit.explorers.drawings as dr
import coursekit.explorers.frames as fr
from attnlib._validate import as_number, as_size
from attnlib.positions import apply_rope
from coursekit.explorers.arguments import (
    integers,
    listed,
    matrices,
    one_row,
)
from coursekit.explorers.dial import angle_between, dial
from coursekit.explorers.panel import explore
from coursekit.phrases import phrase

__all__ = [
    "explore_rope",
    "explore_sinusoidal",
]


def explore_sinusoidal(
    n=24, *, widths=(4, 8, 16), bases=(100.0, 1000.0, 10000.0)
):
    """Walk along the positions of the sinusoidal encoding.

    Shapes: n

    Each frame shows the row of a position, the waves it is read from, and
    its dot product with every other position. Chapter: positional encoding.

    Parameters
    ----------
    n : int
        The number of positions.
    widths : sequence of int
        The widths of the encoding to choose from, all even.
    bases : sequence of float
        The numbers that set the slowest wave; 10000 in the paper.

    Returns
    -------
    Explorer
        Its controls are the width, the base and the position.

    Examples
    --------
    >>> explore_sinusoidal(4, widths=[4], bases=[100.0, 10000.0])
    Explorer(width, base, position: 8 pictures)
    """
    n = as_size("n", n)
    if n < 2:
        raise ValueError(f"n must be at least 2, got {n}")
    widths, bases = listed("widths", widths), listed("bases", bases)
    for base in bases:
        if not 1 <= as_number("bases", base) <= 1e9:
            raise ValueError(f"bases must be from 1 to 1e9, got {base}")
    for width in widths:
        if as_size("widths", width) % 2:
            raise ValueError(f"widths must be even, got {width}")

    def draw(width, base, position):
        encoding = _sinusoidal(n, width, base)
        near = encoding @ encoding[position]
        return fr.figure(
            _row(encoding[position], position),
            _waves(encoding, position),
            _dot_products(near, position, width / 2),
            words=_near_words(near, position, width, base),
        )

    return explore(
        draw,
        {
            "width": widths[len(widths) // 2],
            "base": max(bases),
            "position": n // 4,
        },
        width=widths,
        base=bases,
        position=range(n),
    )


def _row(row, position):
    """Draw one row of the encoding: sines above, cosines below."""
    return fr.heat(
        phrase("the row of position {position}", position=position),
        row.reshape(-1, 2).T,
        ["sin", "cos"],
        _cell_words,
        columns=[phrase("pair {pair}", pair=i) for i in range(len(row) // 2)],
        signed=True,
    )


def _cell_words(wave, pair, value):
    return phrase(
        "{wave} of {pair}: {value}", wave=wave, pair=pair, value=value
    )


def _waves(encoding, position):
    """Draw the sine of each pair, the fastest in another colour."""
    places = np.arange(len(encoding))
    return dr.curve(
        phrase("the sine of each pair"),
        [("" if i else "o", places, y) for i, y in enumerate(encoding.T[::2])],
        x=(0, len(encoding) - 1),
        y=(-1.0, 1.0),
        dot=(position, encoding[position, 0]),
        name=phrase("position"),
    )


def _dot_products(near, position, top):
    return dr.curve(
        phrase("dot product with every position"),
        [("", np.arange(len(near)), near)],
        x=(0, len(near) - 1),
        y=(-top, top),
        dot=(position, near[position]),
        name=phrase("other position"),
    )


def _near_words(near, position, width, base):
    n = len(near)
    side = position + 1 if position + 1 < n else position - 1
    far = 0 if position > (n - 1) / 2 else n - 1
    return phrase(
        "Position {position} at width {width} and base {base}: its dot "
        "product with itself is {with_itself}, with its neighbour {neighbour} "
        "it is {with_neighbour}, and with position {farthest}, the farthest, "
        "it is {with_farthest}.",
        position=position,
        width=width,
        base=f"{base:g}",
        with_itself=fr.number(near[position]),
        neighbour=side,
        with_neighbour=fr.number(near[side]),
        farthest=far,
        with_farthest=fr.number(near[far]),
    )


def _sinusoidal(n, width, base):
    """Return `positional_encoding` for any base: turned pairs (1, 0)."""
    start = np.tile([1.0, 0.0], (n, width // 2))
    turned = apply_rope(start, base=base, interleaved=True)
    return turned.reshape(n, -1, 2)[..., ::-1].reshape(n, width)


def explore_rope(
    q=None,
    k=None,
    *,
    base=100.0,
    key_positions=range(10),
    distances=range(10),
):
    """Turn a query and a key together and apart.

    Shapes: q (d), k (d)

    Two arrows show one pair of columns of the query and of the key. Both
    turn when the two move together, and the angle between them stays. It
    changes when they move apart. Chapter: positional encoding.

    Parameters
    ----------
    q, k : array_like, optional
        One query and one key of the same even width. If not given, all
        arrows of the query have length 1, and the key is made so that the
        two agree best when the query comes three positions after it.
    base : float
        Sets the slowest rotation. It is small here, so that slow pairs can
        be seen to turn.
    key_positions, distances : sequence of int
        Where the key is, and how far after it the query comes.

    Returns
    -------
    Explorer
        Its controls are the pair, the key's position and the distance.

    Examples
    --------
    >>> explore_rope(key_positions=[0, 5], distances=[0, 1, 2])
    Explorer(pair, key_position, distance: 18 pictures)
    """
    if not 1 <= as_number("base", base) <= 1e9:
        raise ValueError(f"base must be from 1 to 1e9, got {base}")
    if q is None and k is None:
        q = np.repeat([[1.0, 0.0]], 3, axis=1)
        k = apply_rope(q, [3], base=base)
    q, k = _query_and_key(q, k)
    distances = integers("distances", distances)
    key_positions = integers("key_positions", key_positions)
    if min([*distances, *key_positions]) < 0 or len(distances) < 2:
        raise ValueError(
            "key_positions and distances must not be negative, and there must "
            f"be at least two distances, got {key_positions} and {distances}"
        )
    lines = np.array([_products(q, k, 0, far, base) for far in distances])
    pairs = q.shape[1] // 2

    def draw(pair, key_position, distance):
        here = key_position, key_position + distance
        products = _products(q, k, *here, base)
        speed = np.degrees(base ** (-pair / pairs))
        arrows = [_pair(k, pair, here[0], base), _pair(q, pair, here[1], base)]
        starts = [_pair(k, pair, 0, base), _pair(q, pair, 0, base)]
        return fr.figure(
            dial(phrase("pair {pair}, turned", pair=pair), arrows, starts),
            _product_curves(lines, pair, distances, distance),
            words=_rope_words(pair, speed, here, arrows, products),
        )

    return explore(
        draw,
        {
            "key_position": key_positions[min(2, len(key_positions) - 1)],
            "distance": distances[min(1, len(distances) - 1)],
        },
        pair=range(pairs),
        key_position=key_positions,
        distance=distances,
    )


def _query_and_key(q, k):
    """Return both as one row each, of the same even width."""
    q, k = matrices(q=one_row("q", q), k=one_row("k", k))
    if q.shape != k.shape or len(q) > 1 or q.shape[1] % 2:
        raise ValueError(
            "q and k must be one row each, of the same even width, got "
            f"q {q.shape}, k {k.shape}"
        )
    return q, k


def _turned(x, position, base):
    """Return the pairs of a turned row; pair i is columns i and i + d/2."""
    return apply_rope(x, [position], base=base).reshape(2, -1).T


def _pair(x, pair, position, base):
    return _turned(x, position, base)[pair]


def _products(q, k, key_position, query_position, base):
    """Return the dot product of each pair of the turned query and key."""
    turned = _turned(q, query_position, base), _turned(k, key_position, base)
    return (turned[0] * turned[1]).sum(axis=1)


def _product_curves(lines, pair, distances, distance):
    total = lines.sum(axis=1)
    curves = [lines[:, pair], total]
    return dr.curve(
        phrase("dot product: this pair (dashed), all pairs (solid)"),
        [("o d", distances, curves[0]), ("", distances, curves[1])],
        x=(min(distances), max(distances)),
        y=_ends(curves),
        dot=(distance, total[distances.index(distance)]),
        name=phrase("distance"),
    )


def _rope_words(pair, speed, here, arrows, products):
    digits = 0 if speed >= 10 else 1
    return phrase(
        "Pair {pair} turns by {speed}° at each position. At position "
        "{key_position} the key has turned by {key_turn}°, at position "
        "{query_position} the query by {query_turn}°, and the angle from the "
        "key to the query is <b>{angle}°</b>. The dot product of this pair is "
        "{product}, and of all pairs together <b>{total}</b>. It is the same "
        "wherever the query comes {distance} after the key.",
        pair=pair,
        speed=fr.number(speed, digits),
        key_position=here[0],
        key_turn=fr.number(speed * here[0], 0),
        query_position=here[1],
        query_turn=fr.number(speed * here[1], 0),
        angle=fr.number(angle_between(*arrows), 0),
        product=fr.number(products[pair]),
        total=fr.number(products.sum()),
        distance=here[1] - here[0],
    )


def _ends(curves):
    """Return whole ends of an axis on which all curves and 0 have room."""
    low, high = np.min(curves), np.max(curves)
    return float(min(np.floor(low), 0)), float(max(np.ceil(high), 1))
