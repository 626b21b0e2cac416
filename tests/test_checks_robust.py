"""Whatever a learner does, a check answers in words."""

import functools
import random
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import attnlib.checks.calling as calling
from attnlib import checks
from attnlib.checks import Answer, Check, Mistake, Report

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
    "shape of weights is wrong: expected (2, 3), found (3, 2)": (
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
    "it returns nothing": lambda x: print(end=""),
    "found a str": lambda x: "x",
    "whose rows differ in length": lambda x: [[1], [2, 3]],
    "return weights only, found a tuple of 2": lambda x: (2 * x, x),
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
        reference=lambda x: (x + 1, x * x),
        cases=[(np.arange(6.0).reshape(2, 3),), (np.ones((5, 7)),)],
        mistakes={},
        parts="first second",
    )


MORE = {
    "first is 3 times what it should be": lambda x: (3 * x + 3, x * x),
    "first differs from what it should be by 2": lambda x: (x + 3, x * x),
    "second is nearly right": lambda x: (x + 1, x * x + x / 1000),
    "second holds the right numbers in the wrong order": (
        lambda x: (x + 1, (x * x)[::-1])
    ),
    "second is wrong in 1 of 6 places": (
        lambda x: (x + 1, np.where(x == 5, 7, x * x))
    ),
    "return first, second in this order": lambda x: (x * x, x + 1),
    "must return 2 arrays of numbers, first, second, found": (
        lambda x: x[0, 0]
    ),
    "second is 0 everywhere": lambda x: (x + 1, 0 * x),
}


@pytest.mark.parametrize("words", MORE)
def test_the_part_that_differs_is_described(words):
    report = two_parts()(MORE[words])
    assert words in " ".join(report.text.split())
    if words.startswith(("first", "second")):
        other = {"first": "second", "second": "first"}[words.split()[0]]
        assert f"expected {words.split()[0]}" in report.text
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
    assert "expected (3,), found (2,)" in check([0.1, 0.9]).text
