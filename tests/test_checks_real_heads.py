"""The checks of chapter 8: each planted mistake is named, and no other."""

import numpy as np
import pytest

from attnlib import checks

RIGHT, WRONG = {}, {}


def right(check):
    def add(function):
        RIGHT.setdefault(check, []).append(function)
        return function

    return add


def wrong(check, mistake):
    def add(function):
        WRONG[check, mistake] = function
        return function

    return add


# --- the weight at a distance -----------------------------------------------


@right("distance_score")
def _(weights, offset):
    return np.diagonal(weights, offset, axis1=-2, axis2=-1).mean(-1)


@right("distance_score")
def _(weights, offset):
    n = weights.shape[-1]
    rows = [i for i in range(n) if 0 <= i + offset < n]
    return sum(weights[..., i, i + offset] for i in rows) / len(rows)


@wrong("distance_score", "other_side")
def _(weights, offset):
    n = weights.shape[-1]
    rows = [i for i in range(n) if 0 <= i - offset < n]
    return sum(weights[..., i, i - offset] for i in rows) / len(rows)


@wrong("distance_score", "all_rows")
def _(weights, offset):
    n, total = weights.shape[-1], 0
    for i in range(n):
        if 0 <= i + offset < n:
            total = total + weights[..., i, i + offset]
    return total / n


@wrong("distance_score", "no_mean")
def _(weights, offset):
    return np.trace(weights, offset, -2, -1)


@wrong("distance_score", "all_heads")
def _(weights, offset):
    return np.mean(np.diagonal(weights, offset, -2, -1))


@wrong("distance_score", "wrong_axes")
def _(weights, offset):
    return weights.diagonal(offset).mean(-1)


@wrong("distance_score", "largest")
def _(weights, offset):
    return weights.diagonal(offset, -2, -1).max(-1)


@wrong("distance_score", "wraps_around")
def _(weights, offset):
    rolled = np.roll(weights, -offset, axis=-1)
    return np.diagonal(rolled, 0, -2, -1).mean(-1)


# --- without the first token ------------------------------------------------


@right("without_first")
def _(weights):
    w = weights[..., 1:, 1:]
    return w / np.sum(w, -1)[..., None]


@right("without_first")
def _(weights):
    return weights[..., 1:, 1:] / (1 - weights[..., 1:, :1])


@wrong("without_first", "not_normalised")
def _(weights):
    return np.delete(np.delete(weights, 0, -1), 0, -2)


@wrong("without_first", "softmax_again")
def _(weights):
    powers = np.exp(weights[..., 1:, 1:])
    return powers / powers.sum(-1, keepdims=True)


@wrong("without_first", "row_kept")
def _(weights):
    w = np.delete(weights, 0, -1)
    return w / w.sum(-1, keepdims=True)


@wrong("without_first", "column_kept")
def _(weights):
    w = np.delete(weights, 0, -2)
    return w / w.sum(-1, keepdims=True)


@wrong("without_first", "shared_evenly")
def _(weights):
    w = weights[..., 1:, 1:]
    return w + (1 - w.sum(-1, keepdims=True)) / w.shape[-1]


@wrong("without_first", "columns")
def _(weights):
    w = weights[..., 1:, 1:]
    return w / w.sum(-2)[..., None, :]


@wrong("without_first", "whole_map")
def _(weights):
    w = weights[..., 1:, 1:]
    return w / np.sum(w)


@wrong("without_first", "keepdims")
def _(weights):
    w = weights[..., 1:, 1:]
    return w / w.sum(-1)


@wrong("without_first", "last_token")
def _(weights):
    w = np.delete(np.delete(weights, -1, -1), -1, -2)
    return w / w.sum(-1, keepdims=True)


# --- one weight hidden ------------------------------------------------------


@right("hide_key")
def _(weights, query, key):
    w = weights.copy()
    w[..., query, key] = 0
    w[..., query, :] /= w[..., query, :].sum(-1, keepdims=True)
    return w


@right("hide_key")
def _(weights, query, key):
    scores = np.log(weights)
    scores[..., query, key] = -np.inf
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


@wrong("hide_key", "not_normalised")
def _(weights, query, key):
    mask = np.ones(weights.shape[-2:])
    mask[query, key] = 0
    return weights * mask


@wrong("hide_key", "all_rows")
def _(weights, query, key):
    w = weights.copy()
    w[..., :, key] = 0
    return w / w.sum(-1, keepdims=True)


@wrong("hide_key", "swapped")
def _(weights, query, key):
    w = weights.copy()
    w[..., key, query] = 0
    return w / w.sum(-1, keepdims=True)


@wrong("hide_key", "shared_evenly")
def _(weights, query, key):
    w = weights.copy()
    others = [j for j in range(w.shape[-1]) if j != key]
    for j in others:
        w[..., query, j] += w[..., query, key] / len(others)
    w[..., query, key] = 0
    return w


@wrong("hide_key", "softmax_again")
def _(weights, query, key):
    w = weights.copy()
    w[..., query, key] = 0
    powers = np.exp(w[..., query, :])
    w[..., query, :] = powers / powers.sum(-1, keepdims=True)
    return w


# --- what each head adds ----------------------------------------------------


@right("head_parts")
def _(heads, w_o):
    d = heads.shape[-1]
    blocks = [w_o[i * d : (i + 1) * d] for i in range(len(heads))]
    return np.stack([x @ w for x, w in zip(heads, blocks, strict=True)])


@right("head_parts")
def _(heads, w_o):
    h, n, d = heads.shape
    parts = []
    for i in range(h):
        alone = np.zeros_like(heads)
        alone[i] = heads[i]
        parts.append(alone.swapaxes(0, 1).reshape(n, h * d) @ w_o)
    return parts


@wrong("head_parts", "summed")
def _(heads, w_o):
    h, n, d = heads.shape
    return heads.swapaxes(0, 1).reshape(n, h * d) @ w_o


@wrong("head_parts", "columns")
def _(heads, w_o):
    h, n, d = heads.shape
    output = heads.swapaxes(0, 1).reshape(n, h * d) @ w_o
    block = np.repeat(np.arange(h), d)
    return np.stack([output * (block == i) for i in range(h)])


@wrong("head_parts", "columns_of_w_o")
def _(heads, w_o):
    d = heads.shape[-1]
    blocks = [w_o[:, i * d : (i + 1) * d] for i in range(len(heads))]
    return np.stack([x @ w.T for x, w in zip(heads, blocks, strict=True)])


@wrong("head_parts", "first_block")
def _(heads, w_o):
    return np.stack([x @ w_o[: heads.shape[-1]] for x in heads])


@wrong("head_parts", "no_projection")
def _(heads, w_o):
    h, n, d = heads.shape
    parts = np.zeros((h, n, h * d))
    for i in range(h):
        parts[i, :, i * d : (i + 1) * d] = heads[i]
    return parts


@wrong("head_parts", "interleaved")
def _(heads, w_o):
    h = len(heads)
    return np.stack([x @ w_o[i::h] for i, x in enumerate(heads)])


# --- the chance of a lucky head ---------------------------------------------

NUMBERS = {
    "one_head": 1 / 16,
    "none": 0.0096,
    "added": 4.5,
    "all_heads": 0.0,
}


def check_of(name):
    return getattr(checks, f"check_{name}")


@pytest.mark.parametrize("name", RIGHT)
def test_right_functions_of_different_styles_pass(name):
    assert len(RIGHT[name]) > 1
    for function in RIGHT[name]:
        report = check_of(name)(function)
        assert report.status == "right", report


@pytest.mark.parametrize(("name", "mistake"), WRONG)
def test_the_planted_mistake_is_named(name, mistake):
    report = check_of(name)(WRONG[name, mistake])
    assert (report.status, report.mistake) == ("wrong", mistake), report


@pytest.mark.parametrize("name", RIGHT)
def test_every_known_mistake_is_planted(name):
    planted = {m for check, m in WRONG if check == name}
    assert planted == set(check_of(name).mistakes)


@pytest.mark.parametrize("mistake", NUMBERS)
def test_wrong_numbers_are_explained(mistake):
    check = checks.check_lucky_head
    assert check(NUMBERS[mistake]).mistake == mistake
    assert set(NUMBERS) == set(check.mistakes)


def test_right_number():
    assert checks.check_lucky_head(0.99)
    assert checks.check_lucky_head(1 - (15 / 16) ** 72)
    assert checks.check_lucky_head(...).status == "not attempted"
