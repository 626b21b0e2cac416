"""The translator: trained once, by the command that readers use."""

import os
import subprocess
import sys
import unicodedata

import matplotlib.pyplot as plt
import numpy as np
import pytest

from attnlib import grammar, toydata
from attnlib.autograd import gradients
from attnlib.training import train
from attnlib.translator import Translator
from coursekit import translate
from coursekit.__main__ import main


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """Return the folder in which the command ran first, and its result."""
    folder = tmp_path_factory.mktemp("translate")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "coursekit", "translate"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1", "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    return folder, done


@pytest.fixture(scope="session")
def model(trained):
    return Translator.load(trained[0] / "_build" / "translator.npz")


@pytest.fixture(scope="session")
def split():
    # The command draws its sentences from the same seed, so that the model
    # has seen `train` and nothing else.
    return grammar.split_sentences(translate.SEED)


def test_first_run_trains_translates_and_draws(trained):
    # Its terminal cannot write Hangul, which is no error.
    folder, done = trained
    assert done.returncode == 0, done.stderr
    assert "Training on 8,000 sentences" in done.stdout
    for sentence in (
        "I go to school",
        "the children ate bread in the park yesterday",
        "we won't go home",
    ):
        assert f"  {sentence}\n" in done.stdout
    for number in (1, 2, 3):
        path = folder / "_build" / "translate" / f"alignment-{number}.png"
        assert str(path.relative_to(folder)) in done.stdout
        picture = plt.imread(path)
        assert min(picture.shape[:2]) > 200
        assert picture[..., :3].std() > 0.1  # not blank


@pytest.fixture
def again(trained, monkeypatch, capsys):
    """Run the command once more, where a model is."""

    def run(*arguments):
        monkeypatch.chdir(trained[0])
        status = main(["translate", *arguments])
        return status, *capsys.readouterr()

    return run


def test_second_run_loads_the_model(again):
    status, out, error = again("그녀는 책을 읽었다.")
    assert (status, error) == (0, "")
    assert "Loaded the model" in out
    assert "Training" not in out
    assert "  she read books\n" in out
    assert "books ← 책을" in out


def test_words_without_quotes_are_one_sentence(again):
    status, out, error = again("나는", "집에", "간다")
    assert (status, error) == (0, "")
    assert "\n나는 집에 간다\n  I go home\n" in out


def test_what_the_grammar_knows_is_translated_beside_what_it_does_not(again):
    status, out, error = again("나는 병원에 간다", "나는 집에 간다")
    assert status == 1
    assert "I don't know 병원에.\n" in error
    assert "  I go home\n" in out
    assert "alignment-2.png" in out
    assert "alignment-1.png" not in out


def test_hangul_written_letter_by_letter_is_read(again):
    letters = unicodedata.normalize("NFD", "나는 학교에 간다")
    assert len(letters) > 15
    status, out, _ = again(letters)
    assert status == 0
    assert "  I go to school\n" in out


def test_the_training_sentences_have_every_word_of_the_grammar(split):
    for i in (0, 1):
        learned = toydata.vocabulary(e[i] for e in split.train)
        examples = translate.grammar().items()
        assert learned == toydata.vocabulary(e[i] for e in examples)


def exact(model, examples):
    found = model.translate([example.source for example in examples])
    pairs = zip(found, examples, strict=True)
    return np.mean([t.words == example.target for t, example in pairs])


def test_new_sentences_are_translated_exactly(model, split):
    assert not {e.source for e in split.train} & {
        e.source for e in split.random
    }
    assert exact(model, split.random) >= 0.99


def test_words_never_seen_together_are_translated(model, split):
    assert exact(model, split.together) >= 0.99


@pytest.mark.parametrize(
    "word", ["시장에", "도서관에서", "소설을", "책을", "사과를", "빵을"]
)
def test_no_pair_of_words_alone_is_translated_badly(model, word):
    pairs = [pair for pair in grammar.APART if word in pair]
    examples = [
        grammar.Example(source, target, None)
        for source, target in translate.grammar().items()
        if any(pair.issubset(source) for pair in pairs)
    ]
    some = examples[:: max(len(examples) // 100, 1)]
    assert len(some) > 40
    assert exact(model, some) >= 0.9


def test_cross_attention_finds_the_true_words(model, split):
    examples = split.random
    source = toydata.encode([e.source for e in examples], model.source_words)
    target = toydata.encode(
        [e.target for e in examples], model.target_words, marks=True
    )
    _, weights = model.forward(model.params, source, target[:, :-1])
    maps = [
        w[: len(e.target), : len(e.source)]
        for w, e in zip(weights, examples, strict=True)
    ]
    truth = [example.alignment for example in examples]
    assert toydata.alignment_accuracy(maps, truth) >= 0.98
    # Looking straight down, as if words kept their places, is far from it.
    straight = [np.eye(*w.shape) for w in maps]
    assert toydata.alignment_accuracy(straight, truth) < 0.5


def tiny(seed, **sizes):
    split = grammar.split_sentences(1, train=200, test=5)
    words = [toydata.vocabulary(e[i] for e in split.train) for i in (0, 1)]
    rng = np.random.default_rng(seed)
    model = Translator(*words, d_model=16, rng=rng, **sizes)
    batches = model.batches(split.train, rng, size=8)
    return model, list(train(model, batches, steps=5, rng=rng))


@pytest.mark.parametrize("layers", [0, 2])
def test_same_seed_same_result(layers):
    (one, losses), (other, others) = (
        tiny(3, encoder_layers=layers) for _ in range(2)
    )
    assert losses == others
    for name, array in one.params.items():
        np.testing.assert_array_equal(array, other.params[name])
    assert tiny(4)[1] != losses


@pytest.mark.parametrize("layers", [0, 2])
def test_every_parameter_is_used(layers):
    model, _ = tiny(0, encoder_layers=layers)
    batch = np.array([[4, 7, 5]]), np.array([[1, 5, 6, 2]])
    _, grads = gradients(lambda p: model.loss(p, batch), model.params)
    assert all(gradient.any() for gradient in grads.values())


def test_padding_changes_neither_loss_nor_gradients():
    model, _ = tiny(0, encoder_layers=1, dropout=0.0)
    source, target = np.array([[4, 7, 5]]), np.array([[1, 5, 6, 2]])
    padded = [np.pad(ids, [(0, 0), (0, 3)]) for ids in (source, target)]
    results = [
        gradients(lambda p, b=batch: model.loss(p, b), model.params)
        for batch in ((source, target), padded)
    ]
    assert results[0][0] == pytest.approx(results[1][0], rel=1e-5)
    for name, gradient in results[0][1].items():
        np.testing.assert_allclose(
            gradient, results[1][1][name], rtol=1e-3, atol=1e-6
        )


def test_the_decoder_does_not_see_later_words():
    model, _ = tiny(0)
    source = np.array([[4, 7, 5]])
    one, other = np.array([[1, 5, 6, 7]]), np.array([[1, 5, 9, 8]])
    logits = [model.forward(model.params, source, t)[0] for t in (one, other)]
    np.testing.assert_array_equal(logits[0][:, :2], logits[1][:, :2])
    assert (logits[0][:, 2:] != logits[1][:, 2:]).all()


def test_saved_and_loaded_is_the_same(tmp_path):
    model, _ = tiny(0, encoder_layers=1, num_heads=2, dropout=0.1, hide=0.2)
    model.save(tmp_path / "model.npz")
    again = Translator.load(tmp_path / "model.npz")
    assert (again.encoder_layers, again.num_heads) == (1, 2)
    assert (again.dropout, again.hide) == (0.1, 0.2)
    assert again.source_words == model.source_words
    sentence = [model.source_words[3:6]]
    one, other = (m.translate(sentence)[0] for m in (model, again))
    assert one.words == other.words
    np.testing.assert_array_equal(one.weights, other.weights)


def test_an_endless_translation_is_cut():
    model, _ = tiny(0)
    model.params["out.b"][2] = -1e9  # never <end>
    (translation,) = model.translate([model.source_words[3:5]], longest=7)
    assert len(translation.words) == len(translation.weights) == 7


# --- what the cross-attention may see ----------------------------------------


def small():
    words = ["<pad>", "<start>", "<end>", *"abcde"]
    source = np.array([[3, 4, 5], [6, 7, 0]])
    target = np.array([[1, 3, 4, 5], [1, 6, 2, 0]])
    return Translator(words, words, encoder_layers=1, rng=0), source, target


def test_hidden_places_get_no_weight():
    model, source, target = small()
    visible = np.ones((2, 4, 3), bool)
    visible[0, 2, 1] = False
    logits, weights = model.forward(model.params, source, target)
    other, hidden = model.forward(
        model.params, source, target, visible=visible
    )
    assert hidden[0, 2, 1] == 0
    assert np.allclose(hidden.sum(axis=-1), 1)
    assert (hidden[1, :, 2] == 0).all(), "padding stays hidden"
    changed = ~np.isclose(logits, other, atol=1e-6).all(axis=-1)
    assert changed.tolist() == [[False, False, True, False], [False] * 4]
    assert np.allclose(weights[1], hidden[1])


def test_one_row_of_visible_places_serves_all_words():
    model, source, target = small()
    visible = np.array([[[True, False, True]], [[True, True, True]]])
    _, weights = model.forward(model.params, source, target, visible=visible)
    assert (weights[0, :, 1] == 0).all()
    assert np.allclose(weights.sum(axis=-1), 1)
