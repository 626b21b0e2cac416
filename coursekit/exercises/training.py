"""Exercises of chapter 5: what a decoder is trained on, and its loss."""

import numpy as np

from coursekit.checks import Check, Mistake

__all__ = ["check_mean_loss", "check_teacher_forcing"]

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
    verified="the mean over real words only, with 0, 9, -1 and -100 as "
    "padding, and with a word that was no surprise.",
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
        (np.array([[2.0, 6.0, 3.0]]), np.array([[5, -1, -1]]), -1),
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
        "row_at_once": Mistake(
            "Many words are compared at once where `if` or `in` needs a "
            "single answer. Loop over the words one by one; or choose them "
            "without a loop, with `losses[targets != pad]`.",
            {"real = ": "real = bool(targets != pad) or "},
        ),
        "targets_averaged": Mistake(
            "This is the mean of the *targets*, the numbers of the words. "
            "Take the mean of the losses at these places.",
            {"losses[real]": "targets[real]"},
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
