"""Sphinx extension: run the notebooks side by side, before they are read.

Sphinx reads one page after the other, and MyST-NB would run each notebook
when its turn comes. Here those that must run do so on all cores, and their
outputs go where MyST-NB looks for them first: into its cache. One that fails
is left to MyST-NB, which runs it again and says what is wrong.

Of a Korean notebook only those cells run that show words of the course's
tools or of a translated figure, and what these need. What the others print
is taken from the run of the English one.
"""

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import execution
import nbformat
import needs
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from pagepython import ALONE
from project import ROOT

SPEAKING = {"widget", "predict", "quiz", "exercise"}


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
    result = single_nb_execution(
        notebook, cwd=str(path.parent), timeout=timeout, allow_errors=False
    )
    for cell in code_of(notebook):
        cell.outputs = merge_streams(cell.outputs)
    return result


def merge_streams(outputs):
    """Join what was printed: where it is cut depends on the moment.

    MyST-NB would join it too, but with a line break between the pieces.

    >>> parts = [{"name": "stdout", "text": t} for t in ("a", "b")]
    >>> merge_streams([*parts, {"data": {}}])
    [{'name': 'stdout', 'text': 'ab'}, {'data': {}}]
    """
    merged = []
    for out in outputs:
        name = out.get("name")
        if merged and name and merged[-1].get("name") == name:
            merged[-1]["text"] += out["text"]
        else:
            merged.append(out)
    return merged


def run_korean(path, notebook, timeout):
    """Run what differs from the English notebook; take over all else."""
    english = executed(ROOT / "book" / path.name, execution.execution_cache())
    pairs = list(zip(code_of(notebook), code_of(english), strict=True))
    speaking = {i for i, pair in enumerate(pairs) if differs(*pair)}
    wanted = set(speaking)
    sources = [new.source for new, _ in pairs]
    apart = {i for i, (new, _) in enumerate(pairs) if tags_of(new) & ALONE}
    for i, needed in enumerate(needs.needs(sources, apart)):
        wanted |= set(needed) if i in speaking else set()
    for i, (new, _) in enumerate(pairs):
        new.source = sources[i] if i in wanted else ""
    result = run(path, notebook, timeout)
    for i, (new, old) in enumerate(pairs):
        new.source = sources[i]
        if i not in speaking:
            if i in wanted and result.err is None:
                compare(path, new, old)
            new.outputs = old.outputs
    return result


def compare(path, new, old):
    """Stop if a cell that says nothing in Korean prints something else."""
    if "nbval-ignore-output" in tags_of(new) or printed(new) == printed(old):
        return
    raise SystemExit(
        f"{path.name}: in Korean a cell prints something else.\n{new.source}\n"
        f"English:\n{printed(old)}\nKorean:\n{printed(new)}"
    )


def printed(cell):
    """Return the text that a cell has printed or shown."""
    return "".join(
        out.get("text") or out.get("data", {}).get("text/plain", "")
        for out in cell.outputs
    )


def differs(new, old):
    """Say whether a Korean cell may show other words than the English."""
    return new.source != old.source or bool(tags_of(new) & SPEAKING)


def tags_of(cell):
    """Return the tags of a cell."""
    return {*cell.metadata.get("tags", [])}


def code_of(notebook):
    """Return the code cells of a notebook."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def executed(path, folder):
    """Return a notebook as a build has run it."""
    cache = get_cache(str(folder))
    record = cache.match_cache_notebook(nbformat.read(path, as_version=4))
    return cache.get_cache_bundle(record.pk).nb


def run_all(paths, cache, timeout, run=run):
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
        how = run_korean if app.config.language == "ko" else run
        run_all(notebooks, cache, app.config.nb_execution_timeout, how)


def setup(app):
    """Connect the function above to the build."""
    app.connect("env-before-read-docs", on_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
