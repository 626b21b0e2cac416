"""What the tests of the checks share: a small check, and a look at reports."""

import numpy as np

from coursekit import exercises
from coursekit.checks import Check, Mistake, Report

SOFTMAX = Check(
    "softmax(scores)",
    task="turn each row of `scores` into weights, with NumPy only.",
    verified="the weights of rows, of matrices and of a batch.",
    right="""
def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
""",
    parts="weights",
    cases=[
        (np.array([0.0, 2.0, 1.0]),),
        (np.array([[0.0, 2.0, 1.0], [1.0, 1.0, 3.0]]),),
        (np.array([[1000.0, 1001.0, 999.0], [0.0, -3.0, 2.0]]),),
    ],
    mistakes={
        "not_normalised": Mistake(
            "The powers are not divided by their sum.",
            {" / powers.sum(axis=-1, keepdims=True)": ""},
            "def f(scores): return np.exp(scores)",
        ),
    },
)
CHECKS = {name: getattr(exercises, name) for name in exercises.__all__}


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


def text_of(report):
    return " ".join(report.text.split())
