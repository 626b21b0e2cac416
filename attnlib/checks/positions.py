"""Checks of chapter 4: four ways to tell attention about order."""

import numpy as np

from attnlib.checks.engine import Check, Mistake, numbers
from attnlib.positions import (
    alibi_bias,
    alibi_slopes,
    apply_rope,
    positional_encoding,
)

__all__ = [
    "check_causal_alibi",
    "check_clipped_bias",
    "check_late_scores",
    "check_positional_encoding",
    "check_rope",
]


def _sinusoids(n, d, exponent, order="interleaved", first=0, rate=None):
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
            "The exponent is twice too large: `np.arange(0, d_model, 2)` "
            "holds 2i already.",
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
            lambda n, d: _times(n, d),
        ),
        "transposed": Mistake(
            "Positions are columns here. They must be rows: shape "
            "(n, d_model).",
            lambda n, d: positional_encoding(n, d).T,
        ),
    },
)


def _times(n, d):
    i = np.arange(0, d, 2)
    speed = np.divide(1, 10000 * i / d)
    angles = np.arange(n)[:, None] * speed
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)


def _clipped(table, n, shift=None, flip=1, clip=True, distance=None):
    c = len(table) // 2
    relative = flip * (np.arange(n) - np.arange(n)[:, None])
    if distance:
        relative = np.abs(relative)
    if clip:
        relative = np.clip(relative, -c, c)
    return table[relative + (c if shift is None else shift)]


check_clipped_bias = Check(
    "clipped_bias(table, n)",
    task="return the (n, n) bias whose entry for query i and key j is "
    "`table` at the distance j - i, clipped to -c ... c.",
    verified="the bias by distance, near and clipped, for three tables.",
    reference=_clipped,
    parts="bias",
    cases=[
        (np.array([0.5, 3.0, 1.0, -1.0, -2.0]), 5),
        (np.array([2.0, 0.0, 1.0]), 3),
        (numbers(110, 7), 7),
        (numbers(111, 11), 3),
    ],
    mistakes={
        "not_shifted": Mistake(
            "The distances are used as an index as they are. -1 counts from "
            "the end of the table, without an error: add c, so that the "
            "distance -c becomes index 0.",
            lambda table, n: _clipped(table, n, shift=0),
        ),
        "reversed": Mistake(
            "The distance is taken as i - j. Key minus query: keys before "
            "the query have negative distances.",
            lambda table, n: _clipped(table, n, flip=-1),
        ),
        "not_clipped": Mistake(
            "The distances are not clipped: beyond c they leave the table, "
            "or wrap around to its other end.",
            lambda table, n: _clipped(table, n, clip=False),
            lambda table, n: table[
                (np.arange(n) - np.arange(n)[:, None] + len(table) // 2)
                % len(table)
            ],
        ),
        "symmetric": Mistake(
            "The sign of the distance is lost: before and after get the same "
            "number.",
            lambda table, n: _clipped(table, n, distance=True),
        ),
        "shifted_too_far": Mistake(
            "The index is off by one: the distance 0 belongs in the middle "
            "of the table, at index c.",
            lambda table, n: table[
                np.clip(
                    np.arange(n) - np.arange(n)[:, None],
                    -(len(table) // 2) - 1,
                    len(table) // 2 - 1,
                )
                + len(table) // 2
                + 1
            ],
            lambda table, n: _clipped(table, n, shift=len(table) // 2 - 1),
            lambda table, n: np.append(table, table[-1])[
                _clipped(np.arange(len(table)), n) + 1
            ],
        ),
        "one_row": Mistake(
            "This is the row of the first query only. Every query needs its "
            "own: subtract the query's position as a column, "
            "`np.arange(n)[:, None]`.",
            lambda table, n: _clipped(table, n)[0],
        ),
    },
)


def _rotate(x, positions, sign=1, speed=_pairs, interleaved=False):
    d = x.shape[-1]
    i = np.arange(d // 2)
    angle = np.asarray(positions)[:, None] * 10000.0 ** -speed(i, d)
    cos, sin = np.cos(angle), sign * np.sin(angle)
    if interleaved:
        a, b = x[..., 0::2], x[..., 1::2]
    else:
        a, b = x[..., : d // 2], x[..., d // 2 :]
    first, second = a * cos - b * sin, a * sin + b * cos
    if interleaved:
        return np.stack([first, second], axis=-1).reshape(x.shape)
    return np.concatenate([first, second], axis=-1)


def _reflect(x, positions):
    """Give both halves the same sign: no rotation."""
    d = x.shape[-1]
    angle = np.asarray(positions)[:, None] * 10000.0 ** -_pairs(
        np.arange(d // 2), d
    )
    a, b = x[..., : d // 2], x[..., d // 2 :]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.concatenate([a * cos + b * sin, a * sin + b * cos], axis=-1)


def _not_crossed(x, positions):
    d = x.shape[-1]
    angle = np.asarray(positions)[:, None] * 10000.0 ** -_pairs(
        np.arange(d // 2), d
    )
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return np.concatenate([a * np.cos(angle), b * np.sin(angle)], axis=-1)


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
            lambda x, p: _rotate(x, p, sign=-1),
        ),
        "both_plus": Mistake(
            "There is no minus, so that this is no rotation and lengths "
            "change: first * cos - second * sin, first * sin + second * cos.",
            _reflect,
        ),
        "interleaved": Mistake(
            "Neighbouring columns, 2i and 2i + 1, form a pair here. In this "
            "exercise i and i + d/2 do. (Both are in use; query and key must "
            "agree.)",
            lambda x, p: _rotate(x, p, interleaved=True),
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
        "one_frequency": Mistake(
            "All pairs turn equally fast. Divide the position by 10000 to "
            "the power of 2i / d.",
            lambda x, p: _rotate(x, p, speed=lambda i, d: 0.0 * i),
        ),
        "not_crossed": Mistake(
            "Each half only meets itself. A rotation mixes the two: first * "
            "cos - second * sin, first * sin + second * cos.",
            _not_crossed,
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
        "one_too_early": Mistake(
            "The position is off by one. Positions start at 0, so that the "
            "token after n others stands at n, `len(cache)`.",
            lambda q, k, c: _late(q, k, c, -1, -1),
        ),
        "one_too_late": Mistake(
            "The position is off by one. Positions start at 0, so that the "
            "token after n others stands at n, `len(cache)`.",
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


def _causal_alibi(num_heads, n, bias=alibi_bias, visible=np.tri):
    return np.where(visible(n) > 0, bias(num_heads, n), -np.inf)


def _slopes(num_heads, n, slopes):
    distance = np.abs(np.arange(n) - np.arange(n)[:, None])
    return -slopes[:, None, None] * distance


check_causal_alibi = Check(
    "causal_alibi(num_heads, n)",
    task="return ALiBi's bias for a decoder, (num_heads, n, n): minus slope "
    "times distance, and -inf for keys after the query. `num_heads` is a "
    "power of two.",
    verified="slopes, distances and the causal mask, for 1, 2, 4 and 8 heads.",
    reference=_causal_alibi,
    parts="bias",
    cases=[(2, 3), (1, 2), (4, 3), (8, 5)],
    mistakes={
        "sign": Mistake(
            "The sign is wrong: far keys get a bonus. The bias is *minus* "
            "slope times distance.",
            lambda h, n: _causal_alibi(h, n, lambda h, n: -alibi_bias(h, n)),
        ),
        "mask_missing": Mistake(
            "Nothing is hidden. ALiBi only makes far keys less likely: put "
            "-inf where the key comes after the query.",
            alibi_bias,
        ),
        "mask_inverted": Mistake(
            "The mask is inverted: the past is hidden, and the future can be "
            "seen.",
            lambda h, n: np.where(np.tri(n) > 0, -np.inf, alibi_bias(h, n)),
            lambda h, n: np.where(
                np.tri(n, k=-1) > 0, -np.inf, alibi_bias(h, n)
            ),
        ),
        "future_zero": Mistake(
            "Keys after the query get the bias 0, which is the best there "
            "is. Hide them with -inf.",
            lambda h, n: np.where(np.tri(n) > 0, alibi_bias(h, n), 0.0),
        ),
        "slopes_from_zero": Mistake(
            "The slopes start at 1. The first is 2 ** (-8 / num_heads): "
            "count the heads from 1 in the exponent.",
            lambda h, n: _causal_alibi(
                h, n, lambda h, n: _slopes(h, n, 2.0 ** (-8 * _heads(h) / h))
            ),
        ),
        "slopes_reversed": Mistake(
            "The slopes are in the wrong order: the first head is the "
            "steepest.",
            lambda h, n: _causal_alibi(h, n)[::-1],
        ),
        "slopes_halved": Mistake(
            "The slopes are 1/2, 1/4, 1/8, ... for every number of heads. "
            "They run from 2 ** (-8 / num_heads) to 2 ** -8.",
            lambda h, n: _causal_alibi(
                h, n, lambda h, n: _slopes(h, n, 0.5 ** (_heads(h) + 1))
            ),
        ),
        "one_slope": Mistake(
            "All heads have the same slope. Each has its own.",
            lambda h, n: _causal_alibi(
                h, n, lambda h, n: _slopes(h, n, np.ones(h))
            ),
            lambda h, n: (
                _causal_alibi(
                    h,
                    n,
                    lambda h, n: _slopes(h, n, alibi_slopes(h)[:1] + 0 * h),
                )
                + np.zeros((h, 1, 1))
            ),
        ),
        "squared": Mistake(
            "The distance is squared. It counts once: |j - i|.",
            lambda h, n: _causal_alibi(
                h,
                n,
                lambda h, n: (
                    -alibi_slopes(h)[:, None, None]
                    * (np.arange(n) - np.arange(n)[:, None]) ** 2.0
                ),
            ),
        ),
    },
)


def _heads(num_heads):
    return np.arange(num_heads)
