"""Sphinx extension: `licences`, what the site serves of others, by notice.

The directive lists notices by name; each leads to the text of its licence,
which is collected from the installed packages when the book is built, and
served. Versions come from the lock file and from the environment. A package
whose files the site serves, and that no notice names, ends the build.
"""

import functools
import json
import re
import tarfile
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import frontend
from docutils import nodes
from docutils.parsers.rst import Directive
from edition import phrase
from fontTools.ttLib import TTFont
from sphinx.util import logging

from coursekit.phrases import later

FOLDER = "licences"  # below _static
LOCK = frontend.SOURCE / "package-lock.json"
GITHUB = "https://github.com/"
FILE = re.compile(r"(licen[cs]e|notice|copying)[^/]*$", re.I)
RULE = "\n" + "-" * 72 + "\n\n"
# Parts of NumPy that are compiled into it, on any processor.
COMPILED = re.compile(
    r"dragon4|highway|lapack_lite|libdivide|pocketfft|random/src"
)
# Folders that extensions of Sphinx fill during the build, and of whom.
MADE = {"assets": None, "python-assets": None}
MADE["_sphinx_design_static"] = "sphinx-design"
OURS = "attnlib"
logger = logging.getLogger(__name__)


class Notice(NamedTuple):
    """What is served, under which licence, and where its source is."""

    title: str
    licence: str  # as SPDX names it
    source: str
    npm: tuple = ()  # packages whose licences are in the text
    bundled: bool = False  # with all that these packages depend on
    python: tuple = ()  # distributions whose licences are in the text
    more: tuple = ()  # functions that return further texts


def notice_of(title, owner, licence="BSD-3-Clause", **more):
    """Return the notice of a distribution that has the title's name."""
    return Notice(title, licence, GITHUB + owner, python=(title,), **more)


def terms_of(distribution, name, start):
    """Return the terms of a licence as another package carries them."""
    [text] = [
        path.read_text("utf-8")
        for path in files_of(distribution)
        if path.name == name
    ]
    return text[text.index(start) :]


def mit():
    """Return the terms of the MIT licence."""
    start = "Permission is hereby granted"
    return terms_of("sphinx-copybutton", "LICENSE", start)


def banner(distribution, name):
    """Return the comment that opens a file, which names its authors."""
    [path] = [
        file.locate()
        for file in metadata.files(distribution)
        if file.as_posix().endswith(f"/{name}")
    ]
    return re.search(r"/\*!(.*?)\*/", path.read_text("utf-8"), re.S)[1]


def bundled_numpy():
    """Yield the licences of NumPy and of what it holds.

    The package for the page carries those of NumPy, its random numbers and
    its masked arrays; the parts that are compiled in have theirs in the NumPy
    of this environment.
    """
    folder = frontend.fetch() / "@emscripten-forge" / "numpy" / "pkg"
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as old:
        for member in old.getmembers():
            if FILE.search(member.name) and "recipe" not in member.name:
                text = old.extractfile(member).read().decode()
                yield f"{member.name}\n\n{text}"
    for path in files_of("numpy"):
        name = path.as_posix().rpartition("/licenses/")[2]
        if COMPILED.search(name):
            yield f"{name}\n\n{path.read_text('utf-8')}"


def katex_fonts():
    """Return the licence of KaTeX's fonts: their own words, and the terms."""
    fonts = frontend.fetch() / "katex" / "dist" / "fonts"
    names = TTFont(fonts / "KaTeX_Main-Regular.woff2")["name"]
    font = frontend.fetch() / "@fontsource" / "noto-sans-kr" / "LICENSE"
    text = font.read_text("utf-8")
    terms = text[text.index("SIL OPEN FONT LICENSE") :]
    return f"{names.getDebugName(13)}\n\n{terms}"


NOTICES = {
    "pyodide": Notice(
        "Pyodide",
        "MPL-2.0",
        GITHUB + "pyodide/pyodide/tree/{version}",
        npm=("pyodide",),
        more=(lambda: terms_of("pyzmq", "LICENSE.zeromq.txt", "Mozilla"),),
    ),
    "python": Notice(
        later("Python and its standard library"),
        "PSF-2.0",
        GITHUB + "python/cpython/tree/v{version}",
        # Word for word that of Python, and present on every machine.
        python=("typing-extensions",),
    ),
    "numpy": Notice(
        "NumPy",
        "BSD-3-Clause",
        GITHUB + "numpy/numpy/tree/v{version}",
        npm=("@emscripten-forge/numpy",),
        more=(lambda: RULE.join(bundled_numpy()),),
    ),
    "threadpoolctl": notice_of("threadpoolctl", "joblib/threadpoolctl"),
    "codemirror": Notice(
        later("CodeMirror and Lezer"),
        "MIT",
        "https://code.haverbeke.berlin/codemirror",
        npm=(
            "@codemirror/view",
            "@codemirror/autocomplete",
            "@codemirror/commands",
            "@codemirror/lang-python",
            "@codemirror/language",
            "@codemirror/state",
            "@lezer/highlight",
        ),
        bundled=True,
    ),
    "katex": Notice(
        later("KaTeX and its fonts"),
        later("MIT and OFL-1.1"),
        GITHUB + "KaTeX/KaTeX",
        npm=("katex",),
        more=(katex_fonts,),
    ),
    "noto-sans-kr": Notice(
        "Noto Sans KR",
        "OFL-1.1",
        GITHUB + "notofonts/noto-cjk",
        npm=("@fontsource/noto-sans-kr",),
    ),
    "widgets": Notice(
        later("The runtime of Jupyter widgets"),
        "BSD-3-Clause",
        GITHUB + "jupyter-widgets/ipywidgets",
        npm=("@jupyter-widgets/html-manager",),
        bundled=True,
        python=("ipywidgets",),  # the same project; npm's has no text
    ),
    "sphinx": notice_of("Sphinx", "sphinx-doc/sphinx", "BSD-2-Clause"),
    "sphinx-book-theme": notice_of(
        "sphinx-book-theme", "executablebooks/sphinx-book-theme"
    ),
    "pydata-sphinx-theme": notice_of(
        "pydata-sphinx-theme", "pydata/pydata-sphinx-theme"
    ),
    "bootstrap": Notice(
        "Bootstrap",
        "MIT",
        GITHUB + "twbs/bootstrap",
        more=(
            lambda: banner("pydata-sphinx-theme", "bootstrap.js.LICENSE.txt"),
            mit,
        ),
    ),
    "sphinx-copybutton": notice_of(
        "sphinx-copybutton", "executablebooks/sphinx-copybutton", "MIT"
    ),
    "clipboard": Notice(
        "clipboard.js",
        "MIT",
        GITHUB + "zenorocha/clipboard.js",
        more=(lambda: banner("sphinx-copybutton", "clipboard.min.js"), mit),
    ),
    "sphinx-togglebutton": notice_of(
        "sphinx-togglebutton", "executablebooks/sphinx-togglebutton", "MIT"
    ),
    "sphinx-design": notice_of(
        "sphinx-design", "executablebooks/sphinx-design", "MIT"
    ),
    "sphinx-exercise": notice_of(
        "sphinx-exercise", "executablebooks/sphinx-exercise", "MIT"
    ),
    "myst-nb": notice_of("myst-nb", "executablebooks/MyST-NB"),
    "jupyter-book": notice_of("jupyter-book", "jupyter-book/jupyter-book"),
    "accessible-pygments": notice_of(
        "accessible-pygments", "Quansight-Labs/accessible-pygments"
    ),
    "minilm": Notice(
        "all-MiniLM-L6-v2",
        "Apache-2.0",
        "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
        more=(lambda: terms_of("requests", "LICENSE", "Apache License"),),
    ),
}


@functools.cache
def lock():
    """Return what the lock file says of each package."""
    return json.loads(LOCK.read_text("utf-8"))["packages"]


def locked(name):
    """Return what it says of one; nothing if the package is not there."""
    return lock().get(f"node_modules/{name}", {})


def closure(names):
    """Return these packages and all that they depend on, in order."""
    found, waiting = [], list(names)
    while waiting:
        name = waiting.pop(0)
        if name not in found and locked(name):
            found.append(name)
            waiting += sorted(locked(name).get("dependencies", {}))
    return found


def files_of(distribution):
    """Return the licences that a distribution carries."""
    return [
        Path(file.locate())
        for file in metadata.files(distribution) or []
        if FILE.search(file.name) and ".dist-info" in file.parts[0]
    ]


def npm_texts(notice):
    """Yield the licences of a notice's packages, each under its name."""
    packages = closure(notice.npm) if notice.bundled else notice.npm
    for name in packages:
        about = locked(name)
        head = f"{name} {about['version']}"
        folder = frontend.fetch() / name
        texts = [
            path.read_text("utf-8")
            for path in sorted(folder.iterdir())
            if path.is_file() and FILE.match(path.name)
        ]
        if texts:
            yield "\n\n".join([head, *texts])
        elif notice.bundled:
            yield f"{head}\n\nLicence: {about.get('license', 'not stated')}\n"


def text_of(notice):
    """Return all that a notice has to say."""
    parts = [
        *npm_texts(notice),
        *(
            path.read_text("utf-8")
            for path in chain.from_iterable(map(files_of, notice.python))
        ),
        *(make() for make in notice.more),
    ]
    return RULE.join(part.strip("\n") + "\n" for part in parts)


def version_of(name):
    """Return the version that is served, or nothing if there is none.

    >>> version_of("minilm")
    ''
    """
    notice = NOTICES[name]
    if name == "python":  # that of Pyodide, not that of this environment
        text = frontend.fetch() / "pyodide" / "pyodide-lock.json"
        return json.loads(text.read_text("utf-8"))["info"]["python"]
    if notice.npm:
        return locked(notice.npm[0])["version"].partition("-")[0]
    if notice.python:
        return metadata.version(notice.python[0])
    made = notice.more[0]()
    return next(iter(re.findall(r"\bv(\d[\d.]+)", made[:100])), "")


class Licences(Directive):
    """`licences`: the notices that its lines name, as a list."""

    has_content = True

    def run(self):
        """Return the list; an unknown name is an error."""
        unknown = [name for name in self.content if name not in NOTICES]
        if unknown:
            raise self.error(f"there is no notice {', '.join(unknown)}")
        items = map(item_of, self.content)
        return [nodes.bullet_list("", *items, classes=["licences"])]


def item_of(name):
    """Return a line of the list, with links to the text and the source."""
    notice, version = NOTICES[name], version_of(name)
    title = f"{phrase(notice.title)} {version}".strip()
    licence = phrase(notice.licence)
    paragraph = nodes.paragraph()
    paragraph += nodes.reference(
        title, title, refuri=notice.source.format(version=version)
    )
    paragraph += nodes.Text(": ")
    paragraph += nodes.reference(
        licence,
        licence,
        refuri=f"../_static/{FOLDER}/{name}.txt",
        internal=True,
    )
    return nodes.list_item("", paragraph)


def owner_of(path):
    """Return the distribution that a folder of static files belongs to."""
    if path.name in MADE:
        return MADE[path.name]
    if "site-packages" not in path.parts:
        return None
    top = path.parts[path.parts.index("site-packages") + 1]
    [name] = set(metadata.packages_distributions()[top])
    return name.lower().replace("_", "-")


def owners(app):
    """Return the distributions whose files Sphinx copies into _static."""
    folders = [Path(app.confdir, p) for p in app.config.html_static_path]
    folders += [Path(p) for p in app.builder.theme.get_theme_dirs()]
    found = {owner_of(folder) for folder in folders if folder.exists()}
    return found - {None, OURS}


def known():
    """Return the distributions that a notice is about."""
    return {d.lower() for notice in NOTICES.values() for d in notice.python}


def on_finish(app, exception):
    """Write the texts; name what nobody gives notice of."""
    if exception is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir, "_static", FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    for name, notice in NOTICES.items():
        (folder / f"{name}.txt").write_text(text_of(notice), "utf-8")
    for name in sorted(owners(app) - known()):
        logger.warning("the site serves files of %s, without a notice", name)


def setup(app):
    """Add the directive, and write the texts before the site is published."""
    app.add_directive("licences", Licences)
    app.connect("build-finished", on_finish, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
