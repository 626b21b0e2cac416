"""Scaled dot-product attention: the function this course is about."""

import numpy as np

from attnlib import _tiles
from attnlib._validate import (
    as_floats,
    as_mask,
    as_scale,
    batch_shape,
    in_type,
    shapes_of,
)
from attnlib.masks import apply_mask, visible
from attnlib.ops import project, softmax_in_place

__all__ = [
    "scaled_dot_product_attention",
    "self_attention",
    "validate_attention",
]

TILE = 2**19  # scores in a tile: 2 MB of float32, about one core's cache
ROOM = {t: float(np.finfo(t).max) / 4 for t in (np.float32, np.float64)}


def scaled_dot_product_attention(q, k, v, mask=None, *, scale=None):
    """Mix values by how well each query matches each key.

    Shapes: q (..., n_q, d_k), k (..., n_k, d_k), v (..., n_k, d_v)
        -> output (..., n_q, d_v), weights (..., n_q, n_k)

    ``softmax(q @ k.T * scale) @ v``, in which `scale` is ``1 / sqrt(d_k)``.
    A query that may attend to nothing gets zeros. What a mask hides has no
    influence at all, even if it is NaN. Chapter: self-attention.

    Parameters
    ----------
    q, k, v : array_like
        Queries, keys and values. Leading (batch) axes broadcast.
    mask : array_like, optional
        Bool, True where a query may attend; or float, added to the scores.
        Broadcasts to ``(..., n_q, n_k)``.
    scale : float, optional
        The factor on the scores.

    Returns
    -------
    output, weights : ndarray
        In the type of the inputs; float16 is computed in float32.

    Examples
    --------
    >>> q = k = np.eye(2) * 10
    >>> output, weights = scaled_dot_product_attention(q, k, [[1.0], [2.0]])
    >>> output.round(3)
    array([[1.],
           [2.]])
    """
    (q, k, v), result_type = as_floats(q=q, k=k, v=v)
    batch = batch_shape(q=q, k=k, v=v)
    mask = as_mask(mask, (*batch, q.shape[-2], k.shape[-2]))
    scale = as_scale(scale, q.shape[-1])
    return in_type(result_type, *attend(q, k, v, mask, batch, scale))


def attend(q, k, v, mask, batch, scale):
    """Return output and weights for arguments that have been checked."""
    shape = (*batch, q.shape[-2], k.shape[-2])
    if not _are_modest(q, k, v, scale):
        q, k, v, _ = prepare(q, k, v, mask, scale)
    weights = np.empty(shape, q.dtype)
    if weights.size <= TILE:
        return _fill(weights, q, k, v, mask, scale), weights
    q, k, v = broadcast(batch, q, k, v)
    output = np.empty((*shape[:-1], v.shape[-1]), q.dtype)

    def work(rows):
        items = rows[: len(batch)]  # some of the queries, but all their keys
        m = None if mask is None else mask[rows]
        output[rows] = _fill(
            weights[rows], q[rows], k[items], v[items], m, scale
        )

    _tiles.run(work, _tiles.cut(shape[:-1], TILE // shape[-1]))
    return output, weights


def _fill(weights, q, k, v, mask, scale):
    """Write the weights; return the output."""
    with np.errstate(all="ignore"):  # hidden numbers must not warn
        # The scale goes into q, which is smaller than the scores.
        np.matmul(q * scale, k.swapaxes(-1, -2), out=weights)
        apply_mask(weights, mask)
        softmax_in_place(weights)
        return mix(weights, v, mask)


def _are_modest(q, k, v, scale):
    """Say whether all numbers are so small that nothing can overflow.

    Cheap and cautious: no row is longer than the whole array.
    """
    return abs(scale) <= 1e3 and all(np.vdot(x, x) < 1e24 for x in (q, k, v))


def prepare(q, k, v, mask, scale, growth=1.0):
    """Give q, k and v a float type that cannot overflow.

    Also return a bound: no score is larger than the longest query times the
    longest key. A sum of values may become `growth` times as large as they
    are. float32 becomes float64 where it would overflow.
    """
    bound, size = _sizes(q, k, v, scale, growth)
    if size > ROOM[np.float32] and mask is not None:
        # What nobody sees does not count.
        seen = visible(mask).any(axis=-2)[..., None]
        k, v = np.where(seen, k, 0), np.where(seen, v, 0)
        bound, size = _sizes(q, k, v, scale, growth)
    if size > ROOM[np.float64]:
        raise ValueError(
            "the products overflow float64: "
            + shapes_of(q=q, k=k, v=v)
            + f" with rows as long as {longest(q):.1e}, {longest(k):.1e}, "
            f"{longest(v):.1e}"
        )
    dtype = np.float64 if size > ROOM[np.float32] else q.dtype
    return *(x.astype(dtype, copy=False) for x in (q, k, v)), bound


def broadcast(batch, *arrays):
    """Return views of the arrays that all have the same batch axes."""
    return [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in arrays]


def _sizes(q, k, v, scale, growth):
    """Bound the scores, and everything that is computed on the way."""
    q_size, scale = longest(q), abs(scale)
    bound = q_size * longest(k) * scale
    sums = longest(v) * k.shape[-2] * growth
    return bound, max(bound, sums, q_size * scale, scale)


@np.errstate(all="ignore")
def longest(x):
    """Return the largest length (norm) of a row, without NaN and inf."""
    square = np.einsum("...d,...d", x, x).max()
    if 1e-30 < square < np.inf:
        return float(square) ** 0.5
    # The squares left the range of the type, or x is not finite.
    x = np.where(np.isfinite(x), x, 0).astype(np.float64)
    top = float(np.abs(x).max()) or 1.0
    return top * float(np.square(x / top).sum(axis=-1).max()) ** 0.5


def mix(weights, v, mask):
    """Return weights @ v, in which a hidden NaN or inf counts for nothing.

    Zero times NaN is NaN, so the plain product would let it through.
    """
    output = weights @ v
    if mask is None or np.isfinite(output).all():
        return output
    broken = ~np.isfinite(v)
    reached = visible(mask).astype(v.dtype) @ broken.astype(v.dtype) > 0
    return np.where(reached, output, weights @ np.where(broken, 0, v))


def self_attention(x, w_q, w_k, w_v, mask=None):
    """Let the tokens of one sequence attend to each other.

    Shapes: x (..., n, d_model), w_q (d_model, d_k), w_k (d_model, d_k),
        w_v (d_model, d_v) -> output (..., n, d_v), weights (..., n, n)

    Queries, keys and values are three projections of the same `x`.
    Chapter: self-attention.

    Parameters
    ----------
    x : array_like
        One row for each token.
    w_q, w_k, w_v : array_like
        The three projections.
    mask : array_like, optional
        As in `scaled_dot_product_attention`.

    Returns
    -------
    output, weights : ndarray
        As in `scaled_dot_product_attention`.

    Examples
    --------
    >>> x = np.eye(3)
    >>> output, weights = self_attention(x, x, x, x)
    >>> weights.shape
    (3, 3)
    """
    projections = {"w_q": w_q, "w_k": w_k, "w_v": w_v}
    (x, *projections), result_type = as_floats(x=x, **projections)
    for name, w in zip(("w_q", "w_k", "w_v"), projections, strict=True):
        if w.ndim != 2 or w.shape[0] != x.shape[-1]:
            raise ValueError(
                f"x (..., n, d_model) needs {name} with d_model rows, got "
                + shapes_of(x=x, **{name: w})
            )
    w_q, w_k, w_v = projections
    if w_q.shape != w_k.shape:
        raise ValueError(
            "w_q and w_k must have the same width, got "
            + shapes_of(w_q=w_q, w_k=w_k)
        )
    q, k, v = project(x, w_q), project(x, w_k), project(x, w_v)
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    return in_type(result_type, output, weights)


def validate_attention(weights, mask=None):
    """Raise a ValueError that says which property of weights fails.

    Shapes: weights (..., n_q, n_k) -> nothing

    Weights are finite, lie between 0 and 1 and sum to 1 in each row; a
    hidden key has weight 0; a row in which every key is hidden is all 0.

    Parameters
    ----------
    weights : array_like
        What an attention function returned.
    mask : array_like, optional
        The mask it was given.

    Examples
    --------
    >>> validate_attention([[0.5, 0.5]])
    >>> validate_attention([[0.5, 0.6]])
    Traceback (most recent call last):
    ValueError: weights must sum to 1 in each row, but [0] sums to 1.1
    """
    (w,), result_type = as_floats(weights=weights)
    mask = as_mask(mask, w.shape)
    seen = np.ones(w.shape, bool) if mask is None else visible(mask)
    # Rounding changes a sum by a few eps, and what is too small by more.
    kind = np.finfo(result_type)
    tolerance = 16 * float(kind.eps) + w.shape[-1] * kind.smallest_subnormal
    _complain("must be finite", ~np.isfinite(w), "is", w)
    _complain("must not be negative", w < 0, "is", w)
    _complain("must not exceed 1", w > 1 + tolerance, "is", w)
    _complain("must be 0 where the mask hides", ~seen & (w != 0), "is", w)
    total = w.sum(axis=-1, dtype=np.float64)
    off = seen.any(axis=-1) & (abs(total - 1) > tolerance)
    _complain("must sum to 1 in each row", off, "sums to", total)


def _complain(rule, wrong, verb, found):
    """Raise a ValueError about the first place where a rule is broken."""
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0].tolist())
        raise ValueError(
            f"weights {rule}, but [{', '.join(map(str, place))}] {verb} "
            f"{found[place]:.6g}"
        )
