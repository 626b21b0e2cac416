"""Exercise of chapter 5: the gradient of attention."""

import numpy as np

from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises import say

__all__ = ["check_attention_gradient"]

BACK = "(dw - r) * scale"


def sized(seed, n_q, n_k, d_k, d_v):
    """Return queries, keys, values and a gradient of these sizes."""
    sizes = [(n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v)]
    return tuple(numbers(seed + i, *size) for i, size in enumerate(sizes))


def unscaled(edit):
    """Return an edit, alone and with the scale forgotten on the way back."""
    return edit, {BACK: "(dw - r)"} | edit


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
            *unscaled({"(dw - r)": "dw"}),
        ),
        "plain_mean": Mistake(
            "The plain mean of the row is subtracted. r is the mean "
            "*weighted* by W: the sum of W * dW over the row.",
            *unscaled({"(weights * dw).sum": "dw.mean"}),
        ),
        "plain_sum": Mistake(
            "The plain sum of the row is subtracted. r is the sum of W * dW: "
            "multiply by the weights before you sum.",
            *unscaled({"(weights * dw).sum": "dw.sum"}),
        ),
        "mean_for_sum": Mistake(
            "The mean of W * dW is subtracted. r is their *sum*: the weights "
            "already sum to one.",
            *unscaled({"dw).sum": "dw).mean"}),
        ),
        "mean_of_columns": Mistake(
            "The sum r runs over the queries. Each query has its own r, the "
            "sum over its *keys*: `sum(axis=-1, keepdims=True)`.",
            *unscaled({"axis=-1": "axis=0"}),
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
            *unscaled({", keepdims=True": ""}),
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
