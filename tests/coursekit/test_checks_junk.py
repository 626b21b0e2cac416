"""Whatever a learner does, a check answers in words."""

import functools
import random
import sys
import warnings

import numpy as np
import pytest
from reports import CHECKS, SOFTMAX, look, returns

from coursekit.checks import Answer

pytestmark = pytest.mark.usefixtures("nothing_leaks")


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


def recurses(*arguments):
    return recurses(*arguments)


class FailsToDie:
    """Python reports the error, with an address, and goes on."""

    def __del__(self):
        raise RuntimeError


def recurses_among_the_dying(*arguments):
    FailsToDie()
    return recurses_among_the_dying(*arguments)


def prints_an_address(*arguments):
    print(object())
    print(object(), file=sys.stderr)
    return "weights"


async def waits(*arguments):
    return 1


def yields(*arguments):
    yield 1


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
    "an address in a message": lambda *a: {}[object()],
    "a printed address": prints_an_address,
    "a NameError": lambda *a: not_defined,  # noqa: F821
    "an assertion": raises(AssertionError()),
    "an exception without words": raises(SilentError()),
    "an exception that is none": raises(OddBase("odd")),
    "an exit": lambda *a: sys.exit("bye"),
    "an interrupt": raises(KeyboardInterrupt()),
    "no memory": raises(MemoryError()),
    "a group": raises(ExceptionGroup("several", [ValueError("one")])),
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


# One check for each way to judge: a value, one result, several results.
KINDS = {(type(c), len(c.parts)): c for c in CHECKS.values()}


@pytest.mark.parametrize("junk", JUNK_VALUES)
def test_checks_survive_what_a_function_returns(junk):
    value = JUNK_VALUES[junk]
    for name, check in CHECKS.items():
        if isinstance(check, Answer):
            continue
        report = look(check(returns(value)))
        fits = name == "check_is_attention" and junk == "True"
        assert report.status == "wrong" or junk == "None" or fits, name


@pytest.mark.parametrize("junk", JUNK_VALUES)
def test_the_same_result_gives_the_same_report(junk):
    for check in KINDS.values():
        one, other = (check(returns(JUNK_VALUES[junk])) for _ in range(2))
        assert one.text == other.text


@pytest.mark.parametrize("junk", JUNK_FUNCTIONS)
def test_checks_survive_what_a_function_does(junk):
    for name, check in CHECKS.items():
        assert look(check(JUNK_FUNCTIONS[junk])).status == "wrong", name


@pytest.mark.parametrize("function", [recurses, recurses_among_the_dying])
def test_checks_survive_an_endless_recursion(function):
    assert len(KINDS) > 3
    for check in KINDS.values():
        assert look(check(function)).status == "wrong"


@pytest.mark.parametrize("junk", JUNK_VALUES)
def test_checks_survive_what_is_no_function(junk):
    for name, check in CHECKS.items():
        assert look(check(JUNK_VALUES[junk])).status == "wrong", name


def test_an_endless_recursion_is_called_that():
    text = SOFTMAX(recurses).text
    assert "calls itself without end in line " in text


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
