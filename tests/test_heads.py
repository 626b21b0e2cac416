"""The maps of the real encoder: what is stored, and that it is right.

The tests of the encoder itself run where its weights are (`make heads`), and
those that compare it with others where these are installed:
`.venv/bin/pip install torch transformers`.
"""

import importlib.util
from itertools import combinations

import numpy as np
import pytest
import store_heads

import attnlib as al

SIZES = {"money": 14, "river": 15, "tired": 16, "wide": 16, "cats": 14,
         "school": 7}  # fmt: skip
NAMES = list(SIZES)
PAIRS = list(combinations(NAMES, 2))


@pytest.fixture(scope="module")
def stored():
    with np.load(store_heads.TARGET) as file:
        return dict(file)


# --- the file, always -------------------------------------------------------


def test_file_is_small():
    assert 40_000 < store_heads.TARGET.stat().st_size < 80_000


def test_file_holds_these_arrays_and_no_others(stored):
    kinds = ["tokens", "maps", "off", "even", "lengths"]
    expected = {f"{name}_{kind}" for name in NAMES for kind in kinds}
    for kind in ["hide", "drop"]:
        expected |= {f"tired_{kind}", f"wide_{kind}"}
    assert set(stored) == expected | {"sentences"}
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


@pytest.mark.parametrize("name", NAMES)
def test_lengths_are_those_of_tokens_in_layers(stored, name):
    lengths = stored[f"{name}_lengths"]
    assert lengths.shape == (6, SIZES[name])
    assert (lengths > 0).all()


# --- what the model is known for --------------------------------------------
#
# No expected number here is the file's own. Each function says whether a
# relation holds that chapter 8 states, or that must hold between arrays that
# were measured separately; a file with two of them exchanged breaks one.


def maps_of(stored, name):
    return stored[f"{name}_maps"] / store_heads.STEPS


def degrees(stored, name, kind):
    return np.degrees(np.arccos(stored[f"{name}_{kind}"].astype(float)))


def resting(stored, name):
    """Return the mean weight on [CLS] of each head."""
    return maps_of(stored, name)[..., 1:, 0].mean(axis=-1)


def correlation(a, b):
    return np.corrcoef(a.ravel(), b.ravel())[0, 1]


def within_layers(x):
    return x - x.mean(axis=1, keepdims=True)


def one_head_looks_at_the_token_before(stored):
    for name in NAMES:
        maps = maps_of(stored, name)
        score = np.diagonal(maps, -1, -2, -1).mean(axis=-1)
        if not (score[0, 2] > 0.99 and np.sort(score, axis=None)[-2] < 0.5):
            return False
    return True


def a_head_finds_words_that_return(stored):
    """Say whether L0H8 gives a word's copies twice an even share."""
    for name in NAMES:
        words = stored[f"{name}_tokens"]
        copies = (words[:, None] == words) & ~np.eye(len(words), dtype=bool)
        rows = copies.any(axis=1)
        found = (maps_of(stored, name)[0, 8] * copies)[rows].sum()
        if found < 2 * copies[rows].sum() / len(words):
            return False
    return True


def many_heads_rest_but_none_in_the_first_layer(stored):
    mean = np.mean([resting(stored, name) for name in NAMES], axis=0)
    many = 18 < (mean > 0.5).sum() < 54
    return many and not (mean[0] > 0.5).any() and mean.argmax() == 4 * 12 + 5


def it_finds_the_animal_only_when_tired(stored):
    """Say what “it” does in L3H1: with “wide” it does not switch either."""
    found = {}
    for name in ["tired", "wide"]:
        tokens = stored[f"{name}_tokens"].tolist()
        it, animal, street = map(tokens.index, ["it", "animal", "street"])
        row = maps_of(stored, name)[3, 1, it]
        for weights in [row, maps_of(stored, name)[:, :, it].mean((0, 1))]:
            if weights[animal] <= weights[street]:
                return False
        found[name] = tokens[row.argmax()]
    return found == {"tired": "animal", "wide": "[CLS]"}


def head_that_rests_is_missed_less_and_disturbs_more(stored):
    """Compare heads of a layer: the one that rests more with the others."""
    for name in NAMES:
        rest = within_layers(resting(stored, name))
        off = within_layers(degrees(stored, name, "off"))
        even = within_layers(degrees(stored, name, "even"))
        if correlation(rest, off) > -0.25 or correlation(rest, even) < 0.25:
            return False
    return True


def head_is_missed_less_in_the_sentence_where_it_rests_more(stored):
    rest = {name: resting(stored, name) for name in NAMES}
    off = {name: degrees(stored, name, "off") for name in NAMES}
    return all(
        correlation(rest[a] - rest[b], off[a] - off[b]) < 0 for a, b in PAIRS
    )


def even_changes_more_in_the_sentence_where_a_map_is_less_even(stored):
    far, turned = {}, {}
    for name in NAMES:
        maps = maps_of(stored, name)
        far[name] = abs(maps - 1 / maps.shape[-1]).sum(axis=-1).mean(axis=-1)
        turned[name] = degrees(stored, name, "even")
    return all(
        correlation(far[a] - far[b], turned[a] - turned[b]) > 0
        for a, b in PAIRS
    )


def last_layer_is_missed_most(stored):
    turned = [degrees(stored, name, "off").mean(axis=1) for name in NAMES]
    return all(x.argmax() == 5 for x in turned)


def hiding_the_animal_turns_it_most(stored):
    """Say it for both sentences; the street counts more with “wide”."""
    turned = {}
    for name in ["tired", "wide"]:
        tokens = stored[f"{name}_tokens"].tolist()
        turned[name] = degrees(stored, name, "hide")
        if tokens[turned[name].argmax()] != "animal":
            return False
    street = tokens.index("street")
    return turned["wide"][street] > turned["tired"][street]


def first_token_gives_least(stored):
    """Say it for every layer, and that the layers after the first agree."""
    for name in NAMES:
        lengths = stored[f"{name}_lengths"]
        if not (lengths.argmin(axis=1) == 0).all():
            return False
        if not (5 * lengths[1:, 0] < lengths[1:, 1:].mean(axis=1)).all():
            return False
    return True


def what_a_weight_gives_explains_what_dropping_it_does(stored):
    """Compare tokens: the turn with weight times length, [CLS] included."""
    for name in ["tired", "wide"]:
        it = stored[f"{name}_tokens"].tolist().index("it")
        weight = maps_of(stored, name)[:, :, it].mean(axis=1)
        taken = (weight * stored[f"{name}_lengths"]).mean(axis=0)
        if correlation(taken, degrees(stored, name, "drop")) < 0.6:
            return False
    return True


def first_token_matters_by_making_the_others_grow(stored):
    """Compare hiding a token with dropping it: the same but for [CLS]."""
    for name in ["tired", "wide"]:
        grown = degrees(stored, name, "hide") - degrees(stored, name, "drop")
        if not (grown[0] > 15 and abs(grown[1:]).max() < 3):
            return False
    return True


KNOWN = [
    first_token_gives_least,
    what_a_weight_gives_explains_what_dropping_it_does,
    first_token_matters_by_making_the_others_grow,
    one_head_looks_at_the_token_before,
    a_head_finds_words_that_return,
    many_heads_rest_but_none_in_the_first_layer,
    it_finds_the_animal_only_when_tired,
    head_that_rests_is_missed_less_and_disturbs_more,
    head_is_missed_less_in_the_sentence_where_it_rests_more,
    even_changes_more_in_the_sentence_where_a_map_is_less_even,
    last_layer_is_missed_most,
    hiding_the_animal_turns_it_most,
]


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.__name__)
def test_file_agrees_with_what_is_known(stored, known):
    assert known(stored)


def exchange(a, b):
    return lambda s: s | {a: s[b], b: s[a]}


def changed(kind, change, names=NAMES):
    return lambda s: (
        s | {f"{n}_{kind}": change(s[f"{n}_{kind}"]) for n in names}
    )


WRONG = {
    "maps transposed": changed("maps", lambda x: x.swapaxes(-1, -2)),
    "heads in another order": changed("maps", lambda x: x[:, ::-1]),
    "layers in another order": changed("maps", lambda x: x[::-1]),
    "tired for wide": exchange("tired_maps", "wide_maps"),
    "money for cats": exchange("money_maps", "cats_maps"),
    "hidden in another sentence": exchange("tired_hide", "wide_hide"),
    "hidden from the end": changed("hide", lambda x: x[::-1], ["tired"]),
    "hidden for dropped": exchange("tired_hide", "tired_drop"),
    "dropped in another sentence": exchange("tired_drop", "wide_drop"),
    "lengths from the end": changed("lengths", lambda x: x[:, ::-1]),
    "one minus the cosine": changed("hide", lambda x: 1 - x, ["wide"]),
}
for name in NAMES:
    WRONG[f"{name}: off for even"] = exchange(f"{name}_off", f"{name}_even")
    for kind in ["off", "even"]:
        turned = changed(kind, lambda x: x[:, ::-1], [name])
        WRONG[f"{name}, {kind}: other heads"] = turned
    turned = changed("off", lambda x: x[::-1], [name])
    WRONG[f"{name}: other layers"] = turned
for a, b in PAIRS:
    for kind in ["off", "even"]:
        WRONG[f"{kind}: {a} for {b}"] = exchange(f"{a}_{kind}", f"{b}_{kind}")


@pytest.mark.parametrize("spoil", WRONG.values(), ids=WRONG)
def test_wrong_file_is_noticed(stored, spoil):
    assert not all(known(spoil(stored)) for known in KNOWN)


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


@weights_needed
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("layer", "head"), [(2, 7), (4, 5), (5, 11)])
def test_stored_changes_belong_to_their_sentence(
    model, stored, name, layer, head
):
    encoder, vocabulary = model
    _, states, _ = run(encoder, vocabulary, name)
    for kind in ["off", "even"]:
        after, _ = encoder(states[layer], layer, **{kind: head})
        means = after[-1].mean(axis=0), states[-1].mean(axis=0)
        cosine = np.dot(*means) / np.prod(np.linalg.norm(means, axis=1))
        found = stored[f"{name}_{kind}"][layer, head]
        assert np.isclose(cosine, found, rtol=0, atol=1e-6)


@weights_needed
@pytest.mark.parametrize("name", ["tired", "wide"])
def test_stored_turns_of_it_are_those_of_the_encoder(model, stored, name):
    encoder, vocabulary = model
    _, states, _ = run(encoder, vocabulary, name)
    it = stored[f"{name}_tokens"].tolist().index("it")
    ends = states[0], states[-1], it
    hidden = store_heads.hide_words(encoder, *ends)
    assert np.allclose(hidden, stored[f"{name}_hide"], atol=1e-6)
    dropped = store_heads.drop_words(encoder, *ends)
    assert np.allclose(dropped, stored[f"{name}_drop"], atol=1e-6)


@weights_needed
@pytest.mark.parametrize("name", NAMES)
def test_stored_lengths_are_those_of_the_encoder(model, stored, name):
    encoder, vocabulary = model
    _, states, _ = run(encoder, vocabulary, name)
    found = store_heads.lengths(encoder, states)
    assert np.allclose(found, stored[f"{name}_lengths"], rtol=1e-5)


@weights_needed
def test_what_tokens_give_adds_up_to_what_attention_returns(model):
    encoder, vocabulary = model
    _, states, maps = run(encoder, vocabulary, "school")
    attend = encoder.attention[2]
    found = (maps[2] @ encoder.gives(2, states[2])).sum(axis=0) + attend.b_o
    assert np.allclose(found, attend(states[2])[0])


@weights_needed
def test_dropping_changes_one_row_and_is_what_no_weight_would_do(model):
    encoder, vocabulary = model
    _, states, maps = run(encoder, vocabulary, "school")
    mixed = []
    encoder._norm = lambda x, name: mixed.append(x) or x
    try:
        for drop in [None, (2, 5)]:
            encoder.layer(1, states[1], drop=drop)
    finally:
        del encoder._norm
    before, after = mixed[0], mixed[2]  # each layer normalises twice
    assert np.array_equal(np.delete(before, 2, 0), np.delete(after, 2, 0))
    weights = maps[1].copy()
    weights[:, 2, 5] = 0
    given = encoder.gives(1, states[1])
    expected = (weights @ given).sum(axis=0) + encoder.attention[1].b_o
    assert np.allclose(after[2], states[1][2] + expected[2])


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
