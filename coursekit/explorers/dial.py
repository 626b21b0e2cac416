"""A key and a query as arrows on a dial, and the angle between them."""

import numpy as np

import coursekit.explorers.frames as fr
from coursekit.phrases import phrase

__all__ = ["angle_between", "dial"]


def dial(title, arrows, starts):
    """Draw the key and the query as arrows, and the angle between them.

    Pale arrows show both before they are turned. The longest arrow touches
    the circle.
    """
    longest = max(np.hypot(*np.transpose(arrows)).max(), 1e-9)
    arrows, starts = np.array([arrows, starts]) * (100 / longest)
    html = [
        f"<div class=al-plot><b>{title}</b>"
        '<svg viewBox="-140 -122 280 244" aria-hidden=true>'
        "<circle class=axis r=100 />"
    ]
    html += [
        f'<path class=axis d="M0 0L{x:.1f} {-y:.1f}"/>' for x, y in starts
    ]
    html.append(_arc(*arrows))
    looks = ("d", phrase("key")), ("o", phrase("query"))
    for (x, y), (look, _) in zip(arrows, looks, strict=True):
        html.append(
            f'<polyline class="line {look}" style=stroke-width:4 '
            f'points="0,0 {x:.1f},{-y:.1f}"/>{_tip(x, y, look)}'
        )
    apart = angle_between(*arrows)
    aside = np.copysign(max(0, 24 - abs(apart)) / 2, apart)
    for (x, y), (_, name), side in zip(arrows, looks, (-1, 1), strict=True):
        turned = np.arctan2(y, x) + np.radians(side * aside)
        html.append(_label(name, 115, turned))
    return "".join(html) + "</svg></div>"


def _tip(x, y, look):
    """Draw the head of an arrow that ends at a point."""
    length = np.hypot(x, y)
    if length < 1:
        return ""
    along = np.array([x, -y]) / length
    across = 6 * np.array([-along[1], along[0]])
    end = np.array([x, -y])
    corners = end, end - 15 * along + across, end - 15 * along - across
    d = "L".join("{:.1f} {:.1f}".format(*corner) for corner in corners)
    colour = "p" if look == "o" else "c"
    return f'<path d="M{d}z" fill="rgb(var(--al-{colour}))"/>'


def _arc(key, query):
    """Draw the angle from the key to the query, and write it beside it."""
    start = np.arctan2(*key[::-1])
    angle = np.radians(angle_between(key, query))
    turns = start + np.linspace(0, angle, 13)
    points = 34 * np.stack([np.cos(turns), -np.sin(turns)], axis=1)
    d = "L".join("{:.1f} {:.1f}".format(*point) for point in points)
    said = f"{fr.number(np.degrees(angle), 0)}°"
    beside = np.pi if abs(angle) < np.radians(40) else 0
    return f'<path class=axis style=stroke-opacity:.9 d="M{d}"/>' + _label(
        said, 30 if beside else 52, turns[6] + beside
    )


def _label(text, radius, angle):
    x, y = radius * np.cos(angle), -radius * np.sin(angle)
    return f"<text x={x:.1f} y={y + 4:.1f} text-anchor=middle>{text}</text>"


def angle_between(key, query):
    """Return the angle from the key to the query, from -180 to 180."""
    cross = key[0] * query[1] - key[1] * query[0]
    return np.degrees(np.arctan2(cross, np.dot(key, query)))
