"""The exercises in a real kernel: as they are given, and solved.

The very solution that the reader unfolds is run here in place of the starting
code.
"""

import ast

import execution
import nbformat
import project
import pytest
from exercising import (
    CALL,
    WITH_EXERCISES,
    blocks,
    cells_of,
    defined,
    exercises,
)
from nbclient import NotebookClient
from pages import CHAPTERS

from coursekit import exercises as tasks


def test_the_directives_are_read():
    text = "````{solution} ex-a-1\n:class: dropdown\n\n```python\nx\n```\n````"
    (body,) = blocks(text, "solution").values()
    assert "```python\nx\n```" in body
    assert set(blocks(text, "solution")) == {"ex-a-1"}


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_has_three_to_five_checked_exercises(name):
    assert 3 <= len(exercises(name)) <= 5


@pytest.mark.parametrize("name", WITH_EXERCISES)
def test_start_and_solution_define_the_same(name):
    seen = set()
    for label, start, check, solution, _ in exercises(name):
        assert label not in seen, f"two code cells for {label}"
        seen.add(label)
        assert len(solution) == 1, f"{label} needs one Python block"
        assert defined(start) == defined(solution[0]), label
        assert "..." in start, f"{label} leaves nothing to do"
        called = CALL.match(check)
        assert called, f"{label} must end in a check: {check}"
        assert called[1] in tasks.__all__
        assert called[2] == defined(start)[0], label


@pytest.mark.parametrize("name", WITH_EXERCISES)
def test_every_code_exercise_has_hints_in_steps(name):
    cells = cells_of(name)
    for i, cell in enumerate(cells):
        if "exercise" in cell["tags"]:
            before, after = cells[i - 1]["source"], cells[i + 1]["source"]
            assert "{exercise}" in before
            assert "{dropdown} Hint 1" in before
            assert "{solution}" in after


@pytest.mark.parametrize("name", WITH_EXERCISES)
def test_the_stored_output_says_not_attempted(name):
    for label, _, _, _, cell in exercises(name):
        (output,) = cell["outputs"]
        text = "".join(output["data"]["text/plain"])
        assert text.startswith("Not attempted yet: "), label


def run(setup, code):
    """Run cells in a kernel; return the text that each of `code` shows."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in setup + code]
    )
    where = {"metadata": {"path": str(project.ROOT / "book")}}
    NotebookClient(notebook, timeout=120, resources=where).execute()
    outputs = [cell.outputs for cell in notebook.cells[len(setup) :]]
    return ["".join(map(text_of, output)) for output in outputs]


def text_of(output):
    return output.get("data", {}).get("text/plain", output.get("text", ""))


@pytest.fixture(autouse=True, scope="module")
def profile():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(execution.kernel_profile()))
        yield


@pytest.fixture(scope="module")
def answers():
    """Run all exercises, as given and solved, in one kernel; what they say.

    Each chapter begins with its own set-up cell, as for a reader.
    """
    code, keys = [], []
    for name in WITH_EXERCISES:
        setup = [c["source"] for c in cells_of(name) if "setup" in c["tags"]]
        code += setup
        keys += [None] * len(setup)
        for label, start, check, solution, _ in exercises(name):
            for kind, body in (("start", start), ("solution", solution[0])):
                code.append(f"{body}\n\n{check}")
                keys.append((label, kind))
    return dict(zip(keys, run([], code), strict=True))


@pytest.mark.parametrize("name", WITH_EXERCISES)
def test_the_starting_code_is_not_attempted_and_the_solution_right(
    answers, name
):
    for label, *_ in exercises(name):
        assert answers[label, "start"].startswith("Not attempted yet: ")
        assert answers[label, "solution"].startswith("Right: ")


def test_in_a_kernel_a_check_shows_the_line_and_ends_what_does_not_end():
    setup = "import coursekit.checks.calling\n"
    setup += "from coursekit import exercises\n"
    setup += "coursekit.checks.calling.SECONDS = 0.2"
    check = "\n\n\nexercises.check_fixed_softmax(f)"
    fails, loops, recurses, right = run(
        [setup],
        [
            "def f(scores):\n    return scores.maximum()" + check,
            "def f(scores):\n    while True:\n        pass" + check,
            "def f(scores):\n    return f(scores)" + check,
            "from attnlib import softmax as f" + check,
        ],
    )
    where = "it raised AttributeError in line 2, `return scores.maximum()`"
    assert where in " ".join(fails.split())
    assert "it had not finished after 0.2 s in line " in loops
    assert "calls itself without end in line 2" in recurses
    assert right.startswith("Right: ")


def test_the_bugs_of_the_hunt_are_the_ones_that_the_checks_expect():
    space, hunted = {}, []
    for cell in cells_of("book/bug-hunt"):
        if cell["cell_type"] != "code":
            continue
        if "exercise" not in cell["tags"]:
            nodes = ast.parse(cell["source"]).body
            kinds = (ast.FunctionDef, ast.Import, ast.ImportFrom)
            kept = [node for node in nodes if isinstance(node, kinds)]
            exec("\n".join(map(ast.unparse, kept)), space)
            functions = [n for n in kept if isinstance(n, ast.FunctionDef)]
            buggy = functions[0].name if functions else None
            continue
        check = getattr(tasks, CALL.match(cell["source"].split("\n")[-1])[1])
        report = check(space[buggy])
        assert report.mistake == check.untold, buggy
        assert check.untold is not None
        assert "what the function above gives" in report.text
        hunted.append(buggy)
    assert len(set(hunted)) == 6
