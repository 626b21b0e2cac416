"""The transformer block, and the two models that the course trains.

Parameters are a dict of arrays by name. One piece of code trains a model and
uses it: given arrays it returns arrays, given `attnlib.autograd.Tensor` it
also remembers what the gradients need. Products this small are not worth a
second thread of BLAS; with one, results do not depend on how many there are.
Chapters: cross-attention; the transformer block and a tiny GPT.
"""

from collections import namedtuple

import numpy as np

from attnlib import _tiles
from attnlib import autograd as ag
from attnlib._validate import as_array, as_flag, as_rng, as_share, as_size
from attnlib.cache import KVCache
from attnlib.masks import create_causal_mask, create_padding_mask_from_ids
from attnlib.positions import positional_encoding
from attnlib.toydata import END, PAD, START, encode

__all__ = [
    "TinyGPT",
    "Translation",
    "Translator",
    "block",
    "new_block",
    "norm",
    "post_norm",
    "pre_norm",
    "train",
]

MARKS = [PAD, START, END]  # these words open each vocabulary
PAD_ID, START_ID, END_ID = range(3)


def new_matrix(rng, rows, columns):
    """Return random weights: Glorot and Bengio's uniform distribution."""
    limit = (6 / (rows + columns)) ** 0.5
    return rng.uniform(-limit, limit, (rows, columns)).astype(np.float32)


def new_block(rng, name, d_model, d_ff, *, cross=False):
    """Return the parameters of a new block, by name.

    Shapes: matrices (d_in, d_out), biases (d_out), gains (d_model)

    Parameters
    ----------
    rng : numpy.random.Generator or int
        Where the matrices come from.
    name : str
        What the names begin with.
    d_model, d_ff : int
        The width, and that inside the feed-forward network; with 0 there
        is none.
    cross : bool
        Whether the block has cross-attention.

    Returns
    -------
    dict
        Arrays of float32.

    Examples
    --------
    >>> list(new_block(0, "b", d_model=8, d_ff=0))[:3]
    ['b.self.norm.gain', 'b.self.norm.bias', 'b.self.qkv.W']
    """
    rng, d_model = as_rng(rng), as_size("d_model", d_model)
    shapes = {
        "self": {"qkv": (d_model, 3 * d_model), "out": (d_model, d_model)},
    }
    if as_flag("cross", cross):
        shapes["cross"] = {
            "q": (d_model, d_model),
            "kv": (d_model, 2 * d_model),
            "out": (d_model, d_model),
        }
    if as_size("d_ff", d_ff, 0):
        shapes["feed"] = {"in": (d_model, d_ff), "out": (d_ff, d_model)}
    params = {}
    for part, matrices in shapes.items():
        params |= new_norm(f"{name}.{part}.norm", d_model)
        for matrix, shape in matrices.items():
            params |= new_linear(rng, f"{name}.{part}.{matrix}", *shape)
    return params


def new_linear(rng, name, rows, columns):
    """Return a random matrix and a bias of zeros."""
    bias = np.zeros(columns, np.float32)
    return {f"{name}.W": new_matrix(rng, rows, columns), f"{name}.b": bias}


def new_norm(name, d_model):
    """Return the gain and the bias of a layer norm that changes nothing."""
    gain, bias = np.ones(d_model, np.float32), np.zeros(d_model, np.float32)
    return {f"{name}.gain": gain, f"{name}.bias": bias}


def linear(params, name, x):
    """Multiply by the matrix of this name and add its bias."""
    return ag.linear(x, params[f"{name}.W"], params[f"{name}.b"])


def norm(params, name, x):
    """Normalise the rows with the gain and bias of this name.

    Shapes: x (..., d_model) -> (..., d_model)

    Parameters
    ----------
    params : dict
        Arrays or tensors by name.
    name : str
        The sublayer before which, or after which, the norm stands.
    x : Tensor or array_like
        One row for each token.

    Returns
    -------
    Tensor or ndarray
        As `attnlib.layer_norm` makes them.

    Examples
    --------
    >>> params = {"a.norm.gain": [2.0, 2.0], "a.norm.bias": [0.0, 1.0]}
    >>> norm(params, "a", [[1.0, 3.0]]).round(3)
    array([[-2.,  3.]])
    """
    gain, bias = params[f"{name}.norm.gain"], params[f"{name}.norm.bias"]
    return ag.layer_norm(x, gain, bias)


def pre_norm(params, name, x, sublayer):
    """Add to the residual stream what a sublayer makes of it, normalised.

    Shapes: x (..., n, d_model) -> (..., n, d_model)

    ``x + sublayer(norm(x))``, as in GPT-2.

    Parameters
    ----------
    params, name, x
        As in `norm`.
    sublayer : callable
        Takes and returns one row for each token.

    Returns
    -------
    Tensor or ndarray
        The residual stream after the sublayer.

    Examples
    --------
    >>> params = new_block(0, "b", d_model=2, d_ff=0)
    >>> pre_norm(params, "b.self", [[1.0, 3.0]], lambda h: 10 * h).round(2)
    array([[-9., 13.]])
    """
    return ag.add(x, sublayer(norm(params, name, x)))


def post_norm(params, name, x, sublayer):
    """Normalise the residual stream after each addition.

    Shapes: x (..., n, d_model) -> (..., n, d_model)

    ``norm(x + sublayer(x))``, as in the first transformer.

    Parameters
    ----------
    params, name, x, sublayer
        As in `pre_norm`.

    Returns
    -------
    Tensor or ndarray
        The residual stream after the sublayer.

    Examples
    --------
    >>> params = new_block(0, "b", d_model=2, d_ff=0)
    >>> post_norm(params, "b.self", [[1.0, 3.0]], np.square).round(2)
    array([[-1.,  1.]])
    """
    return norm(params, name, ag.add(x, sublayer(x)))


def block(
    params,
    name,
    x,
    *,
    num_heads,
    mask=None,
    memory=None,
    memory_mask=None,
    cache=None,
    around=pre_norm,
    drop=lambda h: h,
):
    """Run one transformer block; return its output and attention weights.

    Shapes: x (..., n, d_model), memory (..., n_k, d_model)
        -> output (..., n, d_model), weights by name

    Self-attention, cross-attention if there is a `memory`, then the
    feed-forward network if the block has one, each with `around` it.
    Cross-attention always has one head: one map to look at.

    Parameters
    ----------
    params : dict
        Arrays or tensors by name, as `new_block` makes them.
    name : str
        What the names of this block begin with.
    x : Tensor or array_like
        One row for each token.
    num_heads : int
        The heads of self-attention.
    mask, memory_mask : array_like, optional
        What self-attention and cross-attention may see.
    memory : Tensor or array_like, optional
        What cross-attention reads.
    cache : KVCache, optional
        Holds the keys and values of earlier tokens; takes the new ones.
    around : callable
        What stands around each sublayer, such as `pre_norm`.
    drop : callable
        Applied to what each sublayer returns, such as dropout.

    Returns
    -------
    output : Tensor or ndarray
        One row for each token.
    weights : dict
        ``"self"`` (..., num_heads, n, n) and, with a memory, ``"cross"``
        (..., 1, n, n_k).

    Examples
    --------
    >>> params = new_block(0, "b", d_model=8, d_ff=16, cross=True)
    >>> x, memory = np.ones((5, 8)), np.ones((3, 8))
    >>> output, weights = block(params, "b", x, num_heads=2, memory=memory)
    >>> weights["self"].shape, weights["cross"].shape
    ((2, 5, 5), (1, 5, 3))
    """
    if memory is not None and f"{name}.cross.q.W" not in params:
        raise ValueError(
            f"block {name!r} has no cross-attention that could read memory; "
            "make it by new_block(..., cross=True)"
        )
    weights = {}

    def attend_self(h):
        qkv = linear(params, f"{name}.self.qkv", h)
        q, k, v = ag.split(qkv, 3)
        if cache is not None:
            k, v = cache.append(k, v)
        mixed, weights["self"] = ag.attend(q, k, v, num_heads, mask)
        return drop(linear(params, f"{name}.self.out", mixed))

    def attend_cross(h):
        q = linear(params, f"{name}.cross.q", h)
        k, v = ag.split(linear(params, f"{name}.cross.kv", memory), 2)
        mixed, weights["cross"] = ag.attend(q, k, v, 1, memory_mask)
        return drop(linear(params, f"{name}.cross.out", mixed))

    def feed(h):
        inner = ag.gelu(linear(params, f"{name}.feed.in", h))
        return drop(linear(params, f"{name}.feed.out", inner))

    x = around(params, f"{name}.self", x, attend_self)
    if memory is not None:
        x = around(params, f"{name}.cross", x, attend_cross)
    if f"{name}.feed.in.W" in params:
        x = around(params, f"{name}.feed", x, feed)
    return x, weights


def embed(params, name, ids, start=0):
    """Look up the embeddings and add the positions, counted from `start`."""
    rows = ag.embed(params[name], ids)
    n, d_model = rows.shape[-2:]
    places = positional_encoding(start + n, d_model)[start:]
    return ag.add(rows, places.astype(rows.dtype))


def new_table(rng, rows, d_model):
    """Return random embeddings, as large as the positions they meet."""
    return rng.normal(size=(rows, d_model)).astype(np.float32)


def _sizes(d_model, num_heads):
    """Return the width and the number of heads that share it."""
    d_model = as_size("d_model", d_model)
    num_heads = as_size("num_heads", num_heads)
    if d_model % num_heads:
        raise ValueError(
            f"num_heads must divide d_model, got num_heads {num_heads}, "
            f"d_model {d_model}"
        )
    return d_model, num_heads


def _check_words(**vocabularies):
    for name, words in vocabularies.items():
        if list(words[:3]) != MARKS:
            raise ValueError(
                f"{name} must begin with {', '.join(MARKS)}, as "
                f"toydata.vocabulary makes them, got {words[:3]}"
            )


def _as_batch(name, ids):
    """Return the numbers of some sentences as an array (batch, n)."""
    ids = as_array(name, ids)
    if ids.ndim != 2:
        raise ValueError(f"{name} must be (batch, n), got shape {ids.shape}")
    return ids


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
        d_model, self.num_heads = _sizes(d_model, num_heads)
        self.source_words, self.target_words = source_words, target_words
        self.encoder_layers = as_size("encoder_layers", encoder_layers, 0)
        self.dropout = as_share("dropout", dropout)
        self.hide = as_share("hide", hide)
        rng = as_rng(rng)
        self.params = params = {
            "source": new_table(rng, len(source_words), d_model),
            "target": new_table(rng, len(target_words), d_model),
        }
        for i in range(self.encoder_layers):
            params |= new_block(rng, f"encoder{i}", d_model, 2 * d_model)
        params |= new_block(rng, "decoder", d_model, 2 * d_model, cross=True)
        params |= new_norm("out.norm", d_model)
        params |= new_linear(rng, "out", d_model, len(target_words))

    def forward(self, params, source, target, rng=None, visible=None):
        """Return the logits of each next word, and the cross-attention.

        Shapes: source (batch, n_k), target (batch, n_q),
            visible (batch, n_q, n_k)
            -> logits (batch, n_q, words), weights (batch, n_q, n_k)

        With `rng` some numbers are dropped and some places hidden, as in
        training. With `visible` the cross-attention may look only where
        that is True.
        """
        source = _as_batch("source", source)
        target = _as_batch("target", target)
        rng = None if rng is None else as_rng(rng)

        def drop(x):
            return ag.dropout(x, self.dropout, rng)

        seen = create_padding_mask_from_ids(source, PAD_ID)
        common = {"num_heads": self.num_heads, "drop": drop}
        looks = seen if visible is None else seen & visible[:, None]
        if rng is not None and self.hide:
            looks = looks & (rng.random(seen.shape) >= self.hide)
        memory = drop(embed(params, "source", source))
        for i in range(self.encoder_layers):
            name = f"encoder{i}"
            memory, _ = block(params, name, memory, mask=seen, **common)
        x, weights = block(
            params,
            "decoder",
            drop(embed(params, "target", target)),
            mask=create_causal_mask(target.shape[1]),
            memory=memory,
            memory_mask=looks,
            **common,
        )
        logits = linear(params, "out", norm(params, "out", x))
        return logits, weights["cross"][:, 0]

    def loss(self, params, batch, rng=None):
        """Return how surprised the model is by the next words of a batch.

        `batch` holds source and target numbers; the decoder sees each
        target word only when it is to predict the one after it. With `rng`
        some numbers are dropped.
        """
        source, target = batch
        target = _as_batch("target", target)
        logits, _ = self.forward(params, source, target[:, :-1], rng)
        return ag.cross_entropy(logits, target[:, 1:], ignore=PAD_ID)

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
        with _tiles.one_blas_thread():
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
            The source of chance.
        size : int
            How many sentences a batch has.

        Returns
        -------
        callable
        """
        rng, size = as_rng(rng), as_size("size", size)
        pairs = [example[:2] for example in examples]
        if not pairs:
            raise ValueError("examples is empty: there is nothing to draw")
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


class TinyGPT:
    """A small causal language model: embeddings, blocks, logits.

    Parameters
    ----------
    vocabulary : int
        How many tokens there are.
    layers, num_heads, d_model, d_ff : int
        The size; without feed-forward network if `d_ff` is 0.
    around : callable
        What stands around each sublayer, such as `pre_norm`.
    causal : bool
        Whether tokens are kept from seeing later ones.
    rng : numpy.random.Generator or int
        Where the first parameters come from.

    Attributes
    ----------
    params : dict
        The parameters by name.

    Examples
    --------
    >>> model = TinyGPT(10, rng=0)
    >>> model.generate(np.array([[1, 2, 3]]), 4).shape
    (1, 7)
    """

    def __init__(
        self,
        vocabulary,
        *,
        layers=2,
        num_heads=2,
        d_model=64,
        d_ff=128,
        around=pre_norm,
        causal=True,
        rng,
    ):
        vocabulary = as_size("vocabulary", vocabulary)
        d_model, self.num_heads = _sizes(d_model, num_heads)
        self.layers = as_size("layers", layers)
        self.around, self.causal = around, as_flag("causal", causal)
        rng = as_rng(rng)
        self.params = {"tokens": new_table(rng, vocabulary, d_model)}
        for i in range(self.layers):
            self.params |= new_block(rng, f"block{i}", d_model, d_ff)
        self.params |= new_norm("out.norm", d_model)
        self.params |= new_linear(rng, "out", d_model, vocabulary)

    def forward(self, params, ids, caches=None):
        """Return the logits of each next token, and every block's weights.

        Shapes: ids (batch, n) -> logits (batch, n, vocabulary),
            weights layers times (batch, num_heads, n, n)

        With `caches`, one for each block, `ids` continue what they hold.
        """
        if caches is None:
            caches = [None] * self.layers
        elif len(caches) != self.layers:
            raise ValueError(
                f"caches must have one entry for each of {self.layers} "
                f"blocks, got {len(caches)}"
            )
        old = 0 if caches[0] is None else len(caches[0])
        n = _as_batch("ids", ids).shape[1]
        mask = create_causal_mask(n, old + n) if self.causal else None
        x = embed(params, "tokens", ids, old)
        maps = []
        for i, cache in enumerate(caches):
            x, weights = block(
                params,
                f"block{i}",
                x,
                num_heads=self.num_heads,
                mask=mask,
                cache=cache,
                around=self.around,
            )
            maps.append(weights["self"])
        return linear(params, "out", norm(params, "out", x)), maps

    def loss(self, params, batch, rng=None):
        """Return how surprised the model is by the targets of a batch.

        `batch` holds tokens and, for each, the one to predict; -1 stands
        for a token that does not count. There is no dropout, and `rng` is
        there only because `train` hands it to every model.
        """
        ids, targets = batch
        logits, _ = self.forward(params, ids)
        return ag.cross_entropy(logits, targets, ignore=-1)

    def generate(self, ids, count, *, cached=True):
        """Continue sequences, always with the likeliest token.

        Shapes: ids (batch, n) -> (batch, n+count)

        Parameters
        ----------
        ids : array_like of int
            The tokens to continue.
        count : int
            How many tokens to add.
        cached : bool
            Whether keys and values are kept, or computed anew each time.

        Returns
        -------
        ndarray of int
            The given tokens and the new ones.
        """
        count, ids = as_size("count", count, 0), _as_batch("ids", ids)
        if as_flag("cached", cached) and not self.causal:
            raise ValueError(
                "a cache needs a causal model: without the mask, earlier "
                "tokens change with each new one; use cached=False"
            )
        caches = [KVCache() for _ in range(self.layers)] if cached else None
        new = ids
        with _tiles.one_blas_thread():
            for _ in range(count):
                given = new if cached else ids
                logits, _ = self.forward(self.params, given, caches)
                new = logits[:, -1:].argmax(axis=-1)
                ids = np.concatenate([ids, new], axis=1)
        return ids


def train(model, batches, *, steps, peak=5e-3, warmup=50, rng=None):
    """Train a model; yield the loss of each batch, after its step.

    Parameters
    ----------
    model : Translator or TinyGPT
        Its parameters change.
    batches : callable
        ``batches()`` returns the next batch, as ``model.loss`` wants it.
    steps, peak, warmup
        As in `attnlib.autograd.learning_rate`.
    rng : numpy.random.Generator or int, optional
        The source of dropout, for a model that has it; without `rng`
        nothing is dropped.

    Yields
    ------
    float
        The loss of the batch, as it was before the step.

    Examples
    --------
    >>> model = TinyGPT(5, d_model=8, rng=0)
    >>> batch = np.array([[1, 2, 3]]), np.array([[2, 3, 4]])
    >>> first, *_, last = train(model, lambda: batch, steps=20)
    >>> last < first
    True
    """
    adam, rng = ag.Adam(model.params), None if rng is None else as_rng(rng)
    for step in range(as_size("steps", steps)):
        batch = batches()
        with _tiles.one_blas_thread():
            loss, grads = ag.gradients(
                lambda params, batch=batch: model.loss(params, batch, rng),
                model.params,
            )
            rate = ag.learning_rate(
                step, peak=peak, warmup=warmup, steps=steps
            )
            adam.step(grads, rate)
        yield loss
