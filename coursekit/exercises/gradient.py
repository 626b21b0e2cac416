"""Exercise of chapter 5: the gradient with respect to a temperature."""

import numpy as np

from coursekit.checks import Check, Mistake, numbers

__all__ = ["check_scale_gradient"]

DS = "weights * (da - c)"


def sized(seed, n_q, n_k, d_k, d_v, scale):
    """Return queries, keys, values, a gradient and a scale."""
    sizes = [(n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v)]
    arrays = (numbers(seed + i, *size) for i, size in enumerate(sizes))
    return (*arrays, scale)


check_scale_gradient = Check(
    "scale_gradient(q, k, v, d_out, scale)",
    task="return the slope of the loss with respect to `scale`, one number.",
    verified="the slope for three sizes and three scales.",
    right=f"""
def scale_gradient(q, k, v, d_out, scale):
    products = q @ k.T
    weights = al.softmax(scale * products)
    da = d_out @ v.T
    c = (weights * da).sum(axis=-1, keepdims=True)
    ds = {DS}
    return (ds * products).sum()
""",
    parts="slope",
    cases=[
        (
            np.array([[2.0, 0.0], [1.0, -1.0]]),
            np.array([[1.0, 1.0], [0.0, 2.0], [-1.0, 1.0]]),
            np.array([[5.0], [-3.0], [2.0]]),
            np.array([[1.0], [2.0]]),
            0.5,
        ),
        sized(230, 3, 3, 3, 3, 0.25),
        sized(240, 4, 2, 3, 1, 2.0),
    ],
    mistakes={
        "no_mean": Mistake(
            "The row's weighted mean is not subtracted. The weights of a row "
            "share 1, so one can only grow at the cost of the others: dS is "
            "A * (dA - c), where c is the sum of A * dA over the row.",
            {"(da - c)": "da"},
        ),
        "plain_mean": Mistake(
            "The plain mean of the row is subtracted. c is the mean "
            "*weighted* by A: the sum of A * dA over the row.",
            {"(weights * da).sum": "da.mean"},
        ),
        "mean_of_columns": Mistake(
            "The sum c runs over the queries. Each query has its own c, the "
            "sum over its *keys*: `sum(axis=-1, keepdims=True)`.",
            {"axis=-1": "axis=0"},
        ),
        "whole_array": Mistake(
            "There is one c for the whole array. Each query has its own: "
            "`sum(axis=-1, keepdims=True)`.",
            {"axis=-1, keepdims=True": ""},
        ),
        "no_weights": Mistake(
            "The factor A is missing in dS, which is A * (dA - c).",
            {DS: "da - c"},
        ),
        "softmax_forgotten": Mistake(
            "The gradient of the weights is used for the scores. The softmax "
            "lies between them: dS is A * (dA - c).",
            {DS: "da"},
        ),
        "scores_for_products": Mistake(
            "The gradient dS is multiplied by the scores, which hold the "
            "scale already. A score is scale times product, so its slope with "
            "respect to the scale is the *product* alone.",
            {"ds * products": "ds * scale * products"},
        ),
        "scale_ignored": Mistake(
            "The weights are made without the scale: the scores are "
            "`scale * products`.",
            {"scale * products": "products"},
        ),
        "scale_root": Mistake(
            "The scores are divided by the square root of d_k. Here `scale` "
            "takes its place: the scores are `scale * products`.",
            {"scale * products": "products / np.sqrt(q.shape[-1])"},
            {"scale * products": "scale * products / np.sqrt(q.shape[-1])"},
        ),
        "mean_for_sum": Mistake(
            "This is a mean over all pairs. Every score uses the same scale, "
            "so their shares are *added*.",
            {"(ds * products).sum()": "(ds * products).mean()"},
        ),
        "products_forgotten": Mistake(
            "The rows of dS are just added up, which gives 0. Each score "
            "grows by its own product when the scale grows by 1: multiply "
            "by `q @ k.T` first.",
            {"ds * products": "ds"},
        ),
        "weights_for_products": Mistake(
            "The gradient dS is multiplied by the weights. Multiply by the "
            "products `q @ k.T`: each score grows by its product when the "
            "scale grows by 1.",
            {"ds * products": "ds * weights"},
        ),
    },
)
