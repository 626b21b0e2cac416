"""The transformer block and the tiny GPT, trained for real."""

import numpy as np
import pytest

import attnlib as al
from attnlib import toydata, training
from attnlib import transformer as tr
from attnlib.autograd import gradients
from attnlib.cache import KVCache
from attnlib.tinygpt import TinyGPT

VOCABULARY, LONGEST = 16, 10


def batches(seed):
    """Return a function that draws tokens and what to predict."""
    rng = np.random.default_rng(seed)

    def draw():
        length = rng.integers(3, LONGEST + 1)
        ids = toydata.repeated_sequences(
            rng, 32, length, vocabulary=VOCABULARY
        )
        targets = ids[:, 1:].copy()
        targets[:, : length - 1] = -1
        return ids[:, :-1], targets

    return draw


def new_model(**sizes):
    sizes = {"rng": 0} | sizes
    return TinyGPT(VOCABULARY, **sizes)


@pytest.fixture(scope="module")
def trained():
    """Return the model of the chapter, trained in about five seconds."""
    model = new_model()
    losses = list(training.train(model, batches(1), steps=400))
    assert np.mean(losses[-10:]) < 0.2 < 1.5 < np.mean(losses[:10])
    return model


def sequences(count=200, length=LONGEST):
    return toydata.repeated_sequences(99, count, length, vocabulary=VOCABULARY)


def accuracy(model, params, ids):
    """Return the share of the second half that is predicted."""
    half = ids.shape[1] // 2
    logits, _ = model.forward(params, ids[:, :-1])
    return (logits[:, half - 1 :].argmax(-1) == ids[:, half:]).mean()


def without_heads(params, layer, heads, num_heads=2):
    """Return parameters in which some heads have no effect."""
    name = f"block{layer}.self.out.W"
    blocks = params[name].copy().reshape(num_heads, -1, 64)
    blocks[heads] = 0
    return params | {name: blocks.reshape(64, 64)}


def induction_scores(maps, half):
    """Return for each head the weight on the token after the first copy."""
    queries = np.arange(half, 2 * half - 1)
    return maps[:, :, queries, queries - half + 1].mean(axis=(0, 2))


# --- trained -----------------------------------------------------------------


def test_the_second_half_is_predicted(trained):
    assert accuracy(trained, trained.params, sequences()) >= 0.95
    assert accuracy(trained, new_model().params, sequences()) < 0.2


def test_an_induction_head_has_appeared(trained):
    ids = sequences()
    _, maps = trained.forward(trained.params, ids[:, :-1])
    _, untrained = trained.forward(new_model().params, ids[:, :-1])
    assert induction_scores(maps[1], LONGEST).max() >= 0.5
    assert induction_scores(maps[0], LONGEST).max() < 0.3
    assert induction_scores(untrained[1], LONGEST).max() < 0.3


def test_without_the_heads_of_a_layer_the_accuracy_falls(trained):
    ids = sequences()
    whole = accuracy(trained, trained.params, ids)
    for layer in (0, 1):
        gone = without_heads(trained.params, layer, [0, 1])
        assert accuracy(trained, gone, ids) < 0.4
        for head in (0, 1):
            less = without_heads(trained.params, layer, [head])
            assert accuracy(trained, gone, ids) < accuracy(trained, less, ids)
            assert accuracy(trained, less, ids) <= whole + 0.01


def test_generation_with_a_cache_gives_the_same_tokens(trained):
    ids = sequences(50)[:, : LONGEST + 1]
    cached = trained.generate(ids, LONGEST - 1)
    plain = trained.generate(ids, LONGEST - 1, cached=False)
    np.testing.assert_array_equal(cached, plain)
    assert (cached == sequences(50)).mean() > 0.9


def test_generation_with_a_cache_gives_the_same_logits(trained):
    ids = sequences(7)
    whole, _ = trained.forward(trained.params, ids)
    caches = [KVCache() for _ in range(trained.layers)]
    parts = [
        trained.forward(trained.params, ids[:, a:b], caches)[0]
        for a, b in [(0, 5), (5, 6), (6, 13), (13, 20)]
    ]
    np.testing.assert_allclose(
        np.concatenate(parts, axis=1), whole, rtol=1e-4, atol=1e-4
    )


def test_a_later_token_changes_no_earlier_logits(trained):
    ids = sequences(5)
    whole, _ = trained.forward(trained.params, ids)
    for place in (1, 7, 19):
        other = ids.copy()
        other[:, place] = (other[:, place] + 1) % VOCABULARY
        changed, _ = trained.forward(trained.params, other)
        np.testing.assert_array_equal(changed[:, :place], whole[:, :place])
        assert (changed[:, place] != whole[:, place]).any()


def test_without_the_mask_later_tokens_leak():
    model = new_model(causal=False)
    ids = sequences(5)
    whole, _ = model.forward(model.params, ids)
    other = ids.copy()
    other[:, 19] = (other[:, 19] + 1) % VOCABULARY
    changed, _ = model.forward(model.params, other)
    assert (changed[:, :19] != whole[:, :19]).any(axis=(1, 2)).all()


def test_same_seed_same_parameters_bit_for_bit():
    models = [new_model(rng=3), new_model(rng=3), new_model(rng=4)]
    first, again, other = (
        (list(training.train(m, batches(2), steps=8)), m.params)
        for m in models
    )
    assert first[0] == again[0] != other[0]
    for name, array in first[1].items():
        np.testing.assert_array_equal(array, again[1][name], err_msg=name)


# --- the block ---------------------------------------------------------------


def some_block(d_model, d_ff, seed=0):
    """Return a block whose norms and biases are not what they begin as."""
    rng = np.random.default_rng(seed)
    params = tr.new_block(rng, "b", d_model, d_ff)
    return {
        name: (array + 0.3 * rng.normal(size=array.shape)).astype(float)
        for name, array in params.items()
    }


def parts_of(params, d_model, num_heads):
    """Return attention, feed-forward and norms as separate functions."""
    layer = al.MultiHeadAttention(d_model, num_heads, bias=True, dtype=float)
    qkv = np.split(params["b.self.qkv.W"], 3, axis=1)
    layer.W_q, layer.W_k, layer.W_v = qkv
    layer.b_q, layer.b_k, layer.b_v = np.split(params["b.self.qkv.b"], 3)
    layer.W_o = params["b.self.out.W"]
    layer.b_o = params["b.self.out.b"]

    def feed(x):
        inner = al.gelu(x @ params["b.feed.in.W"] + params["b.feed.in.b"])
        return inner @ params["b.feed.out.W"] + params["b.feed.out.b"]

    def norm(part):
        name = f"b.{part}.norm"
        return lambda x: al.layer_norm(
            x, params[f"{name}.gain"], params[f"{name}.bias"]
        )

    return layer, feed, norm("self"), norm("feed")


@pytest.mark.parametrize("around", [tr.pre_norm, tr.post_norm])
@pytest.mark.parametrize("masked", [True, False])
def test_block_is_attention_and_feed_forward_with_norms(around, masked):
    batch, n, d_model, d_ff, num_heads = 2, 5, 21, 11, 3
    params = some_block(d_model, d_ff)
    x = np.random.default_rng(1).normal(size=(batch, n, d_model))
    mask = al.create_causal_mask(n) if masked else None
    layer, feed, first, second = parts_of(params, d_model, num_heads)
    if around is tr.pre_norm:
        mixed, weights = layer(first(x), mask=mask)
        h = x + mixed
        expected = h + feed(second(h))
    else:
        mixed, weights = layer(x, mask=mask)
        h = first(x + mixed)
        expected = second(h + feed(h))
    found, maps = tr.block(
        params, "b", x, num_heads=num_heads, mask=mask, around=around
    )
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(maps["self"], weights, atol=1e-12)


def test_block_without_feed_forward_only_attends():
    params = some_block(6, 0)
    x = np.random.default_rng(1).normal(size=(5, 6))
    layer, _, first, _ = parts_of(params, 6, 2)
    found, _ = tr.block(params, "b", x, num_heads=2)
    np.testing.assert_allclose(found, x + layer(first(x))[0], atol=1e-12)


@pytest.mark.parametrize("d_ff", [0, 8])
def test_every_parameter_is_used(d_ff):
    model = new_model(d_ff=d_ff)
    _, grads = gradients(lambda p: model.loss(p, batches(0)()), model.params)
    assert all(gradient.any() for gradient in grads.values())


def test_pre_and_post_norm_are_their_formulas():
    params = {"p.norm.gain": np.full(3, 2.0), "p.norm.bias": np.ones(3)}
    x = np.array([[1.0, 2.0, 6.0]])

    def double(h):
        return 2 * h

    normal = np.array([[-2.0, -1.0, 3.0]]) / np.sqrt(14 / 3)
    pre = tr.pre_norm(params, "p", x, double)
    np.testing.assert_allclose(pre, x + 2 * (2 * normal + 1), atol=1e-4)
    post = tr.post_norm(params, "p", x, double)
    np.testing.assert_allclose(post, 2 * normal + 1, atol=1e-4)


def test_a_model_without_mask_refuses_the_cache():
    model = TinyGPT(7, d_model=16, causal=False, rng=0)
    ids = np.array([[1, 2, 3]])
    assert model.generate(ids, 2, cached=False).shape == (1, 5)
    with pytest.raises(ValueError, match="causal"):
        model.generate(ids, 2)


def test_an_interrupted_call_changes_no_cache(monkeypatch):
    model = TinyGPT(5, d_model=8, rng=0)
    caches = [KVCache() for _ in range(model.layers)]
    model.forward(model.params, [[1, 2, 3]], caches)
    real, calls = tr.fn.attend, []

    def second_fails(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(tr.fn, "attend", second_fails)
        with pytest.raises(KeyboardInterrupt):
            model.forward(model.params, [[4]], caches)
    assert [len(cache) for cache in caches] == [3, 3]


def test_a_block_that_fails_does_not_change_its_cache():
    params, cache = tr.new_block(0, "b", d_model=4, d_ff=0), KVCache()
    with pytest.raises(ValueError, match="mask"):
        tr.block(
            params,
            "b",
            np.ones((3, 4)),
            num_heads=1,
            mask=np.ones((2, 3), bool),
            cache=cache,
        )
    assert len(cache) == 0
