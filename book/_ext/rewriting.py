"""Sphinx extension: the one rewriting of the pages, once all are written.

Each page is read once, parsed once and written once. It gets labels for its
boxes, formulas in place of their TeX, its figures, and a store that never
fails.
"""

from pathlib import Path

import figures
import formulas
import goals
from markup import Page

STORAGE = Path(__file__).with_name("storage.js").read_text("utf-8")


def keep_store(page):
    """Put the script that replaces a missing store before all others."""
    for head in page.find("head"):
        page.insert(head.inner, f"\n<script>\n{STORAGE}</script>")


def fix_lists(page):
    """Call no list what holds no list items: docutils' citations."""
    for element in page.find("div", "citation-list"):
        if element.attributes.get("role") == "list":
            start = page.html.index(' role="list"', element.start)
            page.edit(start, start + len(' role="list"'), "")


def rewrite(app, paths):
    """Read the pages, edit them together, and write them."""
    pages = {
        path.relative_to(app.outdir).with_suffix("").as_posix(): Page(
            path.read_text("utf-8")
        )
        for path in paths
    }
    formulas.add(pages, Path(app.outdir) / "_static")
    goals.add(app, pages)
    figures.add(Path(app.outdir, "_images"), pages.values())
    for path, page in zip(paths, pages.values(), strict=True):
        keep_store(page)
        fix_lists(page)
        path.write_text(page.result(), "utf-8")


def on_finish(app, exception):
    """Rewrite the pages of a build that came to its end."""
    if exception is None and app.builder.name == "html":
        found = sorted(Path(app.outdir).rglob("*.html"))
        rewrite(app, [path for path in found if "_static" not in path.parts])


def setup(app):
    """Run after all other extensions, and before the site is published."""
    app.connect("build-finished", on_finish, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
