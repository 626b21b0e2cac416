"""What Hypothesis has in Rust, in Python, for a Python with no such build.

Hypothesis finds its examples in plain Python; only these functions on the
bits of floats come compiled. `tests/test_pyodide.py` compares them with the
compiled ones.
"""

import math
import struct
import sys
import types

FORMATS = {16: ("H", "e"), 32: ("I", "f"), 64: ("Q", "d")}


def width_smallest_normals(width):
    """Return the smallest normal float of this many bits."""
    return {16: 2**-14, 32: 2**-126, 64: 2**-1022}[width]


def float_to_int(value, width=64):
    """Return the bits of a float as an integer."""
    integer, real = FORMATS[width]
    return struct.unpack(integer, struct.pack(real, value))[0]


def int_to_float(value, width=64):
    """Return the float that has these bits."""
    integer, real = FORMATS[width]
    return struct.unpack(real, struct.pack(integer, value))[0]


def float_of(x, width):
    """Round a number to a float of this many bits."""
    return int_to_float(float_to_int(float(x), width), width)


def is_negative(x):
    """Say whether a number has a minus, -0.0 included."""
    return math.copysign(1.0, x) < 0


def count_between_floats(x, y, width=64):
    """Count the floats from x to y, both included."""
    if is_negative(x) and not is_negative(y):
        below = count_between_floats(x, -0.0, width)
        return below + count_between_floats(0.0, y, width)
    return abs(float_to_int(y, width) - float_to_int(x, width)) + 1


def next_up(value, width=64):
    """Return the next larger float; that of -0.0 is 0.0."""
    if math.isnan(value) or value == math.inf:
        return value
    if value == 0 and is_negative(value):
        return 0.0
    step = -1 if is_negative(value) else 1
    return int_to_float(float_to_int(value, width) + step, width)


def next_down(value, width=64):
    """Return the next smaller float."""
    return -next_up(-value, width)


def next_up_normal(value, width, *, allow_subnormal):
    """Return the next larger float, subnormal ones left out if asked."""
    return -next_down_normal(-value, width, allow_subnormal=allow_subnormal)


def next_down_normal(value, width, *, allow_subnormal):
    """Return the next smaller float, subnormal ones left out if asked."""
    value = next_down(value, width)
    smallest = width_smallest_normals(width)
    if allow_subnormal or not 0 < abs(value) < smallest:
        return value
    return 0.0 if value > 0 else -smallest


FLOATS = [
    count_between_floats,
    float_of,
    float_to_int,
    int_to_float,
    is_negative,
    next_down,
    next_down_normal,
    next_up,
    next_up_normal,
    width_smallest_normals,
]


def install(version):
    """Put the stand-ins where Hypothesis looks for the compiled functions."""
    contents = {
        "_native": {"__version__": version},
        "_native.internal": {},
        "_native.internal.floats": {f.__name__: f for f in FLOATS},
        "_native.internal.cathetus": {"cathetus": None},  # complex numbers
    }
    for name, content in contents.items():
        module = types.ModuleType(f"hypothesis.{name}")
        vars(module).update(content)
        sys.modules[module.__name__] = module
