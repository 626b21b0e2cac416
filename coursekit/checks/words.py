"""Write arrays and findings so that they can be read, and compared."""

import re
import textwrap

import numpy as np

WIDTH = 72
LARGE = 32  # numbers; of an array with more only the shape is shown
MUCH = 64  # numbers; if all arguments have more, large ones are shapes
CODE = re.compile(r"`[^`]+`")


def wrap(text):
    """Break a paragraph into lines, but never inside `code`.

    >>> print(wrap("x " * 33 + "`q @ k.T`").splitlines()[1])
    `q @ k.T`
    """
    text = " ".join(text.split())
    text = CODE.sub(lambda code: code[0].replace(" ", "\0"), text)
    lines = textwrap.fill(
        text, WIDTH, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace("\0", " ")


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
    if value.size > most:
        return f"{name} of shape {value.shape}"
    text = rows(value)
    if value.ndim == 1 and "\n" not in text:
        return f"{name} of shape {value.shape}: {text}"
    return f"{name} of shape {value.shape}:\n" + textwrap.indent(text, "  ")


def show_all(names, values):
    """Write named arguments below each other, and say what is left out."""
    sizes = [v.size for v in values if isinstance(v, np.ndarray)]
    most = LARGE if sum(sizes) <= MUCH else 9
    lines = [
        textwrap.indent(show(name, value, most), "  ")
        for name, value in zip(names, values, strict=False)
    ]
    if max(sizes, default=0) > most:
        lines.append("  (`_.arguments` holds the numbers, in the next cell.)")
    return lines


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
        parts = list(tuple.__iter__(value))  # whatever its own methods do
        inside = [
            "a tuple" if isinstance(v, tuple) else kind(v) for v in parts[:4]
        ]
        more = ", ..." if len(parts) > 4 else ""
        return f"a tuple of {len(parts)} ({', '.join(inside)}{more})"
    name = type(value).__name__
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


def called(name):
    """Name a result, so that it reads as a name.

    >>> called("changed"), called("result")
    ('the result `changed`', 'the result')
    """
    return "the result" if name == "result" else f"the result `{name}`"


def plural(count, one, more):
    """Count things.

    >>> plural(1, "axis", "axes"), plural(3, "axis", "axes")
    ('1 axis', '3 axes')
    """
    return f"{count} {one if count == 1 else more}"


def lower_first(text):
    """Return a sentence to be put after a colon.

    >>> lower_first("The sum is NaN."), lower_first("NaN passes.")
    ('the sum is NaN.', 'NaN passes.')
    """
    if any(map(str.isupper, text.partition(" ")[0][1:])):
        return text
    return text[:1].lower() + text[1:]
