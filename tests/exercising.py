"""The exercises of the notebooks: their starting code and their solutions.

A code cell tagged `exercise` holds the starting code and the check. The
solution is the Python block of the page's ``{solution}``.
"""

import ast
import json
import re

import project
from pages import NOTEBOOKS

CALL = re.compile(r"^exercises\.(check_\w+)\((\w+)\)$")


def blocks(text, kind):
    """Return the contents of ``{kind}`` directives, by what follows it."""
    pattern = rf"^(`{{3,}})\{{{kind}\}} ?(.*?)\n(.*?)^\1[ ]*$"
    found = re.findall(pattern, text, flags=re.MULTILINE | re.DOTALL)
    return {title: body for _, title, body in found}


def cells_of(name):
    """Return the cells of a notebook, with their source as one text."""
    text = (project.ROOT / f"{name}.ipynb").read_text("utf-8")
    cells = json.loads(text)["cells"]
    for cell in cells:
        cell["source"] = "".join(cell["source"])
        cell["tags"] = cell["metadata"].get("tags", [])
    return cells


def code_of(name):
    """Return the code cells of a notebook."""
    return [c for c in cells_of(name) if c["cell_type"] == "code"]


def stored_text(cell):
    """Return what the notebook stores of a cell's output, as text."""
    texts = [
        output.get("text", output.get("data", {}).get("text/plain", ""))
        for output in cell["outputs"]
    ]
    return "".join("".join(text) for text in texts)


def exercises(name):
    """Return label, starting code, check and solution of each exercise."""
    cells, found = cells_of(name), []
    prose = [c["source"] for c in cells if c["cell_type"] == "markdown"]
    solutions = blocks("\n".join(prose), "solution")
    label = None
    for cell in cells:
        labels = re.findall(r"^:label: (ex-[\w-]+)$", cell["source"], re.M)
        label = labels[-1] if labels else label
        if "exercise" in cell["tags"]:
            start, _, check = cell["source"].rstrip().rpartition("\n")
            body = solutions.get(label, "")
            code = re.findall(r"^```python\n(.*?)^```", body, re.M | re.S)
            found.append((label, start.strip(), check, code, cell))
    return found


WITH_EXERCISES = [n for n in NOTEBOOKS if exercises(n)]


def defined(code):
    """Return the one thing that a piece of code defines, as name and form."""
    (statement,) = ast.parse(code).body
    if isinstance(statement, ast.FunctionDef):
        return statement.name, ast.dump(statement.args)
    assert isinstance(statement, ast.Assign), code
    (target,) = statement.targets
    return target.id, "value"
