"""The cheat sheet: its code runs, and its numbers are right."""

import re
from pathlib import Path

import numpy as np
import pytest

import attnlib as al

PAGE = (Path(__file__).parents[1] / "book" / "cheat-sheet.md").read_text(
    "utf-8"
)
NUMPY, TORCH = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.M)


@pytest.fixture
def attention():
    """Return the function that is printed on the page."""
    names = {}
    exec(NUMPY, names)
    return names["attention"]


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    shapes = [(2, 3, 5, 7), (2, 3, 11, 7), (2, 3, 11, 13)]
    return [rng.normal(size=shape) for shape in shapes]


def say(text):
    """Say whether the page holds this text, wherever its lines break."""
    return re.sub(r"\s+", " ", text) in re.sub(r"\s+", " ", PAGE)


def test_the_implementation_has_eight_short_lines():
    lines = NUMPY.splitlines()
    assert len(lines) == 8
    assert max(map(len, lines)) <= 79


@pytest.mark.parametrize("masked", [False, True])
def test_the_implementation_agrees_with_attnlib(attention, arrays, masked):
    mask = al.create_causal_mask(5, 11) if masked else True
    expected = al.scaled_dot_product_attention(
        *arrays, mask if masked else None
    )
    for ours, theirs in zip(attention(*arrays, mask), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_a_row_without_keys_gets_zeros(attention, arrays, kind):
    mask = np.ones((5, 11), bool)
    mask[2] = False
    arrays = [x.astype(kind) for x in arrays]
    output, weights = attention(*arrays, mask)
    assert not output[..., 2, :].any()
    assert not weights[..., 2, :].any()
    assert {output.dtype.name, weights.dtype.name} == {kind}
    others = np.delete(weights, 2, axis=-2).astype(float)
    np.testing.assert_allclose(others.sum(-1), 1, atol=0.01)
    assert np.isfinite(output).all()


def test_scores_far_below_zero_still_share_one(attention, arrays):
    values = arrays[2][0, 0, :5]
    _, weights = attention(np.ones((3, 7)), np.full((5, 7), -1e32), values)
    np.testing.assert_allclose(weights, 0.2)


def test_large_scores_do_not_overflow(attention, arrays):
    q, k, v = arrays
    _, weights = attention(q * 1e3, k * 1e3, v)
    al.validate_attention(weights)


def test_float32_stays_float32(attention, arrays):
    arrays = [x.astype(np.float32) for x in arrays]
    mask = al.create_causal_mask(5, 11)
    assert {x.dtype.name for x in attention(*arrays, mask)} == {"float32"}


def test_the_masks_are_those_of_attnlib():
    n_q, n_k, w = 3, 7, 2
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    causal = j <= i + n_k - n_q
    window = causal & (j > i + n_k - n_q - w)
    assert (causal == al.create_causal_mask(n_q, n_k)).all()
    assert (window == al.create_window_mask(n_q, n_k, window=w)).all()
    for name in re.findall(r"`(create_\w+)`", PAGE):
        assert name in al.__all__


@pytest.mark.parametrize(
    ("n", "size", "text"),
    [
        (1024, 4 * 2**20, "4 MiB for $n$ = 1,024"),
        (4096, 64 * 2**20, "64 MiB for 4,096"),
        (16384, 2**30, "1 GiB for 16,384"),
    ],
)
def test_the_size_of_a_map_is_right(n, size, text):
    assert n * n * np.dtype(np.float32).itemsize == size
    assert say(text)


def test_the_limits_of_exp_are_right():
    assert say("above 88.72 in float32 and above 11.09 in float16")
    assert say("65,504")
    for kind, limit in [(np.float32, 88.72), (np.float16, 11.09)]:
        largest = float(np.log(float(np.finfo(kind).max)))
        assert abs(largest - limit) < 0.005
    assert np.finfo(np.float16).max == 65504


def test_the_counts_of_parameters_and_cache_are_right():
    one = al.MultiHeadAttention(768, 12, rng=0)
    four = (one.W_q, one.W_k, one.W_v, one.W_o)
    assert sum(w.size for w in four) == 2_359_296 == 4 * 768**2
    assert say("2,359,296")
    numbers = 2 * 12 * 12 * 64
    assert numbers == 18_432
    assert numbers * 2 == 36 * 1024
    assert say("18,432, which is 36 KiB in float16")


def test_the_heads_of_the_models_multiply_to_their_width():
    products = re.findall(r"(\d+)(?: heads)? × (\d+) = ([\d,]+)", PAGE)
    assert len(products) == 3
    for heads, width, total in products:
        assert int(heads) * int(width) == int(total.replace(",", ""))


def test_pytorch_means_by_its_masks_what_the_page_says(arrays):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    mask = torch.tensor(al.create_causal_mask(5))
    mask[2, 0] = False
    q, k, v = (torch.tensor(x[..., :5, :7]) for x in arrays)
    ours, _ = al.scaled_dot_product_attention(q, k, v, mask.numpy())
    names = {"F": torch.nn.functional, "nn": torch.nn, "mask": mask}
    names |= {"q": q, "k": k, "v": v, "d_model": 6, "h": 2}
    names["x"] = torch.tensor(rng.normal(size=(2, 5, 6)), dtype=torch.float32)
    names["real"] = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    first, second = TORCH.split("\n", 1)
    np.testing.assert_allclose(eval(first, names), ours, rtol=1e-9)
    _, weights = eval(second, names)
    allowed = (names["real"][:, None] & mask).numpy()
    assert ((weights.detach().numpy() > 0) == allowed).all()


def test_pytorch_aligns_a_causal_mask_at_the_top_left(arrays):
    torch = pytest.importorskip("torch")
    q, k, v = map(torch.tensor, arrays)
    attend = torch.nn.functional.scaled_dot_product_attention
    theirs = attend(q, k, v, is_causal=True)
    top_left = np.tri(5, 11, dtype=bool)
    ours, _ = al.scaled_dot_product_attention(*arrays, top_left)
    np.testing.assert_allclose(theirs, ours, rtol=1e-9)
