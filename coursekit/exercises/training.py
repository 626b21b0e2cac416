"""Exercise of chapter 5: the loss of a decoder, without padding."""

import numpy as np

from coursekit.checks import Check, Mistake

__all__ = ["check_mean_loss"]

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
