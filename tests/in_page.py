"""Cells run as the page runs them, but in a Python of this machine.

`coursekit.page` puts stand-ins in the place of IPython and Matplotlib, so it
is imported in a process of its own.
"""

import json
import os
import subprocess
import sys

import project

# Lists that begin alike share their beginning: the process splits where they
# part, so that none sees what another one does.
SCRIPT = """
import json, os, sys
import coursekit.page as page
from coursekit.page import cells, outputs

pieces = []
outputs.to_page = lambda text: pieces.append(json.loads(text))
cells.space = {"__name__": "__main__"}

def follow(runs, at):
    for source in dict.fromkeys(run[at] for run in runs if len(run) > at):
        if os.fork():
            os.wait()
            continue
        own = [run for run in runs if len(run) > at and run[at] == source]
        pieces.clear()
        end = json.loads(page.run(source, f"cell {at + 1}"))
        answer = {**end, "pieces": pieces}
        print(json.dumps([own[0][: at + 1], answer]), flush=True)
        if end["ok"]:
            follow(own, at + 1)
        os._exit(0)

follow(json.load(sys.stdin), 0)
"""


def python(script, given=""):
    """Run a script in a new Python, in the folder of the book."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=given,
        env={
            **os.environ,
            "COURSEKIT_PAGE": "1",
            "PYTHONPATH": str(project.ROOT),
        },
        cwd=project.ROOT / "book",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_fresh(runs):
    """Run lists of cells, each list from a fresh start, up to an error.

    Return for each list the answers of its cells: whether a cell was `ok`,
    and the `pieces` that it sent.
    """
    lines = python(SCRIPT, json.dumps(runs)).splitlines()
    found = {tuple(cells): answer for cells, answer in map(json.loads, lines)}
    starts = [[tuple(run[: i + 1]) for i in range(len(run))] for run in runs]
    return [[found[s] for s in start if s in found] for start in starts]


def run(*sources):
    """Run one list of cells."""
    (found,) = run_fresh([sources])
    return found


def text_of(answer):
    """Return what a cell has shown as text, less what is shown anew."""
    shown = [p for p in answer["pieces"] if "slot" not in p]
    kinds = ("text", "result", "report", "error")
    return "".join(p["text"] for p in shown if p["kind"] in kinds)
