"""Checks of chapter 7: a window, and the size of the cache."""

import numpy as np

import coursekit.checks.mistakes as say
from attnlib.masks import create_window_mask
from attnlib.ops import softmax
from coursekit.checks.engine import Check, Mistake, numbers

__all__ = ["check_cache_bytes", "check_window_attention"]


def _slices(first, last=lambda i, w: i + 1, factor=None, empty=True):
    """Return attention in which query i sees the keys first to last.

    An empty slice gives zeros, or if not `empty`, the softmax fails on it.
    """

    def function(q, k, v, window):
        scale = factor(q, k, v) if factor else q.shape[1] ** -0.5
        output = np.zeros((len(q), v.shape[1]))
        for i in range(len(q)):
            keys = slice(first(i, window), last(i, window))
            if len(k[keys]) or not empty:
                output[i] = softmax(k[keys] @ q[i] * scale) @ v[keys]
        return output

    return function


def _start(i, w):
    return max(i - w + 1, 0)


def _scaled(words, factor):
    return Mistake(words, _slices(_start, factor=factor))


def _weighted(weigh):
    """Return attention with other weights than those of a softmax."""

    def function(q, k, v, window):
        seen = create_window_mask(len(q), window=window)
        return weigh(q @ k.T / q.shape[1] ** 0.5, seen) @ v

    return function


def _head(seed, n, d_k, d_v):
    widths = (d_k, d_k, d_v)
    return [numbers(seed + i, n, width) for i, width in enumerate(widths)]


check_window_attention = Check(
    "window_attention(q, k, v, window)",
    task="attend to the query's own key and the window - 1 keys before it; "
    "return the output, (n, d_v).",
    verified="windows of 1, 2 and 3, and one that is longer than the text.",
    reference=_slices(_start),
    parts="output",
    cases=[
        (*_head(110, 3, 2, 1), 1),
        (*_head(113, 3, 2, 3), 2),
        (*_head(116, 5, 3, 2), 3),
        (*_head(119, 2, 5, 3), 7),
    ],
    mistakes={
        "one_too_many": Mistake(
            "Each query sees one key too many: the window counts its own "
            "position. It starts at i - window + 1.",
            _slices(lambda i, w: max(i - w, 0)),
        ),
        "one_too_few": Mistake(
            "Each query sees one key too few: the window counts its own "
            "position. It starts at i - window + 1.",
            _slices(lambda i, w: max(i - w + 2, 0)),
            _slices(lambda i, w: max(i - w + 2, 0), empty=False),
        ),
        "own_missing": Mistake(
            "No query sees its own key. A slice excludes its end: "
            "`k[start : i + 1]`.",
            _slices(_start, lambda i, w: i),
            _slices(lambda i, w: max(i - w, 0), lambda i, w: i),
        ),
        "empty_slice": Mistake(
            "For one query the slice of keys is empty, and the softmax of "
            "nothing fails. Every query sees at least its own key, and a "
            "slice excludes its end: `k[start : i + 1]`.",
            _slices(_start, lambda i, w: i, empty=False),
        ),
        "negative_start": Mistake(
            "Near the beginning the slice starts below 0, which counts from "
            "the end of the text, and it is empty. Start at "
            "`max(i - window + 1, 0)`.",
            _slices(lambda i, w: i - w + 1),
            _slices(lambda i, w: i - w + 1, empty=False),
        ),
        "future_seen": Mistake(
            "Queries see keys after them. Causal means: none later than the "
            "query's own.",
            _slices(_start, lambda i, w: i + w),
            _slices(_start, lambda i, w: i + 2),
            _slices(lambda i, w: i, lambda i, w: i + w),
        ),
        "no_window": Mistake(
            "Each query sees all keys before it. The window should end that: "
            "start at i - window + 1.",
            _slices(lambda i, w: 0),
        ),
        "all_keys": Mistake(
            "Each query sees the whole text. It should see its own key and "
            "the window - 1 keys before it.",
            _slices(lambda i, w: 0, lambda i, w: None),
        ),
        "first_keys": Mistake(
            "Each query sees the *first* keys of the text. Take the last "
            "ones up to its own position.",
            _slices(lambda i, w: 0, lambda i, w: min(i + 1, w)),
        ),
        "softmax_first": Mistake(
            "The softmax runs over all keys, and the window is cut out of "
            "the weights, which then sum to less than one. Cut first, then "
            "take the softmax of what is left.",
            _weighted(lambda scores, seen: softmax(scores) * seen),
        ),
        "no_softmax": Mistake(
            say.NO_SOFTMAX, _weighted(lambda scores, seen: scores * seen)
        ),
        "scale_missing": _scaled(say.SCALE_MISSING, lambda q, k, v: 1.0),
        "scale_multiplied": _scaled(
            say.SCALE_MULTIPLIED, lambda q, k, v: q.shape[1] ** 0.5
        ),
        "scale_not_root": _scaled(
            say.SCALE_NOT_ROOT, lambda q, k, v: 1 / q.shape[1]
        ),
        "scale_length": _scaled(
            say.SCALE_LENGTH, lambda q, k, v: len(k) ** -0.5
        ),
        "scale_values": _scaled(
            "The scale is made from the width of the values. Divide by the "
            "square root of d_k, the width of a query.",
            lambda q, k, v: v.shape[1] ** -0.5,
        ),
    },
)


def _bytes(layers, kv_heads, d_head, tokens, bytes_each):
    return 2 * layers * kv_heads * d_head * tokens * bytes_each


check_cache_bytes = Check(
    "cache_bytes(layers, kv_heads, d_head, tokens, bytes_each)",
    task="return the bytes of all keys and values that are kept.",
    verified="two small models, and 1,073,741,824 bytes (1 GB) for the model "
    "in the question.",
    reference=_bytes,
    parts="bytes",
    cases=[
        (3, 5, 6, 7, 4),
        (4, 3, 8, 10, 2),
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
        "width_forgotten": Mistake(
            "A key is a vector of `d_head` numbers: multiply by `d_head`.",
            lambda n, h, d, t, b: 2 * n * h * t * b,
        ),
        "tokens_forgotten": Mistake(
            "Every token has its own keys and values: multiply by `tokens`.",
            lambda n, h, d, t, b: 2 * n * h * d * b,
        ),
        "other_unit": Mistake(
            "The bytes are divided, into KB, MB or GB. Return the bytes "
            "themselves.",
            *(
                lambda *sizes, unit=unit: _bytes(*sizes) / unit
                for unit in (2**10, 1e3, 2**20, 1e6, 2**30, 1e9)
            ),
            *(
                lambda *sizes, unit=unit: _bytes(*sizes) // unit
                for unit in (2**20, 1e6, 2**30, 1e9)
            ),
        ),
        "bits": Mistake(
            "These are bits. A byte has 8 of them, and bytes are asked for.",
            lambda n, h, d, t, b: 16 * n * h * d * t * b,
        ),
    },
)
