"""What a cell shows, sent to the page piece by piece.

A piece is a dict with a `kind`: "text" that was printed, the "result" of the
cell, "html", the "report" of a check, an "error", or "figure" for a figure
that the page keeps. A piece with a `slot` can be shown anew.
"""

import io
import json
import time

from coursekit.phrases import phrase

__all__ = ["Printed", "bundle", "cut", "new_slot", "send"]

MOST = 200_000  # characters of one cell; a page does not bear much more
EVERY = 0.05  # s between two pieces of printed text

slots = 0


def to_page(text):
    """Hand a piece over; the worker of the page has put this in place."""
    import js

    js.attend(text)


def send(**piece):
    """Send one piece."""
    to_page(json.dumps(piece))


def new_slot():
    """Return a number for a piece that may be shown anew."""
    global slots
    slots += 1
    return slots


def bundle(value):
    """Return an object as a piece: what it says of itself, richest first."""
    if hasattr(value, "status") and hasattr(value, "mistake"):
        return {
            "kind": "report",
            "status": value.status,
            "text": repr(value),
        }
    html = getattr(value, "html", None)
    if not isinstance(html, str):
        rich = getattr(value, "_repr_html_", None)
        html = rich() if callable(rich) else None
    if isinstance(html, str):
        return {"kind": "html", "html": html, "text": repr(value)}
    return {"kind": "result", "text": cut(repr(value))}


def cut(text):
    r"""Return a text, or its beginning if it is too long for a page.

    >>> cut("a" * 300_000)[-25:]
    'a\n… (300,000 characters)\n'
    """
    if len(text) <= MOST:
        return text
    size = phrase("… ({count} characters)", count=f"{len(text):,}")
    return f"{text[:MOST]}\n{size}\n"


class Printed(io.TextIOBase):
    """Where a cell prints: collected for a moment, then sent."""

    def __init__(self):
        self.start()

    def start(self):
        """Begin a cell; what it prints first is sent at once."""
        self._waiting, self._sent, self._last = [], 0, -EVERY

    def writable(self):
        """Return True: this can be printed to."""
        return True

    def write(self, text):
        """Keep the text, and send it if the last piece is a while ago."""
        self._waiting.append(text)
        if time.perf_counter() - self._last > EVERY:
            self.flush()
        return len(text)

    def flush(self):
        """Send what is waiting, unless the page has enough of it."""
        text = "".join(self._waiting)
        self._waiting, self._last = [], time.perf_counter()
        if not text or self._sent > MOST:
            return
        room = MOST - self._sent
        self._sent += len(text)
        if self._sent > MOST:
            text = f"{text[:room]}\n{phrase('… (more is not shown)')}\n"
        send(kind="text", text=text)
