"""Sphinx extension: the terms of the Korean glossary are shown in Korean.

In the text they stay English, since every page links to them by that name.
"""

import edition
from docutils import nodes
from sphinx import addnodes

PAGE = "book/notation"


def on_resolved(app, doctree, document):
    """Put the Korean in the place of each term."""
    if app.config.language != "ko" or document != PAGE:
        return
    korean = edition.words_of(document.rpartition("/")[2])
    for glossary in doctree.findall(addnodes.glossary):
        for term in glossary.findall(nodes.term):
            for text in list(term.findall(nodes.Text)):
                words = text.astext()
                text.parent.replace(text, nodes.Text(korean.get(words, words)))


def setup(app):
    """Run when all references are resolved."""
    app.connect("doctree-resolved", on_resolved)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
