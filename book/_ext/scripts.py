"""One script for the site, deferred: nothing waits for it but its own work.

The theme and the extensions bring more than a dozen, most of which stop the
page while they load. What the pages need of them is joined in this order.
"""

import functools
import json
import re
import shutil
from pathlib import Path

import edition
import spoken
import theme_words
from edition import phrase
from project import fingerprinted

NAME, WORDS = "site.js", "words.js"
# The only one that the browser waits for; it must not wait for a file.
FIRST = Path(__file__).with_name("first.js")
BUNDLED = [
    "documentation_options.js",
    "doctools.js",
    "sphinx_highlight.js",
    "clipboard.min.js",
    "copybutton.js",
    "togglebutton.js",
    "scripts/sphinx-book-theme.js",
    "scripts/pydata-sphinx-theme.js",
    "phrase.js",
    "shell.js",
    "page.js",
    "explorers.js",
    "run.js",
    "switch.js",
]
# What no page uses: tabs; icons (icons.py); menus and tips (shell.js).
DROPPED = ["design-tabs.js", "scripts/fontawesome.js", "scripts/bootstrap.js"]
# The only setting in which the editions differ.
LANGUAGE = r"(?<=^    LANGUAGE: )'\w+'"
# What Sphinx would say in Korean: see theme_words.py.
DROPPED += ["translations.js"]
SEARCH = ["searchtools.js", "language_data.js", "searchindex.js"]
# Settings that stand in the page, for the scripts above.
SETTINGS = ("let toggle", "var toggle")
# What first.js says, and what has no effect here: the names of pages serve a
# list of versions, and the search page would select a field of its dialog.
UNUSED = (
    "DOCUMENTATION_OPTIONS.",
    "document.documentElement.dataset.mode",
    "// Activate the search field",
)


# The theme measures every box of the page when it loads and again whenever a
# picture changes, a second each time on a slow phone. page.js watches sizes.
MEASURED = """["pre",".nboutput > .output_area",".cell_output > .output",\
".jp-RenderedHTMLCommon",".pst-scrollable-table-container"].join(", ")"""


def name_of(element):
    """Return the file that a script or a link loads, as named above."""
    address = element.attributes.get("src") or element.attributes.get("href")
    return (address or "").split("?")[0].rpartition("_static/")[2]


def text_of(page, element):
    """Return the text of an inline script."""
    return page.html[element.inner : element.close].strip()


def settings(pages):
    """Return the inline settings of all pages, each once, in order."""
    texts = [text_of(p, e) for p in pages for e in p.find("script")]
    return list(dict.fromkeys(t for t in texts if t.startswith(SETTINGS)))


def bundle(pages, static):
    """Return the text of the one script."""
    files = [(static / name).read_text("utf-8") for name in BUNDLED]
    text = "\n".join([*settings(pages), *files])
    if text.count(MEASURED) != 1:
        raise SystemExit(
            "The theme's script has changed: see MEASURED in scripts.py."
        )
    lines = text.replace(MEASURED, '"nothing"').splitlines()
    kept = [line for line in lines if "sourceMappingURL" not in line]
    text = re.sub(
        LANGUAGE, "document.documentElement.lang", "\n".join(kept), flags=re.M
    )
    return theme_words.in_script(text) + "\n"


def goes(page, element):
    """Say whether a page can do without this script of its own."""
    name = name_of(element)
    if not name:
        return text_of(page, element).startswith(SETTINGS + UNUSED)
    if name.endswith(tuple(SEARCH)):
        return not searches(page)
    return name in BUNDLED + DROPPED


def searches(page):
    """Say whether this is the page that shows what a search has found."""
    ids = [element.attributes.get("id") for element in page.find("div")]
    return "search-results" in ids


def trim(page, first, names):
    """Put the scripts that are named in the place of the others."""
    [head] = page.find("head")
    scripts = page.find("script")
    root = page.find("html")[0].attributes["data-content_root"]
    page.insert(head.inner, f"<script>{first}</script>")
    old = next(e for e in scripts if name_of(e) == BUNDLED[0])
    for name in names:
        new = f'<script defer src="{root}_static/{name}"></script>\n'
        page.insert(old.start, new)
    for element in scripts:
        if goes(page, element):
            page.remove(element)
        elif name_of(element).endswith(tuple(SEARCH)):
            page.insert(element.start + len("<script"), " defer")
    for element in page.find("link"):
        if element.attributes.get("rel") == "preload":
            page.remove(element)
    for element in page.find("button"):
        if "onclick" in element.attributes:  # shell.js does that
            tag = page.html[element.start : element.inner]
            new = tag.replace(' onclick="window.print()"', "")
            page.edit(element.start, element.inner, new)


def add(pages, static):
    """Make the script, and let the pages load it; return its text."""
    whole = [page for page in pages if page.find("head")]
    text = bundle(whole, static)
    names = [fingerprinted(static, NAME, text.encode())]
    if edition.is_korean():
        names = [fingerprinted(static, WORDS, korean_words()), *names]
    for page in whole:
        trim(page, first(), names)
    file = static / SEARCH[0]
    file.write_text(theme_words.in_search(file.read_text("utf-8")), "utf-8")
    return text + first() + searching(static)


def korean_words():
    """Return the script that tells the others what to say in Korean."""
    words = {english: phrase(english) for english in spoken.of_scripts()}
    data = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
    return f"window.courseWords = {data};\n".encode()


@functools.cache
def first():
    """Return the script that stands in each page, without its comments."""
    return re.sub(r"/\*.*?\*/\s*", "", FIRST.read_text("utf-8"), flags=re.S)


def searching(static):
    """Return the text of what the search page loads besides."""
    return (static / SEARCH[0]).read_text("utf-8")


def tidy(static):
    """Take away what no page loads any more."""
    for name in BUNDLED + DROPPED:
        for path in [static / name, static / f"{name}.map"]:
            path.unlink(missing_ok=True)
    for name in DROPPED:
        (static / f"{name}.LICENSE.txt").unlink(missing_ok=True)
    shutil.rmtree(Path(static) / "vendor" / "fontawesome", ignore_errors=True)
