"""Sphinx extension: the code of a chapter's opening picture comes after it."""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform


class OpeningFirst(SphinxPostTransform):
    """Turn round the cells with the tag `opening`: first what they show."""

    default_priority = 210  # after MyST-NB has folded the code
    formats = ("html",)

    def run(self, **kwargs):
        """Reverse code and picture."""
        for cell in self.document.findall(nodes.container):
            if "tag_opening" in cell["classes"]:
                cell.children.reverse()


def setup(app):
    """Add the transform."""
    app.add_post_transform(OpeningFirst)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
