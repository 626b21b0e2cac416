"""Answers of chapter 5, attention and alignment: see learners_intuition."""

RIGHT = {
    "hide_word": [
        """
def hide(q, k, v, j):
    rest = [i for i in range(len(k)) if i != j]
    return al.scaled_dot_product_attention(q, k[rest], v[rest])[0]
""",
        """
def hide(q, k, v, j):
    mask = np.ones((len(q), len(k)), bool)
    mask[:, j] = False
    return al.scaled_dot_product_attention(q, k, v, mask)[0]
""",
        """
def hide(q, k, v, j):
    e = np.exp(q @ k.T / math.sqrt(q.shape[1]))
    e[:, j] = 0
    return e / e.sum(axis=1, keepdims=True) @ v
""",
    ],
    "unread_words": [
        "lambda w, least: w.max(axis=0) < least",
        "lambda w, least: [max(column) < least for column in w.T]",
        "lambda w, least: ~(w >= least).any(axis=0)",
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
}


def hide(do="s[:, j] = -np.inf", after="", scale=" / np.sqrt(len(q.T))"):
    """Return attention with a hidden key, and one of its steps changed."""
    return f"""
def hide(q, k, v, j):
    s = q @ k.T{scale}
    {do or "pass"}
    w = al.softmax(s)
    {after or "pass"}
    return w @ v
"""


def share(hit, end="sum(hits) / len(hits)"):
    """Return a share of hits: of words j in a row r with the sources o."""
    return f"""
def share(w, a):
    hits = [{hit} for r, o in zip(w, a)]
    return {end}
"""


WRONG = {
    "hide_word": {
        "zero_score": [
            hide("s[:, j] = 0"),
            hide("k = k.copy(); k[j] = 0; s = q @ k.T / np.sqrt(len(q.T))"),
        ],
        "not_renormalised": [
            hide("", "w[:, j] = 0"),
            hide("", "v = v.copy(); v[j] = 0"),
        ],
        "not_hidden": [hide("")],
        "alone": [
            hide("s[:, :j] = -np.inf; s[:, j + 1:] = -np.inf"),
            "lambda q, k, v, j: np.repeat(v[j:j + 1], len(q), axis=0)",
        ],
        "row_hidden": [hide("s[j] = -np.inf")],
        "later_hidden": [hide("s[:, j:] = -np.inf")],
        "next_hidden": [hide("s[:, j - 1] = -np.inf")],
        "scale_missing": [hide(scale="")],
    },
    "unread_words": {
        "wrong_axis": ["lambda w, t: w.max(axis=1) < t"],
        "any_row": ["lambda w, t: w.min(axis=0) < t"],
        "read": ["lambda w, t: w.max(axis=0) >= t"],
        "summed": ["lambda w, t: sum(w) < t"],
        "averaged": ["lambda w, t: np.mean(w, 0) < t"],
        "equal_unread": ["lambda w, t: w.max(0) <= t"],
        "never_largest": [
            "lambda w, t: [j not in w.argmax(1) for j in range(len(w.T))]"
        ],
        "counted": ["lambda w, t: (w.max(axis=0) < t).sum()"],
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
        "all_sources": [share("all(r.argmax() == j for j in o)")],
        "all_at_once": ["lambda w, a: np.mean(w.argmax(-1) in a)"],
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
        "stops_at_hit": [
            """
def share(weights, alignment):
    hits = 0
    for row, sources in zip(weights, alignment):
        if row.argmax() in sources:
            hits += 1
            return hits / len(weights)
    return 0
"""
        ],
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
}
