"""Controls linked to frames in the browser, so that no kernel is needed."""

from collections.abc import Hashable, Iterable, Sized
from itertools import product
from math import prod
from numbers import Real

from ipywidgets import (
    HTML,
    Box,
    Dropdown,
    Layout,
    SelectionSlider,
    Stack,
    ToggleButtons,
    VBox,
    jsdlink,
)
from ipywidgets.widgets.widget_string import HTMLStyle

from coursekit.explorers.style import EXPLORERS

__all__ = ["MAX_BYTES", "MAX_FRAMES", "Explorer", "explore"]

# For all combinations of options: 6 sentences × 6 layers × 12 heads fit.
MAX_FRAMES = 450
MAX_BYTES = 4_000_000  # all different frames together, not compressed


class Explorer(VBox):
    """Controls above the frame that they choose.

    Attributes
    ----------
    controls : dict
        The widget of each control, by name.
    frames : dict
        The HTML of each frame, by the tuple of the chosen options.
    """

    def __init__(self, controls, frames):
        self.controls, self.frames = controls, frames
        self._options = [
            [option for _, option in widget.options]
            for widget in controls.values()
        ]
        wide = Layout(width="100%", margin="0", overflow="visible")
        shared = {"layout": wide, "style": HTMLStyle()}
        self._pictures = {
            html: HTML(html, **shared) for html in frames.values()
        }
        self._stacks, self._links = {}, []
        stage = self._nest(wide)
        row = Box(
            [*controls.values()],
            layout=Layout(flex_flow="column", width="100%", margin="0"),
        )
        super().__init__(
            [HTML(EXPLORERS, layout=Layout(display="none")), row, stage],
            layout=Layout(width="100%", overflow="visible"),
        )
        self.add_class("al-explorer")

    def _nest(self, layout, chosen=()):
        """Return the widget that shows what is still to be chosen.

        A control that changes nothing gets no Stack, and equal Stacks are
        one, so that a page carries each picture once.
        """
        depth = len(chosen)
        if depth == len(self._options):
            return self._pictures[self.frames[chosen]]
        children = [
            self._nest(layout, (*chosen, option))
            for option in self._options[depth]
        ]
        if all(child is children[0] for child in children):
            return children[0]
        key = (depth, *map(id, children))
        if key not in self._stacks:
            control = [*self.controls.values()][depth]
            stack = Stack(
                children, selected_index=control.index, layout=layout
            )
            link = jsdlink((control, "index"), (stack, "selected_index"))
            self._stacks[key] = stack
            self._links.append(link)
        return self._stacks[key]

    @property
    def first(self):
        """The frame that is shown before any control is moved."""
        start = [widget.value for widget in self.controls.values()]
        return self.frames[tuple(start)]

    def __repr__(self):
        count = len(self._pictures)
        return f"Explorer({', '.join(self.controls)}: {count} pictures)"

    def _ipython_display_(self):
        """Show the widget, and its first frame where scripts are off."""
        from IPython.display import display

        view = self._repr_mimebundle_()
        view["text/plain"] = repr(self)
        display(view, raw=True)
        still = f"<noscript>{EXPLORERS}{self.first}</noscript>"
        display({"text/html": still, "text/plain": ""}, raw=True)


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
        values. Numbers get a slider, two names get buttons, and more names
        a menu. A control is labelled with its name, with spaces for
        underscores.

    Returns
    -------
    Explorer
        A widget. There are at most 450 frames.

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
    widgets = {
        name: _control(name, options, start.get(name))
        for name, options in controls.items()
    }
    unknown = set(start) - set(widgets)
    if unknown:
        raise ValueError(f"start names unknown controls: {sorted(unknown)}")
    _check_count({name: len(w.options) for name, w in widgets.items()})
    options = [[value for _, value in w.options] for w in widgets.values()]
    frames = {}
    for choice in product(*options):
        frame = draw(**dict(zip(widgets, choice, strict=True)))
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
    return Explorer(widgets, frames)


def _check_count(counts):
    total = prod(counts.values())
    if total > MAX_FRAMES:
        most = max(counts, key=counts.get)
        sizes = " × ".join(f"{name} {n}" for name, n in counts.items())
        raise ValueError(
            f"{sizes} = {total} frames, more than {MAX_FRAMES}: reduce "
            f"{most}, which has {counts[most]} options"
        )


def _control(name, options, value):
    """Return the widget for some options; check them."""
    if isinstance(options, dict):
        pairs = [(str(label), option) for label, option in options.items()]
    elif isinstance(options, str) or not isinstance(options, Iterable):
        kind = type(options).__name__
        raise TypeError(f"{name} needs a sequence of options, got {kind}")
    else:
        options = [getattr(o, "item", lambda o=o: o)() for o in options]
        pairs = [(_label(option), option) for option in options]
    for label, option in pairs:
        if not isinstance(option, Hashable):
            kind = type(option).__name__
            raise TypeError(
                f"{name} has an option that cannot be a key of a dict, "
                f"{label} ({kind}): pass a dict from labels to numbers or "
                "words"
            )
    if not pairs:
        raise ValueError(f"{name} has no options")
    labels = [label for label, _ in pairs]
    if len(set(labels)) < len(labels):
        raise ValueError(f"{name} has two options with one label: {labels}")
    values = [option for _, option in pairs]
    if value is None:
        value = values[0]
    if value not in values:
        raise ValueError(f"{name} cannot start at {value!r}: not an option")
    ordered = not isinstance(options, dict) and all(
        isinstance(v, Real) and not isinstance(v, bool) for v in values
    )
    kind = ToggleButtons if len(pairs) == 2 else Dropdown
    kind = SelectionSlider if ordered else kind
    style = {"description_width": "7rem"}
    if kind is ToggleButtons:
        style["button_width"] = "auto"
    label = name.replace("_", " ")
    return kind(
        options=pairs,
        value=value,
        description=label,
        tooltip=label,
        style=style,
        layout=Layout(width="min(100%, 26rem)", margin="2px 0"),
    )


def _label(option):
    return f"{option:g}" if isinstance(option, float) else str(option)
