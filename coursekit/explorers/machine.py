"""The machine: self-attention from the tokens to the output, step by step."""

import operator
from html import escape
from itertools import product, starmap

import numpy as np

import coursekit.explorers.frames as fr
from coursekit.explorers.arguments import matrices, menu, names_of, nothing
from coursekit.explorers.examples import CAT
from coursekit.explorers.narration import narrate
from coursekit.explorers.panel import explore
from coursekit.explorers.stages import size_of, stages_of
from coursekit.phrases import phrase

__all__ = ["explore_machine"]

MOST = 5  # tokens and columns: more would not fit on a page
LOUDEST = 50  # scores whose exponentials can be written down
# Letters in a row of each stage, and in a word: with no more, three stages
# fit beside each other on a phone.
ROOM = (8, 8, 8, 8, 8, 12, 12, 12, 10)
LONGEST = 4
# The formula, in pieces that light up with their steps.
FORMULA = (
    ("O = ", ()),
    ("softmax", (8,)),
    (" ( ", ()),
    ("XW<sub>Q</sub>", (2, 5)),
    (" ", ()),
    ("(XW<sub>K</sub>)<sup>⊤</sup>", (3, 5)),
    (" ", ()),
    ("/ √<i>d<sub>k</sub></i>", (6,)),
    (" ", ()),
    ("+ M", (7,)),
    (" ) ", ()),
    ("XW<sub>V</sub>", (4, 9)),
)


def explore_machine(
    x=None, w_q=None, w_k=None, w_v=None, tokens=None, *, start=-1
):
    """Follow self-attention from the tokens to the output, step by step.

    Shapes: x (n, d_model), w_q (d_model, d_k), w_k (d_model, d_k),
    w_v (d_model, d_v)

    Nine steps lead from X to the output: queries, keys, values, scores, scale,
    mask, softmax, weighted sum. Each frame fills in the arrays up to its step
    and says in numbers what the step did for one token. Without arguments
    tokens and projections are those of “The cat sat”, made by hand. Chapter:
    self-attention.

    Parameters
    ----------
    x, w_q, w_k, w_v : array_like, optional
        Tokens and projections; all four or none. At most 5 tokens and 5
        columns.
    tokens : sequence of str, optional
        The words.
    start : int, optional
        The place of the token that is chosen at first, counted from 0.

    Returns
    -------
    Explorer
        Its controls are the token, the step, the causal mask and the scale.

    Examples
    --------
    >>> explore_machine(np.eye(2), np.eye(2), np.eye(2), np.eye(2))
    Explorer(token, step, mask, scale: 38 pictures)
    """
    if nothing(x, w_q, w_k, w_v):
        x, w_q, w_k, w_v = _cat()
        tokens = CAT if tokens is None else tokens
    arrays = _checked(x, w_q, w_k, w_v)
    words = names_of(tokens, len(arrays[0]))
    names = fr.distinct(words)
    first = _place(start, len(words))
    ways = {
        (mask, scale): stages_of(arrays, words, mask, scale)
        for mask in (True, False)
        for scale in (True, False)
    }
    small = all(_is_small(stages, words) for stages in ways.values())

    def draw(token, step, mask, scale):
        stages = ways[mask, scale]
        said, used = narrate(stages, arrays[1:], names, token, step)
        if step > 6:
            said += " " + _switches(mask, scale)
        return _frame(stages, words, token, step, used, said, small)

    on_off = {_switch(on): on for on in (True, False)}
    return explore(
        draw,
        {"token": first, "step": 9, "mask": False},
        token=menu(words),
        step=range(1, 10),
        mask=on_off,
        scale=on_off,
    )


def _cat():
    """Return “The cat sat” and its projections, made by hand."""
    x = [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    w_q = [[0, 4, 0, 0], [2, 0, 2, 0], [0, 2, 2, 2], [0, 0, 0, 0]]
    w_v = [[0, 0], [10, 0], [0, 10], [0, 0]]
    return [np.array(part, float) for part in (x, w_q, np.eye(4), w_v)]


def _checked(x, w_q, w_k, w_v):
    """Return the arrays, which must match and fit on a page."""
    arrays = matrices(x=x, w_q=w_q, w_k=w_k, w_v=w_v)
    x, w_q, w_k, w_v = arrays
    shapes = f"x {x.shape}, w_q {w_q.shape}, w_k {w_k.shape}, w_v {w_v.shape}"
    if {len(w) for w in (w_q, w_k, w_v)} != {x.shape[1]}:
        raise ValueError(
            "w_q, w_k and w_v must have as many rows as x has columns, got "
            f"{shapes}"
        )
    if w_q.shape[1] != w_k.shape[1]:
        raise ValueError(f"w_q and w_k must have the same width, got {shapes}")
    if max(max(a.shape) for a in arrays) > MOST:
        raise ValueError(
            f"at most {MOST} tokens and {MOST} columns fit, got {shapes}"
        )
    scores = abs((x @ w_q) @ (x @ w_k).T).max()
    if scores > LOUDEST:
        raise ValueError(
            "the scores of x are too large for their exponentials to be "
            f"written down: up to {scores:.3g}, at most {LOUDEST} fits"
        )
    return arrays


def _place(start, count):
    """Return the place of a token, counted from the beginning."""
    if start not in range(-count, count):
        raise ValueError(
            f"start must be the place of one of {count} tokens, got {start!r}"
        )
    return range(count)[start]


def _is_small(stages, words):
    """Say whether three stages fit beside each other on a phone."""
    letters = [_letters(stage) for stage in stages]
    fits = all(map(operator.le, letters, ROOM))
    return fits and max(map(len, words)) <= LONGEST


def _letters(stage):
    """Count the letters of a row whose cells are all as wide as the widest."""
    rows, columns = stage.values.shape
    written = starmap(stage.written, product(range(rows), range(columns)))
    return columns * max(2, *map(len, written))


def _switch(on):
    """Say how a switch stands."""
    return phrase("on") if on else phrase("off")


def _switches(mask, scale):
    """Say how both switches stand."""
    return phrase(
        "Mask {mask}, scale {scale}.",
        mask=_switch(mask),
        scale=_switch(scale),
    )


def _frame(stages, words, token, step, used, said, small):
    """Draw the formula, the stages up to a step, and the words."""
    cards = [
        _card(stage, words, token, number - step, used)
        for number, stage in enumerate(stages, start=1)
    ]
    hint = phrase("Point at a cell to see how it was made.")
    return (
        f'<div class=al-x><div class="al-machine{" al-small" * small}">'
        f"<div class=al-formula aria-hidden=true>{_formula(step)}</div>"
        f'<div class="al-map al-flow">{"".join(cards)}'
        f"<span class=al-hint aria-hidden=true>{hint}</span></div></div>"
        f"<p class=al-words>{said}</p></div>"
    )


def _formula(step):
    """Draw the formula; the pieces that a step computes are lit."""
    return "".join(
        f"<b{' class=now' * (step in steps)}>{text}</b>" if steps else text
        for text, steps in FORMULA
    )


def _card(stage, words, token, ahead, used):
    """Draw one stage: filled in, lit or still empty."""
    todo = ahead > 0
    # until its turn comes, a stage does not tell whether it is switched off
    doing = stage.plan if todo and stage.plan else stage.doing
    state = "todo" if todo else "now" if ahead == 0 else "done"
    current = " aria-current=step" * (state == "now")
    cell = _empty if todo else _filled(stage, words, used)
    return (
        f'<div class="al-st {stage.look} {state}"{current}>'
        f"<div class=al-op><b>{phrase(doing)}</b><small>{stage.sizes}</small>"
        f"</div><div class=al-scroll>{_table(stage, words, token, cell)}"
        "</div></div>"
    )


def _table(stage, words, token, cell):
    """Draw the array of a stage, whose cells are ``cell(i, j)``."""
    html = [
        f"<table><caption>{phrase(stage.name)} "
        f"<small>{size_of(stage.values)}</small></caption><thead><tr><td>"
    ]
    html += [f"<th scope=col>{escape(name)}" for name in stage.columns]
    html.append("<tbody>")
    for i, word in enumerate(words):
        html.append(f"<tr{' class=me' * (i == token)}><th scope=row>")
        html.append(escape(word))
        html += [cell(i, j) for j in range(len(stage.columns))]
    return "".join(html) + "</table>"


def _empty(i, j):
    """Draw a cell of a stage that is still ahead."""
    return "<td>"


def _filled(stage, words, used):
    """Return the function that draws a cell with its number."""
    peak, names = _peak(stage), fr.distinct(words)
    columns = names if stage.columns is words else _numbered(stage.columns)

    def cell(i, j):
        mark = _mark(stage.values[i, j], peak, (stage.name, i, j) in used)
        label = escape(f"{names[i]}, {columns[j]}: {stage.how(i, j)}")
        return f'<td{mark} aria-label="{label}">{stage.written(i, j)}'

    return cell


def _numbered(columns):
    """Name columns that are no tokens."""
    return [phrase("column {number}", number=place) for place in columns]


def _peak(stage):
    """Return the value with the strongest tint; of weights it is 1."""
    if stage.look == "a":
        return 1.0
    finite = np.abs(stage.values[np.isfinite(stage.values)])
    return max(finite.max(initial=0.0), 1e-9)


def _mark(value, peak, lit):
    """Return the attributes of a cell: hidden or tinted, and maybe lit."""
    hidden = np.isinf(value)
    look = ["h"] if hidden else []
    look += ["on"] if lit else []
    mark = f' class="{" ".join(look)}"' if look else ""
    return mark if hidden else f"{mark} style=--w:{fr.share(value, peak)}"
