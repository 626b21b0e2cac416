"""Read what a learner wrote: an open `...`, a loop, the names it uses.

As an index, ``x[..., 0]``, a `...` is ordinary Python and never counts.
"""

import ast
import inspect
import textwrap

LOOPS = (ast.For, ast.While)
INNER = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)


def tree_of(function):
    """Return the syntax tree of a function, or None if it has no source."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except Exception:  # built in, made by `exec`, a lambda inside a call
        return None


def left_open(tree, works=False):
    """Return the name of the first variable that is still `...`, or None.

    An empty string means a `...` without a name. If the function `works`,
    only a named `...` that is never an index was forgotten.

    >>> tree = ast.parse("top = ...; y = x[..., 0] - x[top] @ ...")
    >>> left_open(tree), left_open(tree, works=True)
    ('top', None)
    >>> left_open(ast.parse("np.einsum(e, [..., 0])")) is None
    True
    """
    indices = {
        getattr(part, "id", part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        for part in ast.walk(node.slice)
    }
    for node in ast.walk(tree):
        name, values = _named_values(node)
        if not any(map(_is_open, values)):
            continue
        if name and not (works and name in indices):
            return name
        if not works and not name and not indices & set(values):
            return ""
    return None


def _named_values(node):
    """Return the variable that a node sets, or "", and the values in it."""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
        first = (
            node.targets[0] if isinstance(node, ast.Assign) else (node.target)
        )
        return getattr(first, "id", ""), [node.value]
    if isinstance(node, ast.List):  # of subscripts, as einsum takes them
        return "", []
    return "", list(ast.iter_child_nodes(node))


def _is_open(node):
    return isinstance(node, ast.Constant) and node.value is ...


def is_empty(tree):
    """Say whether a function has no body: only `...`, `pass`, a docstring."""
    if not tree.body:  # the reader has deleted it since
        return False
    body = getattr(tree.body[0], "body", [tree.body[0]])
    return isinstance(body, list) and all(
        isinstance(node, ast.Pass)
        or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        )
        for node in body
    )


def loops(tree):
    """Say whether there is a loop, and whether it is a statement.

    >>> loops(ast.parse("[x for x in y]"))
    (True, False)
    """
    nodes = list(ast.walk(tree))
    statement = any(isinstance(n, LOOPS) for n in nodes)
    return statement or any(isinstance(n, INNER) for n in nodes), statement


def used(tree):
    """Return the names that a function reads, and "@" if it multiplies so.

    >>> sorted(used(ast.parse("y = al.softmax(x @ w)")))
    ['@', 'al', 'softmax', 'w', 'x']
    """
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.MatMult):
            found.add("@")
    return found
