"""The package as a whole: what it loads, what it offers, what imports what."""

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import numpy as np
import pytest
from packaging.specifiers import SpecifierSet

import attnlib as al

PACKAGE = Path(al.__file__).parent
# Lower layers first; a module may import only from the layers before its own.
LAYERS = [
    {"_validate", "_tiles"},
    {"ops", "masks", "positions", "cache"},
    {"attention"},
    {"multihead", "efficient"},
    {"autograd", "toydata"},
    {"transformer"},
    {"plots"},
    {"_visualize", "_translate"},
    {"__init__", "__main__"},
    # Nothing imports the explorers, which need ipywidgets.
    {"explorers.frames"},
    {"explorers.arguments", "explorers.panel", "explorers.cards"},
    {
        "explorers.language",
        "explorers.lookup",
        "explorers.maps",
        "explorers.positions",
        "explorers.questions",
        "explorers.real",
        "explorers.translation",
    },
    {"explorers.online"},  # shows the sentence that maps shows
    {"explorers"},
    # The exercises' checks: the machinery, the chapters, the names.
    {"checks.calling", "checks.mistakes", "checks.words"},
    {"checks.results", "checks.unwritten"},
    {"checks.diagnosis", "checks.matching"},
    {"checks.trials"},
    {"checks.engine"},
    {"checks.heads", "checks.intuition", "checks.variants"},
    {
        "checks.biases",
        "checks.blocks",
        "checks.cross_attention",
        "checks.efficient",
        "checks.language",
        "checks.lookups",
        "checks.linear",
        "checks.masks",
        "checks.multi_head",
        "checks.online",
        "checks.positions",
        "checks.real_heads",
        "checks.real_maps",
        "checks.self_attention",
        "checks.sequences",
        "checks.training",
    },
    {"checks.bugs"},
    {"checks"},
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
    """Return a module's name below attnlib: `ops`, `explorers.maps`."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    if len(parts) > 1 and parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports_of(path):
    """Return the attnlib modules that a file imports at its top level."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            top, _, rest = node.module.partition(".")
            if top == "attnlib":
                found |= {rest} if rest else {a.name for a in node.names}
        elif isinstance(node, ast.Import):
            names = (a.name.partition(".") for a in node.names)
            found |= {rest for top, _, rest in names if top == "attnlib"}
    return found - {""}


def test_every_module_has_a_layer():
    assert set(MODULES) == set().union(*LAYERS)


@pytest.mark.parametrize("name", MODULES)
def test_imports_go_in_one_direction(name):
    layer = next(i for i, names in enumerate(LAYERS) if name in names)
    allowed = set().union(*LAYERS[:layer])
    assert imports_of(MODULES[name]) <= allowed


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
def test_modules_stay_small(name):
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
    root = PACKAGE.parent
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    oldest = project["project"]["requires-python"].removeprefix(">=") + ".0"
    pins = (root / "constraints.txt").read_text("utf-8").splitlines()
    names = [pin.partition("==")[0] for pin in pins if "==" in pin]
    assert len(names) > 50
    for name in names:
        needed = metadata(name)["Requires-Python"]
        assert SpecifierSet(needed or "").contains(oldest), name
