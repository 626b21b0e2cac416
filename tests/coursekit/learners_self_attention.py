"""What learners write in chapter 2: a right answer, and edits of it."""

LEARNERS = {}

LEARNERS["check_softmax"] = (
    """
def my_softmax(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    e = np.exp(scores - top)
    return e / np.sum(e, axis=-1, keepdims=True)
""",
    {
        "no_maximum": [("scores - top", "scores")],
        "global_maximum": [
            ("np.max(scores, axis=-1, keepdims=True)", "np.max(scores)")
        ],
        "wrong_axis": [("axis=-1", "axis=0")],
        "axis_one": [("axis=-1", "axis=1")],
        "whole_array": [(", axis=-1, keepdims=True", "")],
        "keepdims": [("np.sum(e, axis=-1, keepdims=True)", "e.sum(-1)")],
        "not_normalised": [(" / np.sum(e, axis=-1, keepdims=True)", "")],
        "no_exponential": [("np.exp(scores - top)", "scores")],
        "maximum_divided": [
            ("scores - top", "scores / top"),
            ("    return", "    e *= 1.0\n    return"),
        ],
        "sign": [
            ("np.max(", "np.min("),
            ("np.exp(scores - top)", "np.exp(top - scores)"),
        ],
        "not_maximum": [("np.max(scores", "np.mean(scores")],
        "far_below_zero": [("np.max(scores,", "np.max(abs(scores),")],
        "max_keepdims": [
            ("np.max(scores, axis=-1, keepdims=True)", "scores.max(axis=-1)")
        ],
        "max_axis": [
            ("np.max(scores, axis=-1, keepdims=True)", "scores.max(axis=0)")
        ],
        "nan_hidden": [
            ("np.max(scores, axis=-1, keepdims=True)", "scores.max()"),
            ("e / np.sum(", "e / (1e-12 + np.sum("),
            ("keepdims=True)", "keepdims=True))"),
        ],
    },
    [
        "def f(s): return np.exp(s - np.logaddexp.reduce(s, -1, "
        "keepdims=True))",
        "def f(s):\n"
        "    if s.ndim > 1: return [f(row) for row in s]\n"
        "    e = [math.exp(x - max(s)) for x in s]\n"
        "    return [x / sum(e) for x in e]",
        "def f(s):\n"
        "    e = np.exp((s - s.max(-1)[..., None]).astype(np.float32))\n"
        "    return e / e.sum(-1)[..., None]",
        "def f(scores):\n"
        "    x = scores.copy()\n"
        "    x -= x.max(axis=-1, keepdims=True)\n"
        "    np.exp(x, out=x)\n"
        "    x /= x.sum(axis=-1, keepdims=True) + 1e-12\n"
        "    return x",
    ],
)

LEARNERS["check_mini_attention"] = (
    """
def mini(query, keys, values):
    scores = np.array([query.dot(key) for key in keys])
    scores = scores / math.sqrt(len(query))
    e = np.exp(scores - scores.max())
    w = e / e.sum()
    out = sum(w[j] * values[j] for j in range(len(w)))
    return out, w
""",
    {
        "scale_missing": [(" / math.sqrt(len(query))", "")],
        "scale_multiplied": [("/ math", "* math")],
        "scale_not_root": [("math.sqrt(len(query))", "len(query)")],
        "scale_length": [("len(query)", "len(keys)")],
        "scale_values": [("len(query)", "values.shape[-1]")],
        "scale_fixed": [("math.sqrt(len(query))", "2")],
        "scale_after": [
            (" / math.sqrt(len(query))", ""),
            ("e / e.sum()", "e / e.sum() / math.sqrt(len(query))"),
        ],
        "maximum_divided": [("scores - scores.max()", "scores / max(scores)")],
        "not_maximum": [("scores.max()", "scores.mean()")],
        "far_below_zero": [("scores.max()", "abs(scores).max()")],
        "nan_hidden": [
            (" - scores.max()", ""),
            ("e / e.sum()", "np.nan_to_num(e / e.sum())"),
        ],
        "no_softmax": [("w = e / e.sum()", "w = scores")],
        "not_normalised": [
            ("w = e / e.sum()", "w = e"),
        ],
        "no_maximum": [(" - scores.max()", "")],
        "not_transposed": [
            ("np.array([query.dot(key) for key in keys])", "query @ keys")
        ],
        "no_values": [("return out, w", "return w, w")],
        "keys_for_values": [("* values[j]", "* keys[j]")],
        "values_for_keys": [
            ("np.array([query.dot(key) for key in keys])", "values @ query")
        ],
    },
    [
        "def f(q, k, v):\n"
        "    w = al.softmax(k @ q / len(q) ** 0.5)\n"
        "    return w @ v, w",
        "def f(q, k, v):\n"
        "    o, w = al.scaled_dot_product_attention(q[None], k, "
        "v.reshape(len(v), -1))\n"
        "    return [o[0].reshape(v.shape[1:]), w[0]]",
        "def f(q, k, v):\n"
        "    w = al.softmax(np.einsum('d,nd->n', q / np.sqrt(q.size), k))\n"
        "    return np.einsum('n,n...->...', w, v), w.tolist()",
    ],
)

ATTENTION = """
def mine(q, k, v, mask=None):
    d = q.shape[-1]
    scores = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(d)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = np.max(scores, axis=-1, keepdims=True)
    top[top == -np.inf] = 0
    e = np.exp(scores - top)
    total = e.sum(axis=-1, keepdims=True)
    total[total == 0] = 1
    weights = e / total
    return np.einsum("...ij,...jd->...id", weights, v), weights
"""
BEFORE = "        scores = np.where(mask, scores, -np.inf)\n"
FROM = "    top = np.max"
LEARNERS["check_attention"] = (
    ATTENTION,
    {
        "scale_missing": [(" / np.sqrt(d)", "")],
        "scale_multiplied": [("/ np.sqrt(d)", "* np.sqrt(d)")],
        "scale_not_root": [("np.sqrt(d)", "d")],
        "scale_length": [("d = q.shape[-1]", "d = k.shape[-2]")],
        "scale_queries": [("d = q.shape[-1]", "d = q.shape[-2]")],
        "scale_values": [("d = q.shape[-1]", "d = v.shape[-1]")],
        "scale_after": [
            (" / np.sqrt(d)", ""),
            ("weights = e / total", "weights = e / total / np.sqrt(d)"),
        ],
        "wrong_axis": [("axis=-1", "axis=-2")],
        "whole_array": [
            (
                "np.max(scores, axis=-1, keepdims=True)",
                "np.max(scores, keepdims=True)",
            ),
            ("e.sum(axis=-1, keepdims=True)", "e.sum(keepdims=True)"),
        ],
        "keepdims": [("e.sum(axis=-1, keepdims=True)", "e.sum(axis=-1)")],
        "max_keepdims": [
            ("np.max(scores, axis=-1, keepdims=True)", "scores.max(axis=-1)")
        ],
        "max_axis": [
            ("np.max(scores, axis=-1, keepdims=True)", "scores.max(axis=0)")
        ],
        "not_maximum": [("np.max(scores", "np.min(scores")],
        "global_maximum": [
            ("np.max(scores, axis=-1, keepdims=True)", "scores.max()"),
            ("    top[top == -np.inf] = 0\n", ""),
        ],
        "far_below_zero": [("top[top == -np.inf] = 0", "top[top < 0] = 0")],
        "nan_hidden": [
            ("scores - top", "scores"),
            ("e / total", "np.nan_to_num(e / total)"),
        ],
        "no_softmax": [("weights = e / total", "weights = scores")],
        "not_normalised": [("weights = e / total", "weights = e")],
        "no_maximum": [("scores - top", "scores")],
        "not_transposed": [('"...id,...jd->...ij"', '"...id,...dj->...ij"')],
        "batch_transposed": [
            ('np.einsum("...id,...jd->...ij", q, k)', "np.matmul(q, k.T)")
        ],
        "batch_counted": [
            (
                'np.einsum("...id,...jd->...ij", q, k)',
                "q @ np.transpose(k, (0, 2, 1) if k.ndim > 2 else (1, 0))",
            )
        ],
        "no_values": [
            ('np.einsum("...ij,...jd->...id", weights, v)', "weights")
        ],
        "keys_for_values": [("weights, v)", "weights, k)")],
        "values_for_keys": [("q, k)", "q, v)")],
        "mask_ignored": [(BEFORE, "        pass\n")],
        "mask_after": [
            (BEFORE, "        pass\n"),
            (
                "    return",
                "    if mask is not None:\n"
                "        weights[..., ~mask] = 0\n    return",
            ),
        ],
        "mask_renormalised": [
            (BEFORE, "        pass\n"),
            (
                "    return",
                "    if mask is not None:\n"
                "        weights = np.where(mask, weights, 0)\n"
                "        weights = weights / weights.sum(-1)[..., None]\n"
                "    return",
            ),
        ],
        "mask_inverted": [
            ("(mask, scores, -np.inf)", "(mask == 0, scores, -np.inf)")
        ],
        "mask_zero": [(BEFORE, "        scores = scores * mask\n")],
        "mask_added": [(BEFORE, "        scores = scores + 1 * mask\n")],
        "mask_times_infinity": [
            (BEFORE, "        scores += (1 - mask) * -np.inf\n")
        ],
        "mask_index": [(BEFORE, "        scores[mask == 0] = -np.inf\n")],
        "queries_masked": [("np.where(mask,", "np.where(mask.T,")],
        "empty_row_nan": [("    top[top == -np.inf] = 0\n", "")],
        "empty_row_uniform": [("-np.inf)\n", "-1e30)\n")],
        "empty_row_added": [
            (BEFORE, "        scores = scores - 1e8 * (1 - mask)\n")
        ],
    },
    [
        "def f(q, k, v, mask):\n"
        "    return al.scaled_dot_product_attention(q, k, v, mask)",
        "def f(q, k, v, m=None):\n"
        "    s = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5\n"
        "    w = al.softmax(s if m is None else np.where(m, s, -np.inf))\n"
        "    return [w @ v, w]",
        "def f(q, k, v, m=None):\n"
        "    if q.ndim > 2:\n"
        "        parts = [f(a, b, c, m) for a, b, c in zip(q, k, v)]\n"
        "        return tuple(zip(*parts))\n"
        "    out, ws = [], []\n"
        "    for i in range(len(q)):\n"
        "        s = [q[i] @ b / math.sqrt(len(b)) for b in k]\n"
        "        ok = [m is None or bool(m[i][j]) for j in range(len(k))]\n"
        "        best = max((a for a, o in zip(s, ok) if o), default=0)\n"
        "        e = [math.exp(a - best) if o else 0. "
        "for a, o in zip(s, ok)]\n"
        "        w = [a / (sum(e) or 1) for a in e]\n"
        "        ws.append(w)\n"
        "        out.append(sum(a * b for a, b in zip(w, v)))\n"
        "    return out, ws",
        "def f(q, k, v, m=None):\n"
        "    s = q @ np.moveaxis(k, -1, -2) / np.sqrt(q.shape[-1])\n"
        "    if m is not None: s[..., ~m] = -np.inf\n"
        "    e = np.exp(s - s.max(axis=-1, keepdims=True))\n"
        "    w = np.nan_to_num(e / e.sum(axis=-1, keepdims=True))\n"
        "    return w @ v, w",
        "def f(q, k, v, m=None):\n"
        "    s = np.einsum('...id,...jd->...ij', q, k) / q.shape[-1] ** 0.5\n"
        "    if m is not None: s = s + np.where(m, 0, -np.inf)\n"
        "    e = np.exp(s - np.nan_to_num(s.max(-1), neginf=0)[..., None])\n"
        "    w = e / np.maximum(e.sum(-1), 1e-30)[..., None]\n"
        "    return w @ v, w",
    ],
)

LEARNERS["check_causal_mask"] = (
    """
def causal(n_q, n_k):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        for j in range(n_k):
            mask[i, j] = j <= i + n_k - n_q
    return mask
""",
    {
        "inverted": [("j <=", "j >")],
        "upper": [("j <=", "j >=")],
        "strict": [("j <=", "j <")],
        "one_ahead": [("j <= i", "j <= i + 1")],
        "top_left": [(" + n_k - n_q", "")],
        "other_way": [("+ n_k - n_q", "- n_k + n_q")],
        "keys_ignored": [
            ("((n_q, n_k)", "((n_q, n_q)"),
            ("range(n_k)", "range(n_q)"),
            (" + n_k - n_q", ""),
        ],
        "axes_swapped": [("return mask", "return mask.T")],
        "additive": [
            ("dtype=bool", "dtype=float"),
            (
                "mask[i, j] = j <= i + n_k - n_q",
                "mask[i, j] = 0 if j <= i + n_k - n_q else -np.inf",
            ),
        ],
        "nothing_hidden": [("j <= i + n_k - n_q", "True")],
    },
    [
        "def f(n_q, n_k):\n"
        "    return np.tril(np.ones((n_q, n_k), bool), n_k - n_q)",
        "def f(a, b): return [[j <= i + b - a for j in range(b)] "
        "for i in range(a)]",
        "def f(a, b): return np.arange(b) <= np.arange(b - a, b)[:, None]",
        "def f(a, b): return ~np.triu(np.ones((a, b)), b - a + 1)"
        ".astype(bool)",
    ],
)

LEARNERS["check_padding_mask"] = (
    """
def padding(lengths, max_len):
    mask = np.zeros((len(lengths), 1, 1, max_len), dtype=bool)
    for b, n in enumerate(lengths):
        mask[b, :, :, :n] = True
    return mask
""",
    {
        "inverted": [("return mask", "return ~mask")],
        "one_too_many": [(":n]", ":n + 1]")],
        "one_too_few": [(":n]", ":max(n - 1, 0)]")],
        "queries_masked": [
            ("1, 1, max_len", "1, max_len, 1"),
            (":, :, :n", ":, :n, :"),
        ],
        "no_axes": [("1, 1, max_len", "max_len"), (":, :, :n", ":n")],
        "one_axis": [("1, 1, max_len", "1, max_len"), (":, :, :n", ":, :n")],
        "padding_first": [(":n]", "max_len - n:]")],
    },
    [
        "def f(n, m): return (np.arange(m) < np.array(n)[:, None])"
        "[:, None, None]",
        "def f(n, m): return [[[[j < a for j in range(m)]]] for a in n]",
        "def f(n, m): return al.create_padding_mask(n, m)",
    ],
)

CAUSAL = """
def mine(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    n = x.shape[-2]
    scores = q @ np.moveaxis(k, -1, -2) / np.sqrt(q.shape[-1])
    hidden = np.triu(np.ones((n, n)), k=1) == 1
    scores[..., hidden] = -np.inf
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ v
"""
HIDDEN = "np.triu(np.ones((n, n)), k=1)"
LEARNERS["check_causal_self_attention"] = (
    CAUSAL,
    {
        "scale_missing": [(" / np.sqrt(q.shape[-1])", "")],
        "scale_multiplied": [("/ np.sqrt(", "* np.sqrt(")],
        "scale_not_root": [("np.sqrt(q.shape[-1])", "q.shape[-1]")],
        "scale_length": [("np.sqrt(q.shape[-1])", "np.sqrt(n)")],
        "no_maximum": [(" - scores.max(axis=-1, keepdims=True)", "")],
        "not_transposed": [("np.moveaxis(k, -1, -2)", "k")],
        "no_values": [("weights @ v", "weights")],
        "mask_after": [
            ("    scores[..., hidden] = -np.inf\n", ""),
            ("weights @ v", "(weights * (1 - hidden)) @ v"),
        ],
        "mask_zero": [("= -np.inf", "= 0")],
        "mask_added": [
            ("scores[..., hidden] = -np.inf", "scores = scores + ~hidden")
        ],
        "wrong_axis": [("axis=-1", "axis=-2")],
        "causal_missing": [("    scores[..., hidden] = -np.inf\n", "")],
        "causal_inverted": [("== 1\n", "== 0\n")],
        "causal_upper": [(HIDDEN, "np.tril(np.ones((n, n)), k=-1)")],
        "causal_strict": [("k=1", "k=0")],
        "causal_one_ahead": [("k=1", "k=2")],
        "keys_from_query": [("x @ w_k", "x @ w_q")],
        "values_not_projected": [("x @ w_v", "x")],
    },
    [
        "def f(x, a, b, c):\n"
        "    m = al.create_causal_mask(x.shape[-2])\n"
        "    return al.self_attention(x, a, b, c, m)[0]",
        "def f(x, a, b, c):\n"
        "    if x.ndim > 2: return np.stack([f(y, a, b, c) for y in x])\n"
        "    q, k, v = x @ a, x @ b, x @ c\n"
        "    out = []\n"
        "    for i in range(len(x)):\n"
        "        w = al.softmax(k[:i + 1] @ q[i] / np.sqrt(len(q[i])))\n"
        "        out.append(w @ v[:i + 1])\n"
        "    return out",
        "def f(x, a, b, c):\n"
        "    s = np.einsum('...id,...jd->...ij', x @ a, x @ b)\n"
        "    s = s / a.shape[1] ** 0.5 + np.where(np.tri(x.shape[-2]), 0, "
        "-1e9)\n"
        "    return al.softmax(s) @ (x @ c)",
    ],
)

LEARNERS["check_is_attention"] = (
    """
def valid(weights):
    if not np.isfinite(weights).all():
        return False
    if weights.min() < 0:
        return False
    sums = weights.sum(axis=-1)
    return bool(np.all(abs(sums - 1) < 1e-6))
""",
    {
        "sum_only": [("weights.min() < 0", "False")],
        "range_only": [
            ("weights.min() < 0", "weights.min() < 0 or weights.max() > 1"),
            ("bool(np.all(abs(sums - 1) < 1e-6))", "True"),
        ],
        "zero_refused": [("weights.min() < 0", "weights.min() <= 0")],
        "negative_passes": [("weights.min() < 0", "weights.max() > 1")],
        "loose": [("abs(sums - 1) < 1e-6", "np.isclose(sums, 1, atol=0.01)")],
        "nan_passes": [
            ("not np.isfinite(weights).all()", "False"),
            (
                "bool(np.all(abs(sums - 1) < 1e-6))",
                "not np.any(abs(sums - 1) > 1e-6)",
            ),
        ],
        "columns": [("axis=-1", "axis=0")],
        "axis_one": [("axis=-1", "axis=1")],
        "total": [
            ("weights.sum(axis=-1)", "weights.sum() / weights[..., 0].size")
        ],
        "exact": [("abs(sums - 1) < 1e-6", "sums == 1")],
        "any_row": [("np.all", "np.any")],
        "never": [("return bool(", "return bool([] and ")],
        "always": [
            ("return False", "return True"),
            ("bool(np.all(abs(sums - 1) < 1e-6))", "True"),
        ],
    },
    [
        "def f(w):\n"
        "    return np.isfinite(w).all() & (w >= 0).all() & "
        "np.allclose(w.sum(-1), 1)",
        "def f(w):\n"
        "    try: al.validate_attention(w)\n"
        "    except ValueError: return False\n"
        "    return True",
        "def f(w):\n"
        "    rows = w.reshape(-1, w.shape[-1]).tolist()\n"
        "    return all(min(r) >= 0 and abs(sum(r) - 1) < 1e-9 "
        "for r in rows)",
    ],
)

LEARNERS["check_chunked_attention"] = (
    """
def chunked(q, k, v, size):
    output = np.zeros((len(q), v.shape[1]))
    start = 0
    while start < len(q):
        part = q[start:start + size]
        scores = part @ k.T / np.sqrt(part.shape[1])
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        w = e / e.sum(axis=1, keepdims=True)
        output[start:start + size] = w @ v
        start += size
    return output
""",
    {
        "last_dropped": [("start < len(q)", "start + size <= len(q)")],
        "keys_chunked": [
            ("@ k.T", "@ k[start:start + size].T"),
            ("w @ v", "w @ v[start:start + size]"),
        ],
        "one_chunk": [
            (
                "        start += size\n    return output",
                "        return w @ v",
            )
        ],
        "scale_missing": [(" / np.sqrt(part.shape[1])", "")],
        "scale_chunk": [("np.sqrt(part.shape[1])", "np.sqrt(len(part))")],
        "wrong_axis": [("axis=1", "axis=0")],
    },
    [
        "def f(q, k, v, n):\n"
        "    return np.vstack([al.scaled_dot_product_attention("
        "q[i:i + n], k, v)[0] for i in range(0, len(q), n)])",
        "def f(q, k, v, n):\n"
        "    cuts = np.array_split(q, range(n, len(q), n))\n"
        "    return [row for c in cuts for row in "
        "al.scaled_dot_product_attention(c, k, v)[0].tolist()]",
        "def f(q, k, v, n):\n"
        "    return al.memory_efficient_attention(q, k, v, block_size=n)",
    ],
)

LEARNERS["check_weight_bytes"] = (
    """
def count(n, heads, size):
    weights = np.prod([heads, n, n])
    return weights * size
""",
    {
        "not_squared": [("[heads, n, n]", "[heads, n]")],
        "doubled": [("[heads, n, n]", "[heads, n, 2]")],
        "not_a_power": [("[heads, n, n]", "[heads, n ^ 2]")],
        "numbers_only": [("weights * size", "weights")],
        "heads_ignored": [("[heads, n, n]", "[n, n]")],
        "heads_divided": [
            ("np.prod([heads, n, n])", "np.prod([n, n]) / heads")
        ],
        "bits": [("weights * size", "weights * size * 8")],
        "half": [("weights * size", "weights * size / 2")],
        "megabytes": [("weights * size", "weights * size / 2**20")],
    },
    [
        "def f(n, h, b): return float(h * b * n**2)",
        "def f(n, num_heads, bytes_each=4):\n"
        "    return np.broadcast_to(np.zeros(1, f'f{bytes_each}'), "
        "(num_heads, n, n)).size * bytes_each",
    ],
)

WAYS = [
    (
        "check_mini_attention",
        "not_maximum",
        LEARNERS["check_mini_attention"][0].replace(
            "scores.max()", "np.median(scores)"
        ),
    ),
    *(
        (
            "check_is_attention",
            "loose",
            "def f(w):\n"
            "    sums = w.sum(axis=-1)\n"
            f"    return bool((w >= 0).all() and ({close}).all())",
        )
        for close in (
            "sums.round() == 1",
            "sums.round(1) == 1",
            "abs(sums - 1) < 0.15",
        )
    ),
]
