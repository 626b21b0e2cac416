"""FlashAttention: what moves between the slow and the fast memory."""

import math
from typing import NamedTuple

import coursekit.explorers.frames as fr
from attnlib._validate import as_size
from coursekit.explorers.panel import explore
from coursekit.phrases import later, phrase

__all__ = ["count_traffic", "explore_flash"]

BYTES = 4  # of a number in float32
UNIT = 7  # the side of one number in the drawing
WAYS = {later("plain"): False, later("tiled"): True}
NAMES = "QKVSAO"  # queries, keys, values, scores, weights, outputs
COLOURS = {"read": "var(--al-c)", "written": "var(--al-p)"}
FAST = 196  # where the fast memory begins in the drawing


class Move(NamedTuple):
    """One step: parts of arrays that are read, written and held.

    A part is the name of an array with the number of its tile of rows, and
    for scores and weights also that of its tile of columns (None: all).
    """

    read: list
    written: list
    held: list
    words: str


def count_traffic(n, d, rows, *, tiled):
    """Count the numbers read from and written to the slow memory.

    One head has n queries, keys and values of width d, and `rows` queries
    are in the fast memory at a time. Both ways read the queries once, read
    all keys and values once for each tile of queries, and write the output.
    The plain way also writes and reads the scores, and the weights as well.
    Chapter: efficient attention.

    Parameters
    ----------
    n, d, rows : int
        Tokens, width, and queries in a tile.
    tiled : bool
        Whether scores and weights stay in the fast memory.

    Returns
    -------
    tuple of int
        The numbers read, and those written.

    Examples
    --------
    >>> count_traffic(12, 4, 4, tiled=True)
    (336, 48)
    >>> count_traffic(12, 4, 4, tiled=False)
    (624, 336)
    """
    n, d, rows = (as_size(*x) for x in (("n", n), ("d", d), ("rows", rows)))
    read = n * d + 2 * n * d * math.ceil(n / rows)
    kept = 0 if tiled else 2 * n * n
    return read + kept, n * d + kept


def explore_flash(n=12, d=4, tile_size=4):
    """Watch tiles move between the slow and the fast memory, both ways.

    The plain way writes all scores into the slow memory, reads them again
    for the softmax, writes the weights and reads those. The tiled way holds
    one tile of scores at a time, in the fast memory. Each frame is one step
    and counts the bytes moved so far, in float32. Chapter: efficient
    attention.

    Parameters
    ----------
    n, d : int
        Tokens, and the width of queries, keys and values; at most 12 and 4.
    tile_size : int
        The number of queries, and of keys, in a tile; it must divide n.

    Returns
    -------
    Explorer
        Its controls are the way and the step.

    Examples
    --------
    >>> explore_flash(n=4, d=2, tile_size=2)
    Explorer(way, step: 24 pictures)
    """
    n, d = as_size("n", n), as_size("d", d)
    tile = as_size("tile_size", tile_size)
    if n > 12 or d > 4 or n % tile:
        raise ValueError(
            "n must be at most 12, d at most 4, and tile_size must divide n, "
            f"got n {n}, d {d}, tile_size {tile}"
        )
    sizes = n, d, tile
    moves = {way: [*steps(n // tile)] for way, steps in STEPS.items()}

    def draw(way, step):
        step = min(step, len(moves[way]))  # one way ends before the other
        done = moves[way][:step]
        parts = [_drawing(done, way, sizes), _counters(done, way, sizes)]
        return fr.figure(*parts, words=_words(moves, way, step))

    longest = max(len(steps) for steps in moves.values())
    return explore(
        draw,
        {"way": "tiled", "step": 2},
        way={phrase(way): way for way in WAYS},
        step=range(longest + 1),
    )


def _plain(count):
    """Yield the steps of the plain way: three passes over n x n numbers."""
    for i in range(count):
        yield _queries(i)
        for j in range(count):
            s = ("S", i, j)
            words = phrase(
                "Read tile {key_tile} of the keys, compute their scores with "
                "tile {query_tile} of the queries, and write the scores to "
                "the slow memory.",
                key_tile=j + 1,
                query_tile=i + 1,
            )
            yield Move([("K", j)], [s], [("Q", i), ("K", j), s], words)
    for i in range(count):
        rows = ("S", i, None), ("A", i, None)
        words = phrase(
            "Read the scores of tile {tile} of the queries again, take their "
            "softmax, and write the weights.",
            tile=i + 1,
        )
        yield Move([rows[0]], [rows[1]], list(rows), words)
    for i in range(count):
        for j in range(count):
            parts = [("A", i, j), ("V", j)]
            words = phrase(
                "Read a tile of the weights again and tile {tile} of the "
                "values, and add up the output.",
                tile=j + 1,
            )
            yield Move(parts, [], [*parts, ("O", i)], words)
        yield _output(i)


def _tiled(count):
    """Yield the steps of the tiled way: one pass."""
    for i in range(count):
        yield _queries(i)
        for j in range(count):
            parts = [("K", j), ("V", j)]
            held = [("Q", i), *parts, ("S", i, j), ("O", i)]
            words = phrase(
                "Read tile {tile} of the keys and of the values. Scores, "
                "exponentials, maximum, sum and output sum stay in the fast "
                "memory.",
                tile=j + 1,
            )
            yield Move(parts, [], held, words)
        yield _output(i)


def _queries(i):
    words = phrase("Read tile {tile} of the queries.", tile=i + 1)
    return Move([("Q", i)], [], [("Q", i)], words)


def _output(i):
    words = phrase(
        "Write the output of tile {tile} of the queries.", tile=i + 1
    )
    return Move([], [("O", i)], [("O", i)], words)


STEPS = {"plain": _plain, "tiled": _tiled}


def _shape(part, sizes):
    """Return the rows and columns of a part of an array."""
    n, d, tile = sizes
    if part[0] not in "SA":
        return tile, d
    return tile, n if part[2] is None else tile


def _moved(moves, sizes):
    """Return the bytes read and written by some steps."""
    return [
        BYTES * sum(math.prod(_shape(p, sizes)) for m in moves for p in m[at])
        for at in (0, 1)
    ]


def _lefts(sizes):
    """Return where the arrays begin in the slow memory, from the left."""
    n, d, _ = sizes
    lefts, x = {}, 8
    for name in NAMES:
        lefts[name] = x
        x += UNIT * (n if name in "SA" else d) + 10
    return lefts


def _box(part, sizes):
    """Return left, top, width and height of a part in the slow memory."""
    rows, columns = _shape(part, sizes)
    tile = sizes[2]
    across = part[2] or 0 if part[0] in "SA" else 0
    left = _lefts(sizes)[part[0]] + UNIT * tile * across
    top = 36 + UNIT * tile * part[1]
    return left, top, UNIT * columns, UNIT * rows


def _rect(box, look):
    x, y, wide, high = box
    return f"<rect x={x} y={y} width={wide} height={high} {look} />"


def _fill(colour, strength):
    return f'style="fill:rgb({colour}/{strength})"'


def _drawing(done, way, sizes):
    """Draw both memories after some steps; the last one is in colour."""
    n, d, _ = sizes
    html = [
        "<div class=al-plot><svg viewBox='0 0 360 266' aria-hidden=true>",
        _rect((1, 1, 358, 136), "class=axis rx=5"),
        _rect((1, FAST, 358, 68), "class=axis rx=5"),
        f"<text x=8 y=15>{phrase('slow memory: large')}</text>"
        "<text x=352 y=15 text-anchor=end>"
        f"{phrase('blue: read, orange: written')}</text>"
        f"<text x=8 y={FAST + 15}>{phrase('fast memory: tiny')}</text>",
    ]
    for name, x in _lefts(sizes).items():
        wide = UNIT * (n if name in "SA" else d)
        look = "class=axis"
        if name in "SA" and WAYS[way]:
            look += ' stroke-dasharray="2 4"'
        html.append(_rect((x, 36, wide, UNIT * n), look))
        if name in "QKV":
            html.append(_rect((x, 36, wide, UNIT * n), "class=area"))
        middle = x + wide / 2
        html.append(
            f"<text x={middle:g} y=31 text-anchor=middle>{name}</text>"
        )
    for move in done[:-1]:
        for part in move.written:
            html.append(_rect(_box(part, sizes), "class=area"))
    if done:
        html += _last(done[-1], sizes)
    return "".join(html) + "</svg></div>"


def _last(move, sizes):
    """Draw the last step: what is held, and what moves between the two."""
    slots = _slots(move.held, sizes)
    html = []
    for part, (x, y, wide, high) in slots.items():
        html.append(_rect((x, y, wide, high), _fill(COLOURS["read"], 0.25)))
        html.append(
            f"<text x={x + wide / 2:g} y={y + high / 2 + 4:g} "
            f"text-anchor=middle>{_label(part, move)}</text>"
        )
    for kind, parts in (("read", move.read), ("written", move.written)):
        for part in parts:
            x, y, wide, high = box = _box(part, sizes)
            html.append(_rect(box, _fill(COLOURS[kind], 0.7)))
            slow = x + wide / 2, y + high
            slot = slots[part]
            fast = slot[0] + slot[2] / 2, slot[1]
            ends = (slow, fast) if kind == "read" else (fast, slow)
            html.append(_arrow(*ends, COLOURS[kind]))
    return html


def _label(part, move):
    """Name a part; an output that is not finished is a running sum."""
    running = part[0] == "O" and part not in move.written
    return "u" if running else part[0]


def _slots(held, sizes):
    """Return the place of each held part in the fast memory."""
    slots, x = {}, 120
    for part in sorted(held, key=lambda part: NAMES.index(part[0])):
        rows, columns = _shape(part, sizes)
        slots[part] = x, FAST + 24, UNIT * columns, UNIT * rows
        x += UNIT * columns + 10
    return slots


def _arrow(start, end, colour):
    """Draw an arrow between the memories."""
    (x, y), (to, down) = start, end
    tip = 7 if down < y else -7
    return (
        f'<g style="stroke:rgb({colour});fill:rgb({colour})" stroke-width=2>'
        f'<path fill=none d="M{x:g} {y:g}L{to:g} {down + tip:g}"/>'
        f'<path d="M{to:g} {down:g}l-4 {tip}h8z"/></g>'
    )


def _counters(done, way, sizes):
    """Draw the bytes moved: in this step, so far, and in all both ways."""
    n, d, tile = sizes
    whole = {
        name: [BYTES * x for x in count_traffic(n, d, tile, tiled=tiled)]
        for name, tiled in WAYS.items()
    }
    so_far = phrase("{way}, so far", way=phrase(way))
    rows = [
        [phrase("this step"), *_three(_moved(done[-1:], sizes))],
        [so_far, *_three(_moved(done, sizes))],
    ]
    foot = [
        [phrase("{way}, in all", way=phrase(name)), *_three(pair)]
        for name, pair in whole.items()
    ]
    head = ["", phrase("read"), phrase("written"), phrase("together")]
    return fr.table(phrase("bytes moved"), head, rows, foot)


def _three(pair):
    return [f"{x:,}" for x in (*pair, sum(pair))]


def _words(moves, way, step):
    """Say what the last step did."""
    steps = moves[way]
    if not step:
        return phrase(
            "The {way} way has not begun. Q, K and V are in the slow memory, "
            "and the fast memory is empty.",
            way=phrase(way),
        )
    said = phrase("Step {step} of {steps}.", step=step, steps=len(steps))
    said += f" {steps[step - 1].words}"
    if step == len(steps):
        said += f" {phrase('This was the last step.')}"
    return said
