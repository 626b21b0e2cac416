"""Sphinx extension: two editions of the book that know of each other.

The English build starts the Korean one, when all is translated, and takes its
pages in as `ko/`: both are published together, or neither. Every page has a
link to its twin, and says in which languages it is there.
"""

import os
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path

import anchors
import korean_book
import sharing
import staging
from docutils import nodes

NAMES = {"en": "English", "ko": "한국어"}
FOLDERS = {"en": "", "ko": "ko/"}  # in the site
NOTEBOOK = '<a class="other-edition"'  # a link, in each notebook's first cell
LONGEST = 160  # letters of a description


def on_config(app, config):
    """Find out which editions there will be."""
    korean = config.language == "ko" or korean_book.complete()
    app.editions = list(NAMES) if korean else [config.language]


def twins(app, document):
    """Return the address of a page in each edition, from the page itself."""
    here = FOLDERS[app.config.language]
    root = "../" * (document.count("/") + here.count("/"))
    return {n: f"{root}{FOLDERS[n]}{document}.html" for n in app.editions}


def on_page(app, document, template, context, doctree):
    """Give a page its description, and the links to its twins."""
    found = twins(app, document)
    head = [
        f'<link rel="alternate" hreflang="{name}" href="{escape(address)}">'
        for name, address in found.items()
        if len(found) > 1
    ]
    words = description(doctree)
    if words:
        head.append(f'<meta name="description" content="{escape(words)}">')
    context["metatags"] = context.get("metatags", "") + "\n".join(head)
    context["other_editions"] = [
        {"language": name, "name": NAMES[name], "address": address}
        for name, address in found.items()
        if name != app.config.language
    ]


def on_read(app, doctree):
    """Leave out the link to the other notebook: a page has its own."""
    for paragraph in list(doctree.findall(nodes.paragraph)):
        first = paragraph.next_node(nodes.raw)
        if first and first.astext().startswith(NOTEBOOK):
            paragraph.parent.remove(paragraph)


def description(doctree):
    """Return the first sentences of a page, as many as a search would show.

    >>> description(None)
    ''
    """
    if doctree is None:
        return ""
    first = next(doctree.findall(nodes.paragraph), None)
    text = " ".join(first.astext().split()) if first else ""
    if len(text) <= LONGEST:
        return text
    return text[:LONGEST].rpartition(" ")[0] + " …"


# --- the Korean build --------------------------------------------------------


def build(trees):
    """Build the Korean book; return its pages, or None."""
    book = korean_book.write()
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build"]
    done = subprocess.run(
        [*command, str(book), "-q"],
        cwd=book,
        env={**os.environ, staging.HELD: "yes", anchors.ENGLISH: str(trees)},
    )
    return book / "_build" / "html" if done.returncode == 0 else None


def on_finish(app, exception):
    """Build the other edition, and take it in."""
    wanted = app.config.language == "en" and "ko" in app.editions
    whole = exception is None and not app._warncount
    if app.builder.name != "html" or not wanted or not whole:
        return
    print("the Korean edition", flush=True)
    built = build(app.doctreedir)
    if built is None:
        raise SystemExit("The Korean edition could not be built: see above.")
    site = Path(app.outdir)
    shutil.move(built, site / "ko")
    staging.stamp(built).unlink()
    sharing.share(site, site / "ko")


def setup(app):
    """Run when the pages are as they will be, before they are published."""
    app.connect("config-inited", on_config, priority=300)
    app.connect("doctree-read", on_read)
    app.connect("html-page-context", on_page)
    app.connect("build-finished", on_finish, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
