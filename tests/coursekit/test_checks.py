"""Whatever a learner does, a check answers in words."""

import functools
import random
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import attnlib
import coursekit.checks.calling as calling
import coursekit.checks.matching as matching
from coursekit import checks
from coursekit.checks import Answer, Check, Mistake, Report
from coursekit.checks.trials import Trial

CHECKS = {
    name: getattr(checks, name)
    for name in checks.__all__
    if name.startswith("check_")
}


class Nasty:
    """Everything that can be asked of it fails."""

    def _fail(self, *_, **__):
        raise RuntimeError("no")

    __array__ = __len__ = __getitem__ = __iter__ = __eq__ = __repr__ = _fail
    __str__ = __bool__ = __float__ = __hash__ = __deepcopy__ = _fail


class SilentError(Exception):
    """An exception that cannot say what it is."""

    def __str__(self):
        raise RuntimeError


class OddBase(BaseException):
    """Not an Exception."""


def raises(error):
    def function(*arguments):
        raise error

    return function


def loops(*arguments):
    while True:
        pass


def loops_and_swallows(*arguments):
    while True:
        try:
            time.sleep(0.001)
        except Exception:
            print("not me")


def recurses(*arguments):
    return recurses(*arguments)


async def waits(*arguments):
    return 1


def yields(*arguments):
    yield 1


def prints_without_end(*arguments):
    while True:
        print("x" * 100)


def contains_itself():
    inner = [1]
    inner.append(inner)
    return inner


def deep():
    nested = (1,)
    for _ in range(100_000):
        nested = (nested,)
    return nested


def nasty_array():
    array = np.empty(2, dtype=object)
    array[0] = array[1] = Nasty()
    return array


def fills(*arguments):
    for a in arguments:
        if isinstance(a, np.ndarray):
            a[...] = 0
        elif isinstance(a, list):
            a.append(Nasty())
    return 1.0


def reshapes(*arguments):
    for a in arguments:
        if isinstance(a, np.ndarray):
            a.shape = (-1,)
    return arguments[0]


def warns(*arguments):
    warnings.warn("careful", stacklevel=1)
    np.log(np.zeros(3))
    print("noise")
    print("noise", file=sys.stderr)
    return np.exp(np.array([1e9]))


def seeds(*arguments):
    np.random.seed(0)  # noqa: NPY002 - what learners do
    random.seed(0)
    np.seterr(all="raise")
    np.set_printoptions(precision=1)
    return np.random.normal(size=3)  # noqa: NPY002


JUNK_VALUES = {
    "None": None,
    "True": True,
    "a number": 3,
    "a huge number": 10**400,
    "nan": float("nan"),
    "a complex number": 1j,
    "a string": "weights",
    "bytes": b"weights",
    "a dict": {"output": 1},
    "a set": {1, 2},
    "an empty list": [],
    "an empty tuple": (),
    "a ragged list": [[1, 2], [3]],
    "a list of strings": ["a", "b"],
    "a list of None": [None, None],
    "a list with itself": contains_itself(),
    "tuples in tuples": deep(),
    "two strings": ("a", "b"),
    "two Nones": (None, None),
    "two ragged lists": ([[1], [2, 3]], [[1], [2, 3]]),
    "three numbers": (1.0, 2.0, 3.0),
    "many": tuple(range(50)),
    "a long range": range(10**12),
    "an iterator": iter([1, 2]),
    "something nasty": Nasty(),
    "a tuple of nasty things": (Nasty(), Nasty()),
    "a list of nasty things": [Nasty(), Nasty()],
    "an array of objects": np.array([None, "x", 3], dtype=object),
    "an array of nasty things": nasty_array(),
    "an array of strings": np.array(["a", "b"]),
    "an array of times": np.array(["2020-01-01"], dtype="datetime64"),
    "a structured array": np.zeros(3, dtype=[("a", int)]),
    "complex numbers": np.ones((2, 3), complex),
    "an empty array": np.zeros((0, 3)),
    "many axes": np.zeros((1,) * 7),
    "a masked array": np.ma.masked_array([1.0, 2.0], [True, False]),
    "float16": np.ones((2, 3), np.float16),
    "inf": np.full((2, 5), np.inf),
    "a function": len,
    "a class": int,
    "a module": np,
}
JUNK_FUNCTIONS = {
    "an Exception": raises(Exception("oh")),
    "a ValueError": raises(ValueError("two\nlines")),
    "a ZeroDivisionError": lambda *a: 1 / 0,
    "a NameError": lambda *a: not_defined,  # noqa: F821
    "an assertion": raises(AssertionError()),
    "an exception without words": raises(SilentError()),
    "an exception that is none": raises(OddBase("odd")),
    "an exit": lambda *a: sys.exit("bye"),
    "an interrupt": raises(KeyboardInterrupt()),
    "no memory": raises(MemoryError()),
    "a group": raises(ExceptionGroup("several", [ValueError("one")])),
    "an endless recursion": recurses,
    "a generator": yields,
    "a coroutine": waits,
    "an input that is overwritten": fills,
    "an input that is reshaped": reshapes,
    "warnings": warns,
    "seeds": seeds,
    "an argument, as it is": lambda *a: a[0] if a else 0,
    "all arguments": lambda *a: a,
    "no arguments taken": lambda: 1,
    "too many arguments": lambda a, b, c, d, e, f, g, h: 1,
    "keywords only": lambda *, x: 1,
    "a partial": functools.partial(np.add, 1),
    "a ufunc": np.exp,
    "a builtin": print,
    "a class": dict,
    "a random result": lambda *a: np.random.default_rng().normal(size=3),
}


def returns(value):
    return lambda *arguments: value


def look(report):
    assert isinstance(report, Report)
    assert report.status in ("not attempted", "right", "wrong")
    assert repr(report) == report.text
    first = {
        "wrong": "Wrong: ",
        "right": "Right: ",
        "not attempted": "Not attempted yet: ",
    }
    assert report.text.startswith(first[report.status])
    assert "0x" not in report.text, "an address would differ every time"
    return report


@pytest.fixture(autouse=True)
def nothing_leaks(capfd):
    np.random.seed(7)  # noqa: NPY002 - the state that must not change
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    plain, errors = random.getstate(), np.geterr()
    options = np.get_printoptions()
    yield
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert random.getstate() == plain
    assert np.geterr() == errors
    assert np.get_printoptions() == options
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("junk", JUNK_VALUES)
def test_checks_survive_what_a_function_returns(junk):
    value = JUNK_VALUES[junk]
    for name, check in CHECKS.items():
        if isinstance(check, Answer):
            continue
        report = look(check(returns(value)))
        assert look(check(returns(value))).text == report.text
        fits = name == "check_is_attention" and junk == "True"
        assert report.status == "wrong" or junk == "None" or fits, name


@pytest.mark.parametrize("junk", JUNK_FUNCTIONS)
def test_checks_survive_what_a_function_does(junk):
    for name, check in CHECKS.items():
        assert look(check(JUNK_FUNCTIONS[junk])).status == "wrong", name


@pytest.mark.parametrize("junk", JUNK_VALUES)
def test_checks_survive_what_is_no_function(junk):
    for name, check in CHECKS.items():
        assert look(check(JUNK_VALUES[junk])).status == "wrong", name


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_counts_what_is_not_written_as_not_attempted(name):
    def only_a_docstring(*arguments):
        """Do it."""

    def not_implemented(*arguments):
        raise NotImplementedError

    def used(*arguments):
        scores = ...
        return scores @ np.ones((2, 2))

    def in_a_tuple(*arguments):
        return ..., np.ones(3)

    def as_an_index(*arguments):
        rows = ...
        return np.ones(3)[rows]

    def in_exp(*arguments):
        return np.exp(...)

    def unpacked(*arguments):
        q, _ = ...
        return q

    def in_where(*arguments):
        return np.where(True, ..., 1.0)

    def to_attnlib(*arguments):
        from attnlib import softmax

        return softmax(...)

    check = CHECKS[name]
    assert look(check(...)).status == "not attempted"
    if isinstance(check, Answer):
        assert look(check([..., 1])).status == "not attempted"
        return
    for function in (
        returns(...), only_a_docstring, not_implemented, used, in_a_tuple,
        as_an_index, in_exp, unpacked, in_where, to_attnlib,
    ):  # fmt: skip
        report = look(check(function))
        assert report.status == "not attempted", function.__name__
        start = " ".join(report.text.split())
        assert start.startswith(f"Not attempted yet: {check.task}")
    assert "`scores` still is `...`" in " ".join(check(used).text.split())
    assert "`rows` still is `...`" in " ".join(check(as_an_index).text.split())


@pytest.mark.parametrize(
    "function", [loops, loops_and_swallows, prints_without_end]
)
def test_an_endless_loop_comes_to_an_end(function, monkeypatch):
    monkeypatch.setattr(calling, "SECONDS", 0.1)
    start = time.monotonic()
    report = look(checks.check_softmax(function))
    assert time.monotonic() - start < 10
    assert report.status == "wrong"
    assert "had not finished" in report.text
    assert "in line " in report.text


def test_the_time_limit_leaves_no_timer_behind(monkeypatch):
    signal = pytest.importorskip("signal")
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timers here")
    before = signal.getsignal(signal.SIGALRM)
    monkeypatch.setattr(calling, "SECONDS", 0.1)
    checks.check_softmax(loops)
    checks.check_softmax(np.exp)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before


def test_a_check_works_in_another_thread():
    reports = []
    thread = threading.Thread(
        target=lambda: reports.append(checks.check_softmax(np.exp))
    )
    thread.start()
    thread.join()
    assert reports[0].mistake == "not_normalised"


def test_an_exception_is_shown_with_the_learners_line():
    def mine(scores):
        top = scores.max()
        return scores.no_such_thing - top

    text = checks.check_softmax(mine).text
    assert "it raised AttributeError in line " in text
    assert "`return scores.no_such_thing - top`" in " ".join(text.split())


def test_an_exception_inside_numpy_is_shown_with_the_learners_line():
    def mine(scores):
        return np.concatenate([scores, [[[1.0]]]])

    text = " ".join(checks.check_softmax(mine).text.split())
    assert "`return np.concatenate([scores, [[[1.0]]]])`" in text


def test_an_endless_recursion_is_called_that():
    text = checks.check_softmax(recurses).text
    assert "calls itself without end in line " in text


def test_what_a_failing_call_prints_is_shown():
    def mine(scores):
        print("shape", scores.shape)
        return scores

    assert checks.check_softmax(mine).text.endswith("It printed:\nshape (3,)")


def test_a_change_of_the_input_is_named():
    def mine(scores):
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        return scores

    report = checks.check_softmax(mine)
    assert report.mistake == "changes_input"
    assert "argument `scores`" in " ".join(report.text.split())


def test_an_integer_mask_is_not_boolean():
    def mine(n_q, n_k):
        return np.tri(n_q, n_k, n_k - n_q, dtype=int)

    text = " ".join(checks.check_causal_mask(mine).text.split())
    assert "right entries as int" in text
    assert "must be boolean" in text


def one_part():
    return Check(
        "f(x)",
        task="do it.",
        verified="done.",
        reference=lambda x: 2 * x,
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
        reference=lambda x: (x + 1, x * x / 3),
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


def test_of_two_mistakes_at_once_the_first_is_named():
    def mine(q, k, v, mask=None):
        scores = q @ k.swapaxes(-1, -2)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        powers = np.exp(scores)
        weights = powers / powers.sum(axis=-1, keepdims=True)
        return weights @ v, weights

    report = checks.check_attention(mine)
    assert report.mistake == "scale_missing"
    assert "not the only mistake" in " ".join(report.text.split())


def test_a_report_holds_the_arguments_of_its_example():
    check = checks.check_multi_head_loop
    report = check(lambda *arguments: arguments[:2])
    assert "`_.arguments` holds the numbers" in report.text
    shapes = [np.shape(a) for a in report.arguments]
    assert shapes == [(3, 4), *[(2, 4, 2)] * 3, (4, 4)]
    report.arguments[0][...] = 0  # a copy: the check is not changed
    again = check(lambda *arguments: arguments[:2])
    assert again.arguments[0].any()


def test_a_report_is_plain_text_of_ordinary_width():
    report = checks.check_attention(lambda q, k, v, mask: (v[..., :2, :], q))
    assert max(map(len, report.text.splitlines())) <= 79
    assert not report


def test_a_mistake_that_is_to_be_found_is_told_only_if_asked_for():
    check = Check(
        "double(x)",
        task="repair it.",
        verified="it was squared.",
        reference=lambda x: 2 * x,
        cases=[(3.0,), (5.0,)],
        mistakes={"squared": Mistake("It squares.", lambda x: x * x)},
        untold="squared",
    )
    quiet, loud = check(np.square), check(np.square, tell=True)
    assert "It still gives".lower() in quiet.text
    assert "squares" not in quiet.text
    assert "expected result = 6\nfound result = 9" in quiet.text
    assert loud.text.startswith("Wrong: it squares.")


def test_answers_on_paper_may_be_rounded_and_their_mistakes_are_named():
    check = checks.check_sat_weights
    assert check([0.11, 0.11, 0.79])
    assert check([0.1, 0.1, 0.8])
    assert check(np.array([0.1065, 0.1065, 0.787]))
    planted = {
        "scores": (0, 0, 2),
        "not_normalised": [1, 1, 7.39],
        "hard": [0, 0, 1.0],
        "old_query": [0.09, 0.665, 0.245],
        "scaled": [0.164, 0.164, 0.673],
    }
    assert set(planted) == set(check.mistakes)
    for mistake, value in planted.items():
        assert check(value).mistake == mistake
    assert check([0.1, 0.2, 0.7]).status == "wrong"
    text = " ".join(check([0.1, 0.9]).text.split())
    assert "expected (3,), found (2,)" in text
    assert "give 3 numbers, found None" in check(None).text
    assert "give a number, found None" in checks.check_lucky_head(None).text


def test_the_tolerance_of_an_answer_is_what_it_says():
    check = Answer(
        "f",
        task="t.",
        verified="v.",
        reference=lambda: 1.0,
        mistakes={},
        tolerance=0.01,
    )
    assert check(1.009)
    assert not check(1.015)


def text_of(report):
    return " ".join(report.text.split())


def test_a_word_about_an_ellipsis_does_not_make_it_one():
    def mine(q, k, v, mask):
        w = attnlib.softmax(np.einsum("id,jd->ij", q, k) / q.shape[-1] ** 0.5)
        return w @ v, w

    right = checks.check_attention.reference
    report = look(
        checks.check_attention(
            lambda q, k, v, m: (mine if q.ndim > 2 else right)(q, k, v, m)
        )
    )
    assert report.status == "wrong"
    assert "it raised ValueError" in text_of(report)


def test_a_result_that_is_right_by_luck_is_not_finished():
    def is_attention(weights):
        finite = ...
        positive = np.isfinite(weights).all() and (weights >= 0).all()
        sums = np.allclose(weights.sum(-1), 1)
        return bool(finite and positive and sums)

    report = look(checks.check_is_attention(is_attention))
    assert report.status == "not attempted"
    assert "`finite` still is `...`" in text_of(report)


def test_an_index_is_not_something_left_open():
    def softmax(scores):
        every = ...
        i = scores.ndim - scores.ndim
        last = (..., slice(None))
        e = np.exp(scores - scores.max(-1)[..., None])[every]
        e[...] *= 1.0
        e[..., i:] /= e[last].sum(-1)[..., None]
        return e

    assert checks.check_softmax(softmax)
    assert checks.check_softmax(lambda s: s[...]).status == "wrong"
    assert checks.check_softmax(lambda s: s[..., s > 1]).status == "wrong"


def test_what_is_left_open_in_an_expression_is_not_attempted(monkeypatch):
    monkeypatch.setattr(calling, "SECONDS", 0.1)

    def after(*arguments):
        return np.ones((2, 3))[0] @ ...

    def before(*arguments):
        return ... @ np.ones((2, 3))

    def in_where(*arguments):
        return np.where(..., np.ones(3), -np.inf)

    def inside_of_a_function(*arguments):
        return [a @ ... for a in np.ones((2, 3))]

    def in_an_array(*arguments):
        return np.ones(3), np.where(np.ones(3) > 0, ..., 1)

    def among_several(*arguments):
        q, k = ..., ...  # noqa: F841
        return np.ones(3)

    def never_asked(*arguments):
        dv, ds = ..., 2 * np.ones(3)  # noqa: F841
        return ds

    def without_end(*arguments):
        while len(arguments) > np.size(...) - 2:
            pass

    for check in (checks.check_softmax, checks.check_attention_gradient):
        for function in (
            after, before, in_where, inside_of_a_function, in_an_array,
            among_several, never_asked, without_end,
        ):  # fmt: skip
            report = look(check(function))
            assert report.status == "not attempted", function.__name__


def test_without_columns_only_a_variable_is_seen_to_be_open():
    def strip(function):
        code = function.__code__
        lines = code.replace(co_linetable=bytes([0xE8, 0x00]) * 40)
        return type(function)(lines, function.__globals__)

    def index(scores):
        rest = 0
        return scores[..., rest]

    def variable(scores):
        top = ...  # noqa: F841
        return scores

    assert look(checks.check_softmax(strip(index))).status == "wrong"
    report = look(checks.check_softmax(strip(variable)))
    assert report.status == "not attempted"


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
    assert look(checks.check_attention(attention_with(**edit))).mistake is None


def test_a_transpose_of_all_axes_is_not_a_missing_transpose():
    def mine(x, w_q, w_k, w_v, w_o, num_heads):
        q, k, v = (
            (x @ w).reshape(len(x), num_heads, -1).swapaxes(0, 1)
            for w in (w_q, w_k, w_v)
        )
        weights = attnlib.softmax(q @ k.T / np.sqrt(q.shape[-1]))
        heads = (weights @ v).swapaxes(0, 1)
        return heads.reshape(len(x), -1) @ w_o, weights

    report = look(checks.check_multi_head(mine))
    assert report.mistake != "not_transposed"


def test_gradients_in_the_wrong_places_are_not_a_missing_transpose():
    check = checks.check_attention_gradient

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
    "check_is_attention": lambda weights: (
        not checks.check_is_attention.reference(weights)
    ),
    "check_hard_lookup": lambda q, k, v: v[0],
    "check_cache_bytes": lambda n, h, d, t, b: 2 * n * h * d * t * 2,
    "check_alignment_share": lambda w, a: round(
        checks.check_alignment_share.reference(w, a)
    ),
    "check_weight_bytes": lambda n, h, b: n * n * h * 4,
}


@pytest.mark.parametrize("name", BY_CHANCE)
def test_what_agrees_by_chance_is_not_named(name):
    check, trials = CHECKS[name], []
    for case, right in zip(check.cases, check._right, strict=True):
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
        reference=lambda x: 2 * x,
        cases=list(cases),
        mistakes={"squared": Mistake("It squares.", np.square)},
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


def of(expected, found, parts="result"):
    """Judge an array where another is right."""
    expected, found = np.array(expected), np.array(found)
    check = Check(
        "f(x)",
        task="do it.",
        verified="done.",
        reference=lambda x: expected,
        cases=[(1.0,)],
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
    check = checks.check_attention
    report = check(lambda *a: [2 * r + 1 for r in check.reference(*a)])
    assert "each row of weights must sum to 1" in text_of(report)
    report = check(lambda *a: check.reference(*a)[0])
    assert "found an array of shape (2, 2)" in text_of(report)


def test_a_changed_argument_is_said_beside_a_known_mistake():
    def mine(weights, query, key):
        weights[..., query, key] = 0
        return weights

    report = look(checks.check_hide_key(mine))
    assert report.mistake == "not_normalised"
    assert "It also changes its argument `weights`" in text_of(report)


def test_the_words_fit_what_is_asked_for():
    def nothing(*arguments):
        arguments[0]

    assert "it must return the result `changed`" in text_of(
        checks.check_keep_head(nothing)
    )
    assert "`share` must be a number, found a str" in text_of(
        checks.check_alignment_share(lambda *a: "x")
    )
    right = checks.check_is_attention.reference
    text = text_of(checks.check_is_attention(lambda w: int(right(w))))
    assert "must be True or False. `bool(...)` makes it that" in text


def test_a_copy_is_advised_whatever_the_argument_holds():
    def mine(mask):
        mask[0] = True
        return mask

    check = Check(
        "f(mask)",
        task="do it.",
        verified="done.",
        reference=lambda mask: mask | (np.arange(len(mask)) == 0),
        cases=[(np.array([False, False]),)],
        mistakes={},
    )
    text = text_of(check(mine))
    assert "`mask = mask.copy()`" in text
    assert "mask - " not in text


def test_closed_streams_and_odd_lists_are_survived():
    class Odd(list):
        def __len__(self):
            raise RuntimeError

        __iter__ = __getitem__ = __len__

    class OddTuple(tuple):
        __slots__ = ()
        __len__ = __iter__ = __getitem__ = Odd.__len__

    def closes(*arguments):
        print("x")
        sys.stdout.close()
        sys.stderr.close()

    for name, check in CHECKS.items():
        for value in (Odd([1, 2]), OddTuple([1, 2])):
            assert look(check(value)).status == "wrong", name
            assert look(check(returns(value))).status == "wrong", name
        assert look(check(closes)).status == "wrong", name
