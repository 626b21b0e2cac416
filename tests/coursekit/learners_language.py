"""What learners write in chapter 6: a right answer, and edits of it."""

LEARNERS = {}

LEARNERS["check_rms_norm"] = (
    """
def rms_norm(x, gain):
    squares = np.mean(x * x, axis=-1, keepdims=True)
    y = x / np.sqrt(squares + 1e-5)
    return y * gain
""",
    {
        "layer_norm": [
            (
                "    squares",
                "    x = x - x.mean(-1, keepdims=True)\n    squares",
            )
        ],
        "variance": [("np.mean(x * x, ", "np.var(x, ")],
        "wrong_axis": [("axis=-1", "axis=-2")],
        "axis_one": [("axis=-1", "axis=1")],
        "whole_array": [("axis=-1, keepdims=True", "")],
        "no_root": [("np.sqrt(squares + 1e-5)", "(squares + 1e-5)")],
        "summed": [("np.mean", "np.sum")],
        "not_squared": [("x * x", "abs(x)")],
        "eps_missing": [(" + 1e-5", "")],
        "eps_after_root": [
            ("np.sqrt(squares + 1e-5)", "(squares**0.5 + 1e-5)")
        ],
        "eps_as_minimum": [("squares + 1e-5", "np.maximum(squares, 1e-5)")],
        "eps_inside_square": [
            ("x * x", "(x + 1e-5) ** 2"),
            ("squares + 1e-5", "squares"),
        ],
        "other_eps": [("1e-5", "1e-8")],
        "keepdims": [(", keepdims=True", "")],
        "gain_missing": [("y * gain", "y")],
        "gain_divides": [("y * gain", "y / gain")],
        "gain_first": [
            ("    squares =", "    x = x * gain\n    squares ="),
            ("y * gain", "y"),
        ],
    },
    [
        "def f(x, gain):\n"
        "    size = ((x**2).mean(-1) + 1e-5) ** -0.5\n"
        "    return x * size[..., None] * gain",
        "def f(x, gain):\n"
        "    size = np.linalg.norm(x, axis=-1, keepdims=True)\n"
        "    size = np.sqrt(size**2 / x.shape[-1] + 1e-5)\n"
        "    return (x / size * gain).astype(np.float32)",
        "def f(x, gain):\n"
        "    out = []\n"
        "    for r in x.reshape(-1, x.shape[-1]):\n"
        "        out.append(r / (r @ r / len(r) + 1e-5) ** 0.5 * gain)\n"
        "    return np.reshape(out, x.shape)",
    ],
)

LEARNERS["check_post_norm_block"] = (
    """
def post_norm_block(x, attend, feed):
    stream = al.layer_norm(x + attend(x))
    return al.layer_norm(stream + feed(stream))
""",
    {
        "pre_norm": [
            ("al.layer_norm(x + attend(x))", "x + attend(al.layer_norm(x))"),
            (
                "al.layer_norm(stream + feed(stream))",
                "stream + feed(al.layer_norm(stream))",
            ),
        ],
        "norm_inside": [
            ("al.layer_norm(x + attend(x))", "x + al.layer_norm(attend(x))"),
            (
                "al.layer_norm(stream + feed(stream))",
                "stream + al.layer_norm(feed(stream))",
            ),
        ],
        "no_residual": [("x + attend", "attend"), ("stream + feed", "feed")],
        "no_residual_attend": [("x + attend", "attend")],
        "no_residual_feed": [("stream + feed", "feed")],
        "no_norm": [("al.layer_norm", "")],
        "first_norm_missing": [("al.layer_norm(x", "(x")],
        "second_norm_missing": [("al.layer_norm(stream", "(stream")],
        "parallel": [("feed(stream)", "feed(x)")],
        "old_residual": [("stream + feed", "x + feed")],
        "one_sum": [
            ("al.layer_norm(x + attend(x))", "x + attend(x)"),
            ("feed(stream)", "feed(x)"),
        ],
        "pre_norm_and_final": [
            ("al.layer_norm(x + attend(x))", "x + attend(al.layer_norm(x))"),
            ("feed(stream)", "feed(al.layer_norm(stream))"),
        ],
        "feed_missing": [("al.layer_norm(stream + feed(stream))", "stream")],
        "swapped": [
            ("    stream =", "    attend, feed = feed, attend\n    stream =")
        ],
    },
    [
        "def f(x, attend, feed):\n"
        "    for sublayer in (attend, feed):\n"
        "        x = al.layer_norm(x + sublayer(x))\n"
        "    return x",
        "def f(x, a, f):\n"
        "    y = np.add(x, a(x))\n"
        "    y = (y - y.mean(-1, keepdims=True)) / "
        "np.sqrt(y.var(-1, keepdims=True) + 1e-5)\n"
        "    return al.layer_norm(y + f(y)).astype(np.float32)",
    ],
)

LEARNERS["check_shift_targets"] = (
    """
def shift_targets(ids, pad):
    inputs, targets = ids[:, :-1], ids[:, 1:].copy()
    targets[targets == pad] = -1
    return inputs, targets
""",
    {
        "not_shifted": [("ids[:, 1:].copy()", "ids[:, :-1].copy()")],
        "shifted_back": [
            ("ids[:, 1:].copy()", "np.roll(ids, 1, axis=1)[:, :-1]")
        ],
        "padding_counts": [("    targets[targets == pad] = -1\n", "")],
        "hidden_by_input": [("targets == pad", "inputs == pad")],
        "zero_hard_coded": [("== pad", "== 0")],
        "filled_with_zero": [("= -1", "= 0")],
        "inputs_marked": [("ids[:, 1:].copy()", "ids[:, 1:]")],
        "inverted": [("targets == pad", "targets != pad")],
        "rows_cut": [("ids[:, :-1], ids[:, 1:]", "ids[:-1], ids[1:]")],
        "targets_too_long": [("ids[:, 1:]", "ids")],
        "inputs_too_long": [("ids[:, :-1], ids[:, 1:]", "ids, ids[:, 1:]")],
        "swapped": [("return inputs, targets", "return targets, inputs")],
    },
    [
        "def f(ids, pad):\n"
        "    new = ids[:, 1:]\n"
        "    return ids[:, :-1], np.where(new != pad, new, -1)",
        "def f(ids, pad):\n"
        "    rows = [[-1 if t == pad else int(t) for t in row[1:]] "
        "for row in ids]\n"
        "    return ids[:, :-1].tolist(), rows",
    ],
)

LEARNERS["check_induction_score"] = (
    """
def induction_score(weights, ids):
    last, found = {}, []
    for q, token in enumerate(ids.tolist()):
        if token in last:
            k = last[token] + 1
            found.append(weights[q, k])
        last[token] = q
    return sum(found) / len(found)
""",
    {
        "same_token": [("last[token] + 1", "last[token]")],
        "too_far": [("last[token] + 1", "last[token] - 1")],
        "first_copy": [("last[token] = q", "last.setdefault(token, q)")],
        "all_copies": [
            (
                "            k = last[token] + 1\n"
                "            found.append(weights[q, k])\n",
                "            copies = np.array(last[token]) + 1\n"
                "            found.append(weights[q, copies].mean())\n",
            ),
            ("last[token] = q", "last.setdefault(token, []).append(q)"),
        ],
        "not_earlier": [
            ("        last[token] = q\n", ""),
            ("        if token", "        last[token] = q\n        if token"),
        ],
        "previous_token": [("last[token] + 1", "q - 1")],
        "transposed": [("weights[q, k]", "weights[k, q]")],
        "summed": [("sum(found) / len(found)", "sum(found)")],
        "new_tokens_counted": [("len(found)", "len(weights)")],
        "largest": [("weights[q, k]", "max(weights[q])")],
    },
    [
        "def f(weights, ids):\n"
        "    found = []\n"
        "    for i in range(len(ids)):\n"
        "        copies = np.flatnonzero(ids[:i] == ids[i])\n"
        "        if len(copies):\n"
        "            found.append(weights[i, copies[-1] + 1])\n"
        "    return np.mean(found)",
        "def f(w, ids):\n"
        "    same = np.tril(ids[:, None] == ids, k=-1)\n"
        "    q = np.flatnonzero(same.any(axis=1))\n"
        "    k = same.shape[1] - 1 - same[q, ::-1].argmax(axis=1)\n"
        "    return w[q, k + 1].mean()",
    ],
)

LEARNERS["check_keep_head"] = (
    """
def keep_head(w_out, head, num_heads):
    d_head = len(w_out) // num_heads
    new = np.zeros_like(w_out)
    start = head * d_head
    new[start : start + d_head] = w_out[start : start + d_head]
    return new
""",
    {
        "this_one_gone": [("return new", "return w_out - new")],
        "columns": [("[start : start + d_head]", "[:, start:start + d_head]")],
        "one_row": [("[start : start + d_head]", "[head]")],
        "square_block": [
            (
                "    start =",
                "    s = slice(head * d_head, (head + 1) * d_head)\n"
                "    start =",
            ),
            ("[start : start + d_head]", "[s, s]"),
        ],
        "start_is_head": [("head * d_head", "head")],
        "width_is_heads": [("len(w_out) // num_heads", "num_heads")],
        "strided": [("[start : start + d_head]", "[head::num_heads]")],
        "first_head": [("head * d_head", "0")],
        "counted_from_one": [("start = head", "start = (head - 1)")],
        "one_row_more": [("start + d_head", "start + d_head + 1")],
        "no_end": [("start : start + d_head", "start:")],
        "no_start": [("start : start + d_head", ": start + d_head")],
        "cut_out": [("return new", "return new[start : start + d_head]")],
        "nothing": [("return new", "return w_out")],
    },
    [
        "def f(w, i, h):\n"
        "    keep = np.arange(h) == i\n"
        "    return w * np.repeat(keep, len(w) // h)[:, None]",
        "def f(w, i, h):\n"
        "    blocks = w.copy().reshape(h, -1, w.shape[1])\n"
        "    blocks[np.arange(h) != i] = 0\n"
        "    return blocks.reshape(w.shape)",
    ],
)

WAYS = [
    *(
        (
            "check_rms_norm",
            mistake,
            "def f(x, gain):\n"
            "    mean = np.mean(x**2, axis=-1, keepdims=True)\n"
            f"    return x / {divisor} * gain",
        )
        for mistake, divisor in (
            ("eps_after_root", "(np.sqrt(mean) + 1e-6)"),
            ("other_eps", "np.sqrt(mean + 1e-2)"),
            ("other_eps", "np.sqrt(mean + 1e-6)"),
            ("other_eps", "np.sqrt(mean + 1e-12)"),
        )
    ),
    (
        "check_rms_norm",
        "wrong_axis",
        "def f(x, gain):\n"
        "    return x / np.sqrt((x**2).mean(axis=0) + 1e-5) * gain",
    ),
    (
        "check_shift_targets",
        "inputs_marked",
        "def f(ids, pad):\n"
        "    ids = ids.copy()\n"
        "    ids[ids == pad] = -1\n"
        "    return ids[:, :-1], ids[:, 1:]",
    ),
    *(
        (
            "check_induction_score",
            mistake,
            "def f(weights, ids):\n"
            "    found = []\n"
            "    for i in range(len(ids)):\n" + body + "\n"
            "    return np.mean(found)",
        )
        for mistake, body in (
            (
                "all_copies",
                "        for j in range(i):\n"
                "            if ids[j] == ids[i]:\n"
                "                found.append(weights[i, j + 1])",
            ),
            (
                "all_copies",
                "        copies = np.flatnonzero(ids[:i] == ids[i])\n"
                "        if len(copies):\n"
                "            found.append(weights[i, copies + 1].sum())",
            ),
            (
                "first_copy",
                "        for j in range(i):\n"
                "            if ids[j] == ids[i]:\n"
                "                found.append(weights[i, j + 1])\n"
                "                break",
            ),
            (
                "not_earlier",
                "        copies = np.flatnonzero(ids[: i + 1] == ids[i])\n"
                "        if len(copies):\n"
                "            found.append(weights[i, copies[-1] + 1])",
            ),
            (
                "not_earlier",
                "        copies = np.flatnonzero(ids == ids[i])\n"
                "        if len(copies) > 1:\n"
                "            found.append(weights[i, copies[-1] + 1])",
            ),
        )
    ),
]
