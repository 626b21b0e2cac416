"""What learners write in chapter 8, right and wrong."""

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


def _walk(there, place="..., i, i + offset", end="np.mean(found, axis=0)"):
    """Return a score that collects the weights in a loop."""
    return f"""
def f(weights, offset):
    n, found = weights.shape[-1], []
    for i in range(n):
        if {there}:
            found.append(weights[{place}])
    return {end}
"""


INSIDE = "0 <= i + offset < n"
DIAGONAL = "np.diagonal(w, offset, axis1=-2, axis2=-1)"


def _score(value):
    return f"lambda w, offset: {value}"


def _rest(divisor, rest="w[..., 1:, 1:]"):
    return f"lambda w: (r := {rest}) / {divisor}"


ROWS = "r.sum(-1, keepdims=True)"


def _hide(line, place="..., query, key", value=0):
    """Return a function that hides something, with another last step."""
    return f"""
def f(weights, query, key):
    w = np.array(weights)
    w[{place}] = {value}
    {line}
    return w
"""


AGAIN = "w /= w.sum(axis=-1, keepdims=True)"


def _parts(part, end="np.array(parts)"):
    """Return the parts of the heads, collected in a loop."""
    return f"""
def f(heads, w_o):
    h, n, d = heads.shape
    parts = []
    for i in range(h):
        parts.append({part})
    return {end}
"""


BLOCK = "heads[i] @ w_o[i * d : (i + 1) * d]"
MERGED = "heads.transpose(1, 0, 2).reshape(n, -1)"

WRONG = {
    "distance_score": {
        "other_side": [_walk("0 <= i - offset < n", "..., i, i - offset")],
        "offset_ignored": [_walk("i > 0", "..., i, i - 1")],
        "all_rows": [_walk(INSIDE, end="sum(found) / n")],
        "no_mean": [_score("np.trace(w, offset, -2, -1)")],
        "all_heads": [_walk(INSIDE, end="np.mean(found)")],
        "wrong_axes": [
            _score("np.diagonal(w, offset).mean(-1)"),
            _walk(INSIDE, "i, i + offset"),
        ],
        "one_map_only": [_score("np.mean(np.diag(w, k=offset))")],
        "largest": [_score(f"np.max({DIAGONAL}, -1)")],
        "one_row": [
            _walk(INSIDE, end="found[0]"),
            _walk(INSIDE, end="weights[..., i, i + offset]").replace(
                "            found",
                "            return weights[..., i, i + "
                "offset]\n            found",
            ),
        ],
        "wraps_around": [
            _walk("True"),
            _walk("i + offset < n"),
            _walk("True", "..., i, (i + offset) % n"),
            _walk("i < n - abs(offset)"),
            _score("np.diagonal(np.roll(w, -offset, -1), 0, -2, -1).mean(-1)"),
        ],
        "end_missed": [_walk("i + offset >= 0"), _walk("i >= abs(offset)")],
        "percent": [_score(f"{DIAGONAL}.mean(-1) * 100")],
    },
    "without_first": {
        "not_normalised": ["lambda w: w[..., 1:, 1:]"],
        "softmax_again": [
            "lambda w: al.softmax(w[..., 1:, 1:])",
            "lambda w: al.softmax((r := w[..., 1:, 1:]) "
            "/ r.sum(-1, keepdims=True))",
        ],
        "row_kept": [_rest(ROWS, "w[..., 1:]")],
        "column_kept": [_rest(ROWS, "w[..., 1:, :]")],
        "first_axes": [_rest(ROWS, "w[1:, 1:]")],
        "zeroed": [
            """
def f(weights):
    w = weights.copy()
    w[..., 0] = 0
    w[..., 0, :] = 0
    return w / w.sum(axis=-1, keepdims=True)
"""
        ],
        "shared_evenly": [
            "lambda w: (r := w[..., 1:, 1:]) "
            "+ (1 - r.sum(-1, keepdims=True)) / r.shape[-1]"
        ],
        "divided_by_first": [_rest("w[..., 1:, 0][..., None]")],
        "columns": [
            _rest("r.sum(axis=0, keepdims=True)"),
            _rest("r.sum(axis=-2, keepdims=True)"),
        ],
        "axis_one": [_rest("r.sum(1, keepdims=True)")],
        "whole_map": [
            _rest("r.sum()"),
            _rest("r.sum(axis=(-2, -1), keepdims=True)"),
        ],
        "keepdims": [_rest("r.sum(-1)"), _rest("(1 - w[..., 1:, 0])")],
        "last_token": [_rest(ROWS, "w[..., :-1, :-1]")],
    },
    "hide_key": {
        "not_normalised": [_hide("pass")],
        "all_rows": [
            _hide(AGAIN, "..., :, key"),
            _hide("pass", "..., key"),
        ],
        "whole_row": [_hide(AGAIN, "..., query, :")],
        "row_returned": [_hide(f"{AGAIN}; w = w[..., query, :]")],
        "swapped": [_hide(AGAIN, "..., key, query")],
        "first_axes": [_hide(AGAIN, "query, key")],
        "shared_evenly": [
            """
def f(weights, query, key):
    w = weights.copy()
    lost = w[..., query, key].copy()
    w[..., query, :] += lost[..., None] / (w.shape[-1] - 1)
    w[..., query, key] = 0
    return w
"""
        ],
        "softmax_again": [
            _hide("w = al.softmax(w)"),
            _hide("w = al.softmax(w)", value="-np.inf"),
            _hide("w[..., query, :] = al.softmax(w[..., query, :])"),
        ],
        "minus_infinity": [_hide(AGAIN, value="-np.inf")],
        "columns": [
            _hide("w /= w.sum(axis=0)"),
            _hide("w /= w.sum(axis=-2, keepdims=True)"),
        ],
        "axis_one": [_hide("w /= w.sum(axis=1, keepdims=True)")],
        "whole_map": [
            _hide("w /= np.sum(w)"),
            _hide("w /= w.sum((-2, -1), keepdims=True)"),
        ],
        "keepdims": [
            _hide("w /= w.sum(axis=-1)"),
            _hide("w[..., query, :] /= w[..., query, :].sum(-1)"),
        ],
    },
    "head_parts": {
        "summed": [_parts(BLOCK, "sum(parts)")],
        "columns": [
            _parts(f"{MERGED} @ w_o * (np.repeat(np.arange(h), d) == i)")
        ],
        "columns_of_w_o": [_parts("heads[i] @ w_o[:, i * d : (i + 1) * d].T")],
        "first_block": ["lambda x, w_o: x @ w_o[: x.shape[-1]]"],
        "start_is_head": [_parts("heads[i] @ w_o[i : i + d]")],
        "one_head": [_parts(f"{BLOCK})\n        return np.array(parts")],
        "rows_do_not_fit": [
            "lambda heads, w_o: heads @ w_o",
            _parts("heads[i].dot(w_o)"),
            _parts("heads[i] @ w_o[:, i * d : (i + 1) * d]"),
        ],
        "no_projection": [
            _parts("np.pad(heads[i], [(0, 0), (i * d, (h - 1 - i) * d)])")
        ],
        "interleaved": [_parts("heads[i] @ w_o[i::h]")],
    },
}
