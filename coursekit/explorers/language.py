"""A language model at work: where a head looks, and what comes next."""

from html import escape

import numpy as np

import coursekit.explorers.drawings as dr
import coursekit.explorers.frames as fr
from attnlib._validate import as_floats
from attnlib.ops import softmax
from coursekit.explorers.arguments import (
    check_distributions,
    given,
    menu,
    names_of,
    nothing,
    steps_of,
)
from coursekit.explorers.examples import BY_HAND
from coursekit.explorers.panel import explore
from coursekit.phrases import phrase

__all__ = ["explore_induction"]


def explore_induction(
    maps=None,
    probabilities=None,
    tokens=None,
    *,
    vocabulary=None,
    steps=None,
    heads=None,
):
    """Step through a sequence, and through training, with one head's map.

    Shapes: maps (steps, heads, n, n), probabilities (steps, n, vocabulary)

    Each frame shows where a token looks, what is predicted to come next, and
    whether it does. Without arguments there are two heads such as a trained
    model might have, but made by hand. Chapter: the transformer block and a
    tiny GPT.

    Parameters
    ----------
    maps : array_like, optional
        The weights of each head after several steps of training.
    probabilities : array_like, optional
        The prediction after each token, at the same steps.
    tokens : sequence of str, optional
        The sequence.
    vocabulary : sequence of str, optional
        What can be predicted.
    steps : sequence of int, optional
        The step of training of each map.
    heads : sequence of str, optional
        The name of each head.

    Returns
    -------
    Explorer
        Its controls are the step, the head and the place of the token.

    Examples
    --------
    >>> maps = np.tril(np.ones((1, 1, 3, 3))) / [[1], [2], [3]]
    >>> explore_induction(maps, np.full((1, 3, 2), 0.5), ["a", "b", "a"])
    Explorer(step, head, place: 3 pictures)
    """
    made = nothing(maps, probabilities, tokens, vocabulary, steps, heads)
    if made:
        letters = [*"abcde"]
        maps, probabilities = _by_hand(len(letters))
        tokens, vocabulary = letters * 2, letters
        heads = [
            phrase("layer 0: the token before"),
            phrase("layer 1: what came next"),
        ]
    maps, probabilities = _checked(maps, probabilities)
    count, number_of_heads, n, _ = maps.shape
    words = names_of(tokens, n)
    known = names_of(vocabulary, probabilities.shape[2], "vocabulary")
    names = names_of(heads, number_of_heads, "heads")
    times = _times(steps, count)

    def draw(step, head, place):
        at = times.index(step)
        parts, told = _frame(
            maps[at, head], probabilities[at, place - 1], words, known, place
        )
        shown = phrase(
            "Step {step}, {head}.", step=step, head=escape(names[head])
        )
        said = f"{shown} {told}"
        return fr.figure(*parts, words=said + phrase(BY_HAND) * made)

    return explore(
        draw,
        {"step": times[-1], "head": number_of_heads - 1, "place": n // 2 + 1},
        step=times,
        head=menu(names),
        place=range(1, n + 1),
    )


def _times(steps, count):
    """Return the step of each map; they are counted if none are given."""
    times = steps_of(range(count) if steps is None else steps)
    if len(times) != count:
        raise ValueError(
            f"steps must hold one step for each of {count} maps, got "
            f"{len(times)}"
        )
    return times


def _frame(weights, chances, words, known, place):
    """Return what is drawn for one place, and what is said about it."""
    i = place - 1
    parts = [
        _sequence(weights[i], words, i),
        _thumbnail(weights, i),
        _likeliest(chances, known),
    ]
    looks = _look_words(weights[i], words, i)
    return parts, f"{looks} {_next_words(chances, known, words, i)}"


def _checked(maps, probabilities):
    """Return both arrays as float64, which must match."""
    clean, _ = as_floats(
        maps=given("maps", maps),
        probabilities=given("probabilities", probabilities),
    )
    maps, probabilities = (x.astype(np.float64) for x in clean)
    right = maps.ndim == 4 and maps.shape[2] == maps.shape[3]
    right = right and probabilities.ndim == 3
    if not right or maps.shape[::2] != probabilities.shape[:2]:
        raise ValueError(
            "maps must be (steps, heads, n, n) and probabilities (steps, n, "
            f"vocabulary), got maps {maps.shape}, probabilities "
            f"{probabilities.shape}"
        )
    check_distributions("maps", maps)
    check_distributions("probabilities", probabilities)
    return maps, probabilities


def _by_hand(length):
    """Return maps and probabilities, from scores that grow from 0 to 8."""
    n = 2 * length
    before, after = np.eye(n, k=-1), np.eye(n, k=1 - length)
    hidden = np.triu(np.full((n, n), -np.inf), k=1)
    maps = np.array(
        [
            [softmax(s * pattern + hidden) for pattern in (before, after)]
            for s in (0, 2, 4, 8)
        ]
    )
    copied = np.tile(np.eye(length), (2, 1))
    return maps, maps[:, 1] @ copied


def _sequence(row, words, i):
    """List the tokens; the more weight one gets, the stronger its tint."""
    tints = [fr.share(w, 1.0) for w in row]
    notes = [fr.number(w) if j <= i else "·" for j, w in enumerate(row)]
    return fr.tokens(words, tints, i, notes)


def _thumbnail(weights, i):
    """Draw a small map, with a frame around the row of a token."""
    n = len(weights)
    return (
        "<div class=al-heads><figure style=width:9rem>"
        f"<b>{phrase('the whole map')}</b>"
        f'<svg viewBox="-.1 -.1 {n + 0.2} {n + 0.2}" aria-hidden=true>'
        f"{dr.squares(weights, 10)}"
        f"<rect class=axis width={n} height={n} stroke-width=.06 />"
        f"<rect class=axis y={i} width={n} height=1 stroke-width=.12 />"
        "</svg></figure></div>"
    )


def _likeliest(chances, known):
    """Draw the three most probable tokens, with bars."""
    best = np.argsort(-chances, kind="stable")[:3]
    bars = fr.bars(chances[best])
    rows = [[escape(known[j]), bar] for j, bar in zip(best, bars, strict=True)]
    head = [phrase("token"), phrase("probability")]
    return fr.table(phrase("what comes next?"), head, rows)


def _look_words(row, words, i):
    """Say where the token looks, and what followed its first copy."""
    top = int(np.argmax(row))
    looks = phrase(
        "“{token}” at place {place} looks most at “{seen}” at place "
        "{seen_place} ({weight}).",
        token=escape(words[i]),
        place=i + 1,
        seen=escape(words[top]),
        seen_place=top + 1,
        weight=fr.number(row[top]),
    )
    if words[i] not in words[:i]:
        return looks
    after = words.index(words[i]) + 1
    follows = phrase(
        "“{token}” has come before; the token that followed it, “{follower}” "
        "at place {place}, gets {weight}.",
        token=escape(words[i]),
        follower=escape(words[after]),
        place=after + 1,
        weight=fr.number(row[after]),
    )
    return f"{looks} {follows}"


def _next_words(chances, known, words, i):
    """Say what is predicted, and whether that comes next."""
    top = int(np.argmax(chances))
    said = {"guess": escape(known[top]), "chance": fr.number(chances[top])}
    if i + 1 == len(words):
        return phrase(
            "The most likely next token is “{guess}”, with probability "
            "<b>{chance}</b>; the sequence ends here.",
            **said,
        )
    if words[i + 1] == known[top]:
        return phrase(
            "The most likely next token is “{guess}”, with probability "
            "<b>{chance}</b>: correct.",
            **said,
        )
    said["follower"] = escape(words[i + 1])
    if words[i + 1] in words[: i + 1]:
        return phrase(
            "The most likely next token is “{guess}”, with probability "
            "<b>{chance}</b>; the token that follows is “{follower}”.",
            **said,
        )
    return phrase(
        "The most likely next token is “{guess}”, with probability "
        "<b>{chance}</b>; the token that follows is “{follower}”, which is "
        "new here, so nothing could predict it.",
        **said,
    )
