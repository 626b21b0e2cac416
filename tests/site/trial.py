"""A throwaway book whose pages hold every explorer, built like the real one.

The chapters choose which explorers they show, and how; here all of them are
on one page, as they are without arguments, two of a kind on another, on a
third the words that a page must not take for its own HTML, and on a last one
a widget that is no explorer.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import frontend
import locking
import nbformat
import pagepython
import project
import staging
import trained

from coursekit import explorers

NAMES = [n for n in explorers.__all__ if n.startswith("explore_")]
# Words that a page could take for its own HTML, formulas or numbering.
HOSTILE = [
    "</SCRIPT ><img src=x onerror=window.ran=1>",
    "</script\t><svg onload=window.ran=1>",
    "<!--<script>",
    '"><img src=x onerror=window.ran=1>',
    r"\(x\) $x$",
    "the",
    "the (6)",
    "the",
]
SHORT = ["<b>x", "&lt;", '"><i>']
SETUP = "import numpy as np\n\nfrom coursekit import explorers"
TAGS = {"tags": ["nbval-ignore-output", "widget"]}

# A page in the manner of the landing page: its code is not shown.
TEXT = """---
file_format: mystnb
kernelspec:
  name: python3
  display_name: Python 3
mystnb:
  remove_code_source: true
---

# A page of text

```{code-cell} ipython3
:tags: [widget]

from coursekit import explorers

explorers.explore_sentence()
```
"""


def notebook(title, sources, text="Trial."):
    """Return a notebook: title, text, imports, a cell for each source."""
    new = nbformat.v4
    book = new.new_notebook(
        metadata={
            "kernelspec": {"display_name": "Python 3", "name": "python3"}
        }
    )
    book.cells = [
        new.new_markdown_cell(f"# {title}\n\n{text}"),
        new.new_code_cell(SETUP),
    ]
    for source in sources:
        book.cells.append(new.new_markdown_cell("## Try it"))
        book.cells.append(new.new_code_cell(source, metadata=TAGS))
    return book


def prepare(folder, documents):
    """Make a book of some pages, the first of which is its root.

    `documents` maps names to a notebook or to MyST text.
    """
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ["_ext", "_tools", "_static", "_templates"]:
        source = project.ROOT / "book" / name
        shutil.copytree(source, folder / "book" / name, ignore=ignore)
    for name in ["_config.yml", "constraints.txt"]:
        shutil.copy(project.ROOT / name, folder)
    for name in ["references.bib", "matplotlibrc"]:
        shutil.copy(project.ROOT / "book" / name, folder / "book")
    linked = ["_frontend", "_live", "data", "playground"]
    for name in ["attnlib", "coursekit", *(f"book/{n}" for n in linked)]:
        (folder / name).symlink_to(project.ROOT / name)
    (folder / "_build").mkdir()
    with locking.locked(staging.LOCK):
        modules = frontend.fetch()
        # What was compiled and trained once serves all books.
        pagepython.zips(modules)
        trained.models()
    (folder / "_build" / "frontend").symlink_to(frontend.PACKAGES)
    (folder / "_build" / "python").symlink_to(pagepython.KEPT)
    (folder / "_build" / "trained").symlink_to(trained.KEPT)
    first, *others = documents
    toc = [f"format: jb-book\nroot: book/{first}\nchapters:"]
    toc += [f"- file: book/{name}" for name in others]
    (folder / "_toc.yml").write_text("\n".join(toc) + "\n")
    for name, document in documents.items():
        if isinstance(document, str):
            (folder / "book" / f"{name}.md").write_text(document)
        else:
            nbformat.write(document, folder / "book" / f"{name}.ipynb")


def run(folder, repository=""):
    """Build a book by the plain command; return the finished process."""
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    return subprocess.run(
        [str(jupyter_book), "build", "."],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(project.ROOT),
            "BOOK_REPOSITORY": repository,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def build(folder):
    """Build the book of all explorers; return the folder of its pages."""
    twice = ["explorers.explore_weight()", "explorers.explore_weight()"]
    every = [f"explorers.{name}()" for name in NAMES]
    hostile = [
        f"explorers.explore_sentence(np.eye({len(words)}), {words})"
        for words in [HOSTILE, SHORT]
    ]
    foreign = ["import ipywidgets\n\nipywidgets.IntSlider(3, 0, 9)"]
    formula = "This is a formula, $x$; the words below are none."
    prepare(
        folder,
        {
            "index": notebook("Every explorer", every),
            "twice": notebook("Two of a kind", twice),
            "text": TEXT,
            "hostile": notebook("Words like HTML", hostile, formula),
            "foreign": notebook("A widget of another kind", foreign),
        },
    )
    answer = run(folder)
    assert answer.returncode == 0, answer.stdout[-4000:]
    return folder / "_build" / "html"
