"""Checks of chapter 5: cross-attention, training and alignment."""

from functools import partial

import numpy as np

from attnlib.checks.engine import Check, Mistake, numbers
from attnlib.checks.variants import attend, variants
from attnlib.ops import softmax

__all__ = [
    "check_alignment_share",
    "check_attention_gradient",
    "check_cross_attention",
    "check_mean_loss",
    "check_teacher_forcing",
]

_IDS = np.array([[1, 5, 7, 2], [1, 6, 2, 0], [1, 3, 2, 0]])

check_teacher_forcing = Check(
    "teacher_forcing(target)",
    task="return what the decoder sees, and what it must say next.",
    verified="inputs and targets of one, two and three sentences.",
    reference=lambda target: (target[:, :-1], target[:, 1:]),
    parts="inputs targets",
    cases=[
        (np.array([[1, 4, 2]]),),
        (_IDS,),
        (np.array([[1, 8, 9, 3, 2], [1, 9, 3, 2, 0]]),),
    ],
    mistakes={
        "not_shifted": Mistake(
            "Both are the whole sentence, so the model is asked to repeat "
            "the word it has just been given. Cut one word from each: the "
            "last of the inputs, the first of the targets.",
            lambda t: (t, t),
        ),
        "copy": Mistake(
            "Inputs and targets are the same words: the model is asked to "
            "repeat its input. The targets are one word *later*, "
            "`target[:, 1:]`.",
            lambda t: (t[:, :-1], t[:, :-1]),
            lambda t: (t[:, 1:], t[:, 1:]),
        ),
        "wrong_way": Mistake(
            "The wrong way round: from each word the model is to say the one "
            "*before* it. Inputs lose their last word, targets their first.",
            lambda t: (t[:, 1:], t[:, :-1]),
        ),
        "rows_cut": Mistake(
            "The batch is cut, not the words: `target[:-1]` drops a "
            "sentence. The words are the second axis: `target[:, :-1]`.",
            lambda t: (t[:-1], t[1:]),
        ),
        "inputs_whole": Mistake(
            "The inputs still have the last word, after which there is "
            "nothing to say. There must be one input for each target.",
            lambda t: (t, t[:, 1:]),
        ),
        "two_apart": Mistake(
            "The targets are two words later. Each word is to be followed "
            "by the *next* one.",
            lambda t: (t[:, :-2], t[:, 2:]),
        ),
        "start_lost": Mistake(
            "The start mark is cut from the inputs as well. Without it "
            "nothing asks for the first word.",
            lambda t: (t[:, 1:-1], t[:, 2:]),
        ),
    },
)


def _mean_of_rows(losses, targets, pad):
    real = targets != pad
    return ((losses * real).sum(axis=1) / real.sum(axis=1)).mean()


check_mean_loss = Check(
    "mean_loss(losses, targets, pad)",
    task="return the mean of `losses` over the targets that are not `pad`.",
    verified="the mean over real words only, with 0 and with 9 as padding.",
    reference=lambda losses, targets, pad: losses[targets != pad].mean(),
    parts="loss",
    cases=[
        (np.array([[1.0, 3.0], [5.0, 9.0]]), np.array([[4, 5], [6, 0]]), 0),
        (numbers(170, 3, 4) ** 2, np.roll(_IDS, -1, axis=1) * _IDS, 0),
        (numbers(171, 2, 3) ** 2, np.array([[0, 2, 9], [3, 9, 9]]), 9),
    ],
    mistakes={
        "padding_counted": Mistake(
            "Padding counts like any word. The model would then be paid for "
            "predicting padding: leave these places out.",
            lambda losses, targets, pad: losses.mean(),
        ),
        "divided_by_all": Mistake(
            "The losses of padding are left out of the sum, but its places "
            "still count in the division. Divide by the number of real "
            "words.",
            lambda losses, targets, pad: (losses * (targets != pad)).mean(),
        ),
        "mean_of_sentences": Mistake(
            "This is the mean of the sentences' means: a word of a short "
            "sentence counts more. Every word counts the same: divide once, "
            "by the number of real words.",
            _mean_of_rows,
        ),
        "summed": Mistake(
            "This is the sum. Divide by the number of real words, or longer "
            "batches make larger steps.",
            lambda losses, targets, pad: losses[targets != pad].sum(),
        ),
        "inverted": Mistake(
            "This is the mean over the *padding*: the comparison is the "
            "wrong way round.",
            lambda losses, targets, pad: losses[targets == pad].mean(),
        ),
        "zero_for_pad": Mistake(
            "0 is taken for the padding, whatever `pad` is.",
            lambda losses, targets, pad: losses[targets != 0].mean(),
        ),
        "divided_by_sentences": Mistake(
            "The sum is divided by the number of sentences. Divide by the "
            "number of real words.",
            lambda losses, targets, pad: (
                losses[targets != pad].sum() / len(losses)
            ),
        ),
    },
)


def _cross(wrong, queries="x", keys="memory", values="memory"):
    """Let an attention take two sequences and three matrices."""

    def function(x, memory, w_q, w_k, w_v):
        of = {"x": x, "memory": memory}
        parts = of[queries] @ w_q, of[keys] @ w_k, of[values] @ w_v
        return wrong(*parts)

    return function


def _cross_case(seed, n_q, n_k, d, d_k, d_v):
    sizes = [(n_q, d), (n_k, d), (d, d_k), (d, d_k), (d, d_v)]
    return tuple(
        numbers(seed + i, *size) for i, size in enumerate(sizes, start=1)
    )


check_cross_attention = Check(
    "cross_attention(x, memory, w_q, w_k, w_v)",
    task="let the rows of `x` ask the rows of `memory`; return the output "
    "and the weights.",
    verified="output and weights for 2 queries of 3 keys, 5 of 3, and 3 of 3.",
    reference=_cross(attend),
    parts="output weights",
    cases=[
        _cross_case(180, 2, 3, 2, 3, 2),
        _cross_case(190, 5, 3, 7, 2, 5),
        _cross_case(200, 3, 3, 3, 3, 3),
    ],
    mistakes=variants(
        "scale_missing scale_length wrong_axis keys_for_values no_softmax "
        "not_transposed",
        _cross,
    )
    | {
        "roles_swapped": Mistake(
            "The wrong side asks: the queries are made from `memory`, the "
            "keys and values from `x`. The output has one row for each row "
            "of `x`, which asks.",
            _cross(attend, "memory", "x", "x"),
        ),
        "memory_ignored": Mistake(
            "This is self-attention: `memory` is never used. Keys and values "
            "are made from it.",
            _cross(attend, values="x", keys="x"),
        ),
        "only_memory": Mistake(
            "This is self-attention of `memory`: the queries must be made "
            "from `x`.",
            _cross(attend, queries="memory"),
        ),
        "keys_from_x": Mistake(
            "The keys are made from `x`, so the weights compare `x` with "
            "itself. Keys and values both belong to `memory`.",
            _cross(attend, keys="x"),
        ),
        "values_from_x": Mistake(
            "The values are made from `x`: the weights choose among the "
            "rows of `memory`, so these must be mixed.",
            _cross(attend, values="x"),
        ),
    },
)


_ROWS = np.array([[0.6, 0.3, 0.1], [0.2, 0.3, 0.5]])


def _share(weights, alignment, hit):
    hits = [
        hit(row, set(o)) for row, o in zip(weights, alignment, strict=True)
    ]
    return float(np.mean(hits))


def _largest(row, origin):
    return int(row.argmax()) in origin


def _columns(weights, alignment):
    best = weights.argmax(axis=0)
    return float(np.mean([best[i] in o for i, o in enumerate(alignment)]))


check_alignment_share = Check(
    "alignment_share(weights, alignment)",
    task="return the share of words whose largest weight is on a true "
    "source word.",
    verified="the share for 2, 4 and 5 words, with words that have two "
    "sources.",
    reference=partial(_share, hit=_largest),
    parts="share",
    cases=[
        (_ROWS, [{1}, {2}]),
        (
            softmax(4 * numbers(211, 4, 3)),
            [{0, 1}, {1, 2}, {0}, {1, 2}],
        ),
        (
            softmax(4 * numbers(212, 5, 5)),
            [{0, 3}, {1, 2}, {1}, {4}, {2, 4}],
        ),
    ],
    mistakes={
        "wrong_axis": Mistake(
            "The largest weight of each *column* is taken: that asks which "
            "English word looks most at a Korean one. Take it along each "
            "row, `axis=-1`.",
            _columns,
        ),
        "weight_on_true": Mistake(
            "This is the mean weight on the true words. The question is only "
            "whether the largest weight is there: yes or no for each word.",
            partial(_share, hit=lambda row, origin: row[sorted(origin)].sum()),
        ),
        "one_source_only": Mistake(
            "Only one source of each word is accepted. A word may come from "
            "two, and either of them is right: `in alignment[i]`.",
            partial(_share, hit=lambda row, o: row.argmax() == min(o)),
            partial(_share, hit=lambda row, o: row.argmax() == max(o)),
        ),
        "counted": Mistake(
            "This is a number of words. Divide by how many there are.",
            lambda weights, alignment: (
                _share(weights, alignment, _largest) * len(alignment)
            ),
        ),
        "smallest": Mistake(
            "The *smallest* weight is looked up. Use `argmax`.",
            partial(_share, hit=lambda row, o: int(row.argmin()) in o),
        ),
        "all_or_nothing": Mistake(
            "One word that looks elsewhere makes the whole sentence count as "
            "0. The share counts each word.",
            lambda weights, alignment: float(
                _share(weights, alignment, _largest) == 1
            ),
        ),
    },
)


def _gradient(
    q,
    k,
    v,
    g,
    *,
    back=lambda w, dw: w * (dw - (w * dw).sum(axis=-1, keepdims=True)),
    scale=lambda q: q.shape[-1] ** -0.5,
    values=lambda w, g: w.T @ g,
    order=lambda dq, dk, dv: (dq, dk, dv),
):
    """Return the gradients of attention; each step can be a wrong one."""
    weights = softmax(q @ k.T * q.shape[-1] ** -0.5)
    slope = back(weights, g @ v.T) * scale(q)
    return order(slope @ k, slope.T @ q, values(weights, g))


def _gradient_case(seed, n_q, n_k, d_k, d_v):
    sizes = [(n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v)]
    return tuple(numbers(seed + i, *size) for i, size in enumerate(sizes))


check_attention_gradient = Check(
    "attention_gradient(q, k, v, g)",
    task="return the gradients of q, k and v, given that of the output.",
    verified="the gradients of q, k and v for three sizes.",
    reference=_gradient,
    parts="dq dk dv",
    cases=[
        _gradient_case(220, 2, 3, 2, 1),
        _gradient_case(230, 3, 3, 3, 3),
        _gradient_case(240, 5, 2, 3, 7),
    ],
    mistakes={
        "no_mean": Mistake(
            "The row's mean is not subtracted. The weights of a row share "
            "1, so one can only grow at the cost of the others: "
            "W * (dW - r), where r is the sum of W * dW over the row.",
            partial(_gradient, back=lambda w, dw: w * dw),
        ),
        "plain_mean": Mistake(
            "The plain mean of the row is subtracted. r is the mean "
            "*weighted* by W: the sum of W * dW over the row.",
            partial(
                _gradient,
                back=lambda w, dw: w * (dw - dw.mean(-1, keepdims=True)),
            ),
        ),
        "mean_of_columns": Mistake(
            "The sum r runs over the queries. Each query has its own, the sum "
            "over its *keys*: `sum(axis=-1, keepdims=True)`.",
            partial(
                _gradient,
                back=lambda w, dw: w * (dw - (w * dw).sum(0, keepdims=True)),
            ),
        ),
        "no_weights": Mistake(
            "The factor W is missing: a key with weight 0 would still pull. "
            "The gradient of the scores is W * (dW - r).",
            partial(
                _gradient,
                back=lambda w, dw: dw - (w * dw).sum(-1, keepdims=True),
            ),
        ),
        "softmax_forgotten": Mistake(
            "The gradient of the weights is used for the scores. Between "
            "them lies the softmax: W * (dW - r).",
            partial(_gradient, back=lambda w, dw: dw),
        ),
        "scale_missing": Mistake(
            "The scale is missing on the way back. What divided the scores "
            "also divides the gradients of q and k.",
            partial(_gradient, scale=lambda q: 1.0),
        ),
        "values_not_transposed": Mistake(
            "The gradient of the values needs the weights transposed: value "
            "j collects from all queries that looked at it, `weights.T @ g`.",
            partial(_gradient, values=lambda w, g: w @ g),
        ),
        "swapped": Mistake(
            "The gradients of q and k are swapped. A gradient has the shape "
            "of what it belongs to.",
            partial(_gradient, order=lambda dq, dk, dv: (dk, dq, dv)),
        ),
    },
)
