"""What learners write in chapter 6, right and wrong."""

NORM = "(y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True)"

RIGHT = {
    "rms_norm": [
        """
def f(x, gain):
    size = ((x**2).mean(-1) + 1e-5) ** -0.5
    return x * size[..., None] * gain
""",
        """
def f(x, gain):
    size = np.linalg.norm(x, axis=-1, keepdims=True)
    size = np.sqrt(size**2 / x.shape[-1] + 1e-5)
    return (x / size * gain).astype(np.float32)
""",
        """
def f(x, gain):
    out = []
    for r in x.reshape(-1, x.shape[-1]):
        out.append(r / (r @ r / len(r) + 1e-5) ** 0.5 * gain)
    return np.reshape(out, x.shape)
""",
    ],
    "post_norm_block": [
        """
def f(x, attend, feed):
    for sublayer in (attend, feed):
        x = al.layer_norm(x + sublayer(x))
    return x
""",
        f"""
def f(x, a, f):
    y = np.add(x, a(x))
    y = {NORM} + 1e-5)
    return al.layer_norm(y + f(y)).astype(np.float32)
""",
    ],
    "shift_targets": [
        """
def f(ids, pad):
    inputs, targets = ids[:, :-1], ids[:, 1:].copy()
    targets[targets == pad] = -1
    return inputs, targets
""",
        "lambda ids, pad: (ids[:, :-1].tolist(), "
        "[[-1 if t == pad else int(t) for t in row[1:]] for row in ids])",
        "lambda i, p: (i[:, :-1], np.where(i != p, i, -1)[:, 1:])",
    ],
    "induction_score": [
        """
def induction_score(weights, ids):
    last, found = {}, []
    for q, token in enumerate(ids.tolist()):
        if token in last:
            found.append(weights[q, last[token] + 1])
        last[token] = q
    return sum(found) / len(found)
""",
        """
def f(w, ids):
    same = np.tril(ids[:, None] == ids, k=-1)
    q = np.flatnonzero(same.any(axis=1))
    k = same.shape[1] - 1 - same[q, ::-1].argmax(axis=1)
    return w[q, k + 1].mean()
""",
        """
def f(weights, ids):
    total = count = 0
    for i in range(len(ids)):
        for j in range(i - 1, -1, -1):
            if ids[j] == ids[i]:
                total += weights[i][j + 1]
                count += 1
                break
    return total / count
""",
    ],
    "keep_head": [
        "lambda w, i, h: "
        "w * np.repeat(np.arange(h) == i, len(w) // h)[:, None]",
        """
def f(w, i, h):
    blocks = w.copy().reshape(h, -1, w.shape[1])
    blocks[np.arange(h) != i] = 0
    return blocks.reshape(w.shape)
""",
        """
def f(w_out, head, num_heads):
    d_head = int(w_out.shape[0] / num_heads)
    new = np.copy(w_out)
    new[: head * d_head] = 0
    new[(head + 1) * d_head :] = 0
    return new
""",
    ],
}


def _rms(divisor):
    """Return a norm that divides by this."""
    return f"lambda x, gain: x / {divisor} * gain"


def _block(first, second):
    """Return a block of these two lines."""
    return f"""
def block(x, attend, feed):
    x = {first}
    return {second}
"""


def _targets(targets, inputs="ids[:, :-1]"):
    """Return a shift with these targets, marked in a loop."""
    return f"""
def f(ids, pad):
    targets = {targets}
    for row in range(len(targets)):
        for i in range(targets.shape[1]):
            if targets[row, i] == pad:
                targets[row, i] = -1
    return {inputs}, targets
"""


def _score(body, end="np.mean(found)"):
    """Return a score that collects in a loop."""
    return f"""
def f(weights, ids):
    found = []
    for i in range(len(ids)):
{body}
    return {end}
"""


def _nested(key):
    """Return a score that looks for the copies one by one."""
    return _score(f"""\
        for j in range(i):
            if ids[j] == ids[i]:
                {key}""")


def _latest(weight, condition="len(copies)"):
    """Return a score with this weight for each token."""
    return _score(f"""\
        copies = [j for j in range(i) if ids[j] == ids[i]]
        if {condition}:
            found.append({weight})""")


def _head(line):
    """Return a function that copies something into zeros."""
    return f"""
def f(w, i, h):
    d = w.shape[0] // h
    new = np.zeros(w.shape)
    {line}
    return new
"""


def _rows(rows):
    return _head(f"new[{rows}] = w[{rows}]")


A, B = "al.layer_norm(x + attend(x))", "al.layer_norm(x + feed(x))"
MEAN = "np.mean(x**2, axis=-1, keepdims=True)"

WRONG = {
    "rms_norm": {
        "layer_norm": ["lambda x, gain: al.layer_norm(x, gain)"],
        "variance": [
            _rms("np.sqrt(x.var(-1, keepdims=True) + 1e-5)"),
            _rms("(x.std(axis=-1, keepdims=True) + 1e-5)"),
        ],
        "wrong_axis": [
            _rms("np.sqrt((x**2).mean(axis=0) + 1e-5)"),
            _rms("np.sqrt((x**2).mean(-2, keepdims=True) + 1e-5)"),
        ],
        "axis_one": [_rms("np.sqrt((x**2).mean(1, keepdims=True) + 1e-5)")],
        "whole_array": [_rms("((x * x).mean() + 1e-5) ** 0.5")],
        "no_root": [_rms(f"({MEAN} + 1e-5)")],
        "half": [
            _rms(f"({MEAN} + 1e-5) ** 1/2"),
            _rms(f"(({MEAN}+1e-5)**1/2)"),
        ],
        "multiplied": [f"lambda x, g: g * x * ({MEAN} + 1e-5) ** 0.5"],
        "summed": [
            _rms("np.sqrt(np.sum(x**2, -1, keepdims=True) + 1e-5)"),
            _rms("np.linalg.norm(x, axis=-1, keepdims=True)"),
        ],
        "not_squared": [
            _rms("(np.abs(x).mean(-1, keepdims=True) + 1e-5)"),
            _rms("np.sqrt(x.mean(-1, keepdims=True) + 1e-5)"),
        ],
        "mean_squared": [_rms("np.sqrt(x.mean(-1, keepdims=True)**2 + 1e-5)")],
        "eps_missing": [_rms(f"np.sqrt({MEAN})")],
        "eps_after_root": [
            _rms(f"(np.sqrt({MEAN}) + 1e-5)"),
            _rms(f"(np.sqrt({MEAN}) + 1e-6)"),
        ],
        "brackets": [_rms(f"{MEAN} ** 0.5 + 1e-5")],
        "eps_as_minimum": [_rms(f"np.maximum({MEAN}, 1e-5) ** 0.5")],
        "eps_inside_square": [
            _rms("np.sqrt(((x + 1e-5) ** 2).mean(-1, keepdims=True))")
        ],
        "other_eps": [
            _rms(f"np.sqrt({MEAN} + {eps})")
            for eps in ("1e-2", "1e-6", "1e-8", "1e-12")
        ],
        "keepdims": [_rms("np.sqrt((x**2).mean(-1) + 1e-5)")],
        "gain_missing": [f"lambda x, g: x / np.sqrt({MEAN} + 1e-5)"],
        "gain_divides": [f"lambda x, g: x / (np.sqrt({MEAN} + 1e-5) * g)"],
        "gain_added": [f"lambda x, g: g + x / np.sqrt({MEAN} + 1e-5)"],
        "gain_first": [
            """
def f(x, gain):
    y = gain * x
    return y / np.sqrt((y**2).mean(axis=-1)[..., None] + 1e-5)
"""
        ],
    },
    "post_norm_block": {
        "pre_norm": [
            _block(
                "x + attend(al.layer_norm(x))", "x + feed(al.layer_norm(x))"
            )
        ],
        "norm_inside": [
            _block(
                "x + al.layer_norm(attend(x))", "x + al.layer_norm(feed(x))"
            )
        ],
        "no_residual": [
            _block("al.layer_norm(attend(x))", "al.layer_norm(feed(x))")
        ],
        "no_residual_attend": [_block("al.layer_norm(attend(x))", B)],
        "no_residual_feed": [_block(A, "al.layer_norm(feed(x))")],
        "no_norm": [_block("x + attend(x)", "x + feed(x)")],
        "first_norm_missing": [_block("x + attend(x)", B)],
        "second_norm_missing": [_block(A, "x + feed(x)")],
        "residual_after_norm": [_block(f"x + {A}", f"x + {B}")],
        "parallel": [
            "lambda x, attend, feed: "
            "al.layer_norm(al.layer_norm(x + attend(x)) + feed(x))"
        ],
        "old_residual": [
            "lambda x, attend, feed: "
            "al.layer_norm(x + feed(al.layer_norm(x + attend(x))))"
        ],
        "one_sum": [
            "lambda x, attend, feed: al.layer_norm(attend(x) + feed(x) + x)"
        ],
        "pre_norm_and_final": [
            _block(
                "x + attend(al.layer_norm(x))",
                "al.layer_norm(x + feed(al.layer_norm(x)))",
            )
        ],
        "feed_missing": [_block(A, "x")],
        "attend_missing": [_block("x", B)],
        "swapped": [
            _block(B, A),
        ],
    },
    "shift_targets": {
        "not_shifted": [_targets("ids.copy()", "ids")],
        "shifted_back": [_targets("np.roll(ids, 1, 1)[:, :-1]")],
        "wraps_around": [_targets("np.roll(ids, -1, axis=-1)", "ids")],
        "two_ahead": [_targets("ids[:, 2:].copy()", "ids[:, :-2]")],
        "padding_counts": ["lambda ids, pad: (ids[:, :-1], ids[:, 1:])"],
        "padding_dropped": [
            "lambda ids, pad: (ids[:, :-1], ids[:, 1:][ids[:, 1:] != pad])"
        ],
        "hidden_by_input": [
            """
def f(ids, pad):
    inputs, targets = ids[:, :-1], ids[:, 1:].copy()
    targets[inputs == pad] = -1
    return inputs, targets
"""
        ],
        "zero_hard_coded": [
            "lambda i, p: (i[:, :-1], np.where(i, i, -1)[:, 1:])"
        ],
        "filled_with_zero": [
            "lambda i, p: (i[:, :-1], i[:, 1:] * (i[:, 1:] != p))"
        ],
        "torch_label": [
            "lambda i, p: (i[:, :-1], np.where(i == p, -100, i)[:, 1:])"
        ],
        "inputs_marked": [
            _targets("ids[:, 1:]"),
            """
def f(ids, pad):
    ids = ids.copy()
    ids[ids == pad] = -1
    return ids[:, :-1], ids[:, 1:]
""",
        ],
        "inverted": [
            "lambda i, p: (i[:, :-1], np.where(i == p, i, -1)[:, 1:])"
        ],
        "rows_cut": [_targets("ids[1:].copy()", "ids[:-1]")],
        "targets_too_long": [_targets("ids.copy()")],
        "inputs_too_long": [_targets("ids[:, 1:].copy()", "ids")],
        "swapped": [
            _targets("ids[:, :-1].copy()", "ids[:, 1:]"),
            "lambda i, p: (np.where(i == p, -1, i)[:, 1:], i[:, :-1])",
        ],
    },
    "induction_score": {
        "same_token": [_latest("weights[i, max(copies)]")],
        "too_far": [_latest("weights[i, copies[-1] - 1]")],
        "first_copy": [
            _latest("weights[i, min(copies) + 1]"),
            _latest("weights[i, np.argmax(ids[:i] == ids[i]) + 1]"),
            _nested("found.append(weights[i, j + 1]); break"),
        ],
        "place_in_list": [_latest("weights[i, np.argmax(copies) + 1]")],
        "all_copies": [
            _nested("found.append(weights[i, j + 1])"),
            _latest("sum(weights[i, j + 1] for j in copies)"),
            _latest("np.mean([weights[i, j + 1] for j in copies])"),
        ],
        "not_earlier": [
            """
def f(weights, ids):
    last, found = {}, []
    for i, token in enumerate(ids):
        last[token] = i
        if token in last:
            found.append(weights[i, last[token] + 1])
    return np.mean(found)
""",
            _score("""\
        copies = np.flatnonzero(ids == ids[i])
        if len(copies) > 1:
            found.append(weights[i, copies[-1] + 1])"""),
        ],
        "previous_token": [_latest("weights[i][i - 1]")],
        "transposed": [_latest("weights[copies[-1] + 1, i]")],
        "summed": [
            _latest("weights[i, copies[-1] + 1]").replace("np.mean", "sum")
        ],
        "new_tokens_counted": [
            _latest("weights[i, copies[-1] + 1] if copies else 0", "True")
        ],
        "largest": [_latest("max(weights[i])")],
        "first_only": [_latest("0); return float(weights[i, copies[-1] + 1]")],
        "last_only": [
            """
def f(weights, ids):
    for i in range(len(ids)):
        for j in range(i):
            if ids[j] == ids[i]:
                score = weights[i, j + 1]
    return score
"""
        ],
        "percent": [
            _latest("weights[i, copies[-1] + 1] * 100"),
        ],
    },
    "keep_head": {
        "this_one_gone": [
            """
def f(w_out, head, num_heads):
    d = len(w_out) // num_heads
    new = w_out.copy()
    new[head * d : (head + 1) * d] = 0
    return new
"""
        ],
        "columns": [_rows(":, i * d : (i + 1) * d")],
        "square_block": [_rows("i * d : i * d + d, i * d : i * d + d")],
        "one_row": [_rows("i")],
        "start_is_head": [_rows("i : i + d")],
        "width_is_heads": [_rows("i * h : (i + 1) * h")],
        "float_width": [_rows("i * d : (i + 1) * d").replace("//", "/")],
        "strided": [_rows("i::h")],
        "first_head": [_rows(":d")],
        "counted_from_one": [_rows("(i - 1) * d : i * d")],
        "one_row_more": [_rows("i * d : (i + 1) * d + 1")],
        "one_row_less": [_rows("i * d : (i + 1) * d - 1")],
        "no_end": [_rows("i * d :")],
        "no_start": [_rows(": (i + 1) * d")],
        "cut_out": ["lambda w, i, h: np.split(w, h)[i]"],
        "nothing": ["lambda w_out, head, num_heads: w_out.copy()"],
    },
}
