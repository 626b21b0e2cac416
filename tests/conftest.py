"""How the tests are spread over processes by `pytest -n auto`, `make test`.

What shares something costly (a kernel, a Jupyter server, a page that is open
in the browser) stays together, in one process and in order. The longest of
these groups start first. Without `-n` the order is the same.
"""

import functools
import os
import re

import ahead
import execution
import korean_book
import pages
import pytest
import replay
from hypothesis import settings
from nbval.plugin import IPyNbFile

# Processes share the cores. Threads of BLAS that wait for each other on a
# busy core take many times as long as one; kernels and builds inherit this.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A core that is busy with other tests is no failure.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")

# The first group makes an environment, the second builds the site: one
# process each. Whoever is ready then runs what does not wait for the site.
FIRST = [
    r"tests/site/test_site_live\.py",
    r"tests/site/test_site_static\.py",
    r"(?!tests/site/|tests/test_pyodide\.py|.*\.ipynb)",
    r"tests/test_pyodide\.py",
    r".*\.ipynb",
    r"tests/site/test_site_python_cells\.py .*/0[567]-",
    r"tests/site/test_site_(explorers|questions|build|python_\w+)\.py$",
    r"tests/site/.*/\d\d-",
    r"tests/site/",
]


def group_of(nodeid):
    """Return the file of a test, and the page if it is about one.

    >>> group_of("book/01-intuition.ipynb::Cell 3")
    'book/01-intuition.ipynb'
    >>> group_of("tests/site/test_a.py::test_b[book/index.html-dark]")
    'tests/site/test_a.py book/index.html'
    """
    file, _, name = nodeid.partition("::")
    page = re.search(r"\[(\S*?\.html)", name)
    return f"{file} {page[1]}" if page else file


def place_of(group):
    """Return when a group starts, as a number: the smaller, the earlier."""
    return next(i for i, name in enumerate(FIRST) if re.match(name, group))


def set_up_replay(file):
    """Let nbval read what the build has run, once there is a build."""
    pages.run_build()
    language = "ko" if korean_book.FOLDER in file.path.parents else "en"
    cache = execution.execution_cache(language=language)
    file.kernel = replay.Replay(ahead.executed(file.path, cache))


def pytest_configure(config):
    """Write the Korean notebooks, so that nbval finds them too."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if whole and not hasattr(config, "workerinput"):
        config.args.append(str(korean_book.write() / "book"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Put the groups in order, each in one piece; run no notebook twice."""
    for item in items:
        if isinstance(item.parent, IPyNbFile):
            item.parent.setup = functools.partial(set_up_replay, item.parent)
    seen = {}
    for item in items:
        seen.setdefault(group_of(item.nodeid), len(seen))

    def place(item):
        group = group_of(item.nodeid)
        return place_of(group), seen[group]

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Use one process more than cores: a browser is often waited for."""
    return min((os.cpu_count() or 1) + 1, 4)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out whole groups, in the order above."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group_of(nodeid)

    config.option.loadscopereorder = False
    return Groups(config, log)
