"""Answers of chapter 4, biases of the scores: see learners_intuition."""

RIGHT = {
    "clipped_bias": [
        """
def f(t, n):
    c, p = (len(t) - 1) // 2, np.arange(n)
    return t[np.minimum(np.maximum(p[None] - p[:, None] + c, 0), 2 * c)]
""",
        """
def f(t, n):
    c = len(t) // 2
    wide = np.pad(t, n, mode='edge')
    return [wide[n + c - i:n + c - i + n] for i in range(n)]
""",
    ],
    "causal_alibi": [
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
        """
def f(h, n):
    m = np.geomspace(2 ** (-8 / h), 2 ** -8, h)
    d = np.subtract.outer(np.arange(n), np.arange(n))
    return np.where(d >= 0, np.multiply.outer(-m, d), -np.inf)
""",
        """
def f(h, n):
    b = al.alibi_bias(h, n)
    b[:, ~al.create_causal_mask(n)] = -np.inf
    return b.astype(np.float32).tolist()
""",
    ],
}


def alibi(
    slope="2 ** (-8 * (h + 1) / num_heads)", seen="j <= i", future="-np.inf"
):
    """Return ALiBi in a loop, with this slope and this mask."""
    return f"""
def alibi(num_heads, n):
    out = np.zeros((num_heads, n, n))
    for h in range(num_heads):
        for i in range(n):
            for j in range(n):
                out[h, i, j] = -({slope}) * abs(j - i)
                if not ({seen}):
                    out[h, i, j] = {future}
    return out
"""


def clipped(index, c="len(t) // 2"):
    """Return the bias, with this index, made from distances r."""
    return f"""
def bias(t, n):
    c, r = {c}, np.arange(n) - np.arange(n)[:, None]
    return t[{index}]
"""


WRONG = {
    "clipped_bias": {
        "rule": [
            """
def bias(table, n):
    c = (len(table) - 1) // 2
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = table[min(max(j - i, -c), c) + c]
    return out
"""
        ],
        "not_shifted": [
            clipped("np.clip(r, -c, c)"),
            clipped("np.clip(r, -c, c) % len(t)"),
        ],
        "plain_index": [clipped("r"), clipped("-r")],
        "rounded_down": [
            clipped("np.clip(r, -c // 2, c // 2) + c // 2", "len(t)")
        ],
        "c_fixed": [clipped("2 + np.clip(r, -2, 2)")],
        "c_not_halved": [clipped("np.clip(r, -c, c) + c", "len(t)")],
        "float_index": [clipped("np.clip(r, -c, c) + c", "(len(t) - 1) / 2")],
        "reversed": [clipped("np.clip(r.T, -c, c) + c")],
        "not_clipped": [
            clipped("r + c"),
            clipped("np.clip(r + c, 0, len(t))"),
        ],
        "max_for_maximum": [
            clipped("np.max(np.min(r, c), -c) + c"),
            clipped("np.minimum(np.max(r, -c), c) + c"),
            clipped("max(-c, min(r, c)) + c"),
        ],
        "clipped_after_shift": [clipped("np.clip(r + c, -c, c)")],
        "index_returned": [
            """
def f(table, n):
    c = len(table) // 2
    r = np.arange(n) - np.arange(n)[:, None]
    return np.clip(r, -c, c) + c
"""
        ],
        "return_in_loop": [
            """
def f(table, n):
    c = len(table) // 2
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = table[min(max(j - i, -c), c) + c]
        return out
"""
        ],
        "symmetric": [clipped("np.minimum(np.abs(r), c) + c")],
        "shifted_too_far": [
            clipped("np.clip(r, -c, c) + c - 1"),
            clipped("np.clip(r, -c, c) + c", "len(t) // 2 + 1"),
        ],
        "one_row": [clipped("np.clip(np.arange(n), -c, c) + c")],
    },
    "causal_alibi": {
        "sign": [alibi("-(2 ** (-8 * (h + 1) / num_heads))")],
        "mask_missing": ["lambda h, n: al.alibi_bias(h, n)"],
        "mask_inverted": [
            alibi(seen="j > i"),
            "lambda h, n: np.where(np.triu(np.ones((n, n))), "
            "al.alibi_bias(h, n), -np.inf)",
        ],
        "mask_strict": [alibi(seen="j < i")],
        "mask_one_ahead": [alibi(seen="j <= i + 1")],
        "mask_diagonal": [alibi(seen="abs(j - i) <= 0")],
        "mask_times_infinity": [
            "lambda h, n: al.alibi_bias(h, n) - (1 - np.tri(n)) * np.inf"
        ],
        "not_infinite": [
            alibi(future="-1e9"),
            "lambda h, n: al.alibi_bias(h, n) - (1 - np.tri(n)) * 1e6",
        ],
        "future_zero": ["lambda h, n: al.alibi_bias(h, n) * np.tri(n)"],
        "slopes_from_zero": [alibi("2 ** (-8 * h / num_heads)")],
        "slopes_reversed": [alibi("2 ** (-8 * (num_heads - h) / num_heads)")],
        "slopes_divided": [alibi("2 ** (-8 / (h + 1))")],
        "slopes_halved": [alibi("1 / 2 ** (h + 1)")],
        "slopes_rounded": [alibi("2 ** (-8 // num_heads * (h + 1))")],
        "slopes_grow": [alibi("2 ** (8 * (h + 1) / num_heads)")],
        "sixteen": [alibi("2 ** (-16 * (h + 1) / num_heads)")],
        "eight_missing": [alibi("2 ** (-(h + 1) / num_heads)")],
        "precedence": [alibi("2 ** -8 * (h + 1) / num_heads")],
        "integer_power": [
            """
def f(num_heads, n):
    slopes = 2 ** (-8 * np.arange(1, num_heads + 1) // num_heads)
    return -slopes[:, None, None] * np.tri(n)
"""
        ],
        "one_slope": [alibi("2 ** (-8 / num_heads)"), alibi("1")],
        "slopes_linear": [
            alibi("np.linspace(2 ** (-8 / num_heads), 2**-8, num_heads)[h]")
        ],
        "slopes_a_list": [
            """
def causal_alibi(num_heads, n):
    slopes = [2 ** (-8 * i / num_heads) for i in range(1, num_heads + 1)]
    distance = abs(np.arange(n) - np.arange(n)[:, None])
    bias = -slopes[:, None, None] * distance
    return np.where(al.create_causal_mask(n), bias, -np.inf)
"""
        ],
        "base_e": [alibi("math.exp(-8 * (h + 1) / num_heads)")],
        "caret": [alibi("2 ^ (-8 * (h + 1) / num_heads)")],
        "not_divided": [alibi("2 ** (-8 * (h + 1))")],
        "not_a_distance": [alibi().replace("abs(j - i)", "j")],
        "squared": [alibi().replace("abs(j - i)", "(j - i) ** 2")],
    },
}
