"""An open `...` is seen, and an index is not taken for one."""

import numpy as np
import pytest
from reports import CHECKS, SOFTMAX, look, returns, text_of

import attnlib
import coursekit.checks.calling as calling
from coursekit import exercises
from coursekit.checks import Answer

pytestmark = pytest.mark.usefixtures("nothing_leaks")


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


def test_a_word_about_an_ellipsis_does_not_make_it_one():
    def mine(q, k, v, mask):
        w = attnlib.softmax(np.einsum("id,jd->ij", q, k) / q.shape[-1] ** 0.5)
        return w @ v, w

    right = exercises.check_attention.reference
    report = look(
        exercises.check_attention(
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

    report = look(exercises.check_is_attention(is_attention))
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

    def with_einsum(scores):
        e = np.exp(scores - scores.max(-1, keepdims=True))
        return e / np.einsum(e, [..., 0], [...])[..., None]

    assert SOFTMAX(softmax)
    assert SOFTMAX(with_einsum)
    wrong = SOFTMAX(lambda e: np.einsum(e, [..., 0], [..., 0]))
    assert wrong.status == "wrong"
    assert SOFTMAX(lambda s: s[...]).status == "wrong"
    assert SOFTMAX(lambda s: s[..., s > 1]).status == "wrong"


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

    for check in (SOFTMAX, exercises.check_scale_gradient):
        for function in (
            after, before, in_where, inside_of_a_function, in_an_array,
            among_several, never_asked, without_end,
        ):  # fmt: skip
            report = look(check(function))
            assert report.status == "not attempted", function.__name__
