"""One sentence: where each of its words looks."""

from html import escape

import numpy as np

import coursekit.explorers.frames as fr
from attnlib.ops import softmax
from coursekit.explorers.arguments import (
    check_distributions,
    matrices,
    menu,
    names_of,
)
from coursekit.explorers.controls import BUTTONS, control
from coursekit.explorers.drawings import links
from coursekit.explorers.examples import BY_HAND, SENTENCE, sentence_scores
from coursekit.explorers.panel import explore
from coursekit.phrases import phrase

__all__ = ["explore_sentence"]


def explore_sentence(weights=None, tokens=None, *, start=1):
    """Choose a word of a sentence and see where it looks.

    Shapes: weights (n, n)

    A few short words stand above the picture and are chosen there; of a
    longer sentence they are chosen in a menu. Without arguments the weights
    are the softmax of scores from 0 to 3 that were made by hand, not learned.

    Parameters
    ----------
    weights : array_like, optional
        One row of weights for each word.
    tokens : sequence of str, optional
        The words.
    start : int, optional
        The place of the word that is chosen at first, counted from 0.

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
        weights = softmax(sentence_scores())
        tokens = SENTENCE if tokens is None else tokens
    (weights,) = matrices(weights=weights)
    n = len(weights)
    if weights.shape != (n, n):
        raise ValueError(f"weights must be square, got shape {weights.shape}")
    check_distributions("weights", weights)
    words = names_of(tokens, n)
    names, peak = fr.distinct(words), weights.max()
    options = menu(words)
    few = control("word", options).kind == BUTTONS

    def draw(word):
        row = weights[word]
        tints = [fr.share(w, peak) for w in row]
        notes = [fr.number(w) for w in row]
        best = np.argsort(-row, kind="stable")[: min(3, n)]
        top = [f"{escape(names[j])} {fr.number(row[j])}" for j in best]
        said = phrase(
            "“{word}” looks most at {words}.",
            word=escape(names[word]),
            words=", ".join(top),
        )
        chosen = None if few else word
        listing = fr.tokens(words, tints, chosen, notes)
        if few:
            listing = links(weights, word, listing)
        return fr.figure(listing, words=said + phrase(BY_HAND) * made)

    return explore(draw, {"word": min(start, n - 1)}, word=options)
