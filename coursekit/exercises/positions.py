"""Exercises of chapter 4: positions as sines, and words for angles."""

from coursekit.checks import Check, Mistake

__all__ = ["check_positional_encoding"]

BASE = "The base is not 10,000: count its zeros."
CARET = (
    "In Python `^` is not a power: it compares the bits of two integers. "
    "Write `**`."
)
NOT_A_POWER = (
    "10000 is multiplied by 2r / d, where it should be raised to that power: "
    "`10000 ** (2 * r / d)`."
)
PRECEDENCE = (
    "The power is computed before the division: `10000 ** a / d` is "
    "`(10000 ** a) / d`. Put the exponent in brackets: `10000 ** (a / d)`."
)
EXPONENT_NOT_DOUBLED = (
    "The exponent of pair r is r / d. It should be 2r / d: either count with "
    "`np.arange(0, d, 2)`, which holds the numbers 2r, or double r yourself."
)
EXPONENT_DOUBLED = (
    "The exponent is twice what it should be. `np.arange(0, d, 2)` already "
    "holds the numbers 2r: do not double them again."
)
EXPONENT_SIGN = (
    "The angles grow from pair to pair. They should shrink: *divide* the "
    "position by 10000 to the power of 2r / d."
)
EXPONENT_ODD = (
    "The exponents are odd: they start at 1 / d. They should start at 0, so "
    "that the first pair turns by the position itself: `np.arange(0, d, 2)`."
)
WIDTH_MISSING = (
    "The exponent is 2r. It should be 2r / d: divide it by the width."
)
ONE_FREQUENCY = (
    "All pairs turn equally fast. Divide the position by 10000 to the power "
    "of 2r / d. (With `//` that exponent would be rounded down to 0.)"
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
            "sine in column 2r, the cosine in column 2r + 1.",
            {"0::2": ": d_model // 2", "1::2": "d_model // 2 :"},
        ),
        "exponent_not_doubled": Mistake(
            EXPONENT_NOT_DOUBLED,
            {"np.arange(0, d_model, 2)": "np.arange(d_model // 2)"},
        ),
        "exponent_doubled": Mistake(
            EXPONENT_DOUBLED, {"np.arange(0": "2 * np.arange(0"}
        ),
        "exponent_odd": Mistake(EXPONENT_ODD, {"arange(0": "arange(1"}),
        "exponent_sign": Mistake(
            EXPONENT_SIGN, {"positions /": "positions *"}
        ),
        "exponent_ends_at_one": Mistake(
            "The exponents run from 0 to 1. They are 2r / d_model, so that "
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
        "width_missing": Mistake(
            WIDTH_MISSING,
            {"2) / d_model": "2)"},
            {"2) / d_model": "2)", "10000": "10000.0"},
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
        "return_in_loop": Mistake(
            "Only the beginning is filled in. Is the `return` inside the "
            "loop? It belongs after it.",
            {"return encoding": "return encoding * (positions == 0)"},
            {
                "return encoding": (
                    "encoding[1:] = encoding[:, 2:] = 0\n    return encoding"
                )
            },
        ),
        "transposed": Mistake(
            "Positions are columns here. Make them rows: the shape is "
            "(n, d_model).",
            {"return encoding": "return encoding.T"},
        ),
    },
)
