"""Exercises of chapter 5: attention to another sequence, and alignment."""

import numpy as np

from attnlib.ops import softmax
from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises.attending import ATTEND, CARELESS, MASK, lines
from coursekit.exercises.attending import mistakes as attending

__all__ = ["check_alignment_share", "check_cross_attention"]

PROJECTED = "x @ w_q, memory @ w_k, memory @ w_v"


def sized(seed, n_q, n_k, d, d_k, d_v):
    """Return two sequences and three matrices of these sizes."""
    sizes = [(n_q, d), (n_k, d), (d, d_k), (d, d_k), (d, d_v)]
    return tuple(
        numbers(seed + i, *size) for i, size in enumerate(sizes, start=1)
    )


def hidden(mask):
    """Return two edits that hide scores, one of them without care."""
    line = f"scores = np.where({mask}, scores, -np.inf)\n    peak = scores"
    return {"peak = scores": line}, {"peak = scores": line} | CARELESS


check_cross_attention = Check(
    "cross_attention(x, memory, w_q, w_k, w_v)",
    task="let the rows of `x` ask the rows of `memory`; return the output "
    "and the weights.",
    verified="output and weights for 2 queries of 3 keys, 4 of 2, and 3 of 3.",
    right=f"""
def cross_attention(x, memory, w_q, w_k, w_v):
    q, k, v = {PROJECTED}
{lines(ATTEND.replace(MASK, ""))}
    return output, weights
""",
    parts="output weights",
    cases=[
        sized(1580, 2, 3, 2, 4, 4),
        sized(190, 4, 2, 3, 5, 2),
        sized(200, 3, 3, 3, 3, 3),
    ],
    mistakes=attending(
        "scale_missing scale_multiplied scale_not_root scale_half "
        "scale_length scale_queries scale_values scale_after wrong_axis "
        "whole_array keepdims no_softmax not_normalised softmax_twice "
        "max_keepdims not_transposed values_for_keys keys_for_values no_values"
    )
    | {
        "roles_swapped": Mistake(
            "The wrong side asks: the queries are made from `memory`, the "
            "keys and values from `x`. The rows of `x` ask, so the output has "
            "one row for each of them.",
            {PROJECTED: "memory @ w_q, x @ w_k, x @ w_v"},
        ),
        "memory_ignored": Mistake(
            "This is self-attention: `memory` is never used. Make the keys "
            "and values from it.",
            {"memory @": "x @"},
        ),
        "only_memory": Mistake(
            "This is self-attention of `memory`. Make the queries from `x`.",
            {"x @ w_q": "memory @ w_q"},
        ),
        "keys_from_x": Mistake(
            "The keys are made from `x`, so the weights compare `x` with "
            "itself. Keys and values both belong to `memory`.",
            {"memory @ w_k": "x @ w_k"},
        ),
        "values_from_x": Mistake(
            "The values are made from `x`. The weights choose among the rows "
            "of `memory`, so these are what must be mixed.",
            {"memory @ w_v": "x @ w_v"},
        ),
        "keys_and_values_swapped": Mistake(
            "`w_k` and `w_v` are swapped: the keys are `memory @ w_k`, the "
            "values `memory @ w_v`.",
            {"w_k, w_v)": "w_v, w_k)"},
        ),
        "queries_and_keys_swapped": Mistake(
            "`w_q` and `w_k` are swapped: the queries are `x @ w_q`, the keys "
            "`memory @ w_k`.",
            {"w_q, w_k, w_v)": "w_k, w_q, w_v)"},
        ),
        "values_not_projected": Mistake(
            "The rows of `memory` are mixed as they are. Project them first: "
            "the values are `memory @ w_v`.",
            {"memory @ w_v": "memory"},
        ),
        "not_projected": Mistake(
            "`x` or `memory` is compared as it is. Project both first: the "
            "queries are `x @ w_q`, the keys `memory @ w_k`.",
            {PROJECTED: "x, memory, memory"},
            {"@ w_k, memory @ w_v": ", memory"},
            {"memory @ w_k": "memory"},
            {"x @ w_q": "x"},
        ),
        "same_matrix": Mistake(
            "Queries and keys are made with the same matrix. The queries are "
            "`x @ w_q`, the keys `memory @ w_k`.",
            {"memory @ w_k": "memory @ w_q"},
            {"x @ w_q": "x @ w_k"},
        ),
        "keys_in_rows": Mistake(
            "The scores have a row for each key. They should have one for "
            "each query, whose weights sum to one: `q @ k.T`.",
            {"q @ k.swapaxes": "k @ q.swapaxes"},
        ),
        "scores_returned": Mistake(
            "The output is right, but what comes with it are the scores. "
            "Return the weights, which the softmax makes from them.",
            {"return output, weights": "return output, scores"},
        ),
        "scale_model": Mistake(
            "The scale is made from the width of `x`. Divide by the square "
            "root of d_k, the width of a *query*: `q.shape[-1]`.",
            {"np.sqrt(q.shape[-1])": "np.sqrt(x.shape[-1])"},
        ),
        "causal": Mistake(
            "There is a causal mask. The whole of `memory` is known from the "
            "start, so every query may see all of it.",
            *hidden("np.tri(len(q), len(k), dtype=bool)"),
            *hidden("al.create_causal_mask(len(q), len(k))"),
            *hidden("al.create_causal_mask(len(q))"),
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
