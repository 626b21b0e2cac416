"""Exercises of chapter 6: what to predict, and what a head looks at."""

import numpy as np

from attnlib.ops import softmax
from coursekit.checks import Check, Mistake, numbers

__all__ = ["check_induction_score", "check_shift_targets"]

READ, PREDICT = "ids[:, :-1]", "ids[:, 1:]"
MARKED = "np.where(targets == pad, -1, targets)"

check_shift_targets = Check(
    "shift_targets(ids, pad)",
    task="return what the model reads, and for each token the one to "
    "predict: the next. Where that is padding, put -1.",
    verified="inputs and targets are one shorter than the sequences, and "
    "padding is never to be predicted, whatever its number is.",
    right="""
def shift_targets(ids, pad):
    inputs = ids[:, :-1]
    targets = ids[:, 1:]
    return inputs, np.where(targets == pad, -1, targets)
""",
    parts="inputs targets",
    cases=[
        (np.array([[4, 7, 5, 0, 0]]), 0),
        (np.array([[3, 9, 6, 1, 8, 2], [2, 4, 7, 0, 0, 0]]), 0),
        (np.array([[1, 0, 9, 9], [6, 2, 5, 9], [3, 7, 0, 5]]), 9),
    ],
    mistakes={
        "not_shifted": Mistake(
            "Each token is its own target, so the model would learn to "
            "repeat what it reads. The target is the *next* token.",
            {PREDICT: READ},
            {READ: "ids", PREDICT: "ids"},
        ),
        "shifted_back": Mistake(
            "The targets are shifted the wrong way: each is the token "
            "*before*. Predict the next one, `ids[:, 1:]`.",
            {PREDICT: "np.roll(ids, 1, axis=1)[:, :-1]"},
            {READ: "ids", PREDICT: "np.roll(ids, 1, axis=1)"},
        ),
        "wraps_around": Mistake(
            "`np.roll` wraps around: the last token would predict the first. "
            "Cut instead, `ids[:, :-1]` and `ids[:, 1:]`.",
            {READ: "ids", PREDICT: "np.roll(ids, -1, axis=1)"},
        ),
        "two_ahead": Mistake(
            "The targets are two places ahead. Predict the very next token, "
            "`ids[:, 1:]`.",
            {":-1": ":-2", "1:]": "2:]"},
        ),
        "padding_counts": Mistake(
            "The model would have to predict padding. Put -1 where the target "
            "is `pad`.",
            {MARKED: "targets"},
        ),
        "padding_dropped": Mistake(
            "The padding is cut out, so the rows of the batch run "
            "together. Keep the shape, and put -1 there.",
            {MARKED: "targets[targets != pad]"},
        ),
        "hidden_by_input": Mistake(
            "A target is hidden where the *input* is padding. Look at the "
            "target: the last real token must not predict padding.",
            {"targets == pad": "inputs == pad"},
        ),
        "zero_hard_coded": Mistake(
            "The number 0 is hidden, whatever `pad` is. Compare with `pad`.",
            {"== pad": "== 0"},
        ),
        "filled_with_zero": Mistake(
            "Targets that do not count become 0, but 0 is a token. Put -1, "
            "which our loss leaves out.",
            {"-1, targets": "0, targets"},
        ),
        "torch_label": Mistake(
            "Targets that do not count become -100, the label that PyTorch "
            "leaves out. Put -1, which our loss leaves out.",
            {"-1, targets": "-100, targets"},
        ),
        "inputs_marked": Mistake(
            "The *inputs* hold -1 as well, and the model cannot read that. "
            "Cut first, then put -1 into the targets alone, with `np.where` "
            "or in a copy: a slice is a view, and what you write into it is "
            "written into `ids`.",
            {"ids[:": "np.where(ids == pad, -1, ids)[:"},
        ),
        "inverted": Mistake(
            "It is the wrong way round: the real targets become -1, and the "
            "padding stays.",
            {"== pad": "!= pad"},
        ),
        "rows_cut": Mistake(
            "The batch is cut, not the tokens: `ids[:-1]` drops a sentence. "
            "The tokens are the second axis: `ids[:, :-1]`.",
            {"[:, :-1]": "[:-1]", "[:, 1:]": "[1:]"},
        ),
        "targets_too_long": Mistake(
            "The first token is still among the targets, but nothing comes "
            "before it that could predict it. Cut it off: `ids[:, 1:]`.",
            {PREDICT: "ids"},
        ),
        "inputs_too_long": Mistake(
            "The model also reads the last token, for which there is no "
            "target. Cut it off: `ids[:, :-1]`.",
            {READ: "ids"},
        ),
        "last_kept": Mistake(
            "Inputs and targets are as long as the sequences. The last token "
            "has no target: cut it off, so that both are one shorter.",
            {
                READ: "ids",
                PREDICT: "np.pad(ids, [(0, 0), (0, 1)], "
                "constant_values=pad)[:, 1:]",
            },
        ),
        "swapped": Mistake(
            "Inputs and targets are swapped. The targets are the later "
            "tokens, and come second.",
            {READ: PREDICT, f"targets = {PREDICT}": f"targets = {READ}"},
            {f"inputs, {MARKED}": f"{MARKED}, inputs"},
        ),
    },
)


def weights(seed, n):
    """Return causal weights with two digits."""
    hidden = np.triu(np.full((n, n), -np.inf), k=1)
    return softmax(numbers(seed, n, n) + hidden).round(2)


KEY = "copies[-1] + 1"
UP_TO_ITSELF = {"ids[:i]": "ids[: i + 1]"}
ANYWHERE = {"ids[:i]": "ids"}
MORE = {"len(copies)": "len(copies) > 1"}

check_induction_score = Check(
    "induction_score(weights, ids)",
    task="return the mean weight from each token that has come before to "
    "the token *after* its latest earlier copy. `weights` is (n, n), `ids` "
    "(n,).",
    verified="four sequences with repeated tokens, some with three copies.",
    right="""
def induction_score(weights, ids):
    found = []
    for i in range(len(ids)):
        copies = np.flatnonzero(ids[:i] == ids[i])
        if len(copies):
            found.append(weights[i, copies[-1] + 1])
    return np.mean(found)
""",
    parts="score",
    cases=[
        (weights(625, 5), np.array([2, 0, 3, 2, 0])),
        (weights(678, 5), np.array([7, 4, 5, 7, 7])),
        (weights(621, 5), np.array([4, 4, 7, 4, 5])),
        (weights(664, 7), np.array([1, 5, 5, 8, 1, 8, 1])),
    ],
    mistakes={
        "same_token": Mistake(
            "This is the weight on the earlier copy itself. An induction "
            "head looks one place *after* it, at what it will copy.",
            {KEY: "copies[-1]"},
        ),
        "too_far": Mistake(
            "This is the weight on the token *before* the earlier copy. Take "
            "the one after it.",
            {KEY: "copies[-1] - 1"},
        ),
        "first_copy": Mistake(
            "The *first* copy is taken. If there are several earlier copies, "
            "take the latest.",
            {KEY: "copies[0] + 1"},
        ),
        "place_in_list": Mistake(
            "`argmax` gives a place in the list of copies, not in the text. "
            "The list is sorted: the latest copy is its last entry.",
            {KEY: "np.argmax(copies) + 1"},
        ),
        "token_for_place": Mistake(
            "A token is used as the number of a column. Use its *place* in "
            "the text: the latest copy stands at `copies[-1]`.",
            {KEY: f"ids[{KEY}]"},
            {KEY: "ids[i]"},
        ),
        "added_to_weight": Mistake(
            "The 1 is added to the weight. Put it into the index, so that it "
            "moves one place on: `weights[i, copies[-1] + 1]`.",
            {" + 1]": "] + 1"},
        ),
        "copy_at_zero": Mistake(
            "A copy at place 0 does not count: `copies.any()` asks whether "
            "one of the places is not 0. Ask for their number, "
            "`len(copies)`.",
            {"len(copies)": "copies.any()"},
        ),
        "no_copy": Mistake(
            "A new token has no earlier copy, so the list is empty and "
            "has no last entry. Skip such tokens: `if len(copies):`.",
            {"if len(copies)": "if True"},
            {
                "if len(copies)": "if True",
                "np.flatnonzero(ids[:i] == ids[i])": (
                    "[j for j in range(i) if ids[j] == ids[i]]"
                ),
            },
        ),
        "last_skipped": Mistake(
            "The last token is never looked at: `range(len(ids))` already "
            "ends before `len(ids)`.",
            {"range(len(ids))": "range(len(ids) - 1)"},
        ),
        "all_copies": Mistake(
            "All earlier copies count. If there are several, look only at "
            "the latest.",
            {f"{KEY}]": "copies + 1].mean()"},
            {f"{KEY}]": "copies + 1].sum()"},
            {KEY: "copies + 1", "append": "extend"},
        ),
        "not_earlier": Mistake(
            "The token itself, or a later one, is taken for its earlier "
            "copy. Look for copies *before* token `i` only: in `ids[:i]`.",
            UP_TO_ITSELF,
            UP_TO_ITSELF | MORE,
            ANYWHERE,
            ANYWHERE | MORE,
            ANYWHERE | {"len(copies)": "ids[i] in ids[:i]"},
        ),
        "previous_token": Mistake(
            "This is the weight on the previous token. Look for the latest "
            "copy, and take the token after it.",
            {KEY: "i - 1"},
        ),
        "transposed": Mistake(
            "Rows and columns are swapped. Rows are queries, so the index is "
            "`weights[query, key]`.",
            {f"[i, {KEY}]": f"[{KEY}, i]"},
        ),
        "summed": Mistake(
            "The weights are added up. Take their mean, so that the score "
            "does not grow with the length.",
            {"np.mean": "np.sum"},
        ),
        "new_tokens_counted": Mistake(
            "The sum is divided by the number of all tokens. A token that "
            "is new has no copy and must not count.",
            {"np.mean(found)": "np.sum(found) / len(ids)"},
        ),
        "largest": Mistake(
            "This is the mean of each row's *largest* weight, wherever it "
            "lies. Look at one key for each query.",
            {f"weights[i, {KEY}]": "weights[i].max()"},
        ),
        "first_only": Mistake(
            "Only the first token with a copy counts. Is the `return` inside "
            "the loop? Collect all weights, then return their mean.",
            {"    return": "            return"},
        ),
        "last_only": Mistake(
            "Only the last token with a copy counts: `=` forgets the weights "
            "before. Collect them all, in a list or in a sum.",
            {"np.mean(found)": "found[-1]"},
        ),
        "percent": Mistake(
            "This is a percentage. Weights, and their mean, are shares of 1.",
            {"np.mean": "100 * np.mean"},
        ),
    },
)
