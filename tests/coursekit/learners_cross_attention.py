"""What learners write in chapter 5, made without a look at the edits.

`RIGHT` holds right answers in several styles, `WRONG` wrong ones with the
mistake that the check should name.
"""

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
    "cross_attention": [
        """
def cross(x, memory, w_q, w_k, w_v):
    q = x @ w_q
    k = memory @ w_k
    v = memory @ w_v
    scores = np.einsum("id,jd->ij", q, k) / math.sqrt(q.shape[1])
    e = np.exp(scores)
    weights = e / e.sum(axis=1, keepdims=True)
    return weights @ v, weights
""",
        "lambda x, m, a, b, c: "
        "al.scaled_dot_product_attention(x @ a, m @ b, m @ c)",
        """
def cross(x, m, a, b, c):
    w = al.softmax(x @ a @ (m @ b).T * a.shape[1] ** -0.5)
    return w @ m @ c, w
""",
        """
def cross(x, m, a, b, c):
    rows = [al.softmax((m @ b) @ (r @ a) / np.sqrt(len(a.T))) for r in x]
    return [r @ (m @ c) for r in rows], rows
""",
    ],
    "alignment_share": [
        """
def share(weights, alignment):
    hits = 0
    for i in range(len(weights)):
        best = weights[i].argmax()
        if best in alignment[i]:
            hits += 1
    return hits / len(weights)
""",
        "lambda w, a: np.mean([b in o for b, o in zip(w.argmax(-1), a)])",
        """
def share(w, a):
    true = np.array([[j in o for j in range(len(w.T))] for o in a])
    return true[np.arange(len(w)), w.argmax(axis=1)].mean()
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


def cross(
    qkv="x @ a, m @ b, m @ c", w="al.softmax(q @ k.T / d)", d="q.shape[1]"
):
    """Return cross-attention, with one of its steps changed."""
    return f"""
def cross(x, m, a, b, c):
    q, k, v = {qkv}
    d = np.sqrt({d})
    w = {w}
    return w @ v, w
"""


def share(hit, end="sum(hits) / len(hits)"):
    """Return a share of hits: of words j in a row r with the sources o."""
    return f"""
def share(w, a):
    hits = [{hit} for r, o in zip(w, a)]
    return {end}
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
    "cross_attention": {
        "scale_missing": [cross(d="1")],
        "scale_multiplied": [cross(w="al.softmax(q @ k.T * d)")],
        "scale_not_root": [cross(w="al.softmax(q @ k.T / q.shape[1])")],
        "scale_half": [
            cross(w="al.softmax(q @ k.T / q.shape[1] ** 1 / 2)"),
            cross(w="al.softmax(q @ k.T / (q.shape[1] ** 1/2))"),
        ],
        "scale_length": [cross(d="len(m)")],
        "scale_queries": [cross(d="len(q)")],
        "scale_values": [cross(d="len(c.T)")],
        "scale_after": [cross(w="al.softmax(q @ k.T) / d")],
        "scale_model": [cross(d="x.shape[-1]")],
        "wrong_axis": [cross(w="al.softmax(q @ k.T / d, axis=0)")],
        "whole_array": [cross(w="(e := np.exp(q @ k.T / d)) / e.sum()")],
        "keepdims": [
            cross(w="(e := np.exp(q @ k.T / d)) / e.sum(axis=1)"),
            cross(w="(e := np.exp(q @ k.T / d)) / np.sum(e, -1)"),
        ],
        "no_softmax": [cross(w="q @ k.T / d")],
        "not_normalised": [cross(w="np.exp(q @ k.T / d)")],
        "softmax_twice": [cross(w="al.softmax(al.softmax(q @ k.T / d))")],
        "not_transposed": [
            cross(w="al.softmax(q @ k / d)"),
            cross(w="al.softmax(q @ k.transpose(-2, -1) / d)"),
        ],
        "values_for_keys": [cross(w="al.softmax(q @ v.T / d)")],
        "keys_for_values": [
            """
def f(x, m, a, b, c):
    k = m @ b
    return al.scaled_dot_product_attention(x @ a, k, k)
"""
        ],
        "roles_swapped": [cross("m @ a, x @ b, x @ c")],
        "memory_ignored": ["lambda x, m, *w: al.self_attention(x, *w)"],
        "only_memory": ["lambda x, m, *w: al.self_attention(m, *w)"],
        "keys_from_x": [cross("x @ a, x @ b, m @ c")],
        "values_from_x": [
            "lambda x, m, a, b, c: "
            "al.scaled_dot_product_attention(x @ a, m @ b, x @ c)"
        ],
        "keys_and_values_swapped": [cross("x @ a, m @ c, m @ b")],
        "queries_and_keys_swapped": [cross("x @ b, m @ a, m @ c")],
        "values_not_projected": [cross("x @ a, m @ b, m")],
        "not_projected": [
            "lambda x, m, a, b, c: al.scaled_dot_product_attention(x, m, m)"
        ],
        "causal": [
            """
def f(x, m, a, b, c):
    mask = al.create_causal_mask(len(x), len(m))
    return al.scaled_dot_product_attention(x @ a, m @ b, m @ c, mask)
""",
            """
def f(x, m, a, b, c):
    scores = x @ a @ (m @ b).T / np.sqrt(a.shape[1])
    scores[np.triu(np.ones_like(scores), 1) == 1] = -np.inf
    w = al.softmax(scores)
    return w @ m @ c, w
""",
        ],
    },
    "alignment_share": {
        "wrong_axis": [
            "lambda w, a: "
            "np.mean([j in o for j, o in zip(w.argmax(0), a, strict=True)])",
            "lambda w, a: "
            "sum(j in a[i] for i, j in enumerate(w.argmax(0))) / len(w)",
            "lambda w, a: "
            "sum(w[:, i].argmax() in a[i] for i in range(len(w))) / len(a)",
        ],
        "whole_map": [
            """
def f(weights, alignment):
    best = weights.argmax()
    return np.mean([j in o for j, o in zip(best, alignment)])
""",
            share("w.argmax() in o"),
        ],
        "weight_on_true": [share("sum(r[j] for j in o)")],
        "one_source_only": [share("r.argmax() == list(sorted(o))[0]")],
        "as_many_as_sources": [share("bool({*np.argsort(-r)[:len(o)]} & o)")],
        "weight_looked_up": [share("max(r) in o")],
        "never": [
            share("r.argmax() == o"),
            share("r.argmax() in a"),
            "lambda w, a: np.mean(w.argmax(axis=-1) == a)",
        ],
        "counted": [share("r.argmax() in o", "sum(hits)")],
        "percent": [share("r.argmax() in o", "np.mean(hits) * 100")],
        "divided_by_keys": [share("r.argmax() in o", "sum(hits) / len(w[0])")],
        "divided_by_sources": [
            share("r.argmax() in o", "sum(hits) / sum(len(o) for o in a)")
        ],
        "missed": [share("not r.argmax() in o", "np.mean(hits)")],
        "counted_from_one": [share("np.argmax(r) + 1 in o")],
        "smallest": [share("np.argmin(r) in o")],
        "all_or_nothing": [share("r.argmax() in o", "sum(hits) // len(w)")],
        "any_word": [share("r.argmax() in o", "float(any(hits))")],
        "first_word_only": [
            """
def share(weights, alignment):
    hits = 0
    for i in range(len(weights)):
        if np.argmax(weights[i]) in alignment[i]:
            hits += 1
        return hits / len(weights)
""",
            "lambda w, a: w[0].argmax() in a[0]",
        ],
        "last_word_only": [
            """
def share(weights, alignment):
    for row, sources in zip(weights, alignment):
        hits = np.argmax(row) in sources
    return hits / len(weights)
"""
        ],
    },
    "attention_gradient": {
        "no_mean": [gradient("w * dw / d")],
        "plain_mean": [gradient(r="dw.mean(axis=-1, keepdims=True)")],
        "plain_sum": [gradient(r="dw.sum(axis=-1, keepdims=True)")],
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
