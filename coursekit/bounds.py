"""Measured numbers beside the bounds that they must keep.

The digits of a trained model differ a little from machine to machine. So a
chapter prints them beside a bound with room to spare, and stops if a number
breaks its bound: then a sentence of the chapter would be wrong.
"""

import math

__all__ = ["bounded"]

strict = True  # the page's Python sets it to False after fewer steps


def bounded(label, value, *, above=None, below=None, digits=2):
    """Print a number beside its bound, or stop if it breaks it.

    Parameters
    ----------
    label : str
        What was measured.
    value : float
        The number.
    above, below : float
        What it must be above or below; at least one of them.
    digits : int
        How many digits after the point are printed.

    Examples
    --------
    >>> bounded("share right", 0.987, above=0.9)
    share right                            0.99  (bound: above 0.9)
    """
    bounds = {"above": above, "below": below}
    bounds = {
        word: bound for word, bound in bounds.items() if bound is not None
    }
    if not bounds:
        raise ValueError("bounded needs above, below or both")
    said = " and ".join(f"{word} {bound:g}" for word, bound in bounds.items())
    line = f"{label:<36}{value:>7.{digits}f}  (bound: {said})"
    low = -math.inf if above is None else above
    high = math.inf if below is None else below
    kept = low < value < high
    if strict and not kept:
        raise AssertionError(f"a bound is broken: {line}")
    print(line if kept else f"{line} broken")
