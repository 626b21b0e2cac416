"""Sentences and their translations: arguments, and the map between them."""

import numpy as np

import coursekit.explorers.frames as fr
from attnlib.ops import softmax
from coursekit.explorers.arguments import (
    check_distributions,
    listed,
    matrices,
)
from coursekit.phrases import phrase

__all__ = [
    "SOURCE",
    "TARGET",
    "TRUE",
    "for_each_word",
    "maps_of",
    "pair_map",
    "pairs_of",
    "weights_by_hand",
]

# An example: the words, and the source words of each target word.
SOURCE, TARGET = ["나는", "학교에", "간다"], ["I", "go", "to", "school"]
TRUE = [{0}, {2}, {1}, {1}]


def weights_by_hand(sharpness):
    """Return the weights (4, 3) of the example; 0 makes them all equal."""
    true = [[j in origin for j in range(3)] for origin in TRUE]
    return softmax(sharpness * np.array(true, float))


def pairs_of(**lists):
    """Return sources and targets as lists of lists of words."""
    clean = []
    for name, sentences in lists.items():
        rows = _lists(name, sentences)
        clean.append([[str(word) for word in words] for words in rows])
    counts = {name: len(x) for name, x in zip(lists, clean, strict=True)}
    if len(set(counts.values())) > 1:
        raise ValueError(
            f"there must be as many sources as targets, got {counts}"
        )
    return clean


def _lists(name, lists):
    """Return a list of lists, none of them empty."""
    return [
        listed(f"{name}[{i}]", entries)
        for i, entries in enumerate(listed(name, lists))
    ]


def maps_of(name, maps, sources, targets):
    """Return one clean map for each sentence."""
    maps = listed(name, maps)
    if len(maps) != len(sources):
        raise ValueError(
            f"{name} must hold a map for each of {len(sources)} sentences, "
            f"got {len(maps)}"
        )
    pairs = zip(sources, targets, strict=True)
    return [
        _map(f"{name}[{i}]", maps[i], (len(target), len(source)))
        for i, (source, target) in enumerate(pairs)
    ]


def _map(name, weights, shape):
    """Return weights of the right shape."""
    (weights,) = matrices(**{name: weights})
    if weights.shape != shape:
        raise ValueError(
            f"{name} of {shape[0]} words over {shape[1]} must have shape "
            f"{shape}, got {weights.shape}"
        )
    check_distributions(name, weights)
    return weights


def for_each_word(name, lists, targets, what):
    """Return the lists, which have an entry for each word of a target."""
    lists = _lists(name, lists)
    counts = [len(entries) for entries in lists]
    wanted = [len(target) for target in targets]
    if counts != wanted:
        raise ValueError(
            f"{name} must hold {what} for each word: {wanted}, got {counts}"
        )
    return lists


def pair_map(rows, source, target, marked=None):
    """Draw the weights of target words over source words."""

    def say(word, origin, weight):
        return phrase(
            "for {word} it looked at {origin}: {weight}",
            word=word,
            origin=origin,
            weight=weight,
        )

    return fr.heat(
        phrase("weights"),
        rows,
        target,
        say,
        columns=source,
        marked=marked,
    )
