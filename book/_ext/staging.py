"""Sphinx extension: strict builds, one at a time, that replace the old site.

A build waits for the one before it, reads every page again (Sphinx repeats no
warning of a page that it did not read; only the cells' outputs come from a
cache), and works in a folder of its own. Its site takes the place of the old
one when there was no warning at all.
"""

import os
import shutil
from pathlib import Path

import locking
from project import BUILD, ROOT, digest, files, write_atomically
from repository import repository

LOCK = BUILD / ".lock"
HELD = "BOOK_LOCK_IS_HELD"  # by the process that started this one


def fingerprint(root=ROOT):
    """Return a hash of all that the built site depends on."""
    tops = ["_config.yml", "_toc.yml", "constraints.txt"]
    inputs = [root / name for name in tops]
    for folder in ("attnlib", "coursekit", "book"):
        inputs += files(root / folder)
    return f"{digest(inputs, root)} {repository(root=root)}"


def stamp(site):
    """Return the file that says what a site was built from."""
    return site.with_name(".built-from")


def is_fresh(site, root=ROOT):
    """Say whether the site is there, and nothing changed since its build."""
    file = stamp(site)
    built = file.is_file() and (site / "index.html").is_file()
    return built and file.read_text("utf-8") == fingerprint(root)


def publish(new, site, source):
    """Put a new site in the place of the old; `source` is its fingerprint."""
    old = site.with_name(".old")
    shutil.rmtree(old, ignore_errors=True)
    stamp(site).unlink(missing_ok=True)
    if site.exists():
        site.rename(old)
    new.rename(site)
    write_atomically(stamp(site), source)
    shutil.rmtree(old, ignore_errors=True)


class Stage:
    """The folder of one build, and the lock that keeps others away."""

    def __init__(self, site):
        """Wait for the build before this one, and start with nothing."""
        self.lock = None if os.environ.get(HELD) else locking.acquire(LOCK)
        self.site = Path(site)
        self.folder = self.site.with_name(".new")
        self.source = fingerprint()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def on_builder(self, app):
        """Let HTML be written into the stage, before anyone asks where."""
        if app.builder.name == "html":
            app.outdir = app.builder.outdir = type(app.outdir)(
                self.folder / "html"
            )
            app.outdir.mkdir()

    def on_finish(self, app, exception):
        """Publish the site, or say why the old one stays."""
        built, app.outdir = Path(app.outdir), type(app.outdir)(self.site)
        warnings = app._warncount
        if exception is None and warnings:
            app.statuscode = 1
            print(
                f"The book has {warnings} warning{'s' * (warnings > 1)} "
                "(see above). A warning counts as an error here: "
                f"{self.site} stays as it was."
            )
        elif exception is None and app.builder.name == "html":
            publish(built, self.site, self.source)
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.lock:
            self.lock.close()


def setup(app):
    """Choose the build's folder; publish when all else is done."""
    stage = Stage(app.outdir)
    app.doctreedir = type(app.doctreedir)(stage.folder / ".doctrees")
    app.connect("builder-inited", stage.on_builder, priority=0)
    app.connect("build-finished", stage.on_finish, priority=999)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
