"""What learners write in chapter 3: a right answer, and edits of it."""

LEARNERS = {}

LEARNERS["check_split_heads"] = (
    """
def split(x, h):
    *b, n, d = x.shape
    w = d // h
    cut = x.reshape(*b, n, h, w)
    axes = [*range(len(b)), len(b) + 1, len(b), len(b) + 2]
    return cut.transpose(axes)
""",
    {
        "reshape_only": [
            ("return cut.transpose(axes)", "return x.reshape(*b, h, n, w)")
        ],
        "strided": [
            (
                "cut = x.reshape(*b, n, h, w)",
                "cut = np.stack([x[..., i::h] for i in range(h)], -2)",
            ),
        ],
        "not_swapped": [("return cut.transpose(axes)", "return cut")],
        "wrong_swap": [
            (
                "len(b) + 1, len(b), len(b) + 2]",
                "len(b) + 1, len(b) + 2, len(b)]",
            ),
        ],
        "last_swapped": [("cut.transpose(axes)", "np.swapaxes(cut, 1, 2)")],
        "d_head_for_heads": [("w = d // h", "w, h = h, d // h")],
        "batch_swapped": [("cut.transpose(axes)", "np.swapaxes(cut, 0, 1)")],
        "one_batch_axis": [
            (
                "cut.transpose(axes)",
                "cut.swapaxes(1, 2) if b else cut.swapaxes(0, 1)",
            )
        ],
    },
    [
        "def f(x, h):\n"
        "    w = x.shape[-1] // h\n"
        "    return np.stack([x[..., i * w:(i + 1) * w] "
        "for i in range(h)], axis=-3)",
        "def f(x, h): return np.stack(np.split(x, h, axis=-1), -3).tolist()",
        "def f(x, h):\n"
        "    y = x.reshape(x.shape[:-1] + (h, -1))\n"
        "    return np.moveaxis(y, -2, -3).astype(np.float32)",
    ],
)

LEARNERS["check_merge_heads"] = (
    """
def merge(x):
    *b, h, n, w = x.shape
    out = np.zeros((*b, n, h * w))
    for i in range(h):
        out[..., i * w:(i + 1) * w] = x[..., i, :, :]
    return out
""",
    {
        "reshape_only": [("return out", "return x.reshape(out.shape)")],
        "interleaved": [("i * w:(i + 1) * w", "i::h")],
        "summed": [
            ("return out", "return sum(x[..., i, :, :] for i in range(h))")
        ],
        "averaged": [
            ("return out", "return sum(x[..., i, :, :] for i in range(h)) / h")
        ],
        "swapped_only": [
            ("return out", "return np.einsum('...hnw->...nhw', x)")
        ],
        "stacked": [
            (
                "return out",
                "return np.concatenate("
                "[x[..., i, :, :] for i in range(h)], axis=-2)",
            )
        ],
        "one_head": [("return out", "return out[..., -w:]")],
        "wrong_swap": [
            (
                "return out",
                "return np.moveaxis(x, -1, -2).reshape(out.shape)",
            )
        ],
        "batch_swapped": [
            ("return out", "return np.swapaxes(x, 1, 0).reshape(out.shape)")
        ],
        "one_batch_axis": [
            (
                "    return out",
                "    y = np.moveaxis(x, 1, 2) if b else np.moveaxis(x, 0, 1)\n"
                "    return y.reshape(out.shape)",
            )
        ],
    },
    [
        "def f(x): return np.concatenate(np.moveaxis(x, -3, 0), axis=-1)",
        "def f(x): return x.swapaxes(-2, -3).reshape("
        "x.shape[:-3] + (x.shape[-2], -1))",
        "def f(x): return np.einsum('...hnd->...nhd', x).reshape("
        "*x.shape[:-3], x.shape[-2], x.shape[-1] * x.shape[-3]).tolist()",
    ],
)

MULTI = """
def multi(x, w_q, w_k, w_v, w_o, h):
    n, d = x.shape
    w = d // h
    joined = np.zeros((n, d))
    maps = np.zeros((h, n, n))
    for i in range(h):
        cols = slice(i * w, i * w + w)
        q, k, v = (x @ m[:, cols] for m in (w_q, w_k, w_v))
        scores = q @ k.T / np.sqrt(w)
        e = np.exp(scores)
        maps[i] = e / e.sum(axis=1, keepdims=True)
        joined[:, cols] = maps[i] @ v
    return joined @ w_o, maps
"""
LEARNERS["check_multi_head"] = (
    MULTI,
    {
        "scale_missing": [(" / np.sqrt(w)", "")],
        "scale_multiplied": [("/ np.sqrt(w)", "* np.sqrt(w)")],
        "scale_not_root": [("np.sqrt(w)", "w")],
        "scale_length": [("np.sqrt(w)", "np.sqrt(n)")],
        "scale_model": [("np.sqrt(w)", "np.sqrt(d)")],
        "scale_heads": [("np.sqrt(w)", "np.sqrt(h)")],
        "wrong_axis": [("axis=1", "axis=0")],
        "not_transposed": [("q @ k.T", "q @ k")],
        "batch_transposed": [
            (
                "    for i",
                "    q, k = (al.split_heads(x @ m, h) for m in (w_q, w_k))\n"
                "    all_scores = q @ k.T / np.sqrt(w)\n"
                "    for i",
            ),
            ("        e =", "        scores = all_scores[i]\n        e ="),
        ],
        "no_softmax": [
            ("maps[i] = e / e.sum(axis=1, keepdims=True)", "maps[i] = scores")
        ],
        "keys_from_query": [("(w_q, w_k, w_v)", "(w_q, w_q, w_v)")],
        "split_not_swapped": [
            (
                "    return",
                "    q, k, v = ((x @ m).reshape(n, h, w) "
                "for m in (w_q, w_k, w_v))\n"
                "    maps = al.softmax(q @ np.moveaxis(k, 1, 2) / np.sqrt(w))"
                "\n    joined = (maps @ v).reshape(n, d)\n"
                "    return",
            )
        ],
        "merge_wrong_swap": [
            (
                "    return",
                "    joined = joined.reshape(n, h, w).swapaxes(0, 1)\n"
                "    joined = np.moveaxis(joined, 1, 2).reshape(n, d)\n"
                "    return",
            )
        ],
        "keys_for_values": [("maps[i] @ v", "maps[i] @ k")],
        "reshape_only": [
            ("(x @ m[:, cols] for m", "((x @ m).reshape(h, n, w)[i] for m"),
        ],
        "strided": [("x @ m[:, cols]", "x @ m[:, i::h]")],
        "merge_reshape_only": [
            ("joined = np.zeros((n, d))", "joined = np.zeros((h, n, w))"),
            ("joined[:, cols]", "joined[i]"),
            ("joined @ w_o", "joined.reshape(n, d) @ w_o"),
        ],
        "output_missing": [("joined @ w_o", "joined")],
        "output_transposed": [("joined @ w_o", "joined @ w_o.T")],
        "one_head": [
            ("n, d = x.shape", "n, d = x.shape\n    h = 1"),
            (
                "    return joined @ w_o, maps",
                "    return joined @ w_o, maps[0]",
            ),
        ],
        "heads_averaged": [("w_o, maps", "w_o, maps.mean(0)")],
    },
    [
        "def f(x, a, b, c, o, h):\n"
        "    q, k, v = (al.split_heads(x @ m, h) for m in (a, b, c))\n"
        "    y, w = al.scaled_dot_product_attention(q, k, v)\n"
        "    return al.merge_heads(y) @ o, w",
        "def f(x, a, b, c, o, h):\n"
        "    d, w = x.shape[1], x.shape[1] // h\n"
        "    q, k, v = (np.einsum('nd,dhw->hnw', x, m.reshape(d, h, w)) "
        "for m in (a, b, c))\n"
        "    p = al.softmax(np.einsum('hiw,hjw->hij', q, k) * w ** -0.5)\n"
        "    return np.einsum('hij,hjw,hwm->im', p, v, "
        "o.reshape(h, w, d)), p",
        "def f(x, a, b, c, o, h):\n"
        "    m = al.MultiHeadAttention(len(a), h, rng=0, dtype=float)\n"
        "    m.W_q, m.W_k, m.W_v, m.W_o = a, b, c, o\n"
        "    return m(x)",
    ],
)

LEARNERS["check_multi_head_loop"] = (
    """
def loop(x, w_q, w_k, w_v, w_o):
    heads = []
    for a, b, c in zip(w_q, w_k, w_v):
        q, k, v = x @ a, x @ b, x @ c
        s = np.einsum("id,jd->ij", q, k) / math.sqrt(q.shape[1])
        heads.append(al.softmax(s, axis=1) @ v)
    return np.hstack(heads) @ w_o
""",
    {
        "scale_missing": [(" / math.sqrt(q.shape[1])", "")],
        "scale_multiplied": [("/ math", "* math")],
        "scale_not_root": [("math.sqrt(q.shape[1])", "q.shape[1]")],
        "scale_length": [("q.shape[1]", "q.shape[0]")],
        "scale_model": [("q.shape[1]", "x.shape[1]")],
        "wrong_axis": [("axis=1", "axis=0")],
        "not_transposed": [('np.einsum("id,jd->ij", q, k)', "q @ k")],
        "keys_for_values": [("@ v)", "@ k)")],
        "output_missing": [(" @ w_o", "")],
        "stacked": [("np.hstack(heads)", "np.vstack(heads).reshape(x.shape)")],
        "interleaved": [
            ("np.hstack(heads)", "np.dstack(heads).reshape(x.shape)")
        ],
        "reversed": [("heads.append(", "heads.insert(0, ")],
        "one_head": [("x @ a, x @ b, x @ c", "x @ w_q[0], x @ w_k[0], x @ c")],
    },
    [
        "def f(x, a, b, c, o):\n"
        "    h = [al.self_attention(x, a[i], b[i], c[i])[0] "
        "for i in range(len(a))]\n"
        "    return np.concatenate(h, -1) @ o",
        "def f(x, a, b, c, o):\n"
        "    out, w = 0, c.shape[-1]\n"
        "    for i in range(len(a)):\n"
        "        y, _ = al.self_attention(x, a[i], b[i], c[i])\n"
        "        out = out + y @ o[i * w:i * w + w]\n"
        "    return out.tolist()",
        "def f(x, a, b, c, o):\n"
        "    y, _ = al.scaled_dot_product_attention(x @ a, x @ b, x @ c)\n"
        "    return al.merge_heads(y) @ o",
    ],
)

LEARNERS["check_count_parameters"] = (
    """
def count(d_model, num_heads, bias):
    total = 0
    d_head = d_model // num_heads
    for head in range(num_heads):
        total += 3 * d_model * d_head
    total += d_model ** 2
    if bias:
        total += 4 * d_model
    return total
""",
    {
        "times_heads": [("* d_head", "* d_model")],
        "output_forgotten": [("    total += d_model ** 2\n", "")],
        "one_head_only": [("range(num_heads)", "range(1)")],
        "no_bias": [("    if bias:\n        total += 4 * d_model\n", "")],
        "always_bias": [("if bias:", "if True:")],
        "precedence": [
            (
                "    if bias:\n        total += 4 * d_model\n    return total",
                "    return total + 4 * d_model if bias else 0",
            )
        ],
        "one_bias": [("+= 4 * d_model", "+= d_model")],
        "scalar_bias": [("+= 4 * d_model", "+= 4")],
    },
    [
        "def f(d, h, b): return 4 * (d * d + d * b)",
        "def f(d, h, b):\n"
        "    m = al.MultiHeadAttention(d, h, bias=b, rng=0)\n"
        "    parts = [m.W_q, m.W_k, m.W_v, m.W_o]\n"
        "    parts += [m.b_q, m.b_k, m.b_v, m.b_o] if b else []\n"
        "    return sum(p.size for p in parts)",
    ],
)

LEARNERS["check_shuffle_heads"] = (
    """
def shuffle(w_q, w_k, w_v, w_o, order):
    w = len(w_o) // len(order)
    cols = []
    for head in order:
        cols += list(range(head * w, (head + 1) * w))
    new = [np.take(m, cols, axis=1) for m in (w_q, w_k, w_v)]
    return *new, np.take(w_o, cols, axis=0)
""",
    {
        "output_columns": [("w_o, cols, axis=0", "w_o, cols, axis=1")],
        "output_forgotten": [("np.take(w_o, cols, axis=0)", "w_o")],
        "inverse_order": [
            (
                "in order:",
                "in sorted(range(len(order)), key=lambda i: order[i]):",
            )
        ],
        "single_columns": [
            ("    for head in order:\n", "    for i in range(w):\n"),
            (
                "list(range(head * w, (head + 1) * w))",
                "[i * len(order) + h for h in order]",
            ),
        ],
        "nothing_moved": [("in order:", "in range(len(order)):")],
        "rows_moved": [("cols, axis=1)", "cols, axis=0)")],
    },
    [
        "def f(q, k, v, o, order):\n"
        "    h, d = len(order), len(o)\n"
        "    def g(m): return m.reshape(d, h, -1)[:, order].reshape(d, d)\n"
        "    return [g(q), g(k), g(v), o.reshape(h, -1, d)[order]"
        ".reshape(d, d)]",
        "def f(q, k, v, o, order):\n"
        "    p = np.kron(np.eye(len(order))[order], "
        "np.eye(len(o) // len(order)))\n"
        "    return q @ p.T, k @ p.T, v @ p.T, p @ o",
    ],
)
