"""Sphinx extension: a Korean particle stays on the line of its word.

Browsers break a line before Hangul that follows a bracket, a quotation mark,
a formula or code. No reader of Korean would.
"""

import re

from docutils import nodes

CLOSED = re.compile(r"(?<=[)\]”’%])(?=[가-힣])")
JOINER = "\u2060"  # no break here
# What may hang on a formula or on code: no space, and not too much of it.
HANGING = re.compile(r"[)\]”’,.]*[가-힣][^\s(“‘]{0,11}|[)\]”’,.]+")
LONGEST = 24  # letters of code or TeX that a phone shows on one line
CLASS = "kept"


def join(text):
    """Let no line begin with a particle after a bracket.

    >>> join("값(value)은") == "값(value)\u2060은"
    True
    """
    return CLOSED.sub(JOINER, text)


def hang(node):
    """Put a formula or code, and what hangs on it, on one line."""
    following = node.next_node(descend=False, siblings=True)
    if not isinstance(following, nodes.Text):
        return
    match = HANGING.match(following)
    if not match or len(node.astext()) > LONGEST:
        return
    text = following.astext()
    box = nodes.inline("", "", classes=[CLASS])
    parent = node.parent
    place = parent.index(node)
    parent.remove(following)
    parent.remove(node)
    rest = text[match.end() :]
    box += [node, nodes.Text(match[0])]
    parent.insert(place, [box, nodes.Text(rest)] if rest else [box])


def on_resolved(app, doctree, document):
    """Go through the texts of a Korean page."""
    if app.config.language != "ko":
        return
    for kind in (nodes.math, nodes.literal):
        for node in list(doctree.findall(kind)):
            hang(node)
    for text in list(doctree.findall(nodes.Text)):
        code = isinstance(text.parent, nodes.literal | nodes.FixedTextElement)
        if not code and CLOSED.search(text):
            text.parent.replace(text, nodes.Text(join(text)))


def setup(app):
    """Run when all references are resolved."""
    app.connect("doctree-resolved", on_resolved, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
