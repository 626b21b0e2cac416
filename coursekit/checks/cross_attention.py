"""Checks of chapter 5: attention to another sequence, and alignment."""

from functools import partial

import numpy as np

from attnlib.masks import create_causal_mask
from coursekit.checks.engine import Check, Mistake, numbers
from coursekit.checks.variants import attend, variants

__all__ = ["check_alignment_share", "check_cross_attention"]


def _cross(wrong=attend, queries="x", keys="memory", values="memory"):
    """Let an attention take two sequences and three matrices."""

    def function(x, memory, w_q, w_k, w_v):
        of = {"x": x, "memory": memory}
        parts = of[queries] @ w_q, of[keys] @ w_k, of[values] @ w_v
        return wrong(*parts)

    return function


def _swapped(*order):
    """Return cross-attention with its matrices in another order."""

    def function(x, memory, *matrices):
        return _cross()(x, memory, *(matrices[i] for i in order))

    return function


def _model_scale(x, memory, w_q, w_k, w_v):
    scale = x.shape[-1] ** -0.5
    wrong = partial(attend, factor=lambda q, k: scale)
    return _cross(wrong)(x, memory, w_q, w_k, w_v)


def _raw_values(x, memory, w_q, w_k, w_v):
    weights = _cross()(x, memory, w_q, w_k, w_v)[1]
    return weights @ memory, weights


def _causal(mask):
    """Return cross-attention with a causal mask."""
    return _cross(lambda q, k, v: attend(q, k, v, mask(len(q), len(k))))


def _cross_case(seed, n_q, n_k, d, d_k, d_v):
    sizes = [(n_q, d), (n_k, d), (d, d_k), (d, d_k), (d, d_v)]
    return tuple(
        numbers(seed + i, *size) for i, size in enumerate(sizes, start=1)
    )


check_cross_attention = Check(
    "cross_attention(x, memory, w_q, w_k, w_v)",
    task="let the rows of `x` ask the rows of `memory`; return the output "
    "and the weights.",
    verified="output and weights for 2 queries of 3 keys, 4 of 2, and 3 of 3.",
    reference=_cross(),
    parts="output weights",
    cases=[
        _cross_case(1580, 2, 3, 2, 4, 4),
        _cross_case(190, 4, 2, 3, 5, 2),
        _cross_case(200, 3, 3, 3, 3, 3),
    ],
    mistakes=variants(
        "scale_missing scale_multiplied scale_not_root scale_length "
        "scale_queries wrong_axis whole_array keepdims keys_for_values "
        "values_for_keys no_softmax not_transposed",
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
        "keys_and_values_swapped": Mistake(
            "`w_k` and `w_v` are swapped: the keys are `memory @ w_k`, the "
            "values `memory @ w_v`.",
            _swapped(0, 2, 1),
        ),
        "queries_and_keys_swapped": Mistake(
            "`w_q` and `w_k` are swapped: the queries are `x @ w_q`, the keys "
            "`memory @ w_k`.",
            _swapped(1, 0, 2),
        ),
        "values_not_projected": Mistake(
            "The rows of `memory` are mixed as they are. Project them first: "
            "the values are `memory @ w_v`.",
            _raw_values,
        ),
        "scale_model": Mistake(
            "The scale is made from the width of `x`. Divide by the square "
            "root of d_k, the width of a *query*: `q.shape[-1]`.",
            _model_scale,
        ),
        "causal": Mistake(
            "There is a causal mask. The whole of `memory` is there from the "
            "start: every query may see all of it.",
            _causal(lambda n_q, n_k: np.tri(n_q, n_k, dtype=bool)),
            _causal(create_causal_mask),
            _causal(lambda n_q, n_k: create_causal_mask(n_q)),
        ),
    },
)


def _share(weights, alignment, hit=lambda row, o: row.argmax() in o):
    hits = [hit(row, o) for row, o in zip(weights, alignment, strict=True)]
    return float(np.mean(hits))


def _hit(hit):
    return partial(_share, hit=hit)


def _hits(change):
    """Return the number of hits, changed by what the maps look like."""
    return lambda weights, alignment: float(
        change(_share(weights, alignment) * len(alignment), weights)
    )


def _columns(pairs, by_rows):
    """Return a share of columns; `pairs` walks through both lists."""

    def function(weights, alignment):
        best = weights.argmax(axis=0)
        hits = [j in o for j, o in pairs(best, alignment)]
        return sum(hits) / len(weights if by_rows else hits)

    return function


_WALKS = (
    lambda best, alignment: zip(best, alignment, strict=False),
    lambda best, alignment: zip(best, alignment, strict=True),
    lambda best, alignment: [(best[i], o) for i, o in enumerate(alignment)],
    lambda best, alignment: [(j, alignment[i]) for i, j in enumerate(best)],
)

check_alignment_share = Check(
    "alignment_share(weights, alignment)",
    task="return the share of words whose largest weight is on a true "
    "source word.",
    verified="the share for 2, 3 and 4 words, with words that have two "
    "sources, and where every word hits.",
    reference=_share,
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
    ],
    mistakes={
        "wrong_axis": Mistake(
            "The largest weight of each *column* is taken: that asks which "
            "English word looks most at a Korean one. Take it along each "
            "row, `axis=-1`.",
            *(_columns(walk, by) for walk in _WALKS for by in (False, True)),
        ),
        "weight_on_true": Mistake(
            "This is the mean weight on the true words. The question is only "
            "whether the largest weight is there: yes or no for each word.",
            _hit(lambda row, o: row[sorted(o)].sum()),
        ),
        "one_source_only": Mistake(
            "Only one source of each word is accepted. A word may come from "
            "two, and either of them is right: `in alignment[i]`.",
            _hit(lambda row, o: row.argmax() == min(o)),
            _hit(lambda row, o: row.argmax() == max(o)),
        ),
        "as_many_as_sources": Mistake(
            "A word with two sources has two guesses: its second largest "
            "weight counts as well. Only the largest does.",
            _hit(lambda row, o: bool(o & {*np.argsort(-row)[: len(o)]})),
        ),
        "weight_looked_up": Mistake(
            "The largest *weight* is looked up among positions. Use its "
            "position: `argmax`, not `max`.",
            _hit(lambda row, o: row.max() in o),
        ),
        "never": Mistake(
            "No word is ever counted: a position is compared with a whole "
            "set, or looked for in the list of all sets. Ask for each word "
            "`j in alignment[i]`.",
            _hit(lambda row, o: False),
        ),
        "counted": Mistake(
            "This is a number of words. Divide by how many there are.",
            _hits(lambda hits, weights: hits),
        ),
        "divided_by_keys": Mistake(
            "The hits are divided by the number of source words. Divide by "
            "the number of words that look, the rows.",
            _hits(lambda hits, weights: hits / weights.shape[1]),
        ),
        "missed": Mistake(
            "This is the share of words that look elsewhere. Count those "
            "whose largest weight *is* on a source.",
            _hits(lambda hits, weights: 1 - hits / len(weights)),
        ),
        "counted_from_one": Mistake(
            "Positions are counted from 1. Both `argmax` and `alignment` "
            "count from 0.",
            _hit(lambda row, o: row.argmax() + 1 in o),
        ),
        "smallest": Mistake(
            "The *smallest* weight is looked up. Use `argmax`.",
            _hit(lambda row, o: row.argmin() in o),
        ),
        "all_or_nothing": Mistake(
            "One word that looks elsewhere makes the whole sentence count as "
            "0. The share counts each word.",
            _hits(lambda hits, weights: hits == len(weights)),
        ),
        "any_word": Mistake(
            "One word that fits makes the whole sentence count as 1. The "
            "share counts each word.",
            _hits(lambda hits, weights: hits > 0),
        ),
        "first_word_only": Mistake(
            "Only the first word is looked at: is the `return` inside the "
            "loop? It belongs after it.",
            lambda weights, alignment: weights[0].argmax() in alignment[0],
            lambda weights, alignment: (
                (weights[0].argmax() in alignment[0]) / len(weights)
            ),
        ),
    },
)
