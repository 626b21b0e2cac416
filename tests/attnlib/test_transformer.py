"""The models and their training, without training for long."""

import numpy as np
import pytest

import attnlib as al
from attnlib import autograd as ag
from attnlib import grammar, toydata, training
from attnlib import transformer as tr
from attnlib.tinygpt import TinyGPT
from attnlib.translator import PAD_ID, START_ID, Translator

MARKS = ["<pad>", "<start>", "<end>"]
KOREAN, ENGLISH = [*MARKS, *"가나다라"], [*MARKS, *"abcdefgh"]
D_MODEL, HEADS = 6, 3
SOURCE = np.array([[3, 5, 4, 3, 6], [6, 3, 0, 0, 0]])
TARGET = np.array([[1, 4, 9, 3, 7, 10, 5, 2], [1, 6, 4, 2, 0, 0, 0, 0]])
SENTENCES = [
    ["가"],
    ["나", "다"],
    ["라", "가", "나"],
    ["다", "나", "라", "가"],
]
EXAMPLES = [
    grammar.Example(tuple("가나다라"), tuple("ab"), ()),
    grammar.Example(tuple("가"), tuple("cdefgha"), ()),
]


def translator(seed=0, **sizes):
    sizes = {"d_model": D_MODEL, "num_heads": HEADS, "hide": 0.0} | sizes
    return Translator(KOREAN, ENGLISH, rng=seed, **sizes)


def gpt(**sizes):
    sizes = {"d_model": D_MODEL, "num_heads": HEADS, "d_ff": 13} | sizes
    return TinyGPT(11, rng=0, **sizes)


def moved(params):
    """Return float64 parameters that are not what they begin as."""
    rng = np.random.default_rng(1)
    return {
        name: array + 0.5 * rng.normal(size=array.shape)
        for name, array in params.items()
    }


# --- the models, once more by hand -------------------------------------------


def dense(p, name, x):
    return x @ p[f"{name}.W"] + p[f"{name}.b"]


def normal(p, name, x):
    gain, bias = p[f"{name}.norm.gain"], p[f"{name}.norm.bias"]
    return al.layer_norm(x, gain, bias)


def look(q, k, v, heads, seen):
    """Return the heads' results side by side, and the last head's map."""
    results = []
    for part in zip(*(np.split(x, heads, -1) for x in (q, k, v)), strict=True):
        scores = part[0] @ part[1].swapaxes(-1, -2) / part[0].shape[-1] ** 0.5
        weights = al.softmax(np.where(seen, scores, -np.inf))
        results.append(weights @ part[2])
    return np.concatenate(results, axis=-1), weights


def one_block(p, name, x, seen, memory=None, memory_seen=None):
    weights = None
    qkv = dense(p, f"{name}.self.qkv", normal(p, f"{name}.self", x))
    mixed, _ = look(*np.split(qkv, 3, -1), HEADS, seen)
    x = x + dense(p, f"{name}.self.out", mixed)
    if memory is not None:
        q = dense(p, f"{name}.cross.q", normal(p, f"{name}.cross", x))
        k, v = np.split(dense(p, f"{name}.cross.kv", memory), 2, -1)
        mixed, weights = look(q, k, v, 1, memory_seen)
        x = x + dense(p, f"{name}.cross.out", mixed)
    inner = al.gelu(dense(p, f"{name}.feed.in", normal(p, f"{name}.feed", x)))
    return x + dense(p, f"{name}.feed.out", inner), weights


def placed(table, ids):
    return table[ids] + al.positional_encoding(ids.shape[1], D_MODEL)


def surprise(logits, targets, counts):
    chances = np.take_along_axis(al.softmax(logits), targets[..., None], -1)
    return -np.log(chances[..., 0][counts]).mean()


def translator_by_hand(p, layers, source, target):
    seen = (source != 0)[:, None]
    memory = placed(p["source"], source)
    for i in range(layers):
        memory, _ = one_block(p, f"encoder{i}", memory, seen)
    x = placed(p["target"], target)
    past = np.tri(target.shape[1], dtype=bool)
    x, weights = one_block(p, "decoder", x, past, memory, seen)
    return dense(p, "out", normal(p, "out", x)), weights


def gpt_by_hand(p, layers, ids, causal):
    n, x = ids.shape[1], placed(p["tokens"], ids)
    for i in range(layers):
        seen = np.tri(n, dtype=bool) if causal else np.ones((n, n), bool)
        x, _ = one_block(p, f"block{i}", x, seen)
    return dense(p, "out", normal(p, "out", x))


def assert_slopes(loss, params, grads):
    """Compare each gradient with central differences in a direction."""
    rng = np.random.default_rng(2)
    for name, array in params.items():
        step = 1e-5 * rng.normal(size=array.shape)
        up, down = (loss(params | {name: array + s}) for s in (step, -step))
        expected = (up - down) / 2
        found = (grads[name] * step).sum()
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-12), name


@pytest.mark.parametrize("layers", [0, 2])
def test_translator_is_its_formula_and_so_are_its_gradients(layers):
    model = translator(encoder_layers=layers)
    params = moved(model.params)

    def by_hand(p):
        logits, _ = translator_by_hand(p, layers, SOURCE, TARGET[:, :-1])
        return surprise(logits, TARGET[:, 1:], TARGET[:, 1:] != 0)

    found = model.forward(params, SOURCE, TARGET)
    expected = translator_by_hand(params, layers, SOURCE, TARGET)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    loss, grads = ag.gradients(
        lambda p: model.loss(p, (SOURCE, TARGET)), params
    )
    assert loss == pytest.approx(by_hand(params), rel=1e-12)
    assert_slopes(by_hand, params, grads)


@pytest.mark.parametrize("causal", [True, False])
def test_tiny_gpt_is_its_formula_and_so_are_its_gradients(causal):
    model = gpt(causal=causal)
    params, ids = moved(model.params), TARGET[:, :-1]
    targets = np.where(TARGET[:, 1:] == 0, -1, TARGET[:, 1:])

    def by_hand(p):
        return surprise(gpt_by_hand(p, 2, ids, causal), targets, targets >= 0)

    logits, _ = model.forward(params, ids)
    expected = gpt_by_hand(params, 2, ids, causal)
    np.testing.assert_allclose(logits, expected, atol=1e-12)
    loss, grads = ag.gradients(lambda p: model.loss(p, (ids, targets)), params)
    assert loss == pytest.approx(by_hand(params), rel=1e-12)
    assert_slopes(by_hand, params, grads)


# --- parameters and dropout --------------------------------------------------


def test_everything_is_float32_and_stays_so():
    reader, writer = translator(encoder_layers=1), gpt()
    for model, batch in (reader, (SOURCE, TARGET)), (writer, (SOURCE, SOURCE)):
        list(training.train(model, lambda b=batch: b, steps=2, rng=0))
        kinds = {array.dtype for array in model.params.values()}
        assert kinds == {np.dtype(np.float32)}
    for logits, weights in (
        reader.forward(reader.params, SOURCE, TARGET),
        writer.forward(writer.params, SOURCE),
    ):
        assert logits.dtype == weights[0].dtype == np.float32


def test_new_matrices_fill_the_range_of_glorot_and_bengio():
    params = tr.new_block(0, "b", 53, 101, cross=True)
    for name, matrix in params.items():
        if name.endswith(".W"):
            limit = (6 / sum(matrix.shape)) ** 0.5
            assert 0.99 * limit < abs(matrix).max() <= limit


class Counting(np.random.Generator):
    """A source of chance that notes the shapes it is asked for."""

    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))
        self.asked = []

    def random(self, size, dtype):
        self.asked.append(size)
        return super().random(size, dtype)


def test_dropout_follows_each_embedding_and_each_sublayer():
    model, rng = translator(encoder_layers=2, dropout=0.3), Counting(0)
    model.forward(model.params, SOURCE, TARGET, rng)
    encoder, decoder = ((*ids.shape, D_MODEL) for ids in (SOURCE, TARGET))
    # Embedding, then two sublayers a block; the decoder's block has three.
    assert rng.asked == [encoder] * (1 + 2 * 2) + [decoder] * (1 + 3)


def test_hidden_places_get_no_weight_in_training_only():
    model = translator(hide=0.4)
    _, weights = model.forward(model.params, SOURCE, TARGET, rng=1)
    real = SOURCE != PAD_ID
    seen = weights.any(axis=1)
    assert 0 < seen[real].mean() < 1
    assert not seen[~real].any()
    # One place is hidden from all words of the sentence.
    assert (weights.astype(bool) == seen[:, None]).all()
    _, weights = model.forward(model.params, SOURCE, TARGET)
    assert (weights.any(axis=1) == real).all()


def test_dropout_needs_chance():
    models = [translator(dropout=rate) for rate in (0.0, 0.5)]
    without, plain = (m.forward(m.params, SOURCE, TARGET)[0] for m in models)
    np.testing.assert_array_equal(without, plain)
    model, batch = models[1], (SOURCE, TARGET)
    losses = [model.loss(model.params, batch, rng) for rng in (None, 1, 1, 2)]
    assert losses[1] == losses[2]
    assert len(set(map(float, losses))) == 3


def test_one_seed_drops_other_numbers_in_each_place():
    # A seed must become one stream, not the same mask again and again.
    model = translator(dropout=0.5)
    by_seed, by_stream = (
        model.forward(model.params, SOURCE, TARGET, rng)[0]
        for rng in (7, np.random.default_rng(7))
    )
    np.testing.assert_array_equal(by_seed, by_stream)


# --- training ----------------------------------------------------------------


def test_training_yields_the_loss_with_dropout_before_the_step():
    model, batch = translator(dropout=0.4), (SOURCE, TARGET)
    expected = float(model.loss(model.params, batch, 5))
    (loss,) = training.train(model, lambda: batch, steps=1, rng=5)
    assert loss == expected
    assert model.loss(model.params, batch, 5) != expected


def test_a_seed_trains_as_its_generator_does():
    one, other = (
        list(
            training.train(
                translator(), lambda: (SOURCE, TARGET), steps=3, rng=rng
            )
        )
        for rng in (5, np.random.default_rng(5))
    )
    assert one == other


def test_training_warms_up_and_cools_down(monkeypatch):
    rates = []
    monkeypatch.setattr(
        training.Adam, "step", lambda self, grads, rate: rates.append(rate)
    )
    batch = SOURCE, SOURCE
    list(training.train(gpt(layers=1), lambda: batch, steps=60))
    rise = 5e-3 * np.arange(1, 51) / 50
    fall = 5e-3 * np.arange(10, 0, -1) / 10
    np.testing.assert_allclose(rates, [*rise, *fall])
    rates.clear()
    plan = {"steps": 5, "peak": 0.7, "warmup": 2}
    list(training.train(gpt(layers=1), lambda: batch, **plan))
    np.testing.assert_allclose(
        rates, 0.7 * np.array([1 / 2, 1, 1, 2 / 3, 1 / 3])
    )


def test_a_batch_is_as_long_as_its_longest_sentence():
    draw = translator().batches(EXAMPLES, 0, size=1)
    drawn = [draw() for _ in range(20)]
    shapes = {(s.shape, t.shape) for s, t in drawn}
    assert shapes == {((1, 4), (1, 4)), ((1, 1), (1, 9))}
    for source, target in drawn:
        assert (source > 0).all()
        assert (target[0, 0], target[0, -1]) == (1, 2)
    source, target = translator().batches(EXAMPLES, 0, size=37)()
    assert (source.shape, target.shape) == ((37, 4), (37, 9))


def test_the_same_seed_draws_the_same_batches():
    one, other = (
        translator().batches(EXAMPLES, rng, size=17)()
        for rng in (4, np.random.default_rng(4))
    )
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


# --- use ---------------------------------------------------------------------


def test_a_translation_has_a_row_of_weights_for_each_word():
    model = translator(seed=2)
    found = model.translate(SENTENCES, longest=7)
    assert len({len(translation.words) for translation in found}) > 1
    for sentence, (words, weights) in zip(SENTENCES, found, strict=True):
        source = toydata.encode([sentence], KOREAN)
        target = [START_ID, *map(ENGLISH.index, words)]
        _, expected = model.forward(model.params, source, [target])
        assert weights.shape == (len(words), len(sentence))
        np.testing.assert_allclose(
            weights, expected[0, : len(words)], atol=1e-5
        )


def test_caches_without_a_block_are_refused():
    model = gpt()
    with pytest.raises(ValueError, match=r"caches .* 2 blocks, got 0"):
        model.forward(model.params, SOURCE, [])
    ids = model.generate(SOURCE.tolist(), 3)
    np.testing.assert_array_equal(ids[:, :5], SOURCE)
    np.testing.assert_array_equal(model.generate(SOURCE, 0), SOURCE)


def run_block(**given):
    return tr.block(tr.new_block(0, "b", 6, 7), "b", np.ones((5, 6)), **given)


WRONG = {
    "heads of a translator": (lambda: translator(num_heads=4), "num_heads 4"),
    "heads of a GPT": (lambda: gpt(num_heads=4), "num_heads 4, d_model 6"),
    "no heads": (lambda: gpt(num_heads=0), "num_heads must be from 1"),
    "encoder": (lambda: translator(encoder_layers=-1), "encoder_layers"),
    "dropout": (lambda: translator(dropout=1.0), "dropout"),
    "hide": (lambda: translator(hide=-0.1), "hide"),
    "rng": (lambda: translator(seed="a"), "rng"),
    "Korean": (
        lambda: Translator(["가"], ENGLISH, rng=0),
        "source_words must begin with <pad>, <start>, <end>",
    ),
    "English": (
        lambda: Translator(KOREAN, MARKS[::-1], rng=0),
        "target_words",
    ),
    "layers": (lambda: gpt(layers=0), "layers must be from 1"),
    "d_ff": (lambda: gpt(d_ff=-1), "d_ff must be from 0"),
    "vocabulary": (lambda: TinyGPT(0, rng=0), "vocabulary"),
    "causal": (lambda: gpt(causal="no"), "causal must be True or False"),
    "no cross-attention": (
        lambda: run_block(num_heads=3, memory=np.ones((2, 6))),
        "block 'b' has no cross-attention",
    ),
    "heads of a block": (lambda: run_block(num_heads=4), "num_heads = 4"),
    "ids": (lambda: gpt().generate([1, 2], 3), r"ids .* got shape \(2,\)"),
    "count": (lambda: gpt().generate(SOURCE, -1), "count must be from 0"),
    "token": (lambda: gpt().generate([[11]], 1), "ids must be from 0 to 10"),
    "source": (
        lambda: translator().forward(translator().params, [3], TARGET),
        r"source must be \(batch, n\)",
    ),
    "target": (
        lambda: translator().loss(translator().params, (SOURCE, [1, 2])),
        r"target must be \(batch, n\)",
    ),
    "no sentences": (lambda: translator().translate([]), "sentences"),
    "one string": (lambda: translator().translate("가 나"), "sentences"),
    "a string for words": (
        lambda: translator().translate([["가"], "가 나"]),
        r"sentences\[1\] must be a list of words",
    ),
    "no words": (
        lambda: translator().translate([["가"], []]),
        r"sentences\[1\] has no words",
    ),
    "longest": (
        lambda: translator().translate(SENTENCES, longest=0),
        "longest must be from 1",
    ),
    "no examples": (lambda: translator().batches([], 0), "examples"),
    "size": (
        lambda: translator().batches(EXAMPLES, 0, size=0),
        "size must be from 1",
    ),
    "chance of batches": (
        lambda: translator().batches(EXAMPLES, "a"),
        "rng",
    ),
    "steps": (lambda: next(training.train(gpt(), dict, steps=0)), "steps"),
    "chance of dropout": (
        lambda: next(training.train(gpt(), dict, steps=1, rng="a")),
        "rng",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_named(name):
    call, message = WRONG[name]
    with pytest.raises((TypeError, ValueError), match=message):
        call()
