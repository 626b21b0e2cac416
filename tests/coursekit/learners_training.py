"""Answers of chapter 5, training and gradient: see learners_intuition."""

RIGHT = {
    "mean_loss": [
        "lambda a, t, pad: np.average(a, weights=t != pad)",
        "lambda a, t, pad: np.nanmean(np.where(t == pad, np.nan, a))",
        "lambda a, t, pad: (a * (t != pad)).sum() / np.sum(t != pad)",
        """
def mean_loss(losses, targets, pad):
    total, count = 0.0, 0
    for row, words in zip(losses, targets):
        for loss, word in zip(row, words):
            if word != pad:
                total += loss
                count += 1
    return total / count
""",
    ],
    "scale_gradient": [
        """
def slope(q, k, v, g, scale):
    p = q @ k.T
    w = al.softmax(scale * p)
    c = (g * (w @ v)).sum(-1, keepdims=True)
    return np.sum(w * (g @ v.T - c) * p)
""",
        """
def slope(q, k, v, g, scale, eps=1e-6):
    def loss(s):
        return (g * (al.softmax(s * q @ k.T) @ v)).sum()
    return (loss(scale + eps) - loss(scale - eps)) / (2 * eps)
""",
    ],
}


def loss(counts="word != pad", add="total += loss; count += 1", end=""):
    """Return the mean loss in loops, with one of its lines changed."""
    return f"""
def mean_loss(losses, targets, pad):
    total, count = 0.0, 0
    for row, words in zip(losses, targets):
        for loss, word in zip(row, words):
            if {counts}:
                {add}
    {end}return total / count
"""


def slope(
    ds="w * (da - c)",
    c="(w * da).sum(-1, keepdims=True)",
    w="s * p",
    end="(ds * p).sum()",
):
    """Return the slope in the scale, with one of its steps changed."""
    return f"""
def slope(q, k, v, g, s):
    p = q @ k.T
    w = al.softmax({w})
    da = g @ v.T
    c = {c}
    ds = {ds}
    return {end}
"""


WRONG = {
    "mean_loss": {
        "padding_counted": [
            "lambda a, t, pad: np.mean(a)",
            "lambda a, t, pad: a[t is not pad].mean()",
        ],
        "minus_hundred": [
            "lambda a, t, pad: a[t != -100].mean()",
            loss("word != -100"),
        ],
        "zero_for_pad": ["lambda a, t, pad: a[t > 0].mean()", loss("word")],
        "larger_than_pad": [
            "lambda a, t, pad: a[t > pad].mean()",
            loss("word > pad"),
            loss("word > pad").replace("count = 0.0, 0", "count = 0, 0"),
        ],
        "divided_by_all": [
            "lambda a, t, pad: np.where(t == pad, 0, a).mean()"
        ],
        "mean_of_sentences": [
            """
def f(losses, targets, pad):
    real = targets != pad
    return ((losses * real).sum(axis=1) / real.sum(axis=1)).mean()
"""
        ],
        "one_sentence": [loss(end="    "), loss(end="        ")],
        "row_at_once": [
            """
def f(losses, targets, pad):
    kept = []
    for loss, target in zip(losses, targets):
        if target != pad:
            kept.append(loss)
    return np.mean(kept)
"""
        ],
        "targets_averaged": ["lambda a, t, pad: np.mean(t[t != pad])"],
        "summed": ["lambda a, t, pad: sum(a[t != pad])"],
        "inverted": ["lambda a, t, pad: a[t == pad].mean()"],
        "losses_compared": ["lambda a, t, pad: a[a != pad].mean()"],
        "zero_losses_left_out": [
            loss(add="total += loss; count += loss > 0"),
            """
def f(losses, targets, pad):
    kept = losses * (targets != pad)
    return kept.sum() / np.count_nonzero(kept)
""",
        ],
        "divided_by_sentences": [
            "lambda a, t, pad: a[t != pad].sum() / a.shape[0]"
        ],
        "divided_by_length": [
            "lambda a, t, pad: a[t != pad].sum() / len(a[0])"
        ],
    },
    "scale_gradient": {
        "no_mean": [slope("w * da")],
        "plain_mean": [slope(c="da.mean(-1, keepdims=True)")],
        "mean_of_columns": [slope(c="(w * da).sum(0)")],
        "whole_array": [slope(c="(w * da).sum()")],
        "no_weights": [slope("da - c")],
        "softmax_forgotten": [slope("da")],
        "scores_for_products": [slope(end="(ds * s * p).sum()")],
        "scale_ignored": [slope(w="p")],
        "scale_root": [slope(w="p / np.sqrt(len(q.T))")],
        "mean_for_sum": [slope(end="np.mean(ds * p)")],
        "products_forgotten": [slope(end="ds.sum()")],
        "weights_for_products": [slope(end="np.sum(ds * w)")],
    },
}
