"""Heads: the same queries and keys, split once, twice or more often."""

import numpy as np

import coursekit.explorers.drawings as dr
import coursekit.explorers.frames as fr
from attnlib._validate import as_size
from attnlib.attention import scaled_dot_product_attention
from attnlib.multihead import split_heads
from coursekit.explorers.arguments import (
    listed,
    matrices,
    names_of,
    nothing,
)
from coursekit.explorers.examples import MOUSE
from coursekit.explorers.panel import explore
from coursekit.phrases import later, phrase

__all__ = ["explore_heads"]

QUESTIONS = (
    later("the word before"),
    later("the same word"),
    later("the first word"),
    later("the verb’s subject"),
)


def explore_heads(q=None, k=None, tokens=None, *, num_heads=(1, 2, 4)):
    """Split the same queries and keys into more or fewer heads.

    Shapes: q (n, d_model), k (n, d_model)

    Without arguments, one quarter of the width asks for the word before,
    one for the same word, one for the first word, and in one the verb asks
    for its subject. They were made by hand, not learned. A single head has
    to ask all four questions at once. Chapter: multi-head attention.

    Parameters
    ----------
    q, k : array_like, optional
        Queries and keys before they are split; both or neither.
    tokens : sequence of str, optional
        The words.
    num_heads : sequence of int
        The numbers of heads to choose from; each must divide d_model.

    Returns
    -------
    Explorer
        Its controls are the number of heads and the head shown large.

    Examples
    --------
    >>> explore_heads(num_heads=[1, 2])
    Explorer(heads, head: 4 pictures)
    """
    made = nothing(q, k)
    if made:
        q, k = _four_questions()
        tokens = MOUSE if tokens is None else tokens
    q, k = matrices(q=q, k=k)
    if q.shape != k.shape or len(q) > 8:
        raise ValueError(
            "q and k must have the same shape (n, d_model) with n at most 8, "
            f"got q {q.shape}, k {k.shape}"
        )
    words = names_of(tokens, len(q))
    num_heads = _counts(num_heads, q.shape[1])
    maps = {count: _weights(q, k, count) for count in num_heads}

    def draw(heads, head):
        weights = maps[heads]
        shown = min(head, heads - 1)
        small = [_thumbnail(i, w, i == shown) for i, w in enumerate(weights)]
        large = fr.heat(
            phrase("head {head} of {heads}", head=shown, heads=heads),
            weights[shown],
            words,
            _cell_words,
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
        head=range(max(num_heads)),
    )


def _counts(num_heads, d_model):
    """Return the numbers of heads, which must divide the width."""
    counts = [as_size("num_heads", n) for n in listed("num_heads", num_heads)]
    for count in counts:
        if d_model % count:
            raise ValueError(
                f"num_heads must divide d_model = {d_model}, got {count}"
            )
    return counts


def _weights(q, k, num_heads):
    """Return the weights of each head: (num_heads, n, n)."""
    q, k = split_heads(q, num_heads), split_heads(k, num_heads)
    return scaled_dot_product_attention(q, k, k)[1]


def _four_questions():
    """Return queries and keys (5, 20) for “the cat caught the mouse”."""
    place, word = np.eye(5), np.eye(5)[[0, 1, 2, 0, 3]]
    first, verb, subject = np.zeros((3, 5, 5))
    first[:, 0] = verb[2, 0] = subject[1, 0] = 1
    start = place[:, :1] * place[0]
    q = [np.eye(5, k=-1), word, first, verb]
    k = [place, word, start, subject]
    return 10 * np.hstack(q), np.hstack(k)


def _cell_words(query, key, weight):
    return phrase(
        "{query} looks at {key}: {weight}",
        query=query,
        key=key,
        weight=weight,
    )


def _thumbnail(index, weights, chosen):
    """Draw a small head: squares whose opacity is the weight."""
    n_q, n_k = weights.shape
    mark = " class=on" if chosen else ""
    return (
        f"<figure{mark}><b>{phrase('head {head}', head=index)}</b>"
        f'<svg viewBox="0 0 {n_k} {n_q}" aria-hidden=true>'
        f"{dr.squares(weights, 100)}"
        f"<rect class=axis width={n_k} height={n_q} stroke-width=.05 /></svg>"
        "</figure>"
    )


def _head_words(heads, head, weights, made):
    """Say which head this is, and what it asks for, if that is known."""
    said = []
    if head >= heads:
        head = heads - 1
        said.append(_only(heads))
    asked = _asked(heads, head) if made and 4 % heads == 0 else None
    said += [
        asked or phrase("Head {head} of {heads}.", head=head, heads=heads),
        phrase(
            "Its largest weight is {weight}.", weight=fr.number(weights.max())
        ),
    ]
    if made:
        said.append(
            phrase("A word that asks for nothing spreads its weight evenly.")
        )
    return " ".join(said)


def _only(heads):
    """Say that there are fewer heads than were asked for."""
    if heads == 1:
        return phrase("There is only one head, so this is head 0.")
    return phrase(
        "There are only {heads} heads, so this is head {head}.",
        heads=heads,
        head=heads - 1,
    )


def _asked(heads, head):
    """Say what a head made by hand asks for: one of four things, or more."""
    each = 4 // heads
    asked = [phrase(q) for q in QUESTIONS[head * each : (head + 1) * each]]
    if each == 1:
        return phrase(
            "Head {head} of {heads} asks for {question}.",
            head=head,
            heads=heads,
            question=asked[0],
        )
    return phrase(
        "Head {head} of {heads} asks for {questions}, all in one row of "
        "weights.",
        head=head,
        heads=heads,
        questions=phrase(", and for ").join(asked),
    )
