"""Heads side by side: each reads whole rows by its own narrow projection."""

import numpy as np

from attnlib._validate import (
    as_dtype,
    as_flag,
    as_floats,
    as_mask,
    as_rng,
    as_scale,
    as_size,
    batch_shape,
    in_type,
    numeric,
    shapes_of,
)
from attnlib.attention import attend
from attnlib.cache import KVCache, rolled_back
from attnlib.ops import project

__all__ = [
    "MultiHeadAttention",
    "grouped_query_attention",
    "merge_heads",
    "split_heads",
]


def split_heads(x, num_heads):
    """Cut the width into heads, and put the heads before the tokens.

    Shapes: x (..., n, num_heads*d_head), num_heads
        -> (..., num_heads, n, d_head)

    Reshape first, then swap: reshaping straight to the final shape would
    mix tokens and heads. The result is a view of `x`.
    Chapter: multi-head attention.

    Parameters
    ----------
    x : array_like
        One row for each token.
    num_heads : int
        The number of heads; it must divide the width.

    Examples
    --------
    >>> split_heads([[1, 2, 3, 4]], 2).tolist()
    [[[1, 2]], [[3, 4]]]
    """
    (x,) = numeric(x=x)
    num_heads = as_size("num_heads", num_heads)
    if x.shape[-1] % num_heads:
        raise ValueError(
            f"x must have shape (..., n, d_model) with d_model divisible by "
            f"num_heads = {num_heads}, got {x.shape}"
        )
    *batch, n, d_model = x.shape
    heads = x.reshape(*batch, n, num_heads, d_model // num_heads)
    return heads.swapaxes(-2, -3)


def merge_heads(x):
    """Put the heads' results next to each other: undo `split_heads`.

    Shapes: x (..., num_heads, n, d_head) -> (..., n, num_heads*d_head)

    Parameters
    ----------
    x : array_like
        One matrix for each head.

    Returns
    -------
    ndarray
        One row for each token; a view of `x` where that is possible.

    Examples
    --------
    >>> merge_heads([[[1, 2]], [[3, 4]]]).tolist()
    [[1, 2, 3, 4]]
    """
    (x,) = numeric(min_ndim=3, x=x)
    *batch, num_heads, n, d_head = x.shape
    return x.swapaxes(-2, -3).reshape(*batch, n, num_heads * d_head)


def grouped_query_attention(q, k, v, mask=None, *, scale=None):
    """Let groups of query heads share one head of keys and values.

    Shapes: q (..., kv_heads*group, n_q, d_k), k (..., kv_heads, n_k, d_k),
        v (..., kv_heads, n_k, d_v) -> output (..., kv_heads*group, n_q, d_v),
        weights (..., kv_heads*group, n_q, n_k)

    Query head ``h`` reads key head ``h // group``. The shared heads are
    broadcast, never copied. One key head for all is multi-query attention;
    as many key heads as query heads is plain multi-head attention.
    Chapter: efficient attention.

    Parameters
    ----------
    q, k, v : array_like
        The number of query heads is a multiple of that of key heads.
    mask, scale
        As in `scaled_dot_product_attention`.

    Returns
    -------
    output, weights : ndarray
        As in `scaled_dot_product_attention`, for every query head.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> q = rng.normal(size=(6, 4, 8))
    >>> k = v = rng.normal(size=(2, 4, 8))
    >>> output, weights = grouped_query_attention(q, k, v)
    >>> output.shape, weights.shape
    ((6, 4, 8), (6, 4, 4))
    """
    (q, k, v), result_type = as_floats(min_ndim=3, q=q, k=k, v=v)
    heads, kv_heads = q.shape[-3], k.shape[-3]
    if heads % kv_heads or v.shape[-3] != kv_heads:
        raise ValueError(
            "k and v need the same number of heads (third-last axis), and it "
            "must divide that of q, got " + shapes_of(q=q, k=k, v=v)
        )
    batch = batch_shape(axes=3, q=q, k=k, v=v)
    scale = as_scale(scale, q.shape[-1])
    mask = as_mask(mask, (*batch, heads, q.shape[-2], k.shape[-2]))
    if heads == kv_heads:
        results = attend(q, k, v, mask, (*batch, heads), scale)
        return in_type(result_type, *results)
    if mask is not None:
        mask = _group(mask, kv_heads)
    q, k, v = _group(q, kv_heads), k[..., None, :, :], v[..., None, :, :]
    groups = (*batch, kv_heads, heads // kv_heads)
    results = attend(q, k, v, mask, groups, scale)
    shaped = (x.reshape(*batch, heads, *x.shape[-2:]) for x in results)
    return in_type(result_type, *shaped)


def _group(x, kv_heads):
    """Split the head axis (..., heads, n, m) into (kv_heads, group)."""
    *batch, heads, n, m = x.shape
    return x.reshape(*batch, kv_heads, heads // kv_heads, n, m)


def _part(store, letter):
    """Make a property: one letter's columns in the array called `store`."""
    name = store[1:] + "_" + letter

    def get(self):
        array = getattr(self, store)
        return None if array is None else array[..., self._columns[letter]]

    def put(self, new):
        old = get(self)
        if old is None:
            raise ValueError(f"{name} does not exist: made with bias=False")
        (new,), _ = as_floats(min_ndim=1, **{name: new})
        if new.shape != old.shape:
            raise ValueError(
                f"{name} must have shape {old.shape}, got {new.shape}"
            )
        old[...] = new

    return property(get, put, doc=f"The part {name} of the projections.")


class MultiHeadAttention:
    """Several attentions in parallel, each with narrow projections of its own.

    Shapes: query (..., n_q, d_model), key (..., n_k, d_model),
        value (..., n_k, d_model) -> output (..., n_q, d_model),
        weights (..., num_heads, n_q, n_k)

    Project to queries, keys and values, split into heads, attend, merge,
    project once more. The projections lie side by side in one matrix, as in
    GPT-2, so that self-attention multiplies once for all three; `W_q`,
    `W_k`, `W_v` and `W_o` are views of it. Chapter: multi-head attention.

    Parameters
    ----------
    d_model : int
        The width of tokens, going in and coming out.
    num_heads : int
        The number of heads; it must divide `d_model`.
    num_kv_heads : int, optional
        Fewer heads for keys and values: grouped queries. It must divide
        `num_heads`.
    bias : bool
        Whether the projections add `b_q`, `b_k`, `b_v` and `b_o`.
    rng : numpy.random.Generator or int, optional
        Where the initial weights come from; without it they differ in every
        run.
    dtype : dtype
        The type of the weights.

    Attributes
    ----------
    W_q, W_o : ndarray
        ``(d_model, d_model)``.
    W_k, W_v : ndarray
        ``(d_model, num_kv_heads * d_head)``.
    b_q, b_k, b_v, b_o : ndarray or None
        One entry for each column of the matrix of the same letter.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> attend = MultiHeadAttention(8, num_heads=2, rng=rng)
    >>> x = rng.normal(size=(5, 8))
    >>> output, weights = attend(x)
    >>> output.shape, weights.shape
    ((5, 8), (2, 5, 5))
    """

    W_q, W_k, W_v, W_o = (_part("_W", letter) for letter in "qkvo")
    b_q, b_k, b_v, b_o = (_part("_b", letter) for letter in "qkvo")

    def __init__(
        self,
        d_model,
        num_heads,
        *,
        num_kv_heads=None,
        bias=False,
        rng=None,
        dtype=np.float32,
    ):
        if num_kv_heads is None:
            num_kv_heads = num_heads
        d_model = self.d_model = as_size("d_model", d_model)
        num_heads = self.num_heads = as_size("num_heads", num_heads)
        num_kv_heads = as_size("num_kv_heads", num_kv_heads)
        self.num_kv_heads = num_kv_heads
        if d_model % num_heads or num_heads % num_kv_heads:
            raise ValueError(
                "num_heads must divide d_model and num_kv_heads must divide "
                f"num_heads, got d_model {d_model}, num_heads {num_heads}, "
                f"num_kv_heads {num_kv_heads}"
            )
        self.d_head = d_model // num_heads
        d_kv = num_kv_heads * self.d_head
        ends = np.cumsum([d_model, d_kv, d_kv, d_model]).tolist()
        starts = [0, *ends[:-1]]
        self._columns = dict(
            zip("qkvo", map(slice, starts, ends), strict=True)
        )
        dtype = as_dtype(dtype)
        self._W = np.empty((d_model, ends[-1]), dtype)
        self._b = np.zeros(ends[-1], dtype) if as_flag("bias", bias) else None
        rng = as_rng(rng)
        for letter in "qkvo":  # Glorot and Bengio: variance 2 / (in + out)
            part = self._W[:, self._columns[letter]]
            limit = (6 / sum(part.shape)) ** 0.5
            part[...] = rng.uniform(-limit, limit, part.shape)

    def __repr__(self):
        return (
            f"MultiHeadAttention(d_model={self.d_model}, "
            f"num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads})"
        )

    def __call__(self, query, key=None, value=None, mask=None, *, cache=None):
        """Attend with every head.

        Parameters
        ----------
        query : array_like
            ``(..., n_q, d_model)``.
        key : array_like, optional
            ``(..., n_k, d_model)``; `query` if not given (self-attention).
        value : array_like, optional
            ``(..., n_k, d_model)``; `key` if not given.
        mask : array_like, optional
            Broadcasts to ``(..., num_heads, n_q, n_k)``.
        cache : KVCache, optional
            Self-attention only: the keys and values of earlier tokens.
            `n_k` then counts them too. Several new tokens at once still
            need a causal mask, ``create_causal_mask(n_q, n_k)``.

        Returns
        -------
        output, weights : ndarray
            ``(..., n_q, d_model)`` and ``(..., num_heads, n_q, n_k)``, in
            the type of the inputs.
        """
        if value is not None and key is None:
            raise ValueError("value was given without key")
        if cache is not None and key is not None:
            raise ValueError("cache is for self-attention: give no key")
        if not isinstance(cache, KVCache | None):
            kind = type(cache).__name__
            raise TypeError(f"cache must be a KVCache, got {kind}")
        given = {"query": query, "key": key, "value": value}
        given = {name: x for name, x in given.items() if x is not None}
        (query, *others), result_type = as_floats(**given)
        given = dict(zip(given, (query, *others), strict=True))
        for name, x in given.items():
            if x.shape[-1] != self.d_model:
                raise ValueError(
                    f"{name} must have width d_model = {self.d_model}, got "
                    f"shape {x.shape}"
                )
        key = given.get("key", query)
        batch_shape(query=query, key=key, value=given.get("value", key))
        q, k, v = self._project_all(query, *others)
        with rolled_back(cache):
            if cache is not None:
                k, v = cache.append(k, v)
            heads, weights = grouped_query_attention(q, k, v, mask)
            (output,) = self._project(merge_heads(heads), "o")
            return in_type(result_type, output, weights)

    def _project_all(self, query, key=None, value=None):
        """Return q, k and v in heads, with as few products as possible."""
        if key is None:
            q, k, v = self._project(query, "qkv")
        elif value is None:
            (q,), (k, v) = self._project(query, "q"), self._project(key, "kv")
        else:
            parts = zip("qkv", (query, key, value), strict=True)
            q, k, v = (self._project(x, letter)[0] for letter, x in parts)
        return (
            split_heads(q, self.num_heads),
            split_heads(k, self.num_kv_heads),
            split_heads(v, self.num_kv_heads),
        )

    def _project(self, x, letters):
        """Multiply once for all the letters; return a part for each."""
        columns = [self._columns[letter] for letter in letters]
        start, stop = columns[0].start, columns[-1].stop
        work_type = np.promote_types(x.dtype, self._W.dtype)
        y = project(x, self._W[:, start:stop].astype(work_type, copy=False))
        if self._b is not None:
            y += self._b[start:stop]
        return [y[..., c.start - start : c.stop - start] for c in columns]
