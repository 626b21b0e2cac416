"""The machine: self-attention from the tokens to the output, step by step."""

import math
import operator
from html import escape
from typing import NamedTuple

import numpy as np

import coursekit.explorers.frames as fr
from attnlib.masks import create_causal_mask
from coursekit.explorers.arguments import matrices, menu, names_of, nothing
from coursekit.explorers.examples import CAT
from coursekit.explorers.narration import narrate
from coursekit.explorers.panel import explore
from coursekit.phrases import later, phrase

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


class Stage(NamedTuple):
    """One array on its way through the machine.

    `look` is its colour, `doing` the operator on the arrow that leads to it,
    `sizes` the shapes on that arrow, `how` says how a cell came about, and
    `plan` is the operator while the stage is still ahead. Name and operators
    are English until they are drawn.
    """

    look: str
    name: str
    doing: str
    sizes: str
    values: np.ndarray
    columns: list
    how: callable
    digits: int = 2
    plan: str = ""


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
    if start not in range(-len(words), len(words)):
        raise ValueError(
            f"start must be the place of one of {len(words)} tokens, got "
            f"{start!r}"
        )
    ways = {
        (mask, scale): _stages(arrays, words, names, mask, scale)
        for mask in (True, False)
        for scale in (True, False)
    }
    small = all(_is_small(stages, words) for stages in ways.values())

    def draw(token, step, mask, scale):
        stages = ways[mask, scale]
        said, used = narrate(stages, arrays[1:], names, token, step)
        if step > 6:
            said += " " + phrase(
                "Mask {mask}, scale {scale}.",
                mask=_switch(mask),
                scale=_switch(scale),
            )
        return _frame(stages, words, token, step, used, said, small)

    on_off = {_switch(on): on for on in (True, False)}
    return explore(
        draw,
        {"token": range(len(words))[start], "step": 9, "mask": False},
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


def _projected(x, letter, w):
    """Return the stage of the queries, the keys or the values."""
    values = x @ w
    return Stage(
        letter.lower(),
        letter,
        f"<i class=x>X</i> × W<sub>{letter}</sub>",
        f"{_size(x)} × {_size(w)}",
        values,
        _places(values),
        lambda i, j: _products(x[i], w[:, j], values[i, j]),
        _digits(values),
    )


def _stages(arrays, words, names, mask, scale):
    """Return the nine stages, in the order in which they are computed."""
    x, *projections = arrays
    n, d = x.shape
    q, k, v = (x @ w for w in projections)
    root = math.sqrt(q.shape[1])
    scores = q @ k.T
    scaled = scores / root if scale else scores
    seen = create_causal_mask(n) if mask else np.ones((n, n), bool)
    masked = np.where(seen, scaled, -np.inf)
    powers = np.exp(masked)
    totals = powers.sum(axis=1)
    weights = powers / totals[:, None]

    size = _size(scores)
    before, after = _digits(scores), _digits(scaled)

    def divide(i, j):
        score = _short(scores[i, j], before)
        if not scale:
            return phrase("{score}, not scaled", score=score)
        return f"{score} ÷ {fr.number(root)} = {_short(scaled[i, j], after)}"

    def hide(i, j):
        score = _short(scaled[i, j], after)
        if seen[i, j]:
            return score
        return phrase("{score}, hidden: −∞", score=score)

    return [
        Stage("x", "X", later("embeddings"),
              phrase("{count} tokens, {width} wide", count=n, width=d), x,
              _places(x), lambda i, j: _short(x[i, j], _digits(x)),
              _digits(x)),
        *map(_projected, [x] * 3, "QKV", projections),
        Stage("s m", later("scores"),
              "<i class=q>Q</i> × <i class=k>K</i><sup>⊤</sup>",
              f"{_size(q)} × {_size(k.T)}", scores, words,
              lambda i, j: _products(q[i], k[j], scores[i, j]), before),
        Stage("s", later("scaled"),
              f"÷ √{q.shape[1]}" if scale else later("scale off"), size,
              scaled, words, divide, after, f"÷ √{q.shape[1]}"),
        Stage("s", later("masked"),
              later("+ mask") if mask else later("mask off"), size,
              masked, words, hide, after, later("+ mask")),
        Stage("a", later("weights"), later("softmax"), phrase("of each row"),
              weights, words,
              lambda i, j: f"{fr.number(powers[i, j])} ÷ "
              f"{fr.number(totals[i])} = {fr.number(weights[i, j])}"),
        Stage("o", later("output"),
              later("<i class=a>weights</i> × <i class=v>V</i>"),
              f"{size} × {_size(v)}", weights @ v, _places(v),
              lambda i, j: _mix(weights[i], v[:, j])),
    ]  # fmt: skip


def _switch(on):
    return phrase("on") if on else phrase("off")


def _size(x):
    return "({}, {})".format(*x.shape)


def _places(x):
    return [str(j) for j in range(1, x.shape[1] + 1)]


def _digits(x):
    """Whole numbers are written without digits, others with two."""
    return 0 if (x == x.round()).all() else 2


def _short(x, digits):
    return fr.number(x, digits)


def _products(row, column, total):
    terms = " + ".join(
        f"{fr.number(a, _digits(a))}·{fr.number(b, _digits(b))}"
        for a, b in zip(row, column, strict=True)
    )
    return f"{terms} = {fr.number(total, _digits(total))}"


def _mix(weights, column):
    total = weights @ column
    terms = " + ".join(
        f"{fr.number(a, 3)}·{fr.number(b, _digits(b))}"
        for a, b in zip(weights, column, strict=True)
    )
    return f"{terms} = {fr.number(total)}"


def _frame(stages, words, token, step, used, said, small):
    """Draw the formula, the stages up to a step, and the words."""
    cards = [
        _card(stage, words, token, number - step, used)
        for number, stage in enumerate(stages, start=1)
    ]
    formula = "".join(
        f"<b{' class=now' * (step in steps)}>{text}</b>" if steps else text
        for text, steps in FORMULA
    )
    hint = phrase("Point at a cell to see how it was made.")
    return (
        f'<div class=al-x><div class="al-machine{" al-small" * small}">'
        f"<div class=al-formula aria-hidden=true>{formula}</div>"
        f'<div class="al-map al-flow">{"".join(cards)}'
        f"<span class=al-hint aria-hidden=true>{hint}</span></div></div>"
        f"<p class=al-words>{said}</p></div>"
    )


def _is_small(stages, words):
    """Say whether three stages fit beside each other on a phone."""
    letters = [
        values.shape[1] * max(2, *(len(_short(x, n)) for x in values.flat))
        for *_, values, _, _, n, _ in stages
    ]
    fits = all(map(operator.le, letters, ROOM))
    return fits and max(map(len, words)) <= LONGEST


def _card(stage, words, token, ahead, used):
    """Draw one stage: filled in, lit or still empty."""
    values = stage.values
    finite = np.abs(values[np.isfinite(values)])
    peak = 1.0 if stage.look == "a" else max(finite.max(initial=0.0), 1e-9)
    names = fr.distinct(words)

    def cell(i, j):
        if ahead > 0:
            return "<td>"
        value = values[i, j]
        look = ["h"] if np.isinf(value) else []
        look += ["on"] if (stage.name, i, j) in used else []
        mark = f' class="{" ".join(look)}"' if look else ""
        if not np.isinf(value):
            mark += f" style=--w:{fr.share(value, peak)}"
        column = (
            names[j]
            if stage.columns is words
            else phrase("column {number}", number=stage.columns[j])
        )
        label = f"{names[i]}, {column}: {stage.how(i, j)}"
        text = _short(value, stage.digits)
        return f'<td{mark} aria-label="{escape(label)}">{text}'

    # until its turn comes, a stage does not tell whether it is switched off
    doing = stage.plan if ahead > 0 and stage.plan else stage.doing
    state = "todo" if ahead > 0 else "now" if ahead == 0 else "done"
    current = " aria-current=step" * (state == "now")
    html = [
        f'<div class="al-st {stage.look} {state}"{current}>'
        f"<div class=al-op><b>{phrase(doing)}</b><small>{stage.sizes}</small>"
        f"</div><div class=al-scroll><table><caption>{phrase(stage.name)} "
        f"<small>{_size(values)}</small></caption><thead><tr><td>"
    ]
    html += [f"<th scope=col>{escape(name)}" for name in stage.columns]
    html.append("<tbody>")
    for i, word in enumerate(words):
        html.append(f"<tr{' class=me' * (i == token)}><th scope=row>")
        html.append(escape(word))
        html += [cell(i, j) for j in range(values.shape[1])]
    return "".join(html) + "</table></div></div>"
