"""Each docstring's `Shapes:` line is parsed and tried."""

import inspect
import re
import sys
from operator import attrgetter

import numpy as np
import pytest

import attnlib as al
from attnlib import (
    autograd,
    functional,
    tinygpt,
    training,
    transformer,
    translator,
)

# A number for each symbol. No two are equal, so a swapped axis cannot pass;
# all are prime but those that must be divisible.
SIZES = {
    "n": 3, "n_q": 5, "n_k": 7, "d_k": 11, "d_v": 13, "d_in": 17,
    "d_out": 19, "d_head": 23, "num_heads": 29, "heads": 2, "kv_heads": 37,
    "group": 31, "batch": 41, "max_len": 43, "d": 2 * 47,
    "d_model": 29 * 53, "num_buckets": 32, "parts": 61, "vocabulary": 67,
}  # fmt: skip
NAMES = [name for name in al.__all__ if not name.startswith("_")]
MODULES = [autograd, functional, training, transformer, translator, tinygpt]
TAUGHT = [
    f"{module.__name__.removeprefix('attnlib.')}.{name}"
    for module in MODULES
    for name in module.__all__
]
TAUGHT.remove("translator.Translation")  # a named tuple
# They take numbers, functions or whole dicts of parameters.
UNSHAPED = {"Adam", "Tensor", "TinyGPT", "Translator", "learning_rate"}
UNSHAPED |= {"block", "gradients", "new_block", "train"}
SHAPED = [name for name in TAUGHT if name.split(".")[1] not in UNSHAPED]
INTEGERS = {"lengths", "ids", "positions", "relative_position", "targets"}
# What a call needs that is no array of a shape.
NORM = {
    f"b.norm.{name}": np.ones(SIZES["d_model"]) for name in ("gain", "bias")
}
MORE = {
    "create_padding_mask_from_ids": {"pad_id": 0},
    "create_window_mask": {"window": 2},
    "functional.dropout": {"rate": 0.5, "rng": 0},
    "transformer.norm": {"params": NORM, "name": "b"},
    "transformer.pre_norm": {"params": NORM, "name": "b", "sublayer": abs},
    "transformer.post_norm": {"params": NORM, "name": "b", "sublayer": abs},
}


def public(name):
    if name == "visualize_attention":
        pytest.importorskip("matplotlib")  # a browser's Python has none
    thing = attrgetter(name)(al)
    if thing is al.KVCache:
        return al.KVCache().append, thing.__doc__
    if thing is al.MultiHeadAttention:
        sizes = SIZES["d_model"], SIZES["num_heads"]
        return al.MultiHeadAttention(*sizes, rng=0), thing.__doc__
    return thing, thing.__doc__


def parse(docstring):
    """Return the cases of a Shapes line as (inputs, outputs).

    Both are lists of (name, axes); axes is None for a plain number.
    """
    docstring = inspect.cleandoc(docstring)  # Python 3.13 cleans it itself
    line = re.search(r"^Shapes: (.*?)(?:\n\n|\Z)", docstring, re.M | re.S)[1]
    cases = []
    for case in " ".join(line.split()).split(";"):
        sides = []
        for side in case.split("->"):
            items = re.findall(
                r"(\w+)? ?(?:\(([^)]*)\))?(?:,|$)", side.strip()
            )
            sides.append(
                [
                    (
                        name,
                        axes.split(", ")
                        if axes
                        else ([] if "()" in side else None),
                    )
                    for name, axes in items
                    if name or axes
                ]
            )
        cases.append(sides)
    return cases


def shape(axes, batch):
    """Put numbers for the symbols of ``(..., n, a*b)``."""
    sizes = []
    for axis in axes:
        if axis == "...":
            sizes.extend(batch)
        elif axis:
            factors = (SIZES.get(f) or int(f) for f in axis.split("*"))
            sizes.append(int(np.prod(list(factors))))
    return tuple(sizes)


def argument(name, axes, batch):
    if axes is None:
        return SIZES[name]
    size, rng = shape(axes, batch), np.random.default_rng(0)
    if name in INTEGERS:
        return rng.integers(0, SIZES["max_len"], size)
    x = rng.normal(size=size)
    return al.softmax(x) if name == "weights" else x


def results(value):
    if value is None:
        return []
    return list(value) if isinstance(value, tuple | list) else [value]


def test_the_parser_reads_a_line():
    line = "x\n\n    Shapes: q (..., n, a*b), m\n        -> w (n), (m, 1)\n\n"
    assert parse(line) == [
        [
            [("q", ["...", "n", "a*b"]), ("m", None)],
            [("w", ["n"]), ("", ["m", "1"])],
        ]
    ]


@pytest.mark.parametrize("batch", [(), (2,), (2, 59)])
@pytest.mark.parametrize("name", NAMES + SHAPED)
def test_shapes_line_is_true(name, batch):
    function, docstring = public(name)
    for inputs, outputs in parse(docstring):
        call = {n: argument(n, axes, batch) for n, axes in inputs}
        if name == "MultiHeadAttention" and len(batch) == 2:
            batch = (2, 3)  # as telling, and lighter
            call = {n: argument(n, axes, batch) for n, axes in inputs}
        found = results(function(**call, **MORE.get(name, {})))
        if name == "visualize_attention":
            sys.modules["matplotlib.pyplot"].close("all")
        expected = [] if outputs == [("nothing", None)] else outputs
        if name == "functional.split":  # "parts times" one shape
            expected = expected * SIZES["parts"]
        assert len(found) == len(expected)
        for value, (_, axes) in zip(found, expected, strict=True):
            assert np.shape(value) == shape(axes, batch)


@pytest.mark.parametrize("name", NAMES + TAUGHT)
def test_docstring_says_what_shapes_and_how(name):
    docstring = inspect.cleandoc(public(name)[1])
    summary, blank, *_ = docstring.splitlines()
    assert summary.endswith(".")
    assert len(summary) <= 75
    assert not blank
    assert "Examples\n--------\n>>> " in docstring
    parameters = inspect.signature(attrgetter(name)(al)).parameters
    documented = re.search(
        r"Parameters\n-+\n(.*?)\n\n\w+\n---", docstring, re.S
    )
    for parameter in parameters:
        assert re.search(rf"\b{parameter}\b", documented[1])
