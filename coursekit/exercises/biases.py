"""Exercises of chapter 4: positions in the scores, as a bias or turned."""

import numpy as np

from attnlib.positions import apply_rope
from coursekit.checks import Check, Mistake, numbers
from coursekit.exercises import say

__all__ = [
    "check_causal_alibi",
    "check_clipped_bias",
    "check_late_scores",
]

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
            {CLIP: "min(max(relative, -c), c)"},
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
        "slopes_grow": Mistake(
            "The slopes grow from head to head and are all above 1: the "
            "minus in the exponent is missing.",
            {"-8 *": "8 *"},
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
        "squared": Mistake(
            "The distance is squared. It should count once: |j - i|.",
            {"* distance": "* distance**2"},
        ),
    },
)


check_late_scores = Check(
    "late_scores(new_q, new_k, cache)",
    task="return the scores of one new token with all keys, (1, n + 1). The "
    "n keys in `cache` are turned already; `new_q` and `new_k` are not.",
    verified="the scores are the last row of the full computation, with 4, 2 "
    "and 7 keys in the cache.",
    right="""
def late_scores(new_q, new_k, cache):
    place = [len(cache)]
    q = al.apply_rope(new_q, positions=place)
    k = al.apply_rope(new_k, positions=place)
    keys = np.concatenate([cache, k])
    return q @ keys.T
""",
    parts="scores",
    cases=[
        (
            numbers(115, 1, 2),
            numbers(116, 1, 2),
            np.round(apply_rope(numbers(117, 4, 2)), 3),
        ),
        (
            numbers(118, 1, 6),
            numbers(119, 1, 6),
            apply_rope(numbers(120, 2, 6)),
        ),
        (
            numbers(121, 1, 4),
            numbers(122, 1, 4),
            apply_rope(numbers(123, 7, 4)),
        ),
    ],
    mistakes={
        "position_zero": Mistake(
            "The new query and key are not turned. (Without `positions` a "
            "single row is taken for position 0, which turns nothing.) They "
            "come after the cache: `positions=[len(cache)]`.",
            {"[len(cache)]": "[0]"},
        ),
        "query_at_zero": Mistake(
            "The key is turned for its place, but the query as if it stood "
            "at position 0. Both need `positions=[len(cache)]`.",
            {"new_q, positions=place": "new_q"},
        ),
        "key_at_zero": Mistake(
            "The query is turned for its place, but the key as if it stood "
            "at position 0. Both need `positions=[len(cache)]`.",
            {"new_k, positions=place": "new_k"},
        ),
        "off_by_one": Mistake(
            "The position is off by one. Positions start at 0, so the token "
            "after n others stands at n, which is `len(cache)`.",
            {"[len(cache)]": "[len(cache) - 1]"},
            {"[len(cache)]": "[len(cache) + 1]"},
        ),
        "width": Mistake(
            "The position is the *width* of the keys. It should be their "
            "number, `len(cache)`.",
            {"[len(cache)]": "[cache.shape[-1]]"},
        ),
        "not_a_list": Mistake(
            "`positions` takes a list with one entry for each row, even if "
            "there is only one row: `[len(cache)]`.",
            {"[len(cache)]": "len(cache)"},
        ),
        "many_positions": Mistake(
            "There are more positions than rows. Only one row is new, so "
            "`positions` needs one entry: `[len(cache)]`.",
            {"[len(cache)]": "range(len(cache))"},
            {"[len(cache)]": "range(len(cache) + 1)"},
        ),
        "turned_twice": Mistake(
            "Keys are turned a second time. Those in the cache were turned "
            "when they came in: turn only the new one, and only once.",
            *(
                {"np.concatenate([cache, k])": f"al.apply_rope({keys})"}
                for keys in (
                    "np.concatenate([cache, new_k])",
                    "np.concatenate([cache, k])",
                )
            ),
            {"[cache, k]": "[al.apply_rope(cache), k]"},
        ),
        "new_key_missing": Mistake(
            "The new key is missing. A token attends to itself too: put its "
            "key behind those of the cache.",
            {"np.concatenate([cache, k])": "cache"},
        ),
        "new_key_first": Mistake(
            "The new key comes first. It is the newest: put it *behind* those "
            "of the cache.",
            {"[cache, k]": "[k, cache]"},
        ),
        "scaled": Mistake(
            "The scores are divided by the square root of the width. Here "
            "they should be plain dot products.",
            {"keys.T": "keys.T / np.sqrt(new_q.shape[-1])"},
        ),
        "softmax": Mistake(
            "These are weights. Return the scores, before the softmax.",
            {"q @ keys.T": "al.softmax(q @ keys.T)"},
        ),
    },
)
