"""Exercises of chapter 7: traffic, and two halves of an online softmax."""

import numpy as np

from coursekit.checks import Check, Mistake

__all__ = ["check_merge_states", "check_swapped_traffic"]

MAX_OF_TWO = Mistake(
    "`np.max` takes one array, and its second argument is an axis. The "
    "larger of two numbers is `max(a, b)` or `np.maximum(a, b)`.",
    {"max(": "np.max("},
)

TILES = "-(-n // columns)"
READ = "2 * n * d + tiles * (n * d + n * (d + 2))"
WRITTEN = "tiles * n * (d + 2)"

check_swapped_traffic = Check(
    "swapped_traffic(n, d, columns)",
    task="return the numbers read from the slow memory, and those written "
    "to it.",
    verified="tiles that divide the text, tiles that do not, one tile for "
    "the whole text, and tiles of a single key.",
    right=f"""
def swapped_traffic(n, d, columns):
    tiles = {TILES}
    read = {READ}
    written = {WRITTEN}
    return read, written
""",
    parts="read written",
    cases=[(12, 4, 4), (10, 3, 4), (7, 5, 7), (5, 2, 1)],
    mistakes={
        "not_rounded_up": Mistake(
            "The number of tiles is not rounded up. The last tile may be "
            "smaller than the others, but it counts: `-(-n // columns)`.",
            {TILES: "n // columns"},
            {TILES: "n / columns"},
        ),
        "one_tile_too_many": Mistake(
            "There is one tile too many when `columns` divides n. Round up "
            "with `-(-n // columns)`.",
            {TILES: "n // columns + 1"},
        ),
        "keys_each_time": Mistake(
            "Keys and values are read again for each tile. Here they are in "
            "the outer loop: each of them is read once.",
            {READ: "tiles * (2 * n * d + n * d + n * (d + 2))"},
        ),
        "keys_only": Mistake(
            "Only the keys are read, or only the values. Read both: 2 n d "
            "numbers.",
            {"2 * n * d +": "n * d +"},
        ),
        "keys_missing": Mistake(
            "The keys and values themselves are not counted: they are read "
            "once, 2 n d numbers.",
            {"2 * n * d + ": ""},
        ),
        "queries_once": Mistake(
            "The queries are read only once. They are in the inner loop, so "
            "each tile of keys reads all of them.",
            {READ: "2 * n * d + n * d + tiles * n * (d + 2)"},
        ),
        "queries_missing": Mistake(
            "The queries are not counted: each tile of keys reads all of "
            "them, n d numbers.",
            {"(n * d + n * (d + 2))": "n * (d + 2)"},
        ),
        "state_not_read": Mistake(
            "The states are written but never read. Each tile of keys goes "
            "on where the one before it stopped: read them as well.",
            {"(n * d + n * (d + 2))": "n * d"},
        ),
        "state_once": Mistake(
            "The states are written only once. They leave the fast memory "
            "after each tile of keys: multiply by the number of tiles.",
            {WRITTEN: "n * (d + 2)"},
            {WRITTEN: "n * d"},
        ),
        "sums_forgotten": Mistake(
            "The maximum and the sum of each query are missing. Its state "
            "has d + 2 numbers.",
            {"(d + 2)": "d"},
        ),
        "scores_counted": Mistake(
            "Scores are counted too. They stay in the fast memory, as in our "
            "order of the loops.",
            {READ: f"{READ} + n * n"},
            {READ: f"{READ} + n * n", WRITTEN: f"{WRITTEN} + n * n"},
        ),
        "bytes": Mistake(
            "These are bytes. The exercise asks for numbers, of 4 bytes each "
            "in float32.",
            {"read, written": "4 * read, 4 * written"},
        ),
        "order": Mistake(
            "Both are right, but in the other order. Return what is read, "
            "then what is written.",
            {"read, written": "written, read"},
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
