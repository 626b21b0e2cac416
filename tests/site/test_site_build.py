"""A small throwaway book, built by the plain command: `jupyter-book build .`.

It shows what holds for each build, without building the real book again.
"""

import nbformat
import pytest
import trial

REPOSITORY = "https://github.com/ada/attention"
LABEL = '</SCRIPT ><img src=x onerror="document.title = 1"><!--<script>'
CELL = f"import ipywidgets\nprint('the cell ran')\nipywidgets.Label({LABEL!r})"
TEXT = "# A page\n\nSee [the cells](cells).\n\n- [ ] I can.\n"


def cells():
    book = nbformat.v4.new_notebook(
        metadata={
            "kernelspec": {"display_name": "Python 3", "name": "python3"}
        }
    )
    tags = {"tags": ["widget", "nbval-ignore-output"]}
    book.cells = [
        nbformat.v4.new_markdown_cell("# Cells\n\n$a < b$"),
        nbformat.v4.new_code_cell(CELL, metadata=tags),
    ]
    return book


def built(folder, **options):
    """Build the book; return its pages by name."""
    answer = trial.run(folder, **options)
    assert answer.returncode == 0, answer.stdout[-4000:]
    pages = (folder / "_build" / "html").rglob("*.html")
    return {p.name: p.read_text("utf-8") for p in pages if p.is_file()}


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Return the folder of the small book."""
    folder = tmp_path_factory.mktemp("small")
    trial.prepare(folder, {"text": TEXT, "cells": cells()})
    return folder


@pytest.fixture(scope="module")
def without_address(book):
    """Return the pages of a build that knows no repository."""
    return built(book)


def runs(folder):
    """Return the executed notebooks in the cache, and when they were run."""
    cache = folder / "_build" / ".jupyter_cache"
    found = {p: p.stat().st_mtime_ns for p in cache.rglob("*.ipynb")}
    assert len(found) == 1
    return found


def test_unknown_repository_leaves_no_dead_button(without_address):
    for name, text in without_address.items():
        for dead in ["mybinder.org", "/edit/main/", "/issues"]:
            assert dead not in text, name
        assert "executablebooks" not in text, name


def test_new_address_changes_the_pages_and_runs_no_cell(book, without_address):
    before = runs(book)
    pages = built(book, repository=REPOSITORY)
    assert runs(book) == before, "cells ran again, with nothing changed"
    assert f"{REPOSITORY}/edit/main/book/text.md" in pages["text.html"]
    assert "mybinder.org" in pages["cells.html"]


def test_widget_label_cannot_end_its_script(without_address):
    text = without_address["cells.html"]
    assert "the cell ran" in text
    assert "onerror" in text
    assert "<img src=x" not in text
    assert "</SCRIPT" not in text


def test_only_a_page_with_a_stock_widget_may_compile(without_address):
    assert "'unsafe-eval'" in without_address["cells.html"]
    assert "'unsafe-eval'" not in without_address["text.html"]


def test_a_page_is_rewritten_once(without_address):
    text, cells = without_address["text.html"], without_address["cells.html"]
    assert text.count("<label><input") == text.count("<label>") == 1
    assert text.count("<script>") == cells.count("<script>") == 1
    assert cells.count("<math") == 1


def test_a_build_with_a_warning_leaves_the_old_site(book, without_address):
    page = book / "book" / "text.md"
    good = page.read_text()
    site = book / "_build" / "html" / "book" / "text.html"
    before = site.read_text("utf-8")
    page.write_text(good + "\n[A dead reference](#no-such-label)\n")
    try:
        answer = trial.run(book)
    finally:
        page.write_text(good)
    assert answer.returncode == 1
    assert "no-such-label" in answer.stdout
    assert "The book has 1 warning (see above)" in answer.stdout
    assert site.read_text("utf-8") == before
    # Sphinx repeats no warning of a page that it remembers.
    assert not list((book / "_build").rglob("*.pickle"))
    assert not list((book / "_build").rglob("*.doctree"))
