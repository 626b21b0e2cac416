"""Checks of chapter 7: the online softmax, windows, linear, the cache."""

import numpy as np

import attnlib.checks.mistakes as say
from attnlib.checks.engine import Check, Mistake, numbers
from attnlib.checks.variants import attend
from attnlib.masks import create_window_mask

__all__ = [
    "check_add_key",
    "check_cache_bytes",
    "check_linear_causal",
    "check_merge_states",
    "check_window_attention",
]

exp = np.exp


def _add(peak, total, score):
    new = max(peak, score)
    return new, exp(peak - new) * total + exp(score - new)


check_add_key = Check(
    "add_key(peak, total, score)",
    task="return the new maximum, and the sum of the exponentials measured "
    "from it.",
    verified="a score above the maximum, one below it, the very first key, "
    "and a score of 1000, which does not overflow.",
    reference=_add,
    parts="peak total",
    cases=[
        (0.0, 1.0, 2.0),
        (2.0, 1.5, 1.0),
        (1.0, 2.5, 3.0),
        (-np.inf, 0.0, 3.0),
        (0.0, 1.0, 1000.0),
    ],
    mistakes={
        "not_shrunk": Mistake(
            "The old sum is not brought to the new maximum. Its terms were "
            "exp(s - old); multiply it by exp(old - new).",
            lambda m, t, s: (max(m, s), t + exp(s - max(m, s))),
        ),
        "wrong_way": Mistake(
            "The old sum is multiplied by exp(new - old). It must become "
            "smaller: exp(old - new).",
            lambda m, t, s: (
                max(m, s),
                exp(max(m, s) - m) * t + exp(s - max(m, s)),
            ),
        ),
        "new_from_old_maximum": Mistake(
            "The new key is measured from the old maximum. Both parts of the "
            "sum belong to the new one: exp(score - new).",
            lambda m, t, s: (
                max(m, s),
                exp(m - max(m, s)) * t + exp(s - m),
            ),
        ),
        "shrunk_together": Mistake(
            "The new key is added before the sum is multiplied, so that it "
            "shrinks too. Multiply the old sum alone.",
            lambda m, t, s: (
                max(m, s),
                exp(m - max(m, s)) * (t + exp(s - max(m, s))),
            ),
        ),
        "adds_one": Mistake(
            "The new key always adds 1. It does so only if it is the new "
            "maximum; in general it adds exp(score - new).",
            lambda m, t, s: (max(m, s), exp(m - max(m, s)) * t + 1),
        ),
        "peak_kept": Mistake(
            "The maximum is never raised: it must become the larger one of "
            "`peak` and `score`.",
            lambda m, t, s: (m, t + exp(s - m)),
            lambda m, t, s: (m, exp(m - m) * t + exp(s - m)),
        ),
        "peak_replaced": Mistake(
            "The new score always becomes the maximum, even if it is "
            "smaller. Take the larger one of the two.",
            lambda m, t, s: (s, exp(m - s) * t + 1),
        ),
        "no_maximum": Mistake(
            "The maximum is not subtracted from the new score, so that a "
            "large one overflows, and the two parts of the sum do not fit.",
            lambda m, t, s: (max(m, s), t + exp(s)),
            lambda m, t, s: (max(m, s), exp(m - max(m, s)) * t + exp(s)),
        ),
    },
)


def _merge(a=None, b=None, finish=lambda total, output: (total, output)):
    """Return a merge of two states with the factors replaced."""
    a = a or (lambda p, q: exp(p - max(p, q)))
    b = b or (lambda p, q: exp(q - max(p, q)))

    def function(peak_a, total_a, output_a, peak_b, total_b, output_b):
        f, g = a(peak_a, peak_b), b(peak_a, peak_b)
        total = f * total_a + g * total_b
        output = f * output_a + g * output_b
        return max(peak_a, peak_b), *finish(total, output)

    return function


def _averaged(p, s, x, q, t, y):
    new, total, _ = _merge()(p, s, x, q, t, y)
    return new, total, (x / s + y / t) / 2


def _only_totals(p, s, x, q, t, y):
    new, total, _ = _merge()(p, s, x, q, t, y)
    return new, total, x + y


def _one(p, q):
    return 1.0


check_merge_states = Check(
    "merge_states(peak_a, total_a, output_a, peak_b, total_b, output_b)",
    task="return the maximum, the sum and the output sum (not divided yet) "
    "of all keys.",
    verified="either half with the larger maximum, both with the same, and "
    "halves that are 1000 apart.",
    reference=_merge(),
    parts="peak total output",
    cases=[
        (0.0, 1.0, np.array([1.0, 2.0]), 2.0, 1.5, np.array([4.0, 0.0])),
        (3.0, 2.5, np.array([0.5, -1.0]), 1.0, 2.0, np.array([3.0, 1.0])),
        (1.0, 2.0, np.array([1.0, 3.0]), 1.0, 1.5, np.array([2.0, 2.0])),
        (0.0, 1.0, np.array([5.0]), 1000.0, 2.0, np.array([7.0])),
    ],
    mistakes={
        "not_shrunk": Mistake(
            "Sums with different maxima are added. Bring both to the new one "
            "first: multiply each state by exp(its peak - new).",
            _merge(_one, _one),
        ),
        "only_totals": Mistake(
            "The sums are brought to the new maximum, the output sums are "
            "not. They were measured from the old maxima as well.",
            _only_totals,
        ),
        "only_first": Mistake(
            "Only the first state is multiplied. If the second one has the "
            "smaller maximum, it needs its factor too.",
            _merge(b=_one),
        ),
        "only_second": Mistake(
            "Only the second state is multiplied. If the first one has the "
            "smaller maximum, it needs its factor too.",
            _merge(a=_one),
        ),
        "factors_swapped": Mistake(
            "The two factors are swapped: a state is multiplied by exp(its "
            "*own* peak - new).",
            _merge(
                lambda p, q: exp(q - max(p, q)),
                lambda p, q: exp(p - max(p, q)),
            ),
        ),
        "wrong_way": Mistake(
            "The states are multiplied by exp(new - peak), which makes them "
            "larger. It is exp(peak - new).",
            _merge(
                lambda p, q: exp(max(p, q) - p),
                lambda p, q: exp(max(p, q) - q),
            ),
        ),
        "divided": Mistake(
            "The output is divided by the sum already. Leave it undivided, "
            "so that the result can be merged again.",
            _merge(finish=lambda total, output: (total, output / total)),
        ),
        "averaged": Mistake(
            "The two divided outputs are averaged. That counts both halves "
            "equally, whatever their scores. Add the undivided sums.",
            _averaged,
        ),
    },
)


def _window(first, last=lambda i, w: i + 1, scale=True):
    """Return attention in which query i sees the keys first to last."""

    def function(q, k, v, window):
        rows, n = np.arange(len(q))[:, None], np.arange(len(k))
        seen = (n >= first(rows, window)) & (n < last(rows, window))
        factor = {} if scale else {"factor": lambda q, k: 1.0}
        return attend(q, k, v, seen, **factor)[0]

    return function


def _window_of(q, k, v, window):
    return attend(q, k, v, create_window_mask(len(q), window=window))[0]


def _head(seed, n, d_k, d_v):
    widths = (d_k, d_k, d_v)
    return [numbers(seed + i, n, width) for i, width in enumerate(widths)]


check_window_attention = Check(
    "window_attention(q, k, v, window)",
    task="attend to the query's own key and the window - 1 keys before it; "
    "return the output, (n, d_v).",
    verified="windows of 1, 2 and 3, and one that is longer than the text.",
    reference=_window_of,
    parts="output",
    cases=[
        (*_head(110, 3, 2, 1), 2),
        (*_head(113, 5, 3, 2), 3),
        (*_head(116, 2, 5, 3), 7),
        (*_head(119, 3, 2, 2), 1),
    ],
    mistakes={
        "one_too_many": Mistake(
            "Each query sees one key too many: the window counts its own "
            "position. It starts at i - window + 1.",
            _window(lambda i, w: i - w),
        ),
        "one_too_few": Mistake(
            "Each query sees one key too few: the window counts its own "
            "position. It starts at i - window + 1.",
            _window(lambda i, w: i - w + 2),
        ),
        "own_missing": Mistake(
            "No query sees its own key. A slice excludes its end: "
            "`k[start : i + 1]`.",
            _window(lambda i, w: i - w + 1, lambda i, w: i),
            _window(lambda i, w: i - w, lambda i, w: i),
        ),
        "both_sides": Mistake(
            "Queries see keys after them. Causal means: none later than the "
            "query's own.",
            _window(lambda i, w: i - w + 1, lambda i, w: i + w),
        ),
        "no_window": Mistake(
            "Each query sees all keys before it. The window should end that: "
            "start at i - window + 1.",
            _window(lambda i, w: 0),
        ),
        "first_keys": Mistake(
            "Each query sees the *first* keys of the text. Take the last "
            "ones up to its own position.",
            _window(lambda i, w: 0, lambda i, w: np.minimum(i + 1, w)),
        ),
        "scale_missing": Mistake(
            say.SCALE_MISSING, _window(lambda i, w: i - w + 1, scale=False)
        ),
    },
)


def _features(x):
    return exp(np.minimum(x, 0)) + np.maximum(x, 0)


def _linear(
    f=_features,
    g=_features,
    see=lambda w: np.tril(w),
    divide=lambda w: w / w.sum(axis=-1, keepdims=True),
):
    """Return linear attention with one step replaced."""

    def function(q, k, v):
        return divide(see(f(q) @ g(k).T)) @ v

    return function


def _same(x):
    return x


check_linear_causal = Check(
    "linear_causal(q, k, v)",
    task="for each token update the state and the vector of sums, then read "
    "the output; return all outputs, (n, d_v).",
    verified="every token sees itself and all before it, in texts of 2, 3 "
    "and 5 tokens.",
    reference=_linear(),
    parts="output",
    cases=[
        (*_head(130, 2, 1, 1),),
        (*_head(133, 3, 2, 1),),
        (*_head(136, 5, 3, 2),),
    ],
    mistakes={
        "reads_first": Mistake(
            "The state is read before the token's own key and value are "
            "added, so that no token sees itself (and the first divides by "
            "0). Update first.",
            _linear(see=lambda w: np.tril(w, -1)),
        ),
        "not_divided": Mistake(
            "The output is not divided: `features(q) @ total` is the sum of "
            "the weights.",
            _linear(divide=_same),
        ),
        "divided_by_count": Mistake(
            "The output is divided by the number of tokens so far. Divide by "
            "the sum of the weights, `features(q) @ total`.",
            _linear(divide=lambda w: w / np.arange(1, len(w) + 1)[:, None]),
        ),
        "not_causal": Mistake(
            "Every token sees the whole text: the state holds later keys "
            "when it is read. Read it inside the loop, right after the "
            "update.",
            _linear(see=_same),
        ),
        "no_features": Mistake(
            "Queries and keys are used as they are. Weights must be "
            "positive: use `features(q)` and `features(k)`.",
            _linear(_same, _same),
        ),
        "query_features_missing": Mistake(
            "The features of the query are missing: `features(q[i])`.",
            _linear(f=_same),
        ),
        "key_features_missing": Mistake(
            "The features of the key are missing: `features(k[i])`, in the "
            "state and in the sum.",
            _linear(g=_same),
        ),
        "softmax": Mistake(
            "This is attention with a softmax. Here the weight is the dot "
            "product of the features.",
            _linear(_same, _same, lambda w: np.tril(exp(w))),
            lambda q, k, v: attend(q, k, v, np.tri(len(q), dtype=bool))[0],
        ),
    },
)


def _bytes(layers, kv_heads, d_head, tokens, bytes_each):
    return 2 * layers * kv_heads * d_head * tokens * bytes_each


check_cache_bytes = Check(
    "cache_bytes(layers, kv_heads, d_head, tokens, bytes_each)",
    task="return the bytes of all keys and values that are kept.",
    verified="one number, a small model, and 1,073,741,824 bytes (1 GB) for "
    "the model in the question.",
    reference=_bytes,
    parts="bytes",
    cases=[
        (1, 1, 1, 1, 2),
        (3, 2, 5, 7, 4),
        (32, 8, 128, 8192, 2),
    ],
    mistakes={
        "keys_only": Mistake(
            "Keys *and* values are kept: twice as much.",
            lambda n, h, d, t, b: n * h * d * t * b,
        ),
        "three": Mistake(
            "Queries are counted too. A query is used once, for its own "
            "token; only keys and values are kept.",
            lambda n, h, d, t, b: 3 * n * h * d * t * b,
        ),
        "layers_forgotten": Mistake(
            "Every layer has its own keys and values: multiply by `layers`.",
            lambda n, h, d, t, b: 2 * h * d * t * b,
        ),
        "squared": Mistake(
            "The tokens are squared. The cache holds vectors, one for each "
            "token, not a matrix of weights.",
            lambda n, h, d, t, b: 2 * n * h * d * t * t * b,
            lambda n, h, d, t, b: 2 * n * h * t * t * b,
        ),
        "numbers_only": Mistake(
            "These are numbers, not bytes: multiply by `bytes_each`.",
            lambda n, h, d, t, b: 2 * n * h * d * t,
        ),
        "heads_forgotten": Mistake(
            "Every head of keys and values is kept: multiply by `kv_heads`.",
            lambda n, h, d, t, b: 2 * n * d * t * b,
        ),
        "bits": Mistake(
            "These are bits. A byte has 8 of them, and bytes are asked for.",
            lambda n, h, d, t, b: 16 * n * h * d * t * b,
        ),
    },
)
