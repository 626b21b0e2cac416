"""The pieces that explorers draw with: numbers in, compact HTML or SVG out.

Maps are real tables, so that they can be read without seeing a colour; each
cell also says in words what it holds. Curves keep their data as coordinates.
Colours follow the page's theme, and nothing is wider than a phone.
"""

from html import escape

import numpy as np

__all__ = [
    "STYLE",
    "bars",
    "curve",
    "distinct",
    "figure",
    "heat",
    "number",
    "plane",
    "table",
]

STYLE = """<style>
.al-explorer{position:relative}
.al-explorer .widget-label{text-align:left}
.al-explorer .widget-toggle-buttons{display:flex;align-items:center}
.al-explorer .widget-toggle-button{margin:0 4px 0 0}
.al-explorer .widget-toggle-button.mod-active{box-shadow:none;color:inherit;
background:rgb(128 128 128/.3);outline:2px solid currentcolor;
outline-offset:-2px}
.al-explorer .widget-html-content{width:100%;line-height:1.4}
.al-explorer .noUi-base::before{content:'';position:absolute;
inset:-10px 0}
.al-said{position:absolute;width:1px;height:1px;overflow:hidden;
clip-path:inset(50%);white-space:nowrap}
.al-x{--al-c:0 114 178;--al-p:197 78 0;--al-s:.62;line-height:1.4;
font-size:.95rem;color:inherit;width:100%}
html[data-theme=dark] .al-x,body[data-jp-theme-light=false] .al-x{
--al-c:64 150 214;--al-p:222 110 40;--al-s:.55}
.al-row{display:flex;flex-wrap:wrap;gap:.75rem 2rem;align-items:flex-start}
.al-x p{margin:.5rem 0 0;max-width:44rem;white-space:normal}
.al-map{position:relative;max-width:100%;padding-bottom:1.7em}
.al-scroll{overflow-x:auto;max-width:100%;padding:3px}
.al-x table,.bd-article .al-x table{border-collapse:separate;width:auto;
border-spacing:2px;margin:0;border:0;font-variant-numeric:tabular-nums;
color:inherit;background:none;font-size:.85rem;display:table}
.al-x caption{caption-side:top;text-align:left;font-weight:600;padding:0 0 4px;
color:inherit;white-space:nowrap}
.al-x th,.al-x td{border:0;padding:.15rem .35rem;text-align:center;
white-space:nowrap;background:none;color:inherit;font-weight:400;height:1.9em;
min-width:2.9em;line-height:1.3;vertical-align:middle}
.al-x tbody tr,.al-x thead tr{background:none!important;border:0}
.al-x th[scope=row],.al-x thead td{text-align:right;padding-left:0}
.al-x td[style]{background:rgb(var(--al-c)/calc(var(--w)*var(--al-s)));
border-radius:3px}
.al-x td.p{background:rgb(var(--al-p)/calc(var(--w)*var(--al-s)))}
.al-x td.b{background:linear-gradient(90deg,rgb(var(--al-c)/.5)
calc(var(--w)*100%),rgb(128 128 128/.13) 0);min-width:8.5em;text-align:left}
.al-x td.b.p{background:linear-gradient(90deg,rgb(var(--al-p)/.5)
calc(var(--w)*100%),rgb(128 128 128/.13) 0)}
.al-x td.h{background:repeating-linear-gradient(135deg,
rgb(128 128 128/.34) 0 1.5px,rgb(128 128 128/.12) 1.5px 5px);border-radius:3px}
.al-x .on{outline:2px solid currentcolor;outline-offset:-1px;border-radius:3px}
.al-x tfoot td,.al-x tfoot th,.al-x th.on{font-weight:650}
.al-map td[aria-label]:is(:hover,:focus)::after{content:attr(aria-label);
position:absolute;left:3px;bottom:0;font-size:.85rem;font-weight:650;
white-space:nowrap}
.al-tight thead th{writing-mode:vertical-rl;transform:rotate(180deg);
padding:.3rem 0;text-align:left;height:auto}
.al-tight table,.bd-article .al-x .al-tight table{font-size:.78rem}
.al-x .al-tight td,.al-x .al-tight thead th{min-width:2.25em;width:2.25em;
padding:.1rem .05rem}
.al-x .al-row:has(.al-tight){gap:.75rem .5rem}
.al-x .al-tight th[scope=row]{padding-right:.25rem;min-width:0}
.al-hint{position:absolute;left:3px;bottom:0;font-size:.8rem;opacity:.8}
.al-map:has(td[aria-label]:is(:hover,:focus)) .al-hint{visibility:hidden}
.al-x svg{width:100%;max-width:27rem;height:auto;display:block;
overflow:visible}
.al-plot{flex:1 1 17rem;max-width:27rem;min-width:0}
.al-plot b,.al-x figure b{font-weight:600;font-size:.85rem}
.al-x text{fill:currentcolor;font-size:11px;stroke:none}
.al-x .axis{stroke:currentcolor;stroke-opacity:.35;fill:none}
.al-x .line{fill:none;stroke:rgb(var(--al-c));stroke-width:2;
vector-effect:non-scaling-stroke;stroke-linejoin:round}
.al-x .line.o{stroke:rgb(var(--al-p))}
.al-x .line.d{stroke-dasharray:5 3}
.al-x .line.q{stroke-dasharray:1.5 3}
.al-x .dot{fill:rgb(var(--al-p));stroke:none}
.al-x .area{fill:rgb(var(--al-c)/.16);stroke:none}
.al-words{font-weight:450}
.al-words ul,.al-x ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem;
margin:0;padding:0}
.al-x li{border-radius:.35rem;padding:.25rem .5rem;text-align:center;margin:0;
background:rgb(var(--al-c)/calc(var(--w)*var(--al-s)));font-size:1.05rem}
.al-x li small{display:block;font-size:.75rem;
font-variant-numeric:tabular-nums}
.al-heads{display:flex;flex-wrap:wrap;gap:.35rem}
.al-heads figure{margin:0;width:4.7rem;padding:.3rem;border-radius:.3rem;
text-align:left}
.al-heads figure b{display:block;white-space:nowrap;font-weight:400}
.al-heads .on b{font-weight:650}
.al-heads rect{fill:rgb(var(--al-c))}
.al-heads .axis{fill:none}
.al-l text{font-size:inherit}
.al-k path{fill:rgb(var(--al-c))}
.al-k.p path{fill:rgb(var(--al-p))}
.al-all{flex:1 1 100%;min-width:0}
.al-all svg,.al-x .al-all svg{max-width:46rem}
.al-all b{font-weight:600;font-size:.85rem}
</style>"""


def number(x, digits=2):
    """Write a number: fixed digits, a true minus, and never -0.

    >>> number(-0.001), number(-1.5), number(np.inf)
    ('0.00', '−1.50', '∞')
    """
    if np.isinf(x):
        return "∞" if x > 0 else "−∞"
    text = f"{x:.{digits}f}"
    if not text.strip("-0."):
        text = text.removeprefix("-")
    return text.replace("-", "−")


def distinct(tokens):
    """Name each token so that no two names are equal.

    Repeated tokens get their place. If such a name is a token itself, all
    of them do.

    >>> distinct(["the", "cat", "the"])
    ['the (1)', 'cat', 'the (3)']
    >>> distinct(["the", "the (1)", "the"])
    ['the (1)', 'the (1) (2)', 'the (3)']
    """
    numbered = [f"{token} ({i})" for i, token in enumerate(tokens, start=1)]
    names = [
        name if tokens.count(token) > 1 else token
        for token, name in zip(tokens, numbered, strict=True)
    ]
    return names if len(set(names)) == len(names) else numbered


def figure(*parts, words):
    """Put the parts side by side, and below them what they show, in words."""
    inner = "".join(parts)
    return (
        f"<div class=al-x><div class=al-row>{inner}</div>"
        f"<p class=al-words>{words}</p></div>"
    )


def share(x, peak):
    """Write how much of the colour a value gets, from 0 to 1."""
    part = min(abs(float(x)) / peak, 1.0) if peak else 0.0
    return f"{part:.2f}".removeprefix("0") if part else "0"


def heat(
    title,
    values,
    rows,
    say,
    *,
    columns=None,
    hidden=None,
    marked=None,
    signed=False,
    digits=2,
    tight=False,
):
    """Draw a map as a table: one row for each query, one column for each key.

    `say` turns the names of a row and a column and the written value into a
    sentence. The columns are called like the rows if not said otherwise. A
    hidden cell is hatched, a marked one has a frame.
    """
    columns = rows if columns is None else columns
    finite = np.abs(values[np.isfinite(values)])
    peak = max(finite.max(initial=0.0), 1e-9) if signed else 1.0
    hidden = np.zeros(values.shape, bool) if hidden is None else hidden
    names = distinct(rows), distinct(columns)
    html = [f"<table><caption>{title}</caption><thead><tr><td>"]
    html += [f"<th scope=col>{escape(c)}" for c in columns]
    html.append("<tbody>")
    for i, row in enumerate(values):
        html.append(f"<tr><th scope=row>{escape(rows[i])}")
        for j, x in enumerate(row):
            text = number(x, digits)
            words = escape(say(names[0][i], names[1][j], text))
            look = ["h"] if hidden[i, j] else []
            look += ["p"] if signed and x > 0 and not look else []
            look += ["on"] if marked is not None and marked[i, j] else []
            mark = f' class="{" ".join(look)}"' if look else ""
            if not hidden[i, j]:
                mark += f" style=--w:{share(x, peak)}"
            html.append(f'<td{mark} aria-label="{words}">{text}')
    look = '"al-map al-tight"' if tight else "al-map"
    return (
        f"<div class={look}><div class=al-scroll>{''.join(html)}</table></div>"
        "<span class=al-hint aria-hidden=true>Point at a cell to read it."
        "</span></div>"
    )


def bars(values, peak=1.0, signed=False, digits=2):
    """Return table cells in which a bar lies behind each number."""
    cells = []
    for x in values:
        look = "b p" if signed and x > 0 else "b"
        cells.append(
            f'<td class="{look}" style=--w:{share(x, peak)}>'
            f"{number(x, digits)}"
        )
    return cells


def table(title, head, rows, foot=()):
    """Draw a table; a cell may be text or a finished `<td>`."""
    html = [f"<table><caption>{title}</caption><thead><tr>"]
    html += [f"<th scope=col>{name}" for name in head]
    for tag, group in (("tbody", rows), ("tfoot", foot)):
        if group:
            html.append(f"<{tag}>")
        for first, *rest in group:
            html.append(f"<tr><th scope=row>{first}")
            html += [c if c.startswith("<td") else f"<td>{c}" for c in rest]
    return f"<div class=al-scroll>{''.join(html)}</table></div>"


def points(xs, ys):
    """Write coordinates, which are the data: three digits are enough."""
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
        f'<polyline class="line {look}" points="{points(xs, ys)}"/>'
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
            f"{number(value, 0 if float(value).is_integer() else 1)}</text>"
        )
    middle = left + wide / 2
    html.append(
        f"<text x={middle:g} y={base + 28} text-anchor=middle>{name}"
        "</text></svg></div>"
    )
    return "".join(html)


def plane(title, places, labels, dot):
    """Draw points of the plane with their names, and one more between them."""
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
