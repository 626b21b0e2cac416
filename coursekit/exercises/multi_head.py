"""Exercises of chapter 3: several heads at once, and their parameters."""

import numpy as np

from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises import say
from coursekit.exercises.attending import (
    ATTEND,
    MASK,
    lines,
    mistakes,
    scaled_by,
)
from coursekit.exercises.heads import (
    FLOAT_WIDTH,
    RESHAPE_MERGE,
    RESHAPE_SPLIT,
    STRIDED,
    TORCH_TRANSPOSE,
)

__all__ = ["check_count_parameters", "check_multi_head"]


def _matrices(seed, d_model):
    return [numbers(seed + i, d_model, d_model) for i in range(4)]


_MERGE = "output.swapaxes(0, 1).reshape(n, d_model)"

check_multi_head = Check(
    "multi_head(x, w_q, w_k, w_v, w_o, num_heads)",
    task="project, split into heads, attend, merge and project again; return "
    "the output and the weights of every head.",
    verified="output (n, d_model) and weights (num_heads, n, n), with 1, 2, "
    "3 and 5 heads.",
    right="""\
def multi_head(x, w_q, w_k, w_v, w_o, num_heads):
    n, d_model = x.shape
    d_head = d_model // num_heads

    def split(y):
        return y.reshape(n, num_heads, d_head).swapaxes(0, 1)

    q, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)
"""
    + lines(ATTEND.replace(MASK, ""))
    + """\
    merged = output.swapaxes(0, 1).reshape(n, d_model)
    return merged @ w_o, weights
""",
    parts="output weights",
    without="for split_heads merge_heads scaled_dot_product_attention "
    "MultiHeadAttention",
    cases=[
        (
            np.array([[1.0, 0.0], [1.0, 2.0]]),
            np.array([[1.0, 0.0], [1.0, 1.0]]),
            np.array([[0.0, 1.0], [1.0, 0.0]]),
            np.array([[2.0, 1.0], [0.0, 3.0]]),
            np.array([[1.0, 0.0], [2.0, 1.0]]),
            2,
        ),
        (numbers(84, 2, 3), *_matrices(92, 3), 1),
        (numbers(85, 2, 4), *_matrices(92, 4), 2),
        (numbers(86, 5, 6), *_matrices(96, 6), 3),
        (numbers(87, 2, 10), *_matrices(104, 10), 5),
    ],
    mistakes=mistakes(
        "scale_missing scale_multiplied scale_not_root scale_half "
        "scale_after wrong_axis not_transposed batch_transposed "
        "keys_for_values no_softmax softmax_twice"
    )
    | {
        "scale_length": Mistake(say.SCALE_LENGTH, scaled_by("np.sqrt(n)")),
        "scale_heads": Mistake(
            "The scale is made from the number of heads. It is their "
            "*width*, d_head, whose square root belongs there.",
            scaled_by("np.sqrt(num_heads)"),
        ),
        "scale_model": Mistake(say.SCALE_MODEL, scaled_by("np.sqrt(d_model)")),
        "reshape_only": Mistake(
            RESHAPE_SPLIT,
            {"(n, num_heads, d_head).swapaxes(0, 1)": "(num_heads, n, -1)"},
            {
                "(n, num_heads, d_head).swapaxes(0, 1)": "(num_heads, n, -1)",
                "output.swapaxes(0, 1)": "output",
            },
        ),
        "strided": Mistake(
            STRIDED,
            {
                "(n, num_heads, d_head).swapaxes(0, 1)": (
                    "(n, d_head, num_heads).transpose(2, 0, 1)"
                )
            },
        ),
        "split_not_swapped": Mistake(
            "The width is cut into heads, but they are not swapped: tokens "
            "still come first, so that the heads of one token attend to "
            "each other. Swap to (num_heads, n, d_head).",
            {"d_head).swapaxes(0, 1)": "d_head)"},
            {".swapaxes(0, 1)": ""},
        ),
        "torch_transpose": Mistake(
            TORCH_TRANSPOSE,
            {"k.swapaxes(-1, -2)": "k.transpose(-2, -1)"},
        ),
        "float_width": Mistake(FLOAT_WIDTH, {"//": "/"}),
        "not_projected": Mistake(
            "The projections are missing. Queries, keys and values are "
            "`x @ w_q`, `x @ w_k` and `x @ w_v`.",
            {"x @ w_q": "x", "x @ w_k": "x", "x @ w_v": "x"},
        ),
        "keys_from_query": Mistake(say.KEYS_FROM_QUERY, {"x @ w_k": "x@w_q"}),
        "keys_ask": Mistake(
            "Queries and keys have changed places: w_q makes the queries, "
            "w_k the keys.",
            {"x @ w_q": "x @ w", "x @ w_k": "x @ w_q", "x @ w)": "x @ w_k)"},
        ),
        "merge_wrong_swap": Mistake(
            "The wrong axes are swapped before the merge. The heads are "
            "(num_heads, n, d_head): swap the first two, `swapaxes(0, 1)`.",
            {"output.swapaxes(0, 1)": "output.swapaxes(1, 2)"},
            {"output.swapaxes(0, 1)": "output.T"},
        ),
        "merge_reshape_only": Mistake(
            RESHAPE_MERGE, {"output.swapaxes(0, 1)": "output"}
        ),
        "not_merged": Mistake(
            "The heads are not merged before the last projection: swap heads "
            "and tokens, and reshape to (n, d_model).",
            {_MERGE: "output"},
        ),
        "heads_not_joined": Mistake(
            "The heads are added up, averaged, or put below each other, so "
            "that a row is only d_head wide. Put them next to each other, "
            "(n, d_model).",
            {_MERGE: "output.sum(axis=0)"},
        ),
        "output_missing": Mistake(
            "The last projection is missing: multiply the merged heads by "
            "w_o.",
            {"merged @ w_o": "merged"},
        ),
        "output_transposed": Mistake(
            "`w_o` is transposed. Rows are tokens: `merged @ w_o`.",
            {"merged @ w_o": "merged @ w_o.T"},
        ),
        "one_head": Mistake(
            "The whole width attends at once, as one head. Split it first.",
            {
                "    d_head": "    num_heads = 1\n    d_head",
                "w_o, weights": "w_o, weights[0]",
            },
        ),
        "heads_averaged": Mistake(
            "The weights of the heads are averaged or added up. Return those "
            "of every head, with the shape (num_heads, n, n).",
            {"w_o, weights": "w_o, weights.mean(axis=0)"},
            {"w_o, weights": "w_o, weights.sum(axis=0)"},
        ),
    },
)


_BIASES = "4 * d_model if bias else 0"

check_count_parameters = Check(
    "count_parameters(d_model, num_heads, bias)",
    task="return the number of parameters of a multi-head layer: four "
    "projections of width d_model, with a bias each if `bias` is True.",
    verified="2.36 million for GPT-2's layer, with and without biases, and "
    "the same for any number of heads.",
    right="""
def count_parameters(d_model, num_heads, bias):
    matrices = 4 * d_model**2
    biases = 4 * d_model if bias else 0
    return matrices + biases
""",
    parts="parameters",
    cases=[(6, 3, False), (6, 3, True), (768, 12, True), (64, 16, False)],
    mistakes={
        "times_heads": Mistake(
            "Heads do not multiply the parameters: each is only d_model / "
            "num_heads wide, and together they fill one matrix.",
            {"matrices + biases": "num_heads * (matrices + biases)"},
            {"4 * d_model**2": "(3 * num_heads + 1) * d_model**2"},
            {"4 * d_model**2": "4 * num_heads * d_model**2"},
            {_BIASES: f"num_heads * {_BIASES}"},
        ),
        "output_forgotten": Mistake(
            "The output projection is missing. There are four: W_q, W_k, "
            "W_v and W_o.",
            {"4 *": "3 *"},
            {"4 * d_model**2": "3 * d_model**2"},
        ),
        "one_head_only": Mistake(
            "Queries, keys and values of one head only are counted. There "
            "are num_heads of them, each d_model by d_head.",
            {"4 * d_model**2": "(3 / num_heads + 1) * d_model**2"},
            {"4 * d_model**2": "4 * d_model**2 // num_heads"},
            {"matrices + biases": "(matrices + biases) // num_heads"},
        ),
        "no_bias": Mistake(
            "The biases are missing: one number for each column of each of "
            "the four matrices, if `bias` is True.",
            {" + biases": ""},
        ),
        "always_bias": Mistake(
            "The biases are counted even if `bias` is False.",
            {" if bias else 0": ""},
        ),
        "precedence": Mistake(
            "Without biases the result is 0: `a + b if bias else 0` is "
            "`(a + b) if bias else 0`. Put the bias in brackets: "
            "`a + (b if bias else 0)`.",
            {"matrices + biases": "matrices + biases if bias else 0"},
        ),
        "one_bias": Mistake(
            "Too few biases are counted: each of the four projections has "
            "one.",
            {_BIASES: "d_model if bias else 0"},
            {_BIASES: "3 * d_model if bias else 0"},
        ),
        "scalar_bias": Mistake(
            "A bias is not one number, a matrix, or as wide as one head: it "
            "is a vector with one number for each of the d_model columns.",
            {_BIASES: "4 * bias"},
            {_BIASES: "bias"},
            {_BIASES: "4 * d_model**2 * bias"},
            {_BIASES: "4 * d_model // num_heads * bias"},
        ),
        "bias_inverted": Mistake(
            "The biases are counted where `bias` is False, and not where it "
            "is True.",
            {"if bias": "if not bias"},
        ),
        "doubled": Mistake(
            "`d_model * 2` is twice the width. A matrix has d_model rows and "
            "d_model columns: `d_model**2`.",
            {"d_model**2": "d_model * 2"},
        ),
        "not_a_power": Mistake(
            say.NOT_A_POWER,
            {"4 * d_model**2": "4 * (d_model ^ 2)"},
            {"4 * d_model**2": "(4 * d_model ^ 2)"},
            {"matrices + biases": "4 * d_model ^ 2 + biases"},
        ),
        "four_squared": Mistake(
            "The 4 is squared too. There are four matrices of d_model "
            "times d_model: `4 * d_model**2`.",
            {"4 * d_model**2": "(4 * d_model) ** 2"},
        ),
        "one_matrix": Mistake(
            "This counts one matrix. There are four: W_q, W_k, W_v and W_o.",
            {"4 * d_model**2": "d_model**2"},
            {"4 *": "1 *"},
        ),
    },
)
