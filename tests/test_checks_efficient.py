"""The checks of chapter 7 name the mistake that was planted, no other."""

import numpy as np
import pytest

import attnlib as al
from attnlib import checks


def phi(x):
    return np.where(x > 0, x + 1, np.exp(x))


def add_by_list(peak, total, score):
    scores = np.array([peak, score])
    new = scores.max()
    return new, float(np.array([total, 1.0]) @ np.exp(scores - new))


def add_by_cases(peak, total, score):
    if score <= peak:
        return peak, total + np.exp(score - peak)
    return score, total * np.exp(peak - score) + 1


def merge_by_cases(p, s, x, q, t, y):
    if p < q:
        return merge_by_cases(q, t, y, p, s, x)
    return p, s + t * np.exp(q - p), x + y * np.exp(q - p)


def window_by_mask(q, k, v, window):
    mask = al.create_window_mask(len(q), window=window)
    return al.scaled_dot_product_attention(q, k, v, mask)[0]


def window_by_lists(q, k, v, window):
    rows = []
    for i in range(len(q)):
        some = range(max(0, i + 1 - window), i + 1)
        powers = [np.exp(q[i] @ k[j] / q.shape[1] ** 0.5) for j in some]
        rows.append(
            sum(p * v[j] for p, j in zip(powers, some, strict=True))
            / sum(powers)
        )
    return rows


def linear_by_library(q, k, v):
    return al.linear_attention(q, k, v, causal=True)


def linear_by_sums(q, k, v):
    state = np.cumsum(phi(k)[:, :, None] * v[:, None], axis=0)
    total = np.cumsum(phi(k), axis=0)
    mixed = np.einsum("nd,nde->ne", phi(q), state)
    return mixed / (phi(q) * total).sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("check", "function"),
    [
        (checks.check_add_key, add_by_list),
        (checks.check_add_key, add_by_cases),
        (checks.check_merge_states, merge_by_cases),
        (checks.check_window_attention, window_by_mask),
        (checks.check_window_attention, window_by_lists),
        (checks.check_linear_causal, linear_by_library),
        (checks.check_linear_causal, linear_by_sums),
        (checks.check_cache_bytes, lambda *sizes: 2 * np.prod(sizes)),
    ],
)  # fmt: skip
def test_right_in_any_style(check, function):
    assert check(function).status == "right"


def add(line):
    """Make a wrong `add_key` of the expression that returns the sum."""
    scope = {"np": np}
    exec(
        "def add_key(peak, total, score):\n"
        "    new = max(peak, score)\n"
        f"    return {line}\n",
        scope,
    )
    return scope["add_key"]


def merge(total, output, peak="new"):
    scope = {"np": np}
    exec(
        "def merge_states(pa, ta, oa, pb, tb, ob):\n"
        "    new = max(pa, pb)\n"
        "    a, b = np.exp(pa - new), np.exp(pb - new)\n"
        f"    total = {total}\n"
        f"    return {peak}, total, {output}\n",
        scope,
    )
    return scope["merge_states"]


def window(keys, scale="/ np.sqrt(q.shape[1])"):
    scope = {"np": np, "al": al}
    exec(
        "def window_attention(q, k, v, window):\n"
        "    output = np.zeros((len(q), v.shape[1]))\n"
        "    for i in range(len(q)):\n"
        f"        keys = slice({keys})\n"
        "        if len(k[keys]):\n"
        f"            w = al.softmax(k[keys] @ q[i] {scale})\n"
        "            output[i] = w @ v[keys]\n"
        "    return output\n",
        scope,
    )
    return scope["window_attention"]


def linear(update, read, fk="phi(k[i])", fq="phi(q[i])"):
    scope = {"np": np, "phi": phi}
    exec(
        "def linear_causal(q, k, v):\n"
        "    state = np.zeros((k.shape[1], v.shape[1]))\n"
        "    total, output = np.zeros(k.shape[1]), []\n"
        "    for i in range(len(q)):\n"
        f"        f, g = {fq}, {fk}\n"
        f"        for step in {update}:\n"
        "            if step == 'add':\n"
        "                state = state + np.outer(g, v[i])\n"
        "                total = total + g\n"
        "            else:\n"
        f"                output.append({read})\n"
        "    return np.array(output)\n",
        scope,
    )
    return scope["linear_causal"]


def linear_full(q, k, v):
    return al.linear_attention(q, k, v)


def soft(q, k, v):
    mask = al.create_causal_mask(len(q))
    return al.scaled_dot_product_attention(q, k, v, mask)[0]


ADD = {
    "not_shrunk": "new, total + np.exp(score - new)",
    "wrong_way": "new, total * np.exp(new - peak) + np.exp(score - new)",
    "new_from_old_maximum":
        "new, total * np.exp(peak - new) + np.exp(score - peak)",
    "shrunk_together":
        "new, (total + np.exp(score - new)) * np.exp(peak - new)",
    "adds_one": "new, total / np.exp(new - peak) + 1",
    "peak_kept": "peak, np.exp(score - peak) + total",
    "peak_replaced": "score, 1 + total * np.exp(peak - score)",
    "no_maximum": "new, total + np.exp(score)",
}  # fmt: skip
MERGE = {
    "not_shrunk": ("ta + tb", "oa + ob"),
    "only_totals": ("a * ta + b * tb", "oa + ob"),
    "only_first": ("a * ta + tb", "a * oa + ob"),
    "only_second": ("ta + b * tb", "oa + b * ob"),
    "factors_swapped": ("b * ta + a * tb", "b * oa + a * ob"),
    "wrong_way": ("ta / a + tb / b", "oa / a + ob / b"),
    "divided": ("a * ta + b * tb", "(a * oa + b * ob) / total"),
    "averaged": ("a * ta + b * tb", "(oa / ta + ob / tb) / 2"),
}
WINDOW = {
    "one_too_many": "max(i - window, 0), i + 1",
    "one_too_few": "max(i - window + 2, 0), i + 1",
    "own_missing": "max(i - window + 1, 0), i",
    "both_sides": "max(i - window + 1, 0), i + window",
    "no_window": "0, i + 1",
    "first_keys": "0, min(i + 1, window)",
}
READ = "f @ state / (f @ total)"
LINEAR = {
    "reads_first": linear("['read', 'add']", READ),
    "not_divided": linear("['add', 'read']", "f @ state"),
    "divided_by_count": linear("['add', 'read']", "f @ state / (i + 1)"),
    "not_causal": linear_full,
    "no_features": linear("['add', 'read']", READ, "k[i]", "q[i]"),
    "query_features_missing": linear("['add', 'read']", READ, fq="q[i]"),
    "key_features_missing": linear("['add', 'read']", READ, fk="k[i]"),
    "softmax": soft,
}
CACHE = {
    "keys_only": lambda n, h, d, t, b: n * h * d * t * b,
    "three": lambda n, h, d, t, b: n * 3 * h * d * t * b,
    "layers_forgotten": lambda n, h, d, t, b: 2 * h * d * t * b,
    "squared": lambda n, h, d, t, b: 2 * n * h * d * t**2 * b,
    "numbers_only": lambda n, h, d, t, b: 2 * n * h * d * t,
    "heads_forgotten": lambda n, h, d, t, b: 2 * n * d * t * b,
    "bits": lambda n, h, d, t, b: 8 * 2 * n * h * d * t * b,
}
PLANTED = [
    *[("add_key", name, add(line)) for name, line in ADD.items()],
    *[("merge_states", name, merge(*x)) for name, x in MERGE.items()],
    *[("window_attention", name, window(x)) for name, x in WINDOW.items()],
    (
        "window_attention",
        "scale_missing",
        window("max(i - window + 1, 0), i + 1", ""),
    ),
    *[("linear_causal", name, f) for name, f in LINEAR.items()],
    *[("cache_bytes", name, f) for name, f in CACHE.items()],
]


@pytest.mark.filterwarnings("ignore")  # mistakes overflow
@pytest.mark.parametrize(("name", "mistake", "function"), PLANTED)
def test_planted_mistake_is_named(name, mistake, function):
    report = getattr(checks, f"check_{name}")(function)
    assert report.status == "wrong", report
    assert report.mistake == mistake, report


def test_every_mistake_is_planted():
    planted = {(name, mistake) for name, mistake, _ in PLANTED}
    names = {name for name, _ in planted}
    assert planted == {
        (name, mistake)
        for name in names
        for mistake in getattr(checks, f"check_{name}").mistakes
    }


@pytest.mark.parametrize("name", sorted({n for n, _, _ in PLANTED}))
@pytest.mark.parametrize("value", [None, "text", [], [[1.0], 2.0], np.ones(7)])
def test_any_result_gets_an_answer(name, value):
    report = getattr(checks, f"check_{name}")(lambda *a: value)
    assert report.status in ("wrong", "not attempted")
