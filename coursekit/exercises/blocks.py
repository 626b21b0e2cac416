"""Exercises of chapter 6: a norm, and a block with the norm outside."""

import numpy as np

from attnlib.ops import gelu, softmax
from coursekit.checks import Check, Mistake, numbers

__all__ = ["check_post_norm_block", "check_rms_norm"]

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
            "`** 1/2` is no root: `**` binds first, so that it only divides "
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
            "The rows are multiplied by `gain` first, so that it counts in "
            "the mean. Normalise `x`, then multiply.",
            {" * gain": "", "    mean": "    x = x * gain\n    mean"},
        ),
    },
)


class Sublayer:
    """A function that is shown by its name, and equal to its copies."""

    def __init__(self, name, function):
        self.name, self.function = name, function

    def __repr__(self):
        return f"({self.name})"

    def __deepcopy__(self, memo):
        return self

    def __call__(self, x):
        """Return what the sublayer makes of the rows."""
        return self.function(x)


def attend(x):
    """Return causal self-attention without parameters."""
    n = len(x)
    hidden = np.triu(np.full((n, n), -np.inf), k=1)
    return softmax(x @ x.T + hidden) @ np.roll(x, 1, axis=1)


SUBLAYERS = (
    Sublayer("causal self-attention", attend),
    Sublayer("a feed-forward network", lambda x: gelu(2 * x + 0.5)[:, ::-1]),
)
FIRST = "al.layer_norm(x + attend(x))"
SECOND = "al.layer_norm(y + feed(y))"
INSIDE = "x + attend(al.layer_norm(x))"

check_post_norm_block = Check(
    "post_norm_block(x, attend, feed)",
    task="return the output of a block with the norm after each addition. "
    "`attend` and `feed` are functions; `al.layer_norm(x)` is the norm.",
    verified="both sublayers read the stream as it is, add to it, and the "
    "sum is normalised each time.",
    right="""
def post_norm_block(x, attend, feed):
    y = al.layer_norm(x + attend(x))
    return al.layer_norm(y + feed(y))
""",
    parts="output",
    cases=[
        (numbers(610, 2, 3), *SUBLAYERS),
        (3 * numbers(611, 3, 5), *SUBLAYERS),
        (numbers(612, 5, 4) + 1, *SUBLAYERS),
    ],
    mistakes={
        "pre_norm": Mistake(
            "This is the pre-norm block: the norm stands inside. Here the "
            "sublayer reads `x` itself, and the *sum* is normalised.",
            {FIRST: INSIDE, SECOND: "y + feed(al.layer_norm(y))"},
        ),
        "norm_inside": Mistake(
            "Only what a sublayer returns is normalised. Add it to `x` "
            "first, then normalise the sum.",
            {
                FIRST: "x + al.layer_norm(attend(x))",
                SECOND: "y + al.layer_norm(feed(y))",
            },
        ),
        "no_residual": Mistake(
            "The residual stream is lost: add each sublayer's result to `x` "
            "before the norm.",
            {"x + ": "", "y + ": ""},
        ),
        "no_residual_attend": Mistake(
            "What attention returns takes the place of `x`. Add it to `x`.",
            {"x + ": ""},
        ),
        "no_residual_feed": Mistake(
            "What the feed-forward network returns takes the place of `x`. "
            "Add it to `x`.",
            {"y + ": ""},
        ),
        "no_norm": Mistake(
            "There is no norm. Normalise after each of the two additions.",
            {"al.layer_norm": ""},
        ),
        "first_norm_missing": Mistake(
            "The norm after attention is missing: a block has two.",
            {"al.layer_norm(x": "(x"},
        ),
        "second_norm_missing": Mistake(
            "The norm after the feed-forward network is missing: a block "
            "has two.",
            {"al.layer_norm(y": "(y"},
        ),
        "residual_after_norm": Mistake(
            "`x` is added once more after the norm. Add first, then "
            "normalise the sum; nothing comes after the norm.",
            {FIRST: f"x + {FIRST}", SECOND: f"y + {SECOND}"},
        ),
        "parallel": Mistake(
            "Both sublayers read the same rows. The feed-forward network "
            "comes second and must read what the first norm returned.",
            {"feed(y)": "feed(x)"},
        ),
        "old_residual": Mistake(
            "The feed-forward network's result is added to the old `x`, so "
            "that what attention added is lost. Add it to what the first "
            "norm returned.",
            {"y + feed": "x + feed"},
        ),
        "one_sum": Mistake(
            "Both sublayers read the same rows, and there is one sum and one "
            "norm. Add and normalise after attention; the feed-forward "
            "network reads the result.",
            {FIRST: "x + attend(x)", "feed(y)": "feed(x)"},
        ),
        "pre_norm_and_final": Mistake(
            "This is the pre-norm block, with one more norm at the end. Here "
            "the sublayers read `x` itself, and each *sum* is normalised.",
            {FIRST: INSIDE, "feed(y)": "feed(al.layer_norm(y))"},
        ),
        "both_norms": Mistake(
            "There is a norm before each sublayer and one after each sum. "
            "Here the sublayers read `x` itself; only the sums are "
            "normalised.",
            {
                "attend(x)": "attend(al.layer_norm(x))",
                "feed(y)": "feed(al.layer_norm(y))",
            },
        ),
        "stream_not_normalised": Mistake(
            "The feed-forward network's result is added to the sum before "
            "the first norm. Add it to what the first norm returned.",
            {"y + feed": "x + attend(x) + feed"},
        ),
        "feed_missing": Mistake(
            "The feed-forward network is missing. It comes second, with a "
            "sum and a norm of its own.",
            {SECOND: "y"},
        ),
        "attend_missing": Mistake(
            "Attention is missing. It comes first, with a sum and a norm of "
            "its own.",
            {FIRST: "x"},
        ),
        "swapped": Mistake(
            "The feed-forward network comes first here. Attention should.",
            {"attend(x)": "feed(x)", "feed(y)": "attend(y)"},
        ),
    },
)
