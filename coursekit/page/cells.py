"""Run a cell, and complete a name in it."""

import ast
import builtins
import json
import keyword
import linecache
import re
import sys
import traceback

from coursekit.page import figures
from coursekit.page.outputs import Printed, bundle, send

__all__ = ["complete", "run"]

space = sys.modules["__main__"].__dict__
printed = Printed()


def run(source, name):
    """Run a cell as a notebook would; return, as JSON, whether it succeeded.

    What it prints and shows is sent while it runs. The last line, if it is
    an expression, is shown, unless it ends in a semicolon.

    Parameters
    ----------
    source : str
        The code of the cell.
    name : str
        How a traceback calls the cell.
    """
    file = f"<{name}>"
    # So that tracebacks, and the checks of the exercises, find the source.
    lines = source.splitlines(keepends=True)
    linecache.cache[file] = (len(source), None, lines, file)
    printed.start()
    streams = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = printed
    try:
        _execute(source, file)
        printed.flush()  # above the figures
        figures.finish()
    except BaseException as error:
        printed.flush()
        figures.forget()
        send(kind="error", **_told(error, file))
        return json.dumps({"ok": False})
    finally:
        printed.flush()
        sys.stdout, sys.stderr = streams
    return json.dumps({"ok": True})


def _execute(source, file):
    tree = ast.parse(source, file)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, file, "exec"), space)
    if last is None:
        return
    value = eval(compile(last, file, "eval"), space)
    quiet = source.rstrip().endswith(";") or figures.is_drawn(value)
    if value is not None and not quiet:
        space["_"] = value
        printed.flush()
        send(**bundle(value))


def _told(error, file):
    """Return what to say of an error, and the line of the cell it is in."""
    if isinstance(error, SyntaxError) and error.filename == file:
        text = "".join(traceback.format_exception_only(error))
        return {"text": text, "line": error.lineno or 1}
    steps = traceback.extract_tb(error.__traceback__)
    steps = [step for step in steps if step.filename != __file__]
    own = [step for step in steps if step.filename == file]
    line = own[-1].lineno if own else 1
    # From the cell on, the way in: the reader's own lines, and the last one.
    shown = [s for s in steps if s.filename.startswith("<cell")]
    shown = shown[-6:] + steps[-1:] * (bool(steps) and steps[-1] not in shown)
    text = "".join(traceback.format_list(shown))
    text += "".join(traceback.format_exception_only(error))
    return {"text": text, "line": line}


def complete(text):
    """Return, as JSON, the names that may follow `text`, a line's beginning.

    Only names and attributes are looked up: nothing is called.
    """
    found = re.search(r"(?:([\w.]+)\.)?(\w*)$", text)
    path, start = found.groups()
    names = _attributes(path) if path else _names()
    fitting = sorted(
        name
        for name in names
        if name.startswith(start) and (start[:1] == "_" or name[0] != "_")
    )
    return json.dumps(fitting[:200])


def _names():
    return {*space, *dir(builtins), *keyword.kwlist}


def _attributes(path):
    first, *rest = path.split(".")
    value = space.get(first, getattr(builtins, first, None))
    for name in rest:
        value = getattr(value, name, None)
    return [] if value is None else dir(value)
