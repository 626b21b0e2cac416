"""Which Korean sentences the toy translator knows, and why not another."""

import unicodedata
from difflib import SequenceMatcher
from functools import cache

from attnlib.grammar import all_sentences
from coursekit.phrases import later, phrase

__all__ = ["FORM", "grammar", "nearest", "reasons", "words_of"]

FORM = later(
    "I only know the sentences of a toy grammar: who, sometimes when, where "
    "or what (or both), and a verb at the end."
)
MARKS = ".,!?…。，！？“”‘’\"'"


@cache
def grammar():
    """Return all sentences of the grammar with their translations."""
    return {example.source: example.target for example in all_sentences()}


def words_of(sentence):
    """Cut a sentence into words, without punctuation.

    Some keyboards and files write Hangul letter by letter; put the letters
    of each syllable together.

    >>> words_of("나는 학교에 간다.")
    ('나는', '학교에', '간다')
    """
    text = unicodedata.normalize("NFC", sentence)
    return tuple(w for w in (x.strip(MARKS) for x in text.split()) if w)


def nearest(words):
    """Return the sentence of the grammar that is most like these words.

    Return None if less than half of the words could stay.
    """
    given = set(words)

    def changes(sentence):
        kept = len(given.intersection(sentence))
        return max(len(words), len(sentence)) - kept

    counts = {sentence: changes(sentence) for sentence in grammar()}
    fewest = min(counts.values())
    if fewest > len(words) / 2:
        return None
    matcher = SequenceMatcher(b=" ".join(words), autojunk=False)

    def likeness(sentence):
        matcher.set_seq1(" ".join(sentence))
        return matcher.ratio()

    best = [sentence for sentence, n in counts.items() if n == fewest]
    return max(best, key=likeness)


def reasons(words, known):
    """Say why a sentence is not translated, and what would be.

    >>> reasons(["나는", "바나나를", "먹는다"], ["나는", "먹는다"])[0]
    "Not translated: I don't know 바나나를."
    """
    unknown = [word for word in words if word not in known]
    if unknown:
        reason = phrase(
            "Not translated: I don't know {words}.", words=", ".join(unknown)
        )
    else:
        reason = phrase(
            "Not translated: I know these words, but not this sentence."
        )
    similar = nearest(words)
    if similar is None:
        return [reason]
    hint = phrase(
        "The most similar sentence I know: {sentence}",
        sentence=" ".join(similar),
    )
    return [reason, hint]
