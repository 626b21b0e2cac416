"""What learners write in chapter 2 on attention, without a look at the edits.

Of many answers only one line is not right: `mini` and `full` put it in.
"""

from coursekit.checks.edits import edited


def mini(old="", new=""):
    """Return a right answer with a loop, in which one text is another."""
    source = """
def mini(query, keys, values):
    scores = np.array([query.dot(key) for key in keys])
    scores = scores / math.sqrt(len(query))
    e = np.exp(scores - scores.max())
    w = e / e.sum()
    out = sum(w[j] * values[j] for j in range(len(w)))
    return out, w
"""
    return edited(source, {old: new})


def full(*edits):
    """Return a right answer with einsum, with texts in it replaced."""
    source = """
def mine(q, k, v, mask=None):
    d = q.shape[-1]
    scores = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(d)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = np.max(scores, axis=-1, keepdims=True)
    top = np.where(top == -np.inf, 0, top)
    e = np.exp(scores - top)
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    return np.einsum("...ij,...jd->...id", weights, v), weights
"""
    return edited(source, dict(edits))


def scored(scores):
    """Return a short answer with other scores."""
    return f"""
def mine(q, k, v, mask=None):
    scores = {scores}
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    w = al.softmax(scores)
    return w @ v, w
"""


def masked(line, share="al.softmax(s)"):
    """Return a short answer with another line for the mask."""
    return f"""
def mine(q, k, v, mask=None):
    s = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    if mask is not None:
        {line}
    w = {share}
    return w @ v, w
"""


def after(line):
    """Return a short answer with a mask after the softmax."""
    return f"""
def mine(q, k, v, mask=None):
    w = al.softmax(q @ np.moveaxis(k, -1, -2) / np.sqrt(k.shape[-1]))
    if mask is not None:
        {line}
    return w @ v, w
"""


TOP = "np.max(scores, axis=-1, keepdims=True)"
SUM = "e.sum(axis=-1, keepdims=True)"
DIVIDED = "e / np.where(total == 0, 1, total)"
PLAIN = "np.exp(s) / np.exp(s).sum(-1, keepdims=True)"

RIGHT = {
    "mini_attention": [
        mini(),
        "lambda q, k, v: ((w := al.softmax(k @ q / len(q) ** 0.5)) @ v, w)",
        """
def f(q, k, v):
    o, w = al.scaled_dot_product_attention(q[None], k, v.reshape(len(v), -1))
    return [o[0].reshape(v.shape[1:]), w[0]]
""",
        """
def f(q, k, v):
    w = al.softmax(np.einsum('d,nd->n', q / np.sqrt(q.size), k))
    return np.einsum('n,n...->...', w, v), w.tolist()
""",
    ],
    "attention": [
        full(),
        """
def f(q, k, v, m=None):
    s = q @ np.moveaxis(k, -1, -2) / np.sqrt(q.shape[-1])
    if m is not None:
        s[..., ~m] = -np.inf
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    w = np.nan_to_num(e / e.sum(axis=-1, keepdims=True))
    return w @ v, w
""",
        """
def f(q, k, v, m=None):
    s = np.einsum('...id,...jd->...ij', q, k) / q.shape[-1] ** 0.5
    if m is not None:
        s = s + np.where(m, 0, -np.inf)
    e = np.exp(s - np.nan_to_num(s.max(-1), neginf=0)[..., None])
    return (w := e / np.maximum(e.sum(-1), 1e-30)[..., None]) @ v, w
""",
        """
def f(q, k, v, m=None):
    if q.ndim > 2:
        parts = [f(a, b, c, m) for a, b, c in zip(q, k, v)]
        return tuple(zip(*parts))
    out, ws = [], []
    for i in range(len(q)):
        s = [q[i] @ b / math.sqrt(len(b)) for b in k]
        ok = [m is None or bool(m[i][j]) for j in range(len(k))]
        best = max((a for a, o in zip(s, ok) if o), default=0)
        e = [math.exp(a - best) if o else 0. for a, o in zip(s, ok)]
        ws.append([a / (sum(e) or 1) for a in e])
        out.append(sum(a * b for a, b in zip(ws[-1], v)))
    return out, ws
""",
    ],
}

WRONG = {
    "mini_attention": {
        "scale_missing": [mini(" / math.sqrt(len(query))")],
        "scale_multiplied": [mini("/ math", "* math")],
        "scale_not_root": [mini("math.sqrt(len(query))", "len(query)")],
        "scale_half": [
            mini("math.sqrt(len(query))", "len(query) ** 1/2"),
            mini("math.sqrt(len(query))", "(keys.shape[1] ** 1/2)"),
        ],
        "scale_length": [mini("len(query)", "len(keys)")],
        "scale_values": [mini("len(query)", "values.shape[-1]")],
        "scale_after": [
            "lambda q, k, v: ((w := al.softmax(k @ q) / len(q)**.5) @ v, w)"
        ],
        "scale_fixed": [mini("math.sqrt(len(query))", "2")],
        "no_softmax": [mini("w = e / e.sum()", "w = scores")],
        "softmax_twice": [
            mini("w = e / e.sum()", "w = al.softmax(e/e.sum())")
        ],
        "not_normalised": [mini("w = e / e.sum()", "w = e")],
        "no_maximum": [
            mini(" - scores.max()"),
            mini("scores - scores.max()", "scores - 5"),
        ],
        "not_maximum": [
            mini("scores.max()", "scores.mean()"),
            mini("scores.max()", "np.median(scores)"),
            mini("scores.max()", "min(scores)"),
        ],
        "far_below_zero": [mini("scores.max()", "abs(scores).max()")],
        "nan_hidden": [
            """
def mini(query, keys, values):
    e = np.exp(keys @ query / np.sqrt(query.size))
    w = np.nan_to_num(e / e.sum())
    return w @ values, w
"""
        ],
        "maximum_divided": [
            mini("scores - scores.max()", "scores/max(scores)")
        ],
        "not_transposed": [
            "lambda q, k, v: ((w := al.softmax(q @ k / len(q)**.5)) @ v, w)",
            "lambda q, k, v: ((w := al.softmax(q @ k.transpose(-2, -1)"
            " / len(q)**.5)) @ v, w)",
            "lambda q, k, v: ((w := al.softmax(k.T @ q / len(q)**.5)) @ v, w)",
        ],
        "values_for_keys": [
            "lambda q, k, v: ((w := al.softmax(v @ q / len(q)**.5)) @ v, w)"
        ],
        "keys_for_values": [mini("* values[j]", "* keys[j]")],
        "no_values": [mini("return out, w", "return w, w")],
        "elementwise": [
            "lambda q, k, v: ((w := al.softmax(k * q / len(q)**.5)) @ v, w)"
        ],
        "values_first": [mini("return out, w", "return values @ w, w")],
        "one_shape_only": [
            mini("return out, w", "return sum(w * values), w"),
            mini("out, w", "(w[:, None] * values).sum(0), w"),
        ],
        "hard": [mini("return out, w", "return values[np.argmax(w)], w")],
        "percent": [mini("e / e.sum()", "100 * e / e.sum()")],
        "no_exponential": [
            mini("w = e / e.sum()", "w = scores / sum(scores)")
        ],
        "not_summed": [
            "lambda q, k, v: ((w := al.softmax(k @ q / len(q)**.5)) * v, w)"
        ],
        "axis_one": [
            mini("e.sum()", "e.sum(axis=1)"),
            "lambda q, k, v:"
            " ((w := al.softmax(k @ q / len(q)**.5, axis=1)) @ v, w)",
        ],
    },
    "attention": {
        "rule": [
            "lambda q, k, v, m=None: al.scaled_dot_product_attention"
            "(q, k, v, m)",
            masked("s = np.where(mask, s, -np.inf)"),
        ],
        "scale_missing": [scored("q @ k.swapaxes(-1, -2)")],
        "scale_multiplied": [full(("/ np.sqrt(d)", "* np.sqrt(d)"))],
        "scale_not_root": [full(("np.sqrt(d)", "d"))],
        "scale_half": [
            full(("np.sqrt(d)", "d ** 1/2")),
            full(("np.sqrt(d)", "(d ** 1/2)")),
        ],
        "scale_length": [
            full(("d = q.shape[-1]", "d = k.shape[-2]")),
            full(("d = q.shape[-1]", "d = len(k)")),
        ],
        "scale_queries": [full(("d = q.shape[-1]", "d = q.shape[-2]"))],
        "scale_values": [full(("d = q.shape[-1]", "d = v.shape[-1]"))],
        "scale_after": [
            full((" / np.sqrt(d)", ""), (DIVIDED, f"{DIVIDED} / np.sqrt(d)"))
        ],
        "wrong_axis": [
            full(("axis=-1", "axis=-2")),
            full(("axis=-1", "axis=0")),
        ],
        "axis_one": [full(("axis=-1", "axis=1"))],
        "whole_array": [full((", axis=-1", ""), ("axis=-1, ", ""))],
        "keepdims": [
            full((SUM, "e.sum(axis=-1)")),
            full((SUM, "e.sum(axis=-1)"), (DIVIDED, "e / total")),
            full(
                (SUM, "e.sum(axis=-1)"),
                (DIVIDED, "e / total"),
                ("scores - top", "scores"),
            ),
        ],
        "max_keepdims": [
            full((TOP, "scores.max(axis=-1)")),
            full((TOP, "scores.max(axis=-1)"), (DIVIDED, "e / total")),
        ],
        "max_axis": [full((TOP, "scores.max(axis=0)"))],
        "not_maximum": [full(("np.max(scores", "np.min(scores"))],
        "global_maximum": [
            full((TOP, "scores.max()")),
            full((TOP, "scores.max()"), (DIVIDED, "e / total")),
        ],
        "far_below_zero": [full(("top == -np.inf", "top < 0"))],
        "nan_hidden": [
            masked("s = np.where(mask, s, -np.inf)", f"np.nan_to_num({PLAIN})")
        ],
        "no_softmax": [full((DIVIDED, "scores"))],
        "softmax_twice": [full((DIVIDED, f"al.softmax({DIVIDED})"))],
        "not_normalised": [full((DIVIDED, "e"))],
        "no_maximum": [
            full(("scores - top", "scores")),
            masked("s = np.where(mask, s, -np.inf)", PLAIN),
        ],
        "maximum_divided": [full(("scores - top", "scores / top"))],
        "not_transposed": [scored("q @ k / np.sqrt(q.shape[-1])")],
        "batch_transposed": [
            scored("np.matmul(q, k.T) / np.sqrt(k.shape[-1])")
        ],
        "torch_transpose": [
            scored("q @ k.transpose(-2, -1) / np.sqrt(q.shape[-1])"),
            scored("q @ k.transpose(-1, -2) / np.sqrt(q.shape[-1])"),
        ],
        "batch_counted": [
            scored("q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])"),
            scored("q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])"),
            scored(
                "q @ np.transpose(k, (0, 2, 1) if k.ndim > 2 else (1, 0))"
                " / np.sqrt(q.shape[-1])"
            ),
        ],
        "no_values": [
            full(('np.einsum("...ij,...jd->...id", weights, v)', "weights"))
        ],
        "keys_for_values": [full(("weights, v)", "weights, k)"))],
        "values_for_keys": [full(("q, k)", "q, v)"))],
        "mask_ignored": [after("pass")],
        "mask_after": [after("w = w * mask"), after("w[..., ~mask] = 0")],
        "mask_renormalised": [
            after("w = w * mask; w = w / w.sum(axis=-1, keepdims=True)"),
            after("w = w * mask; w = w / (w.sum(-1)[..., None] + 1e-9)"),
        ],
        "mask_inverted": [
            masked("s = np.where(mask, -np.inf, s)"),
            masked("s[..., mask] = -np.inf"),
            masked("s[..., mask] = -1e9"),
        ],
        "mask_zero": [masked("s = s * mask")],
        "mask_added": [masked("s = s + 1 * mask")],
        "mask_times_infinity": [masked("s = s + (1 - mask) * -np.inf")],
        "mask_index": [masked("s[mask == 0] = -np.inf")],
        "queries_masked": [masked("s = np.where(mask.T, s, -np.inf)")],
        "scale_counted": [full(("q.shape[-1]", "len(q[0])"))],
        "max_for_maximum": [
            full(("np.where(top == -np.inf, 0, top)", "np.max(top, 0)")),
            full((DIVIDED, "e / np.max(total, 1)")),
        ],
        "no_exponential": [
            full((DIVIDED, "scores / scores.sum(-1)[..., None]"))
        ],
        "elementwise": [scored("q * k / np.sqrt(q.shape[-1])")],
        "scores_transposed": [
            scored("k @ q.swapaxes(-1, -2) / np.sqrt(q.shape[-1])")
        ],
        "np_dot": [
            scored("np.dot(q, k.swapaxes(-1, -2)) / np.sqrt(q.shape[-1])")
        ],
        "not_summed": [after("pass").replace("w @ v", "w * v")],
        "values_first": [after("pass").replace("w @ v", "v @ w")],
        "mask_plus_infinity": [full(("scores, -np.inf", "scores, np.inf"))],
        "mask_truth": [
            full(("mask is not None", "mask")),
            full(("mask is not None", "mask != None")),
        ],
        "mask_none": [full(("mask is not None", "True"))],
        "empty_row_nan": [full(("np.where(top == -np.inf, 0, top)", "top"))],
        "empty_row_uniform": [masked("s = np.where(mask, s, -1e30)")],
        "empty_row_added": [masked("s = s - 1e8 * (1 - mask)")],
    },
}
