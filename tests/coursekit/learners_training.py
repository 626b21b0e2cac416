"""Answers of chapter 5, training and gradient: see learners_intuition."""

RIGHT = {
    "teacher_forcing": [
        "lambda t: ([r[:-1].tolist() for r in t], [list(r[1:]) for r in t])",
        "lambda t: (np.delete(t, -1, axis=1), np.roll(t, -1, 1)[:, :-1])",
        """
def shift(target):
    n = target.shape[1]
    inputs = target[:, : n - 1]
    targets = target[:, 1:n]
    return inputs, targets
""",
    ],
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
    "attention_gradient": [
        """
def gradient(q, k, v, g):
    y, w = al.scaled_dot_product_attention(q, k, v)
    r = (g * y).sum(-1, keepdims=True)
    ds = w * (g @ v.T - r) / np.sqrt(k.shape[-1])
    return ds @ k, ds.T @ q, w.T @ g
""",
        """
def gradient(q, k, v, g):
    w = al.softmax(q @ k.T / np.sqrt(q.shape[1]))
    ds = np.array([(np.diag(a) - np.outer(a, a)) @ (v @ b)
                   for a, b in zip(w, g)]) / np.sqrt(q.shape[1])
    return ds @ k, (q.T @ ds).T, (g.T @ w).T
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


def gradient(
    ds="w * (dw - r) / d",
    r="np.sum(w * dw, 1, keepdims=True)",
    out="ds @ k, ds.T @ q, w.T @ g",
    w="q @ k.T / d",
    dw="g @ v.T",
):
    """Return the gradients of attention, with one step changed."""
    return f"""
def gradient(q, k, v, g):
    d = math.sqrt(q.shape[1])
    w = al.softmax({w})
    dw = {dw}
    r = {r}
    ds = {ds}
    return {out}
"""


WRONG = {
    "teacher_forcing": {
        "not_shifted": ["lambda t: (t, t.copy())"],
        "copy": ["lambda t: (t[:, :-1],) * 2"],
        "answers_given": ["lambda t: (t[:, 1:], t[:, 1:])"],
        "wrong_way": ["lambda t: (t[:, 1:], t[:, :-1])"],
        "rows_cut": ["lambda t: (t[:-1], t[1:])"],
        "one_word": [
            "lambda t: (t[:, :-1], t[:, -1])",
            "lambda t: (t[:, -1], t[:, 1])",
        ],
        "inputs_whole": ["lambda t: (t, np.delete(t, 0, axis=1))"],
        "targets_whole": ["lambda t: (np.delete(t, -1, axis=1), t)"],
        "rolled": ["lambda t: (t, np.roll(t, -1, 1))"],
        "two_apart": ["lambda t: (t[:, :-2], t[:, 2:])"],
        "start_lost": ["lambda t: (t[:, 1:-1], t[:, 2:])"],
    },
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
    "attention_gradient": {
        "no_mean": [gradient("w * dw / d"), gradient("w * dw")],
        "plain_mean": [gradient(r="dw.mean(axis=-1, keepdims=True)")],
        "plain_sum": [gradient(r="dw.sum(axis=-1, keepdims=True)")],
        "mean_for_sum": [gradient(r="(w * dw).mean(-1, keepdims=True)")],
        "mean_of_columns": [gradient(r="(w * dw).sum(axis=0)")],
        "whole_array": [gradient(r="(w * dw).sum()")],
        "keepdims": [gradient(r="(w * dw).sum(axis=-1)")],
        "no_weights": [gradient("(dw - r) / d")],
        "brackets": [gradient("(w * dw - r) / d")],
        "softmax_forgotten": [gradient("dw / d")],
        "scale_missing": [gradient("w * (dw - r)")],
        "scale_not_root": [
            gradient("w * (dw - r) / len(k[0])"),
            gradient(out="ds @ k / d, ds.T @ q / d, w.T @ g"),
        ],
        "scale_multiplied": [gradient("w * (dw - r) * d")],
        "scale_half": [
            gradient("w * (dw - r) / q.shape[1] ** 1 / 2"),
            gradient().replace("math.sqrt(q.shape[1])", "q.shape[1] ** 1/2"),
        ],
        "forward_scale_missing": [gradient(w="q @ k.T")],
        "forward_not_transposed": [gradient(w="q @ k.transpose(-2, -1) / d")],
        "keys_not_scaled": [
            gradient("w * (dw - r)", out="ds @ k / d, ds.T @ q, w.T @ g")
        ],
        "queries_not_scaled": [
            gradient("w * (dw - r)", out="ds @ k, ds.T @ q / d, w.T @ g")
        ],
        "values_scaled": [gradient(out="ds @ k, ds.T @ q, w.T @ g / d")],
        "keys_not_transposed": [gradient(out="ds @ k, ds @ q, w.T @ g")],
        "values_not_transposed": [gradient(out="ds @ k, ds.T @ q, w @ g")],
        "weights_not_transposed": [gradient(dw="g @ v")],
        "own_side": [gradient(out="ds @ q, ds.T @ k, w.T @ g")],
        "swapped": [gradient(out="ds.T @ q, ds @ k, w.T @ g")],
    },
}
