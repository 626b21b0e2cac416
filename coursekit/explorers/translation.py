"""A translator at work: it writes word after word, and looks at the source."""

from html import escape

import numpy as np

import coursekit.explorers.frames as fr
from attnlib._validate import as_number
from coursekit.explorers.arguments import (
    ROUNDING,
    check_shares,
    menu,
    nothing,
)
from coursekit.explorers.examples import BY_HAND
from coursekit.explorers.pairs import (
    SOURCE,
    TARGET,
    for_each_word,
    maps_of,
    pair_map,
    pairs_of,
    weights_by_hand,
)
from coursekit.explorers.panel import explore
from coursekit.phrases import phrase

__all__ = ["explore_translation"]


def explore_translation(sources=None, targets=None, weights=None, likely=None):
    """Choose a sentence and follow its translation, word by word.

    Shapes: weights sentences times (n_q, n_k)

    Each step adds a row to the map: where the decoder looked before it wrote
    that word. Chapter: cross-attention.

    Parameters
    ----------
    sources, targets : sequence of sequences of str, optional
        The words of each sentence and of its translation.
    weights : sequence of array_like, optional
        The weights of each translation: one row for each of its words.
    likely : sequence, optional
        For each sentence and each word of its translation, the most likely
        words at that point: a dict from words to probabilities.

    Returns
    -------
    Explorer
        Its controls are the sentence and the word of the translation.

    Examples
    --------
    >>> explore_translation()
    Explorer(sentence, word: 4 pictures)
    """
    made = nothing(sources, targets, weights, likely)
    if made:
        sources, targets = [SOURCE], [TARGET]
        weights = [weights_by_hand(4)]
        likely = [[{word: 1.0} for word in TARGET]]
    sources, targets = pairs_of(sources=sources, targets=targets)
    maps = maps_of("weights", weights, sources, targets)
    likely = _likely(likely, targets)

    def draw(sentence, word):
        source, target = sources[sentence], targets[sentence]
        step = min(word, len(target))
        rows = maps[sentence][:step]
        parts = [_so_far(target, step), pair_map(rows, source, target[:step])]
        if likely[sentence]:
            parts.append(_next(likely[sentence][step - 1]))
        said = _step_words(source, target, step, rows[-1])
        return fr.figure(*parts, words=said + phrase(BY_HAND) * made)

    longest = max(map(len, targets))
    start = {"word": min(3, longest)}
    return explore(
        draw,
        start,
        sentence=menu([" ".join(source) for source in sources]),
        word=range(1, longest + 1),
    )


def _likely(likely, targets):
    """Return the pairs of each word of each sentence, or None for each."""
    if likely is None:
        return [None] * len(targets)
    return [
        [_chances(f"likely[{i}][{j}]", x) for j, x in enumerate(steps)]
        for i, steps in enumerate(
            for_each_word("likely", likely, targets, "a dict")
        )
    ]


def _chances(name, words):
    """Return pairs of words and probabilities."""
    if not isinstance(words, dict):
        kind = type(words).__name__
        raise TypeError(
            f"{name} must be a dict from words to probabilities, got {kind}"
        )
    chances = [
        (str(word), as_number(f"{name}[{word!r}]", chance))
        for word, chance in words.items()
    ]
    shares = np.array([chance for _, chance in chances])
    check_shares(name, shares)
    if shares.sum() > 1 + ROUNDING:
        raise ValueError(
            f"{name} must sum to at most 1, got {shares.sum():.3g}"
        )
    return chances


def _so_far(target, step):
    """List the words so far; the newest has a frame and a tint."""
    tints = ["0"] * (step - 1) + [".6"]
    words = fr.tokens(target[:step], tints, step - 1)
    return f"<div style=flex-basis:100%>{words}</div>"


def _next(likely):
    """Draw the most likely words, with bars."""
    rows = [
        [escape(word), *fr.bars([probability])] for word, probability in likely
    ]
    head = [phrase("word"), phrase("probability")]
    return fr.table(phrase("next word"), head, rows)


def _step_words(source, target, step, row):
    """Say which word is written, after what, and where the decoder looked."""
    best = int(row.argmax())
    said = {
        "place": step,
        "count": len(target),
        "before": escape(" ".join(target[: step - 1])),
        "word": escape(target[step - 1]),
        "source": escape(fr.distinct(source)[best]),
        "weight": fr.number(row[best]),
    }
    if said["before"]:
        told = phrase(
            "Word {place} of {count}, after “{before}”: the model writes "
            "“{word}” and looks most at {source} ({weight}).",
            **said,
        )
    else:
        told = phrase(
            "Word {place} of {count}, at the start: the model writes "
            "“{word}” and looks most at {source} ({weight}).",
            **said,
        )
    if step < len(target):
        return told
    return f"{told} {phrase('The translation ends here.')}"
