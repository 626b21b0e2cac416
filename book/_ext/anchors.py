"""Sphinx extension: Korean headings keep the English anchors.

So a link to a section holds in both editions, and the switch between them
keeps its place. The English build comes first; its document trees say which
anchors there are, section by section.
"""

import os
import pickle
from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

ENGLISH = "BOOK_ENGLISH"  # the folder of the English document trees
logger = logging.getLogger(__name__)


def english_tree(document):
    """Return the tree that the English build made of a page."""
    file = Path(os.environ[ENGLISH], f"{document}.doctree")
    return pickle.loads(file.read_bytes())


class EnglishAnchors(SphinxTransform):
    """Give each section the anchors of its English twin."""

    default_priority = 870  # before anyone collects titles and labels

    def apply(self, **kwargs):
        """Pair the sections of both trees, in order."""
        if self.config.language != "ko":
            return
        new = list(self.document.findall(nodes.section))
        old = list(english_tree(self.env.docname).findall(nodes.section))
        if len(new) != len(old):
            logger.warning(
                "%d sections, but %d in English",
                *[len(new), len(old)],
                location=self.env.docname,
            )
            return
        for section, twin in zip(new, old, strict=True):
            rename(self.document, section, twin["ids"])


def rename(document, section, anchors):
    """Change the anchors of a section, and what points to them."""
    old = set(section["ids"])
    section["ids"] = list(anchors)
    for anchor in anchors:
        document.ids[anchor] = section
    for name, anchor in document.nameids.items():
        if anchor in old and anchor not in anchors:
            document.nameids[name] = anchors[0]


def setup(app):
    """Add the transform."""
    app.add_transform(EnglishAnchors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
