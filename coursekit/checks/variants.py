"""Attention with one thing wrong: the mistakes that several checks share."""

from functools import partial

import numpy as np

import coursekit.checks.mistakes as say
from attnlib.ops import softmax
from coursekit.checks.engine import Mistake

__all__ = ["WRONG", "attend", "causes_nan", "plain_softmax", "variants"]


def swap(x):
    """Transpose the last two axes."""
    return x.swapaxes(-1, -2)


def plain_softmax(scores, axis=-1):
    """Return the softmax as in the textbook, which overflows."""
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)


def attend(
    q,
    k,
    v,
    mask=None,
    *,
    factor=lambda q, k: q.shape[-1] ** -0.5,
    score=lambda q, k, v: q @ swap(k),
    hide=lambda scores, mask: np.where(mask, scores, -np.inf),
    share=softmax,
    after=lambda weights, mask: weights,
    last=lambda weights, q: weights,
    mix=lambda weights, k, v: weights @ v,
):
    """Attend, right by default; each step can be replaced by a wrong one."""
    scores = score(q, k, v) * factor(q, k)
    if mask is not None:
        scores = hide(scores, mask)
    weights = share(scores)
    if mask is not None:
        weights = after(weights, mask)
    weights = last(weights, q)
    return mix(weights, k, v), weights


def ignore(scores, mask):
    """Leave the scores, or weights, as they are."""
    return scores


def again(weights, mask):
    """Hide weights and divide by what is left."""
    weights = weights * mask
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def causes_nan(scores):
    """Return a stable softmax that does not look out for empty rows."""
    return plain_softmax(scores - scores.max(axis=-1, keepdims=True))


def finite(peak):
    """Replace -inf, where everything is hidden, by 0."""
    return np.where(np.isneginf(peak), 0, peak)


def top_of(scores, axis=-1, keepdims=True):
    """Return the maximum of each row, and 0 for an empty one."""
    return finite(scores.max(axis=axis, keepdims=keepdims))


def powers_of(scores):
    """Return exponentials that do not overflow; zeros for an empty row."""
    return np.exp(scores - top_of(scores))


def divided(powers, total):
    """Divide, but not by zero: an empty row stays zero."""
    return powers / np.where(total == 0, 1, total)


def shared(powers):
    """Divide the powers of each row by their sum, if it is not zero."""
    return divided(powers, powers.sum(axis=-1, keepdims=True))


def less(peak):
    """Return two ways to share scores out, after subtracting `peak`.

    One does not look out for sums of 0, the other does.
    """
    return (
        {"share": lambda s: plain_softmax(s - peak(s))},
        {"share": lambda s: shared(np.exp(s - peak(s)))},
    )


def no_keepdims(s):
    """Forget `keepdims` in the maximum and in the sum."""
    p = np.exp(s - top_of(s, keepdims=False))
    return divided(p, p.sum(axis=-1))


def put(scores, mask):
    """Set hidden scores by an index that counts axes from the front."""
    scores = scores.copy()
    scores[~mask] = -np.inf
    return scores


def times_infinity(scores, mask):
    """Add minus infinity times the hidden places: 0 times it is NaN."""
    return scores + ~mask * -np.inf


# name: what to say, and one or more ways to make the mistake
WRONG = {
    "scale_missing": (say.SCALE_MISSING, {"factor": lambda q, k: 1.0}),
    "scale_multiplied": (
        say.SCALE_MULTIPLIED,
        {"factor": lambda q, k: q.shape[-1] ** 0.5},
    ),
    "scale_not_root": (
        say.SCALE_NOT_ROOT,
        {"factor": lambda q, k: 1 / q.shape[-1]},
    ),
    "scale_length": (
        say.SCALE_LENGTH,
        {"factor": lambda q, k: k.shape[-2] ** -0.5},
        {"factor": lambda q, k: len(k) ** -0.5},
    ),
    "scale_queries": (
        say.SCALE_QUERIES,
        {"factor": lambda q, k: q.shape[-2] ** -0.5},
        {"factor": lambda q, k: len(q) ** -0.5},
    ),
    "scale_values": (
        say.SCALE_VALUES,
        {
            "factor": lambda q, k: 1.0,
            "score": lambda q, k, v: q @ swap(k) * v.shape[-1] ** -0.5,
        },
    ),
    "scale_after": (
        say.SCALE_AFTER,
        {
            "factor": lambda q, k: 1.0,
            "last": lambda weights, q: weights * q.shape[-1] ** -0.5,
        },
        {
            "factor": lambda q, k: 1.0,
            "mix": lambda weights, k, v: weights @ v * k.shape[-1] ** -0.5,
        },
    ),
    "wrong_axis": (
        say.WRONG_AXIS,
        {"share": partial(softmax, axis=-2)},
        {"share": partial(softmax, axis=0)},
    ),
    "whole_array": (
        say.WHOLE_ARRAY,
        {"share": lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum()},
    ),
    "keepdims": (
        say.KEEPDIMS,
        {"share": lambda s: (p := np.exp(s)) / p.sum(axis=-1)},
        {"share": lambda s: (p := powers_of(s)) / p.sum(axis=-1)},
        {"share": lambda s: divided(p := powers_of(s), p.sum(axis=-1))},
    ),
    "no_softmax": (say.NO_SOFTMAX, {"share": lambda s: s}),
    "not_normalised": (
        say.NOT_NORMALISED,
        {"share": np.exp},
        {"share": powers_of},
    ),
    "no_maximum": (
        say.NO_MAXIMUM,
        {"share": plain_softmax},
        {
            "share": lambda s: divided(
                p := np.exp(s), p.sum(axis=-1, keepdims=True)
            )
        },
    ),
    "nan_hidden": (
        say.NAN_HIDDEN,
        {"share": lambda s: np.nan_to_num(plain_softmax(s))},
    ),
    "global_maximum": (
        say.GLOBAL_MAXIMUM,
        *less(lambda s: s.max()),
    ),
    "not_maximum": (
        say.NOT_MAXIMUM,
        *less(lambda s: finite(s.min(axis=-1, keepdims=True))),
        *less(lambda s: finite(s.mean(axis=-1, keepdims=True))),
        *less(lambda s: s.min(axis=-1, keepdims=True)),
        *less(lambda s: s.mean(axis=-1, keepdims=True)),
        *less(lambda s: np.median(s, axis=-1, keepdims=True)),
    ),
    "far_below_zero": (
        say.FAR_BELOW_ZERO,
        *less(lambda s: s.max(axis=-1, keepdims=True, initial=0)),
    ),
    "max_keepdims": (
        say.MAX_KEEPDIMS,
        *less(lambda s: top_of(s, keepdims=False)),
        {"share": no_keepdims},
    ),
    "max_axis": (
        say.MAX_AXIS,
        *less(lambda s: top_of(s, axis=0)),
        *less(lambda s: top_of(s, axis=-2)),
    ),
    "not_transposed": (
        say.NOT_TRANSPOSED,
        {"score": lambda q, k, v: q @ k},
    ),
    "batch_transposed": (
        say.BATCH_TRANSPOSED,
        {"score": lambda q, k, v: q @ k.T},
    ),
    "batch_counted": (
        say.BATCH_COUNTED,
        {
            "score": lambda q, k, v: (
                q @ (k.T if k.ndim == 2 else k.transpose(0, 2, 1))
            )
        },
        {
            "score": lambda q, k, v: (
                q @ (k.T if k.ndim == 2 else k.swapaxes(1, 2))
            )
        },
    ),
    "values_for_keys": (
        say.VALUES_FOR_KEYS,
        {"score": lambda q, k, v: q @ swap(v)},
    ),
    "keys_for_values": (
        say.KEYS_FOR_VALUES,
        {"mix": lambda weights, k, v: weights @ k},
    ),
    "no_values": (say.NO_VALUES, {"mix": lambda weights, k, v: weights}),
    "mask_ignored": (say.MASK_IGNORED, {"hide": ignore}),
    "mask_after": (
        say.MASK_AFTER,
        {"hide": ignore, "after": lambda w, mask: w * mask},
    ),
    "mask_renormalised": (
        say.MASK_RENORMALISED,
        {"hide": ignore, "after": again},
        {
            "hide": ignore,
            "after": lambda w, mask: (
                w * mask / (w * mask).sum(axis=-1, keepdims=True)
            ),
        },
    ),
    "mask_inverted": (
        say.MASK_INVERTED,
        {"hide": lambda s, mask: np.where(mask, -np.inf, s)},
        {
            "hide": lambda s, mask: np.where(mask, -np.inf, s),
            "share": causes_nan,
        },
        {"hide": lambda s, mask: np.where(mask, -1e9, s)},
    ),
    "mask_zero": (
        say.MASK_ZERO,
        {"hide": lambda s, mask: np.where(mask, s, 0.0)},
    ),
    "mask_times_infinity": (
        say.MASK_TIMES_INFINITY,
        {"hide": times_infinity},
        {"hide": times_infinity, "share": lambda s: shared(powers_of(s))},
        {"hide": times_infinity, "share": causes_nan},
    ),
    "mask_index": (say.MASK_INDEX, {"hide": put}),
    "mask_added": (say.MASK_ADDED, {"hide": lambda s, mask: s + mask}),
    "queries_masked": (
        say.QUERIES_MASKED,
        {"hide": lambda s, mask: np.where(swap(mask), s, -np.inf)},
        {
            "hide": lambda s, mask: np.where(swap(mask), s, -np.inf),
            "share": causes_nan,
        },
    ),
    "empty_row_nan": (say.EMPTY_ROW_NAN, {"share": causes_nan}),
    "empty_row_uniform": (
        say.EMPTY_ROW_UNIFORM,
        {"hide": lambda s, mask: np.where(mask, s, -1e9)},
    ),
    "empty_row_added": (
        say.EMPTY_ROW_ADDED,
        {"hide": lambda s, mask: s + np.where(mask, 0.0, -1e9)},
    ),
}


def variants(names, adapt=lambda attend: attend):
    """Return the mistakes of these names, with words, by name.

    `adapt` turns an attention of q, k, v and mask into a function with the
    arguments of the exercise.
    """
    found = {}
    for name in names.split():
        words, *ways = WRONG[name]
        functions = (adapt(partial(attend, **way)) for way in ways)
        found[name] = Mistake(words, *functions)
    return found
