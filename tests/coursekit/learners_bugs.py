"""What learners write in the bug hunt: a right answer, and edits of it."""

import learners_multi_head
import learners_positions
import learners_self_attention

LEARNERS = {
    "check_mended_softmax": learners_self_attention.LEARNERS["check_softmax"],
    "check_mended_heads": learners_multi_head.LEARNERS["check_multi_head"],
    "check_mended_encoding": learners_positions.LEARNERS[
        "check_positional_encoding"
    ],
}

_source, _edits, _others = learners_self_attention.LEARNERS["check_attention"]
_wanted = (
    "scale_missing scale_multiplied scale_not_root scale_length "
    "scale_queries scale_values scale_after wrong_axis not_transposed "
    "no_maximum no_values keys_for_values values_for_keys"
)
LEARNERS["check_mended_attention"] = (
    _source,
    {name: _edits[name] for name in _wanted.split()},
    [
        "def f(q, k, v): return al.scaled_dot_product_attention(q, k, v)",
        "def f(q, k, v):\n"
        "    w = al.softmax(q @ k.T / np.sqrt(k.shape[1]))\n"
        "    return w @ v, w",
    ],
)

LEARNERS["check_mended_causal"] = (
    """
def causal(q, k, v):
    n, d = q.shape
    scores = q @ k.T / np.sqrt(d)
    weights = np.zeros((n, n))
    for i in range(n):
        seen = slice(0, i + 1)
        weights[i, seen] = al.softmax(scores[i, seen])
    return weights @ v, weights
""",
    {
        "scale_missing": [(" / np.sqrt(d)", "")],
        "scale_not_root": [("np.sqrt(d)", "d")],
        "wrong_axis": [
            (
                "    return weights @ v, weights",
                "    s = np.where(np.tri(n) == 1, scores, -np.inf)\n"
                "    weights = al.softmax(s, axis=0)\n"
                "    return weights @ v, weights",
            )
        ],
        "no_maximum": [
            (
                "    return",
                "    e = np.tril(np.exp(scores))\n"
                "    weights = e / e.sum(1, keepdims=True)\n"
                "    return",
            )
        ],
        "mask_ignored": [("slice(0, i + 1)", "slice(0, n)")],
        "mask_after": [
            ("al.softmax(scores[i, seen])", "al.softmax(scores[i])[seen]")
        ],
        "mask_renormalised": [
            (
                "    return",
                "    e = np.exp(scores - scores.max(1, keepdims=True))\n"
                "    e = np.tril(e)\n"
                "    weights = e / e.sum(1, keepdims=True)\n"
                "    return",
            )
        ],
        "mask_times_infinity": [
            (
                "    return",
                "    s = scores + np.triu(np.ones((n, n)), 1) * -np.inf\n"
                "    weights = al.softmax(s)\n"
                "    return",
            )
        ],
        "zeros_hidden": [
            (
                "    return",
                "    s = np.tril(scores)\n"
                "    s[s == 0] = -np.inf\n"
                "    weights = al.softmax(s)\n"
                "    return",
            )
        ],
        "not_low_enough": [
            (
                "    return",
                "    s = scores - 50 * np.triu(np.ones((n, n)), 1)\n"
                "    weights = al.softmax(s)\n"
                "    return",
            )
        ],
        "mask_zero": [
            ("    for i", "    scores = np.tril(scores)\n    for i"),
            ("slice(0, i + 1)", "slice(0, n)"),
        ],
        "mask_added": [
            ("    for i", "    scores = scores + np.tri(n)\n    for i"),
            ("slice(0, i + 1)", "slice(0, n)"),
        ],
        "causal_inverted": [
            ("slice(0, i + 1)", "slice(i + 1, n)"),
            ("        weights[i", "        if i + 1 < n: weights[i"),
        ],
        "causal_upper": [("slice(0, i + 1)", "slice(i, n)")],
        "causal_strict": [
            ("slice(0, i + 1)", "slice(0, i)"),
            ("        weights[i", "        if i: weights[i"),
        ],
        "causal_one_ahead": [("slice(0, i + 1)", "slice(0, i + 2)")],
    },
    [
        "def f(q, k, v):\n"
        "    m = al.create_causal_mask(len(q))\n"
        "    return al.scaled_dot_product_attention(q, k, v, m)",
        "def f(q, k, v):\n"
        "    s = q @ k.T / np.sqrt(q.shape[-1])\n"
        "    w = al.softmax(np.where(np.tri(len(q)) == 1, s, -np.inf))\n"
        "    return w @ v, w",
        "def f(q, k, v):\n"
        "    s = q @ k.T / np.sqrt(q.shape[-1])\n"
        "    w = al.softmax(s - 1e9 * np.triu(np.ones_like(s), 1))\n"
        "    return w @ v, w",
    ],
)

LEARNERS["check_mended_chunks"] = (
    """
def chunks(q, k, v, size):
    out, n = [], len(q)
    for start in range(0, n, size):
        for i in range(start, min(start + size, n)):
            s = k @ q[i] / np.sqrt(q.shape[1])
            s[i + 1:] = -np.inf
            out.append(al.softmax(s) @ v)
    return out
""",
    {
        "own_triangle": [("i + 1:", "i - start + 1:")],
        "aligned_at_the_end": [
            ("i + 1:", "n - min(size, n - start) + i - start + 1:")
        ],
        "one_ahead": [("i + 1:", "i + 2:")],
        "strict": [("i + 1:", "i:")],
        "number_of_chunk": [("i + 1:", "i - start + start // size + 1:")],
        "keys_chunked": [
            ("s[i + 1:]", "s[:start] = -np.inf\n            s[i + 1:]")
        ],
        "nothing_hidden": [("            s[i + 1:] = -np.inf\n", "")],
    },
    [
        "def f(q, k, v, size):\n"
        "    m = al.create_causal_mask(len(q))\n"
        "    f = al.scaled_dot_product_attention\n"
        "    return np.concatenate([f(q[i:i + size], k, v, m[i:i + size])[0] "
        "for i in range(0, len(q), size)])",
        "def f(q, k, v, size):\n"
        "    return al.memory_efficient_attention(q, k, v, causal=True)",
    ],
)
