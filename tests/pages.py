"""Which pages there are, by the table of contents; and how to build them."""

import os
import re
import subprocess
import sys

import project
import pytest
import yaml
from repository import repository

TOC = yaml.safe_load((project.ROOT / "_toc.yml").read_text("utf-8"))
DOCUMENTS = [
    TOC["root"],
    *(c["file"] for part in TOC["parts"] for c in part["chapters"]),
]
NOTEBOOKS = [d for d in DOCUMENTS if (project.ROOT / f"{d}.ipynb").is_file()]
CHAPTERS = [n for n in NOTEBOOKS if re.match(r"\d\d-", n.split("/")[-1])]
MADE_BY_SPHINX = ["search"]
ROOTS = {"index.html", "ko/index.html"}  # lead to the landing pages
# The site is always built with an address, the real one if there is one.
REPOSITORY = repository() or "https://github.com/ada/attention"
TOOL = [sys.executable, str(project.ROOT / "book" / "_tools" / "make_book.py")]


def html_pages(site):
    """Return the names of all pages that were built."""
    names = {p.relative_to(site).as_posix() for p in site.rglob("*.html")}
    return {name for name in names if not name.startswith("_static/")}


def run_build():
    """Run what `make book` runs; a failure shows the end of its output."""
    answer = subprocess.run(
        TOOL,
        env={**os.environ, "BOOK_REPOSITORY": REPOSITORY},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if answer.returncode:
        tail = "\n".join(answer.stdout.splitlines()[-60:])
        pytest.fail(f"the book does not build:\n{tail}", pytrace=False)
