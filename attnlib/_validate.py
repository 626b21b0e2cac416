"""Arguments in, clean arrays out: the first lines of every public function.

Nothing here computes. Each function either returns what it was given in a
form the rest can trust, or raises an error that names the argument.
"""

import operator

import numpy as np

FLOATS = (np.float16, np.float32, np.float64)


def shapes_of(**arrays):
    """Write named shapes for an error message: ``q (3, 5), k (2, 4)``."""
    return ", ".join(f"{name} {a.shape}" for name, a in arrays.items())


def as_array(name, x):
    """Return x as an array, or raise a TypeError that names it."""
    try:
        return np.asarray(x)
    except ValueError as error:
        message = f"{name} is not a rectangular array: {error}"
        raise ValueError(message) from None


def as_floats(min_ndim=2, **arrays):
    """Return the arrays in one float type, and the type of the result.

    Integers count as float64. float16 is computed in float32, so the arrays
    come back as float32 while the type of the result stays float16.
    """
    clean = {name: as_array(name, x) for name, x in arrays.items()}
    for name, x in clean.items():
        if x.dtype.kind not in "iu" and x.dtype.type not in FLOATS:
            raise TypeError(
                f"{name} must hold integers or float16, float32 or float64 "
                f"numbers, got dtype {x.dtype}"
            )
        if x.ndim < min_ndim:
            raise ValueError(
                f"{name} needs at least {min_ndim} axes, got shape {x.shape}"
            )
        if x.size == 0:
            raise ValueError(f"{name} has an empty axis: shape {x.shape}")
    kinds = [x.dtype if x.dtype.kind == "f" else "d" for x in clean.values()]
    result_type = np.result_type(*kinds)
    work_type = np.promote_types(result_type, np.float32)
    return [x.astype(work_type, copy=False) for x in clean.values()], (
        result_type
    )


def as_size(name, value):
    """Return value as a positive int."""
    try:
        size = operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{name} must be an integer, got {kind}") from None
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be an integer, got bool")
    if size < 1:
        raise ValueError(f"{name} must be at least 1, got {size}")
    return size


def as_scale(scale, d_k):
    """Return the factor on the scores as a Python float.

    A Python float, because in NumPy 2 an array of float32 times a
    ``np.float64`` is an array of float64.
    """
    if scale is None:
        return d_k**-0.5
    if not isinstance(scale, int | float | np.integer | np.floating):
        kind = type(scale).__name__
        raise TypeError(f"scale must be a number, got {kind}")
    scale = float(scale)
    if not np.isfinite(scale):
        raise ValueError(f"scale must be finite, got {scale}")
    return scale


def batch_shape(q, k, v):
    """Check that q, k and v fit together; return their common batch shape."""
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(
            "q and k must have the same width (last axis), got "
            + shapes_of(q=q, k=k)
        )
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(
            "k and v must have the same length (second-last axis), got "
            + shapes_of(k=k, v=v)
        )
    try:
        return np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError:
        raise ValueError(
            "the batch axes of q, k and v do not fit together: "
            + shapes_of(q=q, k=k, v=v)
        ) from None


def as_mask(mask, shape):
    """Return the mask as a view of the given shape (..., n_q, n_k).

    A boolean mask says True where a query may attend; a float mask is added
    to the scores.
    """
    if mask is None:
        return None
    mask = as_array("mask", mask)
    if mask.dtype != bool and mask.dtype.type not in FLOATS:
        raise TypeError(
            "mask must be bool (True = may attend) or float (added to the "
            f"scores), got dtype {mask.dtype}; for a 0/1 mask in which 1 "
            "means 'may attend' pass mask.astype(bool)"
        )
    if mask.dtype != bool and not np.all(mask < np.inf):
        raise ValueError(
            "a float mask may hold finite numbers and -inf, but this mask "
            f"of shape {mask.shape} holds nan or +inf"
        )
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(
            f"mask of shape {mask.shape} does not broadcast to the shape of "
            f"the scores (..., n_q, n_k) = {shape}"
        ) from None
