"""Small tasks with known answers: words as numbers, maps, repetitions.

The sentences of the toy translator come from `attnlib.grammar`; here they
become numbers, and its maps are compared with the truth.
"""

import numpy as np

from attnlib._validate import as_rng, as_size

__all__ = [
    "alignment_accuracy",
    "encode",
    "repeated_sequences",
    "vocabulary",
]

PAD, START, END = "<pad>", "<start>", "<end>"


def vocabulary(sentences):
    """Return the words of some sentences, with three marks before them.

    Parameters
    ----------
    sentences : iterable of sequences of str
        The words.

    Returns
    -------
    list of str
        ``<pad>``, ``<start>``, ``<end>``, then the words in order.

    Examples
    --------
    >>> vocabulary([["b", "a"], ["b"]])
    ['<pad>', '<start>', '<end>', 'a', 'b']
    """
    marks = [PAD, START, END]
    return marks + sorted({word for words in sentences for word in words})


def encode(sentences, words, *, marks=False):
    """Turn words into numbers, padded to one length.

    Shapes: sentences (batch) -> ids (batch, n)

    Parameters
    ----------
    sentences : sequence of sequences of str
        The words of each sentence.
    words : list of str
        The vocabulary; a word's number is its place.
    marks : bool
        Whether ``<start>`` and ``<end>`` are put around each sentence.

    Returns
    -------
    ndarray of int
        Padded with 0, which is ``<pad>``.

    Examples
    --------
    >>> words = ["<pad>", "<start>", "<end>", "a", "b"]
    >>> encode([["b", "a"], ["b"]], words, marks=True)
    array([[1, 4, 3, 2],
           [1, 4, 2, 0]])
    """
    sentences = _as_sentences(sentences)
    number = {word: i for i, word in enumerate(words)}
    known = set(words) - {PAD, START, END}
    unknown = {w for sentence in sentences for w in sentence} - known
    if unknown:
        raise ValueError(f"not in the vocabulary: {sorted(unknown)}")
    rows = [
        [START, *sentence, END] if marks else sentence
        for sentence in sentences
    ]
    ids = np.zeros((len(rows), max(map(len, rows))), int)
    for row, sentence in zip(ids, rows, strict=True):
        row[: len(sentence)] = [number[word] for word in sentence]
    return ids


def _as_sentences(sentences):
    """Return a list of lists of words, none of them empty."""
    sentences = list(sentences)
    if not sentences:
        raise ValueError("sentences is empty: it must hold at least one")
    for i, sentence in enumerate(sentences):
        if isinstance(sentence, str):
            raise TypeError(
                f"sentences[{i}] must be a list of words, got the string "
                f"{sentence!r}; use .split()"
            )
        if not len(sentence):
            raise ValueError(f"sentences[{i}] has no words")
    return sentences


def alignment_accuracy(maps, alignments):
    """Return the share of words whose largest weight is on a true source.

    Shapes: maps sentences times (n_q, n_k) -> ()

    Parameters
    ----------
    maps : sequence of ndarray
        Weights of each target word over the source words.
    alignments : sequence
        The true alignment of each sentence, as in `Example`.

    Examples
    --------
    >>> maps = [np.array([[0.9, 0.1], [0.8, 0.2]])]
    >>> alignment_accuracy(maps, [[{0}, {1}]])
    0.5
    """
    rows = [len(weights) for weights in maps]
    words = [len(alignment) for alignment in alignments]
    if rows != words or not sum(rows):
        raise ValueError(
            "maps must have a row for each word of alignments, and at least "
            f"one; got rows {rows} for words {words}"
        )
    found = [
        int(row.argmax()) in origin
        for weights, alignment in zip(maps, alignments, strict=True)
        for row, origin in zip(weights, alignment, strict=True)
    ]
    return sum(found) / len(found)


def repeated_sequences(rng, batch, length, *, vocabulary=32):
    """Return random sequences, each followed by itself once more.

    Shapes: -> ids (batch, 2*length)

    The first half is random and cannot be predicted. The second half repeats
    it, so a model that looks back can predict all of it. No token occurs
    twice in a half, so that one look back is enough.

    Parameters
    ----------
    rng : numpy.random.Generator or int
        Where the random numbers come from.
    batch, length, vocabulary : int
        How many sequences, the length of a half, how many tokens there are.

    Returns
    -------
    ndarray of int
        Tokens from 0 to ``vocabulary - 1``.

    Examples
    --------
    >>> repeated_sequences(0, 1, 3, vocabulary=5)
    array([[2, 4, 3, 2, 4, 3]])
    """
    batch, length = as_size("batch", batch), as_size("length", length)
    if length > vocabulary:
        raise ValueError(
            f"length must be at most vocabulary = {vocabulary}, got {length}"
        )
    rng = as_rng(rng)
    tokens = np.tile(np.arange(vocabulary), (batch, 1))
    half = rng.permuted(tokens, axis=1)[:, :length]
    return np.concatenate([half, half], axis=1)
