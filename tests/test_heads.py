"""The maps of the real encoder: what is stored, and that it is right.

The tests of the encoder itself run where its weights are (`make heads`), and
those that compare it with others where these are installed:
`.venv/bin/pip install torch transformers`.
"""

import importlib.util

import numpy as np
import pytest
import store_heads

import attnlib as al

SIZES = {"money": 14, "river": 15, "tired": 16, "wide": 16, "cats": 14,
         "school": 7}  # fmt: skip
NAMES = list(SIZES)
# Head 4.5: percent on [CLS], degrees when off and when even, in each sentence.
MEASURED = {
    "money": (88.0, 1.9, 16.7),
    "river": (91.8, 1.6, 15.7),
    "tired": (90.1, 1.5, 16.2),
    "wide": (88.8, 1.6, 16.1),
    "cats": (85.8, 2.1, 13.0),
    "school": (91.6, 1.1, 13.7),
}
# Degrees that "it" turns when [CLS], animal, street, because are hidden.
HIDDEN = {
    "tired": [21.7, 34.3, 16.5, 9.6],
    "wide": [22.0, 35.8, 20.8, 9.1],
}


@pytest.fixture(scope="module")
def stored():
    with np.load(store_heads.TARGET) as file:
        return dict(file)


# --- the file, always -------------------------------------------------------


def test_file_is_small():
    assert 40_000 < store_heads.TARGET.stat().st_size < 80_000


def test_file_holds_these_arrays_and_no_others(stored):
    kinds = ["tokens", "maps", "off", "even"]
    expected = {f"{name}_{kind}" for name in NAMES for kind in kinds}
    assert set(stored) == expected | {"sentences", "tired_hide", "wide_hide"}
    assert stored["sentences"].tolist() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_tokens_spell_the_sentence(stored, name):
    tokens = stored[f"{name}_tokens"].tolist()
    assert len(tokens) == SIZES[name]
    assert (tokens[0], tokens[-1]) == ("[CLS]", "[SEP]")
    text = store_heads.SENTENCES[name].lower().replace(" ", "")
    assert "".join(t.removeprefix("##") for t in tokens[1:-1]) == text


@pytest.mark.parametrize("name", NAMES)
def test_stored_rows_are_weights(stored, name):
    maps, n = stored[f"{name}_maps"], SIZES[name]
    assert maps.dtype == np.uint8
    assert maps.shape == (6, 12, n, n)
    assert (maps.sum(axis=-1, dtype=int) == store_heads.STEPS).all()
    al.validate_attention(maps / store_heads.STEPS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["off", "even"])
def test_changes_of_heads_are_cosines(stored, name, kind):
    cosines = stored[f"{name}_{kind}"]
    assert cosines.shape == (6, 12)
    assert (cosines > 0.5).all()
    assert (cosines < 1).all()


def test_the_known_head_looks_at_the_token_before(stored):
    for name in NAMES:
        weights = stored[f"{name}_maps"][0, 2] / store_heads.STEPS
        assert np.diagonal(weights, -1).mean() > 0.99


def test_it_looks_at_the_animal_in_both_sentences(stored):
    for name in ["tired", "wide"]:
        tokens = stored[f"{name}_tokens"].tolist()
        it, animal, street = map(tokens.index, ["it", "animal", "street"])
        row = stored[f"{name}_maps"][:, :, it].mean(axis=(0, 1))
        assert row[animal] > row[street]


def degrees(cosine):
    return np.degrees(np.arccos(cosine.astype(float)))


def fits(stored):
    """Say whether the file holds what the model gave when it was measured.

    A few numbers of every kind, each one far from those of the other heads,
    layers and sentences: a file with two of them exchanged does not fit.
    """
    found, expected = [], []
    for name, (cls, off, even) in MEASURED.items():
        maps = stored[f"{name}_maps"] / store_heads.STEPS
        found += [maps[4, 5, 1:, 0].mean() * 100]
        found += [degrees(stored[f"{name}_off"])[4, 5]]
        found += [degrees(stored[f"{name}_even"])[4, 5]]
        expected += [cls, off, even]
    for name, hidden in HIDDEN.items():
        found += degrees(stored[f"{name}_hide"])[[0, 2, 8, 9]].tolist()
        expected += hidden
    animal = [int(stored[f"{name}_maps"][3, 1, 10, 2]) for name in HIDDEN]
    near = (
        abs(np.subtract(animal, [173, 72])).max() <= 1
    )  # rounding may differ
    return near and np.allclose(found, expected, atol=0.1)


def test_file_holds_what_was_measured(stored):
    assert fits(stored)


def exchange(stored, a, b):
    return stored | {a: stored[b], b: stored[a]}


WRONG = {
    "maps transposed": lambda s: (
        s | {f"{n}_maps": s[f"{n}_maps"].swapaxes(-1, -2) for n in NAMES}
    ),
    "heads in another order": lambda s: (
        s | {f"{n}_maps": s[f"{n}_maps"][:, ::-1] for n in NAMES}
    ),
    "layers in another order": lambda s: (
        s | {f"{n}_maps": s[f"{n}_maps"][::-1] for n in NAMES}
    ),
    "one sentence for another": lambda s: exchange(
        s, "tired_maps", "wide_maps"
    ),
    "off for even": lambda s: exchange(s, "cats_off", "cats_even"),
    "effects of another sentence": lambda s: exchange(
        s, "money_off", "river_off"
    ),
    "effects of other heads": lambda s: (
        s | {"school_even": s["school_even"][:, ::-1]}
    ),
    "hidden in another sentence": lambda s: exchange(
        s, "tired_hide", "wide_hide"
    ),
    "one minus the cosine": lambda s: s | {"wide_hide": 1 - s["wide_hide"]},
}


@pytest.mark.parametrize("spoil", WRONG.values(), ids=WRONG)
def test_wrong_file_is_noticed(stored, spoil):
    assert not fits(spoil(stored))


# --- the pieces of the script, always ---------------------------------------


def test_quantised_rows_add_up_and_are_near():
    rng = np.random.default_rng(0)
    weights = al.softmax(4 * rng.normal(size=(3, 5, 17)))
    parts = store_heads.quantise(weights)
    assert (parts.sum(axis=-1, dtype=int) == 255).all()
    assert abs(parts / 255 - weights).max() < 1 / 255
    assert store_heads.quantise(np.eye(3)).max() == 255


def test_longest_known_piece_comes_first():
    words = ["[CLS]", "[SEP]", "un", "unh", "##app", "##a", "##pp", "##y"]
    assert store_heads.tokenize("Unhappy", [*words, "##happy"])[1:-1] == [
        "unh", "##app", "##y"
    ]  # fmt: skip
    with pytest.raises(ValueError, match="'unit' cannot be spelt"):
        store_heads.tokenize("unit", words)


def test_exact_gelu_is_the_normal_distribution_times_x():
    x = np.array([-3.0, -1.0, 0.0, 0.5, 2.0])
    step = np.linspace(-12, 0, 200_001)
    for a in x:
        t = a + step
        density = np.exp(-t * t / 2) / np.sqrt(2 * np.pi)
        area = np.trapezoid(density, t)
        assert np.isclose(store_heads.exact_gelu(np.array(a)), a * area)


def test_other_weights_are_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match="not the file we know"):
        store_heads.read_weights(path)


# --- the encoder, where its weights are -------------------------------------

weights_needed = pytest.mark.skipif(
    importlib.util.find_spec(store_heads.PACKAGE) is None,
    reason="the weights are not installed: run `make heads`",
)


@pytest.fixture(scope="module")
def model():
    return store_heads.load()


def run(encoder, vocabulary, name):
    tokens = store_heads.tokenize(store_heads.SENTENCES[name], vocabulary)
    ids = [vocabulary.index(token) for token in tokens]
    states, maps = encoder(encoder.embed(ids))
    return ids, states, maps


@weights_needed
@pytest.mark.parametrize("name", NAMES)
def test_stored_maps_are_those_of_the_encoder(model, stored, name):
    _, _, maps = run(*model, name)
    difference = abs(stored[f"{name}_maps"] / 255 - maps)
    assert difference.max() < 1 / 255
    again = store_heads.quantise(maps).astype(int)
    assert abs(again - stored[f"{name}_maps"]).max() <= 1


@weights_needed
def test_stored_changes_are_those_of_the_encoder(model, stored):
    encoder, vocabulary = model
    sentences = {"school": store_heads.SENTENCES["school"]}
    found = store_heads.measure(encoder, vocabulary, sentences)
    for kind in ["off", "even"]:
        name = f"school_{kind}"
        assert np.allclose(found[name], stored[name], atol=1e-6)
    _, states, _ = run(encoder, vocabulary, "wide")
    tokens = stored["wide_tokens"].tolist()
    hidden = store_heads.hide_words(
        encoder, states[0], states[-1], tokens.index("it")
    )
    assert np.allclose(hidden, stored["wide_hide"], atol=1e-6)


@weights_needed
def test_head_made_even_has_equal_weights_and_head_off_changes_no_map(model):
    encoder, vocabulary = model
    _, states, maps = run(encoder, vocabulary, "school")
    _, even = encoder.layer(3, states[3], even=5)
    _, off = encoder.layer(3, states[3], off=5)
    assert np.allclose(even[5], 1 / 7)
    assert np.allclose(np.delete(even, 5, 0), np.delete(maps[3], 5, 0))
    assert np.array_equal(off, maps[3])
    again = encoder.layer(3, states[3])[0]  # the change did not stay
    assert np.array_equal(again, states[4])


@weights_needed
def test_the_other_gelu_would_not_agree(model):
    encoder, vocabulary = model
    other = store_heads.Encoder(encoder.arrays, al.gelu)
    _, states, _ = run(encoder, vocabulary, "money")
    _, others, _ = run(other, vocabulary, "money")
    assert 1e-4 < abs(states[-1] - others[-1]).max() < 0.01


@weights_needed
@pytest.mark.parametrize("name", NAMES)
def test_agreement_with_torch_layers(model, name):
    torch = pytest.importorskip("torch")
    encoder, vocabulary = model
    _, states, maps = run(encoder, vocabulary, name)
    for i in range(6):
        layer = torch_layer(torch, encoder.arrays, i)
        x = torch.tensor(states[i])[None]
        with torch.no_grad():
            _, weights = layer.self_attn(
                x, x, x, need_weights=True, average_attn_weights=False
            )
            y = layer(x)
        assert abs(y[0].numpy() - states[i + 1]).max() < 1e-10
        assert abs(weights[0].numpy() - maps[i]).max() < 1e-10


def torch_layer(torch, arrays, i):
    """Return layer i as torch builds it, with the same weights."""
    layer = torch.nn.TransformerEncoderLayer(
        384, 12, 1536, dropout=0.0, activation="gelu", layer_norm_eps=1e-12,
        batch_first=True, dtype=torch.float64,
    ).train()  # fmt: skip
    at = f"encoder.layer.{i}"
    qkv = [f"{at}.attention.self.{n}" for n in ("query", "key", "value")]
    sources = {
        "self_attn.out_proj": f"{at}.attention.output.dense",
        "linear1": f"{at}.intermediate.dense",
        "linear2": f"{at}.output.dense",
        "norm1": f"{at}.attention.output.LayerNorm",
        "norm2": f"{at}.output.LayerNorm",
    }
    state = {
        f"{ours}.{part}": torch.tensor(arrays[f"{theirs}.{part}"])
        for ours, theirs in sources.items()
        for part in ("weight", "bias")
    }
    for part in ("weight", "bias"):
        joined = np.concatenate([arrays[f"{n}.{part}"] for n in qkv])
        state[f"self_attn.in_proj_{part}"] = torch.tensor(joined)
    layer.load_state_dict(state)
    return layer


@weights_needed
@pytest.mark.filterwarnings("ignore")
def test_agreement_with_the_reference_implementation(model):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = str(store_heads.model_folder())
    reference = transformers.BertModel.from_pretrained(
        folder, attn_implementation="eager", local_files_only=True
    ).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        folder, local_files_only=True
    )
    encoder, vocabulary = model
    for name, text in store_heads.SENTENCES.items():
        ids, states, maps = run(encoder, vocabulary, name)
        theirs = tokenizer(text, return_tensors="pt")
        assert theirs.input_ids[0].tolist() == ids
        with torch.no_grad():
            found = reference(**theirs, output_attentions=True)
        last = found.last_hidden_state[0].numpy()
        weights = np.stack([a[0].numpy() for a in found.attentions])
        assert abs(last - states[-1]).max() < 1e-4
        assert abs(weights - maps).max() < 1e-4
        vectors = map(store_heads.sentence_vector, (last, states[-1]))
        assert abs(np.subtract(*vectors)).max() < 1e-4
