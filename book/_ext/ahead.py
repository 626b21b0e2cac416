"""Sphinx extension: run the notebooks side by side, before they are read.

Sphinx reads one page after the other, and MyST-NB would run each notebook
when its turn comes. Here those that must run do so on all cores, and their
outputs go where MyST-NB looks for them first: into its cache. One that fails
is left to MyST-NB, which runs it again and says what is wrong.
"""

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution


def stale(paths, cache):
    """Return the notebooks, by path, whose outputs are not in the cache."""
    found = {}
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        try:
            cache.match_cache_notebook(notebook)
        except KeyError:
            found[path] = notebook
    return found


def run(path, notebook, timeout):
    """Run a notebook where it lies; each cell has so many seconds."""
    return single_nb_execution(
        notebook, cwd=str(path.parent), timeout=timeout, allow_errors=False
    )


def run_all(paths, cache, timeout):
    """Run the stale ones of some notebooks, and keep their outputs."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        jobs = {
            pool.submit(run, path, notebook, timeout): path
            for path, notebook in stale(paths, cache).items()
        }
        for job in as_completed(jobs):
            result, path = job.result(), jobs[job]
            if result.err is None:
                cache.cache_notebook_bundle(
                    CacheBundleIn(
                        result.nb,
                        str(path),
                        data={"execution_seconds": result.time},
                    ),
                    check_validity=False,
                    overwrite=True,
                )
                print(f"  ran {path.name}", flush=True)


def on_read(app, env, names):
    """Run what is about to be read."""
    if app.builder.name == "html":
        paths = [Path(env.doc2path(name)) for name in names]
        notebooks = [p for p in paths if p.suffix == ".ipynb"]
        cache = get_cache(app.config.nb_execution_cache_path)
        run_all(notebooks, cache, app.config.nb_execution_timeout)


def setup(app):
    """Connect the function above to the build."""
    app.connect("env-before-read-docs", on_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
