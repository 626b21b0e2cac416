"""A language model that writes: one text for each temperature and seed."""

from html import escape
from numbers import Real

import numpy as np

import coursekit.explorers.frames as fr
from attnlib._validate import as_array
from attnlib.ops import softmax
from coursekit.explorers.arguments import given, integers, listed, nothing
from coursekit.explorers.panel import explore
from coursekit.phrases import phrase

__all__ = ["copied_from", "explore_writing", "sample"]

RUN = 20  # letters: shorter pieces are shared by chance, or are one word
SOURCE = "the cat sat on the mat. the rat sat on the cat. "


def sample(predict, ids, temperatures, seeds, count):
    """Continue one sequence several times, with letters drawn by chance.

    Shapes: ids (n) -> (batch, n + count)

    Every continuation has its own temperature, and its own random numbers,
    one for each new token: the same seed draws the same text.

    Parameters
    ----------
    predict : callable
        Returns the logits (batch, vocabulary) that follow ids (batch, n).
    ids : sequence of int
        The tokens to continue.
    temperatures, seeds : sequence
        One of each for each continuation.
    count : int
        How many tokens to add.

    Examples
    --------
    >>> sample(lambda ids: -np.eye(2)[ids[:, -1]], [0], [0.01], [7], 4)
    array([[0, 1, 0, 1, 0]])
    """
    out = np.tile(np.asarray(ids), (len(seeds), 1))
    rngs = [np.random.default_rng(seed) for seed in seeds]
    heat = np.asarray(temperatures, float)[:, None]
    for _ in range(count):
        logits = as_array("logits", predict(out)).astype(np.float64)
        upto = softmax(logits / heat).cumsum(axis=1)
        drawn = np.array([[rng.random()] for rng in rngs]) * upto[:, -1:]
        new = (upto <= drawn).sum(axis=1, keepdims=True)
        out = np.concatenate([out, new], axis=1)
    return out


def copied_from(source, text, run=RUN):
    """Find what a text has copied from a source.

    Returns
    -------
    copied : list of bool
        For each letter, whether it lies in a piece of at least `run` letters
        that also stands in the source.
    longest : int
        The length of the longest piece that also stands there.

    Examples
    --------
    >>> copied_from("the cat sat", "a cat sat", run=4)
    ([False, True, True, True, True, True, True, True, True], 8)
    """
    copied, longest = [False] * len(text), 0
    for start in range(len(text)):
        length = 0
        while start + length < len(text):
            if text[start : start + length + 1] not in source:
                break
            length += 1
        longest = max(longest, length)
        if length >= run:
            copied[start : start + length] = [True] * length
    return copied, longest


def explore_writing(
    predict=None,
    vocabulary=None,
    source=None,
    *,
    openings=("the ",),
    temperatures=(0.2, 0.5, 0.8, 1.1, 1.5),
    seeds=(0, 1, 2),
    count=110,
):
    """Let a model write, and see how much of it is copied.

    Without arguments, the model is a table that counts which letter follows
    which in one line. Chapter: the transformer block and a tiny GPT.

    Parameters
    ----------
    predict : callable, optional
        Returns the logits (batch, vocabulary) that follow ids (batch, n).
    vocabulary : sequence of str, optional
        The letters; a letter's number is its place.
    source : str, optional
        The text that the model has learned from.
    openings : sequence of str
        How the texts begin.
    temperatures : sequence of float
        Before the softmax, logits are divided by the temperature.
    seeds : sequence of int
        Where the random numbers come from.
    count : int
        How many letters to add.

    Returns
    -------
    Explorer
        Its controls are the opening, the temperature and the seed.

    Examples
    --------
    >>> explore_writing(temperatures=[0.5], seeds=[0])
    Explorer(opening, temperature, seed: 1 pictures)
    """
    made = nothing(predict, vocabulary, source)
    if made:
        predict, vocabulary, source = _counted(SOURCE)
    if not callable(given("predict", predict)):
        raise TypeError("predict must be a function from ids to logits")
    vocabulary = listed("vocabulary", vocabulary)
    source = given("source", source)
    numbers = _numbers(listed("openings", openings), vocabulary)
    heats, seeds = _heats(temperatures), integers("seeds", seeds)
    pairs = [(heat, seed) for heat in heats for seed in seeds]
    texts = {}
    for opening, ids in numbers.items():
        drawn = sample(predict, ids, *zip(*pairs, strict=True), count)
        for pair, row in zip(pairs, drawn, strict=True):
            texts[opening, *pair] = "".join(vocabulary[i] for i in row)

    def draw(opening, temperature, seed):
        text = texts[opening, temperature, seed]
        return _frame(opening, temperature, seed, text, source, made)

    return explore(
        draw,
        {"temperature": heats[len(heats) // 2]},
        opening={f"{name.strip()} …": name for name in numbers},
        temperature=heats,
        seed=seeds,
    )


def _counted(line):
    """Return a model that has counted pairs, its letters and its source."""
    letters = sorted(set(line))
    table = np.zeros((len(letters),) * 2)
    for pair in zip(line, line[1:] + line[0], strict=True):
        table[tuple(letters.index(c) for c in pair)] += 1
    logits = np.log(table + 1e-3)
    return lambda ids: logits[ids[:, -1]], letters, line


def _numbers(openings, vocabulary):
    """Return the numbers of each opening's letters."""
    found = {}
    for opening in openings:
        unknown = sorted(set(opening) - set(vocabulary))
        if unknown or not opening:
            raise ValueError(
                f"openings must be written with the vocabulary, got "
                f"{opening!r} with {unknown}"
            )
        found[opening] = [vocabulary.index(letter) for letter in opening]
    return found


def _heats(temperatures):
    """Return the temperatures as floats above 0."""
    heats = listed("temperatures", temperatures)
    for heat in heats:
        if not isinstance(heat, Real) or not 0.01 <= heat <= 100:
            raise ValueError(
                f"temperatures must be from 0.01 to 100, got {heat}"
            )
    return [float(heat) for heat in heats]


def _frame(opening, temperature, seed, text, source, made):
    """Draw a text in which what is copied is tinted, and say how much."""
    copied, longest = copied_from(source, text)
    html, on = [], False
    for letter, mark in zip(text, copied, strict=True):
        if mark != on:
            html.append("<mark>" if mark else "</mark>")
        on = mark
        html.append(escape(letter))
    html.append("</mark>" * on)
    said = phrase(
        "The opening “{opening}”, temperature {temperature}, seed {seed}: "
        "{share}% of these {count} letters are copied (tinted), in pieces of "
        "at least {run} letters that stand like this in the training text. "
        "The longest piece found there has <b>{longest}</b> letters.",
        opening=escape(opening.strip()),
        temperature=f"{temperature:g}",
        seed=seed,
        share=f"{100 * np.mean(copied):.0f}",
        count=len(text),
        run=RUN,
        longest=longest,
    )
    if made:
        counts = phrase("The model only counts which letter follows which.")
        said = f"{said} {counts}"
    written = f"<div class=al-text>{''.join(html)}</div>"
    return fr.figure(written, words=said)
