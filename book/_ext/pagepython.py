"""Sphinx extension: the Python that a reader starts in the page.

Its files come from pinned packages (`book/_frontend/package.json`) and are
served by the site itself, from a folder that is named by their content: a
browser may keep them for ever. A page loads none of them before its reader
presses Run.

The two versions go together. NumPy must be built for the Python inside
Pyodide, and the newest such NumPy in a registry is 2.0.1 for Python 3.12
(`@emscripten-forge/numpy`), which is that of Pyodide 0.27. To move on, look
for a newer pair, change both lines of package.json, and run `make test`: it
runs every cell and every exercise in the page. `BOOK_FRONTEND` names a folder
with a copy of `node_modules`, should a package disappear.
"""

import base64
import gzip
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import tarfile
import zipfile
from html import escape
from pathlib import Path

import frontend
import needs
import playground
import trained
from project import BUILD, ROOT, digest, files

SOURCE = ROOT / "book" / "_live"
KEPT = BUILD / "python"  # what is compiled once for all builds
SITE = "/lib/python3.12/site-packages"
STDLIB = "/lib/python312.zip"
PACKAGES = ["attnlib", "coursekit"]
ALONE = {"exercise", "quiz", "opening", "predict"}  # nobody needs them
SCRIPTS = ["pyodide.js", "pyodide.asm.js"]
WASM, LOCK = "pyodide.asm.wasm", "pyodide-lock.json"
WHEEL, COURSE, LIBRARY = "numpy.zip", "course.zip", "python_stdlib.zip"
# What no cell can use in a browser, and data for codecs of old machines.
UNUSED_LIBRARY = re.compile(
    r"^(multiprocessing|xmlrpc|wsgiref|ensurepip|imaplib|mailbox|nntplib"
    r"|smtplib|poplib|ftplib|turtle|pydoc|pydoc_data|webbrowser|cgi|cgitb"
    r"|aifc|sunau|wave|chunk|uu|xdrlib|telnetlib|netrc|pipes|pty|zipapp"
    r"|idlelib|lib2to3|tkinter|turtledemo|sqlite3|dbm|unittest|doctest|pdb"
    r"|cProfile|profile|pstats|optparse|sched|trace|rlcompleter|curses"
    r"|venv|xml/(sax|dom)|ctypes/macholib)(/|\.py)"
    r"|^encodings/(?!__init__|aliases|utf_|ascii|latin_1|cp1252|cp437|idna"
    r"|punycode|raw_unicode|unicode_escape|charmap|hex_codec|base64_codec)"
)
UNUSED_NUMPY = re.compile(
    r"/tests?/|_(operand_flag|rational|struct_ufunc|umath)_tests\.cpython"
    r"|_simd\.cpython|/f2py/|/_pyinstaller/|\.pyi$|/include/|/typing/"
    r"|\.[ch]$|/__pycache__/|conftest|numpy/(polynomial|doc)/|lapack_lite"
    r"|/RECORD$"
)
# What a terminal or Jupyter needs, and sheets that the page has already.
UNUSED_COURSE = re.compile(
    r"coursekit/(__main__|console|translate|visualize|explorers/widgets)\.py"
    r"|\.(css|js)$"
)


def write_zip(target, contents):
    """Write a zip file from names and bytes."""
    with zipfile.ZipFile(target, "w") as new:
        for name, data in contents:
            new.writestr(name, data)


def library(modules):
    """Yield the standard library, as names and bytes, without the unused."""
    with zipfile.ZipFile(modules / "pyodide" / LIBRARY) as old:
        for name in old.namelist():
            if not name.endswith("/") and not UNUSED_LIBRARY.search(name):
                yield name, old.read(name)


def numpy(modules):
    """Yield NumPy, as names and bytes, from the package of its channel."""
    folder = modules / "@emscripten-forge" / "numpy" / "pkg"
    (archive,) = folder.glob("*.tar.gz")
    root = "lib/python3.12/site-packages/"
    with tarfile.open(archive) as old:
        for member in old.getmembers():
            name = member.name.removeprefix(root)
            if not member.isfile() or not member.name.startswith(root):
                continue
            if not UNUSED_NUMPY.search(name):
                yield name, old.extractfile(member).read()


def course():
    """Yield our own packages and what they need, as names and bytes."""
    for package in PACKAGES:
        for path in files(ROOT / package):
            name = path.relative_to(ROOT).as_posix()
            if not UNUSED_COURSE.search(name):
                yield name, path.read_bytes()
    limits = Path(importlib.util.find_spec("threadpoolctl").origin)
    yield limits.name, limits.read_bytes()


def compiled(
    name, key, contents, modules, *, folder, sources=False, optimize=0
):
    """Return a zip file with compiled modules, made anew if `key` changed."""
    made = KEPT / f"{key}-{name}"
    if made.is_file():
        return made
    KEPT.mkdir(parents=True, exist_ok=True)
    for old in KEPT.glob(f"*-{name}"):
        old.unlink()
    plain, new = KEPT / f"plain-{name}", KEPT / f"new-{name}"
    write_zip(plain, contents)
    how = json.dumps([folder, sources, optimize])
    node(SOURCE / "compile.mjs", modules / "pyodide", plain, new, how)
    plain.unlink()
    return new.rename(made)


def node(*arguments, modules=""):
    """Run a script under Node; what it prints is shown if it fails."""
    done = subprocess.run(
        [*frontend.command("node"), *map(str, arguments)],
        env={**os.environ, "NODE_PATH": str(modules)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{Path(arguments[0]).name} failed:\n{done.stdout}")


def zips(modules):
    """Return the three zip files, by the name that the site gives them."""
    how = [SOURCE / "compile.py", SOURCE / "compile.mjs", Path(__file__)]
    pinned = digest([*how, frontend.SOURCE / "package-lock.json"])
    packages = [path for name in PACKAGES for path in files(ROOT / name)]
    own = digest([*how, *packages, ROOT / "constraints.txt"])
    take = {"modules": modules, "folder": SITE}
    plain = {"modules": modules, "folder": STDLIB, "optimize": 2}
    return {
        LIBRARY: compiled(LIBRARY, pinned, library(modules), **plain),
        WHEEL: compiled(WHEEL, pinned, numpy(modules), **take),
        COURSE: compiled(COURSE, own, course(), **take, sources=True),
    }


def lock(modules):
    """Return the lock file of Pyodide, less its packages: we load our own."""
    text = (modules / "pyodide" / "pyodide-lock.json").read_text("utf-8")
    return json.dumps({"info": json.loads(text)["info"], "packages": {}})


def script(modules):
    """Return the worker's script: Pyodide's two, and then ours."""
    parts = [modules / "pyodide" / name for name in SCRIPTS]
    texts = [p.read_text("utf-8") for p in [*parts, SOURCE / "worker.js"]]
    lines = "\n;\n".join(texts).splitlines()
    kept = [line for line in lines if "sourceMappingURL" not in line]
    return "\n".join(kept) + "\n"


def bundled(modules, name, **values):
    """Return one of our scripts with all that it imports, made small."""
    made = KEPT / f"bundle-{name}"
    KEPT.mkdir(parents=True, exist_ok=True)
    node(
        modules / "esbuild" / "bin" / "esbuild",
        SOURCE / name,
        *["--bundle", "--minify", "--format=esm", "--target=es2022"],
        *["--log-level=warning", f"--outfile={made}", "--legal-comments=eof"],
        *[f"--define:{key}={json.dumps(v)}" for key, v in values.items()],
        modules=modules,
    )
    return made.read_bytes()


class Shelf:
    """Files of the site, each in a folder that is named by its content."""

    def __init__(self, folder):
        self.folder = folder

    def put(self, name, content):
        """Add a file; return what a page must know of it."""
        digest = hashlib.sha256(content).digest()
        path = f"{digest.hex()[:12]}/{name.rpartition('/')[2]}"
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return {
            "path": path,
            "size": len(content),
            "sent": len(gzip.compress(content, 6)),
            "sha256": base64.b64encode(digest).decode(),
        }


def data():
    """Return the files that cells may read, as bytes by name."""
    stored = sorted((ROOT / "book" / "data").iterdir())
    return {p.name: p.read_bytes() for p in stored} | trained.models()


def collect(modules, folder):
    """Write all files into a folder of the site; return what a page needs."""
    shelf = Shelf(folder)
    pyodide = modules / "pyodide"
    contents = {
        WASM: (pyodide / WASM).read_bytes(),
        LOCK: lock(modules).encode(),
        **{name: path.read_bytes() for name, path in zips(modules).items()},
    }
    known = {
        "script": shelf.put("python.js", script(modules).encode()),
        "files": {name: shelf.put(name, c) for name, c in contents.items()},
        "data": {
            f"data/{name}": shelf.put(name, content)
            for name, content in data().items()
        },
        "sheet": shelf.put("live.css", (SOURCE / "live.css").read_bytes()),
        "editor": shelf.put("editor.js", bundled(modules, "editor.js")),
        "playground": shelf.put(
            "playground.js", bundled(modules, "playground.js")
        ),
    }
    live = shelf.put("live.js", bundled(modules, "live.js", KNOWN=known))
    parts = [known["script"], *known["files"].values()]
    return {"path": live["path"], "sent": sum(p["sent"] for p in parts)}


def on_builder(app):
    """Make the files before a page is read; `rewriting` tells the pages."""
    if app.builder.name == "html":
        assets = Path(app.outdir).with_name("python-assets")
        app.page_python = collect(frontend.fetch(), assets / "python")
        app.config.html_static_path.append(str(assets))


def add(app, document, page):
    """Tell a page where its Python is, and what each of its cells needs."""
    source = Path(app.env.doc2path(document)) if page.find("head") else None
    if source is None:
        return
    if source.suffix == ".ipynb":
        marks = marks_of_notebook(source, page)
    else:
        marks = playground.marks(page)
    if not marks:
        return
    known = app.page_python
    mark(
        page,
        page.find("html")[0],
        {
            "live": f"_static/python/{known['path']}",
            "python-size": f"{known['sent'] / 1e6:.1f}",
        },
    )
    for element, facts in marks:
        mark(page, element, facts)


def marks_of_notebook(source, page):
    """Return the cells of a notebook's page, and what each is marked with."""
    cells = json.loads(source.read_text("utf-8"))["cells"]
    facts = facts_of([cell for cell in cells if cell["cell_type"] == "code"])
    return [
        (element, fact | exercise_of(page, element))
        for element, fact in zip(page.find("div", "cell"), facts, strict=True)
    ]


def mark(page, element, facts):
    """Give an element data that scripts read."""
    text = "".join(
        f' data-{name}="{escape(str(value))}"' for name, value in facts.items()
    )
    page.insert(element.start + 1 + len(element.tag), text)


def facts_of(cells):
    """Return what a page must know of each of its code cells."""
    sources = ["".join(cell["source"]) for cell in cells]
    tags = [{*cell["metadata"].get("tags", [])} for cell in cells]
    apart = {i for i, tag in enumerate(tags) if tag & ALONE}
    needed, names = needs.needs(sources, apart), needs.names(sources)
    facts = []
    for i, cell in enumerate(cells):
        fact = {
            "cell": i,
            "needs": " ".join(map(str, needed[i])),
            "reads": " ".join(names[i][0]),
            "writes": " ".join(names[i][1]),
        }
        long = cell["metadata"].get("page", {})
        if "seconds" in long:
            fact["seconds"] = long["seconds"]
        if "fewer" in long:
            fact["fewer"] = json.dumps(long["fewer"])
        facts.append(fact)
    return facts


def exercise_of(page, element):
    """Return the name and the title of the exercise that a cell belongs to."""
    if "tag_exercise" not in element.classes:
        return {}
    above = [
        e for e in page.find("div", "exercise") if e.start < element.start
    ]
    box = above[-1]
    title = next(
        e for e in page.find("p", "admonition-title") if e.within(box)
    )
    words = " ".join(page.text(title.inner, title.close).split())
    return {"exercise": box.attributes["id"], "title": words}


def setup(app):
    """Run when `frontend` has fetched its packages."""
    app.connect("builder-inited", on_builder, priority=20)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
