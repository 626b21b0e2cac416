"""Where the project is, and how its files are hashed and written."""

import hashlib
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "_build"


def digest(paths, root=ROOT):
    """Return a hash of the files' names and contents."""
    total = hashlib.sha256()
    for path in sorted(set(paths)):
        name = path.relative_to(root).as_posix()
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{name} {content}\n".encode())
    return total.hexdigest()[:16]


def files(folder):
    """Return every source file below a folder."""
    skip = {"__pycache__", ".ipynb_checkpoints", "node_modules"}
    return [
        path
        for path in Path(folder).rglob("*")
        if path.is_file() and not skip & set(path.parts)
    ]


def write_atomically(path, text):
    """Write a file so that whoever reads it finds the old or the new one."""
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_text(text, "utf-8")
    os.replace(new, path)


def fingerprinted(folder, name, content):
    """Write a file of the site; return its name with a hash of what it is.

    A browser may keep it for long, and still sees each change.
    """
    (folder / name).write_bytes(content)
    return f"{name}?v={hashlib.sha256(content).hexdigest()[:8]}"
