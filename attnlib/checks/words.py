"""Write arrays and findings so that they can be read, and compared."""

import itertools
import textwrap

import numpy as np

WIDTH = 72
LARGE = 32  # numbers; of an array with more only the shape is shown


def wrap(text):
    """Break a paragraph into lines."""
    return textwrap.fill(
        " ".join(text.split()),
        WIDTH,
        break_long_words=False,
        break_on_hyphens=False,
    )


def number(x):
    """Write one number, rounded, and never as minus zero.

    >>> number(-0.0), number(0.33333), number(np.True_), number(1e9)
    ('0', '0.3333', 'True', '1e+09')
    """
    if isinstance(x, bool | np.bool_):
        return str(bool(x))
    return f"{float(x) + 0.0:.4g}"


def rows(array):
    """Write the numbers of an array, rounded, in its own shape."""
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            array = np.round(array.astype(float), 3) + 0.0
    return np.array2string(
        array,
        max_line_width=WIDTH - 6,
        precision=3,
        suppress_small=True,
        floatmode="maxprec",
        sign="-",
        threshold=LARGE + 1,
        separator=" ",
        formatter=None,
        legacy=False,
    )


def show(name, value):
    """Write ``name shape = numbers``; without the numbers if too many."""
    if not isinstance(value, np.ndarray):
        return f"{name} = {value!r}"
    if value.ndim == 0:
        return f"{name} = {number(value[()])}"
    if value.size > LARGE:
        return f"{name} of shape {value.shape}"
    text = rows(value)
    if value.ndim == 1 and "\n" not in text:
        return f"{name} of shape {value.shape}: {text}"
    return f"{name} of shape {value.shape}:\n" + textwrap.indent(text, "  ")


def kind(value):
    """Say what a thing is, without asking it.

    >>> kind(None), kind([1]), kind(np.ones(3)), kind("x")
    ('None', 'a list', 'an array of shape (3,)', 'a str')
    """
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        of = f" of {value.dtype}" if value.dtype.kind not in "biuf" else ""
        return f"an array of shape {value.shape}{of}"
    if isinstance(value, tuple):
        parts = ("a tuple" if type(v) is tuple else kind(v) for v in value)
        inside = ", ".join(itertools.islice(parts, 4))
        more = ", ..." if len(value) > 4 else ""
        return f"a tuple of {len(value)} ({inside}{more})"
    name = type(value).__name__
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


def lower_first(text):
    """Return a sentence to be put after a colon."""
    return text[:1].lower() + text[1:]
