"""What learners write in the bug hunt, made without a look at the edits."""

import learners_multi_head
import learners_positions

from coursekit.checks.edits import edited


def soft(*edits):
    """Return a right softmax with texts in it replaced."""
    source = """
def my_softmax(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    e = np.exp(scores - top)
    return e / np.sum(e, axis=-1, keepdims=True)
"""
    return edited(source, dict(edits))


def attend(*edits):
    """Return the function of the page, fixed, with texts replaced."""
    source = """
def f(q, k, v):
    scores = q @ k.T / np.sqrt(k.shape[-1])
    weights = al.softmax(scores)
    return weights @ v, weights
"""
    return edited(source, dict(edits))


def causal(weights, extra=""):
    """Return causal attention with other weights."""
    return f"""
def f(q, k, v):
    n = len(q)
    s = q @ k.T / np.sqrt(q.shape[-1])
    {extra}
    w = {weights}
    return w @ v, w
"""


def rows(*edits):
    """Return a right answer for the chunks, row by row, edited."""
    source = """
def chunks(q, k, v, size):
    out, n = [], len(q)
    for start in range(0, n, size):
        for i in range(start, min(start + size, n)):
            s = k @ q[i] / np.sqrt(q.shape[1])
            s[i + 1:] = -np.inf
            out.append(al.softmax(s) @ v)
    return out
"""
    return edited(source, dict(edits))


TOP = "np.max(scores, axis=-1, keepdims=True)"
SUM = "np.sum(e, axis=-1, keepdims=True)"
TRI = "np.tri(n, dtype=bool)"

RIGHT = {
    "fixed_softmax": [
        soft(),
        "lambda s: np.exp(s - np.logaddexp.reduce(s, -1, keepdims=True))",
        """
def f(s):
    if s.ndim > 1: return [f(row) for row in s]
    e = [math.exp(x - max(s)) for x in s]
    return [x / sum(e) for x in e]
""",
        """
def f(scores):
    x = scores.copy()
    x -= x.max(axis=-1, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=-1, keepdims=True) + 1e-12
    return x.astype(np.float32)
""",
    ],
    "fixed_attention": [
        attend(),
        "lambda q, k, v: al.scaled_dot_product_attention(q, k, v)",
    ],
    "fixed_causal": [
        causal(f"al.softmax(np.where({TRI}, s, -np.inf))"),
        causal("al.softmax(s - 1e9 * np.triu(np.ones_like(s), 1))"),
        "lambda q, k, v: al.scaled_dot_product_attention("
        "q, k, v, al.create_causal_mask(len(q)))",
        """
def f(q, k, v):
    n, d = q.shape
    w = np.zeros((n, n))
    for i in range(n):
        w[i, :i + 1] = al.softmax(k[:i + 1] @ q[i] / np.sqrt(d))
    return w @ v, w
""",
    ],
    "fixed_heads": learners_multi_head.RIGHT["multi_head"]
    + learners_multi_head.WRONG["multi_head"]["rule"],
    "fixed_encoding": learners_positions.RIGHT["positional_encoding"],
    "fixed_chunks": [
        rows(),
        "lambda q, k, v, size:"
        " al.memory_efficient_attention(q, k, v, causal=True)",
        """
def f(q, k, v, size):
    m = al.create_causal_mask(len(q))
    attend = al.scaled_dot_product_attention
    return np.concatenate([attend(q[i:i + size], k, v, m[i:i + size])[0]
                           for i in range(0, len(q), size)])
""",
    ],
}

WRONG = {
    "fixed_softmax": {
        "no_maximum": [soft(("scores - top", "scores"))],
        "global_maximum": [soft((TOP, "scores.max()"))],
        "wrong_axis": [
            soft(("axis=-1", "axis=0")),
            soft(("axis=-1", "axis=-2")),
            "lambda s: al.softmax(s, axis=0)",
        ],
        "axis_one": [soft(("axis=-1", "axis=1"))],
        "whole_array": [soft((", axis=-1, keepdims=True", ""))],
        "keepdims": [soft((SUM, "e.sum(-1)"))],
        "max_keepdims": [
            soft((TOP, "scores.max(-1)")),
            soft((", keepdims=True", "")),
        ],
        "max_axis": [soft((TOP, "scores.max(axis=0)"))],
        "not_maximum": [soft(("np.max(scores", "np.mean(scores"))],
        "far_below_zero": [soft(("np.max(scores,", "np.max(abs(scores),"))],
        "not_normalised": [soft((f" / {SUM}", ""))],
        "no_exponential": [soft(("np.exp(scores - top)", "scores"))],
        "maximum_divided": [soft(("scores - top", "scores / top"))],
        "sign": [soft(("np.max", "np.min"), ("scores - top", "top - scores"))],
        "nan_hidden": [soft((TOP, "scores.max()"), (SUM, f"(1e-12 + {SUM})"))],
        "softmax_twice": ["lambda s: al.softmax(al.softmax(s))"],
    },
    "fixed_attention": {
        "scale_missing": [attend((" / np.sqrt(k.shape[-1])", ""))],
        "scale_multiplied": [attend(("/ np.sqrt", "* np.sqrt"))],
        "scale_not_root": [attend(("np.sqrt(k.shape[-1])", "k.shape[-1]"))],
        "scale_half": [attend(("np.sqrt(k.shape[-1])", "k.shape[-1]**1/2"))],
        "scale_length": [attend(("k.shape[-1]", "len(k)"))],
        "scale_queries": [attend(("k.shape[-1]", "len(q)"))],
        "scale_values": [attend(("k.shape[-1]", "v.shape[1]"))],
        "scale_fixed": [attend(("k.shape[-1]", "8"))],
        "scale_after": [
            attend(
                (" / np.sqrt(k.shape[-1])", ""),
                ("(scores)", "(scores) / np.sqrt(k.shape[-1])"),
            )
        ],
        "wrong_axis": [attend(("(scores)", "(scores, axis=0)"))],
        "no_softmax": [attend(("al.softmax(scores)", "scores"))],
        "softmax_twice": [attend(("(scores)", "(al.softmax(scores))"))],
        "no_maximum": [
            attend(
                (
                    "al.softmax(scores)",
                    "np.exp(scores) / np.exp(scores).sum(1)[:, None]",
                )
            )
        ],
        "not_transposed": [
            attend(("k.T", "k")),
            attend(("k.T", "k.transpose(-2, -1)")),
        ],
        "scores_transposed": [attend(("q @ k.T", "k @ q.T"))],
        "not_summed": [attend(("weights @ v", "weights * v"))],
        "values_first": [attend(("weights @ v", "v @ weights"))],
        "no_values": [attend(("weights @ v, ", "weights, "))],
        "keys_for_values": [attend(("weights @ v", "weights @ k"))],
        "values_for_keys": [attend(("k.T", "v.T"))],
    },
    "fixed_causal": {
        "scale_missing": [
            causal(f"al.softmax(np.where({TRI}, s, -np.inf))", "s = q @ k.T")
        ],
        "scale_not_root": [
            causal(
                f"al.softmax(np.where({TRI}, s, -np.inf))",
                "s = q @ k.T / q.shape[-1]",
            )
        ],
        "wrong_axis": [
            causal(f"al.softmax(np.where({TRI}, s, -np.inf), axis=0)")
        ],
        "softmax_twice": [
            causal(f"al.softmax(al.softmax(np.where({TRI}, s, -np.inf)))")
        ],
        "no_maximum": [
            causal("e / e.sum(1, keepdims=True)", "e = np.tril(np.exp(s))")
        ],
        "mask_ignored": [causal("al.softmax(s)")],
        "mask_after": [causal("np.tril(al.softmax(s))")],
        "mask_renormalised": [
            causal("e / e.sum(1, keepdims=True)", "e = np.tril(al.softmax(s))")
        ],
        "mask_times_infinity": [
            causal("al.softmax(s + np.triu(np.ones((n, n)), 1) * -np.inf)"),
            causal("al.softmax(s - np.inf * (1 - np.tri(n)))"),
        ],
        "zeros_hidden": [
            causal("al.softmax(s)", "s = np.tril(s); s[s == 0] = -np.inf"),
            causal("al.softmax(s)", "s *= np.tri(n); s[s == 0] = -np.inf"),
        ],
        "not_low_enough": [
            causal("al.softmax(s - 50 * np.triu(np.ones((n, n)), 1))"),
            causal(f"al.softmax(np.where({TRI}, s, -100))"),
            causal(f"al.softmax(np.where({TRI}, s, -999))"),
        ],
        "mask_zero": [causal("al.softmax(np.tril(s))")],
        "mask_added": [causal("al.softmax(s + np.tri(n))")],
        "causal_inverted": [
            causal(f"al.softmax(np.where({TRI}, -np.inf, s))"),
            causal(f"al.softmax(np.where({TRI}, -1e9, s))"),
        ],
        "causal_upper": [
            causal("al.softmax(np.where(np.triu(np.ones((n, n))), s, -1e9))")
        ],
        "causal_strict": [
            causal("al.softmax(np.where(np.tri(n, k=-1), s, -np.inf))"),
            causal("al.softmax(s - 1e9 * np.triu(np.ones((n, n))))"),
        ],
        "causal_one_ahead": [
            causal("al.softmax(s - 1e9 * np.triu(np.ones((n, n)), 2))")
        ],
    },
    "fixed_heads": {
        name: sources
        for name, sources in learners_multi_head.WRONG["multi_head"].items()
        if name != "rule"
    },
    "fixed_encoding": learners_positions.WRONG["positional_encoding"],
    "fixed_chunks": {
        "own_triangle": [rows(("i + 1:", "i - start + 1:"))],
        "aligned_at_the_end": [
            """
def f(q, k, v, size):
    cuts = [q[i : i + size] for i in range(0, len(q), size)]
    return np.vstack([al.scaled_dot_product_attention(
        part, k, v, al.create_causal_mask(len(part), len(k)))[0]
        for part in cuts])
"""
        ],
        "one_ahead": [rows(("i + 1:", "i + 2:"))],
        "strict": [rows(("i + 1:", "i:"))],
        "number_of_chunk": [
            rows(("i + 1:", "i - start + start // size + 1:"))
        ],
        "chunk_size": [rows(("i + 1:", "i - start + size + 1:"))],
        "other_way": [rows(("i + 1:", "max(i - 2 * start + 1, 0):"))],
        "keys_chunked": [
            rows(("s[i + 1:]", "s[:start] = -np.inf; s[i + 1:]"))
        ],
        "nothing_hidden": [rows(("s[i + 1:] = -np.inf", "pass"))],
        "one_chunk": [rows(("    return", "        return"))],
    },
}
