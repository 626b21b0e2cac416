"""Checks of chapter 7: the online softmax, key by key and half by half."""

import numpy as np

from coursekit.checks.engine import Check, Mistake

__all__ = ["check_add_key", "check_merge_states"]

exp = np.exp


def _add(
    old=lambda m, s, new: exp(m - new),
    fresh=lambda m, s, new: exp(s - new),
    top=max,
    peak=lambda m, new: new,
):
    """Return the step of the online softmax with one part replaced."""

    def function(m, t, s):
        new = top(m, s)
        total = old(m, s, new) * t + fresh(m, s, new)
        return peak(m, new), total

    return function


def _wrong_add(words, **parts):
    return Mistake(words, _add(**parts))


check_add_key = Check(
    "add_key(peak, total, score)",
    task="return the new maximum, and the sum of the exponentials measured "
    "from it.",
    verified="a score above the maximum, one below it, the very first key, "
    "and a score of 1000, which does not overflow.",
    reference=_add(),
    parts="peak total",
    cases=[
        (1.0, 5.0, 2.0),
        (2.0, 1.5, 1.0),
        (-np.inf, 0.0, 3.0),
        (0.0, 1.0, 1000.0),
    ],
    mistakes={
        "not_shrunk": _wrong_add(
            "The old sum is not brought to the new maximum. Its terms were "
            "exp(s - old); multiply it by exp(old - new).",
            old=lambda m, s, new: 1,
        ),
        "wrong_way": _wrong_add(
            "The old sum is multiplied by exp(new - old). It must become "
            "smaller: exp(old - new).",
            old=lambda m, s, new: exp(new - m),
        ),
        "new_wrong_way": _wrong_add(
            "The new key adds exp(new - score). It is the other way round: "
            "exp(score - new), which is never larger than 1.",
            fresh=lambda m, s, new: exp(new - s),
        ),
        "new_from_old_maximum": _wrong_add(
            "The new key is measured from the old maximum. Both parts of the "
            "sum belong to the new one: exp(score - new).",
            fresh=lambda m, s, new: exp(s - m),
        ),
        "new_key_missing": _wrong_add(
            "The new key is not added. The old sum is right: add "
            "exp(score - new) to it.",
            fresh=lambda m, s, new: 0,
        ),
        "shrunk_together": Mistake(
            "The new key is added before the sum is multiplied, so that it "
            "shrinks too. Multiply the old sum alone.",
            lambda m, t, s: (
                max(m, s),
                exp(m - max(m, s)) * (t + exp(s - max(m, s))),
            ),
        ),
        "adds_one": _wrong_add(
            "The new key always adds 1. It does so only if it is the new "
            "maximum; in general it adds exp(score - new).",
            fresh=lambda m, s, new: 1,
        ),
        "peak_kept": Mistake(
            "The maximum is never raised: it must become the larger one of "
            "`peak` and `score`.",
            _add(top=lambda m, s: m),
            lambda m, t, s: (m, t + exp(s - m)),
        ),
        "old_peak_returned": _wrong_add(
            "The sum is right, but the old maximum is returned. Return the "
            "new one, from which the sum is measured.",
            peak=lambda m, new: m,
        ),
        "peak_replaced": _wrong_add(
            "The new score always becomes the maximum, even if it is "
            "smaller. Take the larger one of the two.",
            top=lambda m, s: s,
        ),
        "smaller": _wrong_add(
            "The smaller one becomes the maximum. Take the larger one of "
            "`peak` and `score`.",
            top=min,
        ),
        "total_compared": Mistake(
            "The maximum is also compared with `total`, which is no score "
            "but a sum. Take the larger one of `peak` and `score`.",
            lambda m, t, s: _add(top=lambda m, s: max(m, t, s))(m, t, s),
        ),
        "no_maximum": Mistake(
            "The maximum is not subtracted from the new score, so that a "
            "large one overflows, and the two parts of the sum do not fit.",
            lambda m, t, s: (max(m, s), t + exp(s)),
            _add(fresh=lambda m, s, new: exp(s)),
        ),
    },
)


def _merge(
    a=lambda p, q: exp(p - max(p, q)),
    b=lambda p, q: exp(q - max(p, q)),
    top=max,
    finish=lambda new, total, output: (new, total, output),
):
    """Return a merge of two states with the factors replaced."""

    def function(peak_a, total_a, output_a, peak_b, total_b, output_b):
        f, g = a(peak_a, peak_b), b(peak_a, peak_b)
        total = f * total_a + g * total_b
        output = f * output_a + g * output_b
        return finish(top(peak_a, peak_b), total, output)

    return function


def _averaged(p, s, x, q, t, y):
    new, total, _ = _merge()(p, s, x, q, t, y)
    return new, total, (x / s + y / t) / 2


def _only_totals(p, s, x, q, t, y):
    new, total, _ = _merge()(p, s, x, q, t, y)
    return new, total, x + y


def _only_outputs(p, s, x, q, t, y):
    new, _, output = _merge()(p, s, x, q, t, y)
    return new, s + t, output


def _one(p, q):
    return 1.0


check_merge_states = Check(
    "merge_states(peak_a, total_a, output_a, peak_b, total_b, output_b)",
    task="return the maximum, the sum and the output sum (not divided yet) "
    "of all keys.",
    verified="either half with the larger maximum, both with the same, and "
    "halves that are 1000 apart.",
    reference=_merge(),
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
            _merge(_one, _one),
        ),
        "only_totals": Mistake(
            "The sums are brought to the new maximum, the output sums are "
            "not. They were measured from the old maxima as well.",
            _only_totals,
        ),
        "only_outputs": Mistake(
            "The output sums are brought to the new maximum, the sums are "
            "not. They were measured from the old maxima as well.",
            _only_outputs,
        ),
        "only_first": Mistake(
            "Only the first state is multiplied. If the second one has the "
            "smaller maximum, it needs its factor too.",
            _merge(b=_one),
        ),
        "only_second": Mistake(
            "Only the second state is multiplied. If the first one has the "
            "smaller maximum, it needs its factor too.",
            _merge(a=_one),
        ),
        "factors_swapped": Mistake(
            "The two factors are swapped: a state is multiplied by exp(its "
            "*own* peak - new).",
            _merge(
                lambda p, q: exp(q - max(p, q)),
                lambda p, q: exp(p - max(p, q)),
            ),
        ),
        "wrong_way": Mistake(
            "The states are multiplied by exp(new - peak), which makes them "
            "larger. It is exp(peak - new).",
            _merge(
                lambda p, q: exp(max(p, q) - p),
                lambda p, q: exp(max(p, q) - q),
            ),
        ),
        "smaller": Mistake(
            "The smaller peak is taken. Everything is measured from the "
            "larger one, `max(peak_a, peak_b)`, or it overflows.",
            _merge(
                lambda p, q: exp(p - min(p, q)),
                lambda p, q: exp(q - min(p, q)),
                top=min,
            ),
        ),
        "divided": Mistake(
            "The output is divided by the sum already. Leave it undivided, "
            "so that the result can be merged again.",
            _merge(
                finish=lambda new, total, output: (new, total, output / total)
            ),
        ),
        "averaged": Mistake(
            "The two divided outputs are averaged. That counts both halves "
            "equally, whatever their scores. Add the undivided sums.",
            _averaged,
        ),
        "order": Mistake(
            "All three are right, but in another order. Return the maximum, "
            "the sum and the output sum.",
            _merge(finish=lambda new, total, output: (new, output, total)),
            _merge(finish=lambda new, total, output: (total, new, output)),
            _merge(finish=lambda new, total, output: (output, total, new)),
            _merge(finish=lambda new, total, output: (total, output, new)),
        ),
    },
)
