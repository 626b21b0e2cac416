"""What learners write in chapter 7 of the online softmax."""

from wrong_answers import wrong

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
}

ADD = "lambda m, t, s: ((n := <2>), <1>)"
MAX = ADD.replace("<2>", "max(m, s)")
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
    "add_key": wrong(
        MAX,
        """
not_shrunk t + np.exp(s - n)
wrong_way t * np.exp(n - m) + np.exp(s - n)
wrong_way t / np.exp(m - n) + np.exp(s - n)
shrunk_by_score t * np.exp(m - s) + np.exp(s - n)
new_wrong_way t * np.exp(m - n) + np.exp(n - s)
new_from_old_maximum t * np.exp(m - n) + np.exp(s - m)
new_key_missing t * np.exp(m - n)
old_sum_missing np.exp(m - n) + np.exp(s - n)
factor_added t + np.exp(m - n) + np.exp(s - n)
shrunk_together (np.exp(s - n) + t) * np.exp(m - n)
adds_one t * np.exp(m - n) + 1
no_exponential t * np.exp(m - n) + s
no_maximum t + np.exp(s)
no_maximum t * np.exp(m) + np.exp(s)
no_maximum t * np.exp(m - n) + np.exp(s)
""",
        ADD,
        """
smaller t * np.exp(m - n) + np.exp(s - n) ~ min(s, m)
total_compared t * np.exp(m - n) + np.exp(s - n) ~ max([m, t, s])
max_of_two t * np.exp(m - n) + np.exp(s - n) ~ np.max(m, s)
peak_kept t + np.exp(s - n) ~ m
peak_replaced t * np.exp(m - s) + 1 ~ s
""",
        old_peak_returned="""
def f(peak, total, score):
    new = max(peak, score)
    total *= np.exp(peak - new)
    total += np.exp(score - new)
    return peak, total
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
