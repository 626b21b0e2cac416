"""The tiny GPT: a causal language model that trains in seconds.

Chapter: the transformer block and a tiny GPT.
"""

import numpy as np

from attnlib import _tiles
from attnlib import transformer as tr
from attnlib._validate import as_flag, as_rng, as_size
from attnlib.cache import KVCache, rolled_back
from attnlib.masks import create_causal_mask
from attnlib.training import cross_entropy

__all__ = ["TinyGPT"]


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
        around=tr.pre_norm,
        causal=True,
        rng,
    ):
        vocabulary = as_size("vocabulary", vocabulary)
        d_model, self.num_heads = tr.as_sizes(d_model, num_heads)
        self.layers = as_size("layers", layers)
        self.around, self.causal = around, as_flag("causal", causal)
        rng = as_rng(rng)
        self.params = {"tokens": tr.new_table(rng, vocabulary, d_model)}
        for i in range(self.layers):
            self.params |= tr.new_block(rng, f"block{i}", d_model, d_ff)
        self.params |= tr.new_norm("out.norm", d_model)
        self.params |= tr.new_linear(rng, "out", d_model, vocabulary)

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
        n = tr.as_batch("ids", ids).shape[1]
        mask = create_causal_mask(n, old + n) if self.causal else None
        with rolled_back(*caches):
            x, maps = self._blocks(params, ids, caches, mask, old)
            return tr.linear(params, "out", tr.norm(params, "out", x)), maps

    def _blocks(self, params, ids, caches, mask, start):
        """Return the residual stream at the end, and every block's weights."""
        x, maps = tr.embed(params, "tokens", ids, start), []
        for i, cache in enumerate(caches):
            x, weights = tr.block(
                params,
                f"block{i}",
                x,
                num_heads=self.num_heads,
                mask=mask,
                cache=cache,
                around=self.around,
            )
            maps.append(weights["self"])
        return x, maps

    def loss(self, params, batch, rng=None):
        """Return how surprised the model is by the targets of a batch.

        `batch` holds tokens and, for each, the one to predict; -1 stands
        for a token that does not count. There is no dropout, and `rng` is
        there only because `train` hands it to every model.
        """
        ids, targets = batch
        logits, _ = self.forward(params, ids)
        return cross_entropy(logits, targets, ignore=-1)

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
            Whether keys and values are kept, or computed again each time.

        Returns
        -------
        ndarray of int
            The given tokens and the new ones.
        """
        count, ids = as_size("count", count, 0), tr.as_batch("ids", ids)
        if as_flag("cached", cached) and not self.causal:
            raise ValueError(
                "a cache needs a causal model: without the mask, earlier "
                "tokens change with each new one; use cached=False"
            )
        caches = [KVCache() for _ in range(self.layers)] if cached else None
        new = ids
        with _tiles.one_blas_thread:
            for _ in range(count):
                given = new if cached else ids
                logits, _ = self.forward(self.params, given, caches)
                new = logits[:, -1:].argmax(axis=-1)
                ids = np.concatenate([ids, new], axis=1)
        return ids
