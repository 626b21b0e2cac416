"""The translator: trained once, by the command that readers use."""

import os
import re
import subprocess
import sys
import unicodedata
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest

from attnlib import grammar, toydata
from attnlib.autograd import gradients
from attnlib.training import train
from attnlib.translator import Translator
from coursekit import translate


def run_command(*sentences, folder, **environment):
    command = [sys.executable, "-W", "error", "-m", "coursekit", "translate"]
    return subprocess.run(
        [*command, *sentences],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        check=False,
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return the folder in which the command ran first, and its result."""
    folder = tmp_path_factory.mktemp("translate")
    return folder, run_command(folder=folder)


@pytest.fixture(scope="module")
def model(trained):
    return Translator.load(trained[0] / "_build" / "translator.npz")


@pytest.fixture(scope="module")
def split():
    # The command draws its sentences from the same seed, so that the model
    # has seen `train` and nothing else.
    return grammar.split_sentences(translate.SEED)


def test_first_run_trains_translates_and_draws(trained):
    folder, done = trained
    assert done.returncode == 0, done.stderr
    assert "training on 8,000 sentences" in done.stdout
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


def test_second_run_loads_the_model(trained):
    done = run_command("그녀는 책을 읽었다.", folder=trained[0])
    assert done.returncode == 0, done.stderr
    assert "loaded" in done.stdout
    assert "training" not in done.stdout
    assert "  she read a book\n" in done.stdout
    assert "book ← 책을" in done.stdout


def test_unknown_words_are_named_and_the_rest_is_translated(trained):
    done = run_command(
        "나는 병원에 천천히 간다", "나는 집에 간다", folder=trained[0]
    )
    assert done.returncode == 1
    assert "unknown: 병원에, 천천히\n" in done.stdout
    assert "  I go home\n" in done.stdout
    known = re.search("I know these words: (.*)", done.stdout)[1].split()
    assert {"학교에", "간다"} <= set(known)
    assert not {"병원에", "<pad>", "<start>", "<end>"} & set(known)


@pytest.mark.parametrize("mark", ["<pad>", "<start>", "<end>"])
def test_the_marks_of_the_vocabulary_are_no_words(tmp_path, capsys, mark):
    path = tmp_path / "model"
    assert translate.run([f"나는 {mark} 간다"], path, tmp_path) == 1
    assert f"unknown: {mark}\n" in capsys.readouterr().out


@pytest.mark.parametrize("empty", ["   ", " . ", "‘…’"])
def test_a_sentence_without_words_is_named(tmp_path, capsys, empty):
    path = tmp_path / "model"
    assert translate.run([empty], path, tmp_path) == 1
    assert "sentence 1 has no words" in capsys.readouterr().out


def test_nothing_is_trained_if_nothing_can_be_translated(tmp_path):
    done = run_command("", folder=tmp_path)
    assert done.returncode == 1
    assert "sentence 1 has no words" in done.stdout
    assert "training" not in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_hangul_written_letter_by_letter_is_read(trained):
    letters = unicodedata.normalize("NFD", "나는 학교에 간다")
    assert len(letters) > 15
    done = run_command(letters, folder=trained[0])
    assert "  I go to school\n" in done.stdout


def broken_models(path):
    """Write files that hold no model of the grammar, one after the other."""
    words = ["<pad>", "<start>", "<end>", "x"]
    model = Translator(words, words, rng=0)
    model.save(path)
    yield "knows other words than the grammar"
    whole = path.read_bytes()
    for content in (b"", b"no model", whole[: len(whole) // 2]):
        path.write_bytes(content)
        yield "holds no translator"
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    yield "holds no translator"
    del model.params["out.b"]
    model.save(path)
    yield "holds a translator of another form"


def test_a_file_without_a_fitting_model_is_replaced(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(translate, "STEPS", 1)
    small = partial(grammar.split_sentences, train=99, test=1)
    monkeypatch.setattr(translate, "split_sentences", small)
    sentence = " ".join(small(translate.SEED).train[0].source)
    path = tmp_path / "model"  # without ending
    for words in broken_models(path):
        assert translate.run([sentence], path, tmp_path) == 0
        assert words in capsys.readouterr().out
        assert translate.run([sentence], path, tmp_path) == 0
        assert f"loaded {path}\n" in capsys.readouterr().out
    assert {file.name for file in tmp_path.iterdir()} == {
        "model",
        "alignment-1.png",
    }


def test_a_terminal_without_hangul_is_no_error(trained):
    done = run_command(
        "나는 집에 간다", folder=trained[0], PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 0, done.stderr
    assert "  I go home\n" in done.stdout


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
    "word", ["시장에", "도서관에서", "시를", "코트를", "개를", "빵을"]
)
def test_no_pair_of_words_alone_is_translated_badly(model, word):
    pairs = [pair for pair in grammar.APART if word in pair]
    examples = [
        example
        for example in grammar.all_sentences()
        if any(pair <= set(example.source) for pair in pairs)
    ]
    some = examples[:: max(len(examples) // 100, 1)]
    assert len(some) > 50
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
