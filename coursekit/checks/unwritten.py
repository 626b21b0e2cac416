"""Find a `...` of the starting code that is left where a value should be.

As an index, ``x[..., 0]``, a `...` is ordinary Python, and never counts.
"""

import dis
import itertools
import traceback
import types

import numpy as np

from coursekit.checks.calling import ELEMENTS, HERE, frames, items, str_of

EMPTY = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}


def unwritten_name(error):
    """Return the variable that still is `...` where a call failed.

    An empty string means that some value without a name is; None, that the
    error has nothing to do with it.
    """
    if isinstance(error, NotImplementedError):
        return ""
    for frame, _ in frames(error):
        for name, value in frame.f_locals.items():
            if value is ...:
                return name
    for frame, _ in traceback.walk_tb(error.__traceback__):
        ours = frame.f_code.co_filename.startswith(HERE)
        if ours and any(v is ... for v in frame.f_locals.values()):
            return ""  # it was handed to a function of attnlib
    # Not a ValueError: einsum writes of an ellipsis that its letters lack.
    about = isinstance(error, TypeError | AttributeError)
    return "" if about and "ellipsis" in str_of(error).lower() else None


def has_ellipsis(value):
    """Say whether a result, or a part of it, still is `...`.

    >>> has_ellipsis(...), has_ellipsis((1, np.array([..., 2])))
    (True, True)
    """
    return any(
        part is ... or any(p is ... for p in entries(part))
        for part in (value, *entries(value))
    )


def entries(value):
    """Return what a list, a tuple or an array of objects holds."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return list(value.flat[:ELEMENTS])
    return items(value)


def is_empty(function):
    """Say whether a function has no body: only `...`, `pass`, a docstring."""
    try:
        found = {i.opname for i in dis.get_instructions(function)}
    except TypeError:
        return False
    return found <= EMPTY


def left_open(function, works=False):
    """Return the first variable that is set to `...`, or None.

    An empty string means a `...` without a name. If the function `works`, a
    variable that is used as an index may well be meant to be `...`.

    >>> def f(x):
    ...     top = ...
    ...     return x[..., 0] - x[top]
    >>> left_open(f), left_open(f, works=True)
    ('top', None)
    >>> left_open(lambda x: x[..., 0] @ ...)
    ''
    """
    for code in codes(getattr(function, "__code__", None)):
        steps = list(dis.get_instructions(code))
        for step, after in itertools.pairwise([*steps, None]):
            if not is_open(step, after, steps):
                continue
            name = stored(after)
            if not (works and name and is_index_too(name, steps)):
                return name
    return None


def codes(code):
    """Return the code of a function, and of all functions inside it."""
    if not isinstance(code, types.CodeType):
        return
    yield code
    for inner in code.co_consts:
        yield from codes(inner)


def is_open(step, after, steps):
    """Say whether a step of the bytecode puts a `...` to use as a value."""
    if isinstance(step.argval, tuple) and ... in step.argval:
        return after is not None and after.opname == "UNPACK_SEQUENCE"
    if step.argval is not ... or stored(after):
        return step.argval is ...
    known = step.positions.col_offset is not None
    return known and not is_index(step, steps)


def stored(step):
    """Return the name of the variable that a step sets, or an empty one."""
    if step is None or not step.opname.startswith("STORE_"):
        return ""
    name = step.argval  # several names, where Python joins two steps
    return name[0] if isinstance(name, tuple) else name or ""


def is_index_too(name, steps):
    """Say whether a variable is used as an index somewhere."""
    return any(
        step.argval == name and is_index(step, steps)
        for step in steps
        if step.opname.startswith("LOAD_")
    )


def is_index(step, steps):
    """Say whether a value is an index, or stands in a tuple, as those do.

    What takes a value are the steps whose piece of the source is the
    smallest around that of the value.
    """
    start, end = own = place(step)
    around = {place(s) for s in steps} - {own}
    around = [p for p in around if p[0] <= start and end <= p[1]]
    inner = max((p[0] for p in around), default=None)
    taker = min((p for p in around if p[0] == inner), default=None)
    return any(
        s.opname == "BUILD_TUPLE" or "SUBSCR" in s.opname or s.argrepr == "[]"
        for s in steps
        if place(s) == taker
    )


def place(step):
    """Return where the source of a step begins and ends, in line, column."""
    line, end_line, column, end_column = (p or 0 for p in step.positions)
    return (line, column), (end_line, end_column)
