"""Exercises of chapter 4: positions as a bias of the scores."""

import numpy as np

from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises import say
from coursekit.exercises.positions import CARET

__all__ = ["check_causal_alibi", "check_clipped_bias"]

CLIP = "np.clip(relative, -c, c)"

check_clipped_bias = Check(
    "clipped_bias(table, n)",
    task="return the (n, n) bias whose entry for query i and key j is "
    "`table` at the distance j - i, clipped to -c ... c.",
    verified="the bias by distance, near and clipped, for four tables.",
    right=f"""
def clipped_bias(table, n):
    c = len(table) // 2
    relative = np.arange(n) - np.arange(n)[:, None]
    relative = {CLIP}
    return table[relative + c]
""",
    parts="bias",
    without="for",
    cases=[
        (np.array([0.5, 3.0, 1.0, -1.0, -2.0]), 5),
        (np.array([2.0, 0.0, 1.0]), 3),
        (numbers(110, 7), 7),
        (numbers(111, 11), 3),
    ],
    mistakes={
        "not_shifted": Mistake(
            "The distances are used as an index as they are. Index -1 is the "
            "*last* number of the table, without an error. Add c, so that the "
            "distance -c becomes index 0.",
            {"relative + c": "relative"},
        ),
        "plain_index": Mistake(
            "The distances are used as an index as they are. Clip them to "
            "-c ... c first, then add c, so that the distance -c becomes "
            "index 0. (Index -1 is the last number, without an error.)",
            {CLIP: "relative", "relative + c": "relative"},
            {CLIP: "-relative", "relative + c": "relative"},
        ),
        "rounded_down": Mistake(
            "`-len(table) // 2` is -(c + 1): the minus comes first, and `//` "
            "rounds down. Write `-(len(table) // 2)`.",
            {"-c, c": "-len(table) // 2, c"},
        ),
        "c_fixed": Mistake(
            "The number c is always 2 here. It depends on the table, which "
            "holds 2c + 1 numbers: `c = len(table) // 2`.",
            {"len(table) // 2": "2"},
        ),
        "c_not_halved": Mistake(
            "Here c is the length of the table. The table holds 2c + 1 "
            "numbers, so `c = len(table) // 2`.",
            {"len(table) // 2": "len(table)"},
            {"len(table) // 2": "len(table) - 1"},
        ),
        "float_index": Mistake(
            "An index must be a whole number, and `/` always gives a float. "
            "Divide with `//`.",
            {"//": "/"},
        ),
        "reversed": Mistake(
            "The distance is taken as i - j. It is key minus query, j - i: "
            "keys before the query have negative distances.",
            {CLIP: "np.clip(-relative, -c, c)"},
        ),
        "not_clipped": Mistake(
            "The distances are not clipped on both sides, to -c ... c. Beyond "
            "that they leave the table, or wrap around to its other end. "
            "(`np.clip` includes its bounds: the last index is "
            "`len(table) - 1`.)",
            {CLIP: "relative"},
            {CLIP: "relative", "relative + c": "(relative + c) % len(table)"},
            {CLIP: "np.minimum(relative, c)"},
            {CLIP: "np.maximum(relative, -c)"},
            {"-c, c": "-c, c + 1"},
        ),
        "max_for_maximum": Mistake(
            "`np.max` and `np.min` take an *axis* as their second argument, "
            "and Python's `max` and `min` cannot compare arrays entry by "
            "entry. Use `np.clip`, or `np.maximum` and `np.minimum`.",
            {CLIP: "np.min(np.max(relative, -c), c)"},
            {CLIP: "np.max(np.min(relative, c), -c)"},
            {CLIP: "np.minimum(np.max(relative, -c), c)"},
            {CLIP: "np.maximum(np.min(relative, c), -c)"},
            {CLIP: "min(max(relative, -c), c)"},
        ),
        "clipped_after_shift": Mistake(
            "The number c is added before the distances are clipped to "
            "-c ... c. Clip first; or, after adding c, clip to 0 ... 2c.",
            {CLIP: "np.clip(relative + c, -c, c)", "ive + c]": "ive]"},
        ),
        "index_returned": Mistake(
            "These are places in the table. Return the numbers that stand "
            "there: `table[...]`.",
            {"table[relative + c]": "relative + c"},
            {"table[relative + c]": "relative"},
        ),
        "return_in_loop": Mistake(
            "Only the beginning is filled in: is the `return` inside a loop? "
            "An index that is a matrix needs no loop at all.",
            {"+ c]": "+ c] * (np.arange(n) == 0)[:, None]"},
            {"+ c]": "+ c] * (np.arange(n * n) == 0).reshape(n, n)"},
        ),
        "symmetric": Mistake(
            "The sign of the distance is lost: a key before the query and one "
            "after it get the same number.",
            {"np.clip(relative": "np.clip(abs(relative)"},
        ),
        "shifted_too_far": Mistake(
            "The index is off by one. The distance 0 belongs in the middle "
            "of the table, at index c, which is `len(table) // 2`.",
            {"+ c]": "+ c - 1]"},
            {"+ c]": "+ c + 1]"},
            {"len(table) // 2": "(len(table) + 1) // 2"},
            {"-c, c": "-c - 1, c - 1", "+ c]": "+ c + 1]"},
            {"-c, c": "-c, c - 1", "+ c]": "+ c + 1]"},
        ),
        "one_row": Mistake(
            "This is one row only. Every query needs its own: subtract the "
            "positions of the queries as a column, `np.arange(n)[:, None]`.",
            {" - np.arange(n)[:, None]": ""},
            {"[:, None]": ""},
        ),
    },
)


SLOPES = "2.0 ** (-8 * heads / num_heads)"
VISIBLE = "np.tri(n, dtype=bool)"

check_causal_alibi = Check(
    "causal_alibi(num_heads, n)",
    task="return ALiBi's bias for a decoder, (num_heads, n, n): minus slope "
    "times distance, and -inf for keys after the query. `num_heads` is a "
    "power of two.",
    verified="slopes, distances and the causal mask, for 1, 2, 4, 8 and 16 "
    "heads.",
    right=f"""
def causal_alibi(num_heads, n):
    heads = np.arange(1, num_heads + 1)
    slopes = {SLOPES}
    distance = np.abs(np.arange(n) - np.arange(n)[:, None])
    bias = -slopes[:, None, None] * distance
    return np.where({VISIBLE}, bias, -np.inf)
""",
    parts="bias",
    cases=[(2, 3), (1, 2), (4, 3), (8, 5), (16, 2)],
    mistakes={
        "sign": Mistake(
            "The sign is wrong: far keys get a bonus. The bias is *minus* "
            "slope times distance, and the distance |j - i| is never "
            "negative.",
            {"-slopes": "slopes"},
        ),
        "mask_missing": Mistake(
            "Nothing is hidden. ALiBi only makes far keys less likely: put "
            "-inf where the key comes after the query.",
            {f"np.where({VISIBLE}, bias, -np.inf)": "bias"},
        ),
        "mask_inverted": Mistake(
            "The mask is inverted: it hides the past and shows the future.",
            {"bias, -np.inf": "-np.inf, bias"},
            {VISIBLE: "~np.tri(n, k=-1, dtype=bool)"},
        ),
        "mask_strict": Mistake(
            say.CAUSAL_STRICT, {"np.tri(n": "np.tri(n, k=-1"}
        ),
        "mask_one_ahead": Mistake(
            say.CAUSAL_ONE_AHEAD, {"np.tri(n": "np.tri(n, k=1"}
        ),
        "mask_diagonal": Mistake(
            "Each query sees only itself. The distance |j - i| has no sign, "
            "so it cannot tell before from after: compare j with i.",
            {VISIBLE: "distance <= 0"},
        ),
        "mask_times_infinity": Mistake(
            "Infinity is multiplied by a mask, and 0 times infinity is NaN. "
            "Use `np.where(mask, bias, -np.inf)`, which multiplies nothing.",
            {f"np.where({VISIBLE}, bias, -": f"(bias + ~{VISIBLE} * -"},
        ),
        "not_infinite": Mistake(
            "Keys after the query get a large negative number. Use `-np.inf`, "
            "which is below any score.",
            *({"-np.inf": f"-1e{digits}"} for digits in range(2, 13)),
            *({"-np.inf": f"np.finfo('f{size}').min"} for size in (4, 8)),
        ),
        "future_zero": Mistake(
            "Keys after the query get the bias 0, which is the best there "
            "is. Hide them with -inf.",
            {"-np.inf": "0.0"},
        ),
        "slopes_from_zero": Mistake(
            "The slopes start at 1. The first should be 2 ** (-8 / "
            "num_heads): count the heads from 1 in the exponent.",
            {"np.arange(1, num_heads + 1)": "np.arange(num_heads)"},
        ),
        "slopes_reversed": Mistake(
            "The slopes are in the wrong order: the first head should have "
            "the steepest.",
            {"np.arange(1, num_heads + 1)": "np.arange(num_heads, 0, -1)"},
        ),
        "slopes_divided": Mistake(
            "The exponent of head i is -8 / i. It should be -8 * i / "
            "num_heads, so that the slopes become smaller from head to head.",
            {"-8 * heads / num_heads": "-8 / heads"},
        ),
        "slopes_halved": Mistake(
            "The slopes are 1/2, 1/4, 1/8, ... for every number of heads. "
            "They should run from 2 ** (-8 / num_heads) to 2 ** -8.",
            {SLOPES: "0.5**heads"},
        ),
        "slopes_rounded": Mistake(
            "`//` rounds the exponent down to a whole number, which is wrong "
            "for more than 8 heads. Divide with `/`.",
            {"-8 * heads / num_heads": "-8 // num_heads * heads"},
            {"-8 * heads / num_heads": "-8 * heads // num_heads"},
        ),
        "slopes_linear": Mistake(
            "The slopes fall by equal steps. They should fall by equal "
            "*factors*: the exponent of head i is -8 * i / num_heads.",
            {SLOPES: "np.linspace(2 ** (-8 / num_heads), 2**-8, num_heads)"},
        ),
        "slopes_a_list": Mistake(
            "`slopes` is a list, which `[:, None, None]` cannot index. Make "
            "it an array: `np.array(slopes)`.",
            {SLOPES: f"list({SLOPES})"},
        ),
        "base_e": Mistake(
            "The slopes are powers of e. They should be powers of 2.",
            {"2.0 ** ": "np.exp"},
        ),
        "caret": Mistake(CARET, {"2.0 **": "2.0 ^"}, {SLOPES: "2 ^ 0.5"}),
        "not_divided": Mistake(
            "The exponent is not divided by the number of heads: it is "
            "-8 * i / num_heads for head i, counted from 1.",
            {" / num_heads": ""},
        ),
        "slopes_grow": Mistake(
            "The slopes grow from head to head and are all above 1: the "
            "minus in the exponent is missing.",
            {"-8 *": "8 *"},
        ),
        "sixteen": Mistake(
            "The slopes end at 2 ** -16. They should end at 2 ** -8: the "
            "exponent of head i is -8 * i / num_heads.",
            {"-8 *": "-16 *"},
        ),
        "eight_missing": Mistake(
            "The slopes end at 1/2. The exponent should run down to -8: it "
            "is -8 * i / num_heads for head i, counted from 1.",
            {"-8 * heads": "-heads"},
        ),
        "precedence": Mistake(
            "The power is computed first: `2 ** -8 * i / h` is "
            "`(2 ** -8) * i / h`. Put the exponent in brackets.",
            {"(-8 * heads / num_heads)": "-8 * heads / num_heads"},
        ),
        "integer_power": Mistake(
            "NumPy does not raise whole numbers to negative whole powers. "
            "Write `2.0 ** ...`, and divide the exponent with `/`, not `//`.",
            {SLOPES: "2 ** -heads"},
        ),
        "one_slope": Mistake(
            "All heads have the same slope. Each should have its own: the "
            "exponent of head i is -8 * i / num_heads.",
            {SLOPES: "np.ones(num_heads)"},
            {SLOPES: "np.full(num_heads, 2 ** (-8 / num_heads))"},
            {SLOPES: "np.full(num_heads, 2 ** -8)"},
        ),
        "not_a_distance": Mistake(
            "The distance is the same for all queries. It should be |j - i|: "
            "subtract the positions of the queries as a column, "
            "`np.arange(n)[:, None]`.",
            {"np.abs(np.arange(n) - np.arange(n)[:, None])": "np.arange(n)"},
            {" - np.arange(n)[:, None]": " - np.arange(n)"},
        ),
        "squared": Mistake(
            "The distance is squared. It should count once: |j - i|.",
            {"* distance": "* distance**2"},
        ),
    },
)
