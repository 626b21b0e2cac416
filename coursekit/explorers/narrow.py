"""Heads as one picture: whole rows in, narrow projections, joined, W_O.

Every matrix of the layer is drawn with its numbers. A head has a colour of
its own, from its projections to its part of the output; what belongs to all
heads has none.
"""

import numpy as np

import coursekit.explorers.frames as fr
from attnlib.attention import self_attention
from coursekit.explorers.arguments import menu
from coursekit.explorers.examples import CAT
from coursekit.explorers.panel import explore
from coursekit.phrases import phrase

__all__ = ["explore_multi_head"]

X = np.array([[1.0, 0, 0, 2], [0, 1, 2, 0], [0, 2, 0, 1]])
# Each column of a projection adds two numbers of a row, one from its first
# half and one from its second, and each head of two uses all four.
W_Q = np.array([[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]])
W_K = np.array([[0.0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
W_V = np.array([[1.0, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
W_O = np.array([[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]])

PAPER, LOW, CELL = 360, 18, 22  # width of the paper; a cell's two sides
WIDE = 27  # a cell that holds a number with two digits after the point


def explore_multi_head():
    """Follow one word through multi-head attention, cut into 1, 2 or 4 heads.

    All matrices are drawn, with numbers made by hand for three tokens of
    width 4. Every head multiplies whole rows of X by narrow matrices of its
    own. Chapter: multi-head attention.

    Returns
    -------
    Explorer
        Its controls are the number of heads, the head and the word followed.

    Examples
    --------
    >>> explore_multi_head()
    Explorer(heads, head, word: 36 pictures)
    """

    def draw(heads, head, word):
        shown = min(head, heads - 1)
        layer = [_one_head(t, heads) for t in range(heads)]
        svg = _picture(layer, shown, word)
        return fr.figure(
            f"<div class=al-flow>{svg}</div>",
            words=_say(layer, heads, head, word),
        )

    return explore(
        draw,
        {"heads": 2, "word": 2},
        heads=[1, 2, 4],
        head=range(4),
        word=menu(CAT),
    )


def _one_head(t, heads):
    """Return all arrays of head t, by the name that the picture gives them."""
    wide = 4 // heads
    own = slice(t * wide, (t + 1) * wide)
    projections = W_Q[:, own], W_K[:, own], W_V[:, own]
    output, weights = self_attention(X, *projections)
    found = {f"W{n}": w for n, w in zip("QKV", projections, strict=True)}
    found |= {n: X @ w for n, w in zip("QKV", projections, strict=True)}
    return found | {"A": weights, "O": output}


def _picture(layer, shown, word):
    """Draw the layer from top to bottom."""
    left = (PAPER - 4 * CELL) / 2
    parts = [
        _text(PAPER / 2, 12, phrase("X (3, 4): every head reads all of it")),
        _matrix("X", X, left, 18, CELL, row=word),
        *(
            _text(left - 6, 18 + (i + 0.72) * LOW, name, "end")
            for i, name in enumerate(CAT)
        ),
    ]
    gap = 10 if len(layer) < 4 else 4
    size = 12 * CELL // len(layer) + 2 * gap
    space = (PAPER - size * len(layer)) / (len(layer) + 1)
    for t, head in enumerate(layer):
        at = space + t * (size + space)
        look = f"t{t}{' mine' if t == shown else ''}"
        inner = _column(t, head, at, size, gap, word)
        funnel = f"M{left:g} 72h{4 * CELL}L{at + size:g} 110H{at:g}z"
        block = _block_of(t, len(layer))
        down = f"M{at:g} 364h{size:g}L{block[1]:g} 392H{block[0]:g}z"
        parts.append(
            f'<g class="{look}"><path class=f d="{funnel}"/>'
            f'<path class=f d="{down}"/>{inner}</g>'
        )
    parts.append(_bottom(layer, shown, word))
    return (
        f'<svg viewBox="0 0 {PAPER} 488" aria-hidden=true>'
        f"{''.join(parts)}</svg>"
    )


def _column(t, head, at, size, gap, word):
    """Draw one head: projections, queries, keys, values, and weights."""
    wide = head["Q"].shape[1]
    middle = at + size / 2
    html = [_text(middle, 122, _named(t, wide, size > 80))]
    for number, name in enumerate("QKV"):
        x = at + number * (wide * CELL + gap)
        centre = x + wide * CELL / 2
        framed = word if name == "Q" else None  # it meets all keys and values
        html += [
            _text(centre, 138, f"W<tspan class=s>{name}</tspan>"),
            _matrix(f"W{name}{t}", head[f"W{name}"], x, 142, CELL),
            _text(centre, 230, name),
            _matrix(f"{name}{t}", head[name], x, 234, CELL, row=framed),
        ]
    x = middle - 1.5 * WIDE
    html += [
        _text(
            middle,
            305,
            phrase("weights") if size < 100 else phrase("weights (3, 3)"),
        ),
        _matrix(f"A{t}", head["A"], x, 310, WIDE, row=word, digits=2),
    ]
    return "".join(html)


def _named(t, wide, room):
    """Name a head, with the shape of its projections if there is room."""
    if not room:
        return phrase("head {head}", head=t)
    return phrase("head {head}: {shape}", head=t, shape=f"(4, {wide})")


def _block_of(t, heads):
    """Return where the columns of head t begin and end in the joined row."""
    wide = 4 // heads * WIDE
    return 4 + t * wide, 4 + (t + 1) * wide


def _bottom(layer, shown, word):
    """Draw the joined heads, the output projection and the output."""
    heads, top = len(layer), 412
    html = [_text(4 + 2 * WIDE, 406, phrase("joined (3, 4)"))]
    middle = 4 + 4 * WIDE + 20
    for t, head in enumerate(layer):
        look = f"t{t}{' mine' if t == shown else ''}"
        at, _ = _block_of(t, heads)
        rows = slice(t * 4 // heads, (t + 1) * 4 // heads)
        joined = _matrix(f"O{t}", head["O"], at, top, WIDE, row=word, digits=2)
        block = W_O[rows]
        w_o = _matrix(f"WO{t}", block, middle, top + rows.start * LOW, CELL)
        html.append(f'<g class="{look}">{joined}{w_o}</g>')
    output = np.hstack([head["O"] for head in layer]) @ W_O
    right = middle + 4 * CELL + 20
    html += [
        _text(middle - 10, top + 32, "×"),
        _text(middle + 2 * CELL, 406, "W<tspan class=s>O</tspan> (4, 4)"),
        _text(right - 10, top + 32, "="),
        _text(right + 2 * WIDE, 406, "Y (3, 4)"),
        _matrix("Y", output, right, top, WIDE, row=word, digits=2),
    ]
    return "".join(html)


def _text(x, y, words, anchor="middle"):
    mark = "" if anchor == "middle" else f" text-anchor={anchor}"
    return f"<text x={x:g} y={y:g}{mark}>{words}</text>"


def _matrix(name, values, x, y, wide, *, row=None, digits=0):
    """Draw a matrix: one sheet with its grid, its numbers, a framed row."""
    n, d = values.shape
    right = [x + j * wide for j in range(1, d)]
    below = [y + i * LOW for i in range(1, n)]
    rules = "".join(f"M{a:g} {y:g}v{n * LOW}" for a in right)
    rules += "".join(f"M{x:g} {b:g}h{d * wide:g}" for b in below)
    html = [
        f'<g data-m="{name}"><rect class=c x={x:g} y={y:g} width={d * wide:g} '
        f'height={n * LOW} /><path class=axis d="{rules}"/>'
    ]
    if row is not None:
        html.append(
            f"<rect class=r x={x:g} y={y + row * LOW:g} "
            f"width={d * wide:g} height={LOW} />"
        )
    for (i, j), value in np.ndenumerate(values):
        html.append(
            _text(
                x + (j + 0.5) * wide,
                y + (i + 0.74) * LOW,
                fr.number(value, digits),
            )
        )
    return "".join(html) + "</g>"


def _say(layer, heads, head, word):
    """Say how one number is made, what the head sees and what it adds."""
    shown = min(head, heads - 1)
    mine = layer[shown]
    said = [_missing(heads, head)] if head > shown else []
    said += [
        phrase(
            "Head {head} of {heads} reads the whole row of “{word}”, {row}.",
            head=shown,
            heads=heads,
            word=CAT[word],
            row=fr.vector(X[word], 0),
        ),
        _projected(mine, word),
        _result(mine, word, _place(heads, shown)),
        phrase("The output Y mixes all heads."),
    ]
    return " ".join(said)


def _missing(heads, head):
    """Say that a layer has no such head."""
    if heads == 1:
        return phrase(
            "There is no head {head}: this layer has one head, head 0.",
            head=head,
        )
    return phrase(
        "There is no head {head}: this layer has two heads, 0 and 1.",
        head=head,
    )


def _projected(mine, word):
    """Say how a head makes the query of a word."""
    wide = mine["Q"].shape[1]
    sums = [
        " + ".join(fr.number(x, 0) for x in X[word][column > 0])
        for column in mine["WQ"].T
    ]
    made = {
        "shape": f"(4, {wide})",
        "sums": f"({', '.join(sums)})",
        "query": fr.vector(mine["Q"][word], 0),
    }
    if wide == 1:
        return phrase(
            "Its query projection is {shape}: it makes 1 number of these "
            "four, {sums} = {query}.",
            **made,
        )
    return phrase(
        "Its query projection is {shape}: it makes {count} numbers of these "
        "four, {sums} = {query}.",
        count=wide,
        **made,
    )


def _place(heads, t):
    """Name the columns of the joined row that belong to head t."""
    wide = 4 // heads
    if wide == 1:
        return phrase("column {column}", column=t)
    first = t * wide
    return phrase(
        "columns {first} to {last}", first=first, last=first + wide - 1
    )


def _result(mine, word, place):
    """Say where a word looks most, if anywhere, and where the result goes."""
    weights = mine["A"][word]
    most = int(weights.argmax())
    made = {
        "word": CAT[word],
        "result": fr.vector(mine["O"][word]),
        "place": place,
    }
    if np.ptp(weights) < 0.005:
        return phrase(
            "“{word}” then looks at all three words alike, and the head’s "
            "result, {result}, fills {place} of the joined row.",
            **made,
        )
    return phrase(
        "“{word}” then looks most at “{most}”, with the weight {weight}, and "
        "the head’s result, {result}, fills {place} of the joined row.",
        most=CAT[most],
        weight=fr.number(weights[most]),
        **made,
    )
