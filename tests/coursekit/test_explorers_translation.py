"""The explorers of a translator: their numbers, marks, words and errors."""

import re
from itertools import product

import numpy as np
import pytest
from frames import Frame

from coursekit import explorers

SOURCES = [["나는", "학교에", "간다"], ["그녀는", "노래를", "한다"]]
TARGETS = [["I", "go", "to", "school", "<end>"], ["she", "sings"]]
TRUE = [[{0}, {2}, {1}, {1}, {2}], [{0}, {1, 2}]]
LIKELY = [
    [{word: 0.9, "x": 0.1 / (i + 1)} for i, word in enumerate(target)]
    for target in TARGETS
]


def random_maps(seed):
    rng = np.random.default_rng(seed)
    return [
        rng.dirichlet(np.ones(len(s)), size=len(t))
        for s, t in zip(SOURCES, TARGETS, strict=True)
    ]


@pytest.fixture(scope="module")
def maps():
    return random_maps(0)


@pytest.fixture(scope="module")
def translation(maps):
    return explorers.explore_translation(SOURCES, TARGETS, maps, LIKELY)


def test_every_step_shows_the_rows_so_far(translation, maps):
    assert set(translation.frames) == set(product(range(2), range(1, 6)))
    for (sentence, word), html in translation.frames.items():
        frame, target = Frame(html), TARGETS[sentence]
        step = min(word, len(target))
        assert [item.text for item in frame.items] == target[:step]
        found = frame.body("weights")
        assert np.allclose(found, maps[sentence][:step], atol=0.00501)
        head, *rows = frame.tables["weights"]
        assert [cell.text for cell in head[1:]] == SOURCES[sentence]
        assert [row[0].text for row in rows] == target[:step]


def test_newest_word_is_marked(translation):
    items = Frame(translation.frames[0, 3]).items
    assert [item.attributes.get("class") for item in items] == [
        None,
        None,
        "on",
    ]


def test_likely_words_are_those_of_the_step(translation):
    for (sentence, word), html in translation.frames.items():
        step = min(word, len(TARGETS[sentence]))
        rows = Frame(html).tables["next word"][1:]
        wanted = LIKELY[sentence][step - 1]
        assert [row[0].text for row in rows] == list(wanted)
        found = [row[1].number for row in rows]
        assert np.allclose(found, [*wanted.values()], atol=0.00501)


def test_words_say_what_came_before_and_where_it_looked(translation, maps):
    said = Frame(translation.frames[0, 3]).words
    best = maps[0][2].argmax()
    assert "Word 3 of 5, after “I go”" in said
    assert "writes “to”" in said
    assert f"{SOURCES[0][best]} ({maps[0][2][best]:.2f})" in said
    assert "at the start" in Frame(translation.frames[0, 1]).words
    assert "ends here" in Frame(translation.frames[0, 5]).words


def test_a_short_sentence_stays_at_its_end(translation):
    frames = translation.frames
    assert frames[1, 2] == frames[1, 3] == frames[1, 5]
    assert frames[1, 1] != frames[1, 2]


def test_likely_words_that_are_written_alike_are_all_shown(maps):
    likely = [[{1: 0.5, "1": 0.25}] * 5, [{"a": 1.0}] * 2]
    panel = explorers.explore_translation(SOURCES, TARGETS, maps, likely)
    rows = Frame(panel.frames[0, 1]).tables["next word"][1:]
    assert [[c.text for c in row] for row in rows] == [
        ["1", "0.50"],
        ["1", "0.25"],
    ]


def test_probabilities_may_be_left_out(maps):
    panel = explorers.explore_translation(SOURCES, TARGETS, maps)
    assert "next word" not in Frame(panel.first).tables


# --- training ----------------------------------------------------------------


STEPS = [0, 20, 1000]


@pytest.fixture(scope="module")
def snapshots():
    even = [np.full_like(w, 1 / w.shape[1]) for w in random_maps(0)]
    return [even, random_maps(1), random_maps(2)]


@pytest.fixture(scope="module")
def training(snapshots):
    return explorers.explore_training(
        STEPS, SOURCES, TARGETS, snapshots, TRUE, [0.25, 0.5, 0.99]
    )


def test_every_snapshot_shows_its_map_and_the_true_words(training, snapshots):
    assert set(training.frames) == set(product(range(2), STEPS))
    for (sentence, step), html in training.frames.items():
        frame = Frame(html)
        weights = snapshots[STEPS.index(step)][sentence]
        found = frame.body("weights")
        assert np.allclose(found, weights, atol=0.00501)
        for row, origin in zip(
            frame.tables["weights"][1:], TRUE[sentence], strict=True
        ):
            marks = [
                j
                for j, cell in enumerate(row[1:])
                if "on" in (cell.attributes.get("class") or "")
            ]
            assert set(marks) == origin


def test_words_count_the_largest_weights_on_true_words(training, snapshots):
    for (sentence, step), html in training.frames.items():
        said = Frame(html).words
        if step == 0:
            assert "all weights are equal" in said
            continue
        weights = snapshots[STEPS.index(step)][sentence]
        hits = sum(
            int(row.argmax()) in origin
            for row, origin in zip(weights, TRUE[sentence], strict=True)
        )
        count = re.search(r"for (\d) of (\d) words", said)
        assert [int(n) for n in count.groups()] == [hits, len(weights)]
        assert f"After {step} steps" in said


def test_one_step_is_one_step(snapshots):
    panel = explorers.explore_training(
        [1], SOURCES, TARGETS, snapshots[:1], TRUE
    )
    assert "After 1 step, for" in Frame(panel.first).words


def test_scores_are_drawn_over_the_steps(training):
    for (_, step), html in training.frames.items():
        assert Frame(html).curves == [[(0, 0.25), (20, 0.5), (1000, 0.99)]]
        assert "class=dot" in html
        assert step in STEPS
    start = {name: w.value for name, w in training.controls.items()}
    assert start == {"sentence": 0, "steps": 1000}


def test_steps_may_be_the_keys_of_a_dict(snapshots):
    taken = dict(zip(STEPS, snapshots, strict=True))
    panel = explorers.explore_training(
        taken, SOURCES, TARGETS, [*taken.values()], TRUE
    )
    assert [v for _, v in panel.controls["steps"].options] == STEPS
    assert not Frame(panel.first).curves


# --- both --------------------------------------------------------------------


def test_words_cannot_break_the_page():
    bad = ["<img src=x onerror=alert(1)>", '"&amp;'] * 2
    eye = np.eye(4)
    likely = [[dict.fromkeys(bad, 0.5)] * 4]
    panels = [
        explorers.explore_translation([bad], [bad], [eye], likely),
        explorers.explore_training(
            [1, 2], [bad], [bad], [[eye]] * 2, [[{i} for i in range(4)]]
        ),
    ]
    for panel in panels:
        for html in panel.frames.values():
            assert "<img" not in html
            assert "&amp;amp;" in html


def test_made_by_hand_is_said_only_where_it_is_true(translation, training):
    for name in ("explore_translation", "explore_training"):
        panel = getattr(explorers, name)()
        for html in panel.frames.values():
            assert "made by hand" in Frame(html).words
    for panel in (translation, training):
        assert "by hand" not in panel.first


MAPS = random_maps(0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ([SOURCES], ValueError, "targets is missing"),
        ([SOURCES, TARGETS], ValueError, "weights is missing"),
        ([SOURCES, TARGETS, MAPS[:1]], ValueError,
         "weights must hold a map for each of 2 sentences, got 1"),
        ([SOURCES, TARGETS, MAPS[::-1]], ValueError,
         r"shape \(5, 3\), got \(2, 3\)"),
        ([SOURCES, TARGETS[:1], MAPS], ValueError,
         "as many sources as targets"),
        ([["나는 간다"], [["I", "go"]], MAPS], TypeError,
         r"sources\[0\] must be a list, got str"),
        ([SOURCES, [["I"], []], MAPS], ValueError,
         r"targets\[1\] is empty"),
        ([SOURCES, TARGETS, MAPS, LIKELY[:1]], ValueError,
         "a dict for each word"),
        ([SOURCES, TARGETS, [m * np.nan for m in MAPS]], ValueError, "nan"),
        ([[], [], []], ValueError, "sources is empty"),
        ([7, TARGETS, MAPS], TypeError, "sources must be a list, got int"),
        ([SOURCES, TARGETS, [MAPS[0], 7 * MAPS[1]]], ValueError,
         r"weights\[1\] must lie between 0 and 1, got shape \(2, 3\)"),
        ([SOURCES, TARGETS, [MAPS[0], np.ones((2, 3))]], ValueError,
         r"weights\[1\] must sum to 1 in each row, but row \[0\].* to 3"),
        ([SOURCES, TARGETS, [-MAPS[0], MAPS[1]]], ValueError,
         r"weights\[0\] must lie between 0 and 1, got shape \(5, 3\)"),
        ([SOURCES, TARGETS, MAPS, [LIKELY[0], [{"she": 1.0}, "sings"]]],
         TypeError, r"likely\[1\]\[1\] must be a dict .*, got str"),
        ([SOURCES, TARGETS, MAPS, [LIKELY[0], [{"she": "1"}] * 2]],
         TypeError, r"likely\[1\]\[0\]\['she'\] must be a number"),
        ([SOURCES, TARGETS, MAPS, [LIKELY[0], [{"she": 7}] * 2]],
         ValueError, r"likely\[1\]\[0\] must lie between 0 and 1"),
        ([SOURCES, TARGETS, MAPS, [LIKELY[0], [{"she": 0.9, "he": 0.9}] * 2]],
         ValueError, r"likely\[1\]\[0\] must sum to at most 1, got 1.8"),
    ],
)  # fmt: skip
def test_bad_arguments_of_a_translation(arguments, error, message):
    with pytest.raises(error, match=message):
        explorers.explore_translation(*arguments)


TAKEN = {
    "steps": [0],
    "sources": SOURCES,
    "targets": TARGETS,
    "maps": [MAPS],
    "alignments": TRUE,
    "scores": [0.5],
}


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"steps": [1, 2]}, ValueError, "maps must hold .* 2 steps, got 1"),
        ({"steps": []}, ValueError, "steps is empty"),
        ({"steps": 3}, TypeError, "steps must be a list, got int"),
        ({"steps": ["a"]}, TypeError, "steps must be integers"),
        ({"maps": None}, ValueError, "maps is missing"),
        ({"maps": [MAPS[:1]]}, ValueError, r"maps\[0\] must hold a map for"),
        ({"maps": [[MAPS[0], 7 * MAPS[1]]]}, ValueError,
         r"maps\[0\]\[1\] must lie between 0 and 1"),
        ({"maps": [[MAPS[0], MAPS[1] * [[1.0], [0.5]]]]}, ValueError,
         r"maps\[0\]\[1\] must sum to 1 .* row \[1\].* to 0.5"),
        ({"scores": [0.1, 0.2]}, ValueError,
         r"scores must have shape \(1,\).*got \(2,\)"),
        ({"scores": [7.0]}, ValueError, "scores must lie between 0 and 1"),
        ({"scores": ["a"]}, TypeError, "scores must hold"),
        ({"alignments": None}, ValueError, "alignments is missing"),
        ({"alignments": TRUE[:1]}, ValueError,
         r"alignments must hold a set for each word: \[5, 2\], got \[5\]"),
        ({"alignments": TRUE[::-1]}, ValueError, r"got \[2, 5\]"),
        ({"alignments": [TRUE[0], [{0}, {3}]]}, ValueError,
         r"alignments\[1\]\[1\] must hold positions from 0 to 2"),
        ({"alignments": [TRUE[0], [{0}, 1]]}, TypeError,
         r"alignments\[1\]\[1\] must be a set of positions, got int"),
    ],
)  # fmt: skip
def test_bad_arguments_of_training(changed, error, message):
    with pytest.raises(error, match=message):
        explorers.explore_training(**TAKEN | changed)


def test_a_word_may_come_from_no_source_word():
    panel = explorers.explore_training(
        **TAKEN | {"alignments": [TRUE[0], [set(), {1}]]}
    )
    marked = [
        "on" in (cell.attributes.get("class") or "")
        for cell in Frame(panel.frames[1, 0]).tables["weights"][1][1:]
    ]
    assert marked == [False] * 3
