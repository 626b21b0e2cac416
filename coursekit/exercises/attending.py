"""Attention with one thing wrong: the mistakes that several exercises share.

An exercise whose right source has the lines of `ATTEND` (or some of them, as
they stand) takes the mistakes that lie in them from `mistakes`.
"""

import textwrap

from coursekit.checks import Mistake
from coursekit.exercises import say

MASK = "scores = np.where(mask, scores, -np.inf)\n"
SHARE = """\
peak = scores.max(axis=-1, keepdims=True)
peak = np.where(np.isneginf(peak), 0, peak)
powers = np.exp(scores - peak)
total = powers.sum(axis=-1, keepdims=True)
weights = powers / np.where(total == 0, 1, total)
"""
SCALE = " / np.sqrt(q.shape[-1])"
ATTEND = f"""\
scores = q @ k.swapaxes(-1, -2){SCALE}
{MASK}{SHARE}output = weights @ v
"""

DIVIDE = "powers / np.where(total == 0, 1, total)"
EMPTY = "np.where(np.isneginf(peak), 0, peak)"  # where all is hidden
HIDE = "np.where(mask, scores, -np.inf)"
MAX = "scores.max(axis=-1, keepdims=True)"
TRANSPOSED = "k.swapaxes(-1, -2)"
TIMES_MASK = " * (1 if mask is None else mask)"

# Textbook code, which does not look out for rows where all is hidden.
CARELESS = {EMPTY: "peak", DIVIDE: "powers / total"}


def lines(code, indent=4):
    """Return lines of code, indented to stand in a function."""
    return textwrap.indent(code, " " * indent)


def scaled_by(number):
    """Return the edit that takes another number in place of the width."""
    return {"np.sqrt(q.shape[-1])": number}


def subtracted(peak):
    """Return the edits that subtract something else than the maximum."""
    plain = {MAX: peak, DIVIDE: "powers / total"}
    return {MAX: peak}, plain, {MAX: peak} | CARELESS


KNOWN = {
    "scale_missing": Mistake(say.SCALE_MISSING, {SCALE: ""}),
    "scale_multiplied": Mistake(
        say.SCALE_MULTIPLIED, {SCALE: " * np.sqrt(q.shape[-1])"}
    ),
    "scale_not_root": Mistake(say.SCALE_NOT_ROOT, scaled_by("q.shape[-1]")),
    "scale_half": Mistake(
        say.SCALE_HALF,
        scaled_by("q.shape[-1] ** 1 / 2"),
        scaled_by("(q.shape[-1] ** 1 / 2)"),
    ),
    "scale_length": Mistake(
        say.SCALE_LENGTH,
        scaled_by("np.sqrt(k.shape[-2])"),
        scaled_by("np.sqrt(len(k))"),
    ),
    "scale_queries": Mistake(
        say.SCALE_QUERIES,
        scaled_by("np.sqrt(q.shape[-2])"),
        scaled_by("np.sqrt(len(q))"),
    ),
    "scale_values": Mistake(
        say.SCALE_VALUES, scaled_by("np.sqrt(v.shape[-1])")
    ),
    "scale_after": Mistake(
        say.SCALE_AFTER,
        {SCALE: "", DIVIDE: DIVIDE + SCALE},
        {SCALE: "", "output = weights @ v": "output = weights @ v" + SCALE},
    ),
    "wrong_axis": Mistake(
        say.WRONG_AXIS, {"axis=-1": "axis=-2"}, {"axis=-1": "axis=0"}
    ),
    "axis_one": Mistake(say.AXIS_ONE, {"axis=-1": "axis=1"}),
    "whole_array": Mistake(say.WHOLE_ARRAY, {"axis=-1, keepdims=True": ""}),
    "keepdims": Mistake(
        say.KEEPDIMS,
        {"powers.sum(axis=-1, keepdims=True)": "powers.sum(axis=-1)"},
        {
            "powers.sum(axis=-1, keepdims=True)": "powers.sum(axis=-1)",
            DIVIDE: "powers / total",
        },
        {
            "powers.sum(axis=-1, keepdims=True)": "powers.sum(axis=-1)",
            DIVIDE: "powers / total",
            "scores - peak": "scores",
        },
    ),
    "no_softmax": Mistake(say.NO_SOFTMAX, {DIVIDE: "scores"}),
    "not_normalised": Mistake(
        say.NOT_NORMALISED,
        {DIVIDE: "powers"},
        {DIVIDE: "powers", "scores - peak": "scores"},
    ),
    "no_exponential": Mistake(
        say.NO_EXPONENTIAL,
        {DIVIDE: "scores / scores.sum(axis=-1, keepdims=True)"},
        {"np.exp(scores - peak)": "(scores - peak)"},
    ),
    "no_maximum": Mistake(
        say.NO_MAXIMUM,
        {"scores - peak": "scores"},
        {"scores - peak": "scores", DIVIDE: "powers / total"},
    ),
    "nan_hidden": Mistake(
        say.NAN_HIDDEN,
        {
            "scores - peak": "scores",
            DIVIDE: "np.nan_to_num(powers / total)",
        },
    ),
    "global_maximum": Mistake(say.GLOBAL_MAXIMUM, *subtracted("scores.max()")),
    "not_maximum": Mistake(
        say.NOT_MAXIMUM,
        *subtracted("scores.min(axis=-1, keepdims=True)"),
        *subtracted("scores.mean(axis=-1, keepdims=True)"),
        *subtracted("np.median(scores, axis=-1, keepdims=True)"),
    ),
    "far_below_zero": Mistake(
        say.FAR_BELOW_ZERO,
        *subtracted("scores.max(axis=-1, keepdims=True, initial=0)"),
        *subtracted("abs(scores).max(axis=-1, keepdims=True)"),
    ),
    "max_keepdims": Mistake(
        say.MAX_KEEPDIMS,
        *subtracted("scores.max(axis=-1)"),
        {"axis=-1, keepdims=True": "axis=-1"},
    ),
    "max_axis": Mistake(
        say.MAX_AXIS,
        *subtracted("scores.max(axis=0, keepdims=True)"),
        *subtracted("scores.max(axis=-2, keepdims=True)"),
    ),
    "not_transposed": Mistake(say.NOT_TRANSPOSED, {TRANSPOSED: "k"}),
    "batch_transposed": Mistake(say.BATCH_TRANSPOSED, {TRANSPOSED: "k.T"}),
    "torch_transpose": Mistake(
        say.TORCH_TRANSPOSE,
        {TRANSPOSED: "k.transpose(-2, -1)"},
        {TRANSPOSED: "(k.T if k.ndim == 2 else k.transpose(-2, -1))"},
        {TRANSPOSED: "(k.T if k.ndim == 2 else k.transpose(1, 2))"},
    ),
    "batch_counted": Mistake(
        say.BATCH_COUNTED,
        {TRANSPOSED: "(k.T if k.ndim == 2 else k.transpose(0, 2, 1))"},
        {TRANSPOSED: "(k.T if k.ndim == 2 else k.swapaxes(1, 2))"},
        {TRANSPOSED: "k.transpose(0, 2, 1)"},
        {TRANSPOSED: "k.swapaxes(1, 2)"},
        {TRANSPOSED: "k.swapaxes(0, 1)"},
    ),
    "elementwise": Mistake(
        say.ELEMENTWISE,
        {f"q @ {TRANSPOSED}": "q * k"},
        {f"q @ {TRANSPOSED}": "k * q"},
    ),
    "scores_transposed": Mistake(
        say.SCORES_TRANSPOSED,
        {f"q @ {TRANSPOSED}": "k @ q.swapaxes(-1, -2)"},
    ),
    "np_dot": Mistake(
        say.NP_DOT,
        {f"q @ {TRANSPOSED}": f"np.dot(q, {TRANSPOSED})"},
        {"weights @ v": "np.dot(weights, v)"},
        {
            f"q @ {TRANSPOSED}": f"np.dot(q, {TRANSPOSED})",
            "weights @ v": "np.dot(weights, v)",
        },
    ),
    "values_for_keys": Mistake(
        say.VALUES_FOR_KEYS, {TRANSPOSED: "v.swapaxes(-1, -2)"}
    ),
    "keys_for_values": Mistake(
        say.KEYS_FOR_VALUES, {"weights @ v": "weights @ k"}
    ),
    "no_values": Mistake(say.NO_VALUES, {"weights @ v": "weights"}),
    "not_summed": Mistake(say.NOT_SUMMED, {"weights @ v": "weights * v"}),
    "values_first": Mistake(say.VALUES_FIRST, {"weights @ v": "v @ weights"}),
    "softmax_twice": Mistake(
        say.SOFTMAX_TWICE, {DIVIDE: f"al.softmax({DIVIDE})"}
    ),
    "mask_ignored": Mistake(say.MASK_IGNORED, {HIDE: "scores"}),
    "mask_after": Mistake(
        say.MASK_AFTER, {HIDE: "scores", DIVIDE: DIVIDE + TIMES_MASK}
    ),
    "mask_renormalised": Mistake(
        say.MASK_RENORMALISED,
        {HIDE: "scores", "scores - peak)": "scores - peak)" + TIMES_MASK},
        {
            HIDE: "scores",
            "scores - peak)": "scores - peak)" + TIMES_MASK,
            DIVIDE: "powers / total",
        },
    ),
    "mask_inverted": Mistake(
        say.MASK_INVERTED,
        {HIDE: "np.where(mask, -np.inf, scores)"},
        {HIDE: "np.where(mask, -np.inf, scores)"} | CARELESS,
        {HIDE: "np.where(mask, -1e9, scores)"},
    ),
    "mask_zero": Mistake(say.MASK_ZERO, {HIDE: "np.where(mask, scores, 0.0)"}),
    "mask_times_infinity": Mistake(
        say.MASK_TIMES_INFINITY,
        {HIDE: "scores + ~mask * -np.inf"},
        {HIDE: "scores + ~mask * -np.inf"} | CARELESS,
        {HIDE: "scores + ~mask * -np.inf", DIVIDE: "al.softmax(scores)"},
    ),
    "mask_plus_infinity": Mistake(
        say.MASK_PLUS_INFINITY,
        {HIDE: "np.where(mask, scores, np.inf)"},
        {HIDE: "np.where(mask, scores, np.inf)"} | CARELESS,
        {HIDE: "np.where(mask, scores, np.inf)", "isneginf": "isinf"},
    ),
    "mask_index": Mistake(
        say.MASK_INDEX,
        {MASK: "scores[~mask] = -np.inf\n"},
        {MASK: "scores[~mask] = -1e9\n"},
    ),
    "mask_added": Mistake(say.MASK_ADDED, {HIDE: "scores + mask"}),
    "queries_masked": Mistake(
        say.QUERIES_MASKED,
        {HIDE: "np.where(mask.swapaxes(-1, -2), scores, -np.inf)"},
        {HIDE: "np.where(mask.swapaxes(-1, -2), scores, -np.inf)"} | CARELESS,
    ),
    "empty_row_nan": Mistake(say.EMPTY_ROW_NAN, CARELESS),
    "empty_row_uniform": Mistake(
        say.EMPTY_ROW_UNIFORM, {HIDE: "np.where(mask, scores, -1e9)"}
    ),
    "empty_row_added": Mistake(
        say.EMPTY_ROW_ADDED, {HIDE: "scores + np.where(mask, 0.0, -1e9)"}
    ),
}


def mistakes(names):
    """Return the shared mistakes of these names, with a space between them."""
    return {name: KNOWN[name] for name in names.split()}
