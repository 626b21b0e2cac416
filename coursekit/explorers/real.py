"""The heads of a whole model: one at a time, and all at a glance."""

from html import escape

import numpy as np

import coursekit.explorers.frames as fr
from attnlib._validate import as_floats
from attnlib.ops import softmax
from coursekit.explorers.arguments import (
    check_distributions,
    listed,
    menu,
    names_of,
    nothing,
)
from coursekit.explorers.examples import BY_HAND, CAT, MOUSE
from coursekit.explorers.panel import explore
from coursekit.phrases import phrase

__all__ = ["explore_all_heads", "explore_real_heads"]


def explore_real_heads(maps=None, sentences=None, *, start=None):
    """Choose a sentence, a layer and a head, and see where each token looks.

    Shapes: maps [(layers, heads, n, n)], one for each sentence

    Without arguments there are two layers of two heads, made by hand: they
    look at the token before, the token after, the first token, and the same
    word. Chapter: reading real heads.

    Parameters
    ----------
    maps : sequence or dict of array_like, optional
        The weights of all heads for each sentence, of at most 24 tokens; the
        numbers of layers and heads must be the same. The menu shows the keys
        of a dict, and otherwise the sentences.
    sentences : sequence or dict of sequence of str, optional
        The tokens of each sentence; a dict if `maps` is one.
    start : dict, optional
        The sentence, layer and head chosen at first, as numbers.

    Returns
    -------
    Explorer
        Its controls are the sentence, the layer and the head; layers and
        heads count from 0.

    Examples
    --------
    >>> explore_real_heads()
    Explorer(sentence, layer, head: 12 pictures)
    """
    made = maps is None
    names, maps, sentences = _models(maps, sentences)
    layers, heads = maps[0].shape[:2]

    def draw(sentence, layer, head):
        weights, words = maps[sentence][layer, head], sentences[sentence]
        said = _patterns(weights, words, layer, head)
        return fr.figure(
            _map(weights, words),
            _looks_most(weights, words),
            words=said + phrase(BY_HAND) * made,
        )

    return explore(
        draw,
        start,
        sentence=names,
        layer=range(layers),
        head=range(heads),
    )


def explore_all_heads(maps=None, sentences=None, *, start=None):
    """Choose a sentence and see the maps of all heads of all layers.

    Shapes: maps [(layers, heads, n, n)], one for each sentence

    A head that rests on the first token, that is, puts more than half of
    its weight there on average, has the other colour. Without arguments the
    heads are those of `explore_real_heads`. Chapter: reading real heads.

    Parameters
    ----------
    maps, sentences, start
        As in `explore_real_heads`.

    Returns
    -------
    Explorer
        Its control is the sentence.

    Examples
    --------
    >>> explore_all_heads()
    Explorer(sentence: 3 pictures)
    """
    made = maps is None
    names, maps, sentences = _models(maps, sentences)

    def draw(sentence):
        weights, words = maps[sentence], sentences[sentence]
        rest = weights[..., 1:, 0].mean(axis=-1)
        said = _resting(rest, words)
        return fr.figure(
            _grid(weights, rest > 0.5), words=said + phrase(BY_HAND) * made
        )

    return explore(draw, start, sentence=names)


# --- arguments --------------------------------------------------------------


def _models(maps, sentences):
    """Return the menu, checked maps as a list, and the tokens of each."""
    if nothing(maps, sentences):
        sentences = [CAT, MOUSE, ["I", "go", "to", "school"]]
        maps = [_by_hand(words) for words in sentences]
    names = None
    if isinstance(maps, dict):
        names, maps, sentences = _by_name(maps, sentences)
    maps = [_as_maps(i, x) for i, x in enumerate(listed("maps", maps))]
    counts = [weights.shape[:2] for weights in maps]
    if len(set(counts)) > 1:
        raise ValueError(
            "all maps must have the same numbers of layers and heads, got "
            f"{counts}"
        )
    sentences = _tokens(sentences, [x.shape[-1] for x in maps])
    return _menu(sentences, names), maps, sentences


def _by_name(maps, sentences):
    """Return the maps' names, the maps, and the sentences in their order."""
    names = [str(name) for name in maps]
    if sentences is not None:
        if not isinstance(sentences, dict) or set(sentences) != set(maps):
            raise ValueError(
                f"sentences must be a dict with the same keys as maps, {names}"
            )
        sentences = [sentences[name] for name in maps]
    return names, maps.values(), sentences


def _tokens(sentences, sizes):
    """Return the tokens of each sentence; numbers if there are none."""
    if sentences is None:
        sentences = [None] * len(sizes)
    sentences = listed("sentences", sentences)
    if len(sentences) != len(sizes):
        raise ValueError(
            f"sentences must hold one entry for each of {len(sizes)} maps, "
            f"got {len(sentences)}"
        )
    return [
        names_of(words, n, f"sentences[{i}]")
        for i, (words, n) in enumerate(zip(sentences, sizes, strict=True))
    ]


def _as_maps(i, weights):
    """Return the maps of one sentence: weights, as float64."""
    name = f"maps[{i}]"
    (weights,), _ = as_floats(**{name: weights})
    *heads, n_q, n_k = weights.shape
    if len(heads) != 2 or n_q != n_k or not 2 <= n_q <= 24:
        raise ValueError(
            f"{name} must have shape (layers, heads, n, n) with n from 2 to "
            f"24, got {weights.shape}"
        )
    check_distributions(name, weights)
    return weights.astype(np.float64)


def _by_hand(words):
    """Return (2, 2, n, n): before, after; the first, the same word."""
    n = len(words)
    before, after = np.eye(n, k=-1), np.eye(n, k=1)
    first = np.zeros((n, n))
    first[:, 0] = 1
    same = np.array([[a == b for b in words] for a in words], float)
    return softmax(10 * np.array([[before, after], [first, same]]))


def _title(words):
    """Write the tokens as a sentence, without the tokens a model adds."""
    inner = [w for w in words if not (w.startswith("[") and w.endswith("]"))]
    text = " ".join(inner).replace(" ##", "")
    for mark in ".,’'":
        text = text.replace(f" {mark}", mark)
    return text.replace("' ", "'").replace("’ ", "’")


def _menu(sentences, titles=None):
    """Return options that are positions, labelled with the sentences."""
    if titles is None:
        titles = [_title(words) for words in sentences]
    return menu(titles)


# --- drawing ----------------------------------------------------------------


def _cells(weights, steps):
    """Draw cells as strokes, one path for each of so many steps of opacity.

    There are 432 maps on a page. A stroke one cell thick that moves along its
    row takes half the text of a square.
    """
    level = np.rint(weights * steps).astype(int)
    html = []
    for step in np.unique(level[level > 0]):
        d, row, end = "", -1, 0
        for i, j in np.argwhere(level == step):
            d += f"m{j - end} 0h1" if i == row else f"M{j} {i}.5h1"
            row, end = i, j + 1
        html.append(f'<path d="{d}" opacity={_tint(step / steps)} />')
    return "".join(html)


def _tint(x):
    """Write how strong a colour is, in steps of a twentieth."""
    return f"{round(20 * float(x)) / 20:.2g}".removeprefix("0") or "0"


def _map(weights, words):
    """Draw one head: queries are rows, keys are columns."""
    n = len(words)
    side, wide = 1.0, 0.6  # of a cell; width of a letter
    left = max(len(w) for w in words) * wide + 0.4
    size = left + n * side + 0.1
    names = [escape(w) for w in words]
    rows = "".join(
        f"<text x={left - 0.3:.1f} y={left + i + 0.8:.1f}>{w}</text>"
        for i, w in enumerate(names)
    )
    columns = "".join(
        f"<text x={0.3 - left:.1f} y={left + j + 0.8:.1f}>{w}</text>"
        for j, w in enumerate(names)
    )
    return (
        f"<div class=al-plot><b>{phrase('rows look at columns')}</b>"
        f'<svg viewBox="0 0 {size:.1f} {size:.1f}" aria-hidden=true>'
        "<g class=al-l style=font-size:.9px>"
        f"<g text-anchor=end>{rows}</g>"
        f'<g transform="rotate(-90)">{columns}</g></g>'
        f'<g class=al-k transform="translate({left:.1f} {left:.1f})">'
        f"{_cells(weights, 20)}"
        f"<rect class=axis width={n} height={n} stroke-width=.05 /></g></svg>"
        "</div>"
    )


def _looks_most(weights, words):
    """Return a table: the three tokens that each token looks at most."""
    best = np.argsort(-weights, axis=-1, kind="stable")[:, :3]
    names = [escape(name) for name in fr.distinct(words)]
    rows = []
    for i, three in enumerate(best):
        cells = [
            f"<td style=--w:{_tint(weights[i, j])}>{names[j]} "
            f"{fr.number(weights[i, j])}"
            for j in three
        ]
        rows.append([names[i], *cells])
    ranks = [phrase("most"), phrase("second"), phrase("third")]
    head = ["", *ranks[: best.shape[1]]]
    return fr.table(phrase("where each token looks"), head, rows)


def _patterns(weights, words, layer, head):
    """Say in numbers which patterns the map of a head shows."""
    before = np.diagonal(weights, -1).mean()
    after = np.diagonal(weights, 1).mean()
    first, itself = weights[1:, 0].mean(), np.diagonal(weights).mean()
    others = weights - np.eye(len(words)) * 2
    others[:, 0] = -1
    i, j = np.unravel_index(others.argmax(), others.shape)
    names = [escape(name) for name in fr.distinct(words)]
    return phrase(
        "Head L{layer}H{head} on “{sentence}”: on average a token puts "
        "{on_first} of its weight on “{first}”, {before} on the token before "
        "it, {after} on the token after it and {itself} on itself. The "
        "largest other weight is {largest}, from “{query}” to “{key}”.",
        layer=layer,
        head=head,
        sentence=escape(_title(words).rstrip(".")),
        on_first=fr.number(first),
        first=names[0],
        before=fr.number(before),
        after=fr.number(after),
        itself=fr.number(itself),
        largest=fr.number(weights[i, j]),
        query=names[i],
        key=names[j],
    )


def _resting(rest, words):
    """Say how many heads rest on the first token, and which does most."""
    layer, head = np.unravel_index(rest.argmax(), rest.shape)
    return phrase(
        "All {total} heads on “{sentence}”: {count} of them rest on "
        "“{first}”, that is, put more than half of their weight there, and "
        "have the other colour. L{layer}H{head} puts the most there: "
        "{weight}.",
        total=rest.size,
        sentence=escape(_title(words).rstrip(".")),
        count=(rest > 0.5).sum(),
        first=escape(words[0]),
        layer=layer,
        head=head,
        weight=fr.number(rest.max()),
    )


def _grid(weights, rests):
    """Draw all heads as small maps: layers are rows, heads are columns."""
    layers, heads, n, _ = weights.shape
    cell, left, top = n + 2, 4.4 * n / 10, n / 3
    html = []
    for layer, head in np.ndindex(layers, heads):
        x, y = left + head * cell, top + layer * cell
        look = '"al-k p"' if rests[layer, head] else "al-k"
        html.append(
            f'<g class={look} transform="translate({x:.1f} {y:.1f})">'
            f"{_cells(weights[layer, head], 4)}"
            f"<rect class=axis width={n} height={n} stroke-width=.2 /></g>"
        )
    names = [
        f"<text x={left + (h + 0.2) * cell:.1f} y={top * 0.8:.1f}>H{h}</text>"
        for h in range(heads)
    ]
    names += [
        f"<text x=0 y={top + (i + 0.6) * cell:.1f}>L{i}</text>"
        for i in range(layers)
    ]
    size = f"{left + heads * cell:.0f} {top + layers * cell:.0f}"
    return (
        f"<div class=al-all><b>{phrase('layers are rows, heads are columns')}"
        "</b>"
        f'<svg viewBox="0 0 {size}" aria-hidden=true><g class=al-l '
        f"style=font-size:{n / 3.2:.1f}px>{''.join(names)}</g>{''.join(html)}"
        "</svg></div>"
    )
