"""Run notebooks and store their text outputs: no image, no widget state.

`python book/_tools/store_outputs.py [notebook ...]`, all of them by default.
"""

import os
import sys
import warnings
from pathlib import Path

import nbformat
from nbclient import NotebookClient

BOOK = Path(__file__).resolve().parents[1]
sys.path.append(str(BOOK / "_ext"))

from ahead import merge_streams  # noqa: E402 - the build's own modules
from execution import kernel_profile  # noqa: E402

KEPT = {"text/plain", "text/latex", "text/html", "text/markdown"}
EXEMPT = "nbval-ignore-output"
METADATA = {
    "kernelspec": {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}


def strip(notebook):
    """Remove, in place, all that is not source or text."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.metadata.pop("execution", None)
        complete(cell.metadata)
        tags = cell.metadata.get("tags", [])
        if EXEMPT in tags and not {"timing", "learned"} & {*tags}:
            cell.outputs = []
        else:
            kept = [out for out in cell.outputs if keep_text(out)]
            cell.outputs = merge_streams(kept)
    return notebook


def complete(metadata):
    """Hide the code of a question, which gives its answers away."""
    tags = metadata.get("tags", [])
    if {"quiz", "predict"} & {*tags}:
        metadata["tags"] = sorted({*tags, EXEMPT, "remove-input"})
        metadata["jupyter"] = {"source_hidden": True}


def keep_text(output):
    """Reduce an output to its text; say whether anything is left."""
    if "data" in output:
        kept = {k: v for k, v in output.data.items() if k in KEPT}
        output.data = nbformat.from_dict(kept)
        output.metadata = nbformat.from_dict({})
        return bool(kept)
    return True


def store(path):
    """Run one notebook in its folder and write it back."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=300, resources=where).execute()
    before = path.read_text("utf-8")
    after = nbformat.writes(strip(notebook), indent=1) + "\n"
    path.write_text(after, "utf-8")
    return after != before


def main(paths):
    """Run the notebooks given, or all in the book."""
    for path in map(Path, paths or sorted(BOOK.glob("*.ipynb"))):
        print(path.name, "stored" if store(path) else "unchanged", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    os.environ["IPYTHONDIR"] = str(kernel_profile())
    main(sys.argv[1:])
