"""Where a token stands: four ways to tell attention about order."""

import numpy as np

from attnlib._validate import (
    as_array,
    as_flag,
    as_floats,
    as_lengths,
    as_number,
    as_size,
    in_type,
)

__all__ = [
    "add_positional_encoding",
    "alibi_bias",
    "alibi_slopes",
    "apply_rope",
    "positional_encoding",
    "relative_position_bias",
    "relative_position_bucket",
]


def positional_encoding(n, d_model):
    """Give each position a vector of sines and cosines.

    Shapes: n, d_model -> (n, d_model)

    ``P[p, 2r] = sin(p / 10000**(2r / d_model))`` and ``P[p, 2r + 1]`` is
    the cosine of the same angle. Chapter: positional encoding.

    Parameters
    ----------
    n : int
        The number of positions.
    d_model : int
        The width; if it is odd, the last column is a sine.

    Returns
    -------
    ndarray of float64
        One row for each position.

    Examples
    --------
    >>> positional_encoding(2, 4).round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]])
    """
    n, d_model = as_size("n", n), as_size("d_model", d_model)
    pairs = np.arange(0, d_model, 2)
    angles = np.arange(n)[:, None] / 10000 ** (pairs / d_model)
    encoding = np.empty((n, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return encoding


def add_positional_encoding(x):
    """Add the sinusoidal encoding to a sequence of embeddings.

    Shapes: x (..., n, d_model) -> (..., n, d_model)

    Parameters
    ----------
    x : array_like
        One row for each token.

    Returns
    -------
    ndarray
        A new array in the type of `x`.

    Examples
    --------
    >>> add_positional_encoding(np.zeros((1, 4)))
    array([[0., 1., 0., 1.]])
    """
    (x,), result_type = as_floats(x=x)
    encoding = positional_encoding(*x.shape[-2:])
    return in_type(result_type, x + encoding.astype(x.dtype))[0]


def apply_rope(x, positions=None, *, base=10000.0, interleaved=False):
    """Turn each pair of columns by an angle that grows with the position.

    Shapes: x (..., n, d), positions (n) -> (..., n, d)

    Pair ``r`` of the row at position ``p`` is rotated by the angle
    ``p / base**(2r / d)``. The product of a turned query and a turned key
    then depends on their distance only. Chapter: positional encoding.

    Parameters
    ----------
    x : array_like
        Queries or keys, of even width.
    positions : array_like, optional
        The position of each row, broadcast to ``(..., n)``; 0, 1, 2, ... if
        not given. With a cache of keys: ``[len(cache)]`` for one new row.
    base : float
        Sets the slowest rotation.
    interleaved : bool
        Which columns form a pair: ``r`` and ``r + d / 2`` if False (as in
        GPT-NeoX), ``2r`` and ``2r + 1`` if True (as in the paper).

    Returns
    -------
    ndarray
        A new array in the type of `x`.

    Examples
    --------
    >>> apply_rope([[1.0, 0.0]], positions=[np.pi / 2]).round(3) + 0.0
    array([[0., 1.]])
    """
    (x,), result_type = as_floats(x=x)
    n, d = x.shape[-2:]
    if d % 2:
        raise ValueError(f"x must have an even width, got shape {x.shape}")
    base = as_number("base", base)
    if base <= 0:
        raise ValueError(f"base must be positive, got {base}")
    if positions is None:
        positions = np.arange(n)
    (positions,), _ = as_floats(min_ndim=1, positions=positions)
    try:
        positions = np.broadcast_to(positions, x.shape[:-1])
    except ValueError:
        raise ValueError(
            f"positions of shape {positions.shape} do not broadcast to the "
            f"rows {x.shape[:-1]} of x {x.shape}"
        ) from None

    speed = base ** (-np.arange(0, d, 2) / d)
    angle = positions[..., None].astype(np.float64) * speed
    cos, sin = (f(angle).astype(x.dtype) for f in (np.cos, np.sin))
    first, second = (
        (np.s_[..., 0::2], np.s_[..., 1::2])
        if as_flag("interleaved", interleaved)
        else (np.s_[..., : d // 2], np.s_[..., d // 2 :])
    )
    turned = np.empty_like(x)
    turned[first] = x[first] * cos - x[second] * sin
    turned[second] = x[first] * sin + x[second] * cos
    return in_type(result_type, turned)[0]


def alibi_slopes(num_heads):
    """Return how steeply each head's score falls with the distance.

    Shapes: num_heads -> (num_heads)

    For a power of two: ``2**(-8 / h), 2**(-16 / h), ..., 2**-8``. For other
    counts: the slopes of the next smaller power of two, then every second
    slope of twice that power. Chapter: positional encoding.

    Parameters
    ----------
    num_heads : int
        The number of heads.

    Returns
    -------
    ndarray of float64
        One positive slope for each head.

    Examples
    --------
    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    num_heads = as_size("num_heads", num_heads)
    power = 2 ** (num_heads.bit_length() - 1)
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-8 * np.arange(1, 2 * power, 2) / (2 * power))
    return np.concatenate([slopes, between])[:num_heads]


def alibi_bias(num_heads, n_q, n_k=None):
    """Return ALiBi's float mask: minus slope times distance.

    Shapes: num_heads, n_q, n_k -> (num_heads, n_q, n_k)

    Positions are aligned as in `create_causal_mask`. The bias hides nothing:
    a causal model adds a causal mask.

    Parameters
    ----------
    num_heads : int
        The number of heads.
    n_q, n_k : int
        The numbers of queries and keys; `n_k` is `n_q` if not given.

    Returns
    -------
    ndarray of float64
        To be passed as ``mask``.

    Examples
    --------
    >>> alibi_bias(1, 3) * 256 + 0.0
    array([[[ 0., -1., -2.],
            [-1.,  0., -1.],
            [-2., -1.,  0.]]])
    """
    slopes = alibi_slopes(num_heads)
    return -slopes[:, None, None] * np.abs(_relative_positions(n_q, n_k))


def _relative_positions(n_q, n_k):
    """Return key position minus query position, aligned bottom right."""
    n_q, n_k = as_lengths(n_q, n_k)
    return np.arange(n_k) - np.arange(n_k - n_q, n_k)[:, None]


def relative_position_bucket(
    relative_position, *, bidirectional=True, num_buckets=32, max_distance=128
):
    """Put distances into buckets: near ones exactly, far ones coarsely.

    Shapes: relative_position (...) -> bucket (...)

    The scheme of T5: half of the buckets hold one distance each, the rest
    grow logarithmically up to `max_distance`, and everything beyond shares
    the last one. Chapter: positional encoding.

    Parameters
    ----------
    relative_position : array_like of int
        Key position minus query position.
    bidirectional : bool
        If True, half of the buckets are for keys after the query; if False,
        all such keys share bucket 0.
    num_buckets : int
        The number of buckets; a multiple of 4 if `bidirectional`, else even.
    max_distance : int
        Where the logarithmic scale ends; the last bucket begins one step
        before it and holds everything beyond.

    Returns
    -------
    ndarray of int
        Bucket numbers from 0 to `num_buckets` - 1.

    Examples
    --------
    >>> relative_position_bucket([-100, -2, -1, 0, 1, 2, 100])
    array([15,  2,  1,  0, 17, 18, 31])
    """
    relative = as_array("relative_position", relative_position)
    if relative.dtype.kind not in "iu":
        raise TypeError(
            f"relative_position must be integers, got dtype {relative.dtype}"
        )
    num_buckets = as_size("num_buckets", num_buckets)
    max_distance = as_size("max_distance", max_distance)
    bidirectional = as_flag("bidirectional", bidirectional)
    if num_buckets % (4 if bidirectional else 2):
        raise ValueError(
            "num_buckets must be a multiple of "
            f"{4 if bidirectional else 2}, got {num_buckets}"
        )
    if relative.dtype.kind == "u":  # may be too large for a signed integer
        relative = np.minimum(relative.astype(np.uint64), np.uint64(2**31))
    relative = np.clip(relative.astype(np.int64), -max_distance, max_distance)
    if bidirectional:
        num_buckets //= 2
        offset = num_buckets * (relative > 0)
        distance = np.abs(relative)
    else:
        offset, distance = 0, np.maximum(-relative, 0)
    exact = num_buckets // 2
    if max_distance <= exact:
        raise ValueError(
            f"max_distance must be more than the {exact} distances that have "
            f"a bucket of their own, got {max_distance}"
        )
    # The distances at which the coarse buckets begin. Rounding up is exact
    # where the logarithm of T5's formula would sit on a whole number.
    steps = np.arange(1, num_buckets - exact) / (num_buckets - exact)
    starts = np.ceil(exact * (max_distance / exact) ** steps - 1e-9)
    coarse = exact + np.searchsorted(starts, distance, side="right")
    bucket = offset + np.where(distance < exact, distance, coarse)
    return bucket.astype(int)  # which has 32 bits in a browser


def relative_position_bias(
    table,
    n_q,
    n_k=None,
    *,
    bidirectional=True,
    num_buckets=32,
    max_distance=128,
):
    """Look up T5's float mask: one learned number a bucket and head.

    Shapes: table (num_buckets, num_heads), n_q, n_k
        -> (num_heads, n_q, n_k)

    Positions are aligned as in `create_causal_mask`.

    Parameters
    ----------
    table : array_like
        The learned numbers.
    n_q, n_k : int
        The numbers of queries and keys; `n_k` is `n_q` if not given.
    bidirectional, num_buckets, max_distance
        As in `relative_position_bucket`.

    Returns
    -------
    ndarray
        To be passed as ``mask``, in the type of `table`.

    Examples
    --------
    >>> table = np.arange(32.0)[:, None]
    >>> relative_position_bias(table, 2)
    array([[[ 0., 17.],
            [ 1.,  0.]]])
    """
    (table,), result_type = as_floats(table=table)
    num_buckets = as_size("num_buckets", num_buckets)
    if table.ndim != 2 or table.shape[0] != num_buckets:
        raise ValueError(
            f"table must have shape (num_buckets = {num_buckets}, num_heads)"
            f", got {table.shape}"
        )
    bucket = relative_position_bucket(
        _relative_positions(n_q, n_k),
        bidirectional=bidirectional,
        num_buckets=num_buckets,
        max_distance=max_distance,
    )
    return np.moveaxis(table[bucket], -1, 0).astype(result_type)
