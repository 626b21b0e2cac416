"""Write arrays and findings so that they can be read, and compared."""

import re
import textwrap
from unicodedata import east_asian_width

import numpy as np

from coursekit.phrases import phrase

WIDTH = 72
LARGE = 32  # numbers; of an array with more only the shape is shown
MUCH = 64  # numbers; if all arguments have more, large ones are shapes
CODE = re.compile(r"`[^`]+`")
HANGUL = re.compile("[가-힣]")


def wrap(text):
    """Break a paragraph into lines, but never inside `code`.

    >>> print(wrap("x " * 33 + "`q @ k.T`").splitlines()[1])
    `q @ k.T`
    """
    text = " ".join(text.split())
    text = CODE.sub(lambda code: code[0].replace(" ", "\0"), text)
    first, *rest = text.split(" ")
    lines = [first]
    for word in rest:
        longer = f"{lines[-1]} {word}"
        if columns(longer) <= WIDTH:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines).replace("\0", " ")


def columns(text):
    """Count the columns that a text takes: two for Hangul and the like.

    >>> columns("NaN이")
    5
    """
    return len(text) + sum(east_asian_width(c) in "WF" for c in text)


def number(x):
    """Write one number, rounded, and never as minus zero.

    >>> number(-0.0), number(0.33333), number(np.True_), number(4e6)
    ('0', '0.3333', 'True', '4,000,000')
    """
    if isinstance(x, bool | np.bool_):
        return str(bool(x))
    x = float(x) + 0.0
    if x.is_integer() and abs(x) < 1e15:
        return f"{int(x):,}"
    return f"{x:.4g}"


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


def show(name, value, most=LARGE):
    """Write name, shape and numbers; not the numbers if there are many."""
    if not isinstance(value, np.ndarray):
        return f"{name} = {value!r}"
    if value.ndim == 0:
        return f"{name} = {number(value[()])}"
    known = {"name": name, "shape": value.shape}
    if value.size > most:
        return phrase("{name} of shape {shape}", **known)
    text = rows(value)
    if value.ndim > 1 or "\n" in text:
        text = "\n" + textwrap.indent(text, "  ")
    else:
        text = f" {text}"
    return phrase("{name} of shape {shape}:{numbers}", **known, numbers=text)


def show_all(names, values):
    """Write named arguments below each other, and say what is left out."""
    sizes = [v.size for v in values if isinstance(v, np.ndarray)]
    most = LARGE if sum(sizes) <= MUCH else 9
    lines = [
        textwrap.indent(show(name, value, most), "  ")
        for name, value in zip(names, values, strict=False)
    ]
    if max(sizes, default=0) > most:
        where = phrase("(`_.arguments` holds the numbers, in the next cell.)")
        lines.append(f"  {where}")
    return lines


def kind(value):
    """Say what a thing is, without asking it.

    >>> kind(None), kind([1]), kind(np.ones(3)), kind("x")
    ('None', 'a list', 'an array of shape (3,)', 'a str')
    """
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        known = {"shape": value.shape, "dtype": value.dtype}
        if value.dtype.kind in "biuf":
            return phrase("an array of shape {shape}", **known)
        return phrase("an array of shape {shape} of {dtype}", **known)
    if isinstance(value, tuple):
        parts = list(tuple.__iter__(value))  # whatever its own methods do
        inside = [
            phrase("a tuple") if isinstance(v, tuple) else kind(v)
            for v in parts[:4]
        ]
        inside += ["..."] * (len(parts) > 4)
        return phrase(
            "a tuple of {count} ({items})",
            count=len(parts),
            items=", ".join(inside),
        )
    name = type(value).__name__
    if name[:1] in "aeiouAEIOU":
        return phrase("an {type}", type=name)
    return phrase("a {type}", type=name)


def called(name):
    """Name a result, so that it reads as a name.

    >>> called("changed"), called("result")
    ('the result `changed`', 'the result')
    """
    if name == "result":
        return phrase("the result")
    return phrase("the result `{name}`", name=name)


def lower_first(text):
    """Return a sentence to be put after a colon; Korean stays as it is.

    >>> lower_first("The sum is NaN."), lower_first("NaN passes.")
    ('the sum is NaN.', 'NaN passes.')
    """
    name = any(map(str.isupper, text.partition(" ")[0][1:]))
    if name or HANGUL.search(text):
        return text
    return text[:1].lower() + text[1:]
