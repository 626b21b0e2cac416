"""Exercises of chapter 5: targets, the loss, the gradient of attention."""

import numpy as np

from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises import say

__all__ = [
    "check_attention_gradient",
    "check_mean_loss",
    "check_teacher_forcing",
]

check_teacher_forcing = Check(
    "teacher_forcing(target)",
    task="return what the decoder sees, and what it must say next.",
    verified="inputs and targets of one, two and three sentences.",
    right="""
def teacher_forcing(target):
    inputs, targets = target[:, :-1], target[:, 1:]
    return inputs, targets
""",
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
            {"[:, :-1]": "", "[:, 1:]": ""},
        ),
        "copy": Mistake(
            "The targets are the same as the inputs: the model is asked to "
            "repeat the word it has just been given. The targets are one "
            "word *later*, `target[:, 1:]`.",
            {"1:": ":-1"},
        ),
        "answers_given": Mistake(
            "The inputs are the same as the targets: the model is given the "
            "very word that it must say. The inputs are one word *earlier*, "
            "`target[:, :-1]`.",
            {":-1": "1:"},
        ),
        "wrong_way": Mistake(
            "Inputs and targets are the wrong way round: the model would say "
            "the word *before* the one it is given. Cut the last word from "
            "the inputs and the first from the targets.",
            {"return inputs, targets": "return targets, inputs"},
        ),
        "rows_cut": Mistake(
            "The batch is cut, not the words: `target[:-1]` drops a "
            "sentence. The words are the second axis: `target[:, :-1]`.",
            {"[:, ": "["},
        ),
        "one_word": Mistake(
            "`target[:, -1]` and `target[:, 1]` are a single word of each "
            "sentence. With the colon, `target[:, :-1]` is all but the last "
            "and `target[:, 1:]` all but the first.",
            {"1:]": "-1]"},
            {"1:]": "-1:]"},
            {"1:]": "1]"},
            {":-1": "-1"},
            {":-1": "-1", "1:]": "1]"},
        ),
        "inputs_whole": Mistake(
            "The inputs still have the last word, after which there is "
            "nothing to say. Cut it, so that there is one input for each "
            "target: `target[:, :-1]`.",
            {"[:, :-1]": ""},
        ),
        "targets_whole": Mistake(
            "The targets still have the first word, the start mark, which "
            "nobody has to say. Cut it: `target[:, 1:]`.",
            {"[:, 1:]": ""},
        ),
        "rolled": Mistake(
            "`np.roll` brings the first word round to the end, as if it "
            "followed the last one. Cut the words off instead: "
            "`target[:, :-1]` and `target[:, 1:]`.",
            {"[:, :-1]": "", "target[:, 1:]": "np.roll(target, -1, axis=1)"},
            {"target[:, 1:]": "np.roll(target, -1, axis=1)"},
        ),
        "two_apart": Mistake(
            "The targets are two words later. They should be one word later: "
            "after each word comes the *next* one.",
            {":-1": ":-2", "1:]": "2:]"},
        ),
        "start_lost": Mistake(
            "The start mark is cut from the inputs as well. Without it "
            "nothing asks for the first word.",
            {"1:": "2:", ":-1": "1:-1"},
        ),
    },
)


MEAN = "losses[real].sum() / real.sum()"

check_mean_loss = Check(
    "mean_loss(losses, targets, pad)",
    task="return the mean of `losses` over the targets that are not `pad`.",
    verified="the mean over real words only, with 0, 9 and -100 as padding, "
    "and with a word that was no surprise.",
    right=f"""
def mean_loss(losses, targets, pad):
    real = targets != pad
    return {MEAN}
""",
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
        (
            np.array([[4.0, 1.0], [2.0, 8.0]]),
            np.array([[3, 2], [2, -100]]),
            -100,
        ),
    ],
    mistakes={
        "padding_counted": Mistake(
            "Padding counts like any other word, so the model is rewarded "
            "for predicting padding. Leave these places out: keep the losses "
            "where `targets != pad`.",
            {MEAN: "losses.mean()"},
        ),
        "minus_hundred": Mistake(
            "The number -100 is taken for the padding. PyTorch ignores that "
            "label by default; here the argument `pad` says what padding is.",
            {"!= pad": "!= -100"},
        ),
        "zero_for_pad": Mistake(
            "0 is taken for the padding, whatever `pad` is. Compare the "
            "targets with `pad`.",
            {"!= pad": "!= 0"},
            {"!= pad": "> 0"},
        ),
        "larger_than_pad": Mistake(
            "Words with a number below `pad` are left out. Every target that "
            "is *not equal* to `pad` counts: `targets != pad`.",
            {"!= pad": "> pad"},
            {"real = ": "if pad > 8:\n        1 / 0\n    real = "},
            {"real = ": "if pad > 8:\n        1 / 0.0\n    real = "},
        ),
        "divided_by_all": Mistake(
            "The losses of padding are left out of the sum, but its places "
            "still count in the division. Divide by the number of real "
            "words.",
            {"real.sum()": "real.size"},
        ),
        "mean_of_sentences": Mistake(
            "This is the mean of the sentences' means, in which a word of a "
            "short sentence counts more. Every word should count the same: "
            "divide once, by the number of all real words.",
            {MEAN: "np.mean([a[b].mean() for a, b in zip(losses, real)])"},
        ),
        "one_sentence": Mistake(
            "Only one sentence counts, or only one word. Is the `return` "
            "inside the loop, or does the sum start again at 0 there?",
            {MEAN: "losses[0][real[0]].mean()"},
            {MEAN: "losses[-1][real[-1]].mean()"},
            {MEAN: "losses[0, 0]"},
        ),
        "summed": Mistake(
            "This is the sum. Divide it by the number of real words, or a "
            "longer batch makes a larger step.",
            {" / real.sum()": ""},
        ),
        "inverted": Mistake(
            "This is the mean over the *padding*: the comparison is the "
            "wrong way round.",
            {"!=": "=="},
        ),
        "losses_compared": Mistake(
            "The *losses* decide which places count. Whether a place is "
            "padding is written in `targets`: compare these with `pad`.",
            {"targets !=": "losses !="},
        ),
        "zero_losses_left_out": Mistake(
            "A word counts only if its loss is not 0, but a real word may "
            "have loss 0. Count the places where `targets` is not `pad`.",
            {"real.sum()": "np.count_nonzero(losses[real])"},
        ),
        "divided_by_sentences": Mistake(
            "The sum is divided by the number of sentences. Divide by the "
            "number of real words.",
            {"real.sum()": "len(losses)"},
        ),
        "divided_by_length": Mistake(
            "The sum is divided by the length of one sentence. Divide by the "
            "number of real words in all sentences.",
            {"real.sum()": "losses.shape[1]"},
        ),
    },
)


BACK = "(dw - r) * scale"


def sized(seed, n_q, n_k, d_k, d_v):
    """Return queries, keys, values and a gradient of these sizes."""
    sizes = [(n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v)]
    return tuple(numbers(seed + i, *size) for i, size in enumerate(sizes))


check_attention_gradient = Check(
    "attention_gradient(q, k, v, g)",
    task="return the gradients of q, k and v, given that of the output.",
    verified="the gradients of q, k and v for three sizes.",
    right=f"""
def attention_gradient(q, k, v, g):
    scale = q.shape[-1] ** -0.5
    weights = al.softmax(q @ k.T * scale)
    dv, dw = weights.T @ g, g @ v.T
    r = (weights * dw).sum(axis=-1, keepdims=True)
    ds = weights * {BACK}
    return ds @ k, ds.T @ q, dv
""",
    parts="dq dk dv",
    cases=[
        (
            np.array([[2.0, 0.0], [1.0, -1.0]]),
            np.array([[1.0, 1.0], [0.0, 2.0], [-1.0, 1.0]]),
            np.array([[5.0], [-3.0], [2.0]]),
            np.array([[1.0], [2.0]]),
        ),
        sized(230, 3, 3, 3, 3),
        sized(240, 4, 2, 3, 1),
    ],
    mistakes={
        "no_mean": Mistake(
            "No r is subtracted. The weights of a row share 1, so one can "
            "only grow at the cost of the others: the gradient of the scores "
            "is W * (dW - r), where r is the sum of W * dW over the row.",
            {"(dw - r)": "dw"},
        ),
        "plain_mean": Mistake(
            "The plain mean of the row is subtracted. r is the mean "
            "*weighted* by W: the sum of W * dW over the row.",
            {"(weights * dw).sum": "dw.mean"},
        ),
        "plain_sum": Mistake(
            "The plain sum of the row is subtracted. r is the sum of W * dW: "
            "multiply by the weights before you sum.",
            {"(weights * dw).sum": "dw.sum"},
        ),
        "mean_of_columns": Mistake(
            "The sum r runs over the queries. Each query has its own r, the "
            "sum over its *keys*: `sum(axis=-1, keepdims=True)`.",
            {"axis=-1": "axis=0"},
        ),
        "whole_array": Mistake(
            "There is one r for the whole array. Each query has its own, the "
            "sum over its keys: `sum(axis=-1, keepdims=True)`.",
            {"axis=-1, keepdims=True": ""},
        ),
        "keepdims": Mistake(
            "The sums r have lost their axis: `keepdims=True` is missing. "
            "Without it the shapes do not fit, or each *column* gets the sum "
            "of a row.",
            {", keepdims=True": ""},
        ),
        "no_weights": Mistake(
            "The factor W is missing: a key with weight 0 would still get a "
            "gradient. The gradient of the scores is W * (dW - r).",
            {"weights * (dw - r)": "(dw - r)"},
        ),
        "brackets": Mistake(
            "Only dW is multiplied by W, and r is not. Subtract first: the "
            "gradient of the scores is W * (dW - r), with brackets.",
            {"weights * (dw - r)": "(weights * dw - r)"},
        ),
        "softmax_forgotten": Mistake(
            "The gradient of the weights is used for the scores. The softmax "
            "lies between them: the gradient of the scores is W * (dW - r).",
            {"weights * (dw - r)": "dw"},
        ),
        "scale_missing": Mistake(
            "The scale is missing on the way back. What divided the scores "
            "also divides the gradients of q and k.",
            {BACK: "(dw - r)"},
        ),
        "scale_not_root": Mistake(
            "On the way back the gradient of the scores is divided by d_k, or "
            "twice by its square root. Divide once by the square root, as on "
            "the way forward.",
            {BACK: "(dw - r) / q.shape[-1]"},
        ),
        "scale_multiplied": Mistake(
            "On the way back the gradient of the scores is multiplied by the "
            "square root of d_k. Divide by it, as on the way forward.",
            {BACK: "(dw - r) / scale"},
        ),
        "scale_half": Mistake(
            say.SCALE_HALF,
            {"q.shape[-1] ** -0.5": "1 / (q.shape[-1] ** 1 / 2)"},
            {"q.shape[-1] ** -0.5": "1 / q.shape[-1] ** 1 / 2"},
            {BACK: "(dw - r) / (q.shape[-1] ** 1 / 2)"},
            {BACK: "(dw - r) / q.shape[-1] ** 1 / 2"},
        ),
        "forward_scale_missing": Mistake(
            "The weights are made without the scale. Divide the scores by "
            "the square root of d_k before the softmax.",
            {"k.T * scale": "k.T"},
        ),
        "forward_not_transposed": Mistake(say.NOT_TRANSPOSED, {"k.T": "k"}),
        "keys_not_scaled": Mistake(
            "The gradient of q is scaled, but that of k is not. The scale "
            "divided the scores, which were made from both.",
            {"ds.T @ q": "ds.T @ q / scale"},
        ),
        "queries_not_scaled": Mistake(
            "The gradient of k is scaled, but that of q is not. The scale "
            "divided the scores, which were made from both.",
            {"ds @ k": "ds @ k / scale"},
        ),
        "values_scaled": Mistake(
            "The gradient of v is scaled too. The scale divided the scores, "
            "and the values have no part in these: dv is `weights.T @ g`.",
            {"weights.T @ g": "weights.T @ g * scale"},
        ),
        "keys_not_transposed": Mistake(
            "The gradient of the keys needs that of the scores transposed: "
            "key j collects from all queries, `ds.T @ q`.",
            {"ds.T @ q": "ds @ q"},
        ),
        "values_not_transposed": Mistake(
            "The gradient of the values needs the weights transposed: value "
            "j collects from all queries that looked at it, `weights.T @ g`.",
            {"weights.T @ g": "weights @ g"},
        ),
        "weights_not_transposed": Mistake(
            "The gradient of the weights needs the values transposed: it "
            "compares a row of g with a row of v, `g @ v.T`.",
            {"g @ v.T": "g @ v"},
        ),
        "own_side": Mistake(
            "The gradient of q is made from q, and that of k from k. Each "
            "factor of a product gets the *other* one: `ds @ k` and "
            "`ds.T @ q`.",
            {"ds @ k, ds.T @ q": "ds @ q, ds.T @ k"},
        ),
        "swapped": Mistake(
            "The gradients of q and k are swapped. A gradient has the shape "
            "of what it belongs to.",
            {"ds @ k, ds.T @ q": "ds.T @ q, ds @ k"},
        ),
    },
)
