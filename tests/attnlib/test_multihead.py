import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnlib as al
from attnlib import multihead

HEADS, D_HEAD, N_Q, N_K, BATCH = 3, 5, 7, 11, 2
D_MODEL = HEADS * D_HEAD


def module(**options):
    options = {"rng": 0, "dtype": np.float64, **options}
    return al.MultiHeadAttention(D_MODEL, HEADS, **options)


def sequence(n, *batch, seed=1, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*batch, n, D_MODEL)).astype(dtype)


def by_loop(m, query, key, value, mask=None):
    """Multi-head attention head by head, as the formula is written."""
    group = m.num_heads // m.num_kv_heads
    heads, maps = [], []
    bias = [0 if b is None else b for b in (m.b_q, m.b_k, m.b_v, m.b_o)]
    for h in range(m.num_heads):
        mine = slice(h * D_HEAD, (h + 1) * D_HEAD)
        shared = slice(h // group * D_HEAD, (h // group + 1) * D_HEAD)
        output, weights = al.scaled_dot_product_attention(
            (query @ m.W_q + bias[0])[:, mine],
            (key @ m.W_k + bias[1])[:, shared],
            (value @ m.W_v + bias[2])[:, shared],
            None if mask is None else mask[h],
        )
        heads.append(output)
        maps.append(weights)
    return np.hstack(heads) @ m.W_o + bias[3], np.stack(maps)


@pytest.mark.parametrize("num_kv_heads", [None, 1, 3])
@pytest.mark.parametrize("bias", [False, True])
def test_equals_a_loop_over_heads(num_kv_heads, bias):
    m = module(num_kv_heads=num_kv_heads, bias=bias)
    if bias:
        rng = np.random.default_rng(2)
        for name in ("b_q", "b_k", "b_v", "b_o"):
            setattr(m, name, rng.normal(size=getattr(m, name).shape))
    query, key, value = (sequence(n, seed=n) for n in (N_Q, N_K, N_K))
    mask = np.random.default_rng(3).random((HEADS, N_Q, N_K)) < 0.7
    for arguments in [(query, query, query), (query, key, key)]:
        want = by_loop(m, *arguments)
        got = m(*arguments)
        short = m(query) if arguments[1] is query else m(query, key)
        for a, b, c in zip(got, want, short, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-13)
            np.testing.assert_allclose(c, b, atol=1e-13)
    want = by_loop(m, query, key, value, mask)
    for a, b in zip(m(query, key, value, mask), want, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-13)


def test_one_head_with_identity_projections_is_plain_attention():
    m = al.MultiHeadAttention(D_MODEL, 1, rng=0, dtype=np.float64)
    m.W_q = m.W_k = m.W_v = m.W_o = np.eye(D_MODEL)
    x = sequence(N_Q, BATCH)
    output, weights = m(x)
    want = al.scaled_dot_product_attention(x, x, x)
    np.testing.assert_allclose(output, want[0], atol=1e-14)
    np.testing.assert_allclose(weights[:, 0], want[1], atol=1e-14)


def test_hand_computed_two_heads_of_one_token():
    # One token attends to itself with weight 1: [1, 2] -> values [3, 8].
    m = al.MultiHeadAttention(2, 2, rng=0, dtype=np.float64)
    m.W_v, m.W_o = np.diag([3.0, 4.0]), np.array([[0.0, 1.0], [1.0, 0.0]])
    output, weights = m([[1.0, 2.0]])
    np.testing.assert_array_equal(output, [[8, 3]])
    np.testing.assert_array_equal(weights, np.ones((2, 1, 1)))


@pytest.mark.parametrize("batch", [(), (BATCH,), (BATCH, 13)])
def test_batches_are_independent_problems(batch):
    m = module(num_kv_heads=1)
    query, key = sequence(N_Q, *batch), sequence(N_K, *batch, seed=2)
    output, weights = m(query, key)
    assert output.shape == (*batch, N_Q, D_MODEL)
    assert weights.shape == (*batch, HEADS, N_Q, N_K)
    for item in np.ndindex(*batch):
        one = m(query[item], key[item])
        np.testing.assert_allclose(output[item], one[0], atol=1e-13)
        np.testing.assert_allclose(weights[item], one[1], atol=1e-13)


@pytest.mark.parametrize(
    "shape",
    [(N_K,), (1, N_K), (N_Q, N_K), (1, 1, N_K), (HEADS, 1, N_K),
     (HEADS, N_Q, N_K), (BATCH, 1, 1, N_K), (BATCH, HEADS, N_Q, N_K),
     (BATCH, 1, N_Q, 1)],
)  # fmt: skip
@pytest.mark.parametrize("num_kv_heads", [1, HEADS])
def test_masks_of_every_broadcastable_shape(shape, num_kv_heads):
    m = module(num_kv_heads=num_kv_heads)
    query, key = sequence(N_Q, BATCH), sequence(N_K, BATCH, seed=2)
    mask = np.random.default_rng(4).random(shape) < 0.6
    output, weights = m(query, key, mask=mask)
    al.validate_attention(weights, mask)
    full = np.broadcast_to(mask, (BATCH, HEADS, N_Q, N_K))
    for b in range(BATCH):
        want, _ = by_loop(m, query[b], key[b], key[b], full[b])
        np.testing.assert_allclose(output[b], want, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("weight_type", [np.float16, np.float32, np.float64])
def test_results_have_the_float_type_of_the_input(dtype, weight_type):
    m = module(dtype=weight_type, bias=True)
    for result in m(sequence(N_Q, BATCH, dtype=dtype)):
        assert result.dtype == dtype
    assert m.W_q.dtype == m.b_o.dtype == weight_type


def test_padding_in_a_batch_has_no_influence():
    m = module()
    x = sequence(N_K, BATCH)
    mask = al.create_padding_mask([5, N_K], N_K)
    clean, _ = m(x, mask=mask)
    x[0, 5:] = np.nan
    dirty, _ = m(x, mask=mask)
    np.testing.assert_allclose(dirty[0, :5], clean[0, :5], atol=1e-14)
    np.testing.assert_array_equal(dirty[1], clean[1])


@pytest.mark.parametrize("num_kv_heads", [1, HEADS])
@pytest.mark.parametrize("steps", [[1] * 11, [5, 3, 2, 1], [11], [4, 7]])
def test_cached_equals_full(num_kv_heads, steps):
    m = module(num_kv_heads=num_kv_heads, bias=True)
    x = sequence(11, BATCH)
    full, full_weights = m(x, mask=al.create_causal_mask(11))
    cache, done = al.KVCache(), 0
    for n in steps:
        new = x[:, done : done + n]
        mask = al.create_causal_mask(n, done + n)
        output, weights = m(new, mask=mask, cache=cache)
        rows = slice(done, done + n)
        np.testing.assert_allclose(output, full[:, rows], atol=1e-13)
        np.testing.assert_allclose(
            weights, full_weights[:, :, rows, : done + n], atol=1e-13
        )
        done += n
        assert len(cache) == done


def test_same_rng_same_weights():
    a, b = module(rng=5), module(rng=np.random.default_rng(5))
    np.testing.assert_array_equal(a.W_q, b.W_q)
    assert (module(rng=None).W_q != module(rng=None).W_q).any()


def test_initial_weights_have_glorot_variance():
    m = al.MultiHeadAttention(240, 3, num_kv_heads=1, rng=0)
    for w in (m.W_q, m.W_k, m.W_v, m.W_o):
        expected = 2 / sum(w.shape)
        np.testing.assert_allclose(w.var(), expected, rtol=0.05)


def test_projections_can_be_set_and_changed_in_place():
    m = module(num_kv_heads=1, bias=True)
    m.W_k = np.full((D_MODEL, D_HEAD), 2.0)
    m.W_v[...] = 3.0
    m.b_v[2] = 7.0
    assert (m.W_k == 2).all()
    assert (m.W_v == 3).all()
    assert m.b_v.tolist() == [0, 0, 7, 0, 0]
    assert (m.b_k == 0).all()


def test_setting_a_projection_copies_it():
    m, new = module(), np.zeros((D_MODEL, D_MODEL))
    m.W_q = new
    new[0, 0] = 9
    assert m.W_q[0, 0] == 0


def test_without_bias_there_is_none():
    m = module()
    assert m.b_q is m.b_k is m.b_v is m.b_o is None


def test_projections_of_the_wrong_shape_are_named():
    m = module(num_kv_heads=1)
    with pytest.raises(ValueError, match=r"W_k .*\(15, 5\), got \(15, 15\)"):
        m.W_k = np.zeros((D_MODEL, D_MODEL))
    with pytest.raises(TypeError, match="W_q"):
        m.W_q = "weights"
    with pytest.raises(ValueError, match=r"b_q .*bias=False"):
        m.b_q = np.zeros(D_MODEL)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((10, 3), {}, ValueError, "d_model 10, num_heads 3"),
        ((12, 4), {"num_kv_heads": 3}, ValueError, "num_kv_heads 3"),
        ((0, 1), {}, ValueError, "d_model"),
        ((4, -2), {}, ValueError, "num_heads"),
        ((4, 2), {"num_kv_heads": 0}, ValueError, "num_kv_heads"),
        ((4.0, 2), {}, TypeError, "d_model"),
        ((4, 2), {"dtype": int}, TypeError, "dtype"),
    ],
)
def test_bad_sizes_are_named(arguments, options, error, message):
    with pytest.raises(error, match=message):
        al.MultiHeadAttention(*arguments, **options)


def test_calls_that_make_no_sense_are_named():
    m, x = module(), sequence(N_Q)
    with pytest.raises(ValueError, match=r"query .*15.*\(7, 3\)"):
        m(x[:, :3])
    with pytest.raises(ValueError, match=r"value .*15.*\(7, 3\)"):
        m(x, x, x[:, :3])
    with pytest.raises(ValueError, match=r"value .*without key"):
        m(x, value=x)
    with pytest.raises(ValueError, match="cache"):
        m(x, x, cache=al.KVCache())
    with pytest.raises(ValueError, match=r"mask .*\(5, 7\).*\(3, 7, 7\)"):
        m(x, mask=np.ones((5, 7), bool))
    with pytest.raises(ValueError, match="length"):
        m(x, x, sequence(N_K))
    with pytest.raises(TypeError, match="query"):
        m("text")


def test_a_call_with_a_bad_mask_does_not_change_the_cache():
    m, cache = module(), al.KVCache()
    m(sequence(5), cache=cache)
    with pytest.raises(ValueError, match="mask"):
        m(sequence(1), mask=np.ones((1, 3), bool), cache=cache)
    assert len(cache) == 5


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5))
def test_merge_undoes_split(heads, n, d_head):
    x = np.arange(2 * n * heads * d_head).reshape(2, n, heads * d_head)
    split = al.split_heads(x, heads)
    assert split.shape == (2, heads, n, d_head)
    np.testing.assert_array_equal(al.merge_heads(split), x)


def test_split_heads_gives_each_head_its_own_columns():
    x = np.arange(12).reshape(2, 6)
    np.testing.assert_array_equal(
        al.split_heads(x, 3),
        [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [10, 11]]],
    )


def test_split_and_merge_name_what_does_not_fit():
    with pytest.raises(ValueError, match=r"num_heads = 4.*\(5, 6\)"):
        al.split_heads(np.zeros((5, 6)), 4)
    with pytest.raises(ValueError, match=r"\(6,\)"):
        al.split_heads(np.zeros(6), 2)
    with pytest.raises(ValueError, match="num_heads"):
        al.split_heads(np.zeros((5, 6)), 0)
    with pytest.raises(ValueError, match=r"\(5, 6\)"):
        al.merge_heads(np.zeros((5, 6)))


@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_grouped_queries_equal_repeated_keys_and_values(kv_heads):
    rng = np.random.default_rng(5)
    q = rng.normal(size=(BATCH, 6, N_Q, 5))
    k = rng.normal(size=(BATCH, kv_heads, N_K, 5))
    v = rng.normal(size=(BATCH, kv_heads, N_K, 13))
    mask = rng.random((6, N_Q, N_K)) < 0.7
    got = al.grouped_query_attention(q, k, v, mask, scale=0.3)
    k, v = (x.repeat(6 // kv_heads, axis=1) for x in (k, v))
    want = al.scaled_dot_product_attention(q, k, v, mask, scale=0.3)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-14)


def test_grouped_queries_name_heads_that_do_not_fit():
    q, k = np.zeros((5, 3, 2)), np.zeros((2, 3, 2))
    with pytest.raises(ValueError, match=r"q \(5, 3, 2\), k \(2, 3, 2\)"):
        al.grouped_query_attention(q, k, k)
    with pytest.raises(ValueError, match=r"v \(5, 3, 2\)"):
        al.grouped_query_attention(q[:4], k, q)
    with pytest.raises(ValueError, match=r"mask .*\(3, 3, 3\).*\(4, 3, 3\)"):
        al.grouped_query_attention(q[:4], k, k, np.ones((3, 3, 3), bool))


def test_cache_returns_all_that_was_appended():
    rng = np.random.default_rng(6)
    k, v = rng.normal(size=(2, 13, 3)), rng.normal(size=(2, 13, 5))
    cache, done = al.KVCache(), 0
    assert len(cache) == cache.nbytes == 0
    for n in (1, 2, 3, 7):
        rows = slice(done, done + n)
        all_k, all_v = cache.append(k[:, rows], v[:, rows])
        done += n
        np.testing.assert_array_equal(all_k, k[:, :done])
        np.testing.assert_array_equal(all_v, v[:, :done])
    assert cache.nbytes == 2 * 13 * (3 + 5) * 8


def test_cache_copies_and_its_views_are_read_only():
    k, v = np.ones((2, 3)), np.ones((2, 5))
    cache = al.KVCache()
    cache.append(k, v)
    k[...] = v[...] = 7
    all_k, all_v = cache.append(k, v)
    np.testing.assert_array_equal(all_k[:, 0], [1, 1, 7, 7])
    with pytest.raises(ValueError, match="read-only"):
        all_v[0, 0] = 9


@pytest.mark.parametrize(
    ("k", "v", "message"),
    [
        ((2, 1, 7), (2, 1, 5), r"k of shape \(2, 1, 7\).*\(2, 4, 3\)"),
        ((2, 1, 3), (2, 1, 7), r"v of shape \(2, 1, 7\).*\(2, 4, 5\)"),
        ((5, 1, 3), (5, 1, 5), r"k of shape \(5, 1, 3\)"),
        ((1, 3), (1, 5), r"k of shape \(1, 3\)"),
        ((2, 1, 3), (2, 2, 5), r"k \(2, 1, 3\), v \(2, 2, 5\)"),
        ((2, 0, 3), (2, 0, 5), r"k .*\(2, 0, 3\)"),
    ],
)
def test_cache_names_the_wrong_shape_and_stays_as_it_was(k, v, message):
    cache = al.KVCache()
    cache.append(np.ones((2, 4, 3)), np.ones((2, 4, 5)))
    with pytest.raises(ValueError, match=message):
        cache.append(np.zeros(k), np.zeros(v))
    all_k, all_v = cache.append(np.ones((2, 1, 3)), np.ones((2, 1, 5)))
    assert all_k.shape == (2, 5, 3)
    assert (all_k == 1).all()
    assert (all_v == 1).all()


def test_cache_keeps_its_type_and_widens_if_it_must():
    cache = al.KVCache()
    assert (
        cache.append(np.ones((2, 3), "f"), np.ones((2, 3), "f"))[0].dtype
        == "f"
    )
    assert (
        cache.append(np.ones((1, 3), "e"), np.ones((1, 3), "f"))[0].dtype
        == "f"
    )
    all_k, all_v = cache.append(np.full((1, 3), 1e300), np.ones((1, 3), "f"))
    assert all_k[:, 0].tolist() == [1, 1, 1, 1e300]
    assert (all_k.dtype, all_v.dtype) == (np.float64, np.float32)
    assert al.KVCache().append([[1]], [[2]])[0].dtype == np.float64
    with pytest.raises(TypeError, match=r"^v "):
        al.KVCache().append(np.ones((1, 3)), "text")


def test_cache_makes_room_for_twice_as_many_and_drops_the_last():
    cache, copies = al.KVCache(), 0
    before = None
    for _ in range(256):
        k, _ = cache.append(np.ones((1, 3)), np.ones((1, 5)))
        copies += before is not k.base
        before = k.base
    assert copies <= 9  # 1, 2, 4, ..., 256
    cache.drop(200)
    assert len(cache) == 56
    with pytest.raises(ValueError, match="56"):
        cache.drop(57)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_hidden_nan_token_changes_nothing_with_a_cache(dtype):
    m = module(dtype=np.float32)
    x = sequence(5, dtype=dtype)
    clean, dirty = al.KVCache(), al.KVCache()
    seen = [[True, True, False, True, True]]
    m(x[:2], cache=clean)
    m(x[:2], cache=dirty)
    m(x[2:3], cache=clean)
    m(x[2:3] * np.nan, cache=dirty)
    m(x[3:4], cache=clean)
    m(x[3:4], cache=dirty)
    want, _ = m(x[4:], mask=seen, cache=clean)
    got, _ = m(x[4:], mask=seen, cache=dirty)
    np.testing.assert_array_equal(got, want)


def test_a_huge_token_fits_into_a_float32_cache():
    m, cache = module(dtype=np.float32), al.KVCache()
    x = sequence(3, dtype=np.float32)
    m(x, cache=cache)
    with np.errstate(over="ignore"):
        output, weights = m(np.full((1, D_MODEL), 3e38, "f"), cache=cache)
    assert np.isfinite(weights).all()
    assert output.dtype == np.float32


def test_a_call_that_overflows_does_not_change_the_cache():
    m, cache = module(), al.KVCache()
    m(sequence(5), cache=cache)
    with pytest.raises(ValueError, match="overflow"):
        m(np.full((1, D_MODEL), 1e200), cache=cache)
    assert len(cache) == 5
    m(sequence(1), cache=cache)
    assert len(cache) == 6


@pytest.mark.parametrize("where", ["grouped_query_attention", "merge_heads"])
def test_an_interrupted_call_does_not_change_the_cache(monkeypatch, where):
    m, cache = module(dtype=np.float32), al.KVCache()
    m(sequence(5).astype("f"), cache=cache)
    size = cache.nbytes

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(multihead, where, interrupted)
        with pytest.raises(KeyboardInterrupt):
            m(sequence(1), cache=cache)
    assert len(cache) == 5
    assert cache.nbytes == size  # nor did it become float64
    assert m(sequence(1), cache=cache)[1].shape[-1] == 6


@pytest.mark.parametrize(
    ("n", "error", "message"),
    [
        (1.5, TypeError, "n must be an integer, got float"),
        (2.0, TypeError, "n must be an integer, got float"),
        (True, TypeError, "n must be an integer, got bool"),
        ("1", TypeError, "n must be an integer, got str"),
        (-1, ValueError, "n must be from 0 .*got -1"),
        (4, ValueError, "n must be at most 3.*got 4"),
    ],
)
def test_a_number_that_cannot_be_dropped_is_named(n, error, message):
    cache = al.KVCache()
    cache.append(np.ones((3, 2)), np.ones((3, 2)))
    with pytest.raises(error, match=message):
        cache.drop(n)
    assert len(cache) == 3
    cache.drop(np.int64(1))
    assert len(cache) == 2


@pytest.mark.parametrize("cache", [[], {}, "cache", 5, al.KVCache])
def test_something_else_than_a_cache_is_named(cache):
    with pytest.raises(TypeError, match="cache must be a KVCache"):
        module()(sequence(3), cache=cache)


def test_errors_show_the_shapes_that_were_passed():
    m = module()
    with pytest.raises(ValueError, match=r"query \(2, 7, 15\), key \(3, 7"):
        m(sequence(7, 2), sequence(7, 3))
    with pytest.raises(ValueError, match=r"key \(5, 15\), value \(7, 15\)"):
        m(sequence(7), sequence(5), sequence(7))
    q, k = np.ones((4, 5, 3)), np.ones((2, 7, 9))
    with pytest.raises(ValueError, match=r"q \(4, 5, 3\), k \(2, 7, 9\)"):
        al.grouped_query_attention(q, k, k)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rng": "seed"}, "rng"),
        ({"rng": 1.5}, "rng"),
        ({"dtype": "banana"}, "dtype"),
        ({"dtype": None}, "dtype"),
        ({"bias": "no"}, "bias"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(TypeError, match=message):
        al.MultiHeadAttention(4, 2, **options)


def test_grouped_queries_do_not_copy_keys(monkeypatch):
    real, seen = multihead.attend, []

    def spy(q, k, v, *rest):
        seen.extend((k, v))
        return real(q, k, v, *rest)

    monkeypatch.setattr(multihead, "attend", spy)
    q, k = np.ones((6, 5, 3)), np.ones((2, 5, 3))
    al.grouped_query_attention(q, k, k)
    assert len(seen) == 2
    assert all(np.shares_memory(x, k) and x.size == k.size for x in seen)


def test_float32_never_becomes_float64_in_a_module(monkeypatch):
    seen = []

    def spy(q, k, v, *rest, **options):
        seen.extend((q.dtype, k.dtype, v.dtype))
        return al.grouped_query_attention(q, k, v, *rest, **options)

    monkeypatch.setattr(multihead, "grouped_query_attention", spy)
    module(dtype=np.float32, bias=True)(sequence(5, dtype=np.float32))
    assert seen == [np.float32] * 3
