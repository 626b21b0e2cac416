"""What stands in for IPython: as much as a cell of the book uses."""

import sys
import types

from coursekit.page.outputs import bundle, new_slot, send

__all__ = ["HTML", "DisplayHandle", "Pretty", "display", "stand_ins"]


class Pretty:
    """A text that is shown as it is."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


class HTML(Pretty):
    """A text that is HTML."""

    def _repr_html_(self):
        return self.text


def display(*values, **_):
    """Show values, as the last line of a cell would."""
    sys.stdout.flush()
    for value in values:
        send(**bundle(value))


class DisplayHandle:
    """A place in the output that can be shown anew."""

    def __init__(self):
        self._slot = new_slot()

    def display(self, value):
        """Show a value there."""
        sys.stdout.flush()
        send(**bundle(value), slot=self._slot)

    update = display


def stand_ins():
    """Return the modules, by name."""
    shown = types.ModuleType("IPython.display")
    for thing in (HTML, DisplayHandle, Pretty, display):
        setattr(shown, thing.__name__, thing)
    top = types.ModuleType("IPython")
    top.display, top.get_ipython = shown, lambda: None
    return {"IPython": top, "IPython.display": shown}
