"""Sphinx extension: the `Shapes:` of a docstring, set as it is meant.

A docstring says it in a line, or in several whose others are indented; reST
would take these for a definition, with the first line as a bold term.
"""

import re

LABEL = "Shapes:"


def parts(text):
    """Split at commas outside of brackets, and at arrows.

    >>> parts("q (..., d), k (..., d) -> (..., d)")
    ['q (..., d)', ', ', 'k (..., d)', ' -> ', '(..., d)']
    """
    return re.split(r"(, | -> )(?![^(]*\))", text)


def typeset(text):
    """Return the shapes as reST: each of them a literal.

    >>> typeset("x (n) -> (n, n)")
    'Shapes: ``x (n)`` → ``(n, n)``'
    """
    pieces = parts(text)
    pieces[::2] = [f"``{shape}``" for shape in pieces[::2]]
    return f"{LABEL} {''.join(pieces).replace(' -> ', ' → ')}"


def join(lines):
    """Return a docstring's lines with each `Shapes:` on one line."""
    done, shapes = [], None
    for line in [*lines, ""]:
        if line.strip().startswith(LABEL):
            indent = line[: line.index(LABEL)]
            shapes = [line.strip().removeprefix(LABEL)]
        elif shapes and line.strip():
            shapes.append(line)
        else:
            if shapes:
                done.append(
                    indent + typeset(" ".join(" ".join(shapes).split()))
                )
            shapes = None
            done.append(line)
    return done[:-1]


def on_docstring(app, what, name, obj, options, lines):
    """Set the shapes, before numpydoc reads the docstring."""
    lines[:] = join(lines)


def setup(app):
    """Run before numpydoc, whose priority is the usual one."""
    app.connect("autodoc-process-docstring", on_docstring, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
