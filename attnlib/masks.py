"""Who may attend to whom: boolean masks in which True means *may attend*.

Some sources write 1 for *blocked* instead. Invert such a mask with ``~``
before you pass it on. Masks combine with ``&``.
"""

import numpy as np

from attnlib._validate import as_array, as_flag, as_lengths, as_size

__all__ = [
    "create_causal_mask",
    "create_padding_mask",
    "create_padding_mask_from_ids",
    "create_window_mask",
]


def create_causal_mask(n_q, n_k=None):
    """Let each query see the keys up to its own position, none after it.

    Shapes: n_q, n_k -> (n_q, n_k)

    Query ``i`` sees the keys up to ``n_k - n_q + i``: the last query sees
    every key. With a cache the queries are the newest tokens, and this is
    the alignment they need. Chapter: self-attention.

    Parameters
    ----------
    n_q : int
        The number of queries.
    n_k : int, optional
        The number of keys; as many as queries if not given.

    Examples
    --------
    >>> create_causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    >>> create_causal_mask(1, 3)
    array([[ True,  True,  True]])
    """
    n_q, n_k = as_lengths(n_q, n_k)
    return np.tri(n_q, n_k, n_k - n_q, dtype=bool)


def create_window_mask(n_q, n_k=None, *, window, causal=True):
    """Let each query see only the keys near its own position.

    Shapes: n_q, n_k -> (n_q, n_k)

    A causal window of width 3 holds the query's own position and the two
    before it. Without `causal` the window reaches equally far to both
    sides: `window` - 1 positions each. Positions are aligned as in
    `create_causal_mask`.

    Parameters
    ----------
    n_q, n_k : int
        The numbers of queries and keys; `n_k` is `n_q` if not given.
    window : int
        How many positions a query sees in one direction, its own included.
    causal : bool
        Whether keys after the query are hidden.

    Examples
    --------
    >>> create_window_mask(4, window=2).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    n_q, n_k = as_lengths(n_q, n_k)
    window = min(as_size("window", window), n_q + n_k)  # that is everything
    last = 0 if as_flag("causal", causal) else window - 1
    near = np.tri(n_q, n_k, n_k - n_q + last, dtype=bool)
    return near & ~np.tri(n_q, n_k, n_k - n_q - window, dtype=bool)


def create_padding_mask(lengths, max_len=None):
    """Hide the padding behind the end of each sequence.

    Shapes: lengths (batch), max_len -> (batch, 1, 1, max_len)

    The two axes of length one stand for heads and queries: the mask fits
    scores of shape ``(batch, heads, n_q, n_k)``. For scores without a head
    axis use ``mask[:, 0]``. Chapter: self-attention.

    Parameters
    ----------
    lengths : array_like of int
        The number of real tokens in each sequence.
    max_len : int, optional
        The padded length; the longest of `lengths` if not given.

    Examples
    --------
    >>> create_padding_mask([2, 3])[:, 0, 0].astype(int)
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    lengths = as_array("lengths", lengths)
    if lengths.dtype.kind not in "iu":
        raise TypeError(f"lengths must be integers, got {lengths.dtype}")
    if lengths.ndim != 1 or lengths.size == 0:
        raise ValueError(
            "lengths must be a list with one number for each sequence, got "
            f"shape {lengths.shape}"
        )
    longest = int(lengths.max())
    if longest == 0 and max_len is None:
        raise ValueError("lengths are all 0: give the padded length, max_len")
    max_len = as_size("max_len", longest if max_len is None else max_len)
    if lengths.min() < 0 or longest > max_len:
        raise ValueError(
            f"lengths must lie between 0 and max_len = {max_len}, got "
            f"{lengths.tolist()}"
        )
    return (np.arange(max_len) < lengths[:, None])[:, None, None]


def create_padding_mask_from_ids(ids, pad_id):
    """Hide every position whose token is the padding token.

    Shapes: ids (batch, n_k) -> (batch, 1, 1, n_k)

    Parameters
    ----------
    ids : array_like of int
        Token numbers, padded to one length.
    pad_id : int
        The number of the padding token.

    Examples
    --------
    >>> create_padding_mask_from_ids([[7, 8, 0]], pad_id=0)[:, 0, 0]
    array([[ True,  True, False]])
    """
    ids = as_array("ids", ids)
    pad_id = as_array("pad_id", pad_id)
    if ids.dtype.kind not in "iu" or pad_id.dtype.kind not in "iu":
        raise TypeError(
            "ids and pad_id must be integers, got dtypes "
            f"{ids.dtype} and {pad_id.dtype}"
        )
    if ids.ndim != 2 or ids.size == 0 or pad_id.ndim != 0:
        raise ValueError(
            "ids must have shape (batch, n_k) and pad_id must be one number, "
            f"got ids {ids.shape}, pad_id {pad_id.shape}"
        )
    return (ids != pad_id)[:, None, None]


def visible(mask):
    """Return True where a mask, boolean or float, lets a query attend."""
    return mask if mask.dtype == bool else ~np.isneginf(mask)


def apply_mask(scores, mask):
    """Change scores in place: add a float mask, put -inf where it forbids.

    The -inf is written, not added, so that a NaN behind it disappears.
    """
    if mask is None:
        return
    if mask.dtype != bool:
        # A float64 mask may hold more than float32 scores can.
        limit = float(np.finfo(scores.dtype).max) / 4
        scores += np.clip(mask, -limit, limit).astype(scores.dtype)
    np.copyto(scores, -np.inf, where=~visible(mask))
