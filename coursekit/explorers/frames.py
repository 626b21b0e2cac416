"""The pieces of a frame that are text: numbers, tables, maps and lists.

Maps are real tables, so that they can be read without seeing a colour; each
cell also says in words what it holds. Colours follow the page's theme, and
nothing is wider than a phone.
"""

from html import escape

import numpy as np

from coursekit.phrases import phrase

__all__ = [
    "bars",
    "distinct",
    "figure",
    "grid",
    "heat",
    "number",
    "share",
    "table",
    "tokens",
    "vector",
]


def number(x, digits=2):
    """Write a number with fixed digits, a real minus sign, and never -0.

    >>> number(-0.001), number(-1.5), number(np.inf)
    ('0.00', '−1.50', '∞')
    """
    if np.isinf(x):
        return "∞" if x > 0 else "−∞"
    text = f"{x:.{digits}f}"
    if not text.strip("-0."):
        text = text.removeprefix("-")
    return text.replace("-", "−")


def vector(x, digits=2):
    """Write a vector.

    >>> vector([1, -0.5])
    '(1.00, −0.50)'
    """
    return f"({', '.join(number(value, digits) for value in x)})"


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
    """Write how strong the tint of a value is, from 0 to 1."""
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
    sentence. The columns are named like the rows unless given. A hidden cell
    is hatched and blank; a marked one has a frame.
    """
    columns = rows if columns is None else columns
    peak = max(np.abs(values).max(), 1e-9) if signed else 1.0
    names = distinct(rows), distinct(columns)

    def cell(i, j):
        x, text = values[i, j], number(values[i, j], digits)
        covered = hidden is not None and hidden[i, j]
        value = phrase("hidden") if covered else text
        look = ["h"] if covered else ["p"] if signed and x > 0 else []
        look += ["on"] if marked is not None and marked[i, j] else []
        mark = f' class="{" ".join(look)}"' if look else ""
        if not covered:
            mark += f" style=--w:{share(x, peak)}"
        said = escape(say(names[0][i], names[1][j], value))
        return f'<td{mark} aria-label="{said}">{"" if covered else text}'

    hint = phrase("Point at a cell to read it.")
    look = "al-tight" * tight + " al-narrow" * (tight and not digits)
    return grid(title, rows, columns, cell, hint, look=look)


def grid(title, rows, columns, cell, hint, *, look="", chosen=None):
    """Draw a table whose cells are ``cell(i, j)``, with a hint below it.

    The heading of the chosen row has a frame.
    """
    html = [f"<table><caption>{title}</caption><thead><tr><td>"]
    html += [f"<th scope=col>{escape(name)}" for name in columns]
    html.append("<tbody>")
    for i, name in enumerate(rows):
        mark = " class=on" if i == chosen else ""
        html.append(f"<tr><th scope=row{mark}>{escape(name)}")
        html += [cell(i, j) for j in range(len(columns))]
    look = f'"al-map {look}"' if look else "al-map"
    return (
        f"<div class={look}><div class=al-scroll>{''.join(html)}</table></div>"
        f"<span class=al-hint aria-hidden=true>{hint}</span></div>"
    )


def tokens(words, tints, chosen, notes=None):
    """List words, each with its tint and a note below; one has a frame."""
    items = []
    for j, word in enumerate(words):
        mark = " class=on" if j == chosen else ""
        note = f"<small>{notes[j]}</small>" if notes else ""
        items.append(f"<li{mark} style=--w:{tints[j]}>{escape(word)}{note}")
    return f"<ul>{''.join(items)}</ul>"


def bars(values, peak=1.0, signed=False):
    """Return table cells in which a bar lies behind each number."""
    cells = []
    for x in values:
        look = "b p" if signed and x > 0 else "b"
        cells.append(
            f'<td class="{look}" style=--w:{share(x, peak)}>{number(x)}'
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
