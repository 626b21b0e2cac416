"""Masks: which keys a query may look at, and what that does to the weights."""

import numpy as np

import coursekit.explorers.frames as fr
from attnlib.attention import scaled_dot_product_attention
from attnlib.masks import (
    create_causal_mask,
    create_padding_mask,
    create_window_mask,
)
from coursekit.explorers.arguments import matrices, names_of
from coursekit.explorers.examples import MOUSE
from coursekit.explorers.panel import explore
from coursekit.phrases import later, phrase

__all__ = ["explore_masks"]

KINDS = {
    later("none"): later("nothing is hidden"),
    later("causal"): later("no word sees a later one"),
    later("padding"): later("no word sees the padding"),
    later("causal and padding"): later(
        "no word sees a later one or the padding"
    ),
    later("window"): later(
        "each word sees itself and the words just before it"
    ),
    later("window and padding"): later(
        "each word sees itself and the words just before it, but not the "
        "padding"
    ),
}


def explore_masks(scores=None, tokens=None):
    """Apply a mask to scores and see the weights, and rows left empty.

    Shapes: scores (n, n)

    What a mask hides gets no weight; a row in which everything is hidden
    becomes all zeros. Chapter: self-attention.

    Parameters
    ----------
    scores : array_like, optional
        The scores that go into the softmax, for at most 8 words.
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
            tokens = MOUSE
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
        mask={phrase(kind): kind for kind in KINDS},
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

    return [
        fr.heat(
            phrase("scores"),
            scores,
            words,
            _say_score,
            signed=True,
            tight=True,
        ),
        fr.heat(
            phrase("mask"),
            seen * 1.0,
            words,
            _say_seen,
            digits=0,
            tight=True,
        ),
        fr.heat(
            phrase("weights"),
            weights,
            words,
            _say_weight,
            hidden=~seen,
            tight=True,
        ),
    ]


def _say_score(query, key, score):
    return phrase(
        "{query} and {key} score {score}", query=query, key=key, score=score
    )


def _say_seen(query, key, seen):
    if seen == "1":
        return phrase("{query} may look at {key}", query=query, key=key)
    return phrase("{query} may not look at {key}", query=query, key=key)


def _say_weight(query, key, weight):
    return phrase(
        "{query} looks at {key}: {weight}", query=query, key=key, weight=weight
    )


def _mask_words(kind, real_words, window, seen, words):
    """Say what a mask does, and which rows it leaves empty."""
    said = [
        phrase(
            "Mask “{kind}”: {what}.",
            kind=phrase(kind),
            what=phrase(KINDS[kind]),
        )
    ]
    if "padding" in kind:
        said.append(
            phrase(
                "Real words: {count} of {total}.",
                count=real_words,
                total=len(words),
            )
        )
    if "window" in kind:
        said.append(phrase("Window: {width}.", width=window))
    return " ".join([*said, *_unused(kind), _empty(seen)])


def _unused(kind):
    """Say which sliders change nothing."""
    unused = [
        phrase(name)
        for name, part in [("real words", "padding"), ("window", "window")]
        if part not in kind
    ]
    if len(unused) == 1:
        yield phrase("This mask does not use “{slider}”.", slider=unused[0])
    elif unused:
        yield phrase(
            "This mask does not use “{slider}” and “{other}”.",
            slider=unused[0],
            other=unused[1],
        )


def _empty(seen):
    """Say which rows have nothing to look at."""
    rows = [str(i) for i in np.flatnonzero(~seen.any(axis=1)) + 1]
    if not rows:
        return phrase("Every row adds up to 1.")
    if len(rows) == 1:
        return phrase(
            "<b>1 row is empty</b> (row {row}): nothing is left to look at, "
            "so all weights are 0.",
            row=rows[0],
        )
    return phrase(
        "<b>{count} rows are empty</b> (rows {rows}): nothing is left to look "
        "at, so all weights are 0.",
        count=len(rows),
        rows=", ".join(rows),
    )
