"""What learners write in chapter 2 on masks and weights.

Made without a look at the edits.
"""

RIGHT = {
    "weight_bytes": [
        "lambda n, h, b: float(h * b * n**2)",
        """
def f(n, num_heads, bytes_each=4):
    weights = np.broadcast_to(np.zeros(1), (num_heads, n, n))
    return weights.size * bytes_each
""",
    ],
    "is_attention": [
        "lambda w: np.isfinite(w).all() & (w >= 0).all()"
        " & np.allclose(w.sum(-1), 1)",
        "lambda w: all(min(r) >= 0 and abs(sum(r) - 1) < 1e-9"
        " for r in w.reshape(-1, w.shape[-1]).tolist())",
        """
def f(weights):
    try:
        al.validate_attention(weights)
    except ValueError:
        return False
    return True
""",
        """
def f(weights):
    if np.isnan(weights).any() or np.any(weights < 0):
        return False
    for row in weights.reshape(-1, weights.shape[-1]):
        if not math.isclose(row.sum(), 1):
            return False
    return True
""",
    ],
    "causal_mask": [
        "lambda a, b: np.tril(np.ones((a, b), bool), b - a)",
        "lambda a, b: [[j <= i + b - a for j in range(b)] for i in range(a)]",
        "lambda a, b: np.arange(b) <= np.arange(b - a, b)[:, None]",
        "lambda a, b: ~np.triu(np.ones((a, b)), b - a + 1).astype(bool)",
        """
def f(n_q, n_k):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        mask[i, :n_k - n_q + i + 1] = True
    return mask
""",
    ],
}

WRONG = {
    "weight_bytes": {
        "not_squared": ["lambda n, h, b: b * n * h"],
        "doubled": ["lambda n, h, b: (n + n) * h * b"],
        "not_a_power": [
            "lambda n, h, b: h * (n ^ 2) * b",
            "lambda n, h, b: n ^ 2 * h * b",
            "lambda n, h, b: b * h * n ^ 2",
        ],
        "heads_squared": ["lambda n, h, b: (h * n) ** 2 * b"],
        "three": ["lambda n, h, b: h * 3 * n**2 * b"],
        "four_bytes": ["lambda n, h, b: 4 * h * n**2"],
        "numbers_only": ["lambda n, h, b: np.prod([h, n, n])"],
        "heads_ignored": ["lambda n, h, b: n**2 * b"],
        "heads_divided": [
            "lambda n, h, b: n**2 * b / h",
            "lambda n, h, b: h * b * (n // h) * (n // h)",
        ],
        "bits": ["lambda n, h, b: h * n**2 * (8 * b)"],
        "half": [
            "lambda n, h, b: h * b * sum(range(n + 1))",
            "lambda n, h, b: n**2 // 2 * h * b + n % 2 * h * b / 2",
        ],
        "megabytes": [
            "lambda n, h, b: h * n * n * b / 1024 / 1024",
            "lambda n, h, b: h * n * n * b / 1000",
        ],
    },
    "is_attention": {
        "sum_only": [
            "lambda w: np.allclose(np.sum(w, -1), 1)",
            "lambda w: (w >= 0).any() and np.allclose(w.sum(-1), 1)",
        ],
        "range_only": [
            "lambda w: bool(w.min() >= 0 and w.max() <= 1)",
            "lambda w: not (~np.isfinite(w) | (w < 0)).any()",
            "lambda w: bool((w >= 0).all() and w.sum(-1).all() == 1)",
        ],
        "zero_refused": [
            "lambda w: bool(np.all(w > 0)) and np.allclose(w.sum(-1), 1)",
            "lambda w: w.min() > 0 and w.max() < 1"
            " and np.allclose(w.sum(-1), 1)",
        ],
        "negative_passes": [
            "lambda w: w.max() <= 1 and np.allclose(w.sum(axis=-1), 1)"
        ],
        "loose": [
            "lambda w: (w >= 0).all() and (w.sum(-1).round(2) == 1).all()",
            "lambda w: (w >= 0).all() and (w.sum(-1).round(1) == 1).all()",
            "lambda w: (w >= 0).all() and (w.sum(-1).round() == 1).all()",
            "lambda w: (w >= 0).all() and np.allclose(w.sum(-1), 1, atol=.05)",
        ],
        "nan_passes": [
            """
def f(w):
    if np.any(w < 0):
        return False
    return not np.any(abs(w.sum(axis=-1) - 1) > 1e-8)
""",
            "lambda w: not (w < 0).any()"
            " and np.allclose(np.nansum(w, axis=-1), 1)",
        ],
        "columns": [
            "lambda w: w.min() >= 0 and np.allclose(sum(w), 1)",
            "lambda w: w.min() >= 0 and np.allclose(w.sum(axis=-2), 1)",
        ],
        "axis_one": ["lambda w: w.min() >= 0 and np.allclose(w.sum(1), 1)"],
        "total": [
            "lambda w: w.min() >= 0 and math.isclose(w.sum(), 1)",
            "lambda w: w.min() >= 0 and abs(w.sum() - len(w)) < 1e-6",
            "lambda w: w.min() >= 0 and np.isclose(w.sum(-1).mean(), 1)",
        ],
        "exact": ["lambda w: w.min() >= 0 and np.all(w.sum(-1) == 1.0)"],
        "any_row": [
            "lambda w: w.min() >= 0 and (abs(w.sum(-1) - 1) < 1e-8).any()"
        ],
        "first_row": [
            """
def f(weights):
    for row in weights:
        if (row < 0).any() or not np.allclose(row.sum(axis=-1), 1):
            return False
        return True
""",
            """
def f(weights):
    for row in weights:
        return bool(min(row.ravel()) >= 0 and abs(row.sum() - 1) < 1e-8)
""",
        ],
        "last_row": [
            """
def f(weights):
    for row in weights:
        good = row.min() >= 0 and np.allclose(row.sum(-1), 1)
    return bool(good)
"""
        ],
        "all_missing": [
            "lambda w: (w >= 0) and np.allclose(w.sum(axis=-1), 1)",
            "lambda w: bool((w >= 0).all() and w.sum(-1) == 1)",
        ],
        "or_for_and": ["lambda w: w.min() >= 0 or np.allclose(w.sum(-1), 1)"],
        "one_sided": ["lambda w: w.min() >= 0 and w.sum(-1).max() <= 1"],
        "inverted": [
            "lambda w: bool((w < 0).any() or not np.allclose(w.sum(-1), 1))"
        ],
        "always": ["lambda w: np.isfinite(w).any()"],
        "never": ["lambda w: bool(np.isnan(w).all())"],
    },
    "causal_mask": {
        "inverted": [
            "lambda a, b: np.triu(np.ones((a, b), bool), b - a + 1)",
            "lambda a, b: ~np.tril(np.ones((a, b), bool))",
        ],
        "upper": [
            "lambda a, b: np.triu(np.ones((a, b), bool), b - a)",
            "lambda a, b: np.triu(np.ones((a, b), bool))",
        ],
        "strict": [
            "lambda a, b: np.tri(a, b, b - a - 1, dtype=bool)",
            "lambda a, b: np.tri(a, b, -1, dtype=bool)",
        ],
        "one_ahead": [
            "lambda a, b: np.tri(a, b, b - a + 1, dtype=bool)",
            "lambda a, b: np.tri(a, b, 1, dtype=bool)",
        ],
        "top_left": ["lambda a, b: np.tri(a, b).astype(bool)"],
        "other_way": ["lambda a, b: np.tri(a, b, a - b) > 0"],
        "keys_ignored": ["lambda a, b: np.tril(np.ones((a, a))) > 0"],
        "queries_ignored": ["lambda a, b: np.tril(np.ones((b, b))) > 0"],
        "itself_only": ["lambda a, b: np.eye(a, b, b - a, dtype=bool)"],
        "axes_swapped": [
            "lambda a, b: np.arange(b)[:, None] <= b - a + np.arange(a)",
            "lambda a, b: np.tri(b, a) == 1",
        ],
        "no_column": [
            "lambda a, b: np.less_equal(range(b), b - a + np.arange(a))"
        ],
        "one_row": [
            """
def f(n_q, n_k):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        for j in range(n_k):
            mask[i, j] = j <= n_k - n_q + i
        return mask
"""
        ],
        "additive": [
            "lambda a, b: np.triu(np.full((a, b), -np.inf), b - a + 1)",
            "lambda a, b: (np.tri(a, b, b - a) - 1) * 1e9",
        ],
        "nothing_hidden": ["lambda a, b: np.full((a, b), True)"],
    },
}
