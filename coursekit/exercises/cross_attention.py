"""Exercises of chapter 5: hide a word, find what is not read, score a map."""

import numpy as np

from attnlib.ops import softmax
from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises import say

__all__ = [
    "check_alignment_share",
    "check_hide_word",
    "check_unread_words",
]


def sized(seed, n_q, n_k, d_k, d_v, j):
    """Return queries, keys and values of these sizes, and a place."""
    sizes = [(n_q, d_k), (n_k, d_k), (n_k, d_v)]
    arrays = (numbers(seed + i, *size) for i, size in enumerate(sizes))
    return (*arrays, j)


HIDE = "scores[:, j] = -np.inf"
MIX = "weights = al.softmax(scores)"

check_hide_word = Check(
    "hide_word(q, k, v, j)",
    task="return the output of attention when no query may see key `j`.",
    verified="the output for 3 sizes, with the first, a middle and the last "
    "key hidden.",
    right=f"""
def hide_word(q, k, v, j):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    {HIDE}
    {MIX}
    return weights @ v
""",
    parts="output",
    cases=[
        sized(1580, 2, 3, 2, 4, 1),
        sized(190, 4, 5, 3, 2, 0),
        sized(200, 4, 4, 3, 3, 3),
    ],
    mistakes={
        "zero_score": Mistake(
            "Key `j` gets the score 0, and e to the power of 0 is 1: it still "
            "has a weight. Hide it with the score -inf.",
            {HIDE: "scores[:, j] = 0"},
        ),
        "not_renormalised": Mistake(
            "The weight of key `j` is taken away after the softmax, so the "
            "rest of the row no longer adds up to 1. Hide the *score*, before "
            "the softmax, and the others share its weight.",
            {HIDE: "pass", MIX: f"{MIX}; weights[:, j] = 0"},
        ),
        "not_hidden": Mistake(
            "Nothing is hidden: this is attention to all keys.",
            {HIDE: "pass"},
        ),
        "alone": Mistake(
            "Key `j` is the only one that can be seen. It should be the only "
            "one that can't.",
            {HIDE: "scores[:, np.arange(len(k)) != j] = -np.inf"},
        ),
        "row_hidden": Mistake(
            "A *row* of scores is hidden, which is a query that sees "
            "nothing. Keys are columns: `scores[:, j]`.",
            {HIDE: "scores[min(j, len(q) - 1)] = -np.inf"},
            {HIDE: "scores[j] = -np.inf"},
        ),
        "later_hidden": Mistake(
            "Several keys are hidden. Only key `j` should be: "
            "`scores[:, j]`, without a colon after `j`.",
            {HIDE: "scores[:, j:] = -np.inf"},
            {HIDE: "scores[:, : j + 1] = -np.inf"},
        ),
        "next_hidden": Mistake(
            "The wrong key is hidden. Places are counted from 0.",
            {HIDE: "scores[:, j - 1] = -np.inf"},
            {HIDE: "scores[:, (j + 1) % len(k)] = -np.inf"},
        ),
        "scale_missing": Mistake(
            say.SCALE_MISSING, {" / np.sqrt(q.shape[-1])": ""}
        ),
    },
)

check_unread_words = Check(
    "unread_words(weights, least)",
    task="say for each source word whether no target word gives it a weight "
    "of at least `least`.",
    verified="what is unread in five maps, one of them with weights that are "
    "just large enough.",
    right="""
def unread_words(weights, least):
    return (weights < least).all(axis=0)
""",
    parts="unread",
    cases=[
        (np.array([[0.7, 0.2, 0.1], [0.4, 0.1, 0.5]]), 0.3),
        (np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]), 0.5),
        (
            np.array([[0.45, 0.3, 0.25], [0.4, 0.35, 0.25], [0.3, 0.4, 0.3]]),
            0.4,
        ),
        (np.array([[0.6, 0.35, 0.05], [0.6, 0.35, 0.05]]), 0.3),
        (softmax(3 * numbers(214, 5, 7)), 0.3),
    ],
    mistakes={
        "wrong_axis": Mistake(
            "There is an answer for each *target* word. Source words are "
            "columns, so look down each column: `axis=0`.",
            {"axis=0": "axis=1"},
        ),
        "any_row": Mistake(
            "A word counts as unread as soon as *one* target word gives it "
            "little. It is unread if *all* of them do.",
            {".all(": ".any("},
        ),
        "read": Mistake(
            "This says which words *are* read. Turn it round.",
            {"(weights < least).all": "(weights >= least).any"},
        ),
        "summed": Mistake(
            "The weights of a column are added up, so many small looks count "
            "as a large one. Compare the largest weight of each column.",
            {"(weights < least).all(axis=0)": "weights.sum(axis=0) < least"},
        ),
        "averaged": Mistake(
            "The mean of each column is compared. A word that is read once, "
            "with a weight of 1, has been read: compare the largest weight.",
            {"(weights < least).all(axis=0)": "weights.mean(axis=0) < least"},
        ),
        "equal_unread": Mistake(
            "A weight of exactly `least` is enough: `<`, not `<=`.",
            {"< least": "<= least"},
        ),
        "never_largest": Mistake(
            "This says which words never have the largest weight of a row. "
            "A word may be read without being first: compare with `least`.",
            {
                "(weights < least).all(axis=0)": "~np.isin("
                "np.arange(weights.shape[1]), weights.argmax(axis=1))"
            },
        ),
        "counted": Mistake(
            "This is how many words are unread. Say for each word whether it "
            "is: one True or False for each column.",
            {"return (weights": "return sum((weights", "axis=0)": "axis=0))"},
        ),
    },
)


HIT = "row.argmax() in sources"
SHARE = "sum(hits) / len(weights)"
COLUMNS = (
    "zip(weights.T, alignment)",
    "zip(weights.T, alignment, strict=True)",
    "((weights.T[i], o) for i, o in enumerate(alignment))",
    "((row, alignment[i]) for i, row in enumerate(weights.T))",
)

check_alignment_share = Check(
    "alignment_share(weights, alignment)",
    task="return the share of words whose largest weight is on a true "
    "source word.",
    verified="the share for 2, 3, 4 and 11 words, with words that have two "
    "sources, and where every word hits.",
    right=f"""
def alignment_share(weights, alignment):
    hits = []
    for row, sources in zip(weights, alignment):
        hits.append({HIT})
    return {SHARE}
""",
    parts="share",
    cases=[
        (
            np.array([[0.3, 0.1, 0.6], [0.5, 0.4, 0.1], [0.4, 0.5, 0.1]]),
            [{0, 2}, {0}, {2}],
        ),
        (
            np.array([[0.2, 0.8, 0.0], [0.0, 1.0, 0.0]]),
            [{0, 1}, {1}],
        ),
        (
            np.array(
                [
                    [0.5, 0.3, 0.2],
                    [0.6, 0.1, 0.3],
                    [0.1, 0.4, 0.5],
                    [0.3, 0.1, 0.6],
                ]
            ),
            [{0, 1}, {1, 2}, {0, 1}, {0}],
        ),
        (np.array([[0.2, 0.7, 0.1], [0.6, 0.3, 0.1]]), [{0}, {0, 2}]),
        (
            softmax(numbers(214, 11, 7) + np.arange(7) / 70),  # without ties
            [{i % 7, i % 5} for i in range(11)],
        ),
    ],
    mistakes={
        "wrong_axis": Mistake(
            "The largest weight of each *column* is taken, which tells which "
            "row looks most at a source word. Take the largest of each row, "
            "`argmax(axis=-1)`.",
            *(
                {"zip(weights, alignment)": pairs, "len(weights)": count}
                for pairs in COLUMNS
                for count in ("len(hits)", "len(weights)")
            ),
        ),
        "whole_map": Mistake(
            "`weights.argmax()` is one place in the whole map. Find one for "
            "each row: `weights.argmax(axis=-1)`.",
            {"zip(weights,": "zip(weights.argmax(),"},
            {"row.argmax()": "weights.argmax()"},
        ),
        "weight_on_true": Mistake(
            "This is the mean weight on the true words. The question is only "
            "whether the *largest* weight is there: yes or no for each word.",
            {HIT: "row[sorted(sources)].sum()"},
            {HIT: "row[sorted(sources)].mean()"},
            {HIT: "row[sorted(sources)].max()"},
        ),
        "one_source_only": Mistake(
            "Only one source of each word is accepted. A word may come from "
            "two, and either of them is right: `j in alignment[i]`.",
            {"in sources)": "== min(sources))"},
            {"in sources)": "== max(sources))"},
        ),
        "all_sources": Mistake(
            "A word with two sources never counts, since one weight cannot "
            "be on both. Either of them is right: `j in alignment[i]`.",
            {HIT: "{row.argmax()} == sources"},
        ),
        "as_many_as_sources": Mistake(
            "A word with two sources gets two guesses: its second largest "
            "weight counts as well. Only the largest should.",
            {HIT: "bool(sources & {*np.argsort(-row)[: len(sources)]})"},
        ),
        "weight_looked_up": Mistake(
            "The largest *weight* is looked up among positions. Look up its "
            "position: `argmax`, not `max`.",
            {"argmax": "max"},
        ),
        "never": Mistake(
            "No word is ever counted: a position is compared with a whole "
            "set, or looked for in the list of all sets. Ask for each word "
            "whether `j in alignment[i]`.",
            {HIT: "False"},
        ),
        "all_at_once": Mistake(
            "The positions of all words are looked up at once. Ask for each "
            "word on its own whether `j in alignment[i]`.",
            {HIT: "weights.argmax(axis=-1) in alignment"},
        ),
        "counted": Mistake(
            "This is a number of words. Divide it by how many words there "
            "are, to get a share.",
            {" / len(weights)": ""},
        ),
        "percent": Mistake(
            "This is a percentage. Give a share of one: 0.5, not 50.",
            {"sum(": "100 * sum("},
        ),
        "divided_by_keys": Mistake(
            "The hits are divided by the number of source words. Divide by "
            "the number of words that look, the rows.",
            {"len(weights)": "weights.shape[1]"},
        ),
        "divided_by_sources": Mistake(
            "The hits are divided by the number of all true sources. A word "
            "counts once, even if it has two: divide by the number of rows.",
            {"len(weights)": "sum(map(len, alignment))"},
        ),
        "missed": Mistake(
            "This is the share of words that look elsewhere. Count those "
            "whose largest weight *is* on a source.",
            {" in sources": " not in sources"},
        ),
        "counted_from_one": Mistake(
            "Positions are counted from 1. Both `argmax` and `alignment` "
            "count from 0.",
            {"argmax()": "argmax() + 1"},
        ),
        "smallest": Mistake(
            "The *smallest* weight is looked up. Use `argmax`.",
            {"argmax": "argmin"},
        ),
        "all_or_nothing": Mistake(
            "One word that looks elsewhere makes the whole sentence count as "
            "0. Each word should count: divide the hits by the number of "
            "rows.",
            {SHARE: "all(hits)"},
        ),
        "any_word": Mistake(
            "One word that hits makes the whole sentence count as 1. Each "
            "word should count: divide the hits by the number of rows.",
            {SHARE: "any(hits)"},
        ),
        "stops_at_hit": Mistake(
            "Counting stops at the first word that hits: is the `return` "
            "inside the loop? It belongs after it.",
            {SHARE: "any(hits) / len(weights)"},
        ),
        "first_word_only": Mistake(
            "Only the first word is looked at: is the `return` inside the "
            "loop? It belongs after it.",
            {SHARE: "hits[0]"},
            {SHARE: "hits[0] / len(weights)"},
        ),
        "last_word_only": Mistake(
            "Only the last word counts: `=` in the loop forgets the words "
            "before. Add them up, with `+=`, or collect them in a list.",
            {SHARE: "hits[-1]"},
            {SHARE: "hits[-1] / len(weights)"},
        ),
    },
)
