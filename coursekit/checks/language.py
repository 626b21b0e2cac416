"""Checks of chapter 6: targets, and what a head does and is worth."""

import numpy as np

from attnlib.ops import softmax
from coursekit.checks.engine import Check, Mistake, numbers

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


def _marked(ids, pad):
    ids = np.where(ids == pad, -1, ids)
    return ids[:, :-1], ids[:, 1:]


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
        "filled_with_zero": Mistake(
            "Where the target does not count stands 0, which is a token. Put "
            "-1: that is what the loss leaves out.",
            _targets(fill=0),
        ),
        "inputs_marked": Mistake(
            "The *inputs* hold -1 as well, and the model cannot read that. "
            "Cut first, then put -1 into the targets alone: with "
            "`np.where`, or into a copy. A slice is a view: to write into it "
            "is to write into `ids`.",
            _marked,
        ),
        "inverted": Mistake(
            "It is the wrong way round: the real targets become -1, and the "
            "padding stays.",
            _targets(hide=lambda inputs, targets, pad: targets != pad),
        ),
        "rows_cut": Mistake(
            "The batch is cut, not the tokens: `ids[:-1]` drops a sentence. "
            "The tokens are the second axis: `ids[:, :-1]`.",
            lambda ids, pad: (ids[:-1], np.where(ids == pad, -1, ids)[1:]),
        ),
        "targets_too_long": Mistake(
            "The targets still have the first token, which nobody has to "
            "predict: cut it, `ids[:, 1:]`.",
            lambda ids, pad: (ids[:, :-1], np.where(ids == pad, -1, ids)),
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


def _copies(ids, i):
    return np.flatnonzero(ids[:i] == ids[i])


def _score(
    after=1,
    copies=_copies,
    repeated=lambda ids, i: ids[i] in ids[:i],
    pick=lambda copies: copies[-1],
    each=lambda found: found,
    total=np.mean,
    swap=False,
):
    """Return a mean weight, with another key or another mean."""

    def function(weights, ids):
        found = []
        for i in range(len(ids)):
            if repeated(ids, i):
                j = pick(copies(ids, i)) + after
                found.append(each(weights[j, i] if swap else weights[i, j]))
        return total(found)

    return function


def _all(found):
    return found


def _up_to_itself(ids, i):
    return np.flatnonzero(ids[: i + 1] == ids[i])


def _anywhere(ids, i):
    return np.flatnonzero(ids == ids[i])


def _every(ids, i):
    return True


def _map(seed, n):
    hidden = np.triu(np.full((n, n), -np.inf), k=1)
    return softmax(numbers(seed, n, n) + hidden).round(2)


check_induction_score = Check(
    "induction_score(weights, ids)",
    task="return the mean weight from each token that has come before to "
    "the token *after* its latest earlier copy. `weights` is (n, n), `ids` "
    "(n,).",
    verified="four sequences with repeated tokens, some with three copies.",
    reference=_score(),
    parts="score",
    cases=[
        (_map(625, 5), np.array([4, 7, 5, 4, 7])),
        (_map(678, 5), np.array([7, 4, 5, 7, 7])),
        (_map(621, 5), np.array([4, 4, 7, 4, 5])),
        (_map(664, 7), np.array([1, 5, 5, 8, 1, 8, 1])),
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
            _score(pick=lambda copies: copies[0]),
        ),
        "all_copies": Mistake(
            "All earlier copies count. If a token has come more than once, "
            "look only at the latest before this one.",
            _score(pick=_all, each=np.mean),
            _score(pick=_all, each=np.sum),
            _score(pick=_all, total=lambda found: np.hstack(found).mean()),
        ),
        "not_earlier": Mistake(
            "The token itself, or a later one, is taken for its earlier "
            "copy. Look for copies *before* token `i` only: in `ids[:i]`.",
            _score(copies=_up_to_itself),
            _score(copies=_up_to_itself, repeated=_every),
            _score(copies=_anywhere),
            _score(copies=_anywhere, repeated=_every),
            _score(
                copies=_anywhere,
                repeated=lambda ids, i: len(_anywhere(ids, i)) > 1,
            ),
        ),
        "previous_token": Mistake(
            "This is the weight on the previous token, wherever the copy is.",
            _score(copies=lambda ids, i: [i - 2]),
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


def _rows(d, head, num_heads):
    """Return which rows belong to a head."""
    width = d // num_heads
    return slice(head * width, (head + 1) * width)


def _kept(rows=_rows):
    """Return a function that sets all but some rows of a copy to 0."""

    def function(w_out, head, num_heads):
        some = rows(len(w_out), head, num_heads)
        kept = np.zeros_like(w_out)
        kept[some] = w_out[some]
        return kept

    return function


def _span(first, last):
    """Keep the rows first to last, made from head, width and num_heads."""
    return _kept(
        lambda d, head, num_heads: slice(
            first(head, d // num_heads, num_heads),
            last(head, d // num_heads, num_heads),
        )
    )


def _square(w_out, head, num_heads):
    some = _rows(len(w_out), head, num_heads)
    kept = np.zeros_like(w_out)
    kept[some, some] = w_out[some, some]
    return kept


check_keep_head = Check(
    "keep_head(w_out, head, num_heads)",
    task="return a copy of the output projection in which only head number "
    "`head` (from 0) still has an effect.",
    verified="the rows of one head are as before, all others are 0, and the "
    "argument is unchanged, with 2, 3 and 5 heads.",
    reference=_kept(),
    parts="changed",
    cases=[
        (numbers(630, 3, 3), 1, 3),
        (numbers(631, 4, 4), 1, 2),
        (numbers(632, 5, 5), 2, 5),
        (numbers(633, 6, 6), 0, 3),
    ],
    mistakes={
        "this_one_gone": Mistake(
            "This head is gone and all others are kept. Keep this one only.",
            lambda w, *a: w - _kept()(w, *a),
        ),
        "columns": Mistake(
            "Columns are kept. The merged heads meet the rows of w_out in "
            "the product: a head is a block of rows.",
            lambda w, *a: _kept()(w.T, *a).T,
        ),
        "square_block": Mistake(
            "Only a square of the head's rows and columns is kept. Its rows "
            "belong to it in their full width.",
            _square,
        ),
        "one_row": Mistake(
            "One row is kept. A head is d_model / num_heads rows wide.",
            _kept(lambda d, head, num_heads: head),
        ),
        "start_is_head": Mistake(
            "The rows begin at number `head`. The heads before it have "
            "d_head rows each: begin at `head * d_head`.",
            _span(lambda i, d, h: i, lambda i, d, h: i + d),
        ),
        "width_is_heads": Mistake(
            "The number of heads is taken for the width of a head, which is "
            "d_model / num_heads.",
            _span(lambda i, d, h: i * h, lambda i, d, h: (i + 1) * h),
        ),
        "strided": Mistake(
            "Every num_heads-th row is kept. A head is a block of rows next "
            "to each other.",
            _kept(lambda d, head, num_heads: slice(head, None, num_heads)),
        ),
        "first_head": Mistake(
            "Head 0 is kept, whatever `head` is.",
            _span(lambda i, d, h: 0, lambda i, d, h: d),
        ),
        "counted_from_one": Mistake(
            "The head before is kept. Heads are counted from 0: the rows "
            "begin at `head * d_head`.",
            _span(lambda i, d, h: (i - 1) * d, lambda i, d, h: i * d),
            lambda w, head, h: _kept()(w, (head - 1) % h, h),
        ),
        "one_row_more": Mistake(
            "One row too many is kept: the end of a slice does not belong to "
            "it. The rows end before `(head + 1) * d_head`.",
            _span(lambda i, d, h: i * d, lambda i, d, h: (i + 1) * d + 1),
        ),
        "no_end": Mistake(
            "All heads from this one on are kept: the slice has no end.",
            _span(lambda i, d, h: i * d, lambda i, d, h: None),
        ),
        "no_start": Mistake(
            "All heads up to this one are kept: the slice has no start.",
            _span(lambda i, d, h: 0, lambda i, d, h: (i + 1) * d),
        ),
        "cut_out": Mistake(
            "Only the rows of the head are returned, so that the shape has "
            "changed. Keep the others, as zeros.",
            lambda w, *a: w[_rows(len(w), *a)],
        ),
        "nothing": Mistake(
            "Nothing has changed.", lambda w, head, num_heads: w.copy()
        ),
    },
)
