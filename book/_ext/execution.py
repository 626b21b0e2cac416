"""Sphinx extension: how cells run, and when they must run again."""

import os
import shutil

from project import ROOT, digest, files, write_atomically

from coursekit.phrases import LANGUAGES

PROFILE = """c = get_config()
c.InlineBackend.figure_formats = {'svg'}
c.HistoryManager.enabled = False
c.IPKernelApp.log_level = 'ERROR'
"""


def execution_key(root=ROOT, language="en"):
    """Return a name that changes when a cell's output might.

    jupyter-cache looks at a notebook's code only; what the code imports and
    reads, and how figures are drawn, must be in the name of the cache. What
    only translators change does not run English cells again.
    """
    named = [root / "constraints.txt", root / "book" / "matplotlibrc"]
    named.append(root / "book" / "_ext" / "execution.py")
    names = ["attnlib", "coursekit", "book/data", "book/quizzes"]
    folders = [root / name for name in names]
    inner = [path for folder in folders for path in files(folder)]
    # What runs only in a browser changes no output of a kernel.
    page = root / "coursekit" / "page"
    korean = root / "coursekit" / "korean.po"
    inner = [p for p in inner if page not in p.parents and p != korean]
    if language == "ko":
        named += [korean, *(root / "book/_korean").glob("quizzes-*.po")]
    return digest([*inner, *named], root)


def execution_cache(root=ROOT, language="en"):
    """Return the folder of the current cache; older ones are removed."""
    caches = root / "_build" / ".jupyter_cache"
    current = {name: caches / execution_key(root, name) for name in LANGUAGES}
    if caches.is_dir():
        for old in caches.iterdir():
            if old not in current.values():
                shutil.rmtree(old) if old.is_dir() else old.unlink()
    current[language].mkdir(parents=True, exist_ok=True)
    return current[language]


def kernel_profile(root=ROOT):
    """Write the kernel's profile (figures as SVG) and return its folder."""
    folder = root / "_build" / ".ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    write_atomically(profile / "ipython_kernel_config.py", PROFILE)
    return folder


def on_config(app, config):
    """Name the cache, and let the kernels find their profile."""
    cache = execution_cache(language=config.language)
    config.nb_execution_cache_path = str(cache)
    os.environ["IPYTHONDIR"] = str(kernel_profile())
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    os.environ["COURSEKIT_PAGE"] = "1"  # explorers are HTML, not widgets


def on_read(app, docname, source):
    """Show progress where Sphinx is quiet: this page's cells run now."""
    if app.quiet and app.builder.name == "html":
        print(f"  {docname}", flush=True)


def setup(app):
    """Connect the functions above to the build."""
    app.connect("config-inited", on_config, priority=100)
    app.connect("source-read", on_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
