"""What learners write in chapter 7 of windows, states and caches."""

from wrong_answers import wrong

PHI = "q, k = (np.where(x > 0, x + 1, np.exp(x)) for x in (q, k))"

RIGHT = {
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

SLICE = """
def f(q, k, v, window):
    output = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        keys = slice(<1>, <2>)
        scores = k[keys] @ q[i] / np.sqrt(q.shape[1])
        output[i] = al.softmax(scores) @ v[keys]
    return output
"""
BY_HAND = SLICE.replace("al.softmax(scores) @", "e / e.sum() @").replace(
    "        output[", "        e = np.exp(scores - <3>)\n        output["
)
ROWS = """
def f(q, k, v, window):
    rows = []
    for i in range(len(q)):
        keys = slice(max(0, i - window + 1), i + 1)
        <3>
        scores = <1>
        rows.append(<2> @ v[keys])
    return rows
"""
SCORES = ROWS.replace("<3>", "").replace("<2>", "al.softmax(scores)")
WEIGHTS = ROWS.replace("<3>", "").replace("<2>", "(<1>)")
WEIGHTS = WEIGHTS.replace("= <1>", "= k[keys] @ q[i] / q.shape[1] ** 0.5")
MASK = """
def f(q, k, v, window):
    mask = <1>
    return al.scaled_dot_product_attention(q, k, v, mask)[0]
"""
LINEAR = f"""
def f(q, k, v):
    {PHI}
    state = np.zeros((k.shape[1], v.shape[1]))
    total = np.zeros(k.shape[1])
    output = []
    for i in range(len(q)):
        state <1>
        total <2>
        output.append(<3>)
    return np.array(output)
"""
READ = LINEAR.replace("<1>", "+= np.outer(k[i], v[i])")
READ = READ.replace("<2>", "+= k[i]").replace("<3>", "<1>")
UPDATE = LINEAR.replace("<3>", "q[i] @ state / (q[i] @ total)")
PLAIN = READ.replace("<1>", "q[i] @ state / (q[i] @ total)")

WRONG = {
    "window_attention": wrong(
        SLICE,
        """
one_too_many max(i - window, 0) ~ i + 1
one_too_few max(i - window + 2, 0) ~ i + 1
empty_slice max(i - window + 1, 0) ~ i
empty_slice max(i - window, 0) ~ i
negative_start i - window + 1 ~ i + 1
negative_start np.max(i - window + 1, 0) ~ i + 1
future_seen max(i - window + 1, 0) ~ i + 2
future_seen i ~ i + window
future_seen max(i - window + 1, 0) ~ min(i + window, len(k))
all_keys None ~ None
first_keys 0 ~ min(window, i + 1)
last_keys -window ~ None
""",
        BY_HAND,
        """
one_too_few max(i - window + 2, 0) ~ i + 1 ~ scores.max()
empty_slice max(i - window + 1, 0) ~ i ~ scores.max()
empty_slice max(i - window, 0) ~ i ~ max(scores)
negative_start i - window + 1 ~ i + 1 ~ scores.max()
negative_start i - window + 1 ~ i + 1 ~ max(scores)
""",
        SCORES,
        """
not_transposed q[i] @ k[keys] / q.shape[1] ** 0.5
not_transposed q[i] @ k[keys].transpose(-2, -1) / q.shape[1] ** 0.5
not_transposed q[i].dot(k[keys]) / q.shape[1] ** 0.5
values_for_keys q[i] @ v[keys].T / q.shape[1] ** 0.5
scale_missing k[keys] @ q[i]
scale_multiplied k[keys] @ q[i] * np.sqrt(len(q[i]))
scale_not_root k[keys] @ q[i] / len(q[0])
scale_half k[keys] @ q[i] / q.shape[-1] ** 1/2
scale_half k[keys] @ q[i] / (k.shape[-1]**1/2)
scale_length k[keys] @ q[i] / len(q) ** 0.5
scale_length k[keys] @ q[i] / window ** 0.5
scale_values k[keys] @ q[i] / v.shape[1] ** 0.5
""",
        WEIGHTS,
        """
no_softmax scores
no_exponential scores / sum(scores)
softmax_twice al.softmax(al.softmax(scores))
not_normalised np.exp(scores)
not_normalised np.exp(scores - scores.max())
softmax_first al.softmax(k @ q[i] / q.shape[1] ** 0.5)[keys]
scale_after al.softmax(k[keys] @ q[i]) / q.shape[1] ** 0.5
""",
        MASK,
        """
no_window al.create_causal_mask(len(q))
all_keys None
rule al.create_window_mask(len(q), window=window)
rule np.tri(len(q), dtype=bool) & ~np.tri(len(q), k=-window, dtype=bool)
""",
        own_missing="""
def f(q, k, v, window):
    output = np.zeros((len(q), v.shape[1]))
    for i in range(1, len(q)):
        keys = range(max(0, i - window), i)
        output[i] = al.softmax(k[keys] @ q[i] / q.shape[1] ** 0.5) @ v[keys]
    return output
""",
        one_row=SCORES.replace(
            "<1>", "k[keys] @ q[i] / q.shape[1] ** 0.5"
        ).replace("    return", "        return"),
        keys_for_values=WEIGHTS.replace("v[keys]", "k[keys]").replace(
            "<1>", "al.softmax(scores)"
        ),
    ),
    "linear_causal": wrong(
        READ,
        """
not_divided q[i] @ state
divided_by_count q[i] @ state / (i + 1)
brackets q[i] @ state / q[i] @ total
divided_by_vector q[i] @ state / total
divided_by_vector q[i] @ (state / total[:, None])
divided_by_sum q[i] @ state / sum(total)
outer_swapped state @ q[i] / (q[i] @ total)
keys_read k[i] @ state / (k[i] @ total)
""",
        UPDATE,
        """
state_replaced = np.outer(k[i], v[i]) ~ += k[i]
total_replaced += np.outer(k[i], v[i]) ~ = k[i]
both_replaced = np.outer(k[i], v[i]) ~ = k[i]
total_one_number += np.outer(k[i], v[i]) ~ += sum(k[i])
outer_swapped += np.outer(v[i], k[i]) ~ += k[i]
outer_swapped = state + v[i][:, None] * k[i] ~ += k[i]
no_outer += k[i] * v[i] ~ += k[i]
no_outer = state + k[i] * v[i] ~ += k[i]
no_outer += k[i].T @ v[i] ~ += k[i]
queries_stored += np.outer(q[i], v[i]) ~ += q[i]
queries_stored += np.outer(k[i], v[i]) ~ += q[i]
""",
        "lambda q, k, v: <1>",
        """
not_causal al.linear_attention(q, k, v)
rule al.linear_attention(q, k, v, causal=True)
""",
        PLAIN.replace(PHI, "<1>"),
        f"""
no_features pass
query_features_missing k = np.where(k > 0, k + 1, np.exp(k))
key_features_missing q = np.where(q > 0, q + 1, np.exp(q))
features_twice {PHI}; {PHI}
""",
        reads_first=f"""
def f(q, k, v):
    {PHI}
    state, total, out = np.zeros((k.shape[1], v.shape[1])), 0 * k[0], []
    for a, b, c in zip(q, k, v):
        out.append(a @ state / (a @ total))
        state, total = state + np.outer(b, c), total + b
    return out
""",
        one_token=[
            PLAIN.replace("        output", "    output"),
            PLAIN.replace("    return", "        return"),
        ],
        not_causal=PLAIN.replace(
            "        out", "    for i in range(len(q)): out"
        ),
        softmax="lambda q, k, v: al.scaled_dot_product_attention("
        "q, k, v, al.create_causal_mask(len(q)))[0]",
    ),
    "cache_bytes": wrong(
        "lambda n, h, d, t, b: <1>",
        """
keys_only n * h * d * t * b
three n * h * d * t * b * 3
layers_forgotten 2 * h * d * t * b
squared 2 * n * h * d * t**2 * b
squared 2 * n * h * t * t * b
numbers_only 2 * n * h * d * t
bytes_hard_coded 4 * n * h * d * t
heads_forgotten 2 * n * d * t * b
width_forgotten 2 * n * h * t * b
tokens_forgotten 2 * n * h * d * b
other_unit 2 * n * h * d * t * b / 2**30
other_unit 2 * n * h * d * t * b / 1024**2
other_unit 2 * n * h * d * t * b // 10**9
other_unit 2 * n * h * d * t * b / 1000
bits 8 * 2 * n * h * d * t * b
bytes_divided 2 * n * h * d * t * b / 8
""",
    ),
}
