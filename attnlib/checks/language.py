"""Checks of chapter 6: norms, blocks, targets, and what a head is worth."""

import numpy as np

from attnlib.checks.engine import Check, Mistake, numbers
from attnlib.ops import gelu, layer_norm, softmax

__all__ = [
    "check_induction_score",
    "check_keep_head",
    "check_post_norm_block",
    "check_rms_norm",
    "check_shift_targets",
]

EPS = 1e-5


def _rms(axis=-1, total=np.mean, power=2, root=True, eps=EPS, gain=True):
    """Return a root-mean-square norm with one step replaced."""

    def function(x, g):
        size = total(abs(x) ** power, axis=axis, keepdims=True) + eps
        y = x / (np.sqrt(size) if root else size)
        return y * g if gain else y

    return function


check_rms_norm = Check(
    "rms_norm(x, gain)",
    task="divide every row of `x` by the square root of the mean of its "
    "squares (add 1e-5 to the mean first), then multiply by `gain`.",
    verified="rows of 2 and of 5 numbers, a row of zeros, and a batch.",
    reference=_rms(),
    parts="normalised",
    cases=[
        (np.array([[1.0, 7.0]]), np.ones(2)),
        (
            np.array([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 4.0]]),
            np.array([1.0, 2.0, 0.5]),
        ),
        (numbers(600, 2, 5, 5), numbers(601, 5)),
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
    return softmax(x @ x.T + hidden) @ x[:, ::-1]


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


def _targets(
    shift=1, hide=lambda inputs, targets, pad: targets == pad, fill=-1
):
    """Return wrong targets: another shift, others that count."""

    def function(ids, pad):
        inputs = ids[:, :-1]
        targets = np.roll(ids, -shift, axis=1)[:, :-1]
        return inputs, np.where(hide(inputs, targets, pad), fill, targets)

    return function


check_shift_targets = Check(
    "shift_targets(ids, pad)",
    task="return what the model reads, and for each token the one to "
    "predict: the next. Where that is padding, put -1.",
    verified="inputs and targets are one shorter than the sequences, and "
    "padding is never to be predicted, whatever its number is.",
    reference=_targets(),
    parts="inputs targets",
    cases=[
        (np.array([[4, 7, 5, 0, 0]]), 0),
        (np.array([[3, 9, 6, 1, 8, 2], [2, 4, 7, 0, 0, 0]]), 0),
        (np.array([[1, 0, 9, 9], [6, 2, 5, 9], [3, 7, 0, 5]]), 9),
    ],
    mistakes={
        "not_shifted": Mistake(
            "Each token is its own target. The model would learn to repeat "
            "what it reads: the target is the *next* token.",
            _targets(shift=0),
            lambda ids, pad: (ids, np.where(ids == pad, -1, ids)),
        ),
        "shifted_back": Mistake(
            "The targets are shifted the wrong way: each is the token "
            "*before*. Predict the next one, `ids[:, 1:]`.",
            _targets(shift=-1),
        ),
        "padding_counts": Mistake(
            "Padding is to be predicted, too. Put -1 where the target is "
            "`pad`.",
            _targets(hide=lambda inputs, targets, pad: False),
        ),
        "hidden_by_input": Mistake(
            "A target is hidden where the *input* is padding. Look at the "
            "target: the last real token must not predict padding.",
            _targets(hide=lambda inputs, targets, pad: inputs == pad),
        ),
        "zero_hard_coded": Mistake(
            "The number 0 is hidden, whatever `pad` is.",
            _targets(hide=lambda inputs, targets, pad: targets == 0),
        ),
        "filled_with_pad": Mistake(
            "What does not count is left as `pad`, or set to 0. The loss "
            "leaves out -1.",
            _targets(fill=0),
        ),
        "inputs_too_long": Mistake(
            "The model reads the last token too, and for it there is no "
            "target: read `ids[:, :-1]`.",
            lambda ids, pad: (ids, _targets()(ids, pad)[1]),
        ),
        "swapped": Mistake(
            "Inputs and targets are swapped: the targets are the later ones.",
            lambda ids, pad: (
                ids[:, 1:],
                np.where(ids[:, :-1] == pad, -1, ids[:, :-1]),
            ),
            lambda ids, pad: _targets()(ids, pad)[::-1],
        ),
    },
)


def _latest(ids, i):
    return max(j for j in range(i) if ids[j] == ids[i])


def _first(ids, i):
    return int(np.flatnonzero(ids == ids[i])[0])


def _score(after=1, copy=_latest, total=np.mean, swap=False):
    """Return a mean weight, with another key or another mean."""

    def function(weights, ids):
        found = []
        for i in range(len(ids)):
            if ids[i] in ids[:i]:
                j = copy(ids, i) + after
                found.append(weights[j, i] if swap else weights[i, j])
        return total(found)

    return function


def _map(seed, n):
    hidden = np.triu(np.full((n, n), -np.inf), k=1)
    return softmax(2 * numbers(seed, n, n) + hidden).round(2)


check_induction_score = Check(
    "induction_score(weights, ids)",
    task="return the mean weight from each token that has come before to "
    "the token *after* its latest earlier copy. `weights` is (n, n), `ids` "
    "(n,).",
    verified="three sequences with repeated tokens, one of them with three "
    "copies.",
    reference=_score(),
    parts="score",
    cases=[
        (_map(620, 5), np.array([4, 7, 5, 4, 7])),
        (_map(621, 8), np.array([2, 6, 3, 2, 9, 6, 2, 3])),
        (_map(622, 7), np.array([1, 5, 5, 8, 1, 8, 3])),
    ],
    mistakes={
        "same_token": Mistake(
            "This is the weight on the earlier copy itself. What is to be "
            "copied stands one place after it.",
            _score(after=0),
        ),
        "too_far": Mistake(
            "This is the weight on the token *before* the earlier copy. Take "
            "the one after it.",
            _score(after=-1),
        ),
        "first_copy": Mistake(
            "The *first* copy is taken. If a token has come more than once, "
            "take the latest before this one.",
            _score(copy=_first),
        ),
        "previous_token": Mistake(
            "This is the weight on the previous token, wherever the copy is.",
            _score(copy=lambda ids, i: i - 2),
        ),
        "transposed": Mistake(
            "Rows and columns are swapped: rows are queries, so the index is "
            "`weights[query, key]`.",
            _score(swap=True),
        ),
        "summed": Mistake(
            "The weights are added up. Take their mean, so that the score "
            "does not grow with the length.",
            _score(total=np.sum),
        ),
        "new_tokens_counted": Mistake(
            "The sum is divided by the number of all tokens. A token that "
            "is new has no copy and must not count.",
            lambda w, ids: _score(total=np.sum)(w, ids) / len(ids),
        ),
        "largest": Mistake(
            "This is the mean of each row's *largest* weight, wherever it "
            "lies. Look at one key for each query.",
            lambda w, ids: np.mean(
                [w[i].max() for i in range(len(ids)) if ids[i] in ids[:i]]
            ),
        ),
    },
)


def _own(d, head, num_heads):
    """Return which rows belong to a head."""
    width = d // num_heads
    return np.arange(d) // width == head


def _kept(rows):
    """Return a function that sets all but some rows of a copy to 0."""

    def function(w_out, head, num_heads):
        keep = np.zeros(len(w_out), bool)
        keep[rows(len(w_out), head, num_heads)] = True
        return w_out * keep[:, None]

    return function


check_keep_head = Check(
    "keep_head(w_out, head, num_heads)",
    task="return a copy of the output projection in which only head number "
    "`head` (from 0) still has an effect.",
    verified="the rows of one head are as before, all others are 0, and the "
    "argument is unchanged, with 2, 3 and 5 heads.",
    reference=_kept(_own),
    parts="changed",
    cases=[
        (numbers(630, 4, 4), 1, 2),
        (numbers(631, 6, 6), 0, 3),
        (numbers(632, 10, 10), 3, 5),
    ],
    mistakes={
        "this_one_gone": Mistake(
            "This head is gone and all others are kept. Keep this one only.",
            _kept(lambda *a: ~_own(*a)),
        ),
        "columns": Mistake(
            "Columns are kept. The merged heads meet the rows of w_out in "
            "the product: a head is a block of rows.",
            lambda w, *a: _kept(_own)(w.T, *a).T,
        ),
        "one_row": Mistake(
            "One row is kept. A head is d_model / num_heads rows wide.",
            _kept(lambda d, head, num_heads: head),
        ),
        "strided": Mistake(
            "Every num_heads-th row is kept. A head is a block of rows next "
            "to each other.",
            _kept(lambda d, head, num_heads: slice(head, None, num_heads)),
        ),
        "counted_from_one": Mistake(
            "The head before is kept. Heads are counted from 0: the rows "
            "begin at `head * d_head`.",
            _kept(lambda d, head, h: _own(d, (head - 1) % h, h)),
            _kept(lambda d, head, h: _own(d, head - 1, h)),
        ),
        "too_many": Mistake(
            "All heads from this one on are kept: the slice has no end.",
            _kept(lambda d, head, h: slice(head * (d // h), None)),
        ),
        "cut_out": Mistake(
            "Only the rows of the head are returned, so that the shape has "
            "changed. Keep the others, as zeros.",
            lambda w, *a: w[_own(len(w), *a)],
        ),
        "nothing": Mistake(
            "Nothing has changed.", lambda w, head, num_heads: w.copy()
        ),
    },
)
