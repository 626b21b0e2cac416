"""Exercise of chapter 7: linear attention, token by token."""

import numpy as np

from coursekit.checks import Check, Mistake, numbers

__all__ = ["check_linear_causal"]

FEATURES = "(np.where(x > 0, x + 1, np.exp(x)) for x in (q, k))"
READ = "output.append(q[i] @ state / (q[i] @ total))"
STORE = "np.outer(k[i], v[i])"


def again(names):
    """Return the edit that takes features of what are features already."""
    return {"    state = np.z": f"    {names} = {FEATURES}\n    state = np.z"}


def stored(update):
    """Return two edits that add something else to the state."""
    return {STORE: update}, {f"state = state + {STORE}": f"state += {update}"}


check_linear_causal = Check(
    "linear_causal(q, k, v)",
    task="for each token update the state and the vector of sums, then read "
    "the output; return all outputs, (n, d_v).",
    verified="every token sees itself and all before it, in texts of 2, 3 "
    "and 4 tokens.",
    right=f"""
def linear_causal(q, k, v):
    q, k = {FEATURES}
    state = np.zeros((k.shape[1], v.shape[1]))
    total = np.zeros(k.shape[1])
    output = []
    for i in range(len(q)):
        state = state + {STORE}
        total = total + k[i]
        {READ}
    return np.array(output)
""",
    parts="output",
    loop=True,
    without="linear_attention",
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
            "added, so no token sees itself (and the first divides by "
            "0). Update first.",
            {
                f"        {READ}\n": "",
                "        state": f"        {READ}\n        state",
            },
        ),
        "not_divided": Mistake(
            "The output is not divided. Divide by the sum of the weights, "
            "`q[i] @ total`.",
            {" / (q[i] @ total)": ""},
        ),
        "divided_by_count": Mistake(
            "The output is divided by the number of tokens so far. Divide by "
            "the sum of the weights, `q[i] @ total`.",
            {"(q[i] @ total)": "(i + 1)"},
        ),
        "brackets": Mistake(
            "Brackets are missing: `q[i] @ state / q[i] @ total` divides by "
            "`q[i]` first. Write `q[i] @ state / (q[i] @ total)`.",
            {"(q[i] @ total)": "q[i] @ total"},
        ),
        "divided_by_vector": Mistake(
            "The division is by the vector `total`. Divide by one number, "
            "`q[i] @ total`.",
            {"(q[i] @ total)": "total"},
            {"q[i] @ state / (q[i] @ total)": "q[i] @ (state.T / total).T"},
        ),
        "divided_by_sum": Mistake(
            "The output is divided by the sum of `total`, as if all queries "
            "were the same. Divide by `q[i] @ total`.",
            {"(q[i] @ total)": "total.sum()"},
        ),
        "state_replaced": Mistake(
            "The state is replaced by that of the newest token. *Add* to it: "
            "it must hold all tokens so far.",
            {"state + np": "np"},
        ),
        "total_replaced": Mistake(
            "`total` is replaced by the newest token's features. *Add* them: "
            "it must hold all tokens so far.",
            {"total + k": "k"},
        ),
        "both_replaced": Mistake(
            "State and `total` are replaced by those of the newest "
            "token, so each output is the token's own value. *Add* to both.",
            {"state + np": "np", "total + k": "k"},
        ),
        "total_one_number": Mistake(
            "Each token adds one number to `total`, the sum of its features. "
            "Add the whole vector, `k[i]`.",
            {"total + k[i]": "total + k[i].sum()"},
        ),
        "outer_swapped": Mistake(
            "Keys and values are swapped in the state. It is (d_k, d_v): add "
            "`np.outer(k[i], v[i])`, and read it with `q[i] @ state`.",
            *stored("np.outer(v[i], k[i])"),
            {"q[i] @ state": "state @ q[i]"},
        ),
        "no_outer": Mistake(
            "`k[i] * v[i]` multiplies the numbers place by place, and "
            "`k[i] @ v[i]` adds them up. The state needs every number of the "
            "key times every number of the value: `np.outer(k[i], v[i])`.",
            *stored("k[i] * v[i]"),
            *stored("k[i] @ v[i]"),
        ),
        "queries_stored": Mistake(
            "The query is added to the state or to `total`. They hold *keys* "
            "and values; queries only read them.",
            {"total + k": "total + q"},
            {STORE: "np.outer(q[i], v[i])"},
            {STORE: "np.outer(q[i], v[i])", "total + k": "total + q"},
        ),
        "keys_read": Mistake(
            "The state is read with the key. Read it with the query, `q[i]`.",
            {"q[i] @": "k[i] @"},
            {"q[i] @ state": "k[i] @ state"},
        ),
        "not_causal": Mistake(
            "Every token sees the whole text: the state holds later keys "
            "when it is read. Read it inside the loop, right after the "
            "update.",
            {READ: f"pass\n    for i in range(len(q)):\n        {READ}"},
        ),
        "one_token": Mistake(
            "There is an output for one token only. Append inside the loop, "
            "for every token, and return after it.",
            {"    return": "        return"},
            {f"        {READ}": f"    {READ}"},
            {"np.array(output)": "output[-1]"},
        ),
        "no_features": Mistake(
            "Queries and keys are used as they are. Weights must be "
            "positive: replace `q` and `k` by their features, as the first "
            "line does.",
            {FEATURES: "q, k"},
        ),
        "query_features_missing": Mistake(
            "The queries are used as they are. Replace `q` by its features, "
            "as the first line does.",
            {f"q, k = {FEATURES}": f"_, k = {FEATURES}"},
        ),
        "key_features_missing": Mistake(
            "The keys are used as they are. Replace `k` by its features, as "
            "the first line does.",
            {f"q, k = {FEATURES}": f"q, _ = {FEATURES}"},
        ),
        "features_twice": Mistake(
            "The features are taken twice. The first line has already "
            "replaced `q` and `k` by their features.",
            again("q, k"),
            again("q, _"),
            again("_, k"),
        ),
        "softmax": Mistake(
            "This is attention with a softmax. Here the weight is the dot "
            "product of the features.",
            {
                FEATURES: "q, k",
                READ: "output.append(al.softmax(k[: i + 1] @ q[i]) "
                "@ v[: i + 1])",
            },
            {
                FEATURES: "q, k",
                READ: "output.append(al.softmax(k[: i + 1] @ q[i] "
                "/ np.sqrt(q.shape[1])) @ v[: i + 1])",
            },
        ),
    },
)
