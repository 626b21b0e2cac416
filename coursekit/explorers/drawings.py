"""The pieces of a frame that are drawn: numbers in, compact SVG out.

A drawing is hidden from those who cannot see it: the words of its frame say
what it shows. Curves keep their data as coordinates.
"""

from html import escape

import numpy as np

import coursekit.explorers.frames as fr

__all__ = ["curve", "links", "plane", "squares"]


def squares(weights, steps):
    """Draw cells as paths, one path for each of so many steps of opacity."""
    level = np.rint(weights * steps).astype(int)
    html = []
    for step in np.unique(level[level > 0]):
        cells = np.argwhere(level == step)
        d = "".join(f"M{j} {i}h1v1h-1z" for i, j in cells)
        html.append(f'<path d="{d}" fill-opacity={step / steps:.2g} />')
    return "".join(html)


def links(weights, chosen, below):
    """Draw lines from each word down to those it looks at, as wide as it does.

    The words above are the buttons of the explorer; `below` is the list of
    those below. The chosen word's lines are drawn last.
    """
    n = len(weights)
    order = [i for i in range(n) if i != chosen] + [chosen]
    html = []
    for i in order:
        look = " class=mine" if i == chosen else ""
        html.append(f"<g{look}>")
        for j in range(n):
            wide = f"{14 * float(weights[i, j]):.1f}".removesuffix(".0")
            if wide != "0":
                x, y = i + 0.5, j + 0.5
                html.append(
                    f'<path d="M{x:g} 0C{x:g} .5 {y:g} .5 {y:g} 1" '
                    f"stroke-width={wide} />"
                )
        html.append("</g>")
    return (
        f'<div class=al-look style=--n:{n}><svg viewBox="0 0 {n} 1" '
        f"preserveAspectRatio=none aria-hidden=true>{''.join(html)}</svg>"
        f"{below}</div>"
    )


def _points(xs, ys):
    """Write coordinates, which are the data; three digits are enough."""
    return " ".join(
        f"{x:g},{round(float(y), 3) + 0:g}"
        for x, y in zip(xs, ys, strict=True)
    )


def curve(title, lines, *, x, y, name, dot=None, height=130):
    """Draw lines over a common axis; `x` and `y` are the ends of the axes.

    `lines` is a list of (look, xs, ys); the coordinates of each polyline are
    the data themselves, and a transform puts them on the paper.
    """
    left, wide, top = 34, 318, 8
    low, high = y
    scale = wide / (x[1] - x[0]), -height / (high - low)
    move = left - x[0] * scale[0], top - high * scale[1]
    paper = f"matrix({scale[0]:.4g} 0 0 {scale[1]:.4g}"
    paper += f" {move[0]:.4g} {move[1]:.4g})"
    zero = move[1] + min(max(0.0, low), high) * scale[1]
    html = [
        f"<div class=al-plot><b>{title}</b>"
        f'<svg viewBox="0 0 360 {height + 38}" aria-hidden=true>'
        f'<path class=axis d="M{left} {top}v{height}M{left} {zero:.1f}h{wide}"'
        f'/><g transform="{paper}">'
    ]
    html += [
        f'<polyline class="line {look}" points="{_points(xs, ys)}"/>'
        for look, xs, ys in lines
    ]
    html.append("</g>")
    if dot is not None:
        cx, cy = move[0] + dot[0] * scale[0], move[1] + dot[1] * scale[1]
        html.append(
            f'<path class=axis stroke-dasharray="2 2" d="M{cx:.1f} {top}'
            f'v{height}"/><circle class=dot cx={cx:.1f} cy={cy:.1f} r=4.5 />'
        )
    base = top + height
    for value, at, anchor in [
        (x[0], left, "start"),
        (x[1], left + wide, "end"),
    ]:
        html.append(
            f"<text x={at} y={base + 14} text-anchor={anchor}>{value:g}</text>"
        )
    for value, at in [(high, top + 8), (low, base)]:
        html.append(
            f"<text x={left - 5} y={at} text-anchor=end>"
            f"{fr.number(value, 0 if float(value).is_integer() else 1)}</text>"
        )
    middle = left + wide / 2
    html.append(
        f"<text x={middle:g} y={base + 28} text-anchor=middle>{name}"
        "</text></svg></div>"
    )
    return "".join(html)


def plane(title, places, labels, dot):
    """Draw named points of the plane, and one more point between them."""
    places, dot = np.asarray(places, float), np.asarray(dot, float)
    low, high = places.min(axis=0), places.max(axis=0)
    span = max((high - low).max(), 1e-9)
    size, left, top = 150, 70, 22

    def at(place):
        x, y = (place - low) / span * size
        return left + x, top + (high - low)[1] / span * size - y

    height = top + (high - low)[1] / span * size + 24
    outline = " ".join("{:.1f},{:.1f}".format(*at(p)) for p in places)
    html = [
        f"<div class=al-plot><b>{title}</b>"
        f'<svg viewBox="0 0 300 {height:.0f}" aria-hidden=true>'
        f'<polygon class=area points="{outline}"/>'
    ]
    for place, label in zip(places, labels, strict=True):
        x, y = at(place)
        html.append(
            f"<circle class=axis cx={x:.1f} cy={y:.1f} r=4 />"
            f"<text x={x:.1f} y={y - 8:.1f} text-anchor=middle>"
            f"{escape(label)}</text>"
        )
    x, y = at(dot)
    html.append(f"<circle class=dot cx={x:.1f} cy={y:.1f} r=6 />")
    return "".join(html) + "</svg></div>"
