"""Arguments in, clean arrays out: the first lines of every public function.

Nothing here computes. Each function either returns what it was given in a
form the rest can trust, or raises an error that names the argument.
"""

import math
import operator

import numpy as np

FLOATS = (np.float16, np.float32, np.float64)
WORK_TYPES = (np.dtype(np.float32), np.dtype(np.float64))


def shapes_of(**arrays):
    """Write named shapes for an error message: ``q (3, 5), k (2, 4)``."""
    return ", ".join(f"{name} {a.shape}" for name, a in arrays.items())


def as_array(name, x):
    """Return x as an array, or raise an error that names it."""
    if np.ma.isMaskedArray(x):
        raise TypeError(
            f"{name} is a masked array, and its mask would be lost; pass "
            "what it hides as a mask of its own"
        )
    try:
        array = np.asarray(x)
    except ValueError as error:
        message = f"{name} is not a rectangular array: {error}"
        raise ValueError(message) from None
    except (TypeError, RuntimeError) as error:
        raise TypeError(
            f"{name} is not an array of numbers: {error}"
        ) from None
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def numeric(min_ndim=2, **arrays):
    """Return arrays of real numbers with enough axes, none of them empty."""
    clean = [as_array(name, x) for name, x in arrays.items()]
    for name, x in zip(arrays, clean, strict=True):
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
    return clean


def as_floats(min_ndim=2, **arrays):
    """Return the arrays in one float type, and the type of the result.

    Integers count as float64. float16 is computed in float32, so the arrays
    come back as float32 while the type of the result stays float16.
    """
    given = list(arrays.values())
    if _are_clean(given, min_ndim):
        return given, given[0].dtype
    clean = numeric(min_ndim, **arrays)
    kinds = [x.dtype if x.dtype.kind == "f" else np.float64 for x in clean]
    result_type = np.result_type(*kinds)
    work_type = np.promote_types(result_type, np.float32)
    return [x.astype(work_type, copy=False) for x in clean], result_type


def _are_clean(given, min_ndim):
    """Say whether these are arrays of one type that need no work at all."""
    first = given[0]
    if type(first) is not np.ndarray or first.dtype not in WORK_TYPES:
        return False
    return all(
        type(x) is np.ndarray
        and x.dtype == first.dtype
        and x.ndim >= min_ndim
        and x.size
        for x in given
    )


def in_type(result_type, *arrays):
    """Return results in the type that the inputs had."""
    if all(x.dtype == result_type for x in arrays):
        return arrays
    with np.errstate(under="ignore"):
        return tuple(x.astype(result_type, copy=False) for x in arrays)


def as_dtype(dtype):
    """Return a float type, or raise an error that names the argument."""
    try:
        kind = None if dtype is None else np.dtype(dtype).newbyteorder("=")
    except TypeError:
        kind = None
    if kind is None or kind.type not in FLOATS:
        raise TypeError(f"dtype must be a float type, got {dtype!r}")
    return kind


def as_ids(name, ids, size):
    """Return whole numbers from 0 to size - 1: places in a table."""
    (ids,) = numeric(min_ndim=0, **{name: ids})
    if ids.dtype.kind == "f":
        raise TypeError(f"{name} must hold integers, got dtype {ids.dtype}")
    low, high = ids.min(), ids.max()
    if low < 0 or high >= size:
        raise ValueError(
            f"{name} must be from 0 to {size - 1}, got numbers from {low} to "
            f"{high} in shape {ids.shape}"
        )
    return ids


def as_size(name, value, least=1):
    """Return value as an int that is not too small."""
    try:
        size = operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{name} must be an integer, got {kind}") from None
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be an integer, got bool")
    if not least <= size < 2**31:
        raise ValueError(
            f"{name} must be from {least} to 2**31 - 1, got {size}"
        )
    return size


def as_lengths(n_q, n_k):
    """Return both sizes; there are as many keys as queries if not given."""
    n_q = as_size("n_q", n_q)
    return n_q, n_q if n_k is None else as_size("n_k", n_k)


def as_number(name, value):
    """Return value as a finite Python float.

    A Python float, because in NumPy 2 an array of float32 times a
    ``np.float64`` is an array of float64.
    """
    real = int | float | np.integer | np.floating
    if not isinstance(value, real) or isinstance(value, bool):
        kind = type(value).__name__
        raise TypeError(f"{name} must be a number, got {kind}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number}")
    return number


def as_share(name, value):
    """Return value as a float that is at least 0 and less than 1."""
    share = as_number(name, value)
    if not 0 <= share < 1:
        raise ValueError(f"{name} must be from 0 to below 1, got {share}")
    return share


def as_rng(rng):
    """Return a random generator: the given one, or a new one for a seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        message = f"rng must be a Generator or a seed: {error}"
        raise TypeError(message) from None


def as_scale(scale, d_k):
    """Return the factor on the scores, 1 / sqrt(d_k) if none is given."""
    return d_k**-0.5 if scale is None else as_number("scale", scale)


def as_flag(name, value):
    """Return value as a bool; the string "no" is not one."""
    if not isinstance(value, bool | np.bool_):
        kind = type(value).__name__
        raise TypeError(f"{name} must be True or False, got {kind}")
    return bool(value)


def batch_shape(axes=2, **arrays):
    """Check that queries, keys and values fit; return their batch shape.

    The batch axes are all but the last `axes`.
    """
    (q_name, q), (k_name, k), (v_name, v) = arrays.items()
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(
            f"{q_name} and {k_name} must have the same width (last axis), "
            "got " + shapes_of(**{q_name: q, k_name: k})
        )
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(
            f"{k_name} and {v_name} must have the same length (second-last "
            "axis), got " + shapes_of(**{k_name: k, v_name: v})
        )
    batch = q.shape[:-axes]
    if batch == k.shape[:-axes] == v.shape[:-axes]:
        return batch
    try:
        return np.broadcast_shapes(*(x.shape[:-axes] for x in (q, k, v)))
    except ValueError:
        raise ValueError(
            f"the batch axes of {q_name}, {k_name} and {v_name} do not fit "
            "together: " + shapes_of(**arrays)
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
