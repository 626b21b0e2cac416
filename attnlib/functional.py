"""Functions with gradients: what the models of the course are made of.

They take arrays and return an array. If one of the arguments is a
`attnlib.autograd.Tensor`, the result is one too. The values come from the
same functions as everywhere in this package, so that training and inference
are one piece of code. Chapter: cross-attention.
"""

import math

import numpy as np

from attnlib import ops
from attnlib._validate import (
    as_ids,
    as_mask,
    as_rng,
    as_share,
    as_size,
    shapes_of,
)
from attnlib.attention import mix, scaled_dot_product_attention
from attnlib.autograd import result, values
from attnlib.masks import visible
from attnlib.multihead import merge_heads, split_heads

__all__ = [
    "add",
    "attend",
    "dropout",
    "embed",
    "gelu",
    "layer_norm",
    "linear",
    "split",
]


def add(a, b):
    """Add two arrays, with broadcasting: a residual connection.

    Shapes: a (..., d), b (..., d) -> (..., d)

    Parameters
    ----------
    a, b : Tensor or array_like
        What is added.

    Examples
    --------
    >>> add([1.0, 2.0], 10.0)
    array([11., 12.])
    """
    x, y = values(a=a, b=b)
    try:
        total = x + y
    except ValueError:
        raise ValueError(
            "a and b must broadcast to one shape, got " + shapes_of(a=x, b=y)
        ) from None
    # A copy, so that changing one gradient does not change the other.
    return result(total, (a, b), lambda g: (g, g.copy()))


def split(x, parts):
    """Cut the last axis into equal parts: undo a fused projection.

    Shapes: x (..., parts*d), parts -> parts times (..., d)

    Parameters
    ----------
    x : Tensor or array_like
        The results of several projections, side by side.
    parts : int
        How many there are; it must divide the width.

    Examples
    --------
    >>> split([1.0, 2.0, 3.0, 4.0], 2)
    [array([1., 2.]), array([3., 4.])]
    """
    (value,), parts = values(x=x), as_size("parts", parts)
    if value.ndim < 1 or value.shape[-1] % parts:
        raise ValueError(
            f"parts must divide the width of x, got {parts} parts of a "
            f"shape {value.shape}"
        )
    width = value.shape[-1] // parts
    # The parts write their gradients side by side into that of the whole.
    whole = result(value, (x,), lambda g: (g,))

    def piece(i):
        columns = np.s_[..., i * width : (i + 1) * width]

        def pull(g):
            if whole.grad is None:
                whole.grad = np.zeros_like(value)
            whole.grad[columns] = g
            return (None,)

        return result(value[columns], (whole,), pull)

    return [piece(i) for i in range(parts)]


def linear(x, w, b=None):
    """Multiply by a matrix and add a bias, as `attnlib.linear` does.

    Shapes: x (..., n, d_in), w (d_in, d_out), b (d_out) -> (..., n, d_out)

    Parameters
    ----------
    x, w, b : Tensor or array_like
        One row for each token, the weights and, if there is one, the bias.

    Examples
    --------
    >>> from attnlib.autograd import Tensor
    >>> w = Tensor([[1.0, 0.0], [0.0, 3.0]])
    >>> linear([[1.0, 2.0]], w).value
    array([[1., 6.]])
    """
    a, m = values(x=x, w=w)
    y = ops.linear(a, m, b if b is None else values(b=b)[0])

    def pull(g):
        flat = _rows(g)
        inner = (flat @ m.T).reshape(a.shape)
        return inner, _rows(a).T @ flat, None if b is None else _total(flat)

    return result(y, (x, w, b), pull)


def embed(table, ids):
    """Look up one row of a table for each token.

    Shapes: table (vocabulary, d), ids (..., n) -> (..., n, d)

    Parameters
    ----------
    table : Tensor or array_like
        The embeddings.
    ids : array_like of int
        The tokens, numbers of rows from 0.

    Examples
    --------
    >>> embed([[1.0, 2.0], [3.0, 4.0]], [1, 1, 0])
    array([[3., 4.],
           [3., 4.],
           [1., 2.]])
    """
    (rows,) = values(table=table)
    if rows.ndim != 2:
        raise ValueError(
            f"table must have shape (vocabulary, d), got {rows.shape}"
        )
    ids = as_ids("ids", ids, len(rows))

    def pull(g):
        # One-hot rows add up what each token got, faster than np.add.at.
        tokens = np.arange(len(rows))[:, None] == ids.ravel()
        return (tokens.astype(g.dtype) @ _rows(g),)

    return result(rows[ids], (table,), pull)


def layer_norm(x, gain, bias):
    """Normalise each row, as `attnlib.layer_norm` does.

    Shapes: x (..., d), gain (d), bias (d) -> (..., d)

    Parameters
    ----------
    x, gain, bias : Tensor or array_like
        One row for each token, and two entries for each column.

    Examples
    --------
    >>> layer_norm([1.0, 3.0], [1.0, 1.0], [5.0, 5.0]).round(3)
    array([4., 6.])
    """
    a, scale, shift = values(x=x, gain=gain, bias=bias)
    y = ops.layer_norm(a, scale, shift)

    def pull(g):
        normal, spread = ops.normalise(a)
        h = g * scale
        # Moving a row, or stretching it, changes nothing: take both out.
        moved = h.mean(axis=-1, keepdims=True)
        stretched = (h * normal).mean(axis=-1, keepdims=True)
        inner = (h - moved - normal * stretched) / spread
        return inner, _total(g * normal), _total(g)

    return result(y, (x, gain, bias), pull)


def gelu(x):
    """Hold small numbers back, as `attnlib.gelu` does.

    Shapes: x (..., d) -> (..., d)

    Parameters
    ----------
    x : Tensor or array_like
        Real numbers.

    Examples
    --------
    >>> from attnlib.autograd import Tensor
    >>> x = Tensor([-20.0, 0.0, 20.0])
    >>> gelu(x).backward()
    >>> x.grad
    array([0. , 0.5, 1. ])
    """
    (a,) = values(x=x)
    y = ops.gelu(a)

    def pull(g):
        small = np.clip(a, -10, 10)  # as in ops: beyond, the tanh is flat
        c, square = math.sqrt(2 / math.pi), small * small
        t = np.tanh(small * (c + c * 0.044715 * square))
        slope = c + 3 * c * 0.044715 * square
        # y = a (1 + t) / 2, so the slope of y is (1 + t) / 2 + y (1 - t) t'.
        return (g * (0.5 + 0.5 * t + y * (1 - t) * slope),)

    return result(y, (x,), pull)


def dropout(x, rate, rng):
    """Set a share of the numbers to 0 and make up for it in the others.

    Shapes: x (..., d) -> (..., d)

    Parameters
    ----------
    x : Tensor or array_like
        Real numbers.
    rate : float
        The share, from 0 to below 1; what stays is divided by 1 - `rate`.
    rng : numpy.random.Generator, int or None
        Where the random numbers come from. Without it nothing is dropped,
        as when a model is used.

    Examples
    --------
    >>> dropout(np.ones(6), 0.5, rng=0)
    array([2., 2., 2., 0., 0., 0.])
    """
    rate = as_share("rate", rate)
    if rng is None or rate == 0:
        return x
    (a,) = values(x=x)
    kept = as_rng(rng).random(a.shape, np.float32) >= rate
    factor = kept * a.dtype.type(1 / (1 - rate))
    return result(a * factor, (x,), lambda g: (g * factor,))


def attend(q, k, v, num_heads=1, mask=None):
    """Attend with every head; also return the weights, as an array.

    Shapes: q (..., n_q, d_model), k (..., n_k, d_model),
        v (..., n_k, d_model), num_heads
        -> output (..., n_q, d_model), weights (..., num_heads, n_q, n_k)

    The values come from `attnlib.scaled_dot_product_attention`. With the
    weights W and the gradient G of the output, the gradient of the values
    is WᵀG and that of the scores is W ∘ (GVᵀ - r), in which r is, for each
    query, the sum of G ∘ output.

    Parameters
    ----------
    q, k, v : Tensor or array_like
        Queries, keys and values of all heads, side by side.
    num_heads : int
        The number of heads; it must divide the width.
    mask : array_like, optional
        As in `attnlib.scaled_dot_product_attention`.

    Returns
    -------
    output : Tensor or ndarray
        The mixed values of all heads, side by side.
    weights : ndarray
        The maps.

    Examples
    --------
    >>> from attnlib.autograd import Tensor
    >>> q = k = Tensor(10 * np.eye(2))
    >>> output, weights = attend(q, k, [[1.0], [2.0]])
    >>> output.value.round(3)
    array([[1.],
           [2.]])
    """
    arrays = values(q=q, k=k, v=v)
    heads = [split_heads(x, num_heads) for x in arrays]
    output, weights = scaled_dot_product_attention(*heads, mask)

    @np.errstate(all="ignore")  # hidden numbers must not warn
    def pull(g):
        queries, keys, values = heads
        g, seen = split_heads(g, num_heads), as_mask(mask, weights.shape)
        spread = g @ values.swapaxes(-1, -2)
        spread -= np.einsum("...d,...d", g, output)[..., None]
        spread *= weights
        spread *= queries.dtype.type(queries.shape[-1] ** -0.5)
        if seen is not None:  # zero times a hidden NaN would be NaN
            np.copyto(spread, 0, where=~visible(seen))
        back = None if seen is None else seen.swapaxes(-1, -2)
        return (
            merge_heads(mix(spread, keys, seen)),
            merge_heads(mix(spread.swapaxes(-1, -2), queries, back)),
            merge_heads(mix(weights.swapaxes(-1, -2), g, back)),
        )

    return result(merge_heads(output), (q, k, v), pull), weights


def _rows(x):
    """Return (..., d) as a matrix with d columns."""
    return x.reshape(-1, x.shape[-1])


def _total(x):
    """Sum over all axes but the last; a product is the fastest way."""
    rows = _rows(x)
    return np.ones(len(rows), rows.dtype) @ rows
