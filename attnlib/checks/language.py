"""Checks of chapter 6: targets, and what a head does and is worth."""

import numpy as np

from attnlib.checks.engine import Check, Mistake, numbers
from attnlib.ops import softmax

__all__ = [
    "check_induction_score",
    "check_keep_head",
    "check_shift_targets",
]


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
