"""What can be read off the built files without a browser."""

import os
import re
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urlsplit

import project
import pytest
from pages import DOCUMENTS, MADE_BY_SPHINX, NOTEBOOKS, html_pages, run_build

REPOSITORY = "https://github.com/ada/attention"


class Page(HTMLParser):
    """The links, targets and images of one page."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.links, self.targets, self.images = [], set(), []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.targets |= {found.get("id"), found.get("name")} - {None}
        if tag == "img":
            self.images.append(found)
        for key in ("href", "src"):
            if found.get(key):
                self.links.append(found[key])

    handle_startendtag = handle_starttag


@pytest.fixture(scope="module")
def parsed(site):
    return {p: Page(site / p) for p in sorted(html_pages(site))}


def test_every_page_is_one_that_the_other_tests_open(site):
    expected = {f"{name}.html" for name in DOCUMENTS}
    made = {f"{name}.html" for name in MADE_BY_SPHINX}
    pages = html_pages(site)
    assert expected <= pages
    assert pages - expected - made == {"index.html"}


def test_internal_links_and_anchors_resolve(site, parsed):
    dead = []
    for name, page in parsed.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            file, anchor = urldefrag(unquote(link))
            path = page.path
            if file:
                path = (page.path.parent / file.split("?")[0]).resolve()
            target = os.path.relpath(path, site.resolve())
            known = parsed.get(target)
            missing = anchor and known and anchor not in known.targets
            if target.startswith("..") or not path.is_file() or missing:
                dead.append(f"{name}: {link}")
    assert dead == []


def test_nothing_is_loaded_from_another_host(site):
    loads = re.compile(
        r"""<(?:script|img|iframe|source|link(?![^>]*rel="canonical"))\b"""
        r"""[^>]*\b(?:src|href)=["'](?:https?:)?//[^"']*"""
    )
    for name in html_pages(site):
        assert loads.findall((site / name).read_text("utf-8")) == [], name


def test_every_image_says_what_it_shows(parsed):
    silent = [
        f"{name}: {image.get('src')}: {image.get('alt')!r}"
        for name, page in parsed.items()
        for image in page.images
        if not says_something(image)
    ]
    assert silent == []


def says_something(image):
    """Say whether the text alternative is a sentence, not a file's name."""
    text = (image.get("alt") or "").strip()
    name = re.search(r"\.(svg|png|jpe?g|gif)$", text)
    enough = 20 if "_images/" in image.get("src", "") else 5
    return len(text) >= enough and not name and text != image.get("src")


def test_widget_runtime_is_loaded_only_where_there_are_widgets(site):
    for name in html_pages(site):
        text = (site / name).read_text("utf-8")
        state = "application/vnd.jupyter.widget-state+json" in text
        assert ("widgets/embed.js" in text) == state, name


def stored_runs():
    """Return the executed notebooks in the cache, and when they were run."""
    stored = sorted(course.execution_cache().rglob("*.ipynb"))
    assert len(stored) >= len(NOTEBOOKS)
    return {path: path.stat().st_mtime_ns for path in stored}


@pytest.fixture(scope="module")
def both_sites(site, tmp_path_factory):
    """Return the site with the repository known, and with it unknown."""
    known = course.repository() is not None
    other = tmp_path_factory.mktemp("other")
    address = "" if known else REPOSITORY
    before = stored_runs()
    run_build("html", str(other), BOOK_REPOSITORY=address)
    assert stored_runs() == before, "cells ran again, with nothing changed"
    pair = [site, other / "html"]
    return pair if known else pair[::-1]


def test_unknown_repository_leaves_no_dead_button(both_sites):
    _, unknown = both_sites
    for name in html_pages(unknown):
        text = (unknown / name).read_text("utf-8")
        assert "mybinder.org" not in text, name
        assert "/edit/main/" not in text, name
        assert "/issues" not in text, name
        assert "executablebooks" not in text, name


@pytest.mark.parametrize("name", DOCUMENTS)
def test_known_repository_gives_exact_links(both_sites, name):
    known, _ = both_sites
    repository = course.repository() or REPOSITORY
    source = next(project.ROOT.glob(f"{name}.*"))
    path = source.relative_to(project.ROOT).as_posix()
    links = Page(known / f"{name}.html").links
    assert f"{repository}/edit/main/{path}" in links
    assert any(link.startswith(f"{repository}/issues") for link in links)
    owner = repository.removeprefix("https://github.com/")
    binder = f"https://mybinder.org/v2/gh/{owner}/main?urlpath=lab/tree/{path}"
    assert (binder in links) == (name in NOTEBOOKS)
