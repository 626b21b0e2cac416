"""What learners write in chapter 4: a right answer, and edits of it."""

LEARNERS = {}

LEARNERS["check_positional_encoding"] = (
    """
def encode(n, d_model):
    out = np.zeros((n, d_model))
    for p in range(n):
        for i in range(d_model // 2):
            angle = p / 10000 ** (2 * i / d_model)
            out[p, 2 * i] = math.sin(angle)
            out[p, 2 * i + 1] = math.cos(angle)
    return out
""",
    {
        "swapped": [
            ("math.sin", "math.c_"),
            ("math.cos", "math.sin"),
            ("math.c_", "math.cos"),
        ],
        "halves": [
            ("out[p, 2 * i]", "out[p, i]"),
            ("out[p, 2 * i + 1]", "out[p, d_model // 2 + i]"),
        ],
        "exponent_not_doubled": [("(2 * i / d_model)", "(i / d_model)")],
        "exponent_doubled": [("(2 * i / d_model)", "(2 * i / d_model * 2)")],
        "exponent_sign": [("p / 10000", "p * 10000")],
        "by_column": [
            (
                "            out[p, 2 * i + 1] = math.cos(angle)",
                "            angle = p / 10000 ** ((2 * i + 1) / d_model)\n"
                "            out[p, 2 * i + 1] = math.cos(angle)",
            ),
        ],
        "from_one": [("angle = p /", "angle = (p + 1) /")],
        "one_frequency": [("p / 10000 ** (2 * i / d_model)", "p")],
        "not_a_power": [
            (
                "p / 10000 ** (2 * i / d_model)",
                "np.float64(p) / (10000 * (2 * i / d_model))",
            ),
            ("math.sin", "np.sin"),
            ("math.cos", "np.cos"),
        ],
        "precedence": [("(2 * i / d_model)", "(2 * i) / d_model")],
        "sine_twice": [("math.cos", "math.sin")],
        "transposed": [("return out", "return out.T")],
    },
    [
        "def f(n, d):\n"
        "    a = np.outer(np.arange(n), 10000.0 ** (-np.arange(0, d, 2) / d))"
        "\n    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d)",
        "def f(n, d):\n"
        "    c = np.arange(d)\n"
        "    a = np.arange(n)[:, None] * np.exp("
        "-np.log(10000) * (c - c % 2) / d)\n"
        "    return np.sin(a + (c % 2) * np.pi / 2)",
        "def f(n, d): return al.positional_encoding(n, d).astype('f')",
        "def f(n, d):\n"
        "    return [[(math.cos if c % 2 else math.sin)"
        "(p / 10000 ** (c // 2 * 2 / d)) for c in range(d)] "
        "for p in range(n)]",
    ],
)

LEARNERS["check_clipped_bias"] = (
    """
def bias(table, n):
    c = (len(table) - 1) // 2
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            distance = j - i
            distance = min(max(distance, -c), c)
            out[i, j] = table[distance + c]
    return out
""",
    {
        "not_shifted": [("table[distance + c]", "table[distance]")],
        "plain_index": [
            ("            distance = min(max(distance, -c), c)\n", ""),
            ("table[distance + c]", "table[distance]"),
        ],
        "rounded_down": [("distance, -c)", "distance, -len(table) // 2)")],
        "c_fixed": [("(len(table) - 1) // 2", "2")],
        "reversed": [("distance = j - i", "distance = i - j")],
        "not_clipped": [
            ("            distance = min(max(distance, -c), c)\n", "")
        ],
        "symmetric": [("distance = j - i", "distance = abs(j - i)")],
        "shifted_too_far": [
            ("table[distance + c]", "table[distance + c - 1]")
        ],
        "one_row": [("return out", "return out[0]")],
    },
    [
        "def f(t, n):\n"
        "    c, p = len(t) // 2, np.arange(n)\n"
        "    return t[np.clip(p[None] - p[:, None], -c, c) + c]",
        "def f(t, n):\n"
        "    c = len(t) // 2\n"
        "    wide = np.pad(t, n, mode='edge')\n"
        "    return [wide[n + c - i:n + c - i + n] for i in range(n)]",
    ],
)

LEARNERS["check_rope"] = (
    """
def turn(x, positions):
    d = x.shape[-1]
    out = np.zeros(x.shape)
    for i in range(d // 2):
        a, b = i, i + d // 2
        angle = np.array(positions) / 10000 ** (2 * i / d)
        c, s = np.cos(angle), np.sin(angle)
        out[..., a] = x[..., a] * c - x[..., b] * s
        out[..., b] = x[..., a] * s + x[..., b] * c
    return out
""",
    {
        "sign": [("np.sin(angle)", "np.sin(-angle)")],
        "both_plus": [("* c - x", "* c + x")],
        "interleaved": [("a, b = i, i + d // 2", "a, b = 2 * i, 2 * i + 1")],
        "positions_ignored": [
            ("np.array(positions)", "np.arange(x.shape[-2])")
        ],
        "exponent_not_doubled": [("2 * i / d", "i / d")],
        "exponent_doubled": [("2 * i / d", "4 * i / d")],
        "exponent_sign": [("(2 * i / d)", "(-2 * i / d)")],
        "one_frequency": [(" / 10000 ** (2 * i / d)", "")],
        "not_crossed": [
            ("x[..., a] * c - x[..., b] * s", "x[..., a] * c"),
            ("x[..., a] * s + x[..., b] * c", "x[..., b] * s"),
        ],
        "precedence": [("(2 * i / d)", "(2 * i) / d")],
        "sine_alone": [("x[..., b] * s", "s"), ("x[..., a] * s", "s")],
        "overwritten": [("x[..., a] * s", "out[..., a] * s")],
        "from_one": [("np.array(positions)", "(np.array(positions) + 1)")],
        "unchanged": [("return out", "return x")],
        "added": [
            (
                "    return out",
                "    pe = al.positional_encoding(max(positions) + 1, d)\n"
                "    return x + np.array([pe[p] for p in positions])",
            ),
        ],
    },
    [
        "def f(x, p): return al.apply_rope(x, p)",
        "def f(x, p):\n"
        "    h = x.shape[-1] // 2\n"
        "    z = x[..., :h] + 1j * x[..., h:]\n"
        "    z = z * np.exp(1j * np.outer(p, 10000.0 ** "
        "(-np.arange(h) / h)))\n"
        "    return np.concatenate([z.real, z.imag], -1)",
        "def f(x, positions):\n"
        "    d = x.shape[-1]\n"
        "    t = np.asarray(positions)[:, None] * 1e4 ** "
        "(-np.arange(0, d, 2) / d)\n"
        "    t = np.concatenate([t, t], -1)\n"
        "    half = np.concatenate([-x[..., d//2:], x[..., :d//2]], -1)\n"
        "    return (x * np.cos(t) + half * np.sin(t)).astype(np.float32)",
    ],
)

LEARNERS["check_late_scores"] = (
    """
def late(new_q, new_k, cache):
    n = len(cache)
    q = al.apply_rope(new_q, [n])
    k = al.apply_rope(new_k, [n])
    keys = np.vstack([cache, k])
    return np.array([[q[0] @ key for key in keys]])
""",
    {
        "position_zero": [(", [n]", "")],
        "query_at_zero": [("(new_q, [n])", "(new_q)")],
        "key_at_zero": [("(new_k, [n])", "(new_k)")],
        "off_by_one": [("[n]", "[n - 1]")],
        "turned_twice": [
            (
                "np.vstack([cache, k])",
                "al.apply_rope(np.vstack([cache, new_k]))",
            )
        ],
        "new_key_missing": [("np.vstack([cache, k])", "cache")],
        "scaled": [("q[0] @ key for", "q[0] @ key / len(key) ** 0.5 for")],
    },
    [
        "def f(q, k, c):\n"
        "    p = np.full(1, c.shape[0])\n"
        "    keys = np.concatenate([c, al.apply_rope(k, p)])\n"
        "    return np.einsum('id,jd->ij', al.apply_rope(q, p), keys)",
        "def f(q, k, c):\n"
        "    n = len(c)\n"
        "    pad = np.zeros((n, q.shape[1]))\n"
        "    q, k = (al.apply_rope(np.vstack([pad, x]))[n:] for x in (q, k))"
        "\n    return (q @ np.vstack([c, k]).T).tolist()",
    ],
)

LEARNERS["check_causal_alibi"] = (
    """
def alibi(num_heads, n):
    out = np.full((num_heads, n, n), -np.inf)
    for h in range(num_heads):
        slope = 2 ** (-8 * (h + 1) / num_heads)
        for i in range(n):
            for j in range(i + 1):
                out[h, i, j] = -slope * (i - j)
    return out
""",
    {
        "sign": [("= -slope", "= slope")],
        "mask_missing": [
            ("range(i + 1)", "range(n)"),
            ("(i - j)", "abs(i - j)"),
        ],
        "mask_inverted": [
            ("range(i + 1)", "range(i, n)"),
            ("(i - j)", "(j - i)"),
        ],
        "mask_strict": [("range(i + 1)", "range(i)")],
        "mask_one_ahead": [
            ("range(i + 1)", "range(min(i + 2, n))"),
            ("(i - j)", "abs(i - j)"),
        ],
        "not_infinite": [("-np.inf", "-1e9")],
        "slopes_rounded": [
            ("-8 * (h + 1) / num_heads", "-8 // num_heads * (h + 1)")
        ],
        "slopes_divided": [("-8 * (h + 1) / num_heads", "-8 / (h + 1)")],
        "future_zero": [("-np.inf", "0.0")],
        "slopes_from_zero": [("(h + 1)", "h")],
        "slopes_reversed": [("return out", "return out[::-1]")],
        "slopes_halved": [
            ("2 ** (-8 * (h + 1) / num_heads)", "0.5 ** (h + 1)")
        ],
        "one_slope": [("2 ** (-8 * (h + 1) / num_heads)", "1.0")],
        "squared": [("(i - j)", "(i - j) ** 2")],
    },
    [
        "def f(h, n):\n"
        "    return np.where(np.tri(n), al.alibi_bias(h, n), -np.inf)",
        "def f(h, n):\n"
        "    m = np.geomspace(2 ** (-8 / h), 2 ** -8, h)\n"
        "    d = np.subtract.outer(np.arange(n), np.arange(n))\n"
        "    return np.where(d >= 0, np.multiply.outer(-m, d), -np.inf)",
        "def f(h, n):\n"
        "    b = al.alibi_bias(h, n)\n"
        "    b[:, ~al.create_causal_mask(n)] = -np.inf\n"
        "    return b.astype(np.float32).tolist()",
    ],
)

WAYS = [
    (
        "check_late_scores",
        "off_by_one",
        LEARNERS["check_late_scores"][0].replace("[n]", "[n + 1]"),
    ),
]
