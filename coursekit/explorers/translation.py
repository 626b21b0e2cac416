"""A translator at work, and the same translator while it learns."""

from html import escape

import numpy as np

import coursekit.explorers.frames as fr
from attnlib._validate import as_floats, as_number
from attnlib.ops import softmax
from coursekit.explorers.arguments import (
    check_weights,
    listed,
    matrices,
    menu,
    names_of,
    nothing,
    steps_of,
)
from coursekit.explorers.panel import explore

__all__ = ["explore_training", "explore_translation"]

SOURCE, TARGET = ["나는", "학교에", "간다"], ["I", "go", "to", "school"]
TRUE = [{0}, {2}, {1}, {1}]
BY_HAND = " These numbers are made by hand, not learned."


def explore_translation(sources=None, targets=None, weights=None, likely=None):
    """Choose a sentence and follow its translation, word by word.

    Shapes: weights sentences times (n_q, n_k)

    Each step adds a row to the map: where the decoder looked for the word
    that comes next. Chapter: cross-attention.

    Parameters
    ----------
    sources, targets : sequence of sequences of str, optional
        The words of each sentence and of its translation.
    weights : sequence of array_like, optional
        The weights of each translation: a row for each of its words.
    likely : sequence, optional
        For each sentence and each of its words the likeliest next words: a
        dict from words to probabilities.

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
        weights, likely = [_by_hand(4)], [[{word: 1.0} for word in TARGET]]
    sources, targets = _sentences(sources=sources, targets=targets)
    maps = _maps("weights", weights, sources, targets)
    likely = _likely(likely, targets)

    def draw(sentence, word):
        source, target = sources[sentence], targets[sentence]
        step = min(word, len(target))
        rows = maps[sentence][:step]
        parts = [_so_far(target, step), _weights(rows, source, target[:step])]
        if likely[sentence]:
            parts.append(_next(likely[sentence][step - 1]))
        said = _step_words(source, target, step, rows[-1])
        return fr.figure(*parts, words=said + BY_HAND * made)

    longest = max(map(len, targets))
    start = {"word": min(3, longest)}
    return explore(
        draw,
        start,
        sentence=menu([" ".join(source) for source in sources]),
        word=range(1, longest + 1),
    )


def _by_hand(sharpness):
    true = [[j in origin for j in range(3)] for origin in TRUE]
    return softmax(sharpness * np.array(true, float))


def _sentences(**lists):
    """Return lists of lists of words, as many sources as targets."""
    clean = []
    for name, sentences in lists.items():
        rows = _lists(name, sentences)
        clean.append([[str(word) for word in words] for words in rows])
    counts = {name: len(x) for name, x in zip(lists, clean, strict=True)}
    if len(set(counts.values())) > 1:
        raise ValueError(f"as many sources as targets are needed: {counts}")
    return clean


def _lists(name, lists):
    """Return a list of lists, none of them empty."""
    return [
        listed(f"{name}[{i}]", entries)
        for i, entries in enumerate(listed(name, lists))
    ]


def _maps(name, maps, sources, targets):
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
    (weights,) = matrices(**{name: weights})
    if weights.shape != shape:
        raise ValueError(
            f"{name} of {shape[0]} words over {shape[1]} must have shape "
            f"{shape}, got {weights.shape}"
        )
    check_weights(name, weights)
    return weights


def _for_each_word(name, lists, targets, what):
    """Return the lists, which have an entry for each word of a target."""
    lists = _lists(name, lists)
    counts = [len(entries) for entries in lists]
    wanted = [len(target) for target in targets]
    if counts != wanted:
        raise ValueError(
            f"{name} must hold {what} for each word: {wanted}, got {counts}"
        )
    return lists


def _likely(likely, targets):
    """Return a list of dicts for each sentence, or None for each."""
    if likely is None:
        return [None] * len(targets)
    return [
        [_chances(f"likely[{i}][{j}]", x) for j, x in enumerate(steps)]
        for i, steps in enumerate(
            _for_each_word("likely", likely, targets, "a dict")
        )
    ]


def _chances(name, words):
    """Return a dict from words to probabilities."""
    if not isinstance(words, dict):
        kind = type(words).__name__
        raise TypeError(
            f"{name} must be a dict from words to probabilities, got {kind}"
        )
    chances = {
        str(word): as_number(f"{name}[{word!r}]", chance)
        for word, chance in words.items()
    }
    check_weights(name, np.array([*chances.values()]))
    return chances


def _so_far(target, step):
    """List the words that are there; the newest has a frame."""
    items = [
        f"<li{' class=on' * (i == step)} style=--w:{'.6' * (i == step) or 0}>"
        f"{escape(word)}"
        for i, word in enumerate(target[:step], start=1)
    ]
    return f"<div style=flex-basis:100%><ul>{''.join(items)}</ul></div>"


def _weights(rows, source, target, title="weights", marked=None):
    names = names_of(target, len(rows))
    return fr.heat(
        title,
        rows,
        names,
        "for {} it looked at {}: {}".format,
        columns=source,
        marked=marked,
    )


def _next(words):
    rows = [
        [escape(word), *fr.bars([probability])]
        for word, probability in words.items()
    ]
    return fr.table("next word", ["word", "probability"], rows)


def _step_words(source, target, step, row):
    """Say which word comes, after what, and where the decoder looked."""
    before = " ".join(target[: step - 1])
    after = f"after “{escape(before)}”" if before else "at the start"
    best = int(row.argmax())
    said = (
        f"Word {step} of {len(target)}, {after}: the model writes "
        f"“{escape(target[step - 1])}” and looks most at "
        f"{escape(fr.distinct(source)[best])} ({fr.number(row[best])})."
    )
    return said + " This is the end." * (step == len(target))


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

    A frame marks the true source words. Chapter: cross-attention.

    Parameters
    ----------
    steps : sequence of int, optional
        After how many steps of training the maps were taken, in order.
    sources, targets : sequence of sequences of str, optional
        The words of each sentence and of its translation.
    maps : sequence, optional
        For each step and each sentence the weights of its words.
    alignments : sequence, optional
        For each sentence the true source positions of each word.
    scores : array_like, optional
        For each step the share of words, over many sentences, whose largest
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
        maps, alignments = [[_by_hand(s)] for s in (0, 1, 5)], [TRUE]
    steps = steps_of(steps)
    sources, targets = _sentences(sources=sources, targets=targets)
    maps = _snapshots(maps, len(steps), sources, targets)
    true = _true(alignments, sources, targets)
    scores = _scores(scores, len(steps))

    def draw(sentence, at):
        rows, marked = maps[at][sentence], true[sentence]
        source, target = sources[sentence], targets[sentence]
        parts = [_weights(rows, source, target, marked=marked)]
        if scores is not None:
            parts.append(_curve(steps, scores, at))
        said = _training_words(rows, marked, steps[at], " ".join(source))
        return fr.figure(*parts, words=said + BY_HAND * made)

    return _explore_steps(draw, steps, sources)


def _explore_steps(draw, steps, sources):
    """Make the explorer; its slider shows steps, not their places."""
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
            f"maps must hold maps for each of {count} steps, got {len(maps)}"
        )
    return [
        _maps(f"maps[{i}]", some, sources, targets)
        for i, some in enumerate(maps)
    ]


def _true(alignments, sources, targets):
    """Return a boolean map (n_q, n_k) for each alignment."""
    alignments = _for_each_word("alignments", alignments, targets, "a set")
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
    """Refuse what is no set of positions; an empty set is one."""
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
    check_weights("scores", scores)
    return scores


def _curve(steps, scores, at):
    return fr.curve(
        "largest weight on a true source word",
        [("", steps, scores)],
        x=(steps[0], max(steps[-1], steps[0] + 1)),
        y=(0, 1),
        name="steps of training",
        dot=(steps[at], scores[at]),
    )


def _training_words(rows, marked, step, source):
    """Say how many words of this sentence look at a true source word."""
    found = marked[np.arange(len(rows)), rows.argmax(axis=1)].sum()
    even = np.ptp(rows) < 1e-9
    said = f"After {step} steps, for {escape(source)}: "
    if even:
        return said + "all weights are equal, the model looks nowhere."
    return said + (
        f"the largest weight of {found} of {len(rows)} words is on a true "
        "source word (with a frame)."
    )
