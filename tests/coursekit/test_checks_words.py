"""What a check says of a wrong answer that it does not know."""

import random

import numpy as np
import pytest
from reports import SOFTMAX, look, text_of

from coursekit import exercises
from coursekit.checks import Answer, Check

pytestmark = pytest.mark.usefixtures("nothing_leaks")


def test_an_exception_is_shown_with_the_learners_line():
    def mine(scores):
        top = scores.max()
        return scores.no_such_thing - top

    text = SOFTMAX(mine).text
    assert "it raised AttributeError in line " in text
    assert "`return scores.no_such_thing - top`" in " ".join(text.split())


def test_an_exception_inside_numpy_is_shown_with_the_learners_line():
    def mine(scores):
        return np.concatenate([scores, [[[1.0]]]])

    text = " ".join(SOFTMAX(mine).text.split())
    assert "`return np.concatenate([scores, [[[1.0]]]])`" in text


def test_what_a_failing_call_prints_is_shown():
    def mine(scores):
        print("shape", scores.shape)
        return scores

    assert SOFTMAX(mine).text.endswith("It printed:\nshape (3,)")


def test_a_change_of_the_input_is_named():
    def mine(scores):
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        return scores

    report = SOFTMAX(mine)
    assert report.mistake == "changes_input"
    assert "argument `scores`" in " ".join(report.text.split())


def test_an_integer_mask_is_not_boolean():
    def mine(n_q, n_k):
        return np.tri(n_q, n_k, n_k - n_q, dtype=int)

    text = " ".join(exercises.check_causal_mask(mine).text.split())
    assert "right entries as int" in text
    assert "must be boolean" in text


def one_part():
    return Check(
        "f(x)",
        task="do it.",
        verified="done.",
        right="def f(x): return 2 * x",
        cases=[(np.arange(6.0).reshape(2, 3),), (np.ones((5, 7)),)],
        mistakes={},
        parts="weights",
    )


GENERAL = {
    "the result `weights` is wrong: expected (2, 3), found (3, 2)": (
        lambda x: np.ones(x.shape[::-1])
    ),
    "The numbers are right, but transposed": lambda x: 2 * x.T,
    "only the axes differ": lambda x: 2 * x[None],
    "It must have 2 axes, not 1": lambda x: x[0],
    "NaN in 6 of 6": lambda x: x * np.nan,
    "infinite in 6 of 6": lambda x: np.full_like(x, np.inf),
    "must not be negative": lambda x: 2 * x - 1,
    "must sum to 1, but row 0 sums to": lambda x: 2 * x + 1,
    "two calls with the same arguments": (
        lambda x: x + np.random.default_rng().normal()
    ),
    "does it draw random numbers": (
        lambda x: 2 * x + np.random.normal()  # noqa: NPY002
    ),
    "does it draw random numbers, or": lambda x: 2 * x + random.random(),
    "it returns nothing": lambda x: print(end=""),
    "found a str": lambda x: "x",
    "whose rows differ in length": lambda x: [[1], [2, 3]],
    "return the result `weights` only, found a tuple of 2": lambda x: (
        2 * x,
        x,
    ),
    "cannot be called as f(x)": lambda x, y: x,
    "without calling it; found an array": np.ones(3),
}


@pytest.mark.parametrize("words", GENERAL)
def test_without_a_known_mistake_the_difference_is_described(words):
    report = one_part()(GENERAL[words])
    assert words in " ".join(report.text.split())


def two_parts():
    return Check(
        "f(x)",
        task="do it.",
        verified="done.",
        right="def f(x): return x + 1, x * x / 3",
        cases=[(np.arange(6.0).reshape(2, 3),), (np.ones((5, 7)),)],
        mistakes={},
        parts="first second",
    )


MORE = {
    "`first` is 3 times what it should be": lambda x: (3 * x + 3, x * x / 3),
    "`first` differs from what it should be by 2": lambda x: (
        x + 3,
        x * x / 3,
    ),
    "`second` is right, but rounded to 1 digit": (
        lambda x: (x + 1, np.round(x * x / 3, 1))
    ),
    "`second` is nearly right: float16": (
        lambda x: (x + 1, (x * x / 3).astype(np.float16))
    ),
    "`second` holds the right numbers in the wrong order": (
        lambda x: (x + 1, (x * x / 3)[::-1])
    ),
    "`second` is wrong in 1 of 6 places": (
        lambda x: (x + 1, np.where(x == 5, 7, x * x / 3))
    ),
    "`second` is wrong in 5 of 6 places": (
        lambda x: (x + 1, x * x / 3 + x / 1000)
    ),
    "`second` has lost its digits: is it kept in an integer array?": (
        lambda x: (x + 1, (x * x / 3).astype(int))
    ),
    "`second` is wrong in 4 of 6 places": (
        lambda x: (x + 1, np.trunc(x * x / 3))
    ),
    "`second` is 0 everywhere": lambda x: (x + 1, 0 * x),
    "return first, second in this order": lambda x: (x * x / 3, x + 1),
    "must return 2 results, first, second, found": lambda x: x[0, 0],
    "first, second, found an array of shape (2, 3)": lambda x: x + 1,
    "first, second, found a list": lambda x: (x + 1).tolist(),
    "it must return the result `first` and the result `second`": (
        lambda x: None if x.any() else 0
    ),
    "the shape of the result `second` is wrong": lambda x: (x, x[0]),
}


@pytest.mark.parametrize("words", MORE)
def test_the_part_that_differs_is_described(words):
    report = two_parts()(MORE[words])
    assert words in " ".join(report.text.split())
    if words.startswith("`"):
        this, other = ("first", "second")[:: 1 if "first" in words else -1]
        assert f"expected {this}" in report.text
        assert f"expected {other}" not in report.text


def test_a_report_holds_the_arguments_of_its_example():
    check = Check(
        "f(x, y)",
        task="do it.",
        verified="done.",
        right="def f(x, y): return x + y",
        cases=[(np.arange(81.0).reshape(9, 9), 3.0)],
        mistakes={},
    )
    report = check(lambda x, y: x)
    assert "`_.arguments` holds the numbers" in report.text
    assert [np.shape(a) for a in report.arguments] == [(9, 9), ()]
    report.arguments[0][...] = 0  # a copy: the check is not changed
    assert check(lambda x, y: x).arguments[0].any()


def test_a_report_is_plain_text_of_ordinary_width():
    report = exercises.check_attention(
        lambda q, k, v, mask: (v[..., :2, :], q)
    )
    assert max(map(len, report.text.splitlines())) <= 79
    assert not report


def test_answers_on_paper_may_be_rounded_and_their_mistakes_are_named():
    check = exercises.check_sat_weights
    assert check([0.11, 0.11, 0.79])
    assert check([0.1, 0.1, 0.8])
    assert check(np.array([0.1065, 0.1065, 0.787]))
    planted = {
        "scores": (0, 0, 2),
        "not_normalised": [1, 1, 7.39],
        "hard": [0, 0, 1.0],
        "old_query": [0.09, 0.665, 0.245],
        "scaled": [0.164, 0.164, 0.673],
        "percent": [10.7, 10.7, 78.7],
    }
    assert set(planted) == set(check.mistakes)
    for mistake, value in planted.items():
        assert check(value).mistake == mistake
    assert check([0.1, 0.2, 0.7]).status == "wrong"
    text = " ".join(check([0.1, 0.9]).text.split())
    assert "expected (3,), found (2,)" in text
    assert "give 3 numbers, found None" in check(None).text
    assert "give a number, found None" in exercises.check_lucky_head(None).text


def test_the_tolerance_of_an_answer_is_what_it_says():
    check = Answer(
        "f",
        task="t.",
        verified="v.",
        right=1.0,
        mistakes={},
        tolerance=0.01,
    )
    assert check(1.009)
    assert not check(1.015)


def of(expected, found, parts="result"):
    """Judge an array where another is right."""
    expected, found = np.array(expected), np.array(found)
    check = Check(
        "f(x)",
        task="do it.",
        verified="done.",
        right="def f(x): return x",
        cases=[(expected,)],
        mistakes={},
        parts=parts,
    )
    return text_of(check(lambda x: found))


INF = np.inf


@pytest.mark.parametrize(
    ("expected", "found", "words"),
    [
        ([0.0, -INF], [0.0, -1e9], "should be -inf, but is not in 1 of 2"),
        ([0.0, -INF], [0.0, INF], "should be -inf, but is not in 1 of 2"),
        ([0.0, -INF], [-INF, -INF], "is infinite in 1 of 2 places"),
        ([0.026, 0.07], [0.02, 0.07], "is wrong in 1 of 2 places"),
        ([0.025, 0.071], [0.02, 0.07], "is right, but rounded to 2 digits"),
        ([0.857, 0.0, 0.143], [0.9, 0.0, 0.1], "is wrong in 2 of 3 places"),
        (0.025, 0.02, "the result is wrong. It"),
        (0.5, 0, "the result is wrong. It"),
        (0.5, np.nan, "the result is NaN."),
        ([0.9, 0.1], [1.0, 0.0], "wrong in 2 of 2"),
        ([1.0, 0.5, 0.0], [1, 0, 0], "is it kept in an integer array?"),
        ([2, 4, 6], [1, 2, 3], "is wrong in 3 of 3 places"),
        ([2, 4, 6], [3, 5, 7], "is wrong in 3 of 3 places"),
        ([True, False, True], [True, True, False], "wrong in 2 of 3 places"),
        ([1.0, 2.0], [[1.0, 3.0]], "It must have 1 axis, not 2"),
    ],
)
def test_a_difference_is_put_into_the_right_words(expected, found, words):
    assert words in of(expected, found)


def test_the_sum_of_weights_is_described():
    one = of([0.5, 0.5], [5.0, 0.671], "weights")
    assert "the weights must sum to 1, but they sum to 5.671." in one
    assert "attend to nothing" not in one
    rows = of([[[0.5, 0.5], [0.0, 0.0]]], [[[0.5, 0.5], [1, 1]]], "weights")
    assert "row [0, 1] sums to 2. (A query that may attend to nothing" in rows
    leak = of([0.5, 0.5, 0.0], [0.499, 0.499, 0.002], "weights")
    assert "weights should be exactly 0, but are not in 1 of 3" in leak


def test_the_weights_are_described_before_the_output():
    check = exercises.check_attention
    report = check(lambda *a: [2 * r + 1 for r in check.reference(*a)])
    assert "each row of weights must sum to 1" in text_of(report)
    report = check(lambda *a: check.reference(*a)[0])
    assert "found an array of shape (2, 2)" in text_of(report)


def test_a_changed_argument_is_said_beside_a_known_mistake():
    def mine(weights, query, key):
        weights[..., query, key] = 0
        return weights

    report = look(exercises.check_hide_key(mine))
    assert report.mistake == "not_normalised"
    assert "It also changes its argument `weights`" in text_of(report)


def test_the_words_fit_what_is_asked_for():
    def nothing(*arguments):
        arguments[0]

    assert "it must return the result `changed`" in text_of(
        exercises.check_keep_head(nothing)
    )
    assert "`share` must be a number, found a str" in text_of(
        exercises.check_alignment_share(lambda *a: "x")
    )
    right = exercises.check_is_attention.reference
    text = text_of(exercises.check_is_attention(lambda w: int(right(w))))
    assert "must be True or False: wrap it in `bool(...)`" in text


def test_a_copy_is_advised_whatever_the_argument_holds():
    def mine(mask):
        mask[0] = True
        return mask

    check = Check(
        "f(mask)",
        task="do it.",
        verified="done.",
        right="def f(mask): return mask | (np.arange(len(mask)) == 0)",
        cases=[(np.array([False, False]),)],
        mistakes={},
    )
    text = text_of(check(mine))
    assert "`mask = mask.copy()`" in text
    assert "mask - " not in text
