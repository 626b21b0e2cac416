"""What the commands share: lines on the terminal, folders to write to."""

import sys
from tempfile import TemporaryDirectory


class CommandError(Exception):
    """The command cannot go on; the message says why and what to do."""


def printable(text):
    r"""Escape the characters that a terminal would obey instead of show.

    >>> print(printable("\x1b[2J나는"))
    \x1b[2J나는
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode()
        for c in text
    )


def say(line=""):
    """Print one line, at once."""
    print(printable(line), flush=True)


def warn(line=""):
    """Print one line on stderr, at once."""
    print(printable(line), file=sys.stderr, flush=True)


def make_folder(folder):
    """Make a folder if there is none, and make sure it can be written to."""
    for part in (folder, *folder.parents):
        if part.exists() and not part.is_dir():
            raise CommandError(f"{part} is not a folder; choose another place")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder):
            pass
    except OSError as error:
        raise CommandError(
            f"cannot write to the folder {folder}: {error.strerror}"
        ) from None
