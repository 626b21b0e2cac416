"""Whole maps of weights: masks, heads, and one sentence."""

from html import escape

import numpy as np

import coursekit.explorers.frames as fr
from attnlib.attention import scaled_dot_product_attention
from attnlib.masks import (
    create_causal_mask,
    create_padding_mask,
    create_window_mask,
)
from attnlib.multihead import split_heads
from attnlib.ops import softmax
from coursekit.explorers.arguments import (
    check_weights,
    listed,
    matrices,
    menu,
    names_of,
)
from coursekit.explorers.panel import explore

__all__ = [
    "explore_heads",
    "explore_masks",
    "explore_sentence",
]

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
    (scores,) = matrices(scores=scores)
    n = len(scores)
    if scores.shape != (n, n) or n > 8:
        raise ValueError(
            "scores must have shape (n, n) with n at most 8, got "
            f"{scores.shape}"
        )
    words = names_of(tokens, n)

    def draw(mask, real_words, window):
        seen = _mask(mask, n, real_words, window)
        real = real_words if "padding" in mask else n
        shown = [*words[:real], *["<pad>"] * (n - real)]
        said = _mask_words(mask, real_words, window, seen, shown)
        return fr.figure(*_mask_maps(scores, seen, shown), words=said)

    return explore(
        draw,
        {
            "mask": "window and padding",
            "real_words": max(n - 2, 1),
            "window": min(2, n),
        },
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


def _mask_maps(scores, seen, words):
    """Draw scores, mask and weights side by side."""
    n = len(scores)
    _, weights = scaled_dot_product_attention(
        scores, np.eye(n), np.eye(n), seen, scale=1.0
    )

    def may(query, key, text):
        return f"{query} {'may' if text == '1' else 'may not'} look at {key}"

    return [
        fr.heat(
            "scores",
            scores,
            words,
            "{} and {} score {}".format,
            signed=True,
            tight=True,
        ),
        fr.heat(
            "mask", seen * 1.0, words, may, hidden=~seen, digits=0, tight=True
        ),
        fr.heat(
            "weights",
            weights,
            words,
            "{} looks at {}: {}".format,
            hidden=~seen,
            tight=True,
        ),
    ]


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
    q, k = matrices(q=q, k=k)
    if q.shape != k.shape or len(q) > 8:
        raise ValueError(
            "q and k must have the same shape (n, d_model) with n at most 8, "
            f"got q {q.shape}, k {k.shape}"
        )
    words = names_of(tokens, len(q))
    maps, num_heads = {}, listed("num_heads", num_heads)
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
            "{} looks at {}: {}".format,
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


SENTENCE = [*LOOKS]


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
    (weights,) = matrices(weights=weights)
    n = len(weights)
    if weights.shape != (n, n):
        raise ValueError(f"weights must be square, got {weights.shape}")
    check_weights("weights", weights)
    words = names_of(tokens, n)
    names, peak = fr.distinct(words), weights.max()

    def draw(word):
        row = weights[word]
        items = [
            f"<li{' class=on' * (j == word)} style=--w:{fr.share(w, peak)}>"
            f"{escape(words[j])}<small>{fr.number(w)}</small>"
            for j, w in enumerate(row)
        ]
        best = np.argsort(-row, kind="stable")[: min(3, n)]
        top = [f"{escape(names[j])} {fr.number(row[j])}" for j in best]
        said = f"“{escape(names[word])}” looks most at {', '.join(top)}."
        if made:
            said += " These weights are made by hand, not learned."
        return fr.figure(f"<ul>{''.join(items)}</ul>", words=said)

    return explore(draw, {"word": min(1, n - 1)}, word=menu(words))
