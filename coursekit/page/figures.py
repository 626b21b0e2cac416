"""What stands in for Matplotlib, which no browser's Python here has.

A figure that consists of attention maps is drawn all the same, as the
explorers draw theirs. Any other figure stays as the book was built with it;
the cell runs, and what it would draw is dropped. Only what the chapters call
is here: a name that is missing says so in a sentence.
"""

import types
from html import escape

import numpy as np

from coursekit.explorers import frames
from coursekit.page.outputs import send
from coursekit.phrases import later, phrase

__all__ = [
    "LARGEST_WEIGHT",
    "finish",
    "forget",
    "is_drawn",
    "stand_ins",
    "visualize_attention",
]

LARGEST = 48  # rows or columns of a map that a page can show
LARGEST_WEIGHT = later(
    "The largest weight is {weight}, from “{query}” to “{key}”."
)
DRAWS = """add_collection add_patch annotate arrow axhline axhspan axline
axvline axvspan bar barh contour contourf errorbar fill fill_between hist
hlines imshow loglog matshow pcolormesh plot quiver scatter semilogx semilogy
stem step text vlines"""
SETS = """axis bar_label grid invert_xaxis invert_yaxis label_outer legend
margins minorticks_off remove set tick_params"""
DRAWS, SETS = DRAWS.split(), SETS.split()

open_figures = []


def missing(name):
    """Return the error for a name that is not here."""
    return AttributeError(
        phrase(
            "there is no Matplotlib in the page, and what stands in for it "
            "knows no {name}; in the notebook (Download, at the top of a "
            "chapter) it works",
            name=name,
        )
    )


class Part:
    """A line, a bar, an axis: whatever a call gives back."""

    def __getattr__(self, name):
        if name in {*DRAWS, *SETS} or name.startswith(("set_", "get_")):
            return lambda *_, **__: self
        raise missing(name)

    def __getitem__(self, key):
        return self

    def __iter__(self):
        return iter((self,))


class Axes:
    """One panel of a figure; it remembers its map and its title."""

    def __init__(self, figure):
        self.figure, self.map, self.title = figure, None, ""
        self.other = False  # whether anything but a map was drawn
        self.spines, self.xaxis, self.yaxis = Part(), Part(), Part()
        self.transAxes = self.transData = None

    def __getattr__(self, name):
        if name in DRAWS:
            return self._draw
        if name in SETS or name.startswith(("set_", "get_")):
            return lambda *_, **__: Part()
        raise missing(f"Axes.{name}")

    def _draw(self, *_, **__):
        self.other = True
        return Part()

    def set_title(self, text, **_):
        """Remember the title."""
        self.title = str(text)

    def twinx(self):
        """Return axes for the same panel."""
        self.other = True
        return Axes(self.figure)

    def get_legend_handles_labels(self):
        """Return nothing to explain."""
        return [], []


class Figure:
    """A figure, which is sent when its cell has come to its end."""

    def __init__(self, count):
        self.axes = [Axes(self) for _ in range(count)]

    def __getattr__(self, name):
        if name in {"colorbar", "legend", "text", *SETS}:
            return self._draw
        raise missing(f"Figure.{name}")

    def _draw(self, *_, **__):
        return Part()

    def savefig(self, file, *_, **__):
        """Write an empty picture."""
        file.write(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'
        )

    def shows_maps(self):
        """Say whether all that was drawn are maps, and small enough."""
        used = [ax for ax in self.axes if ax.other or ax.map]
        return bool(used) and all(
            ax.map and not ax.other and max(ax.map[0].shape) <= LARGEST
            for ax in used
        )


def subplots(nrows=1, ncols=1, *, squeeze=True, **_):
    """Return a new figure and its axes, in the shape that pyplot gives."""
    figure = Figure(nrows * ncols)
    open_figures.append(figure)
    axes = np.empty((nrows, ncols), dtype=object)
    axes.flat[:] = figure.axes
    if not squeeze:
        return figure, axes
    axes = axes.squeeze()
    return figure, axes.item() if axes.ndim == 0 else axes


def visualize_attention(
    weights, query_tokens=None, key_tokens=None, *, ax=None, values=True
):
    """Show a map of attention weights, or one for each head.

    As `attnlib.visualize_attention`, less what only Matplotlib can do.
    """
    hidden = np.ma.getmaskarray(weights) if np.ma.isMA(weights) else None
    maps = np.asarray(weights, float)
    if maps.ndim not in (2, 3):
        raise ValueError(
            "weights must have shape (n_q, n_k) or (heads, n_q, n_k), got "
            f"{maps.shape}; choose one item of the batch first"
        )
    hidden = maps == 0 if hidden is None else hidden
    shown = maps[~hidden]
    if not np.all((shown >= 0) & (shown <= 1 + 1e-3)):
        raise ValueError(
            "weights must lie between 0 and 1 (are these scores?), got "
            f"values from {shown.min():.3g} to {shown.max():.3g}"
        )
    n_q, n_k = maps.shape[-2:]
    if key_tokens is None and n_q == n_k:
        key_tokens = query_tokens
    rows = _labels("query_tokens", query_tokens, n_q)
    columns = _labels("key_tokens", key_tokens, n_k)
    heads = maps.reshape(-1, n_q, n_k)
    if ax is None:
        _, ax = subplots(1, len(heads))
    axes = np.ravel(ax)
    if len(axes) != len(heads):
        raise ValueError(
            f"ax has {len(axes)} Axes for weights of shape {maps.shape}"
        )
    for i, (one, head, hide) in enumerate(
        zip(axes, heads, hidden.reshape(heads.shape), strict=True)
    ):
        one.map = head, hide, rows, columns
        if maps.ndim == 3:
            one.title = phrase("head {head}", head=i)
    return axes[0] if maps.ndim == 2 else axes


def _labels(name, tokens, n):
    if tokens is None:
        return [str(i) for i in range(n)]
    tokens = [str(token) for token in tokens]
    if len(tokens) != n:
        raise ValueError(f"{name} has {len(tokens)} tokens for {n} positions")
    return tokens


def _table(ax):
    """Return one map as the explorers draw it."""
    weights, hidden, rows, columns = ax.map
    small = max(weights.shape) > 8
    return frames.heat(
        escape(ax.title) or phrase("weights"),
        weights,
        rows,
        lambda query, key, weight: phrase(
            "{query} gives {key} {weight}", query=query, key=key, weight=weight
        ),
        columns=columns,
        hidden=hidden,
        digits=1 if small else 2,
        tight=small,
    )


def _words(ax):
    """Say what stands out in a map."""
    weights, hidden, rows, columns = ax.map
    shown = np.where(hidden, 0, weights)
    i, j = np.unravel_index(shown.argmax(), shown.shape)
    found = {
        "weight": f"{shown[i, j]:.2f}",
        "query": rows[i],
        "key": columns[j],
    }
    if not ax.title:
        return escape(phrase(LARGEST_WEIGHT, **found))
    return escape(
        phrase(
            "{title}: the largest weight is {weight}, from “{query}” to "
            "“{key}”.",
            title=ax.title,
            **found,
        )
    )


def finish():
    """Send the figures of a cell that has come to its end."""
    for figure in open_figures:
        drawn = [ax for ax in figure.axes if ax.map]
        if figure.shows_maps():
            words = " ".join(map(_words, drawn[:4]))
            html = frames.figure(*map(_table, drawn), words=words)
            send(kind="html", html=f"<div class=al-explorer>{html}</div>")
        else:
            send(kind="figure")
    forget()


def forget():
    """Drop the figures that were not finished."""
    open_figures.clear()


def is_drawn(value):
    """Say whether a value is part of a figure, and so is shown already."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return all(map(is_drawn, value.flat))
    return isinstance(value, Figure | Axes | Part)


def stand_ins():
    """Return the modules, by name."""
    pyplot = types.ModuleType("matplotlib.pyplot")
    pyplot.Axes, pyplot.Figure, pyplot.subplots = Axes, Figure, subplots
    for name in ["show", "close", "tight_layout", "Rectangle", "Normalize"]:
        setattr(pyplot, name, lambda *_, **__: Part())
    pyplot.cm = types.SimpleNamespace(ScalarMappable=lambda *_, **__: Part())
    pyplot.rcParams = {}
    top = types.ModuleType("matplotlib")
    top.pyplot, top.rcParams = pyplot, pyplot.rcParams
    plots = types.ModuleType("attnlib.plots")
    plots.SEQUENTIAL = plots.DIVERGING = lambda *_, **__: Part()  # colours
    plots.plt = pyplot
    plots.use_style, plots.visualize_attention = (
        lambda: None,
        visualize_attention,
    )
    modules = [top, pyplot, plots]
    return {module.__name__: module for module in modules}
