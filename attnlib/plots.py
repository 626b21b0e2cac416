"""Arrays in, Matplotlib Axes out: the one place for colours and styles."""

import importlib.util
import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager
from matplotlib.collections import PatchCollection
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle

from attnlib._validate import as_floats

__all__ = ["DIVERGING", "SEQUENTIAL", "use_style", "visualize_attention"]

BLUE, ORANGE = (0.0, 114 / 255, 178 / 255), (213 / 255, 94 / 255, 0.0)
# Nothing is transparent: black numbers can be read on the strongest blue, and
# white ones too where the ground is dark.
SEQUENTIAL = ListedColormap(  # weights, from 0 to 1
    [(*BLUE, a) for a in np.linspace(0, 0.58, 256)], "weights"
)
DIVERGING = ListedColormap(  # signed values, centred on 0
    [(*BLUE, a) for a in np.linspace(0.9, 0, 128)]
    + [(*ORANGE, a) for a in np.linspace(0, 0.9, 128)],
    "signed",
)
HIDDEN = {"facecolor": "0.92", "edgecolor": "0.6", "hatch": "////"}
# Okabe and Ito's colours, which colour-blind readers can tell apart.
CYCLE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
STYLE = {
    "axes.prop_cycle": mpl.cycler(color=CYCLE),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "axes.titlesize": "medium",
    "figure.figsize": (4.8, 3.0),  # can be read on a phone
    "font.size": 10.0,
    "hatch.linewidth": 0.6,
    "image.interpolation": "none",
    "legend.frameon": False,
    "lines.linewidth": 2.0,
}


def use_style():
    """Set Matplotlib's defaults to those of the course, Hangul included.

    Examples
    --------
    >>> use_style()
    >>> mpl.rcParams["figure.constrained_layout.use"]
    True
    """
    mpl.rcParams.update(STYLE)
    mpl.rcParams["font.family"] = _families()


def _families():
    """Return font names: the usual one, then one that knows Hangul."""
    # find_spec does not import the package, which would change all fonts.
    package = importlib.util.find_spec("koreanize_matplotlib")
    if package is None:
        return ["DejaVu Sans"]
    folder = Path(package.submodule_search_locations[0], "fonts")
    fonts = font_manager.fontManager
    if "NanumGothic" not in {font.name for font in fonts.ttflist}:
        fonts.addfont(folder / "NanumGothicBold.ttf")
        # It calls itself semi-bold, and bold is what is asked for.
        fonts.ttflist[-1] = replace(fonts.ttflist[-1], weight=700)
        fonts.addfont(folder / "NanumGothic.ttf")
    return ["DejaVu Sans", "NanumGothic"]


def visualize_attention(
    weights, query_tokens=None, key_tokens=None, *, ax=None, values=True
):
    """Draw a map of attention weights, or a grid with a map for each head.

    Shapes: weights (n_q, n_k) -> ax ();
        weights (heads, n_q, n_k) -> axes (heads)

    Queries are rows, keys are columns. A cell whose weight is exactly 0 is
    hatched: a softmax gives 0 only to what a mask hides (or to what is too
    small for a float). Pass a masked array to say yourself what is hidden.

    Parameters
    ----------
    weights : array_like
        One map, or one for each head.
    query_tokens, key_tokens : sequence of str, optional
        The labels of the rows and the columns. In a square map the keys are
        the queries if only those are given.
    ax : Axes or array of Axes, optional
        Where to draw; as many Axes as there are heads. Without it, a new
        figure.
    values : bool
        Whether to write the weight into each cell that has room for it.

    Returns
    -------
    Axes or ndarray of Axes
        One for one map, an array of them for heads.

    Examples
    --------
    >>> ax = visualize_attention([[1.0, 0.0], [0.5, 0.5]], ["나는", "간다"])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['나는', '간다']
    >>> plt.close()
    """
    hidden = None
    if np.ma.isMaskedArray(weights):
        weights, hidden = weights.data, np.ma.getmaskarray(weights)
    (maps,), _ = as_floats(weights=weights)
    if maps.ndim > 3:
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
    labels = _labels("query_tokens", query_tokens, n_q)
    labels = labels, _labels("key_tokens", key_tokens, n_k)
    heads = maps.reshape(-1, n_q, n_k)
    hidden = hidden.reshape(heads.shape)
    with mpl.rc_context({**STYLE, "font.family": _families()}):
        axes = _new_axes(*heads.shape) if ax is None else np.ravel(ax)
        if not all(isinstance(one, plt.Axes) for one in axes):
            kind = type(ax).__name__
            raise TypeError(f"ax must be Axes or an array of them, got {kind}")
        if len(axes) != len(heads):
            raise ValueError(
                f"ax has {len(axes)} Axes for weights of shape {maps.shape}"
            )
        for one, weights, hide in zip(axes, heads, hidden, strict=True):
            _draw_map(one, weights, hide, labels)
        if values:
            axes[0].figure.draw_without_rendering()  # settles the layout
            for one, weights, hide in zip(axes, heads, hidden, strict=True):
                _write_values(one, weights, hide)
    if maps.ndim == 2:
        return axes[0]
    for head, one in enumerate(axes):
        one.set_title(f"head {head}", fontsize="medium")
    return axes


def _labels(name, tokens, n):
    if tokens is None:
        return [str(i) for i in range(n)]
    if isinstance(tokens, str) or not isinstance(tokens, Iterable):
        kind = type(tokens).__name__
        raise TypeError(f"{name} must be a list of tokens, got {kind}")
    tokens = [str(token) for token in tokens]
    if len(tokens) != n:
        raise ValueError(f"{name} has {len(tokens)} tokens for {n} positions")
    return tokens


def _new_axes(count, n_q, n_k):
    """Make a figure with a grid of `count` maps; return their Axes."""
    columns = math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    # Small maps get large cells, large maps small ones.
    cell = (
        min(0.62, 3.6 / max(n_q, n_k)) if count == 1 else 1.8 / max(n_q, n_k)
    )
    size = columns * (n_k * cell + 0.7), rows * (n_q * cell + 0.8)
    _, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
    for unused in axes.flat[count:]:
        unused.remove()
    return axes.ravel()[:count]


def _draw_map(ax, weights, hidden, labels):
    n_q, n_k = weights.shape
    ax.pcolormesh(
        np.ma.array(weights, mask=hidden),
        cmap=SEQUENTIAL,
        vmin=0,
        vmax=1,
        edgecolors="0.85",
        linewidth=0.5 if max(n_q, n_k) <= 40 else 0,
        rasterized=max(n_q, n_k) > 40,
    )
    cells = [Rectangle((j, i), 1, 1) for i, j in np.argwhere(hidden)]
    ax.add_collection(PatchCollection(cells, linewidth=0, **HIDDEN))
    ax.set(xlim=(0, n_k), ylim=(n_q, 0), aspect="equal")
    ax.set(xlabel="key", ylabel="query")
    ax.spines[:].set_visible(False)
    upright = n_k <= 3 or max(map(len, labels[1])) <= 2
    _label_axis(ax.xaxis, labels[1], n_k, rotation=0 if upright else 45)
    _label_axis(ax.yaxis, labels[0], n_q)


def _label_axis(axis, labels, n, rotation=0):
    step = math.ceil(n / 24)  # more labels than this would overlap
    axis.set_ticks(np.arange(0, n, step) + 0.5, labels[::step])
    axis.set_tick_params(length=0)
    for label in axis.get_ticklabels():
        label.set_parse_math(False)  # a token may be a dollar sign
        if rotation:
            label.set(rotation=rotation, ha="right", rotation_mode="anchor")


def _write_values(ax, weights, hidden):
    """Write each weight into its cell, if the cell is wide enough."""
    width = ax.get_window_extent().width / weights.shape[1]
    points = width * 72 / ax.figure.dpi
    size = min(10.0, points / 2.6)  # four characters need 2.6 of their size
    if size < 9:
        return
    for i, j in np.argwhere(~hidden):
        weight = weights[i, j]
        where = (j + 0.5, i + 0.5)
        ax.annotate(
            f"{weight:.2f}",
            where,
            size=size,
            ha="center",
            va="center",
        )
