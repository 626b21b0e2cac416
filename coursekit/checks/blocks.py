"""Checks of chapter 6: a norm, and a block with the norm outside."""

import numpy as np

from attnlib.ops import gelu, layer_norm, softmax
from coursekit.checks.engine import Check, Mistake, numbers

__all__ = ["check_post_norm_block", "check_rms_norm"]

EPS = 1e-5


def _rms(axis=-1, total=np.mean, power=2, root=True, eps=EPS, gain=True):
    """Return a root-mean-square norm with one step replaced."""

    def function(x, g):
        size = total(abs(x) ** power, axis=axis, keepdims=True) + eps
        y = x / (np.sqrt(size) if root else size)
        return y * g if gain else y

    return function


def _size(x):
    return np.sqrt((x**2).mean(axis=-1, keepdims=True))


def _eps(divisor):
    """Return a norm whose divisor is made from the mean of the squares."""
    return lambda x, g: x / divisor((x**2).mean(-1, keepdims=True)) * g


check_rms_norm = Check(
    "rms_norm(x, gain)",
    task="divide every row of `x` by the square root of the mean of its "
    "squares (add 1e-5 to the mean first), then multiply by `gain`.",
    verified="large rows and a very small one, a row of zeros, and a batch.",
    reference=_rms(),
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
            "This is the layer norm: the mean is subtracted. Here the rows "
            "are only divided.",
            lambda x, g: layer_norm(x, g),
        ),
        "variance": Mistake(
            "The rows are divided by their standard deviation, which "
            "subtracts the mean inside. Take the mean of the squares.",
            lambda x, g: x / np.sqrt(x.var(axis=-1, keepdims=True) + EPS) * g,
        ),
        "wrong_axis": Mistake(
            "The mean is taken over the tokens, down each column. Every row "
            "is normalised alone: `axis=-1`.",
            _rms(axis=-2),
            _rms(axis=0),
        ),
        "axis_one": Mistake(
            "`axis=1` is the last axis only if `x` has two. In a batch it "
            "runs over the tokens: use `axis=-1`.",
            _rms(axis=1),
        ),
        "whole_array": Mistake(
            "One mean is taken of the whole array. Every row has its own: "
            "`axis=-1, keepdims=True`.",
            _rms(axis=None),
        ),
        "no_root": Mistake(
            "The rows are divided by the mean of the squares. Divide by its "
            "square root.",
            _rms(root=False),
        ),
        "summed": Mistake(
            "The squares are added up. Take their mean, or a wide row would "
            "become smaller than a narrow one.",
            _rms(total=np.sum),
        ),
        "not_squared": Mistake(
            "The numbers are not squared.",
            _rms(power=1),
            _rms(power=1, root=False),
        ),
        "eps_missing": Mistake(
            "The small number is missing: in a row of zeros 0 / 0 is NaN. "
            "Add 1e-5 to the mean of the squares.",
            _rms(eps=0.0),
        ),
        "eps_after_root": Mistake(
            "The small number is added after the root. It belongs inside, "
            "to the mean of the squares: that changes rows of small numbers.",
            _eps(lambda mean: np.sqrt(mean) + EPS),
            _eps(lambda mean: np.sqrt(mean) + 1e-6),
        ),
        "eps_as_minimum": Mistake(
            "1e-5 is only a lower limit of the mean. *Add* it to the mean.",
            _eps(lambda mean: np.sqrt(np.maximum(mean, EPS))),
        ),
        "eps_inside_square": Mistake(
            "1e-5 is added to the numbers before they are squared. Add it to "
            "the mean of the squares.",
            lambda x, g: x / _size(x + EPS) * g,
        ),
        "other_eps": Mistake(
            "The small number is not 1e-5. For a row of small numbers that "
            "makes a difference.",
            *(_rms(eps=10.0**-i) for i in (2, 3, 4, 6, 7, 8, 9, 10, 12)),
        ),
        "keepdims": Mistake(
            "The means have lost their axis: `keepdims=True` is missing. "
            "Without it the shapes do not fit, or each *column* is divided "
            "by the size of a row.",
            lambda x, g: x / np.sqrt((x**2).mean(axis=-1) + EPS) * g,
        ),
        "gain_missing": Mistake(
            "`gain` is not used: multiply the normalised rows by it.",
            _rms(gain=False),
        ),
        "gain_divides": Mistake(
            "The rows are divided by `gain`. Multiply by it.",
            lambda x, g: _rms()(x, 1 / g),
        ),
        "gain_first": Mistake(
            "The rows are multiplied by `gain` first, so that it counts in "
            "the mean. Normalise `x`, then multiply.",
            lambda x, g: _rms(gain=False)(x * g, g),
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


def _attend(x):
    n = len(x)
    hidden = np.triu(np.full((n, n), -np.inf), k=1)
    return softmax(x @ x.T + hidden) @ np.roll(x, 1, axis=1)


def _post(first=layer_norm, second=layer_norm, keep=1, keep_feed=1):
    """Return a post-norm block with one part replaced."""

    def function(x, attend, feed):
        x = first(keep * x + attend(x))
        return second(keep_feed * x + feed(x))

    return function


def _pre(x, attend, feed):
    x = x + attend(layer_norm(x))
    return x + feed(layer_norm(x))


def _norm_inside(x, attend, feed):
    x = x + layer_norm(attend(x))
    return x + layer_norm(feed(x))


def _plain(x):
    return x


_PARTS = (
    Sublayer("causal self-attention", _attend),
    Sublayer("a feed-forward network", lambda x: gelu(2 * x + 0.5)[:, ::-1]),
)

check_post_norm_block = Check(
    "post_norm_block(x, attend, feed)",
    task="return the output of a block with the norm after each addition. "
    "`attend` and `feed` are functions; `al.layer_norm(x)` is the norm.",
    verified="both sublayers read the stream as it is, add to it, and the "
    "sum is normalised each time.",
    reference=_post(),
    parts="output",
    cases=[
        (numbers(610, 2, 3), *_PARTS),
        (3 * numbers(611, 3, 5), *_PARTS),
        (numbers(612, 5, 4) + 1, *_PARTS),
    ],
    mistakes={
        "pre_norm": Mistake(
            "This is the pre-norm block: the norm stands inside. Here the "
            "sublayer reads `x` itself, and the *sum* is normalised.",
            _pre,
        ),
        "norm_inside": Mistake(
            "Only what a sublayer returns is normalised. Add it to `x` "
            "first, then normalise the sum.",
            _norm_inside,
        ),
        "no_residual": Mistake(
            "The residual stream is lost: add each sublayer's result to `x` "
            "before the norm.",
            _post(keep=0, keep_feed=0),
        ),
        "no_residual_attend": Mistake(
            "What attention returns takes the place of `x`. Add it to `x`.",
            _post(keep=0),
        ),
        "no_residual_feed": Mistake(
            "What the feed-forward network returns takes the place of `x`. "
            "Add it to `x`.",
            _post(keep_feed=0),
        ),
        "no_norm": Mistake(
            "There is no norm: normalise after each of the two additions.",
            _post(_plain, _plain),
        ),
        "first_norm_missing": Mistake(
            "The norm after attention is missing: there are two in a block.",
            _post(first=_plain),
        ),
        "second_norm_missing": Mistake(
            "The norm after the feed-forward network is missing: there are "
            "two in a block.",
            _post(second=_plain),
        ),
        "parallel": Mistake(
            "Both sublayers read the same rows. The feed-forward network "
            "comes second and must read what attention has added.",
            lambda x, attend, feed: layer_norm(
                layer_norm(x + attend(x)) + feed(x)
            ),
        ),
        "old_residual": Mistake(
            "The feed-forward network's result is added to the old `x`, so "
            "that what attention added is lost. Add it to what the first "
            "norm returned.",
            lambda x, attend, feed: layer_norm(
                x + feed(layer_norm(x + attend(x)))
            ),
        ),
        "one_sum": Mistake(
            "Both sublayers read the same rows, and there is one sum and one "
            "norm. Add and normalise after attention; the feed-forward "
            "network reads the result.",
            lambda x, attend, feed: layer_norm(x + attend(x) + feed(x)),
        ),
        "pre_norm_and_final": Mistake(
            "This is the pre-norm block, with one more norm at the end. Here "
            "the sublayers read `x` itself, and each *sum* is normalised.",
            lambda x, attend, feed: layer_norm(_pre(x, attend, feed)),
        ),
        "feed_missing": Mistake(
            "The feed-forward network is missing.",
            lambda x, attend, feed: layer_norm(x + attend(x)),
        ),
        "swapped": Mistake(
            "The feed-forward network comes first. Attention does.",
            lambda x, attend, feed: _post()(x, feed, attend),
        ),
    },
)
