"""Exercises of chapter 7: a window, and the size of the cache."""

from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises import say

__all__ = ["check_cache_bytes", "check_window_attention"]

SLICE = "max(i - window + 1, 0), i + 1"
SCALE = " / np.sqrt(q.shape[1])"
SOFTMAX, MIX = "al.softmax(scores)", "weights @ v[start:end]"
DOT = "k[start:end] @ q[i]"


def scaled_by(number):
    """Return the edit that takes another number in place of the root."""
    return {"np.sqrt(q.shape[1])": number}


def keys(ends):
    """Return edits that take other keys.

    They differ where there are none: each softmax of nothing fails in other
    words. The last one looks out for it, and gives 0.
    """
    careful = {SOFTMAX: f"{SOFTMAX} if len(scores) else scores"}
    by_hand = [
        {SOFTMAX: f"np.exp(scores - {peak})", MIX: f"{MIX} / weights.sum()"}
        for peak in ("scores.max()", "max(scores)")
    ]
    return [{SLICE: ends} | softmax for softmax in ({}, *by_hand, careful)]


def head(seed, n, d_k, d_v):
    """Return queries, keys and values of one head."""
    widths = (d_k, d_k, d_v)
    return [numbers(seed + i, n, width) for i, width in enumerate(widths)]


check_window_attention = Check(
    "window_attention(q, k, v, window)",
    task="attend to the query's own key and the window - 1 keys before it; "
    "return the output, (n, d_v).",
    verified="windows of 1, 2 and 3, and one that is longer than the text.",
    right="""
def window_attention(q, k, v, window):
    output = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        start, end = max(i - window + 1, 0), i + 1
        scores = k[start:end] @ q[i] / np.sqrt(q.shape[1])
        weights = al.softmax(scores)
        output[i] = weights @ v[start:end]
    return output
""",
    parts="output",
    loop=True,
    without="create_window_mask",
    cases=[
        (*head(110, 3, 2, 1), 1),
        (*head(113, 3, 2, 3), 2),
        (*head(116, 5, 3, 3), 3),
        (*head(119, 2, 5, 3), 7),
    ],
    mistakes={
        "one_too_many": Mistake(
            "Each query sees one key too many: the window counts its own "
            "position. It starts at i - window + 1.",
            {"window + 1": "window"},
        ),
        "one_too_few": Mistake(
            "Each query sees one key too few: the window counts its own "
            "position. It starts at i - window + 1.",
            *keys("max(i - window + 2, 0), i + 1"),
        ),
        "own_missing": Mistake(
            "No query sees its own key. A slice leaves out its end: "
            "`k[start : i + 1]`.",
            keys("max(i - window + 1, 0), i")[-1],
            keys("max(i - window, 0), i")[-1],
        ),
        "empty_slice": Mistake(
            "For one query the slice of keys is empty, and the softmax of "
            "nothing fails. Every query sees at least its own key, and a "
            "slice leaves out its end: `k[start : i + 1]`.",
            *keys("max(i - window + 1, 0), i")[:-1],
        ),
        "negative_start": Mistake(
            "Near the beginning the slice starts below 0, which counts from "
            "the end of the text, and it is empty. Start at "
            "`max(i - window + 1, 0)`, with Python's own `max`.",
            *keys("i - window + 1, i + 1"),
        ),
        "future_seen": Mistake(
            "Queries see keys after them. Causal means that no query sees a "
            "key later than its own.",
            {", i + 1": ", i + window"},
            {", i + 1": ", i + 2"},
            {SLICE: "i, i + window"},
        ),
        "no_window": Mistake(
            "Each query sees all keys before it. The window should limit "
            "that: start at i - window + 1.",
            {SLICE: "0, i + 1"},
        ),
        "all_keys": Mistake(
            "Each query sees the whole text. It should see its own key and "
            "the window - 1 keys before it.",
            {SLICE: "0, len(k)"},
        ),
        "first_keys": Mistake(
            "Each query sees the *first* keys of the text. Take the last "
            "ones up to its own position.",
            {SLICE: "0, min(i + 1, window)"},
        ),
        "last_keys": Mistake(
            "Each query sees the *last* keys of the text. Take the last ones "
            "up to its own position: `k[start : i + 1]`.",
            {SLICE: "max(len(k) - window, 0), len(k)"},
        ),
        "one_row": Mistake(
            "Only one query gets an output. Is the `return` inside the loop, "
            "or is `[i]` missing in `output[i] = ...`?",
            {"    return": "        return"},
            {"return output": "return output[:1]"},
            {"return output": "return output[0]"},
            {"output[i]": "output"},
        ),
        "softmax_first": Mistake(
            "The softmax runs over all keys, and the window is cut out of "
            "the weights, which then sum to less than one. Cut first, then "
            "take the softmax of what is left.",
            {DOT: "k @ q[i]", "weights @": "weights[start:end] @"},
        ),
        "no_softmax": Mistake(say.NO_SOFTMAX, {SOFTMAX: "scores"}),
        "no_exponential": Mistake(
            say.NO_EXPONENTIAL, {SOFTMAX: "scores / scores.sum()"}
        ),
        "softmax_twice": Mistake(
            say.SOFTMAX_TWICE, {SOFTMAX: f"al.softmax({SOFTMAX})"}
        ),
        "not_normalised": Mistake(
            say.NOT_NORMALISED,
            {SOFTMAX: "np.exp(scores)"},
            {SOFTMAX: "np.exp(scores - scores.max())"},
        ),
        "not_transposed": Mistake(
            "The sum runs over the keys. A score is the dot product of the "
            "query with one row of `k`: write `k[start : i + 1] @ q[i]`, or "
            "transpose the keys with `.T`.",
            {DOT: "q[i] @ k[start:end]"},
            {DOT: "np.dot(q[i], k[start:end])"},
        ),
        "values_for_keys": Mistake(
            say.VALUES_FOR_KEYS, {DOT: "v[start:end] @ q[i]"}
        ),
        "keys_for_values": Mistake(
            say.KEYS_FOR_VALUES,
            {"weights @ v": "weights @ k"},
            {"weights @ v": "weights @ k", "v.shape": "k.shape"},
        ),
        "scale_missing": Mistake(say.SCALE_MISSING, {SCALE: ""}),
        "scale_multiplied": Mistake(
            say.SCALE_MULTIPLIED, {SCALE: SCALE.replace("/", "*")}
        ),
        "scale_not_root": Mistake(say.SCALE_NOT_ROOT, scaled_by("q.shape[1]")),
        "scale_half": Mistake(
            say.SCALE_HALF,
            scaled_by("q.shape[1] ** 1 / 2"),
            scaled_by("(q.shape[1] ** 1 / 2)"),
        ),
        "scale_length": Mistake(
            say.SCALE_LENGTH,
            scaled_by("np.sqrt(len(k))"),
            scaled_by("np.sqrt(end - start)"),
            scaled_by("np.sqrt(window)"),
        ),
        "scale_values": Mistake(
            say.SCALE_VALUES, scaled_by("np.sqrt(v.shape[1])")
        ),
        "scale_after": Mistake(say.SCALE_AFTER, {SCALE: "", MIX: MIX + SCALE}),
    },
)


BYTES = "numbers * bytes_each"
UNITS = ("2**10", "1e3", "2**20", "1e6", "2**30", "1e9")

check_cache_bytes = Check(
    "cache_bytes(layers, kv_heads, d_head, tokens, bytes_each)",
    task="return the bytes of all keys and values that are kept.",
    verified="two small models, and 1,073,741,824 bytes (1 GB) for the model "
    "in the question.",
    right="""
def cache_bytes(layers, kv_heads, d_head, tokens, bytes_each):
    numbers = 2 * layers * kv_heads * d_head * tokens
    return numbers * bytes_each
""",
    parts="bytes",
    cases=[
        (3, 5, 6, 7, 4),
        (4, 3, 8, 10, 2),
        (32, 8, 128, 8192, 2),
    ],
    mistakes={
        "keys_only": Mistake(
            "Keys *and* values are kept: twice as much.", {"2 * ": ""}
        ),
        "three": Mistake(
            "Queries are counted too. A query is used once, for its own "
            "token; only keys and values are kept.",
            {"2 * ": "3 * "},
        ),
        "layers_forgotten": Mistake(
            "Every layer has its own keys and values: multiply by `layers`.",
            {"layers * kv": "kv"},
        ),
        "squared": Mistake(
            "The tokens are squared. The cache holds vectors, one for each "
            "token, not a matrix of weights.",
            {"* tokens": "* tokens**2"},
            {"d_head * tokens": "tokens**2"},
        ),
        "numbers_only": Mistake(
            "This counts numbers, not bytes: multiply by `bytes_each`.",
            {BYTES: "numbers"},
        ),
        "bytes_hard_coded": Mistake(
            "The number of bytes is hard-coded. Multiply by "
            "`bytes_each`, whatever it is.",
            {BYTES: "numbers * 2"},
            {BYTES: "numbers * 4"},
        ),
        "heads_forgotten": Mistake(
            "Every head of keys and values is kept: multiply by `kv_heads`.",
            {"kv_heads * ": ""},
        ),
        "width_forgotten": Mistake(
            "A key is a vector of `d_head` numbers: multiply by `d_head`.",
            {"d_head * ": ""},
        ),
        "tokens_forgotten": Mistake(
            "Every token has its own keys and values: multiply by `tokens`.",
            {" * tokens": ""},
        ),
        "other_unit": Mistake(
            "The bytes are divided, into KB, MB or GB. Return the bytes "
            "themselves.",
            *({BYTES: f"{BYTES} / {unit}"} for unit in UNITS),
            *({BYTES: f"{BYTES} // {unit}"} for unit in UNITS[2:]),
        ),
        "bits": Mistake(
            "These are bits. The exercise asks for bytes, which have 8 bits "
            "each.",
            {BYTES: f"{BYTES} * 8"},
        ),
        "bytes_divided": Mistake(
            "`bytes_each` is divided by 8, as if it were bits. It already is "
            "a number of bytes.",
            {BYTES: f"{BYTES} / 8"},
            {BYTES: f"{BYTES} // 8"},
        ),
    },
)
