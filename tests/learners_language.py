"""What learners write in chapter 6: a right answer, and edits of it."""

LEARNERS = {}

LEARNERS["check_norm_rows"] = (
    """
def norm_rows(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    var = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    y = (x - mean) / np.sqrt(var + 1e-5)
    return y * gain + bias
""",
    {
        "wrong_axis": [("axis=-1", "axis=-2")],
        "whole_array": [("axis=-1, keepdims=True", "")],
        "not_centred": [("y = (x - mean)", "y = x")],
        "no_root": [("np.sqrt(var + 1e-5)", "(var + 1e-5)")],
        "not_divided": [(" / np.sqrt(var + 1e-5)", "")],
        "eps_missing": [(" + 1e-5", "")],
        "ddof": [
            (
                "((x - mean) ** 2).mean(axis=-1, keepdims=True)",
                "x.var(axis=-1, keepdims=True, ddof=1)",
            )
        ],
        "keepdims": [
            ("((x - mean) ** 2).mean(axis=-1, keepdims=True)", "x.var(-1)"),
            ("x.mean(axis=-1, keepdims=True)", "x.mean(-1)"),
        ],
        "gain_missing": [("y * gain", "y")],
        "bias_missing": [(" + bias", "")],
        "bias_first": [("y * gain + bias", "(y + bias) * gain")],
    },
    [
        "def f(x, gain, bias):\n"
        "    y = x - x.mean(-1)[..., None]\n"
        "    return y / np.sqrt(x.var(-1)[..., None] + 1e-5) * gain + bias",
        "def f(x, gain, bias): return al.layer_norm(x, gain, bias)",
        "def f(x, gain, bias):\n"
        "    out = np.empty_like(x)\n"
        "    for i in np.ndindex(x.shape[:-1]):\n"
        "        r = x[i]\n"
        "        s = (r.var() + 1e-5) ** 0.5\n"
        "        out[i] = (r - r.mean()) / s * gain + bias\n"
        "    return out",
    ],
)

LEARNERS["check_pre_norm_block"] = (
    """
def pre_norm_block(x, attend, feed):
    stream = x + attend(al.layer_norm(x))
    return stream + feed(al.layer_norm(stream))
""",
    {
        "post_norm": [
            ("x + attend(al.layer_norm(x))", "al.layer_norm(x + attend(x))"),
            (
                "stream + feed(al.layer_norm(stream))",
                "al.layer_norm(stream + feed(stream))",
            ),
        ],
        "no_residual": [("x + attend", "attend"), ("stream + feed", "feed")],
        "no_residual_attend": [("x + attend", "attend")],
        "no_residual_feed": [("stream + feed", "feed")],
        "added_to_norm": [
            ("    stream = x + attend(al.layer_norm(x))",
             "    x = al.layer_norm(x)\n    stream = x + attend(x)\n"
             "    stream = al.layer_norm(stream)"),
            ("feed(al.layer_norm(stream))", "feed(stream)"),
        ],
        "no_norm": [("al.layer_norm", "")],
        "first_norm_missing": [("al.layer_norm(x)", "x")],
        "second_norm_missing": [("al.layer_norm(stream)", "stream")],
        "parallel": [("al.layer_norm(stream)", "al.layer_norm(x)")],
        "feed_missing": [(" + feed(al.layer_norm(stream))", "")],
        "swapped": [
            ("    stream =", "    attend, feed = feed, attend\n    stream ="),
        ],
    },
    [
        "def f(x, attend, feed):\n"
        "    for sublayer in (attend, feed):\n"
        "        x = x + sublayer(al.layer_norm(x))\n"
        "    return x",
        "def f(x, a, f):\n"
        "    y = a(al.layer_norm(x))\n"
        "    z = f(al.layer_norm(np.add(x, y)))\n"
        "    return (x + y + z).astype(np.float32)",
    ],
)  # fmt: skip

LEARNERS["check_shift_targets"] = (
    """
def shift_targets(ids, length):
    inputs, targets = ids[:, :-1], ids[:, 1:].copy()
    targets[:, : length - 1] = -1
    return inputs, targets
""",
    {
        "not_shifted": [("ids[:, 1:].copy()", "ids[:, :-1].copy()")],
        "shifted_back": [
            ("ids[:, 1:].copy()", "np.roll(ids, 1, axis=1)[:, :-1]")
        ],
        "all_count": [("    targets[:, : length - 1] = -1\n", "")],
        "one_too_many_hidden": [("length - 1", "length")],
        "one_too_few_hidden": [("length - 1", "length - 2")],
        "wrong_half": [(": length - 1]", "length - 1 :]")],
        "zeros": [("= -1", "= 0")],
        "inputs_too_long": [("ids[:, :-1], ids[:, 1:]", "ids, ids[:, 1:]")],
        "swapped": [
            ("ids[:, :-1], ids[:, 1:].copy()", "ids[:, 1:], ids[:, :-1] * 1")
        ],
    },
    [
        "def f(ids, length):\n"
        "    hidden = np.arange(ids.shape[1] - 1) < length - 1\n"
        "    return ids[:, :-1], np.where(hidden, -1, ids[:, 1:])",
        "def f(ids, length):\n"
        "    t = np.full_like(ids[:, 1:], -1)\n"
        "    t[:, length - 1:] = ids[:, length:]\n"
        "    return ids[:, :-1].tolist(), t.tolist()",
    ],
)

LEARNERS["check_induction_score"] = (
    """
def induction_score(weights, length):
    total, count = 0.0, 0
    for q in range(length, len(weights)):
        k = q - length + 1
        total += weights[q, k]
        count += 1
    return total / count
""",
    {
        "same_token": [("q - length + 1", "q - length")],
        "too_far": [("q - length + 1", "q - length - 1")],
        "previous_token": [("q - length + 1", "q - 1")],
        "transposed": [("weights[q, k]", "weights[k, q]")],
        "summed": [("total / count", "total")],
        "first_half_too": [("range(length,", "range(length - 1,")],
        "first_query_missing": [("range(length,", "range(length + 1,")],
        "largest": [("weights[q, k]", "weights[q].max()")],
    },
    [
        "def f(weights, length):\n"
        "    q = np.arange(length, len(weights))\n"
        "    return weights[q, q - length + 1].mean()",
        "def f(w, length): return np.diagonal(w, 1 - length)[1:].mean()",
        "def f(w, length): return [np.diag(w[length:, 1:]).mean()][0]",
    ],
)

LEARNERS["check_ablate_head"] = (
    """
def ablate_head(w_out, head, num_heads):
    d_head = len(w_out) // num_heads
    new = w_out.copy()
    start = head * d_head
    new[start : start + d_head] = 0
    return new
""",
    {
        "columns": [("new[start", "new[:, start")],
        "one_row": [("new[start : start + d_head]", "new[head]")],
        "strided": [("new[start : start + d_head]", "new[head::num_heads]")],
        "others": [
            ("= 0\n    return new",
             "= 0\n    new = w_out - new\n    return new")
        ],
        "counted_from_one": [("start = head", "start = (head - 1)")],
        "too_many": [("start : start + d_head", "start:")],
        "removed": [
            (
                "new[start : start + d_head] = 0",
                "new = np.vstack([new[:start], new[start + d_head:]])",
            )
        ],
        "nothing": [
            ("new[start : start + d_head] = 0", "w_out.T.copy()[start:] = 0")
        ],
    },
    [
        "def f(w, i, h):\n"
        "    keep = np.arange(h) != i\n"
        "    return w * np.repeat(keep, len(w) // h)[:, None]",
        "def f(w, i, h):\n"
        "    blocks = w.copy().reshape(h, -1, w.shape[1])\n"
        "    blocks[i] = 0\n"
        "    return blocks.reshape(w.shape)",
    ],
)  # fmt: skip
