"""What others made is served with its notice, and named on a page."""

import json
import re

import frontend
import licences
import pagepython
import pytest
from pages import DOCUMENTS, MADE_BY_SPHINX

PAGE = "book/licences.html"
TOOLS = {"esbuild", "purgecss"}  # they run in the build; no page has them
# What the site serves, and whose it is: notices, or nothing if it is ours.
LOOK = """sphinx sphinx-book-theme pydata-sphinx-theme bootstrap
sphinx-copybutton sphinx-togglebutton sphinx-design sphinx-exercise myst-nb
jupyter-book accessible-pygments"""
OWNERS = {
    r"site\.css": LOOK.split(),
    r"site\.js": [*LOOK.split()[:6], "clipboard"],
    r"basic\.css|(file|minus|plus)\.png|searchtools\.js|language_data\.js": [
        "sphinx"
    ],
    r"locales/.*|images/.*|sbt-webpack-macros\.html|styles/sphinx-book.*": [
        "sphinx-book-theme"
    ],
    r"webpack-macros\.html|styles/pydata.*": [
        "pydata-sphinx-theme",
        "bootstrap",
    ],
    r"copybutton_funcs\.js|copy-button\.svg|check-solid\.svg": [
        "sphinx-copybutton"
    ],
    r"formulas\.css(\.LICENSE\.txt)?": ["katex"],
    r"hangul\.css": ["noto-sans-kr"],
    r"widgets/.*": ["widgets"],
    r"python/\w+/(python\.js|pyodide.*)": ["pyodide", "python"],
    r"python/\w+/python_stdlib\.zip": ["python"],
    r"python/\w+/numpy\.zip": ["numpy"],
    r"python/\w+/course\.zip": ["threadpoolctl"],
    r"python/\w+/editor\.js": ["codemirror"],
    r"python/\w+/minilm-heads\.npz": ["minilm"],
    r"python/\w+/(live\.(js|css)|playground\.js)": [],
    r"python/\w+/(translator|mixer)\.npz": [],  # trained in the build
    r"licences/.*": [],
    r"(favicon|logo)\.svg|screenshot\.png|paper\.css": [],
}
# Words that the text of a licence cannot lack.
TERMS = {
    "Apache-2.0": "Apache License Version 2.0",
    "BSD-2-Clause": "Redistribution and use in source and binary forms",
    "BSD-3-Clause": "neither the name of",
    "MIT": "Permission is hereby granted, free of charge",
    "MPL-2.0": "Mozilla Public License Version 2.0",
    "OFL-1.1": "SIL OPEN FONT LICENSE Version 1.1",
    "PSF-2.0": "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2",
}


@pytest.fixture(scope="module")
def listed(site):
    """Return the licence's file of each notice on the page, by its title."""
    html = (site / PAGE).read_text("utf-8")
    items = re.findall(
        r'<a class="[^"]*external[^"]*" href="[^"]+">([^<]+)</a>: <a [^>]*'
        r'href="\.\./_static/licences/([\w-]+)\.txt">([^<]+)</a>',
        html,
    )
    return {name: (title, licence) for title, name, licence in items}


def test_the_page_names_every_notice_once(site, listed):
    html = (site / PAGE).read_text("utf-8")
    assert set(listed) == set(licences.NOTICES)
    for name, (title, licence) in listed.items():
        notice = licences.NOTICES[name]
        assert title == f"{notice.title} {licences.version_of(name)}".strip()
        assert licence == notice.licence
        assert html.count(f"licences/{name}.txt") == 1


@pytest.mark.parametrize("name", licences.NOTICES)
def test_a_notice_has_its_text(site, name):
    text = (site / "_static/licences" / f"{name}.txt").read_text("utf-8")
    assert len(text) > 1000
    words = " ".join(text.split()).lower()
    for licence in licences.NOTICES[name].licence.split(" and "):
        assert TERMS[licence].lower() in words, licence


def test_no_text_is_served_that_no_notice_leads_to(site):
    texts = {path.stem for path in (site / "_static/licences").iterdir()}
    assert texts == set(licences.NOTICES)


def test_every_front_end_package_is_named_or_a_tool():
    text = (frontend.SOURCE / "package.json").read_text("utf-8")
    named = {p for notice in licences.NOTICES.values() for p in notice.npm}
    assert named | TOOLS == set(json.loads(text)["dependencies"])
    assert not named & TOOLS


@pytest.mark.parametrize(
    ("script", "names"), [("editor.js", ["codemirror"]), ("live.js", [])]
)
def test_all_that_a_script_of_the_page_contains_is_named(
    tmp_path, script, names
):
    modules = frontend.fetch()
    made = tmp_path / "meta.json"
    pagepython.node(
        modules / "esbuild" / "bin" / "esbuild",
        pagepython.SOURCE / script,
        *["--bundle", "--format=esm", "--log-level=warning"],
        *["--define:KNOWN={}", f"--outfile={tmp_path / script}"],
        f"--metafile={made}",
        modules=modules,
    )
    inputs = json.loads(made.read_text("utf-8"))["inputs"]
    packages = {
        found[1]
        for path in inputs
        if (found := re.search(r"node_modules/((?:@[\w-]+/)?[\w-]+)/", path))
    }
    assert bool(packages) == bool(names)
    named = [licences.closure(licences.NOTICES[n].npm) for n in names]
    assert packages <= set().union(*named)


def test_each_served_file_is_ours_or_has_a_notice(site):
    static = site / "_static"
    for path in sorted(p for p in static.rglob("*") if p.is_file()):
        name = path.relative_to(static).as_posix()
        found = [o for how, o in OWNERS.items() if re.fullmatch(how, name)]
        assert len(found) == 1, name
        assert set(found[0]) <= set(licences.NOTICES), name


def test_every_notice_is_about_something_served():
    served = {name for owners in OWNERS.values() for name in owners}
    assert served == set(licences.NOTICES)


@pytest.mark.parametrize("name", [*DOCUMENTS, *MADE_BY_SPHINX])
def test_the_footer_of_a_page_leads_to_the_notices(site, name):
    html = (site / f"{name}.html").read_text("utf-8")
    footer = html[html.index('<div class="bd-footer-content__inner') :]
    link = "#" if f"{name}.html" == PAGE else "licences.html"
    assert re.search(rf'<a href="[^"]*{link}">Licences</a>', footer)


def test_python_of_the_page_is_the_version_that_is_named(site):
    [lock] = (site / "_static/python").glob(f"*/{pagepython.LOCK}")
    info = json.loads(lock.read_text("utf-8"))["info"]
    assert licences.version_of("python") == info["python"]
    assert licences.version_of("pyodide") == info["version"]
