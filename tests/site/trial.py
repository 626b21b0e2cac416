"""A throwaway book whose pages hold every explorer, built like the real one.

The chapters choose which explorers they show, and how; here all of them are
on one page, as they are without arguments, and two of a kind on another.
"""

import os
import shutil
import subprocess
import sys

import project
import nbformat

from coursekit import explorers

NAMES = [n for n in explorers.__all__ if n.startswith("explore_")]
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


def notebook(title, sources):
    """Return a notebook: a title, the import, one cell for each source."""
    new = nbformat.v4
    book = new.new_notebook(
        metadata={
            "kernelspec": {"display_name": "Python 3", "name": "python3"}
        }
    )
    book.cells = [
        new.new_markdown_cell(f"# {title}\n\nTrial."),
        new.new_code_cell("from coursekit import explorers"),
    ]
    for source in sources:
        book.cells.append(new.new_markdown_cell("## Try it"))
        book.cells.append(new.new_code_cell(source, metadata=TAGS))
    return book


def build(folder):
    """Build the book below a folder; return the folder of its pages."""
    copied = [".", "book/_tools", "book/_static", "book/_templates"]
    ignore = shutil.ignore_patterns("__pycache__")
    for name in copied[1:]:
        shutil.copytree(project.ROOT / name, folder / name, ignore=ignore)
    for name in ["_config.yml", "constraints.txt", "book/references.bib"]:
        shutil.copy(project.ROOT / name, folder / name)
    for name in ["attnlib", "coursekit", "book/_frontend"]:
        (folder / name).symlink_to(project.ROOT / name)
    shutil.copy(project.ROOT / "book/matplotlibrc", folder / "book")
    (folder / "_build").mkdir()
    frontend = project.ROOT / "_build" / "frontend"
    (folder / "_build" / "frontend").symlink_to(frontend)
    (folder / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nchapters:\n"
        "- file: book/twice\n- file: book/text\n"
    )
    pages = {
        "index": notebook(
            "Every explorer", [f"explorers.{name}()" for name in NAMES]
        ),
        "twice": notebook(
            "Two of a kind",
            ["explorers.explore_weight()", "explorers.explore_weight()"],
        ),
    }
    (folder / "book" / "text.md").write_text(TEXT)
    for name, book in pages.items():
        nbformat.write(book, folder / "book" / f"{name}.ipynb")
    answer = subprocess.run(
        [sys.executable, str(folder / "book" / "_tools" / "make_book.py")],
        env={
            **os.environ,
            "PYTHONPATH": str(project.ROOT),
            "BOOK_REPOSITORY": "",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert answer.returncode == 0, answer.stdout[-4000:]
    return folder / "_build" / "html"
