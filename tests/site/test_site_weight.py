"""What a reader downloads: everything that a page loads, compressed."""

import re

import pytest
import sheets
import weight
from pages import CHAPTERS, DOCUMENTS

LIMIT = 400_000
LIMITS = {"book/08-real-heads": 500_000}


@pytest.fixture(scope="module")
def parts(browser, base_url, site):
    """Return the files of the landing page and of each chapter."""
    return {
        name: weight.parts(browser, base_url, site, f"{name}.html")
        for name in [DOCUMENTS[0], *CHAPTERS]
    }


@pytest.mark.parametrize("name", [DOCUMENTS[0], *CHAPTERS])
def test_a_first_visit_is_light(parts, name):
    found = parts[name]
    assert f"{name}.html" in found
    assert f"_static/{sheets.NAME}" in found
    heavy = sorted(found.items(), key=lambda item: -item[1])[:8]
    assert sum(found.values()) <= LIMITS.get(name, LIMIT), heavy


@pytest.mark.parametrize("name", CHAPTERS[1:])
def test_a_second_chapter_adds_itself_its_figures_and_fonts(parts, name):
    new = set(parts[name]) - set(parts[CHAPTERS[0]]) - {f"{name}.html"}
    fonts = (".woff", ".woff2")
    others = [f for f in new if "_images/" not in f and not f.endswith(fonts)]
    assert others == []


def test_a_picture_that_waits_for_the_reader_is_counted(parts, site):
    for name, found in parts.items():
        text = (site / f"{name}.html").read_text("utf-8")
        shown = set(re.findall(r'<img[^>]*src="[./]*(_images/[^"]+)"', text))
        assert shown <= set(found), name


def test_the_next_page_is_not_counted(parts):
    for name, found in parts.items():
        pages = [f for f in found if f.endswith(".html")]
        assert pages == [f"{name}.html"]


def test_the_style_sheet_is_small(site):
    assert weight.sent(site / "_static" / sheets.NAME) <= 26_000
