"""What learners write in chapter 7 of the online softmax."""

from wrong_answers import wrong

RIGHT = {
    "swapped_traffic": [
        """
def f(n, d, columns):
    read = written = 0
    for start in range(0, n, columns):
        read += 2 * d * min(columns, n - start)
        for _ in range(n):
            read += d + d + 2
            written += d + 2
    return read, written
""",
        """
def f(n, d, columns):
    state = n * (d + 2) * math.ceil(n / columns)
    return state + n * d * (2 + math.ceil(n / columns)), state
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
}

TRAFFIC = """
def f(n, d, columns):
    c = <3>
    return <1>, <2>
"""
MERGE = """
def f(p, s, x, q, t, y):
    n = <3>
    a, b = np.exp(p - n), np.exp(q - n)
    return n, <1>, <2>
"""
FACTORS = """
def f(p, s, x, q, t, y):
    n = max(p, q)
    a, b = <1>, <2>
    return n, a * s + b * t, a * x + b * y
"""

WRONG = {
    "swapped_traffic": wrong(
        TRAFFIC.replace("<3>", "math.ceil(n / columns)"),
        """
keys_each_time c * n * (4 * d + 2) ~ c * n * (d + 2)
keys_only n * d + c * n * (2 * d + 2) ~ c * n * (d + 2)
keys_missing c * n * (2 * d + 2) ~ c * n * (d + 2)
queries_once 3 * n * d + c * n * (d + 2) ~ c * n * (d + 2)
queries_missing 2 * n * d + c * n * (d + 2) ~ c * n * (d + 2)
state_not_read 2 * n * d + c * n * d ~ c * n * (d + 2)
state_once 2 * n * d + c * n * (2 * d + 2) ~ n * (d + 2)
sums_forgotten 2 * n * d + 2 * c * n * d ~ c * n * d
scores_counted 2 * n * d + c * n * (2 * d + 2) + n**2 ~ c * n * (d + 2) + n**2
bytes 4 * (2 * n * d + c * n * (2 * d + 2)) ~ 4 * c * n * (d + 2)
order c * n * (d + 2) ~ 2 * n * d + c * n * (2 * d + 2)
""",
        TRAFFIC,
        """
not_rounded_up 2 * n * d + c * n * (2 * d + 2) ~ c * n * (d + 2) ~ n // columns
not_rounded_up 2 * n * d + c * n * (2 * d + 2) ~ c * n * (d + 2) ~ n / columns
one_tile_too_many 2*n*d + c*n*(2*d + 2) ~ c * n * (d + 2) ~ n // columns + 1
""",
    ),
    "merge_states": wrong(
        MERGE.replace("<3>", "max(p, q)"),
        """
not_shrunk s + t ~ x + y
only_totals a * s + b * t ~ x + y
only_outputs s + t ~ a * x + b * y
only_first a * s + t ~ a * x + y
only_second s + b * t ~ x + b * y
factors_swapped b * s + a * t ~ b * x + a * y
divided a * s + b * t ~ (a * x + b * y) / (a * s + b * t)
averaged a * s + b * t ~ np.mean([x / s, y / t], axis=0)
weighted_again a * s + b * t ~ s * a * x + t * b * y
weighted_again (z := a * s + b * t) ~ (a * s * x + b * t * y) / z
order a * x + b * y ~ a * s + b * t
""",
        MERGE,
        """
smaller a * s + b * t ~ a * x + b * y ~ min(p, q)
max_of_two a * s + b * t ~ a * x + b * y ~ np.max(p, q)
""",
        FACTORS,
        """
wrong_way np.exp(n - p) ~ np.exp(n - q)
no_maximum np.exp(p) ~ np.exp(q)
from_one_half np.exp(p - q) ~ 1
""",
        other_half_dropped="lambda p, s, x, q, t, y: "
        "(p, s, x) if p > q else (q, t, y)",
    ),
}
