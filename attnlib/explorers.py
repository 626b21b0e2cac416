"""Sliders over the mathematics: they also move where no kernel runs.

Each explorer draws all its frames when it is called, so it works on a
published page, and with your own arrays in a notebook. The arrays that are
used without arguments are made by hand, unless the docstring says otherwise.
"""

from html import escape

import numpy as np

from attnlib import _frames as fr
from attnlib._panel import MAX_BYTES, MAX_FRAMES, Explorer, explore
from attnlib._validate import as_floats, as_size
from attnlib.attention import scaled_dot_product_attention
from attnlib.masks import (
    create_causal_mask,
    create_padding_mask,
    create_window_mask,
)
from attnlib.multihead import split_heads
from attnlib.ops import softmax
from attnlib.positions import alibi_bias, alibi_slopes, apply_rope

__all__ = [
    "MAX_BYTES",
    "MAX_FRAMES",
    "Explorer",
    "explore",
    "explore_heads",
    "explore_masks",
    "explore_relative_positions",
    "explore_scale",
    "explore_sentence",
    "explore_sinusoidal",
    "explore_temperature",
    "explore_weight",
]

TEMPERATURES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)


def explore_temperature(
    q=None, k=None, v=None, tokens=None, *, temperatures=TEMPERATURES
):
    """Move the temperature of a soft lookup: from one key to all of them.

    Shapes: q (n_q, d_k), k (n_k, d_k), v (n_k, d_v)

    ``weights = softmax(q @ k.T / temperature)``; the mixture that comes out
    is ``weights @ v``. Chapter: intuition.

    Parameters
    ----------
    q, k, v : array_like, optional
        Queries, keys and values; all three or none.
    tokens : sequence of str, optional
        The names of the keys, and of the queries if there are as many.
    temperatures : sequence of float
        The options of the slider.

    Returns
    -------
    Explorer
        Its controls are the query and the temperature.

    Examples
    --------
    >>> explore_temperature(temperatures=[0.5, 1.0])
    Explorer(query, temperature: 6 pictures)
    """
    if q is None and k is None and v is None:
        q = [[1.0, 0.0], [0.5, 1.0], [1.0, 0.5]]
        k = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]
        v = [[0.0, 0.0], [3.0, 1.0], [0.0, 3.0]]
        tokens = ["The", "cat", "sat"] if tokens is None else tokens
    q, k, v = _matrices(q=q, k=k, v=v)
    words = _tokens(tokens, len(k))
    askers = _tokens(words if len(q) == len(k) else None, len(q))
    for t in temperatures:
        if not t > 0:
            raise ValueError(f"temperatures must be positive, got {t}")

    def draw(query, temperature):
        mixed, weights = scaled_dot_product_attention(
            q[query : query + 1], k, v, scale=1 / temperature
        )
        scores, weights, mixed = k @ q[query], weights[0], mixed[0]
        rows = [
            [escape(word), fr.number(score), bar, _vector(value)]
            for word, score, bar, value in zip(
                words, scores, fr.bars(weights), v, strict=True
            )
        ]
        table = fr.table(
            "soft lookup",
            ["key", "score", "weight", "value"],
            rows,
            [["mixture", "", fr.number(weights.sum()), _vector(mixed)]],
        )
        best = int(weights.argmax())
        entropy = _entropy(weights)
        said = (
            f"At temperature {temperature:g}, “{escape(askers[query])}” looks "
            f"most at “{escape(words[best])}” ({fr.number(weights[best])}). "
            f"Entropy {fr.number(entropy)} of at most "
            f"{fr.number(np.log(len(k)))}. The mixture is {_vector(mixed)}."
        )
        parts = [table]
        if v.shape[1] == 2 and 3 <= len(v) <= 8:
            parts.append(fr.plane("values and mixture", v, words, mixed))
        return fr.figure(*parts, words=said)

    middle = min(temperatures, key=lambda t: abs(np.log(t)))
    return explore(
        draw,
        {"query": len(q) - 1, "temperature": middle},
        query=_menu(askers),
        temperature=temperatures,
    )


def explore_scale(
    q=None, k=None, *, widths=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
):
    """Widen queries and keys, with and without the scale.

    Shapes: q (d), k (n_k, d)

    At width ``d_k`` the first ``d_k`` numbers of each are used. Without
    arguments they are drawn from a normal distribution (seed 0): chance is
    the point here, for sums of chance are what grows. Chapter:
    self-attention.

    Parameters
    ----------
    q, k : array_like, optional
        One query and some keys, at least as wide as the largest width.
    widths : sequence of int
        The options of the slider.

    Returns
    -------
    Explorer
        Its controls are the width and the scale.

    Examples
    --------
    >>> explore_scale(widths=[2, 8])
    Explorer(width, scale: 4 pictures)
    """
    widths = [as_size("widths", width) for width in widths]
    if q is None and k is None:
        rng = np.random.default_rng(0)
        q = rng.standard_normal(max(widths))
        k = rng.standard_normal((8, max(widths)))
    q, k = _matrices(q=np.atleast_2d(_given(q=q)), k=k)
    if len(q) > 1 or q.shape[1] != k.shape[1] or q.shape[1] < max(widths):
        raise ValueError(
            "q must be one query, and q and k as wide as the largest width, "
            f"got q {q.shape}, k {k.shape}, widths up to {max(widths)}"
        )
    top = max(abs(q[:, :w] @ k[:, :w].T).max() for w in widths)
    names = [f"key {i}" for i in range(1, len(k) + 1)]

    def draw(width, scale):
        factor = width**-0.5 if scale == "with" else 1.0
        scores = (k[:, :width] @ q[0, :width]) * factor
        weights = softmax(scores)
        table = fr.table(
            f"{len(k)} keys of width {width}",
            ["", "score", "weight"],
            list(
                zip(
                    names,
                    fr.bars(scores, top, signed=True),
                    fr.bars(weights),
                    strict=True,
                )
            ),
        )
        said = (
            f"Width {width}, {scale} the scale: the scores spread with "
            f"standard deviation {fr.number(scores.std())}, the largest "
            f"weight is {fr.number(weights.max())}, and the entropy is "
            f"{fr.number(_entropy(weights))} of at most "
            f"{fr.number(np.log(len(k)))}."
        )
        return fr.figure(table, words=said)

    return explore(
        draw, {"width": widths[-1]}, width=widths, scale=["with", "without"]
    )


KINDS = {
    "none": "nothing is hidden",
    "causal": "no word sees a later one",
    "padding": "no word sees the padding",
    "causal and padding": "no word sees a later one or the padding",
    "window": "each word sees itself and the words just before it",
    "window and padding": "each word sees itself and the words just before "
    "it, but not the padding",
}


def explore_masks(scores=None, tokens=None):
    """Lay a mask over scores and see the weights, and rows that get empty.

    Shapes: scores (n, n)

    What a mask hides gets no weight; a row in which all is hidden becomes
    all zeros. Chapter: self-attention.

    Parameters
    ----------
    scores : array_like, optional
        The scores, as they go into the softmax; at most 8 words.
    tokens : sequence of str, optional
        The words.

    Returns
    -------
    Explorer
        Its controls are the kind of mask, the number of words that are not
        padding, and the width of the window.

    Examples
    --------
    >>> explore_masks(np.zeros((3, 3)))
    Explorer(mask, real_words, window: 20 pictures)
    """
    if scores is None:
        scores = [
            [1.0, 2.0, 0.5, 0.0, 0.0],
            [1.5, 1.0, 1.0, 0.0, 0.5],
            [0.0, 2.5, 0.5, 0.0, 2.5],
            [0.0, 0.0, 0.5, 1.0, 2.0],
            [0.0, 1.0, 2.0, 1.5, 1.0],
        ]
        if tokens is None:
            tokens = ["the", "cat", "caught", "the", "mouse"]
    (scores,) = _matrices(scores=scores)
    n = len(scores)
    if scores.shape != (n, n) or n > 8:
        raise ValueError(
            "scores must have shape (n, n) with n at most 8, got "
            f"{scores.shape}"
        )
    words = _tokens(tokens, n)

    def draw(mask, real_words, window):
        seen = _mask(mask, n, real_words, window)
        _, weights = scaled_dot_product_attention(
            scores, np.eye(n), np.eye(n), seen, scale=1.0
        )
        padded = "padding" in mask
        shown = [
            "<pad>" if padded and i >= real_words else word
            for i, word in enumerate(words)
        ]
        maps = [
            ("scores", scores, "{}, {}: score {}"),
            ("mask", seen * 1.0, None),
            ("weights", weights, "{} looks at {}: {}"),
        ]
        parts = [_mask_map(name, x, shown, say, seen) for name, x, say in maps]
        return fr.figure(
            *parts, words=_mask_words(mask, real_words, window, seen, shown)
        )

    return explore(
        draw,
        {"mask": "causal", "real_words": max(n - 2, 1), "window": 2},
        mask=list(KINDS),
        real_words=range(1, n + 1),
        window=range(1, n + 1),
    )


def _mask(kind, n, real_words, window):
    """Return the boolean mask (n, n) of a kind."""
    seen = np.ones((n, n), bool)
    if "causal" in kind:
        seen &= create_causal_mask(n)
    if "window" in kind:
        seen &= create_window_mask(n, window=window)
    if "padding" in kind:
        seen &= create_padding_mask([real_words], n)[0, 0]
    return seen


def _mask_map(name, values, words, say, seen):
    def tell(query, key, text):
        if say is None:
            verb = "may look" if float(text) else "may not look"
            return f"{query} {verb} at {key}"
        return say.format(query, key, text)

    return fr.heat(
        name,
        values,
        words,
        words,
        tell,
        hidden=None if name == "scores" else ~seen,
        signed=name == "scores",
        digits=0 if name == "mask" else 2,
    )


def _mask_words(kind, real_words, window, seen, words):
    """Say what a mask does, and which rows are left with nothing."""
    said = [f"Mask “{kind}”: {KINDS[kind]}."]
    if "padding" in kind:
        said.append(f"Real words: {real_words} of {len(words)}.")
    if "window" in kind:
        said.append(f"Window: {window}.")
    unused = [
        name
        for name, part in [("real words", "padding"), ("window", "window")]
        if part not in kind
    ]
    if unused:
        said.append(f"This kind does not use “{'” and “'.join(unused)}”.")
    empty = np.flatnonzero(~seen.any(axis=1)) + 1
    if len(empty):
        which = ", ".join(map(str, empty))
        rows = "rows are" if len(empty) > 1 else "row is"
        said.append(
            f"<b>{len(empty)} {rows} empty</b> (row {which}): nothing is left "
            "to look at, so all weights are 0."
        )
    else:
        said.append("Every row adds up to 1.")
    return " ".join(said)


def explore_weight(q=None, k=None, tokens=None):
    """Choose a query and a key: every number behind one weight.

    Shapes: q (n_q, d_k), k (n_k, d_k)

    Products, their sum, the scale, the exponential, the total of the row,
    and the quotient. Chapter: self-attention.

    Parameters
    ----------
    q, k : array_like, optional
        Queries and keys; both or none.
    tokens : sequence of str, optional
        The names of the keys, and of the queries if there are as many.

    Returns
    -------
    Explorer
        Its controls are the query and the key.

    Examples
    --------
    >>> explore_weight([[1.0, 2.0]], [[0.5, 0.0], [0.0, 0.5]])
    Explorer(query, key: 2 pictures)
    """
    if q is None and k is None:
        q = [[0.0, 4, 0, 0], [2, 0, 2, 0], [0, 2, 2, 2]]
        k = [[1.0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
        tokens = ["The", "cat", "sat"] if tokens is None else tokens
    q, k = _matrices(q=q, k=k)
    _, weights = scaled_dot_product_attention(q, k, k)
    words = _tokens(tokens, len(k))
    askers = _tokens(words if len(q) == len(k) else None, len(q))
    scale = q.shape[1] ** -0.5
    scores = q @ k.T * scale
    if abs(scores).max() > 50:
        raise ValueError(
            "the scores of q and k are too large to write their exponentials "
            f"down: up to {abs(scores).max():.3g}, at most 50"
        )
    powers = np.exp(scores)

    def draw(query, key):
        names = fr.distinct(askers)[query], fr.distinct(words)[key]
        products = q[query] * k[key]
        first = fr.table(
            "1 · multiply, and add up",
            ["", "query", "key", "product"],
            [
                [f"{i}", *map(fr.number, row)]
                for i, row in enumerate(
                    zip(q[query], k[key], products, strict=True), start=1
                )
            ],
            [["sum", "", "", fr.number(products.sum())]],
        )
        rows = [
            [escape(word), *map(fr.number, row[:2]), row[2]]
            for word, *row in zip(
                words,
                scores[query],
                powers[query],
                fr.bars(weights[query]),
                strict=True,
            )
        ]
        rows[key] = [_outlined(cell) for cell in rows[key]]
        total = powers[query].sum()
        second = fr.table(
            "2 · the row of this query",
            ["key", "scaled", "exponential", "weight"],
            rows,
            [["total", "", fr.number(total), fr.number(1.0)]],
        )
        said = (
            f"“{escape(names[0])}” looks at “{escape(names[1])}”: the "
            f"products add up to {fr.number(products.sum())}; times the scale "
            f"{fr.number(scale, 3)} that is "
            f"{fr.number(scores[query, key])}; its exponential is "
            f"{fr.number(powers[query, key])}; divided by the row’s total "
            f"{fr.number(total)} it gives the weight "
            f"<b>{fr.number(weights[query, key])}</b>."
        )
        return fr.figure(first, second, words=said)

    return explore(
        draw,
        {"query": len(q) - 1},
        query=_menu(askers),
        key=_menu(words),
    )


def _outlined(cell):
    """Give a cell of a table an outline; a heading becomes bold."""
    if cell.startswith('<td class="b'):
        return cell.replace('<td class="b', '<td class="on b', 1)
    return f"<b>{cell}</b>"


QUESTIONS = (
    "the word before",
    "the same word",
    "the first word",
    "the verb’s subject",
)


def explore_heads(q=None, k=None, tokens=None, *, num_heads=(1, 2, 4)):
    """Cut the same queries and keys into more or fewer heads.

    Shapes: q (n, d_model), k (n, d_model)

    Without arguments, a quarter of the width asks for the word before, one
    for the same word, one for the first word, and one makes the verb ask
    for its subject: made by hand, nothing is learned. One head has to ask
    all of it at once. Chapter: multi-head attention.

    Parameters
    ----------
    q, k : array_like, optional
        Queries and keys before they are cut; both or none.
    tokens : sequence of str, optional
        The words.
    num_heads : sequence of int
        How often to cut; each must divide the width.

    Returns
    -------
    Explorer
        Its controls are the number of heads and the head shown large.

    Examples
    --------
    >>> explore_heads(num_heads=[1, 2])
    Explorer(heads, head: 4 pictures)
    """
    made = q is None and k is None
    if made:
        q, k = _four_questions()
        if tokens is None:
            tokens = ["the", "cat", "caught", "the", "mouse"]
    q, k = _matrices(q=q, k=k)
    if q.shape != k.shape or len(q) > 8:
        raise ValueError(
            "q and k must have the same shape (n, d_model) with n at most 8, "
            f"got q {q.shape}, k {k.shape}"
        )
    words = _tokens(tokens, len(q))
    maps = {}
    for count in num_heads:
        heads = split_heads(q, count), split_heads(k, count)
        maps[count] = scaled_dot_product_attention(*heads, heads[1])[1]

    def draw(heads, head):
        weights = maps[heads]
        shown = min(head, heads) - 1
        small = [_thumbnail(i, w, i == shown) for i, w in enumerate(weights)]
        large = fr.heat(
            f"head {shown + 1} of {heads}",
            weights[shown],
            words,
            words,
            lambda query, key, text: f"{query} looks at {key}: {text}",
        )
        return fr.figure(
            large,
            f"<div class=al-heads>{''.join(small)}</div>",
            words=_head_words(heads, head, weights[shown], made),
        )

    return explore(
        draw,
        {"heads": max(num_heads)},
        heads=num_heads,
        head=range(1, max(num_heads) + 1),
    )


def _four_questions():
    """Return queries and keys (5, 20) for “the cat caught the mouse”."""
    place, word = np.eye(5), np.eye(5)[[0, 1, 2, 0, 3]]
    first, verb, subject = np.zeros((3, 5, 5))
    first[:, 0] = verb[2, 0] = subject[1, 0] = 1
    start = place[:, :1] * place[0]
    q = [np.eye(5, k=-1), word, first, verb]
    k = [place, word, start, subject]
    return 10 * np.hstack(q), np.hstack(k)


def _thumbnail(index, weights, chosen):
    """Draw a head small: squares whose opacity is the weight."""
    n_q, n_k = weights.shape
    squares = "".join(
        f"<rect x={j} y={i} width=1 height=1 fill-opacity={w:.2f} />"
        for (i, j), w in np.ndenumerate(weights)
        if w >= 0.005
    )
    mark = " class=on" if chosen else ""
    return (
        f"<figure{mark}><b>head {index + 1}</b>"
        f'<svg viewBox="0 0 {n_k} {n_q}" aria-hidden=true>{squares}'
        f"<rect class=axis width={n_k} height={n_q} stroke-width=.05 />"
        "</svg></figure>"
    )


def _head_words(heads, head, weights, made):
    """Say which head this is, and what it asks if that is known."""
    said = []
    if head > heads:
        some = "is only one head" if heads == 1 else f"are only {heads} heads"
        said.append(f"There {some}: this is head {heads}.")
        head = heads
    if made and 4 % heads == 0:
        each = 4 // heads
        asked = QUESTIONS[(head - 1) * each : head * each]
        said.append(
            f"Head {head} of {heads} asks for {', and for '.join(asked)}"
            + (", all in one row of weights." if each > 1 else ".")
        )
    else:
        said.append(f"Head {head} of {heads}.")
    said.append(f"Its largest weight is {fr.number(weights.max())}.")
    if made:
        said.append("A word that asks for nothing looks everywhere evenly.")
    return " ".join(said)


def explore_sinusoidal(
    n=24, *, widths=(4, 8, 16), bases=(100.0, 1000.0, 10000.0)
):
    """Walk along the positions of the sinusoidal encoding.

    Shapes: n

    The row of a position, the waves it is read from, and its dot product
    with every other position. Chapter: positional encoding.

    Parameters
    ----------
    n : int
        The number of positions.
    widths : sequence of int
        Widths of the encoding, all even.
    bases : sequence of float
        What sets the slowest wave; 10000 in the paper.

    Returns
    -------
    Explorer
        Its controls are the width, the base and the position.

    Examples
    --------
    >>> explore_sinusoidal(4, widths=[4], bases=[100.0, 10000.0])
    Explorer(width, base, position: 8 pictures)
    """
    n = as_size("n", n)
    if n < 2:
        raise ValueError(f"n must be at least 2, got {n}")
    for width in widths:
        if as_size("widths", width) % 2:
            raise ValueError(f"widths must be even, got {width}")
    places = np.arange(n)

    def draw(width, base, position):
        encoding = _sinusoidal(n, width, base)
        row = encoding[position].reshape(-1, 2).T
        pairs = [f"pair {i}" for i in range(width // 2)]
        near = encoding @ encoding[position]
        parts = [
            fr.heat(
                f"the row of position {position}",
                row,
                ["sin", "cos"],
                pairs,
                lambda wave, pair, text: f"{wave} of {pair}: {text}",
                signed=True,
            ),
            fr.curve(
                "the sine of each pair",
                [
                    ("o" if i == 0 else "", places, encoding[:, 2 * i])
                    for i in range(width // 2)
                ],
                x=(0, n - 1),
                y=(-1.0, 1.0),
                dot=(position, encoding[position, 0]),
                name="position",
            ),
            fr.curve(
                "dot product with every position",
                [("", places, near)],
                x=(0, n - 1),
                y=(-width / 2, width / 2),
                dot=(position, near[position]),
                name="other position",
            ),
        ]
        side = position + 1 if position + 1 < n else position - 1
        far = int(abs(places - position).argmax())
        said = (
            f"Position {position} at width {width} and base {base:g}: its dot "
            f"product with itself is {fr.number(near[position])}, with its "
            f"neighbour {side} it is {fr.number(near[side])}, and with "
            f"position {far}, the farthest, {fr.number(near[far])}."
        )
        return fr.figure(*parts, words=said)

    return explore(
        draw,
        {"width": widths[len(widths) // 2], "base": max(bases)},
        width=widths,
        base=bases,
        position=range(n),
    )


def _sinusoidal(n, width, base):
    """Return `positional_encoding` for any base: (1, 0) turned in pairs."""
    start = np.tile([1.0, 0.0], (n, width // 2))
    turned = apply_rope(start, base=base, interleaved=True)
    return turned.reshape(n, -1, 2)[..., ::-1].reshape(n, width)


def explore_relative_positions(
    q=None,
    k=None,
    *,
    num_heads=4,
    key_positions=(0, 1, 2, 4, 8, 16, 32, 64),
    distances=range(16),
):
    """Move a query and a key together and apart, under RoPE and ALiBi.

    Shapes: q (d), k (d)

    Moved together the score stays; moved apart it changes. Chapter:
    positional encoding.

    Parameters
    ----------
    q, k : array_like, optional
        One query and one key of even width; all ones, of width 8, if not
        given.
    num_heads : int
        For how many heads ALiBi's slopes are made.
    key_positions, distances : sequence of int
        Where the key stands, and how far after it the query.

    Returns
    -------
    Explorer
        Its controls are the method, the key's position and the distance.

    Examples
    --------
    >>> explore_relative_positions(key_positions=[0, 5], distances=[0, 1, 2])
    Explorer(method, key_position, distance: 12 pictures)
    """
    if q is None and k is None:
        q = k = np.ones(8)
    q, k = _matrices(
        q=np.atleast_2d(_given(q=q)), k=np.atleast_2d(_given(k=k))
    )
    if q.shape != k.shape or len(q) > 1 or q.shape[1] % 2:
        raise ValueError(
            "q and k must be one row each, of the same even width, got "
            f"q {q.shape}, k {k.shape}"
        )
    slopes = alibi_slopes(num_heads)
    distances = [int(d) for d in distances]
    if min([*distances, *key_positions]) < 0 or len(distances) < 2:
        raise ValueError(
            "key_positions and distances must not be negative, and there "
            "must be two distances at least"
        )
    lines = {
        "RoPE": [[_rope_score(q, k, 0, d) for d in distances]],
        "ALiBi": np.array(
            [_alibi_scores(q, k, num_heads, 0, d) for d in distances]
        ).T,
    }

    def draw(method, key_position, distance):
        here = key_position, key_position + distance
        if method == "RoPE":
            parts = _rope_parts(q.shape[1], *here)
            scores = [_rope_score(q, k, *here)]
        else:
            scores = _alibi_scores(q, k, num_heads, *here)
            parts = [_alibi_table(slopes, distance, scores)]
        looks = ["", "d", "q", "o"]
        curves = lines[method]
        parts.append(
            fr.curve(
                "score against distance",
                [
                    (looks[i % 4], distances, line)
                    for i, line in enumerate(curves)
                ],
                x=(min(distances), max(distances)),
                y=_ends(curves),
                dot=(distance, scores[0]),
                name="distance",
            )
        )
        which = "" if method == "RoPE" else " of head 1"
        said = (
            f"{method}: the key stands at position {here[0]}, the query at "
            f"{here[1]}. The score{which} is "
            f"<b>{fr.number(scores[0], 3)}</b>, as for every pair "
            f"{distance} apart: move both together and it stays."
        )
        return fr.figure(*parts, words=said)

    return explore(
        draw,
        {"distance": distances[min(3, len(distances) - 1)]},
        method=["RoPE", "ALiBi"],
        key_position=key_positions,
        distance=distances,
    )


def _rope_score(q, k, key_position, query_position):
    turned = apply_rope(q, [query_position]), apply_rope(k, [key_position])
    return (turned[0] @ turned[1].T).item() * q.shape[1] ** -0.5


def _alibi_scores(q, k, num_heads, key_position, query_position):
    bias = alibi_bias(num_heads, query_position + 1)
    plain = (q @ k.T).item() * q.shape[1] ** -0.5
    return plain + bias[:, query_position, key_position]


def _rope_parts(d, key_position, query_position):
    """Return a dial for each pair: where RoPE has turned query and key."""
    hand = np.zeros((2, d))
    hand[:, : d // 2] = 1  # RoPE pairs column i with column i + d / 2
    turned = apply_rope(hand, [query_position, key_position])
    dials = []
    for i in range(min(d // 2, 4)):
        (x, y), (a, b) = turned[:, [i, i + d // 2]].tolist()
        dials.append(
            f"<figure><b>pair {i}</b>"
            '<svg viewBox="-1.15 -1.15 2.3 2.3" aria-hidden=true>'
            "<circle class=axis r=1 stroke-width=.03 />"
            f'<polyline class="line o" points="0,0 {x:.3f},{-y:.3f}"/>'
            f'<polyline class="line d" points="0,0 {a:.3f},{-b:.3f}"/>'
            "</svg></figure>"
        )
    note = "<p>Solid: the query. Dashed: the key.</p>"
    return [f"<div><div class=al-heads>{''.join(dials)}</div>{note}</div>"]


def _alibi_table(slopes, distance, scores):
    return fr.table(
        "slope × distance is taken off",
        ["head", "slope", "taken off", "score"],
        [
            [f"{i}", f"{m:.4g}", fr.number(m * distance), fr.number(s, 3)]
            for i, (m, s) in enumerate(
                zip(slopes, scores, strict=True), start=1
            )
        ],
    )


def _ends(curves):
    """Return round ends of an axis that holds all curves, and 0."""
    low, high = np.min(curves), np.max(curves)
    return float(min(np.floor(low), 0)), float(max(np.ceil(high), 1))


SENTENCE = (
    "The bank can guarantee deposits will eventually cover future tuition "
    "costs"
).split()
LOOKS = {
    "The": {"bank": 3},
    "bank": {"deposits": 3, "costs": 3, "tuition": 2, "guarantee": 1,
             "cover": 1},
    "can": {"guarantee": 3, "bank": 1},
    "guarantee": {"bank": 3, "cover": 3, "can": 1},
    "deposits": {"cover": 3, "bank": 2, "costs": 1},
    "will": {"cover": 3, "eventually": 2},
    "eventually": {"cover": 3, "will": 2},
    "cover": {"deposits": 3, "costs": 3, "will": 1, "eventually": 1},
    "future": {"costs": 3, "tuition": 2},
    "tuition": {"costs": 3, "future": 2},
    "costs": {"tuition": 3, "future": 2, "cover": 2},
}  # fmt: skip


def explore_sentence(weights=None, tokens=None):
    """Choose a word of a sentence and see where it looks.

    Shapes: weights (n, n)

    Without arguments the weights are the softmax of scores from 0 to 3
    that were set by hand: nothing is learned here.

    Parameters
    ----------
    weights : array_like, optional
        One row of weights for each word.
    tokens : sequence of str, optional
        The words.

    Returns
    -------
    Explorer
        Its control is the word that looks.

    Examples
    --------
    >>> explore_sentence([[1.0, 0.0], [0.5, 0.5]], ["Hello", "world"])
    Explorer(word: 2 pictures)
    """
    made = weights is None
    if made:
        scores = [[LOOKS[a].get(b, 0) for b in SENTENCE] for a in SENTENCE]
        weights = softmax(np.array(scores, float))
        tokens = SENTENCE if tokens is None else tokens
    (weights,) = _matrices(weights=weights)
    n = len(weights)
    if weights.shape != (n, n):
        raise ValueError(f"weights must be square, got {weights.shape}")
    if not ((weights >= 0) & (weights <= 1.001)).all():
        raise ValueError("weights must lie between 0 and 1")
    words = _tokens(tokens, n)
    names = fr.distinct(words)

    def draw(word):
        row = weights[word]
        items = [
            f"<li{' class=on' * (j == word)} style=--w:{fr.share(w, 1)}>"
            f"{escape(words[j])}<small>{fr.number(w)}</small>"
            for j, w in enumerate(row)
        ]
        best = np.argsort(-row, kind="stable")[: min(3, n)]
        top = [f"{escape(names[j])} {fr.number(row[j])}" for j in best]
        said = f"“{escape(names[word])}” looks most at {', '.join(top)}."
        if made:
            said += " These weights are made by hand, not learned."
        return fr.figure(f"<ul>{''.join(items)}</ul>", words=said)

    return explore(draw, {"word": min(1, n - 1)}, word=_menu(words))


def _given(**arguments):
    """Return the one argument, which must not be missing."""
    ((name, value),) = arguments.items()
    if value is None:
        raise ValueError(f"{name} is missing: give all arrays, or none")
    return np.asarray(value)


def _matrices(**arrays):
    """Return the arrays as float64 matrices of finite numbers."""
    for name, x in arrays.items():
        _given(**{name: x})
    clean, _ = as_floats(**arrays)
    for name, x in zip(arrays, clean, strict=True):
        if x.ndim != 2:
            raise ValueError(f"{name} must be a matrix, got shape {x.shape}")
        if not np.isfinite(x).all():
            raise ValueError(f"{name} {x.shape} holds nan or infinity")
    return [x.astype(np.float64) for x in clean]


def _tokens(tokens, n):
    """Return n words; numbers if there are none."""
    if tokens is None:
        return [str(i) for i in range(n)]
    if isinstance(tokens, str):
        raise TypeError("tokens must be a list of words, got one str")
    tokens = [str(token) for token in tokens]
    if len(tokens) != n:
        raise ValueError(f"got {len(tokens)} tokens for {n} rows")
    return tokens


def _menu(words):
    """Return options that are positions, called by the words."""
    return {name: i for i, name in enumerate(fr.distinct(words))}


def _vector(x):
    return "(" + ", ".join(fr.number(value) for value in x) + ")"


def _entropy(weights):
    """Return the entropy of weights, in nats."""
    w = weights[weights > 0]
    return (w * np.log(1 / w)).sum()
