"""A translator while it learns: the alignment appears step by step."""

from html import escape

import numpy as np

import coursekit.explorers.drawings as dr
import coursekit.explorers.frames as fr
from attnlib._validate import as_floats
from coursekit.explorers.arguments import (
    check_shares,
    listed,
    menu,
    nothing,
    steps_of,
)
from coursekit.explorers.examples import BY_HAND
from coursekit.explorers.pairs import (
    SOURCE,
    TARGET,
    TRUE,
    for_each_word,
    maps_of,
    pair_map,
    pairs_of,
    weights_by_hand,
)
from coursekit.explorers.panel import explore
from coursekit.phrases import later, phrase

__all__ = ["explore_training"]

# What a map shows, after one step of training and after any other number.
EVEN = [
    later(
        "After {steps} step, for {source}: all weights are equal, so no "
        "source word stands out."
    ),
    later(
        "After {steps} steps, for {source}: all weights are equal, so no "
        "source word stands out."
    ),
]
ALIGNED = [
    later(
        "After {steps} step, for {source}: for {found} of {count} words the "
        "largest weight is on a true source word (those with a frame)."
    ),
    later(
        "After {steps} steps, for {source}: for {found} of {count} words the "
        "largest weight is on a true source word (those with a frame)."
    ),
]


def explore_training(
    steps=None,
    sources=None,
    targets=None,
    maps=None,
    alignments=None,
    scores=None,
):
    """Move through training and watch the alignment appear.

    Shapes: maps steps times sentences times (n_q, n_k), scores (steps)

    The true source words of each word have a frame. Chapter:
    cross-attention.

    Parameters
    ----------
    steps : sequence of int, optional
        The steps of training after which the maps were taken, in order.
    sources, targets : sequence of sequences of str, optional
        The words of each sentence and of its translation.
    maps : sequence, optional
        For each step and each sentence, the weights of its words.
    alignments : sequence, optional
        For each sentence, the true source positions of each word.
    scores : array_like, optional
        For each step, the share of words in many sentences whose largest
        weight is on a true source word.

    Returns
    -------
    Explorer
        Its controls are the sentence and the step of training.

    Examples
    --------
    >>> explore_training()
    Explorer(sentence, steps: 3 pictures)
    """
    made = nothing(steps, sources, targets, maps, alignments, scores)
    if made:
        steps, sources, targets = [0, 1, 2], [SOURCE], [TARGET]
        maps, alignments = [[weights_by_hand(s)] for s in (0, 1, 5)], [TRUE]
    steps = steps_of(steps)
    sources, targets = pairs_of(sources=sources, targets=targets)
    maps = _snapshots(maps, len(steps), sources, targets)
    true = _true(alignments, sources, targets)
    scores = _scores(scores, len(steps))

    def draw(sentence, at):
        rows, marked = maps[at][sentence], true[sentence]
        source, target = sources[sentence], targets[sentence]
        parts = [pair_map(rows, source, target, marked=marked)]
        if scores is not None:
            parts.append(_curve(steps, scores, at))
        said = _training_words(rows, marked, steps[at], " ".join(source))
        return fr.figure(*parts, words=said + phrase(BY_HAND) * made)

    return _explore_steps(draw, steps, sources)


def _explore_steps(draw, steps, sources):
    """Make the explorer; its slider shows the steps themselves."""
    place = {step: at for at, step in enumerate(steps)}
    return explore(
        lambda sentence, steps: draw(sentence, place[steps]),
        {"steps": steps[-1]},
        sentence=menu([" ".join(source) for source in sources]),
        steps=steps,
    )


def _snapshots(maps, count, sources, targets):
    """Return the maps of each step."""
    maps = listed("maps", maps)
    if len(maps) != count:
        raise ValueError(
            f"maps must hold one entry for each of {count} steps, got "
            f"{len(maps)}"
        )
    return [
        maps_of(f"maps[{i}]", some, sources, targets)
        for i, some in enumerate(maps)
    ]


def _true(alignments, sources, targets):
    """Return a boolean map (n_q, n_k) for each alignment."""
    alignments = for_each_word("alignments", alignments, targets, "a set")
    true = []
    for i, (alignment, source) in enumerate(
        zip(alignments, sources, strict=True)
    ):
        places = range(len(source))
        for j, origin in enumerate(alignment):
            _check_places(f"alignments[{i}][{j}]", origin, places)
        true.append(np.array([[p in o for p in places] for o in alignment]))
    return true


def _check_places(name, origin, places):
    """Refuse anything but a set of positions, which may be empty."""
    try:
        right = set(origin) <= set(places)
    except TypeError:
        kind = type(origin).__name__
        raise TypeError(
            f"{name} must be a set of positions, got {kind}"
        ) from None
    if not right:
        raise ValueError(
            f"{name} must hold positions from 0 to {places[-1]}, got {origin}"
        )


def _scores(scores, count):
    """Return a score for each step, or None."""
    if scores is None:
        return None
    (scores,), _ = as_floats(1, scores=scores)
    if scores.shape != (count,):
        raise ValueError(
            f"scores must have shape {(count,)}, one for each step, got "
            f"{scores.shape}"
        )
    check_shares("scores", scores)
    return scores


def _curve(steps, scores, at):
    return dr.curve(
        phrase("largest weight on a true source word"),
        [("", steps, scores)],
        x=(steps[0], max(steps[-1], steps[0] + 1)),
        y=(0, 1),
        name=phrase("steps of training"),
        dot=(steps[at], scores[at]),
    )


def _training_words(rows, marked, step, source):
    """Say how many words of this sentence look at a true source word."""
    found = marked[np.arange(len(rows)), rows.argmax(axis=1)].sum()
    one, many = EVEN if np.ptp(rows) < 1e-9 else ALIGNED
    return phrase(
        one if step == 1 else many,
        steps=step,
        source=escape(source),
        found=found,
        count=len(rows),
    )
