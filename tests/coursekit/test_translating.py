"""The tools of chapter 5: measures, bounds and pictures of a translator."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from attnlib import grammar, toydata
from attnlib.training import cross_entropy
from attnlib.translator import Translator
from coursekit import bounds, translating


@pytest.fixture(scope="module")
def split():
    return grammar.split_sentences(1, train=300, test=7)


@pytest.fixture(scope="module")
def model(split):
    words = [toydata.vocabulary(e[i] for e in split.train) for i in (0, 1)]
    return Translator(*words, d_model=16, rng=0)


def test_bar_fills_up():
    bar = translating.Progress(40)
    assert bar.text(20, 0.5) == "█" * 15 + "░" * 15 + (
        " 20 of 40 steps, loss 0.50"
    )
    assert bar.text(40, 0.0).startswith("█" * 30 + " ")


def test_report_prints_each_share_beside_its_bound(capsys):
    translating.report(("a", 0.5, ">=", 0.5), ("bcd", 0.123, "<=", 0.2))
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "a     50.0%  (at least 50%)",
        "bcd   12.3%  (at most 20%)",
    ]


def test_report_only_says_so_after_fewer_steps(capsys, monkeypatch):
    monkeypatch.setattr(bounds, "strict", False)
    translating.report(("a", 0.4, ">=", 0.5))
    assert capsys.readouterr().out == "a   40.0%  (at least 50%) broken\n"


@pytest.mark.parametrize("bad", [(0.4, ">=", 0.5), (0.6, "<=", 0.5)])
def test_report_fails_if_a_bound_does_not_hold(bad):
    with pytest.raises(ValueError, match=r"x: .*% is not at "):
        translating.report(("fine", 1.0, ">=", 0.5), ("x", *bad))


def test_nan_keeps_no_bound():
    for sign in (">=", "<="):
        with pytest.raises(ValueError, match="nan"):
            translating.report(("x", float("nan"), sign, 0.5))


def test_surprises_have_the_mean_of_the_cross_entropy(model, split):
    rows = translating.surprises(model, split.random, size=3)
    assert [len(r) for r in rows] == [len(e.target) for e in split.random]
    for row, example in zip(rows, split.random, strict=True):
        source = toydata.encode([example.source], model.source_words)
        target = toydata.encode(
            [example.target], model.target_words, marks=True
        )
        scores, _ = model.forward(model.params, source, target[:, :-1])
        n = len(example.target)
        wanted = cross_entropy(scores[:, :n], target[:, 1 : n + 1])
        assert np.mean(row) == pytest.approx(wanted, rel=1e-4)


def test_compare_counts_each_word_once(model, split, capsys):
    translating.compare(
        model, split.random, lambda e, i: "first" if i == 0 else "later"
    )
    _, first, later = capsys.readouterr().out.splitlines()
    words = sum(len(e.target) for e in split.random)
    assert first.split()[:2] == ["first", str(len(split.random))]
    assert later.split()[:2] == ["later", str(words - len(split.random))]
    firsts = [r[0] for r in translating.surprises(model, split.random)]
    shown = [float(x) for x in first.split()[2:]]
    assert shown == pytest.approx(
        [np.mean(firsts), np.median(firsts)], abs=6e-4
    )


def test_maps_have_no_padding_and_rows_of_one(model, split):
    maps = translating.maps_of(model, split.random)
    for rows, example in zip(maps, split.random, strict=True):
        assert rows.shape == (len(example.target), len(example.source))
        assert np.allclose(rows.sum(axis=1), 1, atol=1e-5)


def test_followed_words_are_the_likeliest(model, split):
    source = split.random[0].source
    words, weights, likely = translating.follow(model, source)
    (found,) = model.translate([source])
    assert words == (*found.words, "<end>")
    assert weights.shape == (len(words), len(source))
    for word, chances in zip(found.words, likely, strict=False):
        assert next(iter(chances)) == word
        assert [*chances.values()] == sorted(chances.values(), reverse=True)
        assert len(chances) == 4


def test_maps_are_drawn_with_one_scale_and_the_true_words_framed(model, split):
    example = split.random[0]
    fig = translating.compare_maps(example, {"one": model, "two": model})
    first, second, scale = fig.axes
    assert [ax.get_title() for ax in (first, second)] == ["one", "two"]
    assert scale.get_ylabel() == "weight"
    assert scale.get_ylim() == (0, 1)
    frames = {patch.get_xy() for patch in first.patches}
    true = {(j, i) for i, o in enumerate(example.alignment) for j in o}
    assert frames == true
    labels = [t.get_text() for t in second.get_xticklabels()]
    assert labels == list(example.source)
    assert min(t.get_size() for t in second.get_xticklabels()) >= 10
    plt.close(fig)
