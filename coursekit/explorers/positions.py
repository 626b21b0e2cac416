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
from coursekit.explorers.panel import explore

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
        said = f"Position {position} at width {width} and base {base:g}: "
        return fr.figure(
            _row(encoding[position], position),
            _waves(encoding, position),
            _dot_products(near, position, width / 2),
            words=said + _near_words(near, position),
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
        f"the row of position {position}",
        row.reshape(-1, 2).T,
        ["sin", "cos"],
        "{} of {}: {}".format,
        columns=[f"pair {i}" for i in range(len(row) // 2)],
        signed=True,
    )


def _waves(encoding, position):
    """Draw the sine of each pair, the fastest in another colour."""
    places = np.arange(len(encoding))
    return dr.curve(
        "the sine of each pair",
        [("" if i else "o", places, y) for i, y in enumerate(encoding.T[::2])],
        x=(0, len(encoding) - 1),
        y=(-1.0, 1.0),
        dot=(position, encoding[position, 0]),
        name="position",
    )


def _dot_products(near, position, top):
    return dr.curve(
        "dot product with every position",
        [("", np.arange(len(near)), near)],
        x=(0, len(near) - 1),
        y=(-top, top),
        dot=(position, near[position]),
        name="other position",
    )


def _near_words(near, position):
    n = len(near)
    side = position + 1 if position + 1 < n else position - 1
    far = 0 if position > (n - 1) / 2 else n - 1
    return (
        f"its dot product with itself is {fr.number(near[position])}, with "
        f"its neighbour {side} it is {fr.number(near[side])}, and with "
        f"position {far}, the farthest, it is {fr.number(near[far])}."
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
            _dial(f"pair {pair}", arrows, starts),
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


def _dial(title, arrows, starts):
    """Draw the key and the query as arrows, and the angle between them.

    Pale arrows show both before they are turned. The longest arrow touches
    the circle.
    """
    longest = max(np.hypot(*np.transpose(arrows)).max(), 1e-9)
    arrows, starts = np.array([arrows, starts]) * (100 / longest)
    html = [
        f"<div class=al-plot><b>{title}, turned</b>"
        '<svg viewBox="-140 -122 280 244" aria-hidden=true>'
        "<circle class=axis r=100 />"
    ]
    html += [
        f'<path class=axis d="M0 0L{x:.1f} {-y:.1f}"/>' for x, y in starts
    ]
    html.append(_arc(*arrows))
    looks = ("d", "key"), ("o", "query")
    for (x, y), (look, _) in zip(arrows, looks, strict=True):
        html.append(
            f'<polyline class="line {look}" style=stroke-width:4 '
            f'points="0,0 {x:.1f},{-y:.1f}"/>{_tip(x, y, look)}'
        )
    apart = _angle(*arrows)
    aside = np.copysign(max(0, 24 - abs(apart)) / 2, apart)
    for (x, y), (_, name), side in zip(arrows, looks, (-1, 1), strict=True):
        turned = np.arctan2(y, x) + np.radians(side * aside)
        html.append(_label(name, 115, turned))
    return "".join(html) + "</svg></div>"


def _tip(x, y, look):
    """Draw the head of an arrow that ends at a point."""
    length = np.hypot(x, y)
    if length < 1:
        return ""
    along = np.array([x, -y]) / length
    across = 6 * np.array([-along[1], along[0]])
    end = np.array([x, -y])
    corners = end, end - 15 * along + across, end - 15 * along - across
    d = "L".join("{:.1f} {:.1f}".format(*corner) for corner in corners)
    colour = "p" if look == "o" else "c"
    return f'<path d="M{d}z" fill="rgb(var(--al-{colour}))"/>'


def _arc(key, query):
    """Draw the angle from the key to the query, and write it beside it."""
    start, angle = np.arctan2(*key[::-1]), np.radians(_angle(key, query))
    turns = start + np.linspace(0, angle, 13)
    points = 34 * np.stack([np.cos(turns), -np.sin(turns)], axis=1)
    d = "L".join("{:.1f} {:.1f}".format(*point) for point in points)
    said = f"{fr.number(np.degrees(angle), 0)}°"
    beside = np.pi if abs(angle) < np.radians(40) else 0
    return f'<path class=axis style=stroke-opacity:.9 d="M{d}"/>' + _label(
        said, 30 if beside else 52, turns[6] + beside
    )


def _label(text, radius, angle):
    x, y = radius * np.cos(angle), -radius * np.sin(angle)
    return f"<text x={x:.1f} y={y + 4:.1f} text-anchor=middle>{text}</text>"


def _angle(key, query):
    """Return the angle from the key to the query, from -180 to 180."""
    cross = key[0] * query[1] - key[1] * query[0]
    return np.degrees(np.arctan2(cross, np.dot(key, query)))


def _product_curves(lines, pair, distances, distance):
    total = lines.sum(axis=1)
    curves = [lines[:, pair], total]
    return dr.curve(
        "dot product: this pair (dashed), all pairs (solid)",
        [("o d", distances, curves[0]), ("", distances, curves[1])],
        x=(min(distances), max(distances)),
        y=_ends(curves),
        dot=(distance, total[distances.index(distance)]),
        name="distance",
    )


def _rope_words(pair, speed, here, arrows, products):
    digits = 0 if speed >= 10 else 1
    return (
        f"Pair {pair} turns by {fr.number(speed, digits)}° at each position. "
        f"At position {here[0]} the key has turned by "
        f"{fr.number(speed * here[0], 0)}°, at position {here[1]} the query "
        f"by {fr.number(speed * here[1], 0)}°, and the angle from the key to "
        f"the query is <b>{fr.number(_angle(*arrows), 0)}°</b>. The dot "
        f"product of this pair is {fr.number(products[pair])}, and of all "
        f"pairs together <b>{fr.number(products.sum())}</b>. It is the same "
        f"wherever the query comes {here[1] - here[0]} after the key."
    )


def _ends(curves):
    """Return whole ends of an axis on which all curves and 0 have room."""
    low, high = np.min(curves), np.max(curves)
    return float(min(np.floor(low), 0)), float(max(np.ceil(high), 1))
