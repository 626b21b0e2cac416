"""What learners write in chapter 8, right and wrong."""

from wrong_answers import wrong

RIGHT = {
    "distance_score": [
        """
def f(weights, offset):
    n = weights.shape[-1]
    rows = [i for i in range(n) if 0 <= i + offset < n]
    return sum(weights[..., i, i + offset] for i in rows) / len(rows)
""",
        """
def f(weights, offset):
    band = np.eye(weights.shape[-1], k=offset)
    return np.sum(weights * band, axis=(-2, -1)) / band.sum()
""",
    ],
    "without_first": [
        "lambda w: w[..., 1:, 1:] / (1 - w[..., 1:, :1])",
        """
def f(weights):
    w = np.delete(np.delete(weights, 0, -1), 0, -2)
    return w / w.sum(-1)[..., None]
""",
        "lambda w: al.softmax(np.log(w[..., 1:, 1:]))",
    ],
    "hide_key": [
        """
def hide_key(weights, query, key):
    w = weights.copy()
    w[..., query, key] = 0
    w[..., query, :] /= w[..., query, :].sum(-1, keepdims=True)
    return w
""",
        """
def f(weights, query, key):
    scores = np.log(weights)
    scores[..., query, key] = -np.inf
    return al.softmax(scores)
""",
        """
def f(weights, query, key):
    seen = np.ones(weights.shape[-2:])
    seen[query, key] = 0
    w = weights * seen
    return w / w.sum(axis=-1, keepdims=True)
""",
    ],
    "head_parts": [
        "lambda x, w: x @ w.reshape(x.shape[0], x.shape[2], -1)",
        """
def f(heads, w_o):
    h, n, d = heads.shape
    parts = []
    for i in range(h):
        alone = np.zeros_like(heads)
        alone[i] = heads[i]
        parts.append(alone.swapaxes(0, 1).reshape(n, h * d) @ w_o)
    return np.array(parts)
""",
        "lambda x, w: np.einsum('hnd,hde->hne', x, "
        "np.stack(np.split(w, len(x))))",
    ],
}

WALK = """
def f(weights, offset):
    n, found = weights.shape[-1], []
    for i in range(n):
        if <1>:
            found.append(weights[<2>])
    return <3>
"""
INSIDE = WALK.replace("<1>", "0 <= i + offset < n")
INSIDE = INSIDE.replace("<2>", "..., i, i + offset").replace("<3>", "<1>")
ENDS = WALK.replace("<3>", "np.mean(found, axis=0)")
DIAGONAL = "lambda w, o: (d := np.diagonal(w, o, axis1=-2, axis2=-1), <1>)[1]"
REST = "lambda w: (r := w[..., 1:, 1:]) <1>"
CUT = "lambda w: (r := w[<1>]) / r.sum(axis=-1, keepdims=True)"
HIDE = """
def f(weights, query, key):
    w = np.array(weights)
    w[..., query, key] = <2>
    <1>
    return w
"""
ZERO = HIDE.replace("<2>", "0")
PLACE = """
def f(weights, query, key):
    w = weights.copy()
    w[<1>] = 0
    return w / w.sum(axis=-1, keepdims=True)
"""
PARTS = """
def f(heads, w_o):
    h, n, d = heads.shape
    parts = []
    for i in range(h):
        parts.append(<1>)
    return np.array(parts)
"""
BLOCKS = PARTS.replace("<1>", "heads[i] @ w_o[<1>]")

WRONG = {
    "distance_score": wrong(
        ENDS,
        """
other_side 0 <= i - offset < n ~ ..., i, i - offset
offset_ignored i > 0 ~ ..., i, i - 1
wrong_axes 0 <= i + offset < n ~ i, i + offset
zero_left_out n > i + offset > 0 ~ ..., i, i + offset
wraps_around True ~ ..., i, i + offset
wraps_around i + offset < n ~ ..., i, i + offset
wraps_around True ~ ..., i, (i + offset) % n
wraps_around i < n - abs(offset) ~ ..., i, i + offset
end_missed i + offset >= 0 ~ ..., i, i + offset
end_missed i >= abs(offset) ~ ..., i, i + offset
offset_is_column True ~ ..., i, offset
""",
        INSIDE,
        """
all_rows sum(found) / n
all_heads np.mean(found)
one_row found[0]
one_row found[0] / len(found)
""",
        DIAGONAL,
        """
other_count d.sum(-1) / (w.shape[-1] - o)
largest np.max(d, -1)
mean_axis d.mean(axis=0)
percent d.mean(-1) * 100
wraps_around np.diagonal(np.roll(w, -o, -1), 0, -2, -1).mean(-1)
no_mean np.trace(w, o, -2, -1)
wrong_axes np.diagonal(w, o).mean(-1)
wrong_axes w.diagonal(o).mean()
axes_counted np.diagonal(w, o, axis1=1, axis2=2).mean(-1)
one_map_only np.mean(np.diag(w, k=o))
""",
        wrong_axes="""
def f(w, o):
    n = len(w)
    return np.mean([w[i, i + o] for i in range(n) if 0 <= i + o < n])
""",
    ),
    "without_first": wrong(
        REST,
        """
not_normalised * 1
divided_by_first / w[..., 1:, 0][..., None]
columns / r.sum(axis=0, keepdims=True)
columns / r.sum(axis=-2, keepdims=True)
axis_one / r.sum(1, keepdims=True)
whole_map / r.sum()
whole_map / r.sum(axis=(-2, -1), keepdims=True)
keepdims / r.sum(-1)
keepdims / (1 - w[..., 1:, 0])
keepdims / r.sum(-1)[:, None]
shared_evenly + (1 - r.sum(-1, keepdims=True)) / r.shape[-1]
""",
        CUT,
        """
row_kept ..., 1:
column_kept ..., 1:, :
first_axes 1:, 1:
axes_counted :, 1:, 1:
last_token ..., :-1, :-1
""",
        "lambda w: <1>",
        """
softmax_again al.softmax(w[..., 1:, 1:])
softmax_again al.softmax((r := w[..., 1:, 1:]) / r.sum(-1)[..., None])
row_kept w[..., 1:]
""",
        zeroed="""
def f(weights):
    w = weights.copy()
    w[..., 0] = 0
    w[..., 0, :] = 0
    return w / w.sum(axis=-1, keepdims=True)
""",
    ),
    "hide_key": wrong(
        ZERO,
        """
not_normalised pass
row_returned w = w[..., query, :]; w = w / w.sum(-1)[..., None]
softmax_again w = al.softmax(w)
softmax_again w[..., query, :] = al.softmax(w[..., query, :])
columns w /= w.sum(axis=0)
columns w /= w.sum(axis=-2, keepdims=True)
axis_one w /= w.sum(axis=1, keepdims=True)
whole_map w /= np.sum(w)
whole_map w /= w.sum((-2, -1), keepdims=True)
keepdims w /= w.sum(axis=-1)
keepdims w[..., query, :] /= w[..., query, :].sum(-1)
keepdims w[..., query, :] /= 1 - weights[..., query, key]
all_divided w = w / (1 - weights[..., query, key])
one_sum_for_all w[..., query, :] /= w[..., query, :].sum()
""",
        HIDE,
        """
softmax_again w = al.softmax(w) ~ -np.inf
minus_infinity w /= w.sum(axis=-1, keepdims=True) ~ -np.inf
minus_infinity w /= w.sum(axis=-1, keepdims=True) ~ -1e9
""",
        PLACE,
        """
all_rows ..., :, key
whole_row ..., query, :
swapped ..., key, query
first_axes query, key
""",
        shared_evenly="""
def f(weights, query, key):
    w = weights.copy()
    lost = w[..., query, key].copy()
    w[..., query, :] += lost[..., None] / (w.shape[-1] - 1)
    w[..., query, key] = 0
    return w
""",
    ),
    "head_parts": wrong(
        BLOCKS,
        """
first_block :d
start_is_head i : i + d
width_is_heads i * h : (i + 1) * h
brackets i * d : i + 1*d
interleaved i::h
rows_do_not_fit :, i * d : (i + 1) * d
""",
        PARTS,
        """
rows_do_not_fit heads[i].dot(w_o)
columns_of_w_o heads[i] @ w_o[:, i * d : (i + 1) * d].T
no_projection np.pad(heads[i], [(0, 0), (i * d, (h - 1 - i) * d)])
""",
        "lambda x, w: <1>",
        """
summed x.swapaxes(0, 1).reshape(x.shape[1], -1) @ w
summed sum(a @ b for a, b in zip(x, np.split(w, len(x))))
rows_do_not_fit x @ w
width_is_heads x @ w.reshape(x.shape[2], x.shape[0], -1)
""",
        one_head=BLOCKS.replace("<1>", "i * d : (i + 1) * d").replace(
            "    return", "        return"
        ),
        columns="""
def f(heads, w_o):
    h, n, d = heads.shape
    out = heads.swapaxes(0, 1).reshape(n, h * d) @ w_o
    block = np.repeat(np.arange(h), d)
    return np.stack([out * (block == i) for i in range(h)])
""",
    ),
}
