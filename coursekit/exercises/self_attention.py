"""Exercises of chapter 2: attention, for one query and for many."""

import numpy as np

from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises import say
from coursekit.exercises.attending import (
    ATTEND,
    CARELESS,
    DIVIDE,
    EMPTY,
    MASK,
    TRANSPOSED,
    lines,
    mistakes,
    scaled_by,
)

__all__ = ["check_attention", "check_mini_attention"]


check_mini_attention = Check(
    "mini_attention(query, keys, values)",
    task="compute the scaled scores of one query, its weights, and the "
    "output.",
    verified="output and weights of a single query, for three sizes and "
    "with large scores.",
    right="def mini_attention(q, k, v):\n"
    + lines(ATTEND.replace(MASK, "") + "return output, weights\n"),
    parts="output weights",
    cases=[
        (
            np.array([2.0, 0.0, 2.0, 0.0]),
            np.array([[1.0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]]),
            np.array([10.0, 20.0, 30.0]),
        ),
        (numbers(22, 3), numbers(23, 5, 3), numbers(24, 5, 2)),
        (numbers(25, 3), numbers(26, 3, 3), numbers(27, 3, 3)),
        (
            np.array([20000.0, 0.0]),
            np.array([[1.0, 1.0], [1.1, 0.0], [0.0, 2.0]]),
            numbers(30, 3, 5),
        ),
        (
            np.array([-20000.0, 0.0]),
            np.array([[1.0, 1.0], [1.1, 0.0], [1.2, 2.0]]),
            numbers(29, 3, 5),
        ),
    ],
    mistakes=mistakes(
        "scale_missing scale_multiplied scale_not_root scale_half "
        "scale_length scale_values scale_after no_softmax softmax_twice "
        "not_normalised no_maximum not_maximum far_below_zero nan_hidden "
        "no_exponential not_transposed elementwise no_values values_first "
        "keys_for_values"
    )
    | {
        "scale_fixed": Mistake(
            "The scores are divided by 2. That is the square root of d_k "
            "only where d_k is 4: use `np.sqrt(len(query))`.",
            {"np.sqrt(q.shape[-1])": "2"},
        ),
        "maximum_divided": Mistake(
            say.MAXIMUM_DIVIDED,
            {DIVIDE: "al.softmax(scores / scores.max())"},
        ),
        "values_for_keys": Mistake(
            say.VALUES_FOR_KEYS, {f"q @ {TRANSPOSED}": "v @ q"}
        ),
        "axis_one": Mistake(
            "One query has one row of scores, an array with a single axis, "
            "so there is no `axis=1`. Leave the axis out, or use `axis=-1`.",
            {"axis=-1": "axis=1"},
            {DIVIDE: "al.softmax(scores, axis=1)"},
        ),
        "not_summed": Mistake(
            say.NOT_SUMMED,
            {"weights @ v": "weights * v"},
            {"weights @ v": "(weights * v.T).T"},
            {"weights @ v": "weights[:, None] * v"},
        ),
        "one_shape_only": Mistake(
            "The output is right for values of one shape only. They may be "
            "(n_k,) or (n_k, d_v): `weights @ values` fits both.",
            {"weights @ v": "(weights[:, None] * v).sum(axis=0)"},
            {"weights @ v": "(weights * v).sum()"},
            {"weights @ v": "sum(weights * v)"},
        ),
        "hard": Mistake(
            "The output is the value with the largest weight. Mix all "
            "values, each with its weight: `weights @ values`.",
            {"weights @ v": "v[weights.argmax()]"},
        ),
        "percent": Mistake(
            "The weights are percentages. They must be shares of one.",
            {DIVIDE: f"100 * {DIVIDE}"},
        ),
    },
)


_LOUD = (
    np.array([[20000.0, 0.0], [0.0, 1.0]]),
    np.array([[1.0, 1.0], [1.1, 0.0], [0.0, 2.0]]),
    numbers(43, 3, 2),
)
_MASK = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1]], bool)

check_attention = Check(
    "attention(q, k, v, mask)",
    task="return the output and the weights; hide the scores where `mask` is "
    "False. `mask` is None if everything may be seen.",
    verified="output and weights with and without a mask, with batches, "
    "with large scores, and for a query that may attend to nothing.",
    right="def attention(q, k, v, mask=None):\n"
    + lines(ATTEND.replace(MASK, "if mask is not None:\n    " + MASK))
    + lines("return output, weights\n"),
    parts="output weights",
    without="al",
    cases=[
        (numbers(31, 2, 3), numbers(32, 5, 3), numbers(33, 5, 2), None),
        (numbers(34, 3, 2), numbers(35, 3, 2), numbers(36, 3, 2), _MASK),
        (
            numbers(37, 3, 2, 3),
            numbers(38, 3, 3, 3),
            numbers(39, 3, 3, 3),
            None,
        ),
        (
            numbers(40, 2, 2, 5),
            numbers(41, 2, 7, 5),
            numbers(42, 2, 7, 3),
            np.arange(14).reshape(2, 7) % 3 > 0,
        ),
        (*_LOUD, None),
        (*(np.stack([part, part]) for part in _LOUD), None),
        (
            np.array([[-9000.0, 0.0]]),
            np.array([[1.0, 1.0], [1.1, 0.0], [1.2, 2.0]]),
            numbers(48, 3, 2),
            None,
        ),
        (
            np.array([[2000.0, 0.0]]),
            np.array([[1.0, 0.1], [0.0, 1.0], [0.0, 2.0]]),
            numbers(44, 3, 2),
            np.array([[False, True, True]]),
        ),
        (
            numbers(45, 2, 3),
            numbers(46, 2, 3),
            numbers(47, 2, 5),
            np.array([[True, True], [False, False]]),
        ),
        (
            numbers(66, 1, 2, 2, 3),
            numbers(67, 1, 2, 3, 3),
            numbers(68, 1, 2, 3, 2),
            None,
        ),
    ],
    mistakes=mistakes(
        "scale_missing scale_multiplied scale_not_root scale_half "
        "scale_length scale_queries scale_values scale_after wrong_axis "
        "axis_one whole_array keepdims max_keepdims max_axis no_softmax "
        "softmax_twice not_normalised no_exponential no_maximum not_maximum "
        "global_maximum far_below_zero nan_hidden not_transposed "
        "scores_transposed batch_transposed torch_transpose batch_counted "
        "elementwise np_dot no_values not_summed values_first keys_for_values "
        "values_for_keys mask_ignored mask_after mask_renormalised "
        "mask_inverted mask_zero mask_added mask_times_infinity "
        "mask_plus_infinity mask_index queries_masked empty_row_nan "
        "empty_row_uniform empty_row_added"
    )
    | {
        "scale_counted": Mistake(
            "The width is counted from the front: `q.shape[1]`, or "
            "`len(q[0])`, is the width only without a batch. `q.shape[-1]` "
            "always is.",
            scaled_by("np.sqrt(q.shape[1])"),
            scaled_by("np.sqrt(k.shape[1])"),
        ),
        "max_for_maximum": Mistake(
            "`np.max(x, 0)` takes the maximum *along axis 0*. To compare "
            "every entry with a number, use `np.maximum` or `np.where`.",
            {EMPTY: "np.max(peak, 0)"},
            {EMPTY: "np.max(peak, 0)", DIVIDE: "powers / total"},
            {DIVIDE: "powers / np.max(total, 1)"},
        ),
        "mask_truth": Mistake(
            "`if mask` asks for one yes or no, which an array of several "
            "cannot give. Write `if mask is not None`.",
            {"if mask is not None": "if mask"},
        ),
        "mask_none": Mistake(
            "Without a mask everything is hidden: `np.where(None, ...)` "
            "takes None for False. Use the mask only `if mask is not None`.",
            {"if mask is not None": "if True"},
            {"if mask is not None": "if True"} | CARELESS,
        ),
        "maximum_divided": Mistake(
            say.MAXIMUM_DIVIDED,
            {"scores - peak": "scores / peak"},
            {"scores - peak": "scores / peak"} | CARELESS,
        ),
    },
)
