"""Sphinx extension: figures that are part of their page, and their numbers.

What Matplotlib drew is inlined, so that it follows the theme of the page, and
no file is left of it. A page that is no chapter has no number to give to its
figures: their captions stand alone there.
"""

from pathlib import Path
from urllib.parse import unquote

from coursekit.explorers import pictures


def add(folder, pages):
    """Put the SVG files of `folder` into the pages that show them."""
    done = set()
    for page in pages:
        for image in filter(is_drawing, page.find("img")):
            file = Path(folder, unquote(Path(image.attributes["src"]).name))
            alt = image.attributes.get("alt") or ""
            svg = pictures.inline(file.read_text("utf-8"), alt)
            page.edit(image.start, image.end, svg)
            done.add(file)
    for file in done:
        file.unlink()


def is_drawing(image):
    """Say whether an image is one of the build's own SVG files."""
    source = image.attributes.get("src") or ""
    return "_images/" in source and source.endswith(".svg")


def on_numbers(app, env):
    """Take back the numbers of figures on pages that have none."""
    for document, numbers in env.toc_fignumbers.items():
        if not env.toc_secnumbers.get(document, {}).get(""):
            numbers.pop("figure", None)
    return []


def setup(app):
    """Run when Sphinx has given out its numbers."""
    app.connect("env-get-updated", on_numbers, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
