"""What learners write in chapter 5: a right answer, and edits of it.

For each check: source code that is right; for each mistake the edits (old,
new) that plant it; and other right answers, in other styles.
"""

LEARNERS = {}

LEARNERS["check_teacher_forcing"] = (
    """
def shift(target):
    n = target.shape[1]
    inputs = target[:, : n - 1]
    targets = target[:, 1:]
    return inputs, targets
""",
    {
        "not_shifted": [
            ("target[:, : n - 1]", "target"),
            ("target[:, 1:]", "target.copy()"),
        ],
        "copy": [("targets = target[:, 1:]", "targets = inputs.copy()")],
        "answers_given": [("target[:, : n - 1]", "target[:, 1:n]")],
        "wrong_way": [("return inputs, targets", "return targets, inputs")],
        "rows_cut": [
            ("target[:, : n - 1]", "target[: len(target) - 1]"),
            ("target[:, 1:]", "target[1:]"),
        ],
        "inputs_whole": [("target[:, : n - 1]", "target[:, :n]")],
        "targets_whole": [("target[:, 1:]", "target[:]")],
        "two_apart": [
            ("target[:, : n - 1]", "target[:, : n - 2]"),
            ("target[:, 1:]", "target[:, 2:]"),
        ],
        "start_lost": [
            ("target[:, : n - 1]", "target[:, 1 : n - 1]"),
            ("target[:, 1:]", "target[:, 2:]"),
        ],
    },
    [
        "def shift(t): return t[:, :-1], t[:, 1:]",
        "def shift(t):\n"
        "    return [r[:-1].tolist() for r in t], [list(r[1:]) for r in t]",
        "def shift(t):\n"
        "    return np.delete(t, -1, axis=1), np.roll(t, -1, 1)[:, :-1]",
    ],
)

LEARNERS["check_mean_loss"] = (
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
    {
        "padding_counted": [("word != pad", "True")],
        "divided_by_all": [("total / count", "total / losses.size")],
        "mean_of_sentences": [
            (
                "    return total / count",
                "    rows = [np.mean([x for x, w in zip(r, t) if w != pad])\n"
                "            for r, t in zip(losses, targets)]\n"
                "    return np.mean(rows)",
            )
        ],
        "summed": [("total / count", "total")],
        "inverted": [("word != pad", "word == pad")],
        "zero_for_pad": [("word != pad", "word")],
        "losses_compared": [("word != pad", "loss != pad")],
        "zero_losses_left_out": [("count += 1", "count += loss > 0")],
        "divided_by_sentences": [("total / count", "total / len(losses)")],
        "divided_by_length": [("total / count", "total / len(losses.T)")],
    },
    [
        "def mean_loss(a, t, pad): return a[t != pad].mean()",
        "def mean_loss(a, t, pad):\n"
        "    real = t != pad\n"
        "    return (a * real).sum() / real.sum()",
        "def mean_loss(a, t, pad): return np.average(a, weights=t != pad)",
        "def mean_loss(a, t, pad):\n"
        "    return np.nanmean(np.where(t == pad, np.nan, a))",
    ],
)

LEARNERS["check_cross_attention"] = (
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
    {
        "scale_missing": [(" / math.sqrt(q.shape[1])", "")],
        "scale_multiplied": [(" / math", " * math")],
        "scale_not_root": [("math.sqrt(q.shape[1])", "q.shape[1]")],
        "scale_length": [("q.shape[1]", "k.shape[0]")],
        "scale_queries": [("q.shape[1]", "len(q)")],
        "scale_model": [("q.shape[1]", "x.shape[1]")],
        "wrong_axis": [("axis=1", "axis=0")],
        "whole_array": [("axis=1, keepdims=True", "")],
        "keepdims": [(", keepdims=True", "")],
        "keys_for_values": [("weights @ v", "weights @ k")],
        "no_softmax": [("e / e.sum(axis=1, keepdims=True)", "scores")],
        "not_transposed": [('np.einsum("id,jd->ij", q, k)', "q @ k")],
        "roles_swapped": [
            ("def cross(x, memory,", "def cross(memory, x,"),
        ],
        "memory_ignored": [("memory @", "x @")],
        "only_memory": [("x @ w_q", "memory @ w_q")],
        "keys_from_x": [("memory @ w_k", "x @ w_k")],
        "values_from_x": [("memory @ w_v", "x @ w_v")],
        "values_for_keys": [("q, k)", "q, v)")],
        "keys_and_values_swapped": [
            ("memory @ w_k\n    v =", "memory @ w_v\n    v ="),
            ("v = memory @ w_v", "v = memory @ w_k"),
        ],
        "queries_and_keys_swapped": [("q, w_k", "k, w_q")],
        "values_not_projected": [("weights @ v", "weights @ memory")],
        "causal": [
            (
                "np.exp(scores)",
                "np.exp(scores) * np.tril(np.ones(scores.shape))",
            )
        ],
    },
    [
        "def cross(x, m, a, b, c):\n"
        "    return al.scaled_dot_product_attention(x @ a, m @ b, m @ c)",
        "def cross(x, m, a, b, c):\n"
        "    w = al.softmax(x @ a @ (m @ b).T * a.shape[1] ** -0.5)\n"
        "    return w @ m @ c, w",
        "def cross(x, m, a, b, c):\n"
        "    rows = [al.softmax((m @ b) @ (r @ a) / np.sqrt(len(a.T)))\n"
        "            for r in x]\n"
        "    return [r @ (m @ c) for r in rows], rows",
    ],
)

LEARNERS["check_alignment_share"] = (
    """
def share(weights, alignment):
    hits = 0
    for i in range(len(weights)):
        best = weights[i].argmax()
        if best in alignment[i]:
            hits += 1
    return hits / len(weights)
""",
    {
        "wrong_axis": [("weights[i].argmax()", "weights[:, i].argmax()")],
        "weight_on_true": [
            ("if best in alignment[i]:", "for j in alignment[i]:"),
            ("hits += 1", "hits += weights[i, j]"),
        ],
        "one_source_only": [
            ("best in alignment[i]", "best == sorted(alignment[i])[0]")
        ],
        "as_many_as_sources": [
            (
                "weights[i].argmax()",
                "np.argsort(-weights[i])[: len(alignment[i])]",
            ),
            ("best in alignment[i]", "any(j in alignment[i] for j in best)"),
        ],
        "weight_looked_up": [("argmax", "max")],
        "never": [("in alignment[i]", "== alignment[i]")],
        "counted": [("hits / len(weights)", "hits")],
        "divided_by_keys": [("hits / len(weights)", "hits / len(weights[0])")],
        "missed": [("best in", "best not in")],
        "any_word": [("hits += 1", "hits = len(weights)")],
        "counted_from_one": [("argmax()", "argmax() + 1")],
        "smallest": [("argmax", "argmin")],
        "first_word_only": [("    return", "        return")],
        "all_or_nothing": [("hits / len(weights)", "hits // len(weights)")],
    },
    [
        "def share(w, a):\n"
        "    return np.mean([b in o for b, o in zip(w.argmax(-1), a)])",
        "def share(w, a):\n"
        "    true = np.array([[j in o for j in range(len(w.T))] for o in a])\n"
        "    return true[np.arange(len(w)), w.argmax(axis=1)].mean()",
        "def share(w, a):\n"
        "    return sum(int(np.argmax(r)) in o for r, o in zip(w, a))"
        " / len(a)",
    ],
)

LEARNERS["check_attention_gradient"] = (
    """
def gradient(q, k, v, g):
    scale = 1 / math.sqrt(q.shape[1])
    w = al.softmax(q @ k.T * scale)
    dv = w.T @ g
    dw = g @ v.T
    r = np.sum(w * dw, axis=1, keepdims=True)
    ds = w * (dw - r)
    ds = ds * scale
    return ds @ k, ds.T @ q, dv
""",
    {
        "no_mean": [("(dw - r)", "dw")],
        "plain_mean": [("np.sum(w * dw,", "np.mean(dw,")],
        "plain_sum": [("np.sum(w * dw,", "np.sum(dw,")],
        "mean_of_columns": [("axis=1", "axis=0")],
        "keepdims": [(", keepdims=True", "")],
        "no_weights": [("w * (dw - r)", "dw - r")],
        "brackets": [("w * (dw - r)", "w * dw - r")],
        "softmax_forgotten": [("ds = w * (dw - r)", "ds = dw")],
        "scale_missing": [("ds = ds * scale", "")],
        "scale_not_root": [("ds = ds * scale", "ds /= q.shape[1]")],
        "forward_scale_missing": [("q @ k.T * scale", "q @ k.T")],
        "keys_not_scaled": [
            ("    ds = ds * scale\n", ""),
            ("return ds @ k,", "return ds @ k * scale,"),
        ],
        "queries_not_scaled": [
            ("    ds = ds * scale\n", ""),
            ("ds.T @ q,", "ds.T @ q * scale,"),
        ],
        "keys_not_transposed": [("ds.T @ q", "ds @ q")],
        "values_not_transposed": [("w.T @ g", "w @ g")],
        "swapped": [("ds @ k, ds.T @ q", "ds.T @ q, ds @ k")],
    },
    [
        "def gradient(q, k, v, g):\n"
        "    y, w = al.scaled_dot_product_attention(q, k, v)\n"
        "    r = (g * y).sum(-1, keepdims=True)\n"
        "    ds = w * (g @ v.T - r) / np.sqrt(k.shape[-1])\n"
        "    return ds @ k, ds.T @ q, w.T @ g",
        "def gradient(q, k, v, g):\n"
        "    w = al.softmax(q @ k.T / np.sqrt(q.shape[1]))\n"
        "    ds = np.array([(np.diag(a) - np.outer(a, a)) @ (v @ b)\n"
        "                   for a, b in zip(w, g)]) / np.sqrt(q.shape[1])\n"
        "    return ds @ k, (q.T @ ds).T, (g.T @ w).T",
    ],
)

WAYS = [
    (
        "check_mean_loss",
        "zero_losses_left_out",
        "def f(losses, targets, pad):\n"
        "    kept = losses * (targets != pad)\n"
        "    return kept.sum() / np.count_nonzero(kept)",
    ),
    (
        "check_cross_attention",
        "keys_and_values_swapped",
        "def f(x, m, a, b, c):\n"
        "    q, k, v = x @ a, m @ c, m @ b\n"
        "    return al.scaled_dot_product_attention(q, k, v)",
    ),
    (
        "check_cross_attention",
        "causal",
        "def f(x, m, a, b, c):\n"
        "    mask = al.create_causal_mask(len(x), len(m))\n"
        "    return al.scaled_dot_product_attention("
        "x @ a, m @ b, m @ c, mask)",
    ),
    *(
        ("check_alignment_share", mistake, f"def f(w, a):\n    {body}")
        for mistake, body in (
            ("first_word_only", "return w[0].argmax() in a[0]"),
            ("never", "return np.mean([r.argmax() in a for r in w])"),
            ("never", "return np.mean(w.argmax(axis=-1) == a)"),
            (
                "weight_looked_up",
                "return np.mean([r.max() in o for r, o in zip(w, a)])",
            ),
            (
                "as_many_as_sources",
                "return np.mean([bool({*np.argsort(-r)[:len(o)]} & o) "
                "for r, o in zip(w, a)])",
            ),
            (
                "wrong_axis",
                "return np.mean([j in o for j, o in zip(w.argmax(0), a)])",
            ),
            (
                "wrong_axis",
                "return np.mean([j in o for j, o "
                "in zip(w.argmax(0), a, strict=True)])",
            ),
            (
                "wrong_axis",
                "return sum(j in a[i] for i, j in enumerate(w.argmax(0)))"
                " / len(w)",
            ),
            (
                "wrong_axis",
                "return sum(j in o for j, o in zip(w.argmax(0), a)) / len(w)",
            ),
        )
    ),
]
