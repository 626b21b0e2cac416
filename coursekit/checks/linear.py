"""Check of chapter 7: linear attention, token by token."""

import numpy as np

from coursekit.checks.engine import Check, Mistake, numbers
from coursekit.checks.variants import attend

__all__ = ["check_linear_causal"]


def _features(x):
    return np.exp(np.minimum(x, 0)) + np.maximum(x, 0)


def _twice(x):
    return _features(_features(x))


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


def _loop(
    state=lambda state, k, v: state + np.outer(k, v),
    total=lambda total, k: total + k,
    read=lambda q, state, total: q @ state / (q @ total),
):
    """Return linear attention, token by token, with one line replaced."""

    def function(q, k, v):
        q, k = _features(q), _features(k)
        memory, sums = np.zeros((k.shape[1], v.shape[1])), np.zeros(k.shape[1])
        output = []
        for i in range(len(q)):
            memory, sums = state(memory, k[i], v[i]), total(sums, k[i])
            output.append(read(q[i], memory, sums))
        return np.array(output)

    return function


def _wrong_loop(words, **lines):
    return Mistake(words, _loop(**lines))


check_linear_causal = Check(
    "linear_causal(q, k, v)",
    task="for each token update the state and the vector of sums, then read "
    "the output; return all outputs, (n, d_v).",
    verified="every token sees itself and all before it, in texts of 2, 3 "
    "and 4 tokens.",
    reference=_linear(),
    parts="output",
    cases=[
        (
            np.array([[1.0, -1.0], [-1.0, 2.0]]),
            np.array([[1.0, -2.0], [-1.0, 1.0]]),
            np.array([[2.0], [-4.0]]),
        ),
        (
            np.array([[1.0, -1.0], [-2.0, 0.5], [0.5, -0.5]]),
            np.array([[-1.0, 1.0], [2.0, -1.0], [-0.5, -2.0]]),
            np.array([[3.0, 1.0], [-2.0, 4.0], [1.0, -5.0]]),
        ),
        (numbers(136, 4, 3), numbers(137, 4, 3), numbers(138, 4, 2)),
    ],
    mistakes={
        "reads_first": Mistake(
            "The state is read before the token's own key and value are "
            "added, so that no token sees itself (and the first divides by "
            "0). Update first.",
            _linear(see=lambda w: np.tril(w, -1)),
        ),
        "not_divided": Mistake(
            "The output is not divided: `q[i] @ total` is the sum of the "
            "weights.",
            _linear(divide=_same),
        ),
        "divided_by_count": Mistake(
            "The output is divided by the number of tokens so far. Divide by "
            "the sum of the weights, `q[i] @ total`.",
            _linear(divide=lambda w: w / np.arange(1, len(w) + 1)[:, None]),
        ),
        "brackets": _wrong_loop(
            "Brackets are missing: `q[i] @ state / q[i] @ total` divides by "
            "`q[i]` first. Write `q[i] @ state / (q[i] @ total)`.",
            read=lambda q, state, total: q @ state / q @ total,
        ),
        "divided_by_vector": _wrong_loop(
            "The output is divided by the vector `total`. Divide by one "
            "number, `q[i] @ total`.",
            read=lambda q, state, total: q @ state / total,
        ),
        "divided_by_sum": _wrong_loop(
            "The output is divided by the sum of `total`, as if all queries "
            "were the same. Divide by `q[i] @ total`.",
            read=lambda q, state, total: q @ state / total.sum(),
        ),
        "state_replaced": _wrong_loop(
            "The state is replaced by the newest token's. *Add* to it: it "
            "must hold all tokens so far.",
            state=lambda state, k, v: np.outer(k, v),
        ),
        "total_replaced": _wrong_loop(
            "`total` is replaced by the newest token's features. *Add* them: "
            "it must hold all tokens so far.",
            total=lambda total, k: k,
        ),
        "both_replaced": _wrong_loop(
            "State and `total` are replaced by the newest token's, so that "
            "each output is the token's own value. *Add* to both.",
            state=lambda state, k, v: np.outer(k, v),
            total=lambda total, k: k,
        ),
        "outer_swapped": _wrong_loop(
            "The state has keys and values swapped. It is (d_k, d_v): "
            "`np.outer(k[i], v[i])`.",
            state=lambda state, k, v: state + np.outer(v, k),
        ),
        "not_causal": Mistake(
            "Every token sees the whole text: the state holds later keys "
            "when it is read. Read it inside the loop, right after the "
            "update.",
            _linear(see=_same),
        ),
        "no_features": Mistake(
            "Queries and keys are used as they are. Weights must be "
            "positive: replace `q` and `k` by their features, as the first "
            "line does.",
            _linear(_same, _same),
        ),
        "query_features_missing": Mistake(
            "The queries are used as they are. Replace `q` by its features, "
            "as the first line does.",
            _linear(f=_same),
        ),
        "key_features_missing": Mistake(
            "The keys are used as they are. Replace `k` by its features, as "
            "the first line does.",
            _linear(g=_same),
        ),
        "features_twice": Mistake(
            "The features are taken twice. The first line has replaced `q` "
            "and `k` by their features already.",
            _linear(_twice, _twice),
            _linear(f=_twice),
            _linear(g=_twice),
        ),
        "softmax": Mistake(
            "This is attention with a softmax. Here the weight is the dot "
            "product of the features.",
            _linear(_same, _same, lambda w: np.tril(np.exp(w))),
            lambda q, k, v: attend(q, k, v, np.tri(len(q), dtype=bool))[0],
        ),
    },
)
