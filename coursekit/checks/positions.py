"""Checks of chapter 4: positions as sines, added or by turning."""

from functools import partial

import numpy as np

from attnlib.positions import apply_rope, positional_encoding
from coursekit.checks.engine import Check, Mistake, numbers

__all__ = [
    "check_late_scores",
    "check_positional_encoding",
    "check_rope",
]


def _sinusoids(n, d, exponent, order="interleaved", first=0):
    """Return a sinusoidal encoding; every choice in it can be wrong."""
    places = np.arange(first, n + first)[:, None]
    angles = places * 10000.0 ** -exponent(np.arange(d // 2), d)
    sine, cosine = np.sin(angles), np.cos(angles)
    if order == "halves":
        return np.concatenate([sine, cosine], axis=1)
    if order == "swapped":
        sine, cosine = cosine, sine
    return np.stack([sine, cosine], axis=-1).reshape(n, d)


def _pairs(i, d):
    return 2 * i / d


def _by_column(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(d) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


def _alternate(n, speed):
    """Put the sine and the cosine of each angle next to each other."""
    angles = np.arange(n)[:, None] * speed
    both = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return both.reshape(n, -1)


def _times(n, d):
    return _alternate(n, np.divide(1, 10000 * np.arange(0, d, 2) / d))


def _bracketless(n, d, base, upside_down):
    powers = base ** np.arange(0, d, 2)
    return _alternate(n, d / powers if upside_down else 1 / powers / d)


check_positional_encoding = Check(
    "positional_encoding(n, d_model)",
    task="return one row for each position: sines in the even columns, "
    "cosines of the same angles in the odd ones.",
    verified="n rows of sines and cosines, for widths of 4, 6 and 10.",
    reference=positional_encoding,
    parts="encoding",
    cases=[(3, 4), (5, 6), (7, 10), (11, 2)],
    mistakes={
        "swapped": Mistake(
            "Sine and cosine are swapped: the even columns 0, 2, ... are "
            "sines.",
            lambda n, d: _sinusoids(n, d, _pairs, "swapped"),
        ),
        "halves": Mistake(
            "All sines stand before all cosines. They alternate: sine in "
            "column 2i, cosine in column 2i + 1.",
            lambda n, d: _sinusoids(n, d, _pairs, "halves"),
        ),
        "exponent_not_doubled": Mistake(
            "The exponent is i / d_model for pair i. It should be "
            "2i / d_model: with `np.arange(0, d_model, 2)` the 2 is in it "
            "already.",
            lambda n, d: _sinusoids(n, d, lambda i, d: i / d),
        ),
        "exponent_doubled": Mistake(
            "The exponent is twice as large as it should be: "
            "`np.arange(0, d_model, 2)` holds 2i already.",
            lambda n, d: _sinusoids(n, d, lambda i, d: 4 * i / d),
        ),
        "exponent_sign": Mistake(
            "The angles grow with the column. Divide the position by 10000 "
            "to the power of 2i / d_model, do not multiply.",
            lambda n, d: _sinusoids(n, d, lambda i, d: -2 * i / d),
        ),
        "by_column": Mistake(
            "Every column has a frequency of its own. A sine and the cosine "
            "after it form a pair with the same angle: the exponent is "
            "2i / d_model for both.",
            _by_column,
        ),
        "from_one": Mistake(
            "The positions start at 1. They start at 0: the first row is "
            "0, 1, 0, 1, ...",
            lambda n, d: _sinusoids(n, d, _pairs, first=1),
        ),
        "one_frequency": Mistake(
            "All pairs turn equally fast. Divide the position by 10000 to "
            "the power of 2i / d_model.",
            lambda n, d: _sinusoids(n, d, lambda i, d: 0.0 * i),
        ),
        "not_a_power": Mistake(
            "The position is divided by 10000 *times* 2i / d_model. It is a "
            "power: `10000 ** (2 * i / d_model)`.",
            _times,
        ),
        "precedence": Mistake(
            "The power comes before the division: `10000 ** a / d` is "
            "`(10000 ** a) / d`. Put the exponent in brackets: "
            "`10000 ** (a / d)`.",
            *(
                partial(_bracketless, base=base, upside_down=upside_down)
                for base in (10000, 10000.0)
                for upside_down in (False, True)
            ),
        ),
        "sine_twice": Mistake(
            "The odd columns are sines too. They are cosines, of the same "
            "angles.",
            lambda n, d: np.repeat(positional_encoding(n, d)[:, ::2], 2, 1),
        ),
        "transposed": Mistake(
            "Positions are columns here. They must be rows: shape "
            "(n, d_model).",
            lambda n, d: positional_encoding(n, d).T,
        ),
    },
)


def _angles(x, positions, speed=_pairs):
    d = x.shape[-1]
    exponent = speed(np.arange(d // 2), d)
    return np.asarray(positions)[:, None] * 10000.0**-exponent


def _turn(first, second, cos, sin):
    return first * cos - second * sin, first * sin + second * cos


def _rotate(x, positions, speed=_pairs, turn=_turn):
    """Turn the halves of each row, or do something else with them."""
    angle = _angles(x, positions, speed)
    half = x.shape[-1] // 2
    parts = turn(x[..., :half], x[..., half:], np.cos(angle), np.sin(angle))
    return np.concatenate(parts, axis=-1)


def _neighbours(x, positions):
    """Turn the columns 2i and 2i + 1."""
    angle = _angles(x, positions)
    parts = _turn(x[..., ::2], x[..., 1::2], np.cos(angle), np.sin(angle))
    return np.stack(parts, axis=-1).reshape(x.shape)


def _overwritten(first, second, cos, sin):
    """Let the second half meet a first half that is turned already."""
    first = first * cos - second * sin
    return first, first * sin + second * cos


check_rope = Check(
    "rope(x, positions)",
    task="turn the pair of columns i and i + d/2 of each row by its position "
    "divided by 10000 ** (2i / d).",
    verified="rows turned by the right angles, for widths of 2, 4 and 6, at "
    "any positions; the length of each row stays the same.",
    reference=apply_rope,
    parts="turned",
    cases=[
        (np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), np.arange(3)),
        (numbers(112, 3, 4), np.array([0, 1, 2])),
        (numbers(113, 5, 6), np.array([7, 3, 0, 11, 2])),
        (numbers(114, 2, 3, 4), np.array([5, 6, 7])),
    ],
    mistakes={
        "sign": Mistake(
            "The rows turn the other way round. The minus stands in the "
            "first half: first * cos - second * sin.",
            lambda x, p: apply_rope(x, -np.asarray(p)),
        ),
        "both_plus": Mistake(
            "There is no minus, so that this is no rotation and lengths "
            "change: first * cos - second * sin, first * sin + second * cos.",
            lambda x, p: _rotate(
                x,
                p,
                turn=lambda a, b, cos, sin: (
                    a * cos + b * sin,
                    a * sin + b * cos,
                ),
            ),
        ),
        "interleaved": Mistake(
            "Neighbouring columns, 2i and 2i + 1, form a pair here. In this "
            "exercise i and i + d/2 do. (Both are in use; query and key must "
            "agree.)",
            _neighbours,
        ),
        "positions_ignored": Mistake(
            "The positions are taken to be 0, 1, 2, ... whatever is given. "
            "Use `positions`: with a cache a row may stand anywhere.",
            lambda x, p: apply_rope(x),
        ),
        "exponent_not_doubled": Mistake(
            "The exponent is i / d for pair i. It should be 2i / d.",
            lambda x, p: _rotate(x, p, speed=lambda i, d: i / d),
        ),
        "exponent_doubled": Mistake(
            "The exponent is twice too large: `np.arange(0, d, 2)` holds 2i "
            "already.",
            lambda x, p: _rotate(x, p, speed=lambda i, d: 4 * i / d),
        ),
        "exponent_sign": Mistake(
            "The angles grow with the column. Divide the position by 10000 "
            "to the power of 2i / d, do not multiply.",
            lambda x, p: _rotate(x, p, speed=lambda i, d: -2 * i / d),
        ),
        "precedence": Mistake(
            "The power comes before the division: `10000.0 ** -a / d` is "
            "`(10000.0 ** -a) / d`. Put the exponent in brackets: "
            "`10000.0 ** (-a / d)`.",
            lambda x, p: _rotate(
                x, p, speed=lambda i, d: 2 * i + np.log(d) / np.log(10000)
            ),
        ),
        "one_frequency": Mistake(
            "All pairs turn equally fast. Divide the position by 10000 to "
            "the power of 2i / d.",
            lambda x, p: _rotate(x, p, speed=lambda i, d: 0.0 * i),
        ),
        "not_crossed": Mistake(
            "Each half only meets itself. A rotation mixes the two: first * "
            "cos - second * sin, first * sin + second * cos.",
            lambda x, p: _rotate(
                x, p, turn=lambda a, b, cos, sin: (a * cos, b * sin)
            ),
            lambda x, p: _rotate(
                x,
                p,
                turn=lambda a, b, cos, sin: (
                    a * cos - a * sin,
                    b * cos + b * sin,
                ),
            ),
        ),
        "sine_alone": Mistake(
            "The sine stands alone. It multiplies the *other* half: first * "
            "cos - second * sin, first * sin + second * cos.",
            lambda x, p: _rotate(
                x,
                p,
                turn=lambda a, b, cos, sin: (a * cos - sin, b * cos + sin),
            ),
        ),
        "overwritten": Mistake(
            "The first half is changed before the second is computed from "
            "it. Both need the *old* halves: compute both, then put them "
            "together.",
            lambda x, p: _rotate(x, p, turn=_overwritten),
        ),
        "from_one": Mistake(
            "The positions are one too large. Use them as they are given: "
            "the row at position 0 stays as it is.",
            lambda x, p: apply_rope(x, np.asarray(p) + 1),
        ),
        "unchanged": Mistake(
            "Nothing is turned: the rows come back as they were.",
            lambda x, p: x,
        ),
        "added": Mistake(
            "The encoding is added. RoPE *turns* the rows, and keeps their "
            "lengths.",
            lambda x, p: x + positional_encoding(12, x.shape[-1])[p],
        ),
    },
)


def _late(new_q, new_k, cache, at_q=0, at_k=0, turn=apply_rope, whole=False):
    n = len(cache)
    keys = np.concatenate([cache, turn(new_k, [n + at_k])])
    if whole:
        keys = turn(np.concatenate([cache, new_k]), np.arange(n + 1))
    return turn(new_q, [n + at_q]) @ keys.T


check_late_scores = Check(
    "late_scores(new_q, new_k, cache)",
    task="return the scores of one new token with all keys, (1, n + 1). The "
    "n keys in `cache` are turned already; `new_q` and `new_k` are not.",
    verified="the scores are the last row of the full computation, with 4, 2 "
    "and 7 keys in the cache.",
    reference=_late,
    parts="scores",
    cases=[
        (
            numbers(115, 1, 2),
            numbers(116, 1, 2),
            np.round(apply_rope(numbers(117, 4, 2)), 3),
        ),
        (
            numbers(118, 1, 6),
            numbers(119, 1, 6),
            apply_rope(numbers(120, 2, 6)),
        ),
        (
            numbers(121, 1, 4),
            numbers(122, 1, 4),
            apply_rope(numbers(123, 7, 4)),
        ),
    ],
    mistakes={
        "position_zero": Mistake(
            "The new query and key are not turned. (A single row without "
            "`positions` is taken for position 0, which turns nothing.) They "
            "come after the cache: `positions=[len(cache)]`.",
            lambda q, k, c: (
                apply_rope(q) @ np.concatenate([c, apply_rope(k)]).T
            ),
        ),
        "query_at_zero": Mistake(
            "The key is turned for its place, but the query as if it stood "
            "at position 0. Both need `positions=[len(cache)]`.",
            lambda q, k, c: _late(q, k, c, at_q=-len(c)),
        ),
        "key_at_zero": Mistake(
            "The query is turned for its place, but the key as if it stood "
            "at position 0. Both need `positions=[len(cache)]`.",
            lambda q, k, c: _late(q, k, c, at_k=-len(c)),
        ),
        "off_by_one": Mistake(
            "The position is off by one. Positions start at 0, so that the "
            "token after n others stands at n, `len(cache)`.",
            lambda q, k, c: _late(q, k, c, -1, -1),
            lambda q, k, c: _late(q, k, c, 1, 1),
        ),
        "turned_twice": Mistake(
            "The keys in the cache are turned a second time. They were "
            "turned when they came in.",
            lambda q, k, c: _late(q, k, c, whole=True),
        ),
        "new_key_missing": Mistake(
            "The new key is missing: a token attends to itself too.",
            lambda q, k, c: _late(q, k, c)[:, :-1],
        ),
        "scaled": Mistake(
            "The scores are divided by the square root of the width. Here "
            "the plain dot products are asked for.",
            lambda q, k, c: _late(q, k, c) * q.shape[-1] ** -0.5,
        ),
    },
)
