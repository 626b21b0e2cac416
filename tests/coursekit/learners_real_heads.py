"""What learners write in chapter 8: right, wrong, and in other styles.

For each check the source of a right answer, the edits that plant each
mistake, and right answers in other styles.
"""

DISTANCE = """
def distance_score(weights, offset):
    n = weights.shape[-1]
    rows = [i for i in range(n) if 0 <= i + offset < n]
    return sum(weights[..., i, i + offset] for i in rows) / len(rows)
"""
FIRST = """
def without_first(weights):
    w = weights[..., 1:, 1:]
    return w / np.sum(w, axis=-1, keepdims=True)
"""
HIDE = """
def hide_key(weights, query, key):
    w = weights.copy()
    w[..., query, key] = 0
    w[..., query, :] /= w[..., query, :].sum(-1, keepdims=True)
    return w
"""
DIVIDE = "    w[..., query, :] /= w[..., query, :].sum(-1, keepdims=True)\n"
PARTS = """
def head_parts(heads, w_o):
    h, n, d = heads.shape
    return np.stack([heads[i] @ w_o[i * d : (i + 1) * d] for i in range(h)])
"""
RETURN = (
    "    return np.stack([heads[i] @ w_o[i * d : (i + 1) * d] "
    "for i in range(h)])"
)

LEARNERS = {
    "check_distance_score": (
        DISTANCE,
        {
            "other_side": [("i + offset", "i - offset")],
            "all_rows": [("len(rows)", "n")],
            "no_mean": [(" / len(rows)", "")],
            "all_heads": [
                ("sum(weights", "np.mean([weights"),
                ("in rows) / len(rows)", "in rows])"),
            ],
            "wrong_axes": [
                (
                    "sum(weights[..., i, i + offset] for i in rows) / "
                    "len(rows)",
                    "np.diagonal(weights, offset).mean(-1)",
                )
            ],
            "one_map_only": [
                (
                    "sum(weights[..., i, i + offset] for i in rows) / "
                    "len(rows)",
                    "np.mean(np.diag(weights, k=offset))",
                )
            ],
            "largest": [
                ("sum(weights", "np.max([weights"),
                ("in rows) / len(rows)", "in rows], axis=0)"),
            ],
            "wraps_around": [
                ("if 0 <= i + offset < n", ""),
                ("i, i + offset", "i, (i + offset) % n"),
            ],
        },
        [
            "def f(weights, offset):\n"
            "    d = np.diagonal(weights, offset, axis1=-2, axis2=-1)\n"
            "    return d.mean(axis=-1)",
            "def f(weights, offset):\n"
            "    n = weights.shape[-1]\n"
            "    band = np.eye(n, k=offset)\n"
            "    return np.sum(weights * band, axis=(-2, -1)) / band.sum()",
        ],
    ),
    "check_without_first": (
        FIRST,
        {
            "not_normalised": [(" / np.sum(w, axis=-1, keepdims=True)", "")],
            "softmax_again": [
                ("weights[..., 1:, 1:]", "np.exp(weights[..., 1:, 1:])")
            ],
            "row_kept": [("[..., 1:, 1:]", "[..., 1:]")],
            "column_kept": [("[..., 1:, 1:]", "[..., 1:, :]")],
            "first_axes": [("[..., 1:, 1:]", "[1:, 1:]")],
            "shared_evenly": [
                (
                    "w / np.sum(w, axis=-1, keepdims=True)",
                    "w + (1 - w.sum(-1, keepdims=True)) / w.shape[-1]",
                )
            ],
            "columns": [("axis=-1", "axis=-2")],
            "axis_one": [("axis=-1", "axis=1")],
            "whole_map": [("axis=-1, keepdims=True", "")],
            "keepdims": [(", keepdims=True", "")],
            "last_token": [("[..., 1:, 1:]", "[..., :-1, :-1]")],
        },
        [
            "def f(weights):\n"
            "    return weights[..., 1:, 1:] / (1 - weights[..., 1:, :1])",
            "def f(weights):\n"
            "    w = np.delete(np.delete(weights, 0, -1), 0, -2)\n"
            "    return w / w.sum(-1)[..., None]",
        ],
    ),
    "check_hide_key": (
        HIDE,
        {
            "not_normalised": [(DIVIDE, "")],
            "all_rows": [
                ("w[..., query, key]", "w[..., :, key]"),
                ("w[..., query, :]", "w[...]"),
            ],
            "swapped": [
                ("w[..., query, key]", "w[..., key, query]"),
                ("w[..., query, :]", "w[..., key, :]"),
            ],
            "shared_evenly": [
                (
                    "    w[..., query, key] = 0\n",
                    "    lost = w[..., query, key].copy()\n"
                    "    n = w.shape[-1]\n",
                ),
                (
                    "/= w[..., query, :].sum(-1, keepdims=True)",
                    "+= lost[..., None] / (n - 1)\n    w[..., query, key] = 0",
                ),
            ],
            "first_axes": [
                ("w[..., query, key]", "w[query, key]"),
                ("w[..., query, :]", "w[query]"),
            ],
            "columns": [(DIVIDE, "    w /= w.sum(axis=-2, keepdims=True)\n")],
            "axis_one": [(DIVIDE, "    w /= w.sum(axis=1, keepdims=True)\n")],
            "whole_map": [(DIVIDE, "    w /= np.sum(w)\n")],
            "keepdims": [(DIVIDE, "    w = w / w.sum(axis=-1)\n")],
            "softmax_again": [
                (
                    "/= w[..., query, :].sum(-1, keepdims=True)",
                    "= al.softmax(w[..., query, :])",
                )
            ],
        },
        [
            "def f(weights, query, key):\n"
            "    scores = np.log(weights)\n"
            "    scores[..., query, key] = -np.inf\n"
            "    return al.softmax(scores)",
            "def f(weights, query, key):\n"
            "    seen = np.ones(weights.shape[-2:])\n"
            "    seen[query, key] = 0\n"
            "    w = weights * seen\n"
            "    return w / w.sum(axis=-1, keepdims=True)",
        ],
    ),
    "check_head_parts": (
        PARTS,
        {
            "summed": [("return np.stack(", "return sum(")],
            "columns": [
                (
                    RETURN,
                    "    out = heads.swapaxes(0, 1).reshape(n, h * d) @ w_o\n"
                    "    block = np.repeat(np.arange(h), d)\n"
                    "    return np.stack([out * (block == i) "
                    "for i in range(h)])",
                )
            ],
            "columns_of_w_o": [
                ("w_o[i * d : (i + 1) * d]", "w_o[:, i * d : (i + 1) * d].T")
            ],
            "first_block": [("w_o[i * d : (i + 1) * d]", "w_o[:d]")],
            "no_projection": [
                (
                    RETURN,
                    "    parts = np.zeros((h, n, h * d))\n"
                    "    for i in range(h):\n"
                    "        parts[i, :, i * d : (i + 1) * d] = heads[i]\n"
                    "    return parts",
                )
            ],
            "start_is_head": [("i * d : (i + 1) * d", "i : i + d")],
            "rows_do_not_fit": [("w_o[i * d : (i + 1) * d]", "w_o")],
            "interleaved": [("w_o[i * d : (i + 1) * d]", "w_o[i::h]")],
        },
        [
            "def f(heads, w_o):\n"
            "    h, n, d = heads.shape\n"
            "    return heads @ w_o.reshape(h, d, -1)",
            "def f(heads, w_o):\n"
            "    h, n, d = heads.shape\n"
            "    parts = []\n"
            "    for i in range(h):\n"
            "        alone = np.zeros_like(heads)\n"
            "        alone[i] = heads[i]\n"
            "        joined = alone.swapaxes(0, 1).reshape(n, h * d)\n"
            "        parts.append(joined @ w_o)\n"
            "    return np.array(parts)",
        ],
    ),
}

WAYS = [
    *(
        (
            "check_distance_score",
            mistake,
            "def f(weights, offset):\n"
            "    n, found = weights.shape[-1], []\n"
            "    for i in range(n):\n"
            f"        if {there}:\n"
            f"            found.append(weights[{place}])\n"
            "    return np.mean(found, axis=0)",
        )
        for mistake, there, place in (
            ("wraps_around", "i + offset < n", "..., i, i + offset"),
            ("wraps_around", "True", "..., i, i + offset"),
            ("wrong_axes", "0 <= i + offset < n", "i, i + offset"),
        )
    ),
    *(
        (
            "check_without_first",
            mistake,
            "def f(weights):\n"
            "    w = weights[..., 1:, 1:]\n"
            f"    return w / w.sum({axis}, keepdims=True)",
        )
        for mistake, axis in (
            ("columns", "axis=0"),
            ("whole_map", "axis=(-2, -1)"),
        )
    ),
    *(
        (
            "check_hide_key",
            mistake,
            "def f(weights, query, key):\n"
            "    w = weights.copy()\n"
            "    w[..., query, key] = 0\n"
            f"    {line}\n"
            "    return w",
        )
        for mistake, line in (
            ("columns", "w /= w.sum(axis=0)"),
            ("softmax_again", "w = al.softmax(w)"),
            ("keepdims", "w /= w.sum(axis=-1)"),
            ("keepdims", "w[..., query, :] /= w[..., query, :].sum(-1)"),
        )
    ),
    (
        "check_head_parts",
        "rows_do_not_fit",
        "def f(heads, w_o):\n"
        "    h, n, d = heads.shape\n"
        "    return [heads[i] @ w_o[:, i * d : (i + 1) * d]\n"
        "            for i in range(h)]",
    ),
    ("check_head_parts", "rows_do_not_fit", "def f(x, w_o): return x @ w_o"),
]
