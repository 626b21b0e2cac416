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

__all__ = ["explore_heads"]

QUESTIONS = (
    "the word before",
    "the same word",
    "the first word",
    "the verb’s subject",
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
            f"head {shown} of {heads}",
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


def _thumbnail(index, weights, chosen):
    """Draw a small head: squares whose opacity is the weight."""
    n_q, n_k = weights.shape
    mark = " class=on" if chosen else ""
    return (
        f"<figure{mark}><b>head {index}</b>"
        f'<svg viewBox="0 0 {n_k} {n_q}" aria-hidden=true>'
        f"{dr.squares(weights, 100)}"
        f"<rect class=axis width={n_k} height={n_q} stroke-width=.05 /></svg>"
        "</figure>"
    )


def _head_words(heads, head, weights, made):
    """Say which head this is, and what it asks for, if that is known."""
    said = []
    if head >= heads:
        some = "is only one head" if heads == 1 else f"are only {heads} heads"
        said.append(f"There {some}, so this is head {heads - 1}.")
        head = heads - 1
    if made and 4 % heads == 0:
        each = 4 // heads
        asked = QUESTIONS[head * each : (head + 1) * each]
        said.append(
            f"Head {head} of {heads} asks for {', and for '.join(asked)}"
            + (", all in one row of weights." if each > 1 else ".")
        )
    else:
        said.append(f"Head {head} of {heads}.")
    said.append(f"Its largest weight is {fr.number(weights.max())}.")
    if made:
        said.append("A word that asks for nothing spreads its weight evenly.")
    return " ".join(said)
