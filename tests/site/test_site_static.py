"""What can be read off the built files without a browser."""

import json
import os
import re
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urlsplit

import project
import pytest
from pages import (
    DOCUMENTS,
    MADE_BY_SPHINX,
    NOTEBOOKS,
    REPOSITORY,
    ROOTS,
    html_pages,
)


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
    names = {f"{name}.html" for name in [*DOCUMENTS, *MADE_BY_SPHINX]}
    names |= {f"ko/{name}" for name in names}
    assert html_pages(site) == names | ROOTS


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
    return len(text) >= 5 and not name and text != image.get("src")


def test_widget_runtime_is_loaded_only_where_there_are_widgets(site):
    for name in html_pages(site):
        text = (site / name).read_text("utf-8")
        state = "application/vnd.jupyter.widget-state+json" in text
        assert ("widgets/embed.js" in text) == state, name


@pytest.mark.parametrize("name", DOCUMENTS)
def test_known_repository_gives_exact_links(site, name):
    source = next(project.ROOT.glob(f"{name}.*"))
    path = source.relative_to(project.ROOT).as_posix()
    links = Page(site / f"{name}.html").links
    assert f"{REPOSITORY}/edit/main/{path}" in links
    assert any(link.startswith(f"{REPOSITORY}/issues") for link in links)
    owner = REPOSITORY.removeprefix("https://github.com/")
    binder = f"https://mybinder.org/v2/gh/{owner}/main?urlpath=lab/tree/{path}"
    assert (binder in links) == (name in NOTEBOOKS)


def test_no_json_in_a_page_can_end_its_script(site):
    blocks = 0
    for name in html_pages(site):
        text = (site / name).read_text("utf-8")
        for tag in re.finditer(r'<script type="application/\S*json">', text):
            end = text.index("<", tag.end())
            assert text.startswith("</script>", end), name
            json.loads(text[tag.end() : end])
            blocks += 1
    assert blocks > len(NOTEBOOKS)
