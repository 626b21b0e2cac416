"""Answers of chapter 5, attention and alignment: see learners_intuition."""

RIGHT = {
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
}


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


WRONG = {
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
            "lambda x, m, a, b, c: al.scaled_dot_product_attention(x, m, m)",
            "lambda x, m, a, b, c: "
            "al.scaled_dot_product_attention(x @ a, m, m @ c)",
        ],
        "same_matrix": [cross("x @ a, m @ a, m @ c")],
        "keys_in_rows": [cross(w="al.softmax(k @ q.T / d)")],
        "scores_returned": [cross().replace("w @ v, w", "w @ v, q @ k.T / d")],
        "max_keepdims": [
            cross(
                w="np.exp((s := q @ k.T / d) - s.max(-1)) / "
                "np.exp(s - s.max(-1)).sum(-1, keepdims=True)"
            )
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
