import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnlib as al
from attnlib import efficient

N_Q, N_K, D_K, D_V = 13, 17, 3, 5


def random_qkv(*batch, n_q=N_Q, n_k=N_K, dtype=np.float64, size=1.0):
    rng = np.random.default_rng(n_q * n_k)
    shapes = (n_q, D_K), (n_k, D_K), (n_k, D_V)
    return [size * rng.normal(size=(*batch, *s)).astype(dtype) for s in shapes]


def plain(q, k, v, mask=None, *, causal=False, scale=None):
    """Attention with an explicit mask, by the function with weights."""
    if causal:
        past = al.create_causal_mask(q.shape[-2], k.shape[-2])
        if mask is None:
            mask = past
        elif mask.dtype == bool:
            mask = mask & past
        else:
            mask = np.where(past, mask, -np.inf)
    return al.scaled_dot_product_attention(q, k, v, mask, scale=scale)[0]


@pytest.mark.parametrize("size", [1.0, 30.0])  # without and with a maximum
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kind", [None, "bool", "float"])
@pytest.mark.parametrize("lengths", [(13, 17), (17, 13), (1, 17), (17, 1)])
def test_tiled_equals_plain_for_every_block_size(size, causal, kind, lengths):
    n_q, n_k = lengths
    q, k, v = random_qkv(2, n_q=n_q, n_k=n_k, size=size)
    mask = None
    if kind:
        mask = np.random.default_rng(1).random((2, n_q, n_k)) < 0.6
        mask[:, 0] = False
    if kind == "float":
        mask = np.where(mask, 7 * mask.cumsum(-1), -np.inf)
    want = plain(q, k, v, mask, causal=causal)
    for block in (*range(1, 19), 100, None):
        got = al.memory_efficient_attention(
            q, k, v, mask, causal=causal, block_size=block
        )
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("causal", [False, True])
def test_tiled_equals_plain_over_many_default_tiles(causal):
    rng = np.random.default_rng(2)
    q, k, v = rng.normal(size=(3, 2, 1500, 8))
    got = al.memory_efficient_attention(q, k, v, causal=causal)
    want = plain(q, k, v, causal=causal)
    assert np.abs(got - want).max() < 1e-10


@given(
    batch=st.sampled_from([(), (2,), (1, 7), (2, 7, 3)]),
    block=st.integers(1, 20),
    shape=st.sampled_from([(N_K,), (1, N_K), (N_Q, 1), (N_Q, N_K)]),
    causal=st.booleans(),
)
def test_tiled_equals_plain_for_any_batch_and_mask(
    batch, block, shape, causal
):
    q, k, v = random_qkv(*batch)
    mask = np.random.default_rng(3).random(shape) < 0.6
    got = al.memory_efficient_attention(
        q, k, v, mask, causal=causal, block_size=block, scale=0.7
    )
    want = plain(q, k, v, mask, causal=causal, scale=0.7)
    np.testing.assert_allclose(got, want, atol=1e-12)


def test_batch_axes_broadcast_without_copies():
    q, _, _ = random_qkv(2, 7)
    _, k, v = random_qkv(7)
    got = al.memory_efficient_attention(q, k, v, block_size=2)
    np.testing.assert_allclose(got, plain(q, k, v), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_type_is_kept(dtype):
    q, k, v = random_qkv(2, dtype=dtype)
    got = al.memory_efficient_attention(q, k, v, block_size=4)
    assert got.dtype == dtype
    tolerance = 8 * float(np.finfo(dtype).eps)
    np.testing.assert_allclose(got, plain(q, k, v), atol=tolerance)
    assert al.linear_attention(q, k, v).dtype == dtype
    assert (
        al.linear_attention(q, k[..., :N_K, :], v, causal=True).dtype == dtype
    )


@pytest.mark.parametrize("size", [1.0, 30.0])
@pytest.mark.parametrize("block", [1, 4, 50])
def test_what_is_masked_never_leaks(size, block):
    q, k, v = random_qkv(size=size)
    mask = np.ones((N_Q, N_K), bool)
    mask[:9, 11:] = False
    options = {"mask": mask, "block_size": block}
    clean = al.memory_efficient_attention(q, k, v, **options)
    for poison in (np.nan, np.inf):
        k[12], v[12] = poison, poison
        with np.errstate(all="raise"):
            dirty = al.memory_efficient_attention(q, k, v, **options)
        np.testing.assert_array_equal(dirty[:9], clean[:9])
        assert not np.isfinite(dirty[9:]).any()


@pytest.mark.parametrize("block", [1, 4, 50])
def test_the_future_never_leaks(block):
    q, k, v = random_qkv(n_q=N_K)
    options = {"causal": True, "block_size": block}
    clean = al.memory_efficient_attention(q, k, v, **options)
    k[12], v[12] = np.nan, np.nan
    dirty = al.memory_efficient_attention(q, k, v, **options)
    np.testing.assert_array_equal(dirty[:12], clean[:12])
    assert np.isnan(dirty[12:]).all()


@pytest.mark.parametrize("causal", [False, True])
def test_inputs_as_large_as_float32_allows_give_finite_results(causal):
    top = np.finfo(np.float32).max
    q, k, v = (np.full((7, d), top) for d in (D_K, D_K, D_V))
    for block in (1, 3, None):
        got = al.memory_efficient_attention(
            q, -k, v, causal=causal, block_size=block
        )
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, top, rtol=1e-6)
    got = al.linear_attention(q, k, v, causal=causal)
    np.testing.assert_allclose(got, top, rtol=1e-6)


def test_large_values_with_small_scores_do_not_overflow():
    q, k, _ = random_qkv(dtype=np.float32)
    v = np.full((N_K, D_V), 1e38, np.float32)
    got = al.memory_efficient_attention(4 * q, 4 * k, v)
    np.testing.assert_allclose(got, 1e38, rtol=1e-6)


def test_tiny_queries_times_huge_keys_are_not_taken_for_small_scores():
    q = np.full((1, 4), 1e-23, "f")
    k = np.array([[1e25] * 4, [-1e25] * 4], "f")
    v = np.array([[1.0], [2.0]], "f")
    assert al.memory_efficient_attention(q, k, v) == 1


def test_a_nan_does_not_hide_a_large_number_beside_it():
    q, k = np.full((1, 1), 6.2, "f"), np.full((3, 1), 6.2, "f")
    v = np.array([[np.nan, 1e38], [1, 1], [1, 1]], "f")
    got = al.memory_efficient_attention(q, k, v)
    assert np.isnan(got[0, 0])
    np.testing.assert_allclose(got[0, 1], 1e38 / 3, rtol=1e-6)


@pytest.mark.parametrize("bound", [39.9, 40.1, 80.0])
@pytest.mark.parametrize("sign", [1, -1])
def test_scores_around_the_bound_are_exact(bound, sign):
    rng = np.random.default_rng(4)
    q, k = rng.normal(size=(2, 50, 4))
    q *= (bound**0.5 / np.linalg.norm(q, axis=-1)).max()
    q *= bound**0.5 / np.linalg.norm(q, axis=-1).max()
    k *= bound**0.5 / np.linalg.norm(k, axis=-1).max()
    k[0] = sign * q[0]
    v = rng.normal(size=(50, 3))
    got = al.memory_efficient_attention(q, k, v, scale=1, block_size=7)
    np.testing.assert_allclose(got, plain(q, k, v, scale=1), atol=1e-12)


def test_float32_stays_float32_in_tiles(monkeypatch):
    seen = []
    for name in ("_stream", "mix"):
        real = getattr(efficient, name)

        def spy(*arguments, real=real):
            seen.append(real(*arguments).dtype)
            return real(*arguments)

        monkeypatch.setattr(efficient, name, spy)
    q, k, v = random_qkv(2, dtype=np.float32)
    al.memory_efficient_attention(q, k, v, np.zeros((N_Q, N_K)))
    al.linear_attention(q, k, v, causal=True)
    assert len(seen) >= 3
    assert set(seen) == {np.dtype(np.float32)}


def test_memory_grows_with_the_length_and_not_with_its_square():
    peaks = []
    for n in (2048, 8192):
        x = np.ones((n, 16), np.float32)
        tracemalloc.start()
        al.memory_efficient_attention(x, x, x)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 4.5 * peaks[0]
    assert peaks[1] < 8192 * 8192 * 4 / 20


def test_tiles_that_causality_hides_are_skipped(monkeypatch):
    seen = []
    real = np.matmul

    def spy(a, b, **rest):
        seen.append(a.shape[-2] * b.shape[-1])
        return real(a, b, **rest)

    monkeypatch.setattr(efficient.np, "matmul", spy)
    q, k, v = random_qkv(n_q=64, n_k=64)
    al.memory_efficient_attention(q, k, v, causal=True, block_size=2)
    # 8 tiles of 8 queries each: half of the scores, and half a tile's more
    assert sum(seen) <= 64 * 64 / 2 + 64 * 8 / 2
    assert sum(seen) >= 64 * 65 / 2


def test_inputs_are_never_modified():
    arrays = random_qkv(2, dtype=np.float32)
    mask = np.zeros((N_Q, N_K), np.float32)
    copies = [x.copy() for x in (*arrays, mask)]
    for array in (*arrays, mask):
        array.flags.writeable = False
    al.memory_efficient_attention(*arrays, mask, block_size=4)
    al.linear_attention(*arrays, causal=True)
    for array, copy in zip((*arrays, mask), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def linear_by_definition(q, k, v, causal):
    """Weights f(q) . f(k) with f = elu + 1, normalised row by row."""

    def f(x):
        return np.where(x > 0, x + 1, np.exp(x))

    weights = f(q) @ f(k).swapaxes(-1, -2)
    if causal:
        weights = weights * al.create_causal_mask(*weights.shape[-2:])
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ v


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("lengths", [(13, 13), (5, 13), (13, 5), (300, 300)])
@pytest.mark.parametrize("batch", [(), (2, 7)])
def test_linear_attention_follows_its_definition(causal, lengths, batch):
    q, k, v = random_qkv(*batch, n_q=lengths[0], n_k=lengths[1])
    got = al.linear_attention(q, k, v, causal=causal)
    want = linear_by_definition(q, k, v, causal)
    np.testing.assert_allclose(got, want, atol=1e-12)


@pytest.mark.parametrize("chunk", [1, 2, 5, 12, 13, 50])
def test_linear_attention_does_not_depend_on_its_chunks(monkeypatch, chunk):
    q, k, v = random_qkv(7, n_q=13, n_k=17)
    want = linear_by_definition(q, k, v, causal=True)
    monkeypatch.setattr(efficient, "CHUNK", chunk)
    got = al.linear_attention(q, k, v, causal=True)
    np.testing.assert_allclose(got, want, atol=1e-12)


def test_linear_attention_does_not_see_the_future():
    q, k, v = random_qkv(n_q=N_K)
    clean = al.linear_attention(q, k, v, causal=True)
    k[12], v[12] = np.nan, np.nan
    dirty = al.linear_attention(q, k, v, causal=True)
    np.testing.assert_array_equal(dirty[:12], clean[:12])
    assert np.isnan(dirty[12:]).all()


def test_linear_attention_with_broadcast_batches_and_a_nan():
    q, k, v = random_qkv(n_q=N_K)
    clean = al.linear_attention(np.stack([q, -q]), k, v, causal=True)
    v[-1] = np.inf
    dirty = al.linear_attention(np.stack([q, -q]), k, v, causal=True)
    np.testing.assert_array_equal(dirty[:, :-1], clean[:, :-1])


def test_linear_attention_in_float32_does_not_lose_small_features():
    for q, k in [([[0.0]], [[-110.0], [-111.0]]), ([[0, -110]], [[-110, 0]])]:
        v = np.full((len(k), 1), 5.0, "f")
        got = al.linear_attention(np.array(q, "f"), np.array(k, "f"), v)
        np.testing.assert_allclose(got, 5)


def test_linear_attention_of_very_negative_queries_is_no_zero_by_zero():
    q, k, v = random_qkv()
    shifted = al.linear_attention(q - 2000, k, v)
    assert np.abs(shifted).max() > 0.1
    # far below zero the features are exponentials: only differences count
    np.testing.assert_allclose(
        shifted, al.linear_attention(q - 3000, k, v), atol=1e-9
    )


@pytest.mark.parametrize(
    "function", [al.memory_efficient_attention, al.linear_attention]
)
def test_misuse_is_named_with_shapes(function):
    with pytest.raises(ValueError, match=r"q \(3, 5\), k \(2, 7\)"):
        function(np.ones((3, 5)), np.ones((2, 7)), np.ones((2, 7)))
    with pytest.raises(ValueError, match=r"k \(2, 5\), v \(3, 7\)"):
        function(np.ones((3, 5)), np.ones((2, 5)), np.ones((3, 7)))
    with pytest.raises(TypeError, match=r"^v "):
        function(np.ones((3, 5)), np.ones((2, 5)), "text")
    with pytest.raises(ValueError, match="overflow"):
        function([[1e200]], [[1e200]], [[1.0]])


def test_bad_mask_and_block_size_are_named():
    q, k, v = random_qkv()
    with pytest.raises(ValueError, match=r"mask .*\(3, 17\).*\(13, 17\)"):
        al.memory_efficient_attention(q, k, v, np.ones((3, 17), bool))
    with pytest.raises(TypeError, match=r"mask .*int"):
        al.memory_efficient_attention(q, k, v, np.ones((13, 17), int))
    with pytest.raises(ValueError, match="block_size"):
        al.memory_efficient_attention(q, k, v, block_size=0)
