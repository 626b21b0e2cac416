"""An explorer: controls, and a frame for everything they can choose.

It has two faces. In Jupyter it is a panel of ipywidgets; on a page of the
book it is HTML with the browser's own controls. Both only choose among
frames that were drawn before, so that neither needs a kernel.
"""

from collections.abc import Sized
from functools import cached_property
from itertools import product
from math import prod

from coursekit.explorers.controls import control
from coursekit.explorers.markup import panel_html
from coursekit.explorers.style import on_page

__all__ = ["MAX_BYTES", "MAX_FRAMES", "Explorer", "explore"]

# For all combinations of options: 6 sentences × 6 layers × 12 heads fit.
MAX_FRAMES = 450
MAX_BYTES = 4_000_000  # all different frames together, not compressed


class Explorer:
    """Controls above the frame that they choose.

    Attributes
    ----------
    controls : dict
        The `Control` of each name.
    frames : dict
        The HTML of each frame, by the tuple of the chosen options.
    """

    def __init__(self, controls, frames):
        self.controls, self.frames = controls, frames

    @property
    def first(self):
        """The frame that is shown before any control is moved."""
        return self.frames[tuple(c.value for c in self.controls.values())]

    @property
    def html(self):
        """The explorer as a page of the book shows it."""
        return panel_html([*self.controls.values()], self.frames, self.first)

    @cached_property
    def widget(self):
        """The explorer as Jupyter shows it, made when it is asked for."""
        from coursekit.explorers.widgets import panel_widget

        return panel_widget(self.controls, self.frames)

    def __repr__(self):
        count = len(set(self.frames.values()))
        return f"Explorer({', '.join(self.controls)}: {count} pictures)"

    def _repr_mimebundle_(self, **kwargs):
        """Return the face that can be shown where this kernel runs."""
        if on_page():
            view = {"text/html": self.html}
        else:
            view = self.widget._repr_mimebundle_()
        return {**view, "text/plain": repr(self)}


def explore(draw, start=None, /, **controls):
    """Make an explorer from a drawing function and named controls.

    All frames are drawn now; afterwards the browser alone swaps them, so
    that the sliders also work on a published page, where no kernel runs.

    Parameters
    ----------
    draw : callable
        ``draw(**choice)`` returns one frame as HTML or SVG text.
    start : dict, optional
        The option of each control that is chosen at first; otherwise it is
        the first one.
    **controls
        The options of each control: a sequence, or a dict from labels to
        values. Numbers get a slider, a few short names get buttons, and
        other names a menu. A control is labelled with its name, with spaces
        for underscores.

    Returns
    -------
    Explorer
        What a cell shows. There are at most 450 frames.

    Examples
    --------
    >>> panel = explore(lambda n: f"<p>{n} squared is {n * n}</p>", n=[1, 2])
    >>> panel.frames[(2,)]
    '<p>2 squared is 4</p>'
    """
    if not callable(draw):
        kind = type(draw).__name__
        raise TypeError(f"draw must be a function, got {kind}")
    if not controls:
        raise ValueError("an explorer needs at least one control")
    start = {} if start is None else start
    if not isinstance(start, dict):
        kind = type(start).__name__
        raise TypeError(f"start must be a dict, got {kind}")
    _check_count(
        {name: len(o) for name, o in controls.items() if isinstance(o, Sized)}
    )
    made = {
        name: control(name, options, start.get(name))
        for name, options in controls.items()
    }
    unknown = set(start) - set(made)
    if unknown:
        raise ValueError(f"start names unknown controls: {sorted(unknown)}")
    _check_count({name: len(c.options) for name, c in made.items()})
    return Explorer(made, _frames(draw, made))


def _frames(draw, controls):
    """Draw all frames, in the order in which the last control moves first."""
    frames = {}
    for choice in product(*(c.values for c in controls.values())):
        frame = draw(**dict(zip(controls, choice, strict=True)))
        if not isinstance(frame, str):
            kind = type(frame).__name__
            raise TypeError(f"draw must return HTML as a str, got {kind}")
        frames[choice] = frame
    size = sum(len(frame.encode()) for frame in set(frames.values()))
    if size > MAX_BYTES:
        raise ValueError(
            f"the frames take {size:,} bytes, more than {MAX_BYTES:,}: pass "
            "fewer options or draw less"
        )
    return frames


def _check_count(counts):
    total = prod(counts.values())
    if total > MAX_FRAMES:
        most = max(counts, key=counts.get)
        sizes = " × ".join(f"{name} {n}" for name, n in counts.items())
        raise ValueError(
            f"{sizes} = {total} frames, more than {MAX_FRAMES}: reduce "
            f"{most}, which has {counts[most]} options"
        )
