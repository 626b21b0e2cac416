"""Notebooks that run side by side, before the build reads them."""

import subprocess
import sys
from pathlib import Path

import ahead
import nbformat
import pytest
from jupyter_cache import get_cache

# In a process of its own, as in a build: it leaves event loops behind.
RUN = """
import sys
from pathlib import Path
import ahead
from jupyter_cache import get_cache
folder = Path(sys.argv[1])
paths = sorted(folder.glob("*.ipynb"))
ahead.run_all(paths, get_cache(str(folder / "cache")), timeout=600)
"""


@pytest.fixture
def cache(tmp_path):
    return get_cache(str(tmp_path / "cache"))


def write(folder, name, source):
    new = nbformat.v4
    kernel = {"display_name": "Python 3", "name": "python3"}
    book = new.new_notebook(metadata={"kernelspec": kernel})
    book.cells = [new.new_code_cell(source)]
    nbformat.write(book, folder / name)
    return folder / name


def test_stale_notebooks_run_and_a_failing_one_is_left(tmp_path, cache):
    good = write(tmp_path, "good.ipynb", "print(6 * 7)")
    bad = write(tmp_path, "bad.ipynb", "1 / 0")
    assert set(ahead.stale([good, bad], cache)) == {good, bad}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path)],
        cwd=Path(ahead.__file__).parent,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "  ran good.ipynb\n", done.stderr
    assert set(ahead.stale([good, bad], cache)) == {bad}
    record = cache.match_cache_notebook(nbformat.read(good, as_version=4))
    (cell,) = cache.get_cache_bundle(record.pk).nb.cells
    assert cell.outputs[0]["text"] == "42\n"
    write(tmp_path, "good.ipynb", "print(6 * 8)")
    assert set(ahead.stale([good, bad], cache)) == {good, bad}
