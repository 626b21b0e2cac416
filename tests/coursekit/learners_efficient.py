"""What learners write in chapter 7, right and wrong."""

PHI = "q, k = (np.where(x > 0, x + 1, np.exp(x)) for x in (q, k))"

RIGHT = {
    "add_key": [
        """
def f(peak, total, score):
    scores = np.array([peak, score])
    new = scores.max()
    return new, float(np.array([total, 1.0]) @ np.exp(scores - new))
""",
        """
def f(peak, total, score):
    if score <= peak:
        return peak, total + math.exp(score - peak)
    return score, total * math.exp(peak - score) + 1
""",
    ],
    "merge_states": [
        """
def f(p, s, x, q, t, y):
    if p < q:
        return f(q, t, y, p, s, x)
    small = np.exp(q - p)
    return p, s + t * small, x + y * small
""",
        """
def f(p, s, x, q, t, y):
    peaks = np.array([p, q])
    factors = np.exp(peaks - peaks.max())
    return [peaks.max(), factors @ [s, t], factors @ [x, y]]
""",
    ],
    "window_attention": [
        """
def f(q, k, v, window):
    rows = []
    for i in range(len(q)):
        some = range(max(0, i + 1 - window), i + 1)
        e = [np.exp(q[i] @ k[j] / q.shape[1] ** 0.5) for j in some]
        rows.append(np.dot(e, v[some]) / sum(e))
    return rows
""",
        """
def f(q, k, v, window):
    output, attend = [], al.scaled_dot_product_attention
    for i in range(1, len(q) + 1):
        s = slice(i - window if i > window else 0, i)
        output.append(attend(q[i - 1 : i], k[s], v[s])[0][0])
    return np.vstack(output)
""",
    ],
    "linear_causal": [
        f"""
def f(q, k, v):
    {PHI}
    state, total, rows = 0, 0, []
    for a, b, c in zip(q, k, v):
        state = state + b[:, None] * c
        total = total + b
        rows.append(a @ state / sum(a * total))
    return rows
""",
        f"""
def f(q, k, v):
    {PHI}
    state = np.cumsum(k[:, :, None] * v[:, None], axis=0)
    mixed = np.einsum('nd,nde->ne', q, state)
    return mixed / (q * np.cumsum(k, 0)).sum(1, keepdims=True)
""",
    ],
    "cache_bytes": [
        "lambda *sizes: 2 * np.prod(sizes)",
        """
def f(layers, kv_heads, d_head, tokens, bytes_each):
    cache = 0.0
    for _ in range(layers):
        cache += 2 * (kv_heads * tokens * d_head) * bytes_each
    return cache
""",
    ],
}


def _add(old, fresh, new="max(m, s)"):
    """Return the step of the online softmax: both parts of the sum."""
    return f"lambda m, t, s: ((n := {new}), {old} + {fresh})"


def _merge(total, output, new="max(p, q)"):
    """Return a merge; a and b are the right factors."""
    return f"""
def f(p, s, x, q, t, y):
    n = {new}
    a, b = math.exp(p - n), math.exp(q - n)
    return n, {total}, {output}
"""


def _factors(a, b):
    return f"""
def f(p, s, x, q, t, y):
    n = max(p, q)
    a, b = {a}, {b}
    return n, a * s + b * t, a * x + b * y
"""


def _window(start, end="i + 1", root="np.sqrt(q.shape[1])"):
    """Return attention to a slice of the keys."""
    return f"""
def f(q, k, v, window):
    output = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        keys = slice({start}, {end})
        scores = k[keys] @ q[i] / {root}
        output[i] = al.softmax(scores) @ v[keys]
    return output
"""


def _row(line, scores="k[keys] @ q[i]", root="np.sqrt(q.shape[1])"):
    """Return attention with another last line."""
    return f"""
def f(q, k, v, window):
    rows = []
    for i in range(len(q)):
        keys = slice(max(0, i - window + 1), i + 1)
        scores = {scores} / {root}
        {line}
    return rows
"""


def _scaled(root):
    return _window("max(i - window + 1, 0)", root=root)


def _masked(mask):
    """Return attention with a mask."""
    return f"""
def f(q, k, v, window):
    mask = {mask}
    return al.scaled_dot_product_attention(q, k, v, mask)[0]
"""


MAX = "e = np.exp(scores - scores.max())\n        "
START = "max(i - window + 1, 0)"
MIX = "rows.append(al.softmax(scores) @ v[keys])"


def _linear(read, key="k[i]", state="np.outer(k[i], v[i])", first=PHI):
    """Return linear attention with other lines."""
    return f"""
def f(q, k, v):
    {first}
    state = np.zeros((k.shape[1], v.shape[1]))
    total = np.zeros(k.shape[1])
    output = []
    for i in range(len(q)):
        state += {state}
        total += {key}
        {read}
    return np.array(output)
"""


FRACTION = "q[i] @ state / (q[i] @ total)"
READ = f"output.append({FRACTION})"


def _bytes(formula):
    return f"lambda n, h, d, t, b: {formula}"


ALL = "2 * n * h * d * t * b"

WRONG = {
    "add_key": {
        "not_shrunk": [_add("t", "np.exp(s - n)")],
        "wrong_way": [
            _add("t * np.exp(n - m)", "np.exp(s - n)"),
            _add("t / np.exp(m - n)", "np.exp(s - n)"),
        ],
        "shrunk_by_score": [_add("t * np.exp(m - s)", "np.exp(s - n)")],
        "new_wrong_way": [_add("t * np.exp(m - n)", "np.exp(n - s)")],
        "new_from_old_maximum": [_add("t * np.exp(m - n)", "np.exp(s - m)")],
        "new_key_missing": [_add("t * np.exp(m - n)", "0")],
        "shrunk_together": [
            "lambda m, t, s: (n := max(m, s), "
            "(np.exp(s - n) + t) * np.exp(m - n))"
        ],
        "adds_one": [_add("t * np.exp(m - n)", "1")],
        "no_exponential": [_add("t * np.exp(m - n)", "s")],
        "peak_kept": ["lambda m, t, s: (m, t + np.exp(s - m))"],
        "old_peak_returned": [
            """
def f(peak, total, score):
    new = max(peak, score)
    total *= np.exp(peak - new)
    total += np.exp(score - new)
    return peak, total
"""
        ],
        "peak_replaced": ["lambda m, t, s: (s, t * np.exp(m - s) + 1)"],
        "smaller": [_add("t * np.exp(m - n)", "np.exp(s - n)", "min(s, m)")],
        "total_compared": [
            _add("t * np.exp(m - n)", "np.exp(s - n)", "max([m, t, s])")
        ],
        "max_of_two": [
            _add("t * np.exp(m - n)", "np.exp(s - n)", "np.max(m, s)")
        ],
        "no_maximum": [
            _add("t", "np.exp(s)"),
            _add("t * np.exp(m)", "np.exp(s)"),
            _add("t * np.exp(m - n)", "np.exp(s)"),
        ],
    },
    "merge_states": {
        "not_shrunk": [_merge("s + t", "x + y")],
        "only_totals": [_merge("a * s + b * t", "x + y")],
        "only_outputs": [_merge("s + t", "a * x + b * y")],
        "only_first": [_merge("a * s + t", "a * x + y")],
        "only_second": [_merge("s + b * t", "x + b * y")],
        "factors_swapped": [_merge("b * s + a * t", "b * x + a * y")],
        "wrong_way": [_factors("np.exp(n - p)", "np.exp(n - q)")],
        "no_maximum": [_factors("np.exp(p)", "np.exp(q)")],
        "smaller": [
            _merge("a * s + b * t", "a * x + b * y", "min(p, q)").replace(
                "math", "np"
            )
        ],
        "max_of_two": [
            _merge("a * s + b * t", "a * x + b * y", "np.max(p, q)")
        ],
        "divided": [
            _merge("a * s + b * t", "(a * x + b * y) / (a * s + b * t)")
        ],
        "averaged": [_merge("a * s + b * t", "np.mean([x / s, y / t], 0)")],
        "weighted_again": [
            _merge("a * s + b * t", "s * a * x + t * b * y"),
            _merge("(z := a * s + b * t)", "(a * s * x + b * t * y) / z"),
        ],
        "order": [
            _merge("a * x + b * y", "a * s + b * t"),
            """
def f(p, s, x, q, t, y):
    n = max(p, q)
    a, b = np.exp(p - n), np.exp(q - n)
    return a * x + b * y, a * s + b * t, n
""",
        ],
    },
    "window_attention": {
        "one_too_many": [_window("max(i - window, 0)")],
        "one_too_few": [_window("max(i - window + 2, 0)")],
        "own_missing": [
            """
def f(q, k, v, window):
    output = np.zeros((len(q), v.shape[1]))
    for i in range(1, len(q)):
        keys = range(max(0, i - window), i)
        output[i] = al.softmax(k[keys] @ q[i] / q.shape[1] ** 0.5) @ v[keys]
    return output
"""
        ],
        "empty_slice": [
            _window(START, "i"),
            _window("max(i - window, 0)", "i"),
            _row(f"{MAX}rows.append(e @ v[keys] / e.sum())").replace(
                "i + 1)", "i)"
            ),
        ],
        "negative_start": [
            _window("i - window + 1"),
            _row(f"{MAX}rows.append(e @ v[keys] / e.sum())").replace(
                "max(0, i - window + 1)", "i - window + 1"
            ),
        ],
        "future_seen": [
            _window(START, "i + 2"),
            _window("i", "i + window"),
            _window(START, "min(i + window, len(k))"),
        ],
        "no_window": [_masked("al.create_causal_mask(len(q))")],
        "all_keys": [_masked("None"), _window("None", "None")],
        "first_keys": [_window("0", "min(window, i + 1)")],
        "last_keys": [_window("-window", "None")],
        "one_row": [_row(MIX + "\n        return rows")],
        "softmax_first": [
            _row("rows.append(al.softmax(scores)[keys] @ v[keys])", "k @ q[i]")
        ],
        "no_softmax": [_row("rows.append(scores @ v[keys])")],
        "softmax_twice": [
            _row("rows.append(al.softmax(al.softmax(scores)) @ v[keys])")
        ],
        "not_normalised": [
            _row("rows.append(np.exp(scores) @ v[keys])"),
            _row(f"{MAX}rows.append(e @ v[keys])"),
        ],
        "not_transposed": [
            _row(MIX, "q[i] @ k[keys]"),
            _row(MIX, "q[i] @ k[keys].transpose(-2, -1)"),
            _row(MIX, "q[i].dot(k[keys])"),
        ],
        "values_for_keys": [_row(MIX, "q[i] @ v[keys].T")],
        "keys_for_values": [_row(MIX.replace("v[", "k["))],
        "scale_missing": [_scaled("1")],
        "scale_multiplied": [_scaled("q.shape[1] ** -0.5")],
        "scale_not_root": [_scaled("len(q[0])")],
        "scale_half": [
            _scaled("q.shape[-1] ** 1/2"),
            _scaled("(k.shape[-1]**1/2)"),
        ],
        "scale_length": [_scaled("len(q) ** 0.5"), _scaled("window ** 0.5")],
        "scale_values": [_scaled("v.shape[1] ** 0.5")],
        "scale_after": [
            _row(
                "rows.append(al.softmax(scores) / q.shape[1]**0.5 @ v[keys])",
                root="1",
            )
        ],
        "rule": [
            _masked("al.create_window_mask(len(q), window=window)"),
            """
def f(q, k, v, window):
    n = len(q)
    seen = np.tri(n) - np.tri(n, k=-window)
    e = np.exp(q @ k.T / np.sqrt(q.shape[1])) * seen
    return e / e.sum(axis=1, keepdims=True) @ v
""",
        ],
    },
    "linear_causal": {
        "reads_first": [
            f"""
def f(q, k, v):
    {PHI}
    state, total, out = np.zeros((k.shape[1], v.shape[1])), 0 * k[0], []
    for i, (a, b, c) in enumerate(zip(q, k, v)):
        out.append(a @ state / (a @ total))
        state, total = state + np.outer(b, c), total + b
    return out
"""
        ],
        "not_divided": [_linear("output.append(q[i] @ state)")],
        "divided_by_count": [_linear("output.append(q[i] @ state / (i + 1))")],
        "brackets": [_linear("output.append(q[i] @ state / q[i] @ total)")],
        "divided_by_vector": [_linear("output.append(q[i] @ state / total)")],
        "divided_by_sum": [
            _linear("output.append(q[i] @ state / sum(total))")
        ],
        "state_replaced": [_linear(READ).replace("state +=", "state =")],
        "total_replaced": [_linear(READ).replace("total +=", "total =")],
        "both_replaced": [_linear(READ).replace("+=", "=")],
        "total_one_number": [_linear(READ, key="sum(k[i])")],
        "outer_swapped": [
            _linear(READ, state="np.outer(v[i], k[i])"),
            _linear("output.append(state @ q[i] / (q[i] @ total))"),
            _linear(READ).replace(
                "+= np.outer(k[i], v[i])", "= state + v[i][:, None] * k[i]"
            ),
        ],
        "no_outer": [
            _linear(READ, state="k[i] * v[i]"),
            _linear(READ, state="k[i].T @ v[i]"),
            _linear(READ).replace(
                "+= np.outer(k[i], v[i])", "= state + k[i] * v[i]"
            ),
        ],
        "queries_stored": [_linear(READ, "q[i]", "np.outer(q[i], v[i])")],
        "keys_read": [_linear(READ.replace("q", "k"))],
        "not_causal": [
            "lambda q, k, v: al.linear_attention(q, k, v)",
            _linear("pass").replace(
                "np.array(output)", f"[{FRACTION} for i in range(len(q))]"
            ),
        ],
        "one_token": [
            _linear(f"{READ}\n        return np.array(output)"),
            _linear(f"\n    {READ}"),
        ],
        "no_features": [_linear(READ, first="pass")],
        "query_features_missing": [
            _linear(READ, first="k = np.where(k > 0, k + 1, np.exp(k))")
        ],
        "key_features_missing": [
            _linear(READ, first="q = np.where(q > 0, q + 1, np.exp(q))")
        ],
        "features_twice": [_linear(READ, first=f"{PHI}\n    {PHI}")],
        "softmax": [
            "lambda q, k, v: al.scaled_dot_product_attention("
            "q, k, v, al.create_causal_mask(len(q)))[0]"
        ],
        "rule": ["lambda q, k, v: al.linear_attention(q, k, v, causal=True)"],
    },
    "cache_bytes": {
        "keys_only": [_bytes("n * h * d * t * b")],
        "three": [_bytes("n * h * d * t * b * 3")],
        "layers_forgotten": [_bytes("2 * h * d * t * b")],
        "squared": [_bytes(f"{ALL} * t"), _bytes("2 * n * h * t * t * b")],
        "numbers_only": [_bytes("2 * n * h * d * t")],
        "bytes_hard_coded": [_bytes("4 * n * h * d * t")],
        "heads_forgotten": [_bytes("2 * n * d * t * b")],
        "width_forgotten": [_bytes("2 * n * h * t * b")],
        "tokens_forgotten": [_bytes("2 * n * h * d * b")],
        "other_unit": [
            _bytes(f"{ALL} {divided}")
            for divided in ("/ 2**30", "/ 1024**2", "// 10**9", "/ 1000")
        ],
        "bits": [_bytes(f"8 * {ALL}")],
        "bytes_divided": [_bytes(f"{ALL} / 8")],
    },
}
