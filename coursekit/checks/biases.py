"""Checks of chapter 4: positions as a bias of the scores."""

import numpy as np

import coursekit.checks.mistakes as say
from attnlib.positions import alibi_bias, alibi_slopes
from coursekit.checks.engine import Check, Mistake, numbers

__all__ = ["check_causal_alibi", "check_clipped_bias"]


def _relative(n):
    """Return key minus query, for all pairs."""
    return np.arange(n) - np.arange(n)[:, None]


def _clipped(table, n, shift=None, flip=1, clip=True, distance=None):
    c = len(table) // 2
    relative = flip * _relative(n)
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
        "plain_index": Mistake(
            "The distances are used as an index as they are. Clip them to "
            "-c ... c first, then add c, so that the distance -c becomes "
            "index 0. (Index -1 is the last number, without an error.)",
            lambda table, n: _clipped(table, n, shift=0, clip=False),
            lambda table, n: _clipped(table, n, shift=0, clip=False, flip=-1),
        ),
        "rounded_down": Mistake(
            "`-len(table) // 2` is -(c + 1): the minus comes first, and `//` "
            "rounds down. Write `-(len(table) // 2)`.",
            lambda table, n: table[
                np.clip(_relative(n), -len(table) // 2, len(table) // 2)
                + len(table) // 2
            ],
        ),
        "c_fixed": Mistake(
            "The number c is always 2 here. It depends on the table, which "
            "holds 2c + 1 numbers: `c = len(table) // 2`.",
            lambda table, n: table[np.clip(_relative(n), -2, 2) + 2],
        ),
        "reversed": Mistake(
            "The distance is taken as i - j. Key minus query: keys before "
            "the query have negative distances.",
            lambda table, n: _clipped(table, n, flip=-1),
        ),
        "not_clipped": Mistake(
            "The distances are not clipped to -c ... c: beyond that they "
            "leave the table, or wrap around to its other end.",
            lambda table, n: _clipped(table, n, clip=False),
            lambda table, n: table[
                (_relative(n) + len(table) // 2) % len(table)
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
                    _relative(n),
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


def _causal_alibi(num_heads, n, bias=alibi_bias, diagonal=0):
    visible = np.tri(n, k=diagonal) > 0
    return np.where(visible, bias(num_heads, n), -np.inf)


def _slopes(num_heads, n, slopes):
    return -slopes[:, None, None] * np.abs(_relative(n))


def _heads(num_heads):
    return np.arange(num_heads)


check_causal_alibi = Check(
    "causal_alibi(num_heads, n)",
    task="return ALiBi's bias for a decoder, (num_heads, n, n): minus slope "
    "times distance, and -inf for keys after the query. `num_heads` is a "
    "power of two.",
    verified="slopes, distances and the causal mask, for 1, 2, 4, 8 and 16 "
    "heads.",
    reference=_causal_alibi,
    parts="bias",
    cases=[(2, 3), (1, 2), (4, 3), (8, 5), (16, 2)],
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
        "mask_strict": Mistake(
            say.CAUSAL_STRICT,
            lambda h, n: _causal_alibi(h, n, diagonal=-1),
        ),
        "mask_one_ahead": Mistake(
            say.CAUSAL_ONE_AHEAD,
            lambda h, n: _causal_alibi(h, n, diagonal=1),
        ),
        "not_infinite": Mistake(
            "Keys after the query get a large negative number. Use -inf, "
            "which is lower than any score: `-np.inf`.",
            *(
                lambda h, n, low=low: np.maximum(_causal_alibi(h, n), low)
                for low in -(10.0 ** np.arange(2, 13))
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
        "slopes_divided": Mistake(
            "The exponent of head i is -8 / i. It is -8 * i / num_heads, so "
            "that the slopes become smaller from head to head.",
            lambda h, n: _causal_alibi(
                h, n, lambda h, n: _slopes(h, n, 2 ** (-8 / (_heads(h) + 1)))
            ),
        ),
        "slopes_halved": Mistake(
            "The slopes are 1/2, 1/4, 1/8, ... for every number of heads. "
            "They run from 2 ** (-8 / num_heads) to 2 ** -8.",
            lambda h, n: _causal_alibi(
                h, n, lambda h, n: _slopes(h, n, 0.5 ** (_heads(h) + 1))
            ),
        ),
        "slopes_rounded": Mistake(
            "`//` rounds the exponent down to a whole number, which is "
            "wrong for more than 8 heads. Divide with `/`.",
            *(
                lambda h, n, slopes=slopes: _causal_alibi(
                    h, n, lambda h, n: _slopes(h, n, slopes(h))
                )
                for slopes in (
                    lambda h: 2.0 ** (-8 // h * (_heads(h) + 1)),
                    lambda h: 2.0 ** (-8 * (_heads(h) + 1) // h),
                )
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
                    -alibi_slopes(h)[:, None, None] * _relative(n) ** 2.0
                ),
            ),
        ),
    },
)
