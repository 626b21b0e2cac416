"""What `make book` runs: `jupyter-book build .`, unless nothing changed.

`python book/_tools/make_book.py [linkcheck]`. The build itself is strict, and
waits for another that is running: see `book/_ext/staging.py`.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "_ext"))

import locking
import staging
from project import BUILD, ROOT

SITE = BUILD / "html"


def build(*options):
    """Run Jupyter Book, while this process holds the lock."""
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build"]
    return subprocess.run(
        [*command, str(ROOT), "-q", *options],
        cwd=ROOT,
        env={**os.environ, staging.HELD: "yes"},
    ).returncode


def main(builder="html"):
    """Build the site, unless it is fresh; return the exit code."""
    start = time.monotonic()
    page = SITE / "index.html"
    with locking.locked(staging.LOCK):
        if builder != "html":
            output = ["--path-output", str(BUILD / builder)]
            return build("--builder", builder, *output)
        if staging.is_fresh(SITE):
            print(f"the book is up to date: {page}\nread it: make serve")
            return 0
        code = build()
    if code == 0:
        seconds = time.monotonic() - start
        print(f"the book is built ({seconds:.0f} s): {page}")
        print("read it: make serve")
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
