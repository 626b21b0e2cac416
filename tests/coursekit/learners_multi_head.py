"""What learners write in chapter 3, made without a look at the edits."""

from coursekit.checks.edits import edited


def multi(*edits):
    """Return a right answer, head by head, with texts in it replaced."""
    source = """
def multi(x, w_q, w_k, w_v, w_o, h):
    n, d = x.shape
    w = d // h
    joined, maps = np.zeros((n, d)), np.zeros((h, n, n))
    for i in range(h):
        cols = slice(i * w, i * w + w)
        q, k, v = (x @ m[:, cols] for m in (w_q, w_k, w_v))
        scores = q @ k.T / np.sqrt(w)
        maps[i] = al.softmax(scores, axis=1)
        joined[:, cols] = maps[i] @ v
    return joined @ w_o, maps
"""
    return edited(source, dict(edits))


def heads(split, scores="q @ k.swapaxes(1, 2) / w**0.5", merge="o"):
    """Return an answer without a loop: its split, its scores, its merge."""
    return f"""
def multi(x, w_q, w_k, w_v, w_o, h):
    n, d = x.shape
    w = d // h
    q, k, v = [(x @ m){split} for m in (w_q, w_k, w_v)]
    weights = al.softmax({scores})
    o = weights @ v
    return {merge}.reshape(n, d) @ w_o, weights
"""


def moved(columns, last="w_o[cols]"):
    """Return a shuffle with these columns."""
    return f"""
def shuffle(w_q, w_k, w_v, w_o, order):
    w, h = len(w_o) // len(order), len(order)
    cols = {columns}
    return *(m[:, cols] for m in (w_q, w_k, w_v)), {last}
"""


SPLIT = ".reshape(n, h, w).swapaxes(0, 1)"
BLOCKS = "[i * w + j for i in order for j in range(w)]"

RIGHT = {
    "split_heads": [
        """
def f(x, h):
    w = x.shape[-1] // h
    return np.stack([x[..., i*w:(i + 1)*w] for i in range(h)], axis=-3)
""",
        "lambda x, h: np.stack(np.split(x, h, axis=-1), -3).tolist()",
        "lambda x, h: np.moveaxis(x.reshape(x.shape[:-1] + (h, -1)), -2, -3)",
        """
def f(x, h):
    *b, n, d = x.shape
    axes = [*range(len(b)), len(b) + 1, len(b), len(b) + 2]
    return x.reshape(*b, n, h, d // h).transpose(axes).astype(np.float32)
""",
    ],
    "merge_heads": [
        "lambda x: np.concatenate(np.moveaxis(x, -3, 0), axis=-1)",
        "lambda x: x.swapaxes(-2, -3).reshape("
        "x.shape[:-3] + (x.shape[-2], -1))",
        "lambda x: np.einsum('...hnd->...nhd', x).reshape("
        "*x.shape[:-3], x.shape[-2], -1).tolist()",
        """
def f(x):
    *b, h, n, w = x.shape
    out = np.zeros((*b, n, h * w))
    for i in range(h):
        out[..., i * w:(i + 1) * w] = x[..., i, :, :]
    return out
""",
    ],
    "multi_head": [
        heads(SPLIT, merge="o.swapaxes(0, 1)"),
        """
def f(x, a, b, c, o, h):
    d, w = x.shape[1], x.shape[1] // h
    q, k, v = (np.einsum('nd,dhw->hnw', x, m.reshape(d, h, w))
               for m in (a, b, c))
    p = al.softmax(np.einsum('hiw,hjw->hij', q, k) * w ** -0.5)
    return np.einsum('hij,hjw,hwm->im', p, v, o.reshape(h, w, d)), p
""",
    ],
    "count_parameters": [
        "lambda d, h, b: 4 * (d * d + d * b)",
        """
def f(d, h, bias):
    m = al.MultiHeadAttention(d, h, bias=bias, rng=0)
    parts = [m.W_q, m.W_k, m.W_v, m.W_o]
    parts += [m.b_q, m.b_k, m.b_v, m.b_o] if bias else []
    return sum(p.size for p in parts)
""",
        """
def f(d_model, num_heads, bias):
    total = 0
    for head in range(num_heads):
        total += 3 * d_model * (d_model // num_heads)
    total += d_model ** 2
    if bias:
        total += 4 * d_model
    return total
""",
    ],
    "shuffle_heads": [
        moved(BLOCKS),
        """
def f(q, k, v, o, order):
    h, d = len(order), len(o)
    def g(m): return m.reshape(d, h, -1)[:, order].reshape(d, d)
    return [g(q), g(k), g(v), o.reshape(h, -1, d)[order].reshape(d, d)]
""",
        """
def f(q, k, v, o, order):
    p = np.kron(np.eye(len(order))[order], np.eye(len(o) // len(order)))
    return q @ p.T, k @ p.T, v @ p.T, p @ o
""",
    ],
}

WRONG = {
    "split_heads": {
        "reshape_only": [
            "lambda x, h: x.reshape("
            "*x.shape[:-2], h, x.shape[-2], x.shape[-1] // h)"
        ],
        "strided": [
            "lambda x, h: np.stack([x[..., i::h] for i in range(h)], -3)"
        ],
        "not_swapped": ["lambda x, h: x.reshape(*x.shape[:-1], h, -1)"],
        "wrong_swap": [
            "lambda x, h: np.moveaxis(x.reshape(*x.shape[:-1], h, -1), -3, -1)"
        ],
        "last_swapped": [
            "lambda x, h: x.reshape(*x.shape[:-1], h, -1).swapaxes(-1, -2)"
        ],
        "d_head_for_heads": [
            "lambda x, h: np.swapaxes(x.reshape(*x.shape[:-1], -1, h), -2, -3)"
        ],
        "batch_swapped": [
            "lambda x, h: x.reshape(*x.shape[:-1], h, -1).swapaxes(0, 1)",
            "lambda x, h: np.swapaxes(x.reshape(*x.shape[:-1], h, -1), 1, 2)",
        ],
        "one_batch_axis": [
            """
def f(x, h):
    if x.ndim == 2:
        return x.reshape(len(x), h, -1).swapaxes(0, 1)
    b, n, d = x.shape
    return x.reshape(b, n, h, d // h).transpose(0, 2, 1, 3)
"""
        ],
        "axes_fixed": [
            """
def f(x, h):
    n, d = x.shape
    return x.reshape(n, h, d // h).transpose(1, 0, 2)
""",
            """
def f(x, h):
    b, n, d = x.shape
    return x.reshape(b, n, h, d // h).transpose(0, 2, 1, 3)
""",
        ],
        "torch_transpose": [
            "lambda x, h: x.reshape(*x.shape[:-1], h, -1).transpose(1, 2)",
            "lambda x, h: x.reshape(*x.shape[:-1], h, -1).transpose(-3, -2)",
        ],
        "all_reversed": [
            "lambda x, h: x.reshape(*x.shape[:-1], h, -1).T",
            "lambda x, h: x.reshape(*x.shape[:-1], h, -1).swapaxes(-3, -1)",
        ],
        "heads_first": ["lambda x, h: np.array(np.split(x, h, axis=-1))"],
        "star_missing": [
            """
def f(x, num_heads):
    *batch, n, d = x.shape
    return x.reshape(batch, n, num_heads, d // num_heads).swapaxes(-2, -3)
"""
        ],
        "width_not_divided": [
            """
def f(x, num_heads):
    *batch, n, d_model = x.shape
    return x.reshape(*batch, n, num_heads, d_model).swapaxes(-2, -3)
"""
        ],
        "float_width": [
            """
def f(x, num_heads):
    *batch, n, d_model = x.shape
    y = x.reshape(*batch, n, num_heads, d_model / num_heads)
    return y.swapaxes(-2, -3)
"""
        ],
    },
    "merge_heads": {
        "reshape_only": [
            "lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1)"
        ],
        "interleaved": [
            "lambda x: np.stack([x[..., i, :, :] for i in "
            "range(x.shape[-3])], -1).reshape(*x.shape[:-3], x.shape[-2], -1)"
        ],
        "batch_joined": ["lambda x: np.concatenate(list(x), axis=-1)"],
        "star_missing": [
            "lambda x: x.swapaxes(-2, -3).reshape("
            "list(x.shape[:-3]), x.shape[-2], -1)"
        ],
        "summed": ["lambda x: np.add.reduce(x, -3)"],
        "averaged": ["lambda x: np.mean(x, axis=-3)"],
        "swapped_only": ["lambda x: np.einsum('...hnw->...nhw', x)"],
        "stacked": ["lambda x: np.concatenate(np.moveaxis(x, -3, 0), -2)"],
        "one_head": ["lambda x: np.moveaxis(x, -3, 0)[-1]"],
        "wrong_swap": [
            "lambda x: np.moveaxis(x, -1, -2).reshape("
            "*x.shape[:-3], x.shape[-2], -1)"
        ],
        "batch_swapped": [
            "lambda x: np.swapaxes(x, 1, 0).reshape("
            "*x.shape[:-3], x.shape[-2], -1)"
        ],
        "one_batch_axis": [
            "lambda x: np.moveaxis(x, x.ndim > 3, 1 + (x.ndim > 3)).reshape("
            "*x.shape[:-3], x.shape[-2], -1)"
        ],
        "axes_fixed": [
            """
def f(x):
    num_heads, n, d_head = x.shape
    return x.transpose(1, 0, 2).reshape(n, num_heads * d_head)
"""
        ],
        "torch_transpose": [
            "lambda x: x.transpose(1, 2).reshape("
            "*x.shape[:-3], x.shape[-2], -1)"
        ],
        "all_reversed": [
            "lambda x: x.T.reshape(*x.shape[:-3], x.shape[-2], -1)"
        ],
    },
    "multi_head": {
        "rule": [
            multi(),
            """
def f(x, a, b, c, o, h):
    q, k, v = (al.split_heads(x @ m, h) for m in (a, b, c))
    w = al.softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]))
    return al.merge_heads(w @ v) @ o, w
""",
        ],
        "scale_missing": [multi((" / np.sqrt(w)", ""))],
        "scale_multiplied": [multi(("/ np.sqrt(w)", "* np.sqrt(w)"))],
        "scale_not_root": [multi(("np.sqrt(w)", "w"))],
        "scale_half": [multi(("np.sqrt(w)", "w ** 1/2"))],
        "scale_length": [multi(("np.sqrt(w)", "np.sqrt(n)"))],
        "scale_model": [multi(("np.sqrt(w)", "np.sqrt(d)"))],
        "scale_heads": [multi(("np.sqrt(w)", "np.sqrt(h)"))],
        "scale_after": [
            multi((" / np.sqrt(w)", ""), ("axis=1)", "axis=1) / np.sqrt(w)"))
        ],
        "keys_ask": [multi(("(w_q, w_k, w_v)", "(w_k, w_q, w_v)"))],
        "not_merged": [heads(SPLIT).replace(".reshape(n, d) @ w_o", " @ w_o")],
        "heads_not_joined": [
            heads(SPLIT, merge="o.mean(0)").replace(".reshape(n, d)", ""),
            heads(SPLIT, merge="np.vstack(o)").replace(".reshape(n, d)", ""),
        ],
        "wrong_axis": [
            multi(("axis=1", "axis=0")),
            heads(
                SPLIT,
                "q @ k.swapaxes(1, 2) / w**.5, axis=0",
                "o.swapaxes(0, 1)",
            ),
        ],
        "not_transposed": [multi(("k.T", "k"))],
        "batch_transposed": [
            heads(SPLIT, "q @ k.T / w**0.5", "o.swapaxes(0, 1)")
        ],
        "torch_transpose": [
            heads(SPLIT, "q @ k.transpose(-2, -1)/w**.5", "o.swapaxes(0, 1)"),
            heads(SPLIT, "q @ k.transpose(1, 2) / w**.5", "o.swapaxes(0, 1)"),
            heads(".reshape(n, h, w).transpose(0, 1)"),
        ],
        "no_softmax": [multi(("al.softmax(scores, axis=1)", "scores"))],
        "softmax_twice": [multi(("(scores,", "(al.softmax(scores),"))],
        "not_projected": [multi(("x @ m[:, cols]", "x[:, cols]"))],
        "keys_from_query": [multi(("(w_q, w_k, w_v)", "(w_q, w_q, w_v)"))],
        "keys_for_values": [multi(("maps[i] @ v", "maps[i] @ k"))],
        "reshape_only": [
            heads(".reshape(h, n, w)", merge="o.swapaxes(0, 1)"),
            heads(".reshape(h, n, w)"),
        ],
        "strided": [multi(("m[:, cols]", "m[:, i::h]"))],
        "split_not_swapped": [
            heads(".reshape(n, h, w)"),
            heads(".reshape(n, h, w)", merge="o.swapaxes(0, 1)"),
        ],
        "float_width": [
            heads(".reshape(n, h, d / h).swapaxes(0, 1)"),
        ],
        "merge_reshape_only": [heads(SPLIT)],
        "merge_wrong_swap": [
            heads(SPLIT, merge="o.swapaxes(1, 2)"),
            heads(SPLIT, merge="o.T"),
        ],
        "output_missing": [multi(("joined @ w_o", "joined"))],
        "output_transposed": [multi(("joined @ w_o", "(w_o @ joined.T).T"))],
        "one_head": [
            "lambda x, a, b, c, o, h: ((y := al.self_attention(x, a, b, c))"
            "[0] @ o, y[1])"
        ],
        "heads_averaged": [multi(("w_o, maps", "w_o, sum(maps) / h"))],
    },
    "count_parameters": {
        "times_heads": ["lambda d, h, bias: h * 4 * (d * d + d * bias)"],
        "output_forgotten": [
            "lambda d, h, bias: 3 * (d * d + d * bias)",
            "lambda d, h, bias: 3 * d * d + (4 * d if bias else 0)",
        ],
        "one_head_only": [
            "lambda d, h, bias: 3 * d * (d // h) + d * d + 4 * d * bias",
            "lambda d, h, bias: 4 * (d // h) * (d + bias)",
        ],
        "no_bias": ["lambda d, h, bias: d * d * 4"],
        "always_bias": ["lambda d, h, bias: 4 * d * (d + 1)"],
        "precedence": ["lambda d, h, b: 4 * d * d + 4 * d if b else 0"],
        "one_bias": ["lambda d, h, b: 4 * d * d + d * b"],
        "bias_inverted": ["lambda d, h, b: 4 * d * d + 4 * d * (not b)"],
        "doubled": ["lambda d, h, b: 4 * (d + d) + 4 * d * b"],
        "scalar_bias": ["lambda d, h, b: 4 * (d * d + b)"],
        "not_a_power": [
            "lambda d, h, b: 4 * (d ^ 2) + 4 * d * b",
            "lambda d, h, b: 4 * d ^ 2 + 4 * d * b",
        ],
        "four_squared": ["lambda d, h, b: (4 * d)**2 + b * 4 * d"],
        "one_matrix": ["lambda d, h, b: d * d + d * b"],
    },
    "shuffle_heads": {
        "output_columns": [moved(BLOCKS, "w_o[:, cols]")],
        "output_forgotten": [moved(BLOCKS, "w_o")],
        "output_inverse": [moved(BLOCKS, "w_o[[*np.argsort(cols)]]")],
        "inverse_order": [
            moved(
                "[order.index(i) * w + j for i in range(h) for j in range(w)]"
            )
        ],
        "single_columns": [
            moved("[j * h + i for j in range(w) for i in order]"),
            moved("[j * h + i for i in order for j in range(w)]"),
        ],
        "order_for_columns": [moved("order")],
        "order_reversed": [moved(BLOCKS.replace("order", "reversed(order)"))],
        "one_forgotten": [moved(BLOCKS).replace("w_v))", ")), w_v")],
        "blocks_turned": [
            moved("np.arange(h * w).reshape(w, h)[order].flatten()")
        ],
        "not_flattened": [
            moved("[[i * w + j for j in range(w)] for i in order]")
        ],
        "nothing_moved": [moved("np.arange(len(w_o))")],
        "rows_moved": [moved(BLOCKS).replace("m[:, cols]", "m[cols]")],
    },
}
