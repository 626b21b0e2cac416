"""Exercise of chapter 6: a norm without the mean."""

import numpy as np

from coursekit.checks import Check, Mistake

__all__ = ["check_rms_norm"]

ROOT = "np.sqrt(mean + 1e-5)"
SIZE = "np.linalg.norm(x, axis=-1, keepdims=True)"


CENTRED = {"    mean": "    x = x - x.mean(-1, keepdims=True)\n    mean"}


def divided_by(size):
    """Return the edit that divides the rows by something else."""
    return {ROOT: size}


check_rms_norm = Check(
    "rms_norm(x, gain)",
    task="divide every row of `x` by the square root of the mean of its "
    "squares (add 1e-5 to the mean first), then multiply by `gain`.",
    verified="large rows and a very small one, a row of zeros, and a batch.",
    right="""
def rms_norm(x, gain):
    mean = np.mean(x**2, axis=-1, keepdims=True)
    return x / np.sqrt(mean + 1e-5) * gain
""",
    parts="normalised",
    cases=[
        (np.array([[1.0, -1.0, 5.0]]), np.array([1.0, 2.0, 3.0])),
        (np.array([[0.001, -0.001, 0.004]]), np.ones(3)),
        (
            np.array([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 4.0]]),
            np.array([1.0, 2.0, 0.5]),
        ),
        (
            np.array([[[1.0, 7.0], [3.0, -4.0]], [[2.0, 0.0], [5.0, 1.0]]]),
            np.array([1.0, 2.0]),
        ),
    ],
    mistakes={
        "layer_norm": Mistake(
            "This is the layer norm: it subtracts the mean. Here the rows "
            "are only divided.",
            CENTRED,
            CENTRED | {" * gain": ""},
        ),
        "variance": Mistake(
            "The rows are divided by their standard deviation, which "
            "subtracts the mean on the way. Take the mean of the squares of "
            "`x` itself.",
            {"np.mean(x**2": "np.var(x"},
            {"np.mean(x**2": "np.std(x", ROOT: "(mean + 1e-5)"},
        ),
        "wrong_axis": Mistake(
            "The mean is taken over the tokens, down each column. Normalise "
            "every row on its own: `axis=-1`.",
            {"axis=-1": "axis=-2"},
            {"axis=-1": "axis=0"},
        ),
        "axis_one": Mistake(
            "`axis=1` is the last axis only if `x` has two. In a batch it "
            "runs over the tokens: use `axis=-1`.",
            {"axis=-1": "axis=1"},
        ),
        "whole_array": Mistake(
            "There is one mean for the whole array. Every row needs its own: "
            "`axis=-1, keepdims=True`.",
            {"axis=-1, keepdims=True": ""},
        ),
        "no_root": Mistake(
            "The rows are divided by the mean of the squares. Divide by its "
            "square root.",
            divided_by("(mean + 1e-5)"),
        ),
        "half": Mistake(
            "`** 1/2` is not a root: `**` binds first, so it only divides "
            "by 2. Write `np.sqrt(...)` or `** 0.5`.",
            divided_by("(mean + 1e-5) ** 1 / 2"),
            divided_by("((mean + 1e-5) ** 1 / 2)"),
        ),
        "multiplied": Mistake(
            "The rows are multiplied by the root. Divide by it, so that all "
            "rows come out equally large.",
            {"x / np": "x * np"},
        ),
        "summed": Mistake(
            "The squares are added up. Take their mean, or the wider a row "
            "is, the smaller its numbers become.",
            {"np.mean": "np.sum"},
            divided_by(SIZE),
            divided_by(f"({SIZE} + 1e-5)"),
        ),
        "not_squared": Mistake(
            "The numbers are not squared. Take the mean of their squares, "
            "and then the root.",
            {"x**2": "abs(x)"},
            {"x**2": "abs(x)", ROOT: "(mean + 1e-5)"},
            {"x**2": "x"},
            {"x**2": "x", ROOT: "(mean + 1e-5)"},
        ),
        "caret": Mistake(
            "In Python `^` is not a power. Write `x**2`.", {"x**2": "x^2"}
        ),
        "math_sqrt": Mistake(
            "`math.sqrt` takes a single number. Use `np.sqrt`, which takes an "
            "array.",
            {"np.sqrt": "math.sqrt"},
        ),
        "mean_squared": Mistake(
            "This squares the mean. Square the numbers first, so that "
            "positive and negative ones do not cancel.",
            {"x**2": "x", "mean +": "mean**2 +"},
        ),
        "eps_missing": Mistake(
            "The small number is missing under the root: in a row of zeros "
            "0 / 0 is NaN. Add 1e-5 to the mean of the squares.",
            {" + 1e-5": ""},
        ),
        "eps_after_root": Mistake(
            "The small number is added after the root. Add it to the mean of "
            "the squares, under the root: that makes a difference for rows "
            "of small numbers.",
            divided_by("(np.sqrt(mean) + 1e-5)"),
            divided_by("(np.sqrt(mean) + 1e-6)"),
        ),
        "brackets": Mistake(
            "1e-5 is added to the quotient, because `/` binds before `+`. Put "
            "the sum under the root, in brackets: `np.sqrt(mean + 1e-5)`.",
            divided_by("np.sqrt(mean) + 1e-5"),
            {f"x / {ROOT}": "(x / np.sqrt(mean) + 1e-5)"},
        ),
        "eps_as_minimum": Mistake(
            "1e-5 is only a lower limit of the mean. *Add* it to the mean.",
            divided_by("np.sqrt(np.maximum(mean, 1e-5))"),
        ),
        "eps_inside_square": Mistake(
            "1e-5 is added to the numbers before they are squared. Add it to "
            "the mean of the squares.",
            {" + 1e-5": "", "x**2": "(x + 1e-5) ** 2"},
        ),
        "other_eps": Mistake(
            "The small number is not 1e-5. For a row of small numbers that "
            "makes a difference.",
            *({"1e-5": f"1e-{i}"} for i in (2, 3, 4, 6, 7, 8, 9, 10, 12)),
        ),
        "keepdims": Mistake(
            "The means have lost their axis: `keepdims=True` is missing. "
            "Without it the shapes do not fit, or each *column* is divided "
            "by the size of a row.",
            {", keepdims=True": ""},
        ),
        "gain_missing": Mistake(
            "`gain` is not used: multiply the normalised rows by it.",
            {" * gain": ""},
        ),
        "gain_divides": Mistake(
            "The rows are divided by `gain`. Multiply by it.",
            {"* gain": "/ gain"},
        ),
        "gain_added": Mistake(
            "`gain` is added, as if it were a bias. Multiply by it.",
            {"* gain": "+ gain"},
        ),
        "gain_first": Mistake(
            "The rows are multiplied by `gain` first, so it counts in "
            "the mean. Normalise `x`, then multiply.",
            {" * gain": "", "    mean": "    x = x * gain\n    mean"},
        ),
    },
)
