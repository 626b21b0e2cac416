"""What learners write in chapter 1: a right answer, and edits of it.

For each check: source code that is right; for each mistake the edits (old,
new) that plant it; and other right answers, in other styles. `WAYS` holds
mistakes once more, written in another way: check, mistake and source.
"""

LEARNERS = {}

LEARNERS["check_hard_lookup"] = (
    """
def lookup(query, keys, values):
    best, best_score = 0, -np.inf
    for j, key in enumerate(keys):
        score = sum(a * b for a, b in zip(query, key))
        if score > best_score:
            best, best_score = j, score
    return values[best]
""",
    {
        "smallest": [("0, -np.inf", "0, np.inf"), ("> best", "< best")],
        "key_returned": [("values[best]", "keys[best]")],
        "index_returned": [("return values[best]", "return best")],
        "score_returned": [("return values[best]", "return best_score")],
        "values_for_keys": [
            ("enumerate(keys)", "enumerate(values)"),
            ("zip(query, key)", "zip(query, key, strict=True)"),
        ],
        "longest_key": [("zip(query, key)", "zip(key, key)")],
        "nearest_key": [
            ("a * b for", "(a - b) ** 2 for"),
            ("0, -np.inf", "0, np.inf"),
            ("> best", "< best"),
        ],
        "cosine": [
            (
                "        if",
                "        score /= np.linalg.norm(query) * np.linalg.norm(key)"
                "\n        if",
            )
        ],
        "absolute": [("        if", "        score = abs(score)\n        if")],
        "zero_start": [("0, -np.inf", "0, 0")],
        "last_skipped": [("enumerate(keys)", "enumerate(keys[:-1])")],
        "soft": [
            (
                "return values[best]",
                "p = np.exp([k @ query for k in keys])\n"
                "    return sum(a * v for a, v in zip(p / p.sum(), values))",
            )
        ],
    },
    [
        "def lookup(q, k, v): return v[(k @ q).argmax()]",
        "def lookup(q, k, v): return list(v[np.einsum('d,nd', q, k)"
        ".argsort()[-1]])",
        "def lookup(q, k, v): return max(zip(k @ q, v.tolist()))[1]",
    ],
)

LEARNERS["check_share_out"] = (
    """
def share(scores, temperature):
    powers = [math.exp(s / temperature) for s in scores]
    total = sum(powers)
    return [p / total for p in powers]
""",
    {
        "temperature_ignored": [("s / temperature", "s")],
        "temperature_multiplied": [("s / temperature", "s * temperature")],
        "temperature_after": [
            ("s / temperature", "s"),
            ("p / total", "p / total / temperature"),
        ],
        "not_normalised": [("p / total", "p")],
        "largest_is_one": [("sum(powers)", "max(powers)")],
        "no_exponential": [("math.exp(s / temperature)", "s / temperature")],
        "sign": [("math.exp(s", "math.exp(-s")],
        "base_two": [("math.exp(s / temperature)", "2 ** (s / temperature)")],
    },
    [
        "def share(s, t):\n"
        "    e = np.exp(s / t - np.max(s / t))\n"
        "    return e / np.sum(e)",
        "share = lambda s, t: al.softmax(s.astype('f') / np.float32(t))",
        "def share(s, t=1):\n"
        "    s = np.array(s).reshape(1, -1)\n"
        "    return (np.exp(s / t) / np.exp(s / t).sum(1))[0]",
    ],
)

SLOW = """
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
"""
LEARNERS["check_slow_lookup"] = (
    SLOW,
    {
        "temperature_ignored": [(" / temperature", "")],
        "temperature_multiplied": [("/ temperature", "* temperature")],
        "temperature_after": [
            (" / temperature", ""),
            ("result / total", "result / total / temperature"),
        ],
        "scaled": [("/ temperature", "/ temperature / len(q) ** 0.5")],
        "wrong_axis": [
            (
                "result += power * v",
                "all = sum(np.exp(np.dot(o, k) / temperature) "
                "for o in queries)\n"
                "            result += power / all * v",
            ),
            ("result / total", "result"),
        ],
        "not_transposed": [
            ("k, v in zip(keys", "s, v in zip(q @ keys"),
            ("values):", "values, strict=True):"),
            ("np.dot(q, k)", "s"),
        ],
        "values_for_keys": [("np.dot(q, k)", "np.dot(q, v)")],
        "keys_for_values": [
            ("zeros(values.shape[1])", "zeros(keys.shape[1])"),
            ("power * v", "power * k"),
        ],
        "no_softmax": [
            ("np.exp(np.dot(q, k) / temperature)", "q @ k / temperature"),
            ("result / total", "result"),
        ],
        "not_normalised": [("result / total", "result")],
        "accumulates": [
            ("    results = []", "    results, done = [], 0"),
            ("result / total)", "done + result / total)"),
            ("    return", "        done = results[-1]\n    return"),
        ],
        "one_row": [
            ("    return np.array(results)", "        return results[0]")
        ],
        "total_grows": [
            ("        total = 0.0\n", ""),
            ("results = []", "results, total = [], 0.0"),
        ],
        "powers_kept": [
            ("    results = []", "    results, powers = [], []"),
            (
                "        results.append",
                "        for k in keys:\n"
                "            powers.append(math.exp(sum(q * k) / temperature))"
                "\n        total = sum(powers)\n"
                "        result = sum(p * v for p, v in zip(powers, values))\n"
                "        results.append",
            ),
        ],
        "one_array": [
            ("    results = []", "    results = []\n    mix = 0 * values[0]"),
            (
                "results.append(result / total)",
                "mix += result / total\n        results.append(mix)",
            ),
        ],
        "last_key_only": [("result += power", "result = power")],
        "hard": [
            (
                "results.append(result / total)",
                "results.append(values[np.argmax([q @ k for k in keys])])",
            )
        ],
    },
    [
        "def slow(q, k, v, t): return al.softmax(q @ k.T / t) @ v",
        "def slow(q, k, v, t):\n"
        "    w = np.exp(np.einsum('id,jd->ij', q, k) / t)\n"
        "    w /= w.sum(axis=1)[:, None]\n"
        "    return [[float(a @ c) for c in v.T] for a in w]",
        "def slow(q, k, v, t):\n"
        "    s = (q[:, None, :] * k[None]).sum(-1) / t\n"
        "    w = np.exp(s - s.max(1, keepdims=True)).astype('float32')\n"
        "    return (w[..., None] * v).sum(1) / w.sum(1, keepdims=True)",
    ],
)
LEARNERS["check_top_keys"] = (
    """
def top(weights, count):
    answer = []
    for row in weights:
        places = sorted(range(len(row)), key=lambda j: row[j], reverse=True)
        answer.append(places[:count])
    return answer
""",
    {
        "ascending": [("places[:count]", "places[:count][::-1]")],
        "smallest": [(", reverse=True", "")],
        "rows_reversed": [
            ("in weights:", "in weights[::-1]:"),
            (", reverse=True", ""),
        ],
        "wrong_axis": [("in weights:", "in weights.T:")],
        "weights_returned": [
            ("places[:count]", "[row[j] for j in places[:count]]")
        ],
        "rows_kept": [
            ("places[:count]", "places"),
            ("return answer", "return answer[:count]"),
        ],
        "all_keys": [("places[:count]", "places")],
        "not_sorted": [
            (
                "sorted(range(len(row)), key=lambda j: row[j], reverse=True)",
                "np.argpartition(-row, count - 1)",
            )
        ],
        "best_skipped": [("[:count]", "[1:count + 1]")],
    },
    [
        "def top(w, n): return np.argsort(w, axis=1)[:, ::-1][:, :n]",
        "def top(w, n): return np.flip(w.argsort(), -1)[:, :n].astype(float)",
        "def top(w, n):\n"
        "    w, found = w.copy(), []\n"
        "    for _ in range(n):\n"
        "        best = w.argmax(-1)\n"
        "        found.append(best)\n"
        "        w[np.arange(len(w)), best] = -1\n"
        "    return np.array(found).T",
    ],
)

WAYS = [
    (
        "check_hard_lookup",
        "cosine",
        "def f(q, k, v):\n"
        "    lengths = np.linalg.norm(k, axis=1) + 1e-9\n"
        "    return v[np.argmax(k @ q / lengths)]",
    ),
]
