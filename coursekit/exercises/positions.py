"""Exercises of chapter 4: positions as sines, added or by turning."""

import numpy as np

from coursekit.checks import Check, Mistake, numbers

__all__ = ["check_positional_encoding", "check_rope"]

BASE = "The base is not 10,000: count its zeros."
CARET = (
    "`^` is no power in Python: it compares the bits of whole numbers. Write "
    "`10000 ** (...)`."
)
NOT_A_POWER = (
    "10000 is multiplied by 2i / d, where it should be raised to that power: "
    "`10000 ** (2 * i / d)`."
)
PRECEDENCE = (
    "The power is computed before the division: `10000 ** a / d` is "
    "`(10000 ** a) / d`. Put the exponent in brackets: `10000 ** (a / d)`."
)
EXPONENT_NOT_DOUBLED = (
    "The exponent of pair i is i / d. It should be 2i / d: either count with "
    "`np.arange(0, d, 2)`, which holds the numbers 2i, or double i yourself."
)
EXPONENT_DOUBLED = (
    "The exponent is twice what it should be. `np.arange(0, d, 2)` already "
    "holds the numbers 2i: do not double them again."
)
EXPONENT_SIGN = (
    "The angles grow from pair to pair. They should shrink: *divide* the "
    "position by 10000 to the power of 2i / d."
)
ONE_FREQUENCY = (
    "All pairs turn equally fast. Divide the position by 10000 to the power "
    "of 2i / d. (With `//` that exponent would be rounded down to 0.)"
)

check_positional_encoding = Check(
    "positional_encoding(n, d_model)",
    task="return one row for each position: sines in the even columns, "
    "cosines of the same angles in the odd ones.",
    verified="n rows of sines and cosines, for widths of 2, 4, 6 and 10.",
    right="""
def positional_encoding(n, d_model):
    positions = np.arange(n)[:, None]
    exponent = np.arange(0, d_model, 2) / d_model
    angles = positions / 10000 ** exponent
    encoding = np.empty((n, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding
""",
    parts="encoding",
    cases=[(3, 4), (5, 6), (7, 10), (11, 2)],
    mistakes={
        "swapped": Mistake(
            "Sine and cosine are swapped. The even columns, 0, 2, ..., hold "
            "the sines.",
            {
                "0::2] = np.sin": "1::2] = np.sin",
                "1::2] = np.c": "::2] = np.c",
            },
        ),
        "halves": Mistake(
            "All sines come before all cosines. They should alternate: the "
            "sine in column 2i, the cosine in column 2i + 1.",
            {"0::2": ": d_model // 2", "1::2": "d_model // 2 :"},
        ),
        "exponent_not_doubled": Mistake(
            EXPONENT_NOT_DOUBLED,
            {"np.arange(0, d_model, 2)": "np.arange(d_model // 2)"},
        ),
        "exponent_doubled": Mistake(
            EXPONENT_DOUBLED, {"np.arange(0": "2 * np.arange(0"}
        ),
        "exponent_sign": Mistake(
            EXPONENT_SIGN, {"positions /": "positions *"}
        ),
        "exponent_ends_at_one": Mistake(
            "The exponents run from 0 to 1. They are 2i / d_model, so that "
            "the last one is a little below 1.",
            {
                "np.arange(0, d_model, 2) / d_model": (
                    "np.linspace(0, 1, d_model // 2)"
                )
            },
            {"/ d_model\n": "/ (d_model - np.float64(2))\n"},
        ),
        "by_column": Mistake(
            "Every column has an angle of its own. A sine and the cosine "
            "after it form a pair with the *same* angle: i counts pairs, so "
            "that there are only d_model / 2 exponents.",
            *(
                {
                    "np.arange(0, d_model, 2)": numbers_of_columns,
                    "np.sin(angles)": "np.sin(angles)[:, 0::2]",
                    "np.cos(angles)": "np.cos(angles)[:, 1::2]",
                }
                for numbers_of_columns in (
                    "np.arange(d_model)",
                    "2 * np.arange(d_model)",
                )
            ),
            {"np.arange(0, d_model, 2)": "np.arange(d_model)"},
        ),
        "from_one": Mistake(
            "The positions start at 1. They should start at 0, so that the "
            "first row is 0, 1, 0, 1, ...",
            {"np.arange(n)": "np.arange(1, n + 1)"},
        ),
        "row_of_positions": Mistake(
            "The positions are a row, so they do not combine with the row of "
            "powers. Make them a column, `np.arange(n)[:, None]`: then every "
            "position meets every power.",
            {"[:, None]": ""},
        ),
        "one_frequency": Mistake(ONE_FREQUENCY, {" / 10000 ** exponent": ""}),
        "base": Mistake(BASE, {"10000": "1000"}, {"10000": "100000"}),
        "caret": Mistake(
            CARET,
            {"**": "^"},
            {"10000 ** exponent": "(10000 ^ 0.5)"},
            {"10000 ** exponent": "(10000.0 ^ 0.5)"},
        ),
        "not_a_power": Mistake(
            NOT_A_POWER,
            {"10000 ** exponent": "(10000 * exponent)"},
            {"10000 ** exponent": "10000 * exponent"},
            {"positions / 10000 ** exponent": "1 / (10000 * 0.0)"},
        ),
        "precedence": Mistake(
            PRECEDENCE,
            *(
                {"2) / d_model": "2)", "10000 ** exponent": power}
                for power in (
                    "10000 ** exponent / d_model",
                    "10000.0 ** exponent / d_model",
                    "(10000 ** exponent / d_model)",
                    "(10000.0 ** exponent / d_model)",
                )
            ),
        ),
        "sine_twice": Mistake(
            "The odd columns are sines too. They should be cosines, of the "
            "same angles.",
            {"np.cos": "np.sin"},
        ),
        "transposed": Mistake(
            "Positions are columns here. Make them rows: the shape is "
            "(n, d_model).",
            {"return encoding": "return encoding.T"},
        ),
    },
)


HALVES = "x[..., : d // 2], x[..., d // 2 :]"
NEIGHBOURS = "x[..., 0::2], x[..., 1::2]"
JOIN = "np.concatenate(turned, axis=-1)"
ALTERNATE = "np.stack(turned, axis=-1).reshape(x.shape)"

check_rope = Check(
    "rope(x, positions)",
    task="turn the pair of columns i and i + d/2 of each row by its position "
    "divided by 10000 ** (2i / d).",
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
            "The neighbouring columns 2i and 2i + 1 form a pair here. In this "
            "exercise i and i + d/2 do. (Both layouts are in use; query and "
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
