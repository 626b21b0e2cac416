"""The playground: words that a reader typed, and where a model looks.

Each function says first which weights these are and which of the words they
do not know; then it shows the map of the others.
"""

from functools import cache
from html import escape

import numpy as np

import attnlib as al
from attnlib.toydata import START, encode
from attnlib.transformer import block, embed
from attnlib.translator import Translator
from coursekit import translating
from coursekit.explorers import (
    Explorer,
    explore,
    explore_translation,
    frames,
)
from coursekit.page.display import HTML, display
from coursekit.page.figures import LARGEST_WEIGHT
from coursekit.page.outputs import send
from coursekit.phrases import later, phrase
from coursekit.sentences import FORM, grammar, reasons, words_of

__all__ = ["by_hand", "by_role", "in_english", "in_korean", "translate"]

MOST = 12  # words that a phone can show as a map
LARGEST_ELSEWHERE = later(
    "The largest weight on another word is {weight}, from “{query}” to "
    "“{key}”."
)

# Chapter 2: what a word is, in the columns of its embeddings.
ARTICLE, NOUN, VERB, ALIVE = np.eye(4)
KINDS = {
    "the": ARTICLE,
    "a": ARTICLE,
    "cat": NOUN + ALIVE,
    "dog": NOUN + ALIVE,
    "mouse": NOUN + ALIVE,
    "house": NOUN,
    "mat": NOUN,
    "sat": VERB,
    "saw": VERB,
    "slept": VERB,
    "caught": VERB,
}
# ... and what it looks for: the row is what a word is.
W_Q = np.array([[0.0, 4, 0, 0], [2, 0, 2, 0], [0, 2, 2, 2], [0, 0, 0, 0]])

# Chapter 3: what `train(2, seed)` learned, a row of scores for each head.
ROLES = ["agent", "verb", "patient", "other"]
LEARNED = {
    3: [[-1.05, -0.76, 3.28, -0.79], [1.25, -2.5, 0.87, -2.54]],
    5: [[3.03, -1.16, -0.93, -1.29], [-0.57, -1.56, 2.46, -2.94]],
}


def by_hand(sentence):
    """Show where words look with the weights of chapter 2."""
    words = _known(
        sentence,
        KINDS,
        phrase("These weights are from chapter 2: made by hand, not learned."),
    )
    if words:
        x = np.array([KINDS[word] for word in words])
        _, weights = al.self_attention(x, W_Q, np.eye(4), np.eye(4))
        _show([weights], words)


def by_role(sentence):
    """Show what the trained heads of chapter 3 take from four words."""
    words = words_of(sentence)
    if len(words) != len(ROLES):
        return _say(
            phrase(
                "The heads of chapter 3 know sentences of four words: agent, "
                "verb, patient, other. You typed {count}.",
                count=len(words),
            )
        )
    _say(
        phrase(
            "These weights were learned in chapter 3, by two heads from each "
            "of two random starts. They depend on a word's role, here its "
            "place, and on nothing else: no word is unknown."
        )
    )
    names = [
        phrase("start {seed}, head {head}", seed=seed, head=head)
        for seed in LEARNED
        for head in range(2)
    ]
    return _show(
        [al.softmax(np.concatenate([*LEARNED.values()]))], names, words
    )


def in_korean(sentence, model):
    """Show the encoder's self-attention in the mixer of chapter 5."""
    mixer = _load(model)
    words = _known(
        sentence,
        mixer.source_words[3:],
        phrase(
            "These weights were learned in chapter 5: the four heads of the "
            "mixer's encoder."
        ),
    )
    if words:
        x = embed(mixer.params, "source", encode([words], mixer.source_words))
        _, weights = block(mixer.params, "encoder0", x, num_heads=4)
        _show(weights["self"][0], words)


def in_english(sentence, model):
    """Show the decoder's self-attention in the reader of chapter 5."""
    reader = _load(model)
    words = _known(
        sentence,
        reader.target_words[3:],
        phrase(
            "These weights were learned in chapter 5: the four heads of the "
            "reader's decoder, in which no word sees a later one."
        ),
    )
    if words:
        ids = encode([words], reader.target_words, marks=True)[:, :-1]
        x, mask = embed(reader.params, "target", ids), np.tri(ids.size) > 0
        _, weights = block(reader.params, "decoder", x, num_heads=4, mask=mask)
        _show(weights["self"][0], (START, *words), hidden=~mask)


def translate(sentence, model):
    """Translate a Korean sentence, or say why it is not translated."""
    reader, words = _load(model), words_of(sentence)
    if not words:
        return _say(phrase("There are no words to translate."))
    if words not in grammar():
        lines = [*reasons(words, reader.source_words[3:]), phrase(FORM)]
        return _say("\n".join(lines))
    (found,) = reader.translate([words])
    lines = [f"{' '.join(words)} → {' '.join(found.words)}"]
    if found.words != grammar()[words]:
        right = " ".join(grammar()[words])
        lines.append(phrase("That is wrong. It means: {right}", right=right))
    _say("\n".join(lines))
    return _written(words, *translating.follow(reader, words))


def _written(source, target, weights, likely):
    """Return the explorer of one translation, whole at first."""
    panel = explore_translation([source], [target], [weights], [likely])
    steps = panel.controls["word"]
    steps.index = len(target) - 1
    pictures = {(step,): html for (_, step), html in panel.frames.items()}
    return Explorer({"word": steps}, pictures)


@cache
def _load(path):
    """Return a translator; its numbers were stored with half the digits."""
    model = Translator.load(path)
    model.params = {
        name: array.astype(np.float32) for name, array in model.params.items()
    }
    return model


def _say(text):
    """Show a text that is also read aloud."""
    send(kind="report", status="said", text=text)


def _known(sentence, known, about):
    """Return the words that are known; say what they are and name the rest.

    A word may begin with a capital letter that the model does not know.
    """
    words = words_of(sentence.replace("’", "'"))
    found = [
        next((form for form in (w, w.lower()) if form in known), None)
        for w in words
    ]
    kept = tuple(form for form in found if form)
    lines = [about]
    if unknown := [
        w for w, form in zip(words, found, strict=True) if not form
    ]:
        names = ", ".join(unknown)
        lines.append(phrase("Not known, and left out: {words}.", words=names))
    if len(kept) > MOST:
        lines.append(
            phrase("Only the first {count} words are shown.", count=MOST)
        )
    if not kept:
        lines.append(
            phrase(
                "It knows {count} words: {words}.",
                count=len(known),
                words=", ".join(known),
            )
        )
    _say("\n".join(lines))
    return kept[:MOST]


def _look(query, key, weight):
    """Say what one cell of a map holds."""
    return phrase(
        "{query} looks at {key}: {weight}", query=query, key=key, weight=weight
    )


def _show(maps, rows, columns=None, hidden=None):
    """Show a map, or one of several heads, which the reader chooses."""
    columns = rows if columns is None else columns

    def draw(head):
        weights = np.asarray(maps[head], float)
        # That a word looks at itself is no news.
        others = weights * (1 - np.eye(*weights.shape) * (columns is rows))
        i, j = np.unravel_index(others.argmax(), others.shape)
        said = phrase(
            LARGEST_ELSEWHERE if columns is rows else LARGEST_WEIGHT,
            weight=f"{others[i, j]:.2f}",
            query=rows[i],
            key=columns[j],
        )
        table = frames.heat(
            phrase("head {head}", head=head)
            if len(maps) > 1
            else phrase("weights"),
            weights,
            list(rows),
            _look,
            columns=list(columns),
            hidden=hidden,
            digits=1 if len(columns) > 6 else 2,
            tight=len(columns) > 6,
        )
        return frames.figure(table, words=escape(said))

    if len(maps) > 1:
        names = {str(i): i for i in range(len(maps))}
        return display(explore(draw, head=names))
    return display(HTML(f"<div class=al-explorer>{draw(0)}</div>"))
