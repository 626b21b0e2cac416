"""Checks of chapter 6: the block, the targets, and what a head is worth."""

import numpy as np

from attnlib.checks.engine import Check, Mistake, numbers
from attnlib.ops import gelu, layer_norm, softmax

__all__ = [
    "check_ablate_head",
    "check_induction_score",
    "check_norm_rows",
    "check_pre_norm_block",
    "check_shift_targets",
]

EPS = 1e-5


def _norm(
    axis=-1, centre=True, root=True, eps=EPS, ddof=0, gain=True, bias=True
):
    """Return a layer norm with one step replaced."""

    def function(x, g, b):
        middle = x.mean(axis=axis, keepdims=True)
        spread = x.var(axis=axis, keepdims=True, ddof=ddof) + eps
        y = (x - middle) if centre else x
        y = y / (np.sqrt(spread) if root else spread)
        return y * (g if gain else 1) + (b if bias else 0)

    return function


def _no_keepdims(x, g, b):
    spread = np.sqrt(x.var(axis=-1) + EPS)
    return (x - x.mean(axis=-1)) / spread * g + b


_ROW = np.array([[1.0, 2.0, 6.0]])
_FLAT = np.array([[1.0, 2.0, 6.0], [5.0, 5.0, 5.0], [-1.0, 0.0, 4.0]])

check_norm_rows = Check(
    "norm_rows(x, gain, bias)",
    task="give every row of `x` mean 0 and variance 1 (add 1e-5 to the "
    "variance), then multiply by `gain` and add `bias`.",
    verified="rows of 3 and of 5 numbers, a row of equal numbers, and a "
    "batch.",
    reference=layer_norm,
    parts="normalised",
    cases=[
        (_ROW, np.ones(3), np.zeros(3)),
        (_FLAT, np.array([1.0, 2.0, 0.5]), np.array([0.0, 1.0, -1.0])),
        (numbers(600, 2, 5, 5), numbers(601, 5), numbers(602, 5)),
    ],
    mistakes={
        "wrong_axis": Mistake(
            "Mean and variance are taken over the tokens, down each column. "
            "A layer norm looks at one row alone: `axis=-1`.",
            _norm(axis=-2),
            _norm(axis=0),
        ),
        "whole_array": Mistake(
            "One mean and one variance are taken of the whole array. Every "
            "row has its own: `axis=-1, keepdims=True`.",
            _norm(axis=None),
        ),
        "not_centred": Mistake(
            "The mean is not subtracted before the division.",
            _norm(centre=False),
        ),
        "no_root": Mistake(
            "The rows are divided by the variance. Divide by its square "
            "root, the standard deviation.",
            _norm(root=False),
        ),
        "not_divided": Mistake(
            "The rows are centred, but not divided by the standard deviation.",
            lambda x, g, b: (x - x.mean(axis=-1, keepdims=True)) * g + b,
        ),
        "eps_missing": Mistake(
            "The small number is missing: a row of equal numbers has variance "
            "0, and 0 / 0 is NaN. Add 1e-5 to the variance.",
            _norm(eps=0.0),
        ),
        "ddof": Mistake(
            "The variance is divided by one less than the number of entries "
            "(`ddof=1`). A layer norm divides by their number.",
            _norm(ddof=1),
        ),
        "keepdims": Mistake(
            "The means have lost their axis: `keepdims=True` is missing. "
            "Without it the shapes do not fit, or each *column* gets the mean "
            "of a row.",
            _no_keepdims,
        ),
        "gain_missing": Mistake(
            "`gain` is not used: multiply the normalised rows by it.",
            _norm(gain=False),
        ),
        "bias_missing": Mistake(
            "`bias` is not used: add it at the end.", _norm(bias=False)
        ),
        "bias_first": Mistake(
            "`bias` is added before the multiplication by `gain`. Multiply "
            "first, then add.",
            lambda x, g, b: (_norm()(x, 1.0, 0.0) + b) * g,
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


def _post(x, attend, feed):
    x = layer_norm(x + attend(x))
    return layer_norm(x + feed(x))


def _pre(first=layer_norm, second=layer_norm, keep=1, keep_feed=1):
    """Return a pre-norm block with one part replaced."""

    def function(x, attend, feed):
        x = keep * x + attend(first(x))
        return keep_feed * x + feed(second(x))

    return function


def _from_the_norm(x, attend, feed):
    h = layer_norm(x)
    h = h + attend(h)
    g = layer_norm(h)
    return g + feed(g)


def _plain(x):
    return x


_PARTS = (
    Sublayer("causal self-attention", _attend),
    Sublayer("a feed-forward network", lambda x: gelu(2 * x + 0.5)[:, ::-1]),
)

check_pre_norm_block = Check(
    "pre_norm_block(x, attend, feed)",
    task="return the output of a block with the norm before each sublayer. "
    "`attend` and `feed` are functions; `al.layer_norm(x)` is the norm.",
    verified="the residual stream is kept, both sublayers read it "
    "normalised, and the feed-forward network reads what attention added.",
    reference=_pre(),
    parts="output",
    cases=[
        (numbers(610, 2, 3), *_PARTS),
        (3 * numbers(611, 3, 5), *_PARTS),
        (numbers(612, 5, 2) + 1, *_PARTS),
    ],
    mistakes={
        "post_norm": Mistake(
            "This is the post-norm block of the first transformer: the norm "
            "stands after the addition. Put it inside: "
            "`x + attend(norm(x))`.",
            _post,
        ),
        "no_residual": Mistake(
            "The residual stream is lost: add each sublayer's result to `x`.",
            _pre(keep=0, keep_feed=0),
        ),
        "no_residual_attend": Mistake(
            "What attention returns takes the place of `x`. Add it to `x`.",
            _pre(keep=0),
        ),
        "no_residual_feed": Mistake(
            "What the feed-forward network returns takes the place of `x`. "
            "Add it to `x`.",
            _pre(keep_feed=0),
        ),
        "added_to_norm": Mistake(
            "The results are added to the *normalised* rows. The stream "
            "itself is never normalised: only the sublayers read it that way.",
            _from_the_norm,
        ),
        "no_norm": Mistake(
            "There is no norm: let both sublayers read `al.layer_norm(x)`.",
            _pre(_plain, _plain),
        ),
        "first_norm_missing": Mistake(
            "Attention reads the stream as it is. Let it read "
            "`al.layer_norm(x)`.",
            _pre(first=_plain),
        ),
        "second_norm_missing": Mistake(
            "The feed-forward network reads the stream as it is. Let it read "
            "`al.layer_norm(x)`, too.",
            _pre(second=_plain),
        ),
        "parallel": Mistake(
            "Both sublayers read the same rows. The feed-forward network "
            "comes second and must read what attention has added.",
            lambda x, attend, feed: (
                x + attend(layer_norm(x)) + feed(layer_norm(x))
            ),
        ),
        "feed_missing": Mistake(
            "The feed-forward network is missing.",
            lambda x, attend, feed: x + attend(layer_norm(x)),
        ),
        "swapped": Mistake(
            "The feed-forward network comes first. Attention does.",
            lambda x, attend, feed: _pre()(x, feed, attend),
        ),
    },
)


def _targets(shift=1, hidden=-1, fill=-1):
    """Return wrong targets: another shift, another number that counts."""

    def function(ids, length):
        n = ids.shape[1]
        targets = np.roll(ids, -shift, axis=1)[:, : n - 1].copy()
        targets[:, : length + hidden] = fill
        return ids[:, :-1], targets

    return function


def _sequences(*halves):
    halves = np.array(halves)
    return np.concatenate([halves, halves], axis=1)


check_shift_targets = Check(
    "shift_targets(ids, length)",
    task="return what the model reads, and for each token the one to "
    "predict: the next. Where that lies in the first half, put -1.",
    verified="tokens and targets are one shorter than the sequence, and "
    "exactly the second half counts, for halves of 3, 5 and 2.",
    reference=_targets(),
    parts="inputs targets",
    cases=[
        (_sequences([4, 7, 5]), 3),
        (_sequences([3, 9, 6, 1, 8], [2, 4, 7, 9, 5]), 5),
        (_sequences([1, 5], [6, 2], [3, 7]), 2),
    ],
    mistakes={
        "not_shifted": Mistake(
            "Each token is its own target. The model would learn to repeat "
            "what it reads: the target is the *next* token.",
            _targets(shift=0),
            _targets(shift=0, hidden=0),
            lambda ids, length: (
                ids,
                np.where(np.arange(ids.shape[1]) < length, -1, ids),
            ),
        ),
        "shifted_back": Mistake(
            "The targets are shifted the wrong way: each is the token "
            "*before*. Predict the next one, `ids[:, 1:]`.",
            _targets(shift=-1),
            _targets(shift=-1, hidden=0),
        ),
        "all_count": Mistake(
            "All targets count. The first half is chance, and nobody can "
            "predict it: put -1 there.",
            lambda ids, length: (ids[:, :-1], ids[:, 1:]),
        ),
        "one_too_many_hidden": Mistake(
            "One target too many is hidden: the last token of the first half "
            "is followed by the first of the second, and that can be "
            "predicted. Hide `length - 1` targets.",
            _targets(hidden=0),
        ),
        "one_too_few_hidden": Mistake(
            "One target too few is hidden: the last -1 belongs where the "
            "last token of the first half is to be predicted.",
            _targets(hidden=-2),
        ),
        "wrong_half": Mistake(
            "The second half is hidden. It is the one that can be predicted: "
            "hide the first.",
            lambda ids, length: (
                ids[:, :-1],
                np.where(np.arange(1, ids.shape[1]) < length, ids[:, 1:], -1),
            ),
        ),
        "zeros": Mistake(
            "Hidden targets are 0, but 0 is a token like any other. The "
            "loss leaves out -1.",
            _targets(fill=0),
        ),
        "inputs_too_long": Mistake(
            "The model reads the last token too, and for it there is no "
            "target: read `ids[:, :-1]`.",
            lambda ids, length: (ids, _targets()(ids, length)[1]),
        ),
        "swapped": Mistake(
            "Inputs and targets are swapped: the targets are the later ones.",
            lambda ids, length: (
                ids[:, 1:],
                np.where(
                    np.arange(ids.shape[1] - 1) < length - 1, -1, ids[:, :-1]
                ),
            ),
        ),
    },
)


def _score(back, start=0, total=np.mean, swap=False):
    """Return the mean weight on the key `back(length)` before the query."""

    def function(weights, length):
        queries = np.arange(length + start, len(weights))
        keys = queries - back(length)
        pairs = (keys, queries) if swap else (queries, keys)
        return total(weights[pairs])

    return function


def _map(seed, n):
    hidden = np.triu(np.full((n, n), -np.inf), k=1)
    return softmax(2 * numbers(seed, n, n) + hidden).round(2)


check_induction_score = Check(
    "induction_score(weights, length)",
    task="return the mean weight from each token of the second half to the "
    "token *after* its first copy. `weights` is (n, n), `length` that of a "
    "half.",
    verified="the score of three maps, with halves of 3, 5 and 4.",
    reference=_score(lambda length: length - 1),
    parts="score",
    cases=[(_map(620, 5), 3), (_map(621, 9), 5), (_map(622, 8), 4)],
    mistakes={
        "same_token": Mistake(
            "This is the weight on the first copy itself, `length` places "
            "back. What is to be copied stands one place after it.",
            _score(lambda length: length),
        ),
        "too_far": Mistake(
            "This is the weight on the token *before* the first copy. Take "
            "the one after it: `length - 1` places back.",
            _score(lambda length: length + 1, start=1),
            lambda w, length: np.mean(
                [w[q, q - length - 1] for q in range(length, len(w))]
            ),
        ),
        "previous_token": Mistake(
            "This is the previous-token score: the weight one place back.",
            _score(lambda length: 1),
            lambda w, length: np.mean(np.diagonal(w, -1)),
        ),
        "transposed": Mistake(
            "Rows and columns are swapped: rows are queries, so the index is "
            "`weights[query, key]`.",
            _score(lambda length: length - 1, swap=True),
        ),
        "summed": Mistake(
            "The weights are added up. Take their mean, so that the score "
            "does not grow with the length.",
            _score(lambda length: length - 1, total=np.sum),
        ),
        "first_half_too": Mistake(
            "The last token of the first half is counted as a query too. Its "
            "first copy is itself: begin with query `length`.",
            _score(lambda length: length - 1, start=-1),
            lambda w, length: np.mean(np.diagonal(w, 1 - length)),
        ),
        "first_query_missing": Mistake(
            "The first token of the second half is left out: begin with "
            "query `length`.",
            _score(lambda length: length - 1, start=1),
        ),
        "largest": Mistake(
            "This is the mean of each row's *largest* weight, wherever it "
            "lies. Look at one key for each query.",
            lambda w, length: w[length:].max(axis=1).mean(),
        ),
    },
)


def _ablated(rows):
    """Return a function that sets some rows of a copy to 0."""

    def function(w_out, head, num_heads):
        changed = w_out.copy()
        changed[rows(len(w_out), head, num_heads)] = 0
        return changed

    return function


def _own(d, head, num_heads):
    width = d // num_heads
    return slice(head * width, (head + 1) * width)


def _others(d, head, num_heads):
    keep = np.zeros(d, bool)
    keep[_own(d, head, num_heads)] = True
    return ~keep


check_ablate_head = Check(
    "ablate_head(w_out, head, num_heads)",
    task="return a copy of the output projection in which head number "
    "`head` (from 0) has no effect.",
    verified="the rows of one head are 0, all others are as before, and the "
    "argument is unchanged, with 2, 3 and 5 heads.",
    reference=_ablated(_own),
    parts="ablated",
    cases=[
        (numbers(630, 4, 4), 1, 2),
        (numbers(631, 6, 6), 0, 3),
        (numbers(632, 10, 10), 3, 5),
    ],
    mistakes={
        "columns": Mistake(
            "The *columns* of a head's width are 0. The merged heads meet "
            "the rows of w_out in the product: set rows to 0.",
            lambda w, *a: _ablated(_own)(w.T, *a).T,
        ),
        "one_row": Mistake(
            "One row is 0. A head is d_model / num_heads rows wide.",
            _ablated(lambda d, head, num_heads: head),
        ),
        "strided": Mistake(
            "Every num_heads-th row is 0. A head is a block of rows next to "
            "each other.",
            _ablated(lambda d, head, num_heads: slice(head, None, num_heads)),
        ),
        "others": Mistake(
            "All heads are gone but this one. Take away this one only.",
            _ablated(_others),
        ),
        "counted_from_one": Mistake(
            "The head before is gone. Heads are counted from 0: the rows "
            "begin at `head * d_head`.",
            _ablated(lambda d, head, h: _own(d, (head - 1) % h, h)),
            _ablated(lambda d, head, h: _own(d, head - 1, h)),
        ),
        "too_many": Mistake(
            "All heads from this one on are gone: the slice has no end.",
            _ablated(
                lambda d, head, num_heads: slice(head * (d // num_heads), d)
            ),
        ),
        "removed": Mistake(
            "The rows are cut out, so that the shape has changed. Set them "
            "to 0.",
            lambda w, *a: np.delete(w, _own(len(w), *a), axis=0),
        ),
        "nothing": Mistake(
            "Nothing has changed.", lambda w, head, num_heads: w.copy()
        ),
    },
)
