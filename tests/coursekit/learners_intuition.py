"""What learners write in chapter 1, made without a look at the edits.

`RIGHT` holds right answers in several styles, `WRONG` wrong ones with the
mistake that the check should name.
"""

RIGHT = {
    "hard_lookup": [
        "lambda q, k, v: v[(k @ q).argmax()]",
        "lambda q, k, v: list(v[np.einsum('d,nd', q, k).argsort()[-1]])",
        "lambda q, k, v: max(zip(k @ q, v.tolist()))[1]",
        """
def lookup(query, keys, values):
    best, best_score = 0, -np.inf
    for j, key in enumerate(keys):
        score = sum(a * b for a, b in zip(query, key))
        if score > best_score:
            best, best_score = j, score
    return values[best]
""",
    ],
    "needed_lead": [
        "lambda n, share: math.log((n - 1) * share) - math.log(1 - share)",
        "lambda n, s: -np.log((1 / s - 1) / (n - 1))",
        """
def lead(n, share):
    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        power = np.exp(middle)
        if power / (power + n - 1) < share:
            low = middle
        else:
            high = middle
    return low
""",
    ],
    "slow_lookup": [
        """
def slow(queries, keys, values, temperature):
    results = []
    for q in queries:
        total = 0.0
        result = np.zeros(values.shape[1])
        for k, v in zip(keys, values):
            power = np.exp(np.dot(q, k) / temperature)
            total += power
            result += power * v
        results.append(result / total)
    return np.array(results)
""",
        """
def slow(q, k, v, t):
    w = np.exp(np.einsum('id,jd->ij', q, k) / t)
    w /= w.sum(axis=1)[:, None]
    return [[float(sum(a * c)) for c in v.T] for a in w]
""",
    ],
    "top_keys": [
        "lambda w, n: np.argsort(w, axis=1)[:, ::-1][:, :n]",
        "lambda w, n: np.flip(w.argsort(), -1)[:, :n].astype(float)",
        """
def top(w, n):
    w, found = w.copy(), []
    for _ in range(n):
        best = w.argmax(-1)
        found.append(best)
        w[np.arange(len(w)), best] = -1
    return np.array(found).T
""",
    ],
}

WRONG = {
    "hard_lookup": {
        "smallest": ["lambda q, k, v: v[(-k @ q).argmax()]"],
        "key_returned": ["lambda q, k, v: k[np.argmax(k.dot(q))]"],
        "index_returned": ["lambda q, k, v: np.argsort(k @ q)[-1]"],
        "max_for_argmax": ["lambda q, k, v: v[max(k @ q)]"],
        "score_returned": ["lambda q, k, v: sorted(k @ q)[-1]"],
        "values_for_keys": ["lambda q, k, v: v[np.argmax(v.dot(q))]"],
        "longest_key": [
            "lambda q, k, v: v[np.linalg.norm(k, axis=1).argmax()]"
        ],
        "nearest_key": [
            "lambda q, k, v: v[np.linalg.norm(k - q, axis=1).argmin()]"
        ],
        "cosine": [
            """
def f(q, k, v):
    lengths = np.linalg.norm(k, axis=1) * np.linalg.norm(q) + 1e-9
    return v[np.argmax(k @ q / lengths)]
"""
        ],
        "absolute": ["lambda q, k, v: v[np.argmax((k @ q) ** 2)]"],
        "zero_start": [
            """
def f(query, keys, values):
    best, top = 0, 0
    for j in range(len(keys)):
        if keys[j] @ query > top:
            best, top = j, keys[j] @ query
    return values[best]
"""
        ],
        "last_skipped": [
            "lambda q, k, v: v[max(range(len(k) - 1), key=lambda j: k[j] @ q)]"
        ],
        "soft": ["lambda q, k, v: (p := np.exp(k @ q)) @ v / sum(p)"],
    },
    "needed_lead": {
        "itself_counted": ["lambda n, s: math.log(n * s / (1 - s))"],
        "share_only": ["lambda n, s: math.log(n - 1) + math.log(s)"],
        "upside_down": ["lambda n, s: np.log((1 / s - 1) * (n - 1))"],
        "one_other": ["lambda n, s: np.log(s) - np.log(1 - s)"],
        "divided": ["lambda n, s: np.log(s / (1 - s)) - np.log(n - 1)"],
        "no_logarithm": ["lambda n, s: (n - 1) / (1 / s - 1)"],
        "wrong_base": ["lambda n, s: math.log2((n - 1) * s / (1 - s))"],
        "sign": ["lambda n, s: math.log((1 - s) / s / (n - 1))"],
    },
    "slow_lookup": {
        "temperature_ignored": ["lambda q, k, v, t: al.softmax(q @ k.T) @ v"],
        "temperature_multiplied": [
            "lambda q, k, v, t: al.softmax(q @ k.T * t) @ v"
        ],
        "temperature_after": [
            "lambda q, k, v, t: al.softmax(q @ k.T) / t @ v"
        ],
        "root_for_temperature": [
            "lambda q, k, v, t: al.scaled_dot_product_attention(q, k, v)[0]"
        ],
        "scaled": [
            "lambda q, k, v, t: al.softmax(q @ k.T / t / q.shape[1]**.5) @ v"
        ],
        "wrong_axis": ["lambda q, k, v, t: al.softmax(q @ k.T / t, 0) @ v"],
        "not_transposed": ["lambda q, k, v, t: al.softmax(q @ k / t) @ v"],
        "values_for_keys": ["lambda q, k, v, t: al.softmax(q @ v.T / t) @ v"],
        "keys_for_values": ["lambda q, k, v, t: al.softmax(q @ k.T / t) @ k"],
        "no_softmax": ["lambda q, k, v, t: q @ k.T / t @ v"],
        "not_normalised": ["lambda q, k, v, t: np.exp(q @ k.T / t) @ v"],
        "accumulates": [
            "lambda q, k, v, t: np.cumsum(al.softmax(q @ k.T / t) @ v, axis=0)"
        ],
        "one_row": [
            """
def f(queries, keys, values, temperature):
    for query in queries:
        weights = al.softmax(keys @ query / temperature)
        return weights @ values
"""
        ],
        "total_grows": [
            """
def slow(queries, keys, values, temperature):
    results, total = [], 0.0
    for q in queries:
        result = 0
        for k, v in zip(keys, values):
            power = np.exp(q @ k / temperature)
            total += power
            result = result + power * v
        results.append(result / total)
    return results
"""
        ],
        "powers_kept": [
            """
def slow(queries, keys, values, temperature):
    out, powers = [], []
    for q in queries:
        for k in keys:
            powers.append(math.exp(sum(q * k) / temperature))
        out.append(sum(p * v for p, v in zip(powers, values)) / sum(powers))
    return out
"""
        ],
        "one_array": [
            """
def slow(queries, keys, values, temperature):
    out, row = [], np.zeros(values.shape[1])
    for q in queries:
        row += al.softmax(keys @ q / temperature) @ values
        out.append(row)
    return np.stack(out)
"""
        ],
        "last_key_only": [
            "lambda q, k, v, t: al.softmax(q @ k.T / t)[:, -1:] * v[-1]"
        ],
        "hard": ["lambda q, k, v, t: v[(q @ k.T).argmax(axis=1)]"],
    },
    "top_keys": {
        "ascending": ["lambda w, n: np.argsort(w)[:, -n:]"],
        "smallest": [
            "lambda w, n: [sorted(range(len(r)), key=lambda j: r[j])"
            "[:n] for r in w]"
        ],
        "rows_reversed": ["lambda w, n: np.argsort(w)[::-1][:, :n]"],
        "wrong_axis": ["lambda w, n: (-w).argsort(0)[:, :n]"],
        "weights_returned": ["lambda w, n: np.sort(w)[:, ::-1][:, :n]"],
        "rows_kept": ["lambda w, n: (-w).argsort()[:n]"],
        "all_keys": ["lambda w, n: (-w).argsort()"],
        "one_key": ["lambda w, n: w.argmax(axis=-1)"],
        "not_sorted": ["lambda w, n: np.argpartition(-w, n)[:, :n]"],
        "best_skipped": ["lambda w, n: np.argsort(-w)[:, 1:n + 1]"],
    },
}
