"""Sphinx extension: the one rewriting of the pages, once all are written.

Each page is read once, parsed once and written once. It gets labels for its
boxes, formulas in place of their TeX, its figures, what its cells need, a
policy, our icons, and of style sheets and scripts one each.
"""

from pathlib import Path

import figures
import formulas
import frontend
import goals
import hangul
import icons
import pagepython
import policy
import scripts
import sheets
import theme_words
from markup import Page


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
    for document, page in pages.items():
        pagepython.add(app, document, page)
        policy.add(page)
        icons.replace(page)
        fix_lists(page)
        theme_words.add(page)
    dress(list(pages.values()), Path(app.outdir) / "_static")
    for path, page in zip(paths, pages.values(), strict=True):
        path.write_text(page.result(), "utf-8")


def dress(pages, static):
    """Give all pages one script, one style sheet and one Korean font."""
    code = scripts.add(pages, static)
    hangul.add(pages, frontend.MODULES / "@fontsource/noto-sans-kr", static)
    sheets.add(pages, static, code)
    scripts.tidy(static)


def on_finish(app, exception):
    """Rewrite the pages of a build that came to its end."""
    if exception is None and app.builder.name == "html":
        found = sorted(Path(app.outdir).rglob("*.html"))
        rewrite(app, [path for path in found if "_static" not in path.parts])


def setup(app):
    """Run after all other extensions, and before the site is published."""
    app.connect("build-finished", on_finish, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
