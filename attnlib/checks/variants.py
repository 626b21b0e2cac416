"""Attention with one thing wrong: the mistakes that several checks share."""

from functools import partial

import numpy as np

import attnlib.checks.mistakes as say
from attnlib.checks.engine import Mistake
from attnlib.ops import softmax

__all__ = ["attend", "plain_softmax", "variants"]


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
    mix=lambda weights, k, v: weights @ v,
):
    """Attend, right by default; each step can be replaced by a wrong one."""
    scores = score(q, k, v) * factor(q, k)
    if mask is not None:
        scores = hide(scores, mask)
    weights = share(scores)
    if mask is not None:
        weights = after(weights, mask)
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


def powers_of(scores):
    """Return exponentials that do not overflow; zeros for an empty row."""
    top = scores.max(axis=-1, keepdims=True)
    return np.exp(scores - np.where(np.isneginf(top), 0, top))


def divided(powers, total):
    """Divide, but not by zero: an empty row stays zero."""
    return powers / np.where(total == 0, 1, total)


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
    "not_transposed": (
        say.NOT_TRANSPOSED,
        {"score": lambda q, k, v: q @ k},
    ),
    "batch_transposed": (
        say.BATCH_TRANSPOSED,
        {"score": lambda q, k, v: q @ k.T},
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
