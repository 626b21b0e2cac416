"""Exercises of chapter 4: positions by turning queries and keys."""

import numpy as np

from attnlib.positions import apply_rope
from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises.positions import (
    BASE,
    CARET,
    EXPONENT_DOUBLED,
    EXPONENT_NOT_DOUBLED,
    EXPONENT_ODD,
    EXPONENT_SIGN,
    NOT_A_POWER,
    ONE_FREQUENCY,
    PRECEDENCE,
    WIDTH_MISSING,
)

__all__ = ["check_late_scores", "check_rope"]

HALVES = "x[..., : d // 2], x[..., d // 2 :]"
NEIGHBOURS = "x[..., 0::2], x[..., 1::2]"
JOIN = "np.concatenate(turned, axis=-1)"
ALTERNATE = "np.stack(turned, axis=-1).reshape(x.shape)"

check_rope = Check(
    "rope(x, positions)",
    task="turn the pair of columns r and r + d/2 of each row by its position "
    "divided by 10000 ** (2r / d).",
    verified="rows turned by the right angles, for widths of 2, 4 and 6, at "
    "any positions; the length of each row stays the same.",
    right=f"""
def rope(x, positions):
    d = x.shape[-1]
    speed = 10000.0 ** (-np.arange(0, d, 2) / d)
    angle = np.array(positions)[:, None] * speed
    cos, sin = np.cos(angle), np.sin(angle)
    first, second = {HALVES}
    turned = [first * cos - second * sin, second * cos + first * sin]
    return {JOIN}
""",
    parts="turned",
    cases=[
        (np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), np.arange(3)),
        (numbers(112, 3, 4), np.array([0, 1, 2])),
        (numbers(113, 5, 6), np.array([7, 3, 0, 11, 2])),
        (numbers(114, 2, 3, 4), np.array([5, 6, 7])),
    ],
    mistakes={
        "sign": Mistake(
            "The rows turn the other way round. The minus belongs in the "
            "first half: first * cos - second * sin.",
            {"np.sin(": "-np.sin("},
        ),
        "both_plus": Mistake(
            "There is no minus, so this is no rotation, and the lengths "
            "change. The halves are first * cos - second * sin and "
            "second * cos + first * sin.",
            {"- second": "+ second"},
        ),
        "both_minus": Mistake(
            "Both halves have a minus, so this is no rotation, and the "
            "lengths change. The second half has a plus: second * cos + "
            "first * sin.",
            {"+ first": "- first"},
        ),
        "interleaved": Mistake(
            "The neighbouring columns 2r and 2r + 1 form a pair here. In this "
            "exercise r and r + d/2 do. (Both layouts are in use; query and "
            "key must have the same.)",
            {HALVES: NEIGHBOURS, JOIN: ALTERNATE},
        ),
        "layouts_mixed": Mistake(
            "The columns change places: x is read in one layout and put "
            "together in the other. Cut it into two halves, and join the "
            "halves at the end.",
            {HALVES: NEIGHBOURS},
            {JOIN: ALTERNATE},
        ),
        "positions_ignored": Mistake(
            "The positions are taken to be 0, 1, 2, ... whatever is given. "
            "Use `positions`: with a cache a row may stand anywhere.",
            {"np.array(positions)": "np.arange(x.shape[-2])"},
        ),
        "exponent_not_doubled": Mistake(
            EXPONENT_NOT_DOUBLED, {"np.arange(0, d, 2)": "np.arange(d // 2)"}
        ),
        "exponent_doubled": Mistake(
            EXPONENT_DOUBLED, {"-np.arange": "-2 * np.arange"}
        ),
        "exponent_odd": Mistake(EXPONENT_ODD, {"arange(0": "arange(1"}),
        "exponent_sign": Mistake(EXPONENT_SIGN, {"-np.arange": "np.arange"}),
        "by_column": Mistake(
            "There is an angle for each column. The two columns of a pair "
            "turn by the *same* angle: `speed` has d/2 entries.",
            {"np.arange(0, d, 2)": "np.arange(d)"},
            {"np.arange(0, d, 2)": "2 * np.arange(d)"},
        ),
        "base": Mistake(BASE, {"10000.": "1000."}, {"10000.": "100000."}),
        "caret": Mistake(CARET, {"10000.0 ** ": "10000.0 ^ "}),
        "not_a_power": Mistake(
            NOT_A_POWER,
            {"10000.0 ** (-": "10000.0 * (-"},
            {"10000.0 ** (-": "1 / (10000.0 * "},
        ),
        "precedence": Mistake(
            PRECEDENCE,
            {"(-np.arange(0, d, 2) / d)": "-np.arange(0, d, 2) / d"},
            {"10000.0 ** (-np": "(10000 ** -np"},
            {"10000.0 ** (-np": "1 / (10000.0 ** np"},
        ),
        "width_missing": Mistake(
            WIDTH_MISSING,
            {" / d)": ")"},
            {" / d)": ")", "10000.0": "10000"},
        ),
        "rounded_down": Mistake(
            "`//` rounds the exponent down to a whole number. Divide with "
            "`/`.",
            {" / d)": " // d)"},
        ),
        "one_frequency": Mistake(ONE_FREQUENCY, {" * speed": ""}),
        "not_crossed": Mistake(
            "A half meets only itself. A rotation mixes the two: first * cos "
            "- second * sin, second * cos + first * sin.",
            {" - second * sin": "", "cos + first * sin": "sin"},
            {" - second * sin": "", " + first * sin": ""},
            {"- second * sin": "- first * sin", "+ first": "+ second"},
            {"- second * sin": "- first * sin"},
            {"+ first": "+ second"},
        ),
        "sine_alone": Mistake(
            "The sine stands alone. Multiply it by the *other* half: first * "
            "cos - second * sin, second * cos + first * sin.",
            {"- second * sin": "- sin", "+ first * sin": "+ sin"},
        ),
        "overwritten": Mistake(
            "The first half is overwritten before the second is computed "
            "from it. Both need the *old* halves: compute both, then put "
            "them together.",
            {
                "turned = [first * cos - second * sin, ": (
                    "first = first * cos - second * sin\n    turned = [first, "
                )
            },
        ),
        "from_one": Mistake(
            "The positions are one too large. Use them as they are given: a "
            "row at position 0 stays as it is.",
            {"np.array(positions)": "(np.array(positions) + 1)"},
        ),
        "unchanged": Mistake(
            "Nothing is turned: the rows come back as they were.", {JOIN: "x"}
        ),
        "added": Mistake(
            "The sinusoids are added to x. RoPE *turns* the rows instead, "
            "which keeps their lengths.",
            {JOIN: "x + al.positional_encoding(12, d)[positions]"},
        ),
    },
)


check_late_scores = Check(
    "late_scores(new_q, new_k, cache)",
    task="return the scores of one new token with all keys, (1, n + 1). The "
    "n keys in `cache` are turned already; `new_q` and `new_k` are not.",
    verified="the scores are the last row of the full computation, with 4, 2 "
    "and 7 keys in the cache.",
    right="""
def late_scores(new_q, new_k, cache):
    place = [len(cache)]
    q = al.apply_rope(new_q, positions=place)
    k = al.apply_rope(new_k, positions=place)
    keys = np.concatenate([cache, k])
    return q @ keys.T
""",
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
            "The new query and key are not turned. (Without `positions` a "
            "single row is taken for position 0, which turns nothing.) They "
            "come after the cache: `positions=[len(cache)]`.",
            {"[len(cache)]": "[0]"},
        ),
        "query_at_zero": Mistake(
            "The key is turned for its place, but the query as if it stood "
            "at position 0. Both need `positions=[len(cache)]`.",
            {"new_q, positions=place": "new_q"},
        ),
        "key_at_zero": Mistake(
            "The query is turned for its place, but the key as if it stood "
            "at position 0. Both need `positions=[len(cache)]`.",
            {"new_k, positions=place": "new_k"},
        ),
        "off_by_one": Mistake(
            "The position is off by one. Positions start at 0, so the token "
            "after n others stands at n, which is `len(cache)`.",
            {"[len(cache)]": "[len(cache) - 1]"},
            {"[len(cache)]": "[len(cache) + 1]"},
        ),
        "position_fixed": Mistake(
            "The new token gets the same position, 1 or -1, whatever the "
            "cache holds. It comes after n others: `[len(cache)]`.",
            {"[len(cache)]": "[1]"},
            {"[len(cache)]": "[-1]"},
        ),
        "width": Mistake(
            "The position is the *width* of the keys. It should be their "
            "number, `len(cache)`.",
            {"[len(cache)]": "[cache.shape[-1]]"},
        ),
        "not_a_list": Mistake(
            "`positions` takes a list with one entry for each row, even if "
            "there is only one row: `[len(cache)]`.",
            {"[len(cache)]": "len(cache)"},
        ),
        "many_positions": Mistake(
            "There are more positions than rows. Only one row is new, so "
            "`positions` needs one entry: `[len(cache)]`.",
            {"[len(cache)]": "range(len(cache))"},
            {"[len(cache)]": "range(len(cache) + 1)"},
        ),
        "turned_twice": Mistake(
            "Keys are turned a second time. Those in the cache were turned "
            "when they came in: turn only the new one, and only once.",
            *(
                {"np.concatenate([cache, k])": f"al.apply_rope({keys})"}
                for keys in (
                    "np.concatenate([cache, new_k])",
                    "np.concatenate([cache, k])",
                )
            ),
            {"[cache, k]": "[al.apply_rope(cache), k]"},
        ),
        "new_key_missing": Mistake(
            "The new key is missing. A token attends to itself too: put its "
            "key behind those of the cache.",
            {"np.concatenate([cache, k])": "cache"},
        ),
        "new_key_first": Mistake(
            "The new key comes first. It is the newest: put it *behind* those "
            "of the cache.",
            {"[cache, k]": "[k, cache]"},
        ),
        "scaled": Mistake(
            "The scores are divided by the square root of the width. Here "
            "they should be plain dot products.",
            {"keys.T": "keys.T / np.sqrt(new_q.shape[-1])"},
        ),
        "softmax": Mistake(
            "These are weights. Return the scores, before the softmax.",
            {"q @ keys.T": "al.softmax(q @ keys.T)"},
        ),
    },
)
