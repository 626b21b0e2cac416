"""Attention without the n x n matrix: in tiles, or linear."""

import math

import numpy as np

from attnlib import _tiles
from attnlib._validate import (
    as_flag,
    as_floats,
    as_mask,
    as_scale,
    as_size,
    batch_shape,
    in_type,
    shapes_of,
)
from attnlib.attention import ROOM, broadcast, longest, mix, prepare
from attnlib.masks import apply_mask, create_causal_mask

__all__ = ["linear_attention", "memory_efficient_attention"]

BLOCK = 256  # keys in a tile; with four times as many queries 1 MB of scores
SAFE = 40.0  # scores up to this need no maximum: exp(40) is 2e17
CHUNK = 64  # queries in a chunk of causal linear attention


def memory_efficient_attention(
    q, k, v, mask=None, *, causal=False, scale=None, block_size=None
):
    """Compute exact attention tile by tile, never the whole score matrix.

    Shapes: q (..., n_q, d_k), k (..., n_k, d_k), v (..., n_k, d_v)
        -> (..., n_q, d_v)

    The result of `scaled_dot_product_attention` without its weights, in
    memory that grows with n and not with n**2. The softmax runs along: each
    block of keys adds to a total and to an output, which are divided at the
    end. Chapter: efficient attention.

    Parameters
    ----------
    q, k, v, mask, scale
        As in `scaled_dot_product_attention`.
    causal : bool
        Hide the keys after each query, as `create_causal_mask` does, and
        skip the tiles that are hidden altogether.
    block_size : int, optional
        The number of keys in a tile; it has four times as many queries.

    Returns
    -------
    ndarray
        The output, in the type of the inputs.

    Examples
    --------
    >>> q = k = np.eye(2) * 10
    >>> memory_efficient_attention(q, k, [[1.0], [2.0]]).round(3)
    array([[1.],
           [2.]])
    """
    (q, k, v), result_type = as_floats(q=q, k=k, v=v)
    batch = batch_shape(q=q, k=k, v=v)
    n_q, n_k = q.shape[-2], k.shape[-2]
    block = as_size("block_size", BLOCK if block_size is None else block_size)
    mask = as_mask(mask, (*batch, n_q, n_k))
    scale = as_scale(scale, q.shape[-1])
    causal = as_flag("causal", causal)
    q, k, v, bound = prepare(q, k, v, mask, scale, math.exp(SAFE))
    q, k, v = broadcast(batch, q, k, v)
    output = np.empty((*batch, n_q, v.shape[-1]), q.dtype)
    # Small scores need no maximum: neither exp nor the sums can overflow.
    bounded = bound < SAFE and (mask is None or mask.dtype == bool)

    def attend(rows):
        items = rows[: len(batch)]
        # Where the tile's first query stands among the keys.
        first = n_k - n_q + (rows[-1].start if rows[len(batch) :] else 0)
        output[rows] = _stream(
            q[rows] * scale,
            k[items],
            v[items],
            None if mask is None else mask[rows],
            first if causal else n_k,
            block,
            bounded,
        )

    _tiles.run(attend, _tiles.cut((*batch, n_q), 4 * block))
    return in_type(result_type, output)[0]


@np.errstate(all="ignore")  # hidden numbers must not warn
def _stream(q, k, v, mask, first, block, bounded):
    """Let one tile of queries attend to the keys, block by block.

    The query in row i may see the keys up to `first` + i.
    """
    block = min(block, k.shape[-2])
    room = np.empty((*q.shape[:-1], block), q.dtype)
    ones = np.ones((block, 1), q.dtype)
    total = np.zeros((*q.shape[:-1], 1), q.dtype)
    output = np.zeros((*q.shape[:-1], v.shape[-1]), q.dtype)
    peak = np.full_like(total, -np.inf)
    n_k = min(k.shape[-2], first + q.shape[-2])
    for start in range(0, n_k, block):
        keys = slice(start, min(start + block, n_k))
        rows = np.s_[..., max(start - first, 0) :, :]  # who sees the block
        m = _block_mask(mask, rows, keys, q.shape[-2], first)
        scores = room[rows][..., : keys.stop - keys.start]
        np.matmul(q[rows], k[..., keys, :].swapaxes(-1, -2), out=scores)
        apply_mask(scores, m)
        if not bounded:  # subtract the largest score so far
            old = peak[rows]
            new = np.maximum(old, scores.max(-1, keepdims=True))
            shift = np.where(np.isneginf(new), 0, new)
            scores -= shift
            shrink = np.exp(old - shift)
            total[rows] *= shrink
            output[rows] *= shrink
            peak[rows] = new
        np.exp(scores, out=scores)
        total[rows] += scores @ ones[: scores.shape[-1]]
        output[rows] += mix(scores, v[..., keys, :], m)
    total[total == 0] = 1
    return output / total


def _block_mask(mask, rows, keys, n_q, first):
    """Return what the mask and causality say about one block of keys."""
    if mask is not None:
        mask = mask[rows][..., keys]
    if keys.stop <= first + 1:  # every query sees every key of the block
        return mask
    past = np.tri(n_q, keys.stop - keys.start, first - keys.start, dtype=bool)
    past = past[rows]
    if mask is None:
        return past
    return mask & past if mask.dtype == bool else np.where(past, mask, -np.inf)


def linear_attention(q, k, v, *, causal=False):
    """Replace the softmax by a product of features: linear in n.

    Shapes: q (..., n_q, d_k), k (..., n_k, d_k), v (..., n_k, d_v)
        -> (..., n_q, d_v)

    With ``f(x) = elu(x) + 1`` the weight of key j for query i is
    ``f(q_i) . f(k_j)``, divided by its sum over j. The products can then be
    taken in another order: ``f(q) @ (f(k).T @ v)`` never makes an n x n
    matrix. The result differs from that of the softmax. Chapter: efficient
    attention.

    Parameters
    ----------
    q, k, v : array_like
        Queries, keys and values. Leading (batch) axes broadcast.
    causal : bool
        Let query i see the keys up to ``n_k - n_q + i`` only.

    Returns
    -------
    ndarray
        The output, in the type of the inputs.

    Examples
    --------
    >>> linear_attention([[0.0]], [[0.0], [1.0]], [[0.0], [3.0]])
    array([[2.]])
    """
    (q, k, v), result_type = as_floats(q=q, k=k, v=v)
    batch = batch_shape(q=q, k=k, v=v)
    causal = as_flag("causal", causal)
    q, k, v = _widen(q, k, v)
    with np.errstate(all="ignore"):  # the future may hold anything
        # A common factor of one query's features has no influence: shift
        # queries that are negative throughout, so that exp keeps something.
        q = features(q - np.minimum(q.max(-1, keepdims=True), 0))
        # A column of ones next to v adds up the weights in the same products.
        v = np.concatenate([v, np.ones_like(v[..., :1])], axis=-1)
        k = features(k)
        if causal:
            sums = _causal_sums(q, k, v, batch)
        else:
            sums = q @ (k.swapaxes(-1, -2) @ v)
        output, total = sums[..., :-1], sums[..., -1:]
        output = output / np.where(total == 0, 1, total)
    return in_type(result_type, output)[0]


def _widen(q, k, v):
    """Use float64 where products of features leave the range of float32."""
    size = math.prod(1 + longest(x) for x in (q, k, v)) * k.shape[-2]
    if size > ROOM[np.float64]:
        raise ValueError(
            "the products overflow float64: " + shapes_of(q=q, k=k, v=v)
        )
    if size > ROOM[np.float32] or min(q.min(), k.min()) < -40:
        return [x.astype(np.float64) for x in (q, k, v)]
    return q, k, v


def features(x):
    """Return elu(x) + 1: exp(x) below zero, x + 1 above it."""
    return np.exp(np.minimum(x, 0)) + np.maximum(x, 0)


def _causal_sums(q, k, v, batch):
    """Return tril(q @ k.T) @ v, a chunk of queries at a time.

    `state` holds all that the keys before the chunk have to say.
    """
    n_q, n_k = q.shape[-2], k.shape[-2]
    sums = np.zeros((*batch, n_q, v.shape[-1]), q.dtype)
    end = max(n_k - n_q, 0)  # the keys that every query sees
    state = k[..., :end, :].swapaxes(-1, -2) @ v[..., :end, :]
    for start in range(max(n_q - n_k, 0), n_q, CHUNK):
        rows = np.s_[..., start : start + CHUNK, :]
        keys = np.s_[..., end : end + CHUNK, :]
        weights = q[rows] @ k[keys].swapaxes(-1, -2)
        past = create_causal_mask(weights.shape[-1])
        np.copyto(weights, 0, where=~past)
        sums[rows] = q[rows] @ state + mix(weights, v[keys], past)
        state = state + k[keys].swapaxes(-1, -2) @ v[keys]
        end += CHUNK
    return sums
