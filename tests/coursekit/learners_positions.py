"""Answers of chapter 4, sines and turning: see learners_intuition."""

RIGHT = {
    "positional_encoding": [
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
        """
def f(n, d):
    c = np.arange(d)
    a = np.arange(n)[:, None] * np.exp(-np.log(10000) * (c - c % 2) / d)
    return np.sin(a + (c % 2) * np.pi / 2)
""",
        """
def f(n, d):
    a = np.outer(np.arange(n), 10000.0 ** (-np.arange(0, d, 2) / d))
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d).astype('f')
""",
        """
def f(n, d):
    return [[(math.cos if c % 2 else math.sin)(p / 10000 ** (c // 2 * 2 / d))
             for c in range(d)] for p in range(n)]
""",
    ],
    "rope": [
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
        """
def f(x, p):
    h = x.shape[-1] // 2
    z = x[..., :h] + 1j * x[..., h:]
    z = z * np.exp(1j * np.outer(p, 10000.0 ** (-np.arange(h) / h)))
    return np.concatenate([z.real, z.imag], -1)
""",
        """
def f(x, positions):
    d = x.shape[-1]
    t = np.asarray(positions)[:, None] * 1e4 ** (-np.arange(0, d, 2) / d)
    t = np.concatenate([t, t], -1)
    half = np.concatenate([-x[..., d//2:], x[..., :d//2]], -1)
    return (x * np.cos(t) + half * np.sin(t)).astype(np.float32)
""",
    ],
    "late_scores": [
        """
def f(q, k, c):
    p = np.full(1, c.shape[0])
    keys = np.vstack([c, al.apply_rope(k, p)])
    return np.einsum('id,jd->ij', al.apply_rope(q, p), keys)
""",
        """
def f(q, k, c):
    n = len(c)
    pad = np.zeros((n, q.shape[1]))
    q, k = (al.apply_rope(np.vstack([pad, x]))[n:] for x in (q, k))
    return [[float(q[0] @ key) for key in [*c, *k]]]
""",
    ],
}


def encoding(angle, sine="math.sin", cosine="math.cos"):
    """Return the encoding in loops, with this angle."""
    return f"""
def encode(n, d):
    out = np.zeros((n, d))
    for p in range(n):
        for i in range(d // 2):
            angle = {angle}
            out[p, 2 * i] = {sine}(angle)
            out[p, 2 * i + 1] = {cosine}(angle)
    return out
"""


def rope(
    angle="p / 10000 ** (2 * i / d)", a="a * c - b * s", b="a * s + b * c"
):
    """Return RoPE in a loop over pairs, with this angle and these halves."""
    return f"""
def turn(x, positions):
    p, d = np.array(positions), x.shape[-1]
    out = np.zeros(x.shape)
    for i in range(d // 2):
        t = {angle}
        c, s = np.cos(t), np.sin(t)
        a, b = x[..., i], x[..., i + d // 2]
        out[..., i] = {a}
        out[..., i + d // 2] = {b}
    return out
"""


def turned(q="[n]", k="[n]", keys="np.vstack([c, k])"):
    """Return the late scores, with these positions and these keys."""
    return f"""
def late(q, new, c):
    n = len(c)
    q, k = al.apply_rope(q, {q}), al.apply_rope(new, {k})
    return q @ {keys}.T
"""


WRONG = {
    "positional_encoding": {
        "swapped": [
            encoding("p / 10000 ** (2 * i / d)", "math.cos", "math.sin")
        ],
        "halves": [
            """
def f(n, d):
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    return np.hstack([np.sin(a), np.cos(a)])
"""
        ],
        "exponent_not_doubled": [encoding("p / 10000 ** (i / d)")],
        "exponent_doubled": [encoding("p / 10000 ** (2 * i / (d // 2))")],
        "exponent_sign": [encoding("p * 10000 ** (2 * i / d)")],
        "exponent_odd": [encoding("p / 10000 ** ((2 * i + 1) / d)")],
        "width_missing": [encoding("p * 1e4 ** (-2 * i)")],
        "return_in_loop": [
            encoding("p / 10000 ** (2 * i / d)").replace(
                "    ret", "        ret"
            ),
            encoding("p / 10000 ** (2 * i / d)").replace(
                "    ret", "            ret"
            ),
        ],
        "exponent_ends_at_one": [
            encoding("p / 10000 ** (i / max(d // 2 - 1, 1))"),
            encoding("p / 10000 ** (np.divide(2 * i, d - 2))"),
        ],
        "by_column": [
            """
def f(n, d):
    out = np.zeros((n, d))
    for p in range(n):
        for i in range(d):
            angle = p / 10000 ** (2 * i / d)
            out[p, i] = np.cos(angle) if i % 2 else np.sin(angle)
    return out
""",
            """
def f(n, d):
    a = np.outer(np.arange(n), 10000 ** (-np.arange(d) / d))
    a[:, ::2], a[:, 1::2] = np.sin(a[:, ::2]), np.cos(a[:, 1::2])
    return a
""",
            """
def f(n, d_model):
    encoding = np.empty((n, d_model))
    i = np.arange(d_model)
    angles = np.arange(n)[:, None] / 10000 ** (2 * i / d_model)
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding
""",
        ],
        "from_one": [encoding("(p + 1) / 10000 ** (2 * i / d)")],
        "row_of_positions": [
            """
def positional_encoding(n, d_model):
    encoding = np.empty((n, d_model))
    angle = np.arange(n) / 10000 ** (np.arange(0, d_model, 2) / d_model)
    encoding[:, 0::2] = np.sin(angle)
    encoding[:, 1::2] = np.cos(angle)
    return encoding
"""
        ],
        "one_frequency": [
            encoding("p"),
            encoding("p / 10000 ** (2 * i // d)"),
        ],
        "base": [encoding("p / 1000 ** (2 * i / d)")],
        "caret": [
            encoding("p / 10000 ^ (2 * i / d)"),
            encoding("p / (10000 ^ (2 * np.arange(3) / d))"),
        ],
        "not_a_power": [
            encoding("p / (10000 * (2 * i / d))"),
            encoding(
                "p / (10000 * np.float64(2 * i / d))", "np.sin", "np.cos"
            ),
            encoding("p / 10000 * (2 * i / d)"),
        ],
        "precedence": [
            encoding("p / 10000 ** (2 * i) / d"),
            encoding("p / (10000 ** (2 * i) / d)"),
        ],
        "sine_twice": [
            encoding("p / 10000 ** (2 * i / d)", "math.sin", "math.sin")
        ],
        "transposed": ["lambda n, d: al.positional_encoding(n, d).T"],
    },
    "rope": {
        "sign": [rope(a="a * c + b * s", b="b * c - a * s")],
        "both_plus": [rope(a="a * c + b * s")],
        "both_minus": [rope(b="b * c - a * s")],
        "interleaved": ["lambda x, p: al.apply_rope(x, p, interleaved=True)"],
        "layouts_mixed": [
            """
def f(x, p):
    d = x.shape[-1]
    t = np.outer(p, 10000.0 ** (-np.arange(0, d, 2) / d))
    a, b, c, s = x[..., ::2], x[..., 1::2], np.cos(t), np.sin(t)
    return np.concatenate([a * c - b * s, b * c + a * s], axis=-1)
"""
        ],
        "positions_ignored": ["lambda x, p: al.apply_rope(x)"],
        "exponent_not_doubled": [rope("p / 10000 ** (i / d)")],
        "exponent_doubled": [rope("p / 10000 ** (4 * i / d)")],
        "exponent_sign": [rope("p * 10000 ** (2 * i / d)")],
        "by_column": [
            """
def rope(x, positions):
    d = x.shape[-1]
    speed = 10000.0 ** (-np.arange(d) / d)
    angle = np.array(positions)[:, None] * speed
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    turned = [
        first * np.cos(angle) - second * np.sin(angle),
        second * np.cos(angle) + first * np.sin(angle),
    ]
    return np.concatenate(turned, axis=-1)
"""
        ],
        "base": [rope("p / 100_000 ** (2 * i / d)")],
        "caret": [rope("p / (10000 ^ (2 * np.arange(d) / d))")],
        "not_a_power": [
            rope("p / np.float64(10000 * 2 * i / d)"),
            rope("p * 10000 * -(2 * i / d)"),
        ],
        "precedence": [
            rope("p / 10000 ** (2 * i) / d"),
            rope("p / (10000 ** (2 * i) / d)"),
        ],
        "one_frequency": [rope("p")],
        "exponent_odd": [rope("p / 10000 ** ((2 * i + 1) / d)")],
        "width_missing": [rope("p / 10000.0 ** (2 * i)")],
        "rounded_down": [rope("p * 10000.0 ** (-2 * i // d)")],
        "not_crossed": [
            rope(a="a * c - a * s", b="b * c + b * s"),
            rope(a="a * c", b="b * s"),
        ],
        "sine_alone": [rope(a="a * c - s", b="b * c + s")],
        "overwritten": [rope(b="out[..., i] * s + b * c")],
        "from_one": ["lambda x, p: al.apply_rope(x, p + 1)"],
        "unchanged": ["lambda x, p: x.copy()"],
        "added": [
            "lambda x, p: x + np.array([al.positional_encoding(99, "
            "x.shape[-1])[i] for i in p])"
        ],
    },
    "late_scores": {
        "position_zero": [turned("None", "None")],
        "query_at_zero": [turned(q="[0]")],
        "key_at_zero": [turned(k="[0]")],
        "off_by_one": [
            turned("[n - 1]", "[n - 1]"),
            turned("[n + 1]", "[n + 1]"),
        ],
        "position_fixed": [turned("[len(q)]", "[len(q)]")],
        "width": [turned("[len(q[0])]", "[len(q[0])]")],
        "not_a_list": [turned("n", "n")],
        "many_positions": [turned("np.arange(n + 1)")],
        "turned_twice": [
            turned(keys="al.apply_rope(np.vstack([c, new]), range(n + 1))"),
            turned(keys="al.apply_rope(np.vstack([c, k]))"),
        ],
        "new_key_missing": [turned(keys="c")],
        "new_key_first": [turned(keys="np.vstack([k, c])")],
        "scaled": [turned(keys="(np.vstack([c, k]) / np.sqrt(len(q.T)))")],
        "softmax": [
            turned().replace("return ", "return al.softmax(") + "    )"
        ],
    },
}
