"""A mistake is named if the results prove it, and only then."""

import numpy as np
import pytest
from reports import CHECKS, look, text_of

import attnlib
import coursekit.checks.matching as matching
from coursekit import exercises
from coursekit.checks import Check, Mistake, numbers
from coursekit.checks.trials import Trial

pytestmark = pytest.mark.usefixtures("nothing_leaks")


def test_of_two_mistakes_at_once_the_first_is_named():
    def mine(q, k, v, mask=None):
        scores = q @ k.swapaxes(-1, -2)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        powers = np.exp(scores)
        weights = powers / powers.sum(axis=-1, keepdims=True)
        return weights @ v, weights

    report = exercises.check_attention(mine)
    assert report.mistake == "scale_missing"
    assert "not the only mistake" in " ".join(report.text.split())


def test_a_mistake_that_is_to_be_found_is_told_only_if_asked_for():
    check = Check(
        "double(x)",
        task="repair it.",
        verified="it was squared.",
        right="def double(x): return 2 * x",
        cases=[(3.0,), (5.0,)],
        mistakes={"squared": Mistake("It squares.", {"2 * x": "x * x"})},
        untold="squared",
    )
    quiet, loud = check(np.square), check(np.square, tell=True)
    assert "It still gives".lower() in quiet.text
    assert "squares" not in quiet.text
    assert "expected result = 6\nfound result = 9" in quiet.text
    assert loud.text.startswith("Wrong: it squares.")


def attention_with(scores="q @ k.T", output="w @ v"):
    source = f"""
def mine(q, k, v, mask=None):
    w = softmax({scores} / np.sqrt(q.shape[-1]))
    return {output}, w
"""
    space = {"np": np, "softmax": attnlib.softmax}
    exec(source, space)
    return space["mine"]


@pytest.mark.parametrize(
    "edit",
    [
        {"scores": "k @ q.T"},
        {"scores": "q @ q.T"},
        {"scores": "q @ k.T", "output": "w.T @ v"},
    ],
)
def test_an_exception_alone_names_no_mistake(edit):
    assert (
        look(exercises.check_attention(attention_with(**edit))).mistake is None
    )


def test_a_transpose_of_all_axes_is_not_a_missing_transpose():
    def mine(x, w_q, w_k, w_v, w_o, num_heads):
        q, k, v = (
            (x @ w).reshape(len(x), num_heads, -1).swapaxes(0, 1)
            for w in (w_q, w_k, w_v)
        )
        weights = attnlib.softmax(q @ k.T / np.sqrt(q.shape[-1]))
        heads = (weights @ v).swapaxes(0, 1)
        return heads.reshape(len(x), -1) @ w_o, weights

    report = look(exercises.check_multi_head(mine))
    assert report.mistake != "not_transposed"


def test_gradients_in_the_wrong_places_are_not_a_missing_transpose():
    sizes = [(3, 3), (3, 3), (3, 3), (3, 3)]
    check = Check(
        "attention_gradient(q, k, v, g)",
        task="return the gradients.",
        verified="the gradients.",
        right="""
def attention_gradient(q, k, v, g):
    scale = q.shape[-1] ** -0.5
    weights = al.softmax(q @ k.T * scale)
    dw = g @ v.T
    r = (weights * dw).sum(axis=-1, keepdims=True)
    ds = weights * (dw - r) * scale
    return ds @ k, ds.T @ q, weights.T @ g
""",
        parts="dq dk dv",
        cases=[tuple(numbers(230 + i, *n) for i, n in enumerate(sizes))],
        mistakes={
            "keys_not_transposed": Mistake(
                "The gradient of the keys needs that of the scores "
                "transposed.",
                {"ds.T @ q": "ds @ q"},
            )
        },
    )

    def transposed(q, k, v, g):
        w = attnlib.softmax(q @ k.T / np.sqrt(q.shape[-1]))
        dw = g @ v.T
        ds = w * (dw - (dw * w).sum(-1, keepdims=True))
        ds = ds / np.sqrt(q.shape[-1])
        return ds.T @ k, ds.T @ q, w.T @ g

    def turned(*arguments):
        dq, dk, dv = check.reference(*arguments)
        return dv, dq, dk

    assert look(check(transposed)).mistake is None
    assert "return dq, dk, dv in this order" in text_of(check(turned))


# Each agrees with a known mistake in the first example that it fails.
BY_CHANCE = {
    "check_is_attention": lambda weights: bool(weights.ndim % 2),
    "check_hard_lookup": lambda q, k, v: v[0],
    "check_cache_bytes": lambda n, h, d, t, b: n * h * d * t * (b % 3 + 1),
    "check_alignment_share": lambda w, a: round(
        exercises.check_alignment_share.reference(w, a)
    ),
    "check_weight_bytes": lambda n, h, b: n * n * h * (n % 10 - 3),
}


@pytest.mark.parametrize("name", BY_CHANCE)
def test_what_agrees_by_chance_is_not_named(name):
    check, trials = CHECKS[name], []
    for case, right in zip(check.cases, check._expected, strict=True):
        trials.append(Trial(case, right, check.parts))
        trials[-1].judge(BY_CHANCE[name])
    first = next(i for i, trial in enumerate(trials) if not trial.right)
    ways = [way for ways in check._known.values() for way in ways]
    assert any(matching.agree(way[first], trials[first]) for way in ways)
    report = look(check(BY_CHANCE[name]))
    assert report.status == "wrong"
    assert report.mistake is None


ONE, SIX = (np.array([3.0]),), (np.arange(1, 7) / 5,)


def doubles(*cases, **settings):
    return Check(
        "f(x)",
        task="double it.",
        verified="doubled.",
        right="def f(x): return 2 * x",
        cases=list(cases),
        mistakes={"squared": Mistake("It squares.", {"2 * x": "x * x"})},
        **settings,
    )


def test_part_of_a_mistake_is_named_only_if_there_is_enough_of_it():
    check = doubles(ONE, SIX)
    report = check(lambda x: x**2 if len(x) == 1 else 0 * x)
    assert report.mistake is None, "one number is too little"
    report = check(lambda x: x**2 if len(x) > 1 else 2 * x)
    assert report.mistake is None, "squares would show in the other case"
    report = doubles(SIX, ONE)(lambda x: x**2 if len(x) > 1 else 0 * x)
    assert report.mistake == "squared"
    assert "not the only mistake" in text_of(report)


def test_of_a_bug_hunt_only_the_bug_itself_is_still_there():
    check = doubles(SIX, ONE, untold="squared")
    assert "still gives" in text_of(check(np.square))
    both = look(check(lambda x: x**2 if len(x) > 1 else 0 * x))
    assert "still gives" not in text_of(both)
    assert both.mistake is None
