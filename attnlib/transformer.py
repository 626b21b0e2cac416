"""The transformer block, and the parts that models share.

Parameters are a dict of arrays by name. One piece of code trains a model and
uses it: given arrays it returns arrays, given `attnlib.autograd.Tensor` it
also remembers what the gradients need. Chapters: cross-attention; the
transformer block and a tiny GPT.
"""

import numpy as np

from attnlib import functional as fn
from attnlib._validate import as_array, as_flag, as_rng, as_size
from attnlib.cache import rolled_back
from attnlib.positions import positional_encoding

__all__ = ["block", "new_block", "norm", "post_norm", "pre_norm"]


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
    return fn.linear(x, params[f"{name}.W"], params[f"{name}.b"])


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

    Examples
    --------
    >>> params = {"a.norm.gain": [2.0, 2.0], "a.norm.bias": [0.0, 1.0]}
    >>> norm(params, "a", [[1.0, 3.0]]).round(3)
    array([[-2.,  3.]])
    """
    gain, bias = params[f"{name}.norm.gain"], params[f"{name}.norm.bias"]
    return fn.layer_norm(x, gain, bias)


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

    Examples
    --------
    >>> params = new_block(0, "b", d_model=2, d_ff=0)
    >>> pre_norm(params, "b.self", [[1.0, 3.0]], lambda h: 10 * h).round(2)
    array([[-9., 13.]])
    """
    return fn.add(x, sublayer(norm(params, name, x)))


def post_norm(params, name, x, sublayer):
    """Normalise the residual stream after each addition.

    Shapes: x (..., n, d_model) -> (..., n, d_model)

    ``norm(x + sublayer(x))``, as in the first transformer.

    Parameters
    ----------
    params, name, x, sublayer
        As in `pre_norm`.

    Examples
    --------
    >>> params = new_block(0, "b", d_model=2, d_ff=0)
    >>> post_norm(params, "b.self", [[1.0, 3.0]], np.square).round(2)
    array([[-1.,  1.]])
    """
    return norm(params, name, fn.add(x, sublayer(x)))


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
            f"block {name!r} has no cross-attention to read the memory; "
            "make it with new_block(..., cross=True)"
        )
    weights = {}

    def attend_self(h):
        qkv = linear(params, f"{name}.self.qkv", h)
        q, k, v = fn.split(qkv, 3)
        if cache is not None:
            k, v = cache.append(k, v)
        mixed, weights["self"] = fn.attend(q, k, v, num_heads, mask)
        return drop(linear(params, f"{name}.self.out", mixed))

    def attend_cross(h):
        q = linear(params, f"{name}.cross.q", h)
        k, v = fn.split(linear(params, f"{name}.cross.kv", memory), 2)
        mixed, weights["cross"] = fn.attend(q, k, v, 1, memory_mask)
        return drop(linear(params, f"{name}.cross.out", mixed))

    def feed(h):
        inner = fn.gelu(linear(params, f"{name}.feed.in", h))
        return drop(linear(params, f"{name}.feed.out", inner))

    with rolled_back(cache):
        x = around(params, f"{name}.self", x, attend_self)
        if memory is not None:
            x = around(params, f"{name}.cross", x, attend_cross)
        if f"{name}.feed.in.W" in params:
            x = around(params, f"{name}.feed", x, feed)
    return x, weights


def embed(params, name, ids, start=0):
    """Look up the embeddings and add the positions, counted from `start`."""
    rows = fn.embed(params[name], ids)
    n, d_model = rows.shape[-2:]
    places = positional_encoding(start + n, d_model)[start:]
    return fn.add(rows, places.astype(rows.dtype))


def new_table(rng, rows, d_model):
    """Return random embeddings, as large as the positions they meet."""
    return rng.normal(size=(rows, d_model)).astype(np.float32)


def as_sizes(d_model, num_heads):
    """Return the width and the number of heads that share it."""
    d_model = as_size("d_model", d_model)
    num_heads = as_size("num_heads", num_heads)
    if d_model % num_heads:
        raise ValueError(
            f"num_heads must divide d_model, got num_heads {num_heads}, "
            f"d_model {d_model}"
        )
    return d_model, num_heads


def as_batch(name, ids):
    """Return the numbers of some sentences as an array (batch, n)."""
    ids = as_array(name, ids)
    if ids.ndim != 2:
        raise ValueError(f"{name} must be (batch, n), got shape {ids.shape}")
    return ids
