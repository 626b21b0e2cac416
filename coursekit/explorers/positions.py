"""Positions: waves, turns and slopes."""

import numpy as np

import coursekit.explorers.drawings as dr
import coursekit.explorers.frames as fr
from attnlib._validate import as_number, as_size
from attnlib.positions import alibi_bias, alibi_slopes, apply_rope
from coursekit.explorers.arguments import (
    integers,
    listed,
    matrices,
    one_row,
)
from coursekit.explorers.panel import explore

__all__ = [
    "explore_relative_positions",
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


def explore_relative_positions(
    q=None,
    k=None,
    *,
    num_heads=4,
    key_positions=(0, 1, 2, 4, 8, 16, 32, 64),
    distances=range(16),
):
    """Move a query and a key together and apart, under RoPE and ALiBi.

    Shapes: q (d), k (d)

    The score stays the same while both move together, and changes when they
    move apart. Chapter: positional encoding.

    Parameters
    ----------
    q, k : array_like, optional
        One query and one key of the same even width; both are eight ones if
        not given.
    num_heads : int
        The number of heads that ALiBi has a slope for.
    key_positions, distances : sequence of int
        Where the key is, and how far after it the query comes.

    Returns
    -------
    Explorer
        Its controls are the method, the key's position and the distance.

    Examples
    --------
    >>> explore_relative_positions(key_positions=[0, 5], distances=[0, 1, 2])
    Explorer(method, key_position, distance: 12 pictures)
    """
    if q is None and k is None:
        q = k = np.ones(8)
    q, k = matrices(q=one_row("q", q), k=one_row("k", k))
    if q.shape != k.shape or len(q) > 1 or q.shape[1] % 2:
        raise ValueError(
            "q and k must be one row each, of the same even width, got "
            f"q {q.shape}, k {k.shape}"
        )
    slopes = alibi_slopes(num_heads)
    distances = integers("distances", distances)
    key_positions = integers("key_positions", key_positions)
    if min([*distances, *key_positions]) < 0 or len(distances) < 2:
        raise ValueError(
            "key_positions and distances must not be negative, and there must "
            f"be at least two distances, got {key_positions} and {distances}"
        )
    lines = {
        "RoPE": [[_rope_score(q, k, 0, d) for d in distances]],
        "ALiBi": np.array(
            [_alibi_scores(q, k, num_heads, 0, d) for d in distances]
        ).T,
    }

    def draw(method, key_position, distance):
        here = key_position, key_position + distance
        if method == "RoPE":
            parts = _rope_parts(q.shape[1], *here)
            scores = [_rope_score(q, k, *here)]
        else:
            scores = _alibi_scores(q, k, num_heads, *here)
            parts = [_alibi_table(slopes, distance, scores)]
        dot = distance, scores[0]
        parts.append(_score_curves(lines[method], distances, dot))
        return fr.figure(*parts, words=_score_words(method, here, scores[0]))

    return explore(
        draw,
        {"distance": distances[min(3, len(distances) - 1)]},
        method=["RoPE", "ALiBi"],
        key_position=key_positions,
        distance=distances,
    )


def _score_curves(curves, distances, dot):
    looks = ["", "d", "q", "o"]
    return dr.curve(
        "score against distance",
        [(looks[i % 4], distances, line) for i, line in enumerate(curves)],
        x=(min(distances), max(distances)),
        y=_ends(curves),
        dot=dot,
        name="distance",
    )


def _score_words(method, here, score):
    which = "" if method == "RoPE" else " of head 1"
    return (
        f"{method}: the key is at position {here[0]} and the query at "
        f"{here[1]}. The score{which} is <b>{fr.number(score, 3)}</b>, the "
        f"same as for every pair {here[1] - here[0]} apart: move both "
        "together and it does not change."
    )


def _rope_score(q, k, key_position, query_position):
    turned = apply_rope(q, [query_position]), apply_rope(k, [key_position])
    return (turned[0] @ turned[1].T).item() * q.shape[1] ** -0.5


def _alibi_scores(q, k, num_heads, key_position, query_position):
    bias = alibi_bias(num_heads, 1, query_position + 1)  # the last query
    plain = (q @ k.T).item() * q.shape[1] ** -0.5
    return plain + bias[:, 0, key_position]


def _rope_parts(d, key_position, query_position):
    """Return a dial for each pair: where RoPE has turned query and key."""
    hand = np.zeros((2, d))
    hand[:, : d // 2] = 1  # RoPE pairs column i with column i + d / 2
    turned = apply_rope(hand, [query_position, key_position])
    dials = []
    for i in range(min(d // 2, 4)):
        (x, y), (a, b) = turned[:, [i, i + d // 2]].tolist()
        dials.append(
            f"<figure><b>pair {i}</b>"
            '<svg viewBox="-1.15 -1.15 2.3 2.3" aria-hidden=true>'
            "<circle class=axis r=1 stroke-width=.03 />"
            f'<polyline class="line o" points="0,0 {x:.3f},{-y:.3f}"/>'
            f'<polyline class="line d" points="0,0 {a:.3f},{-b:.3f}"/>'
            "</svg></figure>"
        )
    note = "<p>Solid: the query. Dashed: the key.</p>"
    return [f"<div><div class=al-heads>{''.join(dials)}</div>{note}</div>"]


def _alibi_table(slopes, distance, scores):
    return fr.table(
        "slope × distance is subtracted",
        ["head", "slope", "subtracted", "score"],
        [
            [f"{i}", f"{m:.4g}", fr.number(m * distance), fr.number(s, 3)]
            for i, (m, s) in enumerate(
                zip(slopes, scores, strict=True), start=1
            )
        ],
    )


def _ends(curves):
    """Return whole ends of an axis on which all curves and 0 have room."""
    low, high = np.min(curves), np.max(curves)
    return float(min(np.floor(low), 0)), float(max(np.ceil(high), 1))
