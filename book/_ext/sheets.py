"""One style sheet for the site, without what no page can use.

The theme and the extensions bring eleven, with all of Bootstrap and all icons
of Font Awesome. What every page links is joined in this order; PurgeCSS then
leaves out each rule that needs a tag, class, id or attribute that no page has
and no script names.
"""

import json
import posixpath
import re
import subprocess
from pathlib import Path

import frontend
import icons
from markup import Page
from project import BUILD, fingerprinted

HERE = Path(__file__).parent
NAME = "site.css"
WHOLE = BUILD / "whole.css"  # with all rules: no page has it, a test reads it
# Scripts and browsers change these, and their values are nowhere else.
CHANGING = [
    "aria-expanded",
    "aria-pressed",
    "data-mode",
    "data-theme",
    "disabled",
    "hidden",
]
CHANGING += ["open"]
# What only Korean pages have: their sheet is this one.
KOREAN = ["kept"]
# Names that a stock widget's runtime makes: none of the pages' scripts has
# them.
RUNTIME = ["^jp-", "^jupyter-widgets", "^widget-"]
CLASS = re.compile(r"""class=(?:\\*["'])?([^"'\\>]+)""")
TAG = re.compile(r"(?:<|\\u003c)([a-z][a-z0-9]*)")


def links(page):
    """Return the style sheets that a page's head links, by address."""
    return {
        link.attributes["href"].split("?")[0].rpartition("_static/")[2]: link
        for link in page.find("link")
        if link.attributes.get("rel") == "stylesheet"
        and link.parent.tag == "head"
    }


def joined(static, names):
    """Return the sheets' text, imports included, with addresses that hold."""
    parts = []
    for name in names:
        css = (static / name).read_text("utf-8")
        css = css.replace('@charset "UTF-8";', "")
        folder = posixpath.dirname(name)

        def moved(match, folder=folder):
            return (
                f"url({posixpath.normpath(posixpath.join(folder, match[1]))})"
            )

        css = re.sub(r"""url\(["']?(?!data:|#)([^)"']+)["']?\)""", moved, css)
        for whole, other in re.findall(r'(@import "([^"]+)";)', css):
            path = posixpath.normpath(posixpath.join(folder, other))
            css = css.replace(whole, joined(static, [path]))
        parts.append(css)
    return "\n".join(parts)


def seen(pages):
    """Return what the pages hold, by kind, as sorted lists.

    Data counts too: in it are the frames that a script shows later.
    """
    names = {k: set() for k in ["attributes", "classes", "ids", "tags"]}
    names["classes"].update(KOREAN)
    values = set()
    for page in pages:
        inserted = [Page(text) for text in page.pieces()[1:]]
        for element in [e for p in [page, *inserted] for e in p.elements]:
            names["tags"].add(element.tag)
            names["classes"].update(element.classes)
            names["attributes"].update(element.attributes)
            names["ids"].add(element.attributes.get("id") or "")
            values.update(filter(None, element.attributes.values()))
        data = [page.html[s.inner : s.close] for s in page.find("script")]
        names["tags"].update(*map(TAG.findall, data))
        # An attribute that was set is no element.
        for text in [*data, *page.pieces()[1:]]:
            for classes in CLASS.findall(text):
                names["classes"].update(classes.split())
    short = {value for value in values if len(value) < 80}
    return {k: sorted(v) for k, v in {**names, "values": short}.items()}


def purge(css, pages, scripts):
    """Return the sheet, and without the rules that nothing can match."""
    words = set(re.findall(r"[A-Za-z][\w-]*", scripts))
    texts = [scripts, *(text for page in pages for text in page.pieces())]
    variables = {v for text in texts for v in re.findall(r"--[\w-]+", text)}
    done = subprocess.run(
        [
            *frontend.command("node"),
            str(HERE / "purge.cjs"),
            str(frontend.PACKAGES),
        ],
        input=json.dumps(
            {
                "css": css,
                "seen": seen(pages),
                "words": sorted(words),
                "attributes": CHANGING,
                "runtime": RUNTIME,
                "variables": sorted(variables),
            }
        ),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise SystemExit(
            "PurgeCSS could not make the site's style sheet. It said:"
            f"\n{done.stderr[-2000:]}"
        )
    made = json.loads(done.stdout)
    return made["whole"], made["purged"]


def add(pages, static, scripts):
    """Make the sheet, and let each page link it instead of the others."""
    linked = {page: links(page) for page in pages if page.find("head")}
    shared = [
        name
        for name in next(iter(linked.values()))
        if all(name in found for found in linked.values())
    ]
    css = "\n".join([joined(static, shared), icons.css()])
    whole, sheet = purge(css, list(linked), scripts)
    WHOLE.write_text(whole, "utf-8")
    name = fingerprinted(static, NAME, sheet.encode())
    for page, found in linked.items():
        first = found[shared[0]]
        root = first.attributes["href"].partition("_static/")[0]
        link = f'<link rel="stylesheet" href="{root}_static/{name}">\n'
        page.insert(first.start, link)
        for old in shared:
            page.remove(found[old])
    for old in shared:
        (static / old).unlink()
