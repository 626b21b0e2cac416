"""attnlib's own tests, under the Python that runs in the pages.

One process of Node starts Pyodide with the files that the built site serves:
its WebAssembly, its NumPy, its attnlib and its standard library. That library
lacks what no page needs and pytest does (unittest, doctest, pdb): only what
is missing comes from the whole one in the pinned package of Pyodide. pytest
and Hypothesis are those of this environment; of Hypothesis, the part that is
compiled for this machine is replaced (`node/native.py`).
"""

import importlib.util
import json
import math
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import frontend
import hypothesis
import native
import pages
import project
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis._native.internal import floats as compiled
from pagepython import COURSE, LIBRARY, LOCK, SITE, WASM, WHEEL

NODE = project.ROOT / "tests" / "node"
PACKAGES = """py pytest _pytest pluggy iniconfig packaging pygments hypothesis
sortedcontainers _hypothesis_globals _hypothesis_pytestplugin"""
OPTIONS = ["--doctest-modules", "--strict-markers", "--strict-config"]
EXAMPLES = 10  # of Hypothesis, for each test
# Without BLAS they would take two minutes: training the tiny GPT and drawing
# thousands of sentences.
SLOW = [
    "test_tiny_gpt.py::test_the_second_half_is_predicted",
    "test_tiny_gpt.py::test_an_induction_head_has_appeared",
    "test_tiny_gpt.py::test_without_the_heads_of_a_layer_the_accuracy_falls",
    "test_tiny_gpt.py::test_generation_with_a_cache_gives_the_same_tokens",
    "test_tiny_gpt.py::test_generation_with_a_cache_gives_the_same_logits",
    "test_tiny_gpt.py::test_a_later_token_changes_no_earlier_logits",
    "test_tiny_gpt.py::test_same_seed_same_parameters_bit_for_bit",
    "test_toydata.py::test_every_verb_is_drawn_about_as_often",
]
LEFT_OUT = [f"tests/attnlib/{name}" for name in SLOW]
# What is skipped there, by file: the reason, and how often.
NO_PLOTS = "could not import 'matplotlib': No module named 'matplotlib'"
SKIPPED = {
    "attnlib/plots.py": (r"unable to import module .*plots\.py", 1),
    "tests/attnlib/test_docstrings.py": (NO_PLOTS, 4),
    "tests/attnlib/test_plots.py": (NO_PLOTS, 1),
    "tests/attnlib/test_tiles.py": ("no thread can start in a browser", 10),
    "tests/attnlib/test_torch.py": ("could not import 'torch'", 1),
}
FILES = [
    path.relative_to(project.ROOT).as_posix()
    for folder in ["attnlib", "tests/attnlib"]
    for path in sorted((project.ROOT / folder).glob("*.py"))
]


def file_of(test):
    return test.partition("::")[0]


def write_packages(target):
    """Pack what runs the tests; nothing that is compiled works there."""
    with zipfile.ZipFile(target, "w") as new:
        for name in PACKAGES.split():
            origin = Path(importlib.util.find_spec(name).origin)
            whole = origin.name == "__init__.py"
            root = origin.parent.parent if whole else origin.parent
            for path in project.files(origin.parent) if whole else [origin]:
                if path.suffix not in {".so", ".pyd"}:
                    new.write(path, path.relative_to(root))
        for path in NODE.glob("*.py"):
            new.write(path, path.name)


def write_tests(target):
    """Pack attnlib's tests, and the settings of pytest."""
    with zipfile.ZipFile(target, "w") as new:
        tests = project.files(project.ROOT / "tests" / "attnlib")
        for path in [*tests, project.ROOT / "pyproject.toml"]:
            new.write(path, path.relative_to(project.ROOT))


def prepare(home):
    """Collect what Node needs in one folder."""
    served = project.BUILD / "html" / "_static" / "python"
    for name in [WASM, LOCK, LIBRARY, WHEEL, COURSE]:
        [path] = served.glob(f"*/{name}")
        shutil.copy(path, home / name)
    pinned = frontend.fetch() / "pyodide"
    for name in ["pyodide.mjs", "pyodide.asm.js"]:
        shutil.copy(pinned / name, home / name)
    shutil.copy(pinned / LIBRARY, home / "whole.zip")
    write_packages(home / "packages.zip")
    write_tests(home / "tests.zip")
    arguments = [
        *["-c", "pyproject.toml", "-o", f"addopts={' '.join(OPTIONS)}"],
        *["-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin"],
        *["-q", "--tb=short", "--durations=10", "--capture=sys"],
        "--doctest-ignore-import-errors",  # and so Matplotlib's are skips
        *[f"--deselect={name}" for name in LEFT_OUT],
        *["attnlib", "tests/attnlib"],
    ]
    archives = {WHEEL: SITE, COURSE: SITE, "tests.zip": SITE}
    how = {
        "archives": {**archives, "packages.zip": "/packages"},
        "folder": SITE,
        "main": [hypothesis.__version__, EXAMPLES, arguments],
    }
    (home / "how.json").write_text(json.dumps(how), "utf-8")


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Run the tests in Pyodide, once; return what it wrote down."""
    pages.run_build()
    home = tmp_path_factory.mktemp("pyodide")
    prepare(home)
    done = subprocess.run(
        [*frontend.command("node"), str(NODE / "start.mjs"), str(home)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    print(done.stdout)
    if done.returncode:
        pytest.fail(f"Pyodide broke down:\n{done.stdout}", pytrace=False)
    return json.loads((home / "outcomes.json").read_text("utf-8"))


def test_this_python_is_that_of_a_browser(ran):
    assert ran["platform"] == "emscripten"
    assert ran["bits"] == 32


@pytest.mark.parametrize("file", FILES)
def test_attnlib_passes_in_a_browsers_python(ran, file):
    found = {n: o for n, o in ran["tests"].items() if file_of(n) == file}
    bad = [
        f"{name}: {outcome}\n{said}"
        for name, (outcome, said) in found.items()
        if outcome not in {"passed", "skipped", "left out"}
    ]
    if bad:
        pytest.fail("\n\n".join(bad), pytrace=False)


def test_no_failure_is_outside_of_these_files(ran):
    assert {file_of(name) for name in ran["tests"]} <= set(FILES)
    assert ran["code"] == pytest.ExitCode.OK


def test_only_what_a_browser_cannot_do_is_skipped(ran):
    found = {}
    for name, (outcome, said) in ran["tests"].items():
        if outcome == "skipped":
            found.setdefault(file_of(name), []).append(said)
    assert {file: len(said) for file, said in found.items()} == {
        file: count for file, (_, count) in SKIPPED.items()
    }
    for file, reasons in found.items():
        for reason in reasons:
            assert re.match(SKIPPED[file][0], reason), file


def test_every_test_of_attnlib_runs_there_or_is_named_above(ran):
    listed = subprocess.run(
        [
            *[sys.executable, "-m", "pytest", "--collect-only", "-q"],
            *["-o", f"addopts={' '.join(OPTIONS)}", "-p", "no:cacheprovider"],
            *["attnlib", "tests/attnlib"],
        ],
        cwd=project.ROOT,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    ).stdout
    here = {line for line in listed.splitlines() if "::" in line}
    absent = {f for f in SKIPPED if f in ran["tests"]} | {"attnlib/plots.py"}
    expected = {name for name in here if file_of(name) not in absent}
    there = {name for name in ran["tests"] if file_of(name) not in absent}
    assert there == expected
    left = {n for n, (o, _) in ran["tests"].items() if o == "left out"}
    assert {name.partition("[")[0] for name in left} == set(LEFT_OUT)


@given(st.floats(), st.sampled_from([16, 32, 64]), st.booleans())
def test_the_stand_in_for_hypothesis_is_like_its_compiled_part(
    x, width, allow
):
    small = compiled.float_of(math.atan(x), width)  # fits into any width
    for name in ["float_to_int", "next_up", "next_down"]:
        mine, theirs = getattr(native, name), getattr(compiled, name)
        assert repr(mine(small, width)) == repr(theirs(small, width))
    for name in ["next_up_normal", "next_down_normal"]:
        mine, theirs = getattr(native, name), getattr(compiled, name)
        for value in [small, 0.0, -0.0, native.next_up(0.0, width)]:
            got = mine(value, width, allow_subnormal=allow)
            assert repr(got) == repr(
                theirs(value, width, allow_subnormal=allow)
            )
    low, high = sorted([small, 0.5]) if small == small else (0.0, 0.5)
    count = compiled.count_between_floats(low, high, width)
    assert native.count_between_floats(low, high, width) == count
    smallest = compiled.width_smallest_normals(width)
    assert native.width_smallest_normals(width) == smallest
    assert native.is_negative(x) == compiled.is_negative(x)
    bits = native.float_to_int(x)
    assert bits == compiled.float_to_int(x)
    assert repr(native.int_to_float(bits)) == repr(compiled.int_to_float(bits))
