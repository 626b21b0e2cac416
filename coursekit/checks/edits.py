"""Turn source code into functions, and edits of it into wrong ones."""

import math
import textwrap
import types

import numpy as np

import attnlib

SPACE = {"al": attnlib, "math": math, "np": np}


def compiled(source, file="<exercise>"):
    """Return the last function that a source defines.

    >>> compiled("def double(x): return 2 * x")(3)
    6
    """
    space = dict(SPACE)
    exec(compile(textwrap.dedent(source), file, "exec"), space)
    functions = [f for f in space.values() if is_ours(f, file)]
    return functions[-1]


def is_ours(thing, file):
    """Say whether this is a function that the source has defined."""
    return (
        isinstance(thing, types.FunctionType)
        and thing.__code__.co_filename == file
    )


def edited(source, edit):
    """Return a source with each old text, wherever it stands, made new.

    Parameters
    ----------
    source : str
        A right function.
    edit : dict of str to str, or str
        Old text and new text; or the source of a wholly different function.

    >>> edited("return scores - top", {"scores - top": "scores"})
    'return scores'
    """
    if isinstance(edit, str):
        return edit
    for old, new in edit.items():
        if old not in source:
            raise ValueError(f"{old!r} is not in the source:\n{source}")
        source = source.replace(old, new)
    return source
