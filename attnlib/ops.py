"""The four small operations that everything else is made of."""

import math

import numpy as np

from attnlib._validate import as_floats, as_number, in_type, shapes_of

__all__ = ["gelu", "layer_norm", "linear", "softmax"]


def softmax(scores, axis=-1):
    """Turn scores into weights: none is negative, and they sum to one.

    Shapes: scores (..., n) -> weights (..., n)

    ``exp(s - max(s)) / sum(exp(s - max(s)))``: subtracting the maximum
    changes nothing in the result and keeps ``exp`` from overflowing. A score
    of ``-inf`` gets weight 0, and where every score is ``-inf`` every weight
    is 0. Chapter: self-attention.

    Parameters
    ----------
    scores : array_like
        Real numbers, with at least one axis.
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    ndarray
        The weights, in the type of `scores`.

    Examples
    --------
    >>> softmax([0.0, 0.0])
    array([0.5, 0.5])
    >>> softmax([1000.0, -np.inf])
    array([1., 0.])
    """
    (scores,), result_type = as_floats(min_ndim=1, scores=scores)
    if axis not in range(-scores.ndim, scores.ndim):
        raise ValueError(
            f"axis {axis!r} does not exist in scores of shape {scores.shape}"
        )
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        weights = softmax_in_place(scores.copy(), axis)
    return in_type(result_type, weights)[0]


def softmax_in_place(scores, axis=-1):
    """Overwrite float scores by their softmax: the one implementation.

    Whoever calls it turns NumPy's warnings off.
    """
    peak = scores.max(axis=axis, keepdims=True)
    usual, hidden = np.isfinite(peak).all(), None
    if not usual:
        hidden = np.isneginf(scores)
        peak[np.isneginf(peak)] = 0
    scores -= peak
    np.exp(scores, out=scores)
    total = scores.sum(axis=axis, keepdims=True)
    if not usual:
        total[total == 0] = 1
    scores /= total
    if not usual:  # NaN spreads over its row, but not into hidden cells
        scores[hidden] = 0
    return scores


def linear(x, w, b=None):
    """Multiply by a weight matrix and add a bias: ``x @ w + b``.

    Shapes: x (..., n, d_in), w (d_in, d_out), b (d_out) -> (..., n, d_out)

    Parameters
    ----------
    x : array_like
        One row for each token.
    w : array_like
        The weights; inputs are rows, outputs are columns.
    b : array_like, optional
        The bias.

    Examples
    --------
    >>> linear([[1.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]], [10.0, 10.0])
    array([[11., 16.]])
    """
    (x, w), result_type = as_floats(x=x, w=w)
    if w.ndim != 2 or x.shape[-1] != w.shape[0]:
        raise ValueError(
            "x (..., n, d_in) needs w of shape (d_in, d_out), got "
            + shapes_of(x=x, w=w)
        )
    y = project(x, w)
    if b is not None:
        (b,), bias_type = as_floats(min_ndim=1, b=b)
        if b.shape != w.shape[1:]:
            raise ValueError(
                "b must have one entry for each column of w, got "
                + shapes_of(w=w, b=b)
            )
        y = y + b
        result_type = np.promote_types(result_type, bias_type)
    return in_type(result_type, y)[0]


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def project(x, w):
    """Return x @ w, in float64 if float32 cannot hold the result."""
    # One large product is faster than one for each item of a batch.
    y = (x.reshape(-1, len(w)) @ w).reshape(*x.shape[:-1], -1)
    if y.dtype == np.float64 or np.isfinite(y).all():
        return y
    # Sums may have overflowed on the way to a result that fits.
    exact = np.where(np.isfinite(y), y, x.astype(np.float64) @ w)
    y = exact.astype(np.float32)
    return exact if (np.isinf(y) & np.isfinite(exact)).any() else y


def layer_norm(x, gain=None, bias=None, *, eps=1e-5):
    """Give every row mean 0 and variance 1, then stretch and shift it.

    Shapes: x (..., d), gain (d), bias (d) -> (..., d)

    ``(x - mean) / sqrt(variance + eps) * gain + bias`` over the last axis.

    Parameters
    ----------
    x : array_like
        One row for each token.
    gain, bias : array_like, optional
        One entry for each column; without them 1 and 0. They are turned
        into the type of `x`.
    eps : float
        Keeps a constant row from dividing by zero.

    Returns
    -------
    ndarray
        The normalised rows, in the type of `x`.

    Examples
    --------
    >>> layer_norm([1.0, 3.0], eps=0.0)
    array([-1.,  1.])
    """
    (x,), result_type = as_floats(min_ndim=1, x=x)
    eps = as_number("eps", eps)
    if eps < 0:
        raise ValueError(f"eps must not be negative, got {eps}")
    y, _ = normalise(x, eps)
    for name, parameter in (("gain", gain), ("bias", bias)):
        if parameter is None:
            continue
        (p,), _ = as_floats(min_ndim=1, **{name: parameter})
        if p.shape != x.shape[-1:]:
            raise ValueError(
                f"{name} must have one entry for each column of x, got "
                + shapes_of(x=x, **{name: p})
            )
        p = p.astype(y.dtype, copy=False)
        y = y * p if name == "gain" else y + p
    return in_type(result_type, y)[0]


@np.errstate(under="ignore")
def normalise(x, eps=1e-5):
    """Return rows of mean 0 and variance 1, and what they were divided by."""
    top = 1.0
    if np.fmax.reduce(np.abs(x), axis=None) > 1e15:
        # Squares would overflow: let the largest of each row count as 1.
        top = np.maximum(np.abs(x).max(axis=-1, keepdims=True), 1)
        x = x / top
        eps = np.maximum(eps / top / top, np.finfo(x.dtype).tiny)
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = np.square(centred).mean(axis=-1, keepdims=True)
    spread = np.sqrt(variance + eps)
    return centred / spread, spread * top


def gelu(x):
    """Let large numbers through and hold small ones back, smoothly.

    Shapes: x (..., n) -> (..., n)

    The form that GPT-2 uses:
    ``0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x**3)))``.

    Parameters
    ----------
    x : array_like
        Real numbers, with at least one axis.

    Examples
    --------
    >>> gelu([-10.0, 0.0, 10.0]).round(3) + 0.0
    array([ 0.,  0., 10.])
    """
    (x,), result_type = as_floats(min_ndim=1, x=x)
    # Beyond 10 the tanh is 1 to the last digit, and x**3 stays finite.
    small = np.clip(x, -10, 10)
    with np.errstate(under="ignore"):
        cube = small * small * small  # a power would take ten times as long
        inner = math.sqrt(2 / math.pi) * (small + 0.044715 * cube)
        y = 0.5 * np.maximum(x, -10) * (1 + np.tanh(inner))
    return in_type(result_type, y)[0]
