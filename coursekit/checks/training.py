"""Checks of chapter 5: targets, the loss, and the gradient of attention."""

from functools import partial

import numpy as np

from attnlib.ops import softmax
from coursekit.checks.engine import Check, Mistake, numbers

__all__ = [
    "check_attention_gradient",
    "check_mean_loss",
    "check_teacher_forcing",
]

check_teacher_forcing = Check(
    "teacher_forcing(target)",
    task="return what the decoder sees, and what it must say next.",
    verified="inputs and targets of one, two and three sentences.",
    reference=lambda target: (target[:, :-1], target[:, 1:]),
    parts="inputs targets",
    cases=[
        (np.array([[1, 4, 2]]),),
        (np.array([[1, 5, 7, 2], [1, 6, 2, 0], [1, 3, 2, 0]]),),
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
            "The targets are the inputs once more: the model is asked to "
            "repeat the word it has just been given. The targets are one "
            "word *later*, `target[:, 1:]`.",
            lambda t: (t[:, :-1], t[:, :-1]),
        ),
        "answers_given": Mistake(
            "The inputs are the targets: the model is given the very word "
            "that it must say. The inputs are one word *earlier*, "
            "`target[:, :-1]`.",
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
        "targets_whole": Mistake(
            "The targets still have the first word, the start mark, which "
            "nobody has to say. Cut it: `target[:, 1:]`.",
            lambda t: (t[:, :-1], t),
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


def _loss(divide, keep=lambda losses, targets, pad: targets != pad):
    """Return the kept losses' sum, divided by something."""

    def function(losses, targets, pad):
        kept = losses[keep(losses, targets, pad)]
        return kept.sum() / divide(kept, losses)

    return function


def _count(kept, losses):
    return kept.size


def _mean_of_rows(losses, targets, pad):
    real = targets != pad
    return ((losses * real).sum(axis=1) / real.sum(axis=1)).mean()


check_mean_loss = Check(
    "mean_loss(losses, targets, pad)",
    task="return the mean of `losses` over the targets that are not `pad`.",
    verified="the mean over real words only, with 0 and with 9 as padding, "
    "and with a word that was no surprise.",
    reference=_loss(_count),
    parts="loss",
    cases=[
        (
            np.array([[1.0, 3.0, 8.0], [0.0, 6.0, 5.0]]),
            np.array([[4, 5, 0], [6, 7, 8]]),
            0,
        ),
        (
            np.array([[1.0, 2.0, 4.0], [3.0, 6.0, 7.0]]),
            np.array([[0, 2, 9], [3, 5, 9]]),
            9,
        ),
        (
            np.array([[2.0, 1.0, 0.5], [4.0, 0.0, 7.0], [2.0, 9.0, 3.0]]),
            np.array([[5, 7, 2], [6, 2, 0], [2, 0, 0]]),
            0,
        ),
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
            _loss(lambda kept, losses: losses.size),
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
            _loss(lambda kept, losses: 1),
        ),
        "inverted": Mistake(
            "This is the mean over the *padding*: the comparison is the "
            "wrong way round.",
            _loss(_count, lambda losses, targets, pad: targets == pad),
        ),
        "zero_for_pad": Mistake(
            "0 is taken for the padding, whatever `pad` is.",
            _loss(_count, lambda losses, targets, pad: targets != 0),
        ),
        "losses_compared": Mistake(
            "What counts is decided by the *losses*. Whether a place is "
            "padding is written in `targets`: compare these with `pad`.",
            _loss(_count, lambda losses, targets, pad: losses != pad),
        ),
        "zero_losses_left_out": Mistake(
            "Words are counted by their loss, and a real word may have loss "
            "0. Count the places where `targets` is not `pad`.",
            _loss(lambda kept, losses: np.count_nonzero(kept)),
        ),
        "divided_by_sentences": Mistake(
            "The sum is divided by the number of sentences. Divide by the "
            "number of real words.",
            _loss(lambda kept, losses: losses.shape[0]),
        ),
        "divided_by_length": Mistake(
            "The sum is divided by the length of one sentence. Divide by the "
            "number of real words in all sentences.",
            _loss(lambda kept, losses: losses.shape[1]),
        ),
    },
)


def _row_sum(x):
    return x.sum(axis=-1, keepdims=True)


def _gradient(
    q,
    k,
    v,
    g,
    *,
    forward=lambda q: q.shape[-1] ** -0.5,
    back=lambda w, dw: w * (dw - _row_sum(w * dw)),
    scale=lambda q: q.shape[-1] ** -0.5,
    keys=lambda ds, q: ds.T @ q,
    values=lambda w, g: w.T @ g,
    order=lambda q, dq, dk, dv: (dq, dk, dv),
):
    """Return the gradients of attention; each step can be a wrong one."""
    weights = softmax(q @ k.T * forward(q))
    slope = back(weights, g @ v.T) * scale(q)
    return order(q, slope @ k, keys(slope, q), values(weights, g))


def _gradient_case(seed, n_q, n_k, d_k, d_v):
    sizes = [(n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v)]
    return tuple(numbers(seed + i, *size) for i, size in enumerate(sizes))


def _wrong_gradient(words, **steps):
    return Mistake(words, partial(_gradient, **steps))


check_attention_gradient = Check(
    "attention_gradient(q, k, v, g)",
    task="return the gradients of q, k and v, given that of the output.",
    verified="the gradients of q, k and v for three sizes.",
    reference=_gradient,
    parts="dq dk dv",
    cases=[
        (
            np.array([[2.0, 0.0], [1.0, -1.0]]),
            np.array([[1.0, 1.0], [0.0, 2.0], [-1.0, 1.0]]),
            np.array([[5.0], [-3.0], [2.0]]),
            np.array([[1.0], [2.0]]),
        ),
        _gradient_case(230, 3, 3, 3, 3),
        _gradient_case(240, 4, 2, 3, 1),
    ],
    mistakes={
        "no_mean": _wrong_gradient(
            "The row's mean is not subtracted. The weights of a row share "
            "1, so one can only grow at the cost of the others: "
            "W * (dW - r), where r is the sum of W * dW over the row.",
            back=lambda w, dw: w * dw,
        ),
        "plain_mean": _wrong_gradient(
            "The plain mean of the row is subtracted. r is the mean "
            "*weighted* by W: the sum of W * dW over the row.",
            back=lambda w, dw: w * (dw - dw.mean(-1, keepdims=True)),
        ),
        "plain_sum": _wrong_gradient(
            "The plain sum of the row is subtracted. r is the sum of "
            "W * dW: the weights belong into it.",
            back=lambda w, dw: w * (dw - _row_sum(dw)),
        ),
        "mean_of_columns": _wrong_gradient(
            "The sum r runs over the queries. Each query has its own, the sum "
            "over its *keys*: `sum(axis=-1, keepdims=True)`.",
            back=lambda w, dw: w * (dw - (w * dw).sum(0, keepdims=True)),
        ),
        "keepdims": _wrong_gradient(
            "The sums r have lost their axis: `keepdims=True` is missing. "
            "Without it the shapes do not fit, or each *column* gets the "
            "sum of a row.",
            back=lambda w, dw: w * (dw - (w * dw).sum(-1)),
        ),
        "no_weights": _wrong_gradient(
            "The factor W is missing: a key with weight 0 would still pull. "
            "The gradient of the scores is W * (dW - r).",
            back=lambda w, dw: dw - _row_sum(w * dw),
        ),
        "brackets": _wrong_gradient(
            "Only dW is multiplied by W, and r is not. Subtract first: the "
            "gradient of the scores is W * (dW - r), with brackets.",
            back=lambda w, dw: w * dw - _row_sum(w * dw),
        ),
        "softmax_forgotten": _wrong_gradient(
            "The gradient of the weights is used for the scores. Between "
            "them lies the softmax: W * (dW - r).",
            back=lambda w, dw: dw,
        ),
        "scale_missing": _wrong_gradient(
            "The scale is missing on the way back. What divided the scores "
            "also divides the gradients of q and k.",
            scale=lambda q: 1.0,
        ),
        "scale_not_root": _wrong_gradient(
            "On the way back the scores' gradient is divided by d_k itself. "
            "Divide by its square root, as on the way forward.",
            scale=lambda q: 1 / q.shape[-1],
        ),
        "forward_scale_missing": _wrong_gradient(
            "The weights are made without the scale. Divide the scores by "
            "the square root of d_k before the softmax.",
            forward=lambda q: 1.0,
        ),
        "keys_not_scaled": _wrong_gradient(
            "The gradient of q is scaled, that of k is not. The scale "
            "divided the scores, which both of them made.",
            order=lambda q, dq, dk, dv: (dq, dk * q.shape[-1] ** 0.5, dv),
        ),
        "queries_not_scaled": _wrong_gradient(
            "The gradient of k is scaled, that of q is not. The scale "
            "divided the scores, which both of them made.",
            order=lambda q, dq, dk, dv: (dq * q.shape[-1] ** 0.5, dk, dv),
        ),
        "keys_not_transposed": _wrong_gradient(
            "The gradient of the keys needs that of the scores transposed: "
            "key j collects from all queries, `ds.T @ q`.",
            keys=lambda ds, q: ds @ q,
        ),
        "values_not_transposed": _wrong_gradient(
            "The gradient of the values needs the weights transposed: value "
            "j collects from all queries that looked at it, `weights.T @ g`.",
            values=lambda w, g: w @ g,
        ),
        "swapped": _wrong_gradient(
            "The gradients of q and k are swapped. A gradient has the shape "
            "of what it belongs to.",
            order=lambda q, dq, dk, dv: (dk, dq, dv),
        ),
    },
)
