"""What learners write in chapter 7: a right answer, and edits of it."""

LEARNERS = {}

LEARNERS["check_add_key"] = (
    """
def add_key(peak, total, score):
    new = max(peak, score)
    old = total * np.exp(peak - new)
    return new, old + np.exp(score - new)
""",
    {
        "not_shrunk": [(" * np.exp(peak - new)", "")],
        "wrong_way": [("np.exp(peak - new)", "np.exp(new - peak)")],
        "new_from_old_maximum": [
            ("np.exp(score - new)", "np.exp(score - peak)")
        ],
        "new_wrong_way": [("np.exp(score - new)", "np.exp(new - score)")],
        "new_key_missing": [(" + np.exp(score - new)", "")],
        "old_peak_returned": [("return new,", "return peak,")],
        "smaller": [("max(", "min(")],
        "total_compared": [("max(peak,", "max(peak, total,")],
        "shrunk_together": [
            ("total * ", "(total + np.exp(score - new)) * "),
            ("old + np.exp(score - new)", "old"),
        ],
        "adds_one": [("old + np.exp(score - new)", "old + 1")],
        "peak_kept": [("max(peak, score)", "peak")],
        "peak_replaced": [("max(peak, score)", "score")],
        "no_maximum": [("np.exp(score - new)", "np.exp(score)")],
    },
    [
        "def f(peak, total, score):\n"
        "    scores = np.array([peak, score])\n"
        "    new = scores.max()\n"
        "    return new, float(np.array([total, 1.0]) @ np.exp(scores - new))",
        "def f(peak, total, score):\n"
        "    if score <= peak:\n"
        "        return peak, total + math.exp(score - peak)\n"
        "    return score, total * math.exp(peak - score) + 1",
    ],
)

LEARNERS["check_merge_states"] = (
    """
def merge_states(peak_a, total_a, output_a, peak_b, total_b, output_b):
    new = max(peak_a, peak_b)
    a, b = np.exp(peak_a - new), np.exp(peak_b - new)
    total = a * total_a + b * total_b
    output = a * output_a + b * output_b
    return new, total, output
""",
    {
        "not_shrunk": [("np.exp(peak_a - new), np.exp(peak_b - new)", "1, 1")],
        "only_totals": [
            ("a * output_a + b * output_b", "output_a + output_b")
        ],
        "only_outputs": [("a * total_a + b * total_b", "total_a + total_b")],
        "smaller": [("max(", "min(")],
        "order": [("return new, total, output", "return new, output, total")],
        "only_first": [("np.exp(peak_b - new)", "1")],
        "only_second": [("np.exp(peak_a - new)", "1")],
        "factors_swapped": [("a, b =", "b, a =")],
        "wrong_way": [
            (
                "np.exp(peak_a - new), np.exp(peak_b - new)",
                "np.exp(new - peak_a), np.exp(new - peak_b)",
            )
        ],
        "divided": [("total, output\n", "total, output / total\n")],
        "averaged": [
            (
                "a * output_a + b * output_b",
                "(output_a / total_a + output_b / total_b) / 2",
            )
        ],
    },
    [
        "def f(p, s, x, q, t, y):\n"
        "    if p < q:\n"
        "        return f(q, t, y, p, s, x)\n"
        "    small = np.exp(q - p)\n"
        "    return p, s + t * small, x + y * small",
        "def f(p, s, x, q, t, y):\n"
        "    peaks = np.array([p, q])\n"
        "    factors = np.exp(peaks - peaks.max())\n"
        "    return [peaks.max(), factors @ [s, t], factors @ [x, y]]",
    ],
)

LEARNERS["check_window_attention"] = (
    """
def window_attention(q, k, v, window):
    output = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        start, end = max(0, i - window + 1), i + 1
        scores = k[start:end] @ q[i] / np.sqrt(q.shape[1])
        if len(scores):
            output[i] = al.softmax(scores) @ v[start:end]
    return output
""",
    {
        "one_too_many": [("i - window + 1", "i - window")],
        "one_too_few": [("i - window + 1", "i - window + 2")],
        "own_missing": [(", i + 1", ", i")],
        "future_seen": [(", i + 1", ", i + window")],
        "no_window": [("max(0, i - window + 1)", "0")],
        "first_keys": [
            ("max(0, i - window + 1), i + 1", "0, min(i + 1, window)")
        ],
        "empty_slice": [(", i + 1", ", i"), ("if len(scores)", "if True")],
        "negative_start": [
            ("max(0, i - window + 1)", "i - window + 1"),
            ("if len(scores)", "if True"),
        ],
        "all_keys": [("max(0, i - window + 1), i + 1", "0, len(k)")],
        "softmax_first": [
            ("k[start:end] @ q[i]", "k @ q[i]"),
            ("al.softmax(scores) @", "al.softmax(scores)[start:end] @"),
        ],
        "no_softmax": [("al.softmax(scores)", "scores")],
        "scale_missing": [(" / np.sqrt(q.shape[1])", "")],
        "scale_multiplied": [("/ np.sqrt", "* np.sqrt")],
        "scale_not_root": [("np.sqrt(q.shape[1])", "q.shape[1]")],
        "scale_length": [("q.shape[1]", "len(q)")],
        "scale_values": [("q.shape[1]", "v.shape[1]")],
    },
    [
        "def f(q, k, v, window):\n"
        "    mask = al.create_window_mask(len(q), window=window)\n"
        "    return al.scaled_dot_product_attention(q, k, v, mask)[0]",
        "def f(q, k, v, window):\n"
        "    rows = []\n"
        "    for i in range(len(q)):\n"
        "        some = range(max(0, i + 1 - window), i + 1)\n"
        "        e = [np.exp(q[i] @ k[j] / q.shape[1] ** 0.5) for j in some]\n"
        "        rows.append(np.dot(e, v[some]) / sum(e))\n"
        "    return rows",
        "def f(q, k, v, window):\n"
        "    n = len(q)\n"
        "    seen = np.tri(n) - np.tri(n, k=-window)\n"
        "    e = np.exp(q @ k.T / np.sqrt(q.shape[1])) * seen\n"
        "    return e / e.sum(axis=1, keepdims=True) @ v",
    ],
)

LEARNERS["check_linear_causal"] = (
    """
def linear_causal(q, k, v):
    features = lambda x: np.where(x > 0, x + 1, np.exp(x))
    state = np.zeros((k.shape[1], v.shape[1]))
    total, output = np.zeros(k.shape[1]), []
    for i in range(len(q)):
        f, g = features(q[i]), features(k[i])
        state += np.outer(g, v[i])
        total += g
        output.append(f @ state / (f @ total))
    return np.array(output)
""",
    {
        "reads_first": [
            ("        output.append(f @ state / (f @ total))\n", ""),
            (
                "        state +=",
                "        output.append(f @ state / (f @ total))\n"
                "        state +=",
            ),
        ],
        "not_divided": [(" / (f @ total)", "")],
        "divided_by_count": [("(f @ total)", "(i + 1)")],
        "brackets": [("(f @ total)", "f @ total")],
        "divided_by_vector": [("(f @ total)", "total")],
        "divided_by_sum": [("(f @ total)", "sum(total)")],
        "state_replaced": [("state += ", "state = ")],
        "total_replaced": [("total += ", "total = ")],
        "both_replaced": [
            ("state += ", "state = "),
            ("total += ", "total = "),
        ],
        "outer_swapped": [
            ("state += np.outer(g, v[i])", "state = state + np.outer(v[i], g)")
        ],
        "features_twice": [
            ("    for i", "    q, k = features(q), features(k)\n    for i")
        ],
        "not_causal": [
            (
                "        output.append",
                "    for i in range(len(q)):\n"
                "        f = features(q[i])\n"
                "        output.append",
            )
        ],
        "no_features": [("features(q[i]), features(k[i])", "q[i], k[i]")],
        "query_features_missing": [("features(q[i])", "q[i]")],
        "key_features_missing": [("features(k[i])", "k[i]")],
        "softmax": [
            (
                "output.append(f @ state / (f @ total))",
                "output.append(al.softmax(\n"
                "            k[: i + 1] @ q[i] / np.sqrt(k.shape[1])\n"
                "        ) @ v[: i + 1])",
            )
        ],
    },
    [
        "def f(q, k, v): return al.linear_attention(q, k, v, causal=True)",
        "def f(q, k, v):\n"
        "    q, k = (np.where(x > 0, x + 1, np.exp(x)) for x in (q, k))\n"
        "    state = np.cumsum(k[:, :, None] * v[:, None], axis=0)\n"
        "    mixed = np.einsum('nd,nde->ne', q, state)\n"
        "    return mixed / (q * np.cumsum(k, 0)).sum(1, keepdims=True)",
        "def f(q, k, v):\n"
        "    q, k = (np.maximum(x, 0) + np.exp(np.minimum(x, 0))\n"
        "            for x in (q, k))\n"
        "    w = np.tril(q @ k.T)\n"
        "    return (w @ v / w.sum(axis=1)[:, None]).tolist()",
    ],
)

LEARNERS["check_cache_bytes"] = (
    """
def cache_bytes(layers, kv_heads, d_head, tokens, bytes_each):
    numbers = 2 * layers * kv_heads * d_head * tokens
    return numbers * bytes_each
""",
    {
        "keys_only": [("2 * ", "")],
        "three": [("2 * ", "3 * ")],
        "layers_forgotten": [("layers * kv", "kv")],
        "squared": [("* tokens\n", "* tokens**2\n")],
        "numbers_only": [("numbers * bytes_each", "numbers")],
        "heads_forgotten": [("kv_heads * d_head", "d_head")],
        "width_forgotten": [(" * d_head", "")],
        "tokens_forgotten": [(" * tokens", "")],
        "other_unit": [("numbers * bytes_each", "numbers * bytes_each / 1e9")],
        "bits": [("numbers * bytes_each", "numbers * bytes_each * 8")],
    },
    [
        "def f(*sizes): return 2 * np.prod(sizes)",
        "def f(layers, kv_heads, d_head, tokens, bytes_each):\n"
        "    cache = 0.0\n"
        "    for _ in range(layers):\n"
        "        cache += (kv_heads * tokens * d_head) * bytes_each\n"
        "        cache += (kv_heads * tokens * d_head) * bytes_each\n"
        "    return cache",
    ],
)

WINDOW = """
def f(q, k, v, window):
    output = np.empty((len(q), v.shape[1]))
    for i in range(len(q)):
        keys = slice({}, {})
        scores = k[keys] @ q[i] / np.sqrt(q.shape[1])
        output[i] = al.softmax(scores) @ v[keys]
    return output
"""
MASKED = """
def f(q, k, v, window):
    mask = {}
    return al.scaled_dot_product_attention(q, k, v, mask)[0]
"""
LINEAR = """
def f(q, k, v):
    q, k = (np.where(x > 0, x + 1, np.exp(x)) for x in (q, k))
    state = np.zeros((k.shape[1], v.shape[1]))
    total = np.zeros(k.shape[1])
    output = []
    for i in range(len(q)):
        state = state + np.outer({}, v[i])
        total = total + {}
        output.append({})
    return np.array(output)
"""

WAYS = [
    *(
        ("check_window_attention", mistake, WINDOW.format(*ends))
        for mistake, *ends in (
            ("empty_slice", "max(i - window + 1, 0)", "i"),
            ("empty_slice", "max(i - window, 0)", "i"),
            ("negative_start", "i - window + 1", "i + 1"),
            ("one_too_few", "max(i - window + 2, 0)", "i + 1"),
            ("one_too_many", "max(i - window, 0)", "i + 1"),
            ("future_seen", "max(i - window + 1, 0)", "i + 2"),
            ("future_seen", "i", "i + window"),
        )
    ),
    (
        "check_window_attention",
        "no_window",
        MASKED.format("al.create_causal_mask(len(q))"),
    ),
    ("check_window_attention", "all_keys", MASKED.format("None")),
    *(
        ("check_linear_causal", mistake, LINEAR.format(*lines))
        for mistake, *lines in (
            ("brackets", "k[i]", "k[i]", "q[i] @ state / q[i] @ total"),
            ("divided_by_vector", "k[i]", "k[i]", "q[i] @ state / total"),
            ("not_divided", "k[i]", "k[i]", "q[i] @ state"),
        )
    ),
    *(
        (
            "check_cache_bytes",
            "other_unit",
            f"def f(n, h, d, t, b): return 2 * n * h * d * t * b {divided}",
        )
        for divided in ("/ 2**30", "/ 1024**2", "// 10**9", "/ 1000")
    ),
    (
        "check_merge_states",
        "order",
        "def f(p, s, x, q, t, y):\n"
        "    m = max(p, q)\n"
        "    a, b = np.exp(p - m), np.exp(q - m)\n"
        "    return a * x + b * y, a * s + b * t, m",
    ),
]
