"""What a cell needs of the cells above it."""

import in_page
import needs
import pagepython
import pytest
from exercising import code_of, stored_text
from pages import NOTEBOOKS

UNSEEN = {"remove-input", "remove-cell"}  # cells without code on the page


@pytest.mark.parametrize(
    ("above", "cell", "needed"),
    [
        (["x = 1", "y = 2"], "print(x)", [0]),
        (["x = 1", "x = 2"], "print(x)", [1]),
        (["x = 1", "y = x"], "print(y)", [0, 1]),
        (["x = [1]", "x[0] = 2"], "print(x)", [0, 1]),
        (["x = 1", "x += 1"], "print(x)", [0, 1]),
        (["class X: pass", "x = X()", "x.y = 1"], "print(x)", [0, 1, 2]),
        (["x = 1"], "x = 2; print(x)", []),
        (["x = 1"], "print([x for x in range(3)])", []),
        (["x = 1"], "for x in range(3): print(x)", []),
        (["x = 1"], "print(lambda x: x)", []),
        (["x = 1"], "print(lambda: x)", [0]),
        (["x = 1", "def f(): return x"], "print(f())", [0, 1]),
        (["def f(): return 1", "def g(): return f()"], "g()", [0, 1]),
        (["def f(x): return x"], "x = 1", []),
        (["x = [1]", "def f(): x[0] = 2", "f()"], "print(x)", [0, 1, 2]),
        (["from a import b", "import c.d as e"], "b(e)", [0, 1]),
        (["from a import default_rng"], "default_rng(0)", [0]),
        (
            ["r = default_rng(0)", "a = r.normal()", "b = f(r)"],
            "r.normal()",
            [0, 1, 2],
        ),
        (
            ["r = default_rng(0)", "def f(r): r.normal()", "f(1)"],
            "r.normal()",
            [0],
        ),
        (["m = Model()", "train(m)", "m.forward(1)"], "m.forward(2)", [0, 1]),
        (["x = 1", "with open(x) as f: y = f"], "print(y)", [0, 1]),
    ],
)
def test_a_cell_needs_what_makes_and_changes_its_names(above, cell, needed):
    assert needs.needs([*above, cell])[-1] == needed


def test_what_stands_apart_is_nobodys_need():
    cells = ["x = 1", "x = 2", "print(x)"]
    assert needs.needs(cells, skipped={1})[-1] == [0]


def test_a_cell_tells_what_it_reads_and_writes():
    cells = ["import numpy as np", "x = np.ones(3)", "x[0] = y = len(x)"]
    assert needs.names(cells) == [
        ([], ["np"]),
        (["np"], ["x"]),
        (["x"], ["x", "y"]),
    ]


def slices(name):
    """Return the cells that have code on the page, with their needs.

    Less those that need a long cell, or are one.
    """
    cells = code_of(name)
    needed = [
        [*map(int, fact["needs"].split()), fact["cell"]]
        for fact in pagepython.facts_of(cells)
    ]
    return [
        [cells[i] for i in numbers]
        for numbers in needed
        if not UNSEEN & set(cells[numbers[-1]]["tags"])
        and not any("page" in cells[i]["metadata"] for i in numbers)
    ]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_a_cell_needs_is_enough_to_print_what_is_stored(name):
    found = slices(name)
    runs = [[cell["source"] for cell in cells] for cells in found]
    for cells, answers in zip(found, in_page.run_fresh(runs), strict=True):
        *_, cell = cells
        text = in_page.text_of(answers[-1])
        assert answers[-1]["ok"], f"{cell['id']}: {text}"
        if "nbval-ignore-output" not in cell["tags"]:
            assert text.strip() == stored_text(cell).strip(), cell["id"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_cell_needs_one_whose_code_is_not_on_the_page(name):
    cells = code_of(name)
    for fact in pagepython.facts_of(cells):
        for number in map(int, fact["needs"].split()):
            assert not UNSEEN & set(cells[number]["tags"]), fact
