"""Exercises of chapter 7: the online softmax, key by key, half by half."""

import numpy as np

from coursekit.checks import Check, Mistake

__all__ = ["check_add_key", "check_merge_states"]

MAX_OF_TWO = Mistake(
    "`np.max` takes one array, and its second argument is an axis. The "
    "larger of two numbers is `max(a, b)` or `np.maximum(a, b)`.",
    {"max(": "np.max("},
)
SHRINK, ADD = "np.exp(peak - new)", "np.exp(score - new)"
LARGER = "max(peak, score)"

check_add_key = Check(
    "add_key(peak, total, score)",
    task="return the new maximum, and the sum of the exponentials measured "
    "from it.",
    verified="a score above the maximum, one below it, the very first key, "
    "and a score of 1000, which does not overflow.",
    right="""
def add_key(peak, total, score):
    new = max(peak, score)
    old = np.exp(peak - new) * total
    return new, old + np.exp(score - new)
""",
    parts="peak total",
    cases=[
        (1.0, 5.0, 2.0),
        (2.0, 1.5, 1.0),
        (-np.inf, 0.0, 3.0),
        (0.0, 1.0, 1000.0),
    ],
    mistakes={
        "not_shrunk": Mistake(
            "The old sum is not brought to the new maximum. Its terms were "
            "exp(s - old): multiply it by exp(old - new).",
            {f"{SHRINK} * ": ""},
        ),
        "wrong_way": Mistake(
            "The old sum is multiplied by exp(new - old), or divided by "
            "exp(old - new). It has to become smaller: multiply it by "
            "exp(old - new).",
            {SHRINK: "np.exp(new - peak)"},
        ),
        "shrunk_by_score": Mistake(
            "The old sum is multiplied by exp(old - score). That is right "
            "only if the score is the new maximum: use exp(old - new).",
            {"peak - new": "peak - score"},
        ),
        "new_wrong_way": Mistake(
            "The new key adds exp(new - score). It is the other way round: "
            "exp(score - new), which is never larger than 1.",
            {ADD: "np.exp(new - score)"},
        ),
        "new_from_old_maximum": Mistake(
            "The new key is measured from the old maximum. Both parts of the "
            "sum belong to the new one: exp(score - new).",
            {ADD: "np.exp(score - peak)"},
        ),
        "new_key_missing": Mistake(
            "The new key is not added. The old sum is right: add "
            "exp(score - new) to it.",
            {f" + {ADD}": ""},
        ),
        "old_sum_missing": Mistake(
            "The old sum itself is missing: multiply `total` by "
            "exp(old - new).",
            {" * total": ""},
        ),
        "factor_added": Mistake(
            "The factor exp(old - new) is added to the old sum. Multiply by "
            "it.",
            {"* total": "+ total"},
        ),
        "argmax_for_max": Mistake(
            "`argmax` gives the place of the larger number. Return the "
            "number itself: `max(peak, score)`.",
            {"return new": "return np.argmax([peak, score])"},
        ),
        "shrunk_together": Mistake(
            "The new key is added before the sum is multiplied, so it "
            "shrinks too. Multiply the old sum alone.",
            {f"old + {ADD}": "old", "* total": f"* (total + {ADD})"},
        ),
        "adds_one": Mistake(
            "The new key always adds 1. It does so only if it is the new "
            "maximum; in general it adds exp(score - new).",
            {ADD: "1"},
        ),
        "no_exponential": Mistake(
            "The score itself is added. The sum is one of exponentials: add "
            "exp(score - new).",
            {ADD: "score"},
            {ADD: "(score - new)"},
        ),
        "peak_kept": Mistake(
            "The maximum is never raised: it must become the larger of "
            "`peak` and `score`.",
            {LARGER: "peak"},
            {LARGER: "peak", f"{SHRINK} * ": ""},
        ),
        "old_peak_returned": Mistake(
            "The sum is right, but the old maximum is returned. Return the "
            "new one, from which the sum is measured.",
            {"return new": "return peak"},
        ),
        "peak_replaced": Mistake(
            "The new score always becomes the maximum, even if it is "
            "smaller. Take the larger of the two.",
            {LARGER: "score"},
        ),
        "smaller": Mistake(
            "The smaller one becomes the maximum. Take the larger of "
            "`peak` and `score`.",
            {"max(": "min("},
        ),
        "total_compared": Mistake(
            "The maximum is also compared with `total`, which is not a score "
            "but a sum. Take the larger of `peak` and `score`.",
            {LARGER: "max(peak, total, score)"},
        ),
        "max_of_two": MAX_OF_TWO,
        "no_maximum": Mistake(
            "The maximum is not subtracted from the new score, so a "
            "large one overflows, and the two parts of the sum do not fit "
            "together. Add exp(score - new).",
            {"score - new": "score"},
            {"score - new": "score", f"{SHRINK} * ": ""},
            {"score - new": "score", "peak - new": "peak"},
        ),
    },
)


FACTORS = "np.exp(peak_a - new), np.exp(peak_b - new)"
TOTAL = "a * total_a + b * total_b"
OUTPUT = "a * output_a + b * output_b"
RETURN = "new, total, output"
ORDERS = (
    "new, output, total",
    "total, new, output",
    "total, output, new",
    "output, new, total",
    "output, total, new",
)

check_merge_states = Check(
    "merge_states(peak_a, total_a, output_a, peak_b, total_b, output_b)",
    task="return the maximum, the sum and the output sum (not divided yet) "
    "of all keys.",
    verified="either half with the larger maximum, both with the same, and "
    "halves that are 1000 apart.",
    right="""
def merge_states(peak_a, total_a, output_a, peak_b, total_b, output_b):
    new = max(peak_a, peak_b)
    a, b = np.exp(peak_a - new), np.exp(peak_b - new)
    total = a * total_a + b * total_b
    output = a * output_a + b * output_b
    return new, total, output
""",
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
            {FACTORS: "1, 1"},
        ),
        "only_totals": Mistake(
            "The sums are brought to the new maximum, the output sums are "
            "not. Those were measured from the old maxima as well.",
            {OUTPUT: "output_a + output_b"},
        ),
        "only_outputs": Mistake(
            "The output sums are brought to the new maximum, the sums are "
            "not. Those were measured from the old maxima as well.",
            {TOTAL: "total_a + total_b"},
        ),
        "only_first": Mistake(
            "Only the first state is multiplied. If the second one has the "
            "smaller maximum, it needs its factor too.",
            {"np.exp(peak_b - new)": "1"},
        ),
        "only_second": Mistake(
            "Only the second state is multiplied. If the first one has the "
            "smaller maximum, it needs its factor too.",
            {"np.exp(peak_a - new)": "1"},
        ),
        "from_one_half": Mistake(
            "Everything is measured from the maximum of one half, even if "
            "the other has the larger one. Measure both from "
            "`max(peak_a, peak_b)`.",
            {FACTORS: "np.exp(peak_a - peak_b), 1"},
            {FACTORS: "1, np.exp(peak_b - peak_a)"},
        ),
        "other_half_dropped": Mistake(
            "Only the half with the larger maximum is kept. The other one "
            "counts too, multiplied by exp(its peak - new).",
            {FACTORS: "float(peak_a > peak_b), float(peak_a <= peak_b)"},
            {FACTORS: "float(peak_a >= peak_b), float(peak_a < peak_b)"},
        ),
        "factors_swapped": Mistake(
            "The two factors are swapped: multiply each state by exp(its "
            "*own* peak - new).",
            {"a, b =": "b, a ="},
        ),
        "wrong_way": Mistake(
            "The states are multiplied by exp(new - peak), which makes them "
            "larger. It is exp(peak - new).",
            {FACTORS: "np.exp(new - peak_a), np.exp(new - peak_b)"},
        ),
        "no_maximum": Mistake(
            "The states are multiplied by exp(peak), so nothing is "
            "measured from the new maximum, and a large peak overflows. "
            "Subtract it: exp(peak - new).",
            {FACTORS: "np.exp(peak_a), np.exp(peak_b)"},
        ),
        "smaller": Mistake(
            "The smaller peak is taken. Measure everything from the larger "
            "one, `max(peak_a, peak_b)`, or it overflows.",
            {"max(": "min("},
        ),
        "max_of_two": MAX_OF_TWO,
        "divided": Mistake(
            "The output is already divided by the sum. Leave it undivided, "
            "so that the result can be merged again.",
            {RETURN: "new, total, output / total"},
        ),
        "averaged": Mistake(
            "The two divided outputs are averaged. That counts both halves "
            "equally, whatever their scores. Add the undivided sums.",
            {OUTPUT: "(output_a / total_a + output_b / total_b) / 2"},
        ),
        "weighted_again": Mistake(
            "The output sums are multiplied by the totals. They are not "
            "divided yet, so nothing has to be undone: they only need the "
            "factors exp(peak - new).",
            {OUTPUT: "a * total_a * output_a + b * total_b * output_b"},
            {
                OUTPUT: "(a * total_a * output_a + b * total_b * output_b)"
                " / total"
            },
        ),
        "order": Mistake(
            "All three are right, but in another order. Return the maximum, "
            "the sum and the output sum.",
            *({RETURN: order} for order in ORDERS),
        ),
    },
)
