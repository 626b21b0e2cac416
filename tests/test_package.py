"""The package as a whole: what it loads, what it offers, what imports what."""

import ast
import graphlib
import subprocess
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import numpy as np
import pytest
from packaging.specifiers import SpecifierSet

import attnlib as al

ROOT = Path(al.__file__).parents[1]
PACKAGES = ["attnlib", "coursekit"]
# Lower layers first; a module may import only from the layers before its own.
LAYERS = [
    {"_validate", "_tiles"},
    {"ops", "masks", "positions", "cache"},
    {"attention"},
    {"multihead", "efficient"},
    {"autograd", "grammar", "toydata"},
    {"functional", "training"},
    {"transformer"},
    {"translator", "tinygpt"},
    {"plots"},
    {"__init__"},
]
FIXED = {
    "softmax",
    "scaled_dot_product_attention",
    "self_attention",
    "validate_attention",
    "create_causal_mask",
    "create_padding_mask",
    "create_padding_mask_from_ids",
    "create_window_mask",
    "MultiHeadAttention",
    "split_heads",
    "merge_heads",
    "grouped_query_attention",
    "KVCache",
    "positional_encoding",
    "add_positional_encoding",
    "apply_rope",
    "alibi_slopes",
    "alibi_bias",
    "relative_position_bucket",
    "relative_position_bias",
    "memory_efficient_attention",
    "linear_attention",
    "visualize_attention",
}


def name_of(path):
    """Return a module's name: `attnlib.ops`, `coursekit.explorers`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    name_of(path): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}


def imports_of(path):
    """Return our modules that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "say the whole name"
            inner = {f"{node.module}.{a.name}" for a in node.names}
            found |= (inner & set(MODULES)) or {node.module}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
    return found & set(MODULES)


def test_attnlib_knows_nothing_of_the_course():
    for name, path in MODULES.items():
        if name.startswith("attnlib"):
            found = imports_of(path)
            assert not {i for i in found if i.startswith("coursekit")}, name


def test_every_module_of_attnlib_has_a_layer():
    names = {n.removeprefix("attnlib.") for n in MODULES if "attnlib." in n}
    assert names | {"__init__"} == set().union(*LAYERS)


def test_imports_of_attnlib_go_in_one_direction():
    allowed = set()
    for layer in LAYERS[:-1]:
        for name in layer:
            found = imports_of(MODULES[f"attnlib.{name}"]) - {"attnlib"}
            assert {n.removeprefix("attnlib.") for n in found} <= allowed
        allowed |= layer


def test_no_import_of_the_course_goes_in_a_circle():
    graph = {
        name: imports_of(path)
        for name, path in MODULES.items()
        if name.startswith("coursekit")
    }
    order = list(graphlib.TopologicalSorter(graph).static_order())
    assert set(graph) <= set(order)


def test_import_loads_neither_matplotlib_nor_ipywidgets():
    code = """
import sys, attnlib
heavy = {"matplotlib", "ipywidgets", "IPython", "scipy", "torch"}
print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
attnlib.visualize_attention
print("matplotlib" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n") == ["[]", "True", ""]


def test_every_fixed_name_is_public():
    assert set(al.__all__) >= FIXED
    for name in al.__all__:
        assert callable(getattr(al, name))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = al.no_such_name


def test_nothing_touches_the_global_random_state():
    np.random.seed(7)  # noqa: NPY002 - the state that must not change
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    x = np.ones((5, 6))
    for rng in (None, 5, np.random.default_rng(5)):
        al.MultiHeadAttention(6, 3, rng=rng)(x)
    al.memory_efficient_attention(x, x, x)
    al.positional_encoding(5, 6)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_read_in_minutes(name):
    assert len(MODULES[name].read_text("utf-8").splitlines()) < 350


def test_attnlib_is_read_in_an_evening():
    paths = [path for n, path in MODULES.items() if "attnlib" in n]
    lines = sum(len(p.read_text("utf-8").splitlines()) for p in paths)
    assert lines <= 4250


@pytest.mark.parametrize("name", MODULES)
def test_functions_stay_small(name):
    code = MODULES[name].read_text("utf-8")
    functions = [
        node
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.FunctionDef)
    ]
    for function in functions:
        body = function.body
        if ast.get_docstring(function):
            body = body[1:]
        if body:
            length = body[-1].end_lineno - body[0].lineno + 1
            assert length <= 45, f"{function.name} has {length} lines"


def test_every_pin_can_be_installed_on_the_oldest_python():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    oldest = project["project"]["requires-python"].removeprefix(">=") + ".0"
    if not oldest.startswith("{}.{}.".format(*sys.version_info)):
        pytest.skip("only the oldest Python installs every pin")
    pins = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    names = [pin.partition("==")[0] for pin in pins if "==" in pin]
    assert len(names) > 50
    for name in names:
        needed = metadata(name).get("Requires-Python")
        assert SpecifierSet(needed or "").contains(oldest), name
