"""Sphinx extension: the code of a chapter's opening picture comes after it."""

from docutils import nodes


def on_doctree(app, doctree):
    """Turn round the cells with the tag `opening`: first what they show."""
    for cell in doctree.findall(nodes.container):
        if "tag_opening" in cell["classes"]:
            cell.children.reverse()


def setup(app):
    """Run on every page that was read."""
    app.connect("doctree-read", on_doctree)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
