"""What learners write in chapter 6, right and wrong."""

from wrong_answers import wrong

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

NORM_BY = "lambda x, gain: x / <1> * gain"
NORM_OF = "lambda x, gain: x / (np.mean(x**2, -1, keepdims=True) <1>"
BLOCK = """
def block(x, attend, feed, norm=al.layer_norm):
    x = <1>
    return <2>
"""
TARGETS = """
def f(ids, pad):
    targets = <1>
    for row in range(len(targets)):
        for i in range(targets.shape[1]):
            if targets[row, i] == pad:
                targets[row, i] = -1
    return <2>, targets
"""
MARKED = "lambda i, p: (i[:, :-1], <1>)"
LATEST = """
def f(weights, ids):
    found = []
    for i in range(len(ids)):
        copies = [j for j in range(i) if ids[j] == ids[i]]
        if copies:
            found.append(<1>)
    return np.mean(found)
"""
LOOP = """
def f(weights, ids):
    found = []
    for i in range(len(ids)):
        for j in range(i):
            if ids[j] == ids[i]:
                <1>
    return <2>
"""
COPIES = """
def f(weights, ids):
    found = []
    for i in range(<1>):
        copies = np.flatnonzero(<2> == ids[i])
        if <3>:
            found.append(weights[i, copies[-1] + 1])
    return np.mean(found)
"""
ROWS = """
def f(w, i, h):
    d = w.shape[0] // h
    new = np.zeros(w.shape)
    new[<1>] = w[<1>]
    return new
"""
HEAD = """
def f(w, head, num_heads):
    d = len(w) <1> num_heads
    part = w[head * d : (head + 1) * d]
    new = <2>
    new[<3>] = <4>
    return new
"""

WRONG = {
    "rms_norm": wrong(
        NORM_BY,
        """
variance (x.std(axis=-1, keepdims=True) + 1e-5)
variance np.sqrt(x.var(-1, keepdims=True) + 1e-5)
wrong_axis np.sqrt((x**2).mean(axis=0) + 1e-5)
wrong_axis np.sqrt((x**2).mean(-2, keepdims=True) + 1e-5)
axis_one np.sqrt((x**2).mean(1, keepdims=True) + 1e-5)
whole_array ((x * x).mean() + 1e-5) ** 0.5
summed np.sqrt(np.sum(x**2, -1, keepdims=True) + 1e-5)
summed np.linalg.norm(x, axis=-1, keepdims=True)
not_squared (np.abs(x).mean(-1, keepdims=True) + 1e-5)
not_squared np.sqrt(x.mean(-1, keepdims=True) + 1e-5)
mean_squared np.sqrt(x.mean(-1, keepdims=True) ** 2 + 1e-5)
caret np.sqrt(np.mean(x^2, axis=-1, keepdims=True) + 1e-5)
math_sqrt math.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-5)
eps_inside_square np.sqrt(((x + 1e-5) ** 2).mean(-1, keepdims=True))
eps_as_minimum np.maximum(np.mean(x**2, -1, keepdims=True), 1e-5) ** 0.5
keepdims np.sqrt((x**2).mean(-1) + 1e-5)
half ((np.mean(x**2, axis=-1, keepdims=True) + 1e-5) ** 1/2)
""",
        NORM_OF,
        """
no_root + 1e-5) * gain
half + 1e-5) ** 1/2 * gain
eps_missing ) ** 0.5 * gain
eps_after_root ** 0.5 + 1e-5) * gain
eps_after_root ** 0.5 + 1e-6) * gain
brackets ) ** 0.5 + 1e-5 * gain
other_eps + 1e-2) ** 0.5 * gain
other_eps + 1e-6) ** 0.5 * gain
other_eps + 1e-8) ** 0.5 * gain
multiplied + 1e-5) ** -0.5 * gain
gain_missing + 1e-5) ** 0.5
gain_divides + 1e-5) ** 0.5 / gain
gain_added + 1e-5) ** 0.5 + gain
""",
        layer_norm="lambda x, gain: al.layer_norm(x, gain)",
        gain_first="""
def f(x, gain):
    y = gain * x
    return y / np.sqrt((y**2).mean(axis=-1)[..., None] + 1e-5)
""",
    ),
    "post_norm_block": wrong(
        BLOCK,
        """
pre_norm x + attend(norm(x)) ~ x + feed(norm(x))
norm_inside x + norm(attend(x)) ~ x + norm(feed(x))
no_residual norm(attend(x)) ~ norm(feed(x))
no_residual_attend norm(attend(x)) ~ norm(x + feed(x))
no_residual_feed norm(x + attend(x)) ~ norm(feed(x))
no_norm x + attend(x) ~ x + feed(x)
first_norm_missing x + attend(x) ~ norm(x + feed(x))
second_norm_missing norm(x + attend(x)) ~ x + feed(x)
pre_norm_and_final x + attend(norm(x)) ~ norm(x + feed(norm(x)))
feed_missing norm(x + attend(x)) ~ x
attend_missing x ~ norm(x + feed(x))
swapped norm(x + feed(x)) ~ norm(x + attend(x))
residual_after_norm x + norm(x + attend(x)) ~ x + norm(x + feed(x))
both_norms norm(x + attend(norm(x))) ~ norm(x + feed(norm(x)))
stream_not_normalised x + attend(x) ~ norm(x + feed(norm(x)))
parallel norm(x + attend(x)) + feed(x) ~ norm(x)
old_residual x + feed(norm(x + attend(x))) ~ norm(x)
one_sum attend(x) + feed(x) + x ~ norm(x)
""",
    ),
    "shift_targets": wrong(
        TARGETS,
        """
not_shifted ids.copy() ~ ids
shifted_back np.roll(ids, 1, 1)[:, :-1] ~ ids[:, :-1]
wraps_around np.roll(ids, -1, axis=-1) ~ ids
two_ahead ids[:, 2:].copy() ~ ids[:, :-2]
inputs_marked ids[:, 1:] ~ ids[:, :-1]
rows_cut ids[1:].copy() ~ ids[:-1]
targets_too_long ids.copy() ~ ids[:, :-1]
inputs_too_long ids[:, 1:].copy() ~ ids
swapped ids[:, :-1].copy() ~ ids[:, 1:]
""",
        MARKED,
        """
padding_counts i[:, 1:]
padding_dropped [t for row in i for t in row[1:] if t != p]
hidden_by_input np.where(i[:, :-1] == p, -1, i[:, 1:])
zero_hard_coded np.where(i, i, -1)[:, 1:]
filled_with_zero i[:, 1:] * (i[:, 1:] != p)
torch_label np.where(i == p, -100, i)[:, 1:]
inverted np.where(i == p, i, -1)[:, 1:]
""",
        inputs_marked="""
def f(ids, pad):
    ids = ids.copy()
    ids[ids == pad] = -1
    return ids[:, :-1], ids[:, 1:]
""",
        last_kept="""
def f(ids, pad):
    targets = np.roll(ids, -1, axis=1)
    targets[:, -1] = -1
    targets[targets == pad] = -1
    return ids, targets
""",
        swapped="lambda i, p: (np.where(i == p, -1, i)[:, 1:], i[:, :-1])",
    ),
    "induction_score": wrong(
        LATEST,
        """
same_token weights[i, max(copies)]
too_far weights[i, copies[-1] - 1]
first_copy weights[i, min(copies) + 1]
first_copy weights[i, np.argmax(ids[:i] == ids[i]) + 1]
place_in_list weights[i, np.argmax(copies) + 1]
token_for_place weights[i, ids[copies[-1] + 1]]
token_for_place weights[i, ids[copies[-1]]]
added_to_weight weights[i, copies[-1]] + 1
all_copies sum(weights[i, j + 1] for j in copies)
all_copies np.mean([weights[i, j + 1] for j in copies])
previous_token weights[i][i - 1]
transposed weights[copies[-1] + 1, i]
largest max(weights[i])
percent weights[i, copies[-1] + 1] * 100
""",
        LOOP,
        """
first_copy found.append(weights[i, j + 1]); break ~ np.mean(found)
all_copies found.append(weights[i, j + 1]) ~ np.mean(found)
first_only return weights[i, j + 1] ~ 0
last_only score = weights[i, j + 1] ~ score
""",
        COPIES,
        """
copy_at_zero len(ids) ~ ids[:i] ~ any(copies)
last_skipped len(ids) - 1 ~ ids[:i] ~ copies.size > 0
no_copy len(ids) ~ ids[:i] ~ True
not_earlier len(ids) ~ ids[: i + 1] ~ len(copies) != 0
not_earlier len(ids) ~ ids ~ len(copies) > 1
""",
        no_copy=LATEST.replace("if copies", "if 1").replace(
            "<1>", "weights[i, copies[-1] + 1]"
        ),
        summed="""
def f(weights, ids):
    score, last = 0, {}
    for i, token in enumerate(ids):
        if token in last:
            score += weights[i, last[token] + 1]
        last[token] = i
    return score
""",
        new_tokens_counted="""
def f(weights, ids):
    found = np.zeros(len(ids))
    for i, token in enumerate(ids):
        if token in ids[:i]:
            found[i] = weights[i, np.where(ids[:i] == token)[0][-1] + 1]
    return found.mean()
""",
    ),
    "keep_head": wrong(
        ROWS,
        """
columns :, i * d : (i + 1) * d
square_block i * d : i * d + d, i * d : i * d + d
one_row i
start_is_head i : i + d
width_is_heads i * h : (i + 1) * h
strided i::h
brackets i * d : i + 1 * d
first_head :d
counted_from_one (i - 1) * d : i * d
one_row_more i * d : (i + 1) * d + 1
one_row_less i * d : (i + 1) * d - 1
no_end i * d :
no_start : (i + 1) * d
""",
        HEAD,
        """
this_one_gone // ~ w.copy() ~ head * d : (head + 1) * d ~ 0
float_width / ~ w * 0 ~ head * d : (head + 1) * d ~ part
ones // ~ w**0 ~ head * d : (head + 1) * d ~ part
moved // ~ w * 0 ~ :d ~ part
""",
        cut_out="lambda w, i, h: np.split(w, h)[i]",
        nothing="lambda w_out, head, num_heads: w_out.copy()",
    ),
}
