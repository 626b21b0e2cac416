"""The toy translator: an encoder and a decoder with one map to look at.

Chapter: cross-attention.
"""

from collections import namedtuple

import numpy as np

from attnlib import _tiles
from attnlib import functional as fn
from attnlib import transformer as tr
from attnlib._validate import as_rng, as_share, as_size
from attnlib.masks import create_causal_mask, create_padding_mask_from_ids
from attnlib.toydata import END, PAD, START, encode
from attnlib.training import cross_entropy

__all__ = ["Translation", "Translator"]

MARKS = [PAD, START, END]  # these words open each vocabulary
PAD_ID, START_ID, END_ID = range(3)

Translation = namedtuple("Translation", "words weights")
Translation.__doc__ = """Words, and the cross-attention map behind them.

``weights[i]`` says which source words were read for word `i`."""


class Translator:
    """An encoder-decoder transformer for short sentences.

    The decoder has one block, and its cross-attention one head, so that
    there is one map to look at. Without encoder blocks that head reads the
    word embeddings themselves.

    Parameters
    ----------
    source_words, target_words : list of str
        The vocabularies, as `attnlib.toydata.vocabulary` makes them.
    encoder_layers : int
        How many blocks mix the source words before they are read.
    d_model, num_heads : int
        The width, and the heads of self-attention.
    dropout : float
        The share of numbers that are set to 0 in training.
    hide : float
        The share of source places that cross-attention may not look at in
        training, so that it does not settle for the first word that helps.
    rng : numpy.random.Generator or int
        Where the first parameters come from.

    Attributes
    ----------
    params : dict
        The parameters by name.

    Examples
    --------
    >>> words = ["<pad>", "<start>", "<end>", "간다", "나는"]
    >>> model = Translator(words, ["<pad>", "<start>", "<end>", "I"], rng=0)
    >>> (translation,) = model.translate([["나는", "간다"]])
    >>> translation.weights.shape[1]
    2
    """

    WORDS = ("source_words", "target_words")
    SIZES = ("encoder_layers", "num_heads", "dropout", "hide")

    def __init__(
        self,
        source_words,
        target_words,
        *,
        encoder_layers=0,
        d_model=64,
        num_heads=4,
        dropout=0.15,
        hide=0.05,
        rng,
    ):
        _check_words(source_words=source_words, target_words=target_words)
        d_model, self.num_heads = tr.as_sizes(d_model, num_heads)
        self.source_words, self.target_words = source_words, target_words
        self.encoder_layers = as_size("encoder_layers", encoder_layers, 0)
        self.dropout = as_share("dropout", dropout)
        self.hide = as_share("hide", hide)
        rng = as_rng(rng)
        self.params = params = {
            "source": tr.new_table(rng, len(source_words), d_model),
            "target": tr.new_table(rng, len(target_words), d_model),
        }
        for i in range(self.encoder_layers):
            params |= tr.new_block(rng, f"encoder{i}", d_model, 2 * d_model)
        params |= tr.new_block(
            rng, "decoder", d_model, 2 * d_model, cross=True
        )
        params |= tr.new_norm("out.norm", d_model)
        params |= tr.new_linear(rng, "out", d_model, len(target_words))

    def forward(self, params, source, target, rng=None, visible=None):
        """Return the logits of each next word, and the cross-attention.

        Shapes: source (batch, n_k), target (batch, n_q),
            visible (batch, n_q, n_k)
            -> logits (batch, n_q, words), weights (batch, n_q, n_k)

        With `rng` some numbers are dropped and some places hidden, as in
        training. With `visible` the cross-attention may look only where
        that is True.
        """
        source = tr.as_batch("source", source)
        target = tr.as_batch("target", target)
        rng = None if rng is None else as_rng(rng)

        def drop(x):
            return fn.dropout(x, self.dropout, rng)

        seen = create_padding_mask_from_ids(source, PAD_ID)
        common = {"num_heads": self.num_heads, "drop": drop}
        looks = seen if visible is None else seen & visible[:, None]
        if rng is not None and self.hide:
            looks = looks & (rng.random(seen.shape) >= self.hide)
        memory = drop(tr.embed(params, "source", source))
        for i in range(self.encoder_layers):
            name = f"encoder{i}"
            memory, _ = tr.block(params, name, memory, mask=seen, **common)
        x, weights = tr.block(
            params,
            "decoder",
            drop(tr.embed(params, "target", target)),
            mask=create_causal_mask(target.shape[1]),
            memory=memory,
            memory_mask=looks,
            **common,
        )
        logits = tr.linear(params, "out", tr.norm(params, "out", x))
        return logits, weights["cross"][:, 0]

    def loss(self, params, batch, rng=None):
        """Return how surprised the model is by the next words of a batch.

        `batch` holds source and target numbers; the decoder sees each
        target word only when it is to predict the one after it. With `rng`
        some numbers are dropped.
        """
        source, target = batch
        target = tr.as_batch("target", target)
        logits, _ = self.forward(params, source, target[:, :-1], rng)
        return cross_entropy(logits, target[:, 1:], ignore=PAD_ID)

    def translate(self, sentences, *, longest=20):
        """Translate sentences word by word, always taking the likeliest.

        Parameters
        ----------
        sentences : sequence of sequences of str
            The source words of each sentence.
        longest : int
            Where to stop if no end comes.

        Returns
        -------
        list of Translation
        """
        sentences, longest = list(sentences), as_size("longest", longest)
        source = encode(sentences, self.source_words)
        target = np.full((len(source), 1), START_ID)
        with _tiles.one_blas_thread:
            while target.shape[1] <= longest and not _ended(target):
                logits, weights = self.forward(self.params, source, target)
                new = logits[:, -1].argmax(axis=-1)
                target = np.column_stack([target, new])
        return [
            self._read(row[1:], maps[:, : len(sentence)])
            for sentence, row, maps in zip(
                sentences, target, weights, strict=True
            )
        ]

    def batches(self, examples, rng, *, size=64):
        """Return a function that draws batches for `train`.

        Parameters
        ----------
        examples : sequence of Example
            What to draw from.
        rng : numpy.random.Generator or int
            Where the random numbers come from.
        size : int
            How many sentences a batch has.

        Returns
        -------
        callable
        """
        rng, size = as_rng(rng), as_size("size", size)
        pairs = [example[:2] for example in examples]
        if not pairs:
            raise ValueError(
                "examples is empty: there is nothing to draw from"
            )
        sources, targets = zip(*pairs, strict=True)
        source = encode(sources, self.source_words)
        target = encode(targets, self.target_words, marks=True)

        def draw():
            rows = rng.integers(len(source), size=size)
            return _trim(source[rows]), _trim(target[rows])

        return draw

    def save(self, path):
        """Write words, sizes and parameters to a file, as .npz."""
        sizes = {key: getattr(self, key) for key in self.SIZES}
        words = {key: getattr(self, key) for key in self.WORDS}
        with open(path, "wb") as file:
            np.savez(file, **words, **sizes, **self.params)

    @classmethod
    def load(cls, path):
        """Return the translator that `save` wrote to a file."""
        with open(path, "rb") as file:
            try:
                held = dict(np.load(file))
                words = [held.pop(key).tolist() for key in cls.WORDS]
                sizes = {key: held.pop(key).item() for key in cls.SIZES}
                d_model = held["source"].shape[1]
                model = cls(*words, **sizes, d_model=d_model, rng=0)
            except Exception:  # a broken file fails in many ways
                raise ValueError(f"{path} holds no translator") from None
        forms, others = (
            {name: (a.shape, a.dtype.kind) for name, a in arrays.items()}
            for arrays in (held, model.params)
        )
        if forms != others:
            raise ValueError(f"{path} holds a translator of another form")
        model.params = held
        return model

    def _read(self, ids, weights):
        """Cut a row of numbers at its end and turn it into words."""
        ends = np.flatnonzero(ids == END_ID)
        n = ends[0] if len(ends) else len(ids)
        words = tuple(self.target_words[i] for i in ids[:n])
        return Translation(words, weights[:n])


def _ended(target):
    return (target == END_ID).any(axis=1).all()


def _trim(ids):
    """Cut the columns that are padding in every row."""
    return ids[:, (ids != PAD_ID).any(axis=0)]


def _check_words(**vocabularies):
    for name, words in vocabularies.items():
        if list(words[:3]) != MARKS:
            raise ValueError(
                f"{name} must begin with {', '.join(MARKS)}, as "
                f"toydata.vocabulary makes them, got {words[:3]}"
            )
