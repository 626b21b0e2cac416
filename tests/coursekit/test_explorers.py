"""Every frame of every explorer is compared with a fresh computation."""

import gzip
import inspect
import json
import re
from html import unescape
from itertools import product

import numpy as np
import pytest
from frames import Frame
from hypothesis import example, given
from hypothesis import strategies as st
from ipywidgets import Dropdown, SelectionSlider, ToggleButtons
from ipywidgets.widgets.widget import _instances
from ipywidgets.widgets.widget_link import DirectionalLink

import attnlib as al
from coursekit import explorers
from coursekit.explorers.arguments import menu

NAMES = [n for n in explorers.__all__ if n.startswith("explore_")]
WITH_TOKENS = [
    name
    for name in NAMES
    if "tokens" in inspect.signature(getattr(explorers, name)).parameters
]
CAT = ["The", "cat", "sat"]
MOUSE = ["the", "cat", "caught", "the", "mouse"]
HALF = 0.005 + 1e-9  # what rounding to two digits may take or give


@pytest.fixture(scope="module")
def made():
    """Return every explorer, made without arguments."""
    return {name: getattr(explorers, name)() for name in NAMES}


def frames_of(explorer):
    """Yield the choice, by name, and the parsed frame, for all frames."""
    for choice, html in explorer.frames.items():
        named = dict(zip(explorer.controls, choice, strict=True))
        yield named, Frame(html)


def close(found, expected, tolerance=HALF):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    same = (found == expected) | (abs(found - expected) <= tolerance)
    assert same.all(), f"{found} is not {expected}"


def numbers(text):
    text = re.sub(r"(?<=\d)[.,](?!\d)", "", text.replace("−", "-"))
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", text)]


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def soft(scores):
    """Softmax as it is written on paper."""
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


def entropy(w):
    return -sum(x * np.log(x) for x in w if x > 0)


# --- the general function ---------------------------------------------------


def test_every_choice_has_its_frame():
    panel = explorers.explore(
        lambda a, b, c: f"{a} {b} {c}",
        a=[1, 2, 3],
        b=["x", "y", "z"],
        c=["p"],
    )
    assert panel.frames[2, "z", "p"] == "2 z p"
    assert len(panel.frames) == 9


def links_of(panel):
    """Return the links from the controls of a widget to its stacks."""
    controls = panel.widget.children[1].children
    links = [w for w in _instances.values() if type(w) is DirectionalLink]
    return [link for link in links if link.source[0] in controls]


def shown(panel, links, choice):
    """Follow the links as Jupyter does; return the frame's HTML."""
    _, row, stage = panel.widget.children
    for widget, option in zip(row.children, choice, strict=True):
        widget.index = [value for _, value in widget.options].index(option)
    for link in links:
        (control, trait), (stack, target) = link.source, link.target
        setattr(stack, target, getattr(control, trait))
    while hasattr(stage, "selected_index"):
        stage = stage.children[stage.selected_index]
    return stage.value


@pytest.mark.parametrize("name", NAMES)
def test_links_of_the_widget_lead_every_choice_to_its_frame(made, name):
    panel = made[name]
    links = links_of(panel)
    chosen = [w.value for w in panel.widget.children[1].children]
    assert panel.frames[tuple(chosen)] == panel.first
    for choice, html in panel.frames.items():
        assert shown(panel, links, choice) == html


def test_kind_of_control_follows_the_options():
    panel = explorers.explore(
        lambda **choice: str(choice),
        {"few": "b"},
        number=np.arange(3),
        few=["a", "b", "c"],
        named={"one": 1, "two": 2, "three": 3},
        many=list("abcdefg"),
        long=["a name of many letters", "and another one"],
    )
    kinds = [control.kind for control in panel.controls.values()]
    assert kinds == ["slider", "buttons", "buttons", "menu", "buttons"]
    widgets = panel.widget.children[1].children
    types = [SelectionSlider, ToggleButtons, ToggleButtons, Dropdown]
    assert [type(w) for w in widgets] == [*types, ToggleButtons]
    assert panel.controls["few"].index == widgets[1].index == 1
    assert panel.controls["number"].options[2] == ("2", 2)
    longer = explorers.explore(lambda a: a, a=["a" * 30, "b" * 30])
    assert longer.controls["a"].kind == "menu"


def test_equal_pictures_and_idle_controls_are_not_stored_twice():
    panel = explorers.explore(
        lambda a, b: "same" if a == 1 else f"frame {b}", a=[1, 2, 3], b=[1, 2]
    )
    assert len(links_of(panel)) == 2, "one for a, one for b where it matters"
    for frame in ("same", "frame 1", "frame 2"):
        assert panel.html.count(frame) == 1


def test_frame_of_a_page_cannot_end_its_data():
    hostile = "</script><img src=x onerror=alert(1)><!--"
    panel = explorers.explore(lambda a: f"{a}{hostile}", a=["x", "y"])
    _, data = panel.html.split('<script type="application/json">')
    assert data.count("<") == 2
    assert data.endswith("</script></form>")
    data = json.loads(data.removesuffix("</script></form>"))
    assert data == {"frames": [None, f"y{hostile}"], "choices": [0, 1]}


def test_too_many_frames_is_an_error_that_says_what_to_reduce():
    with pytest.raises(
        ValueError, match=r"a 3 × b 200 = 600 frames.*450.*reduce b"
    ):
        explorers.explore(lambda a, b: "", a=[1, 2, 3], b=range(200))
    with pytest.raises(ValueError, match=r"bytes.*fewer options"):
        explorers.explore(lambda a: "x" * 3_000_000 + str(a), a=[1, 2])


@pytest.mark.parametrize(
    ("draw", "start", "controls", "error", "message"),
    [
        ("no", None, {"a": [1]}, TypeError, "draw must be a function"),
        (str, None, {}, ValueError, "at least one control"),
        (str, None, {"a": 3}, TypeError, "a needs a sequence"),
        (str, None, {"a": "xyz"}, TypeError, "a needs a sequence"),
        (str, None, {"a": [[1], [2]]}, TypeError, "a has an option .*list"),
        (str, None, {"a": []}, ValueError, "a has no options"),
        (str, None, {"a": [1, 1]}, ValueError, "two options with one label"),
        (str, {"a": 9}, {"a": [1, 2]}, ValueError, "cannot start at 9"),
        (str, {"b": 1}, {"a": [1, 2]}, ValueError, "unknown controls: .'b'"),
        (str, 3, {"a": [1, 2]}, TypeError, "start must be a dict, got int"),
        (lambda a: 1, None, {"a": [1]}, TypeError, "return HTML as a str"),
    ],
)
def test_bad_arguments_of_explore(draw, start, controls, error, message):
    with pytest.raises(error, match=message):
        explorers.explore(draw, start, **controls)


# --- the numbers in the frames ----------------------------------------------


def check_temperature(explorer, q, k, v, words):
    for choice, frame in frames_of(explorer):
        t, scores = choice["temperature"], k @ q[choice["query"]]
        weights = soft(scores / t)
        rows = frame.tables["soft lookup"]
        assert [r[0].text for r in rows[1:-1]] == words
        close([r[1].number for r in rows[1:-1]], scores)
        close([r[2].number for r in rows[1:-1]], weights)
        close([numbers(r[3].text) for r in rows[1:-1]], v)
        close(numbers(rows[-1][3].text), weights @ v)
        close(
            numbers(frame.words.split("entropy")[1]),
            [entropy(weights), np.log(len(k)), *(weights @ v)],
        )
        best = weights.max()
        assert f"({best:.2f})" in frame.words


def test_temperature_frames():
    q = np.array([[1.0, 0.0], [0.5, 1.0], [1.0, 0.5]])
    k = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    v = np.array([[0.0, 0.0], [3.0, 1.0], [0.0, 3.0]])
    check_temperature(explorers.explore_temperature(), q, k, v, CAT)
    q, k, v = normal(2, 7), normal(5, 7, seed=1), normal(5, 3, seed=2)
    check_temperature(
        explorers.explore_temperature(q, k, v, MOUSE), q, k, v, MOUSE
    )


def check_scale(explorer, q, k):
    for choice, frame in frames_of(explorer):
        d = choice["width"]
        scores = k[:, :d] @ q[:d]
        if choice["scale"] == "with":
            scores = scores / np.sqrt(d)
        weights = al.softmax(scores)
        close(
            frame.body(f"{len(k)} keys of width {d}"),
            np.stack([scores, weights], axis=1),
        )
        expected = [scores.std(), weights.max(), entropy(weights)]
        close(numbers(frame.words)[1:], [*expected, np.log(len(k))])


def test_scale_frames():
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal(512), rng.standard_normal((8, 512))
    check_scale(explorers.explore_scale(), q, k)
    q, k = normal(11), normal(3, 11, seed=1)
    check_scale(explorers.explore_scale(q, k, widths=[1, 5, 11]), q, k)


def may_look(kind, i, j, real_words, window):
    if "causal" in kind and j > i:
        return False
    if "window" in kind and not i - window < j <= i:
        return False
    return not ("padding" in kind and j >= real_words)


def check_masks(explorer, scores, words):
    n, empty_seen = len(scores), 0
    for choice, frame in frames_of(explorer):
        kind, real = choice["mask"], choice["real_words"]
        cells = product(range(n), range(n))
        seen = np.array(
            [may_look(kind, i, j, real, choice["window"]) for i, j in cells]
        ).reshape(n, n)
        total = (np.exp(scores) * seen).sum(axis=1, keepdims=True)
        weights = np.exp(scores) * seen / np.where(total, total, 1)
        close(frame.body("scores"), scores)
        close(frame.body("mask"), seen)
        shown = [
            row[row_seen] for row, row_seen in zip(weights, seen, strict=True)
        ]
        for found, expected in zip(frame.body("weights"), shown, strict=True):
            close(found, expected)
        rows = frame.tables["weights"][1:]
        for i, j in product(range(n), range(n)):
            cell = rows[i][j + 1]
            hidden = cell.attributes.get("class") == "h"
            assert hidden == (not cell.text) == (not seen[i, j])
            assert cell.attributes["aria-label"].endswith("hidden") == hidden
        empty = np.flatnonzero(~seen.any(axis=1)) + 1
        empty_seen += len(empty) > 0
        told = re.search(r"\(rows? ([\d, ]+)\)", frame.words)
        assert (told is not None) == (len(empty) > 0)
        if told:
            assert numbers(told[1].replace(",", " ")) == empty.tolist()
        pads = [c.text for c in frame.tables["weights"][0]].count("<pad>")
        assert pads == ("padding" in kind) * (n - real)
    assert empty_seen > 0, "some frame shows an empty row"


def test_mask_frames(made):
    frame = Frame(made["explore_masks"].frames["none", 1, 1])
    scores = np.array(frame.body("scores"))
    assert [c.text for c in frame.tables["scores"][0][1:]] == MOUSE
    check_masks(made["explore_masks"], scores, MOUSE)
    own = normal(3, 3)
    check_masks(explorers.explore_masks(own, CAT), own, CAT)


def check_weight(explorer, q, k):
    for choice, frame in frames_of(explorer):
        i, j = choice["query"], choice["key"]
        scores = q @ k.T / np.sqrt(q.shape[1])
        parts = np.stack([q[i], k[j], q[i] * k[j]], axis=1)
        *found, total = frame.body("1 · multiply, and add up")
        close(found, parts)
        close(total, [q[i] @ k[j]])
        *found, total = frame.body("2 · the row of this query")
        powers, weights = np.exp(scores[i]), soft(scores[i])
        close(found, np.stack([scores[i], powers, weights], axis=1))
        close(total, [powers.sum(), 1.0])
        said = frame.words.split("add up to")[1]
        expected = [q[i] @ k[j], q.shape[1] ** -0.5, scores[i, j]]
        expected += [powers[j], powers.sum(), weights[j]]
        close(numbers(said), expected)


def test_weight_frames():
    q = np.array([[0.0, 4, 0, 0], [2, 0, 2, 0], [0, 2, 2, 2]])
    k = np.array([[1.0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]])
    check_weight(explorers.explore_weight(), q, k)
    q, k = normal(2, 7), normal(5, 7, seed=1)
    check_weight(explorers.explore_weight(q, k), q, k)


def check_heads(explorer, q, k):
    for choice, frame in frames_of(explorer):
        h, n = choice["heads"], len(q)
        head = min(choice["head"], h - 1)
        d = q.shape[1] // h
        maps = [
            soft(q[:, c : c + d] @ k[:, c : c + d].T / np.sqrt(d))
            for c in range(0, h * d, d)
        ]
        close(frame.body(f"head {head} of {h}"), maps[head])
        assert len(frame.squares) == h
        for small, weights in zip(frame.squares, maps, strict=True):
            found = np.zeros((n, n))
            for place, opacity in small.items():
                found[place] = opacity
            close(found, weights)
        largest = numbers(frame.words.split("largest weight is")[1])[0]
        close(largest, maps[head].max())
        assert f"ead {head}" in frame.words  # counted from 0, as in the text
        assert ("only" in frame.words) == (choice["head"] >= h)


def test_head_frames():
    q, k = np.zeros((2, 5, 20))
    for i in range(1, 5):
        q[i, i - 1] = 10
    word = [0, 1, 2, 0, 3]
    for i in range(5):
        k[i, i] = k[i, 5 + word[i]] = 1
        q[i, 5 + word[i]] = q[i, 10] = 10
    k[0, 10] = k[1, 15] = 1
    q[2, 15] = 10
    check_heads(explorers.explore_heads(), q, k)
    q, k = normal(3, 30), normal(3, 30, seed=1)
    own = explorers.explore_heads(q, k, CAT, num_heads=[1, 3, 5])
    check_heads(own, q, k)


def check_sinusoidal(explorer, n):
    for choice, frame in frames_of(explorer):
        d, p, base = choice["width"], choice["position"], choice["base"]
        angle = np.arange(n)[:, None] / base ** (np.arange(0, d, 2) / d)
        sine, cosine = np.sin(angle), np.cos(angle)
        if base == 10000:
            encoding = al.positional_encoding(n, d)
            assert np.allclose(sine, encoding[:, ::2], atol=1e-12)
            assert np.allclose(cosine, encoding[:, 1::2], atol=1e-12)
        close(frame.body(f"the row of position {p}"), [sine[p], cosine[p]])
        near = sine @ sine[p] + cosine @ cosine[p]
        *waves, products = frame.curves
        close(np.array(waves)[..., 1], sine.T, 0.0006)
        close(products, np.stack([np.arange(n), near], axis=1), 0.0006)
        told = numbers(frame.words)
        assert told[:3] == [p, d, base]
        side, far = int(told[4]), int(told[6])
        assert abs(side - p) == 1
        assert abs(far - p) == max(p, n - 1 - p)
        close(told[3::2], near[[p, side, far]])


def test_sinusoidal_frames(made):
    check_sinusoidal(made["explore_sinusoidal"], 24)
    own = explorers.explore_sinusoidal(7, widths=[2, 6], bases=[5.0, 10000])
    check_sinusoidal(own, 7)


def rope_pairs(x, position, base):
    """Turn pairs (i, i + d/2) by complex numbers."""
    half = len(x) // 2
    speed = base ** (-np.arange(half) / half)
    return (x[:half] + 1j * x[half:]) * np.exp(1j * speed * position)


def rope_products(q, k, key_position, query_position, base):
    turned = rope_pairs(q, query_position, base)
    return (turned * rope_pairs(k, key_position, base).conj()).real


def check_rope(explorer, q, k, base, distances):
    speeds = np.degrees(base ** (-np.arange(len(q) // 2) / (len(q) // 2)))
    lines = np.array([rope_products(q, k, 0, m, base) for m in distances])
    for choice, frame in frames_of(explorer):
        r, j = choice["pair"], choice["key_position"]
        i = j + choice["distance"]
        arrows = np.array(
            [rope_pairs(k, j, base)[r], rope_pairs(q, i, base)[r]]
        )
        drawn = 100 * arrows.conj() / np.abs(arrows).max()  # y points down
        key, query, one, every = frame.curves
        close([key[1], query[1]], np.c_[drawn.real, drawn.imag], 0.06)
        close(np.array(one)[:, 1], lines[:, r], 0.0006)
        close(np.array(every)[:, 1], lines.sum(axis=1), 0.0006)
        close(np.array(every)[:, 0], distances)
        told = numbers(frame.words)
        assert told[0] == r
        assert [told[2], told[4], told[-1]] == [j, i, i - j]
        close(told[1], speeds[r], 0.51 if speeds[r] >= 10 else 0.051)
        close([told[3], told[5]], [speeds[r] * j, speeds[r] * i], 0.51)
        angle = np.angle(arrows[1] / arrows[0], deg=True)
        close(np.cos(np.radians(told[6] - angle)), 1, 1e-4)
        products = rope_products(q, k, j, i, base)
        close(told[7:9], [products[r], products.sum()])


def test_rope_frames(made):
    half = np.array([1.0, 1, 1])
    q = np.r_[half, 0 * half]
    ahead = 3 * 100.0 ** (-np.arange(3) / 3)
    k = np.r_[np.cos(ahead), np.sin(ahead)]
    check_rope(made["explore_rope"], q, k, 100.0, [*range(10)])
    q, k = normal(8), normal(8, seed=1)
    own = explorers.explore_rope(
        q, k, base=10000, key_positions=[0, 3], distances=[0, 2, 5]
    )
    check_rope(own, q, k, 10000.0, [0, 2, 5])


def test_rope_default_agrees_best_three_apart(made):
    said = {
        choice["distance"]: numbers(frame.words)[8]
        for choice, frame in frames_of(made["explore_rope"])
    }
    assert max(said, key=said.get) == 3
    assert said[3] == 3


def test_distance_alone_decides_angle_and_products(made):
    said = {}
    for choice, frame in frames_of(made["explore_rope"]):
        same = choice["pair"], choice["distance"]
        said.setdefault(same, set()).add(tuple(numbers(frame.words)[6:]))
    assert {len(told) for told in said.values()} == {1}


def check_sentence(explorer, weights, words):
    for choice, frame in frames_of(explorer):
        row = weights[choice["word"]]
        for item, word, weight in zip(frame.items, words, row, strict=True):
            assert item.text.startswith(word)
            close(float(item.text.removeprefix(word)), weight)
        best = np.sort(row)[::-1][:3]
        said = frame.words.split("looks most at")[1]
        found = re.findall(r" (\d\.\d\d)", said)
        close([float(x) for x in found], best)
        chosen = [i for i in frame.items if i.attributes.get("class")]
        if frame.lines:  # the word is chosen in the picture
            assert not chosen
            check_lines(frame.lines, choice["word"], weights)
        else:
            assert [frame.items.index(c) for c in chosen] == [choice["word"]]


def check_lines(lines, word, weights):
    """See that each line is as wide as its weight; those of a word last."""
    n = len(weights)
    wide = {(i, j): 14 * weights[i, j] for i, j in np.ndindex(n, n)}
    assert {(i, j) for i, j, _ in lines} == set(wide)
    for i, j, found in lines:
        close(found, wide[i, j], 0.05 + 1e-9)
    assert [i for i, _, _ in lines[-n:]] == [word] * n


def test_sentence_frames(made):
    from coursekit.explorers.examples import LOOKS

    words = list(LOOKS)
    assert " ".join(words).startswith("The bank can guarantee deposits")
    scores = np.array([[LOOKS[a].get(b, 0) for b in words] for a in words])
    check_sentence(made["explore_sentence"], soft(scores), words)
    own = soft(normal(3, 3))
    check_sentence(explorers.explore_sentence(own, CAT), own, CAT)


# --- all of them ------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_of_a_map_says_its_row_its_column_and_its_value(made, name):
    for _, frame in frames_of(made[name]):
        for head, *rows in frame.tables.values():
            for row in rows:
                for column, cell in zip(head[1:], row[1:], strict=True):
                    label = cell.attributes.get("aria-label")
                    if label is None:
                        continue
                    label = unescape(label)
                    assert row[0].text in label
                    assert column.text in label
                    assert cell.text in label or "may" in label


@pytest.mark.parametrize("name", NAMES)
def test_every_frame_has_words_and_no_two_words_for_one_picture(made, name):
    words = {}
    for html in made[name].frames.values():
        said = Frame(html).words
        assert said.endswith(".")
        assert len(said) > 40
        assert words.setdefault(said, html) == html


def test_words_tell_tokens_that_repeat_apart():
    q = np.array([[1.0, 0.0], [0.0, 1.0]])
    panel = explorers.explore_temperature(
        q, q, q, ["the", "the"], temperatures=[1.0]
    )
    said = Frame(panel.frames[1, 1.0]).words
    assert "“the (2)” looks most at “the (2)”" in said


@pytest.mark.parametrize("name", WITH_TOKENS)
def test_tokens_cannot_break_the_page(name):
    function = getattr(explorers, name)
    bad = ["<img src=x onerror=alert(1)>", '"', "&amp;"]
    eye = np.eye(3)
    arrays = {
        "explore_temperature": [eye, eye, eye],
        "explore_machine": [eye, eye, eye, eye],
        "explore_weight": [eye, eye],
        "explore_heads": [eye, eye],
        "explore_induction": [eye[None, None], eye[None]],
        "explore_online_softmax": [eye, eye, eye],
    }.get(name, [eye])
    extra = {"num_heads": [1]} if name == "explore_heads" else {}
    panel = function(*arrays, tokens=bad, **extra)
    assert "&amp;amp;" in panel.first or name == "explore_masks"
    for html in panel.frames.values():
        assert "<img" not in html


# Few letters, so that tokens often repeat, and often look like a number.
TOKENS = st.lists(
    st.text("a (12)", max_size=5) | st.text(max_size=2), min_size=1, max_size=6
)


@given(TOKENS)
@example(["the", "the (1)", "the"])
def test_no_token_is_lost_from_a_menu(tokens):
    options = menu(tokens)
    assert [*options.values()] == [*range(len(tokens))]
    for label, place in options.items():
        assert label in (tokens[place], f"{tokens[place]} ({place + 1})")


def test_menu_numbers_only_what_repeats():
    assert [*menu(["the", "cat", "the"])] == ["the (1)", "cat", "the (3)"]


SQUARE = np.eye(3)


@pytest.mark.parametrize(
    ("name", "arguments", "options", "error", "message"),
    [
        ("temperature", [SQUARE], {}, ValueError, "k is missing"),
        ("temperature", [], {"temperatures": [0.0]}, ValueError,
         "temperatures must be from 1e-6 to 1e6, got 0.0"),
        ("temperature", [], {"temperatures": [1e-320]}, ValueError,
         "^temperatures must be from 1e-6"),
        ("temperature", [SQUARE, np.ones((4, 2)), SQUARE], {}, ValueError,
         r"q and k must have the same width.*\(3, 3\).*\(4, 2\)"),
        ("temperature", [], {"tokens": ["a"]}, ValueError,
         "tokens must hold 3 words, got 1"),
        ("temperature", [], {"tokens": "abc"}, TypeError,
         "tokens must be a list, got str"),
        ("scale", [np.ones(4), np.ones((2, 4))], {}, ValueError,
         "as wide as the largest width.*512"),
        ("scale", [], {"widths": [0]}, ValueError, "from 1"),
        ("masks", [np.ones((2, 3))], {}, ValueError, r"\(n, n\).*\(2, 3\)"),
        ("masks", [np.eye(9)], {}, ValueError, "at most 8"),
        ("masks", [np.eye(3) * np.nan], {}, ValueError, "scores.*nan"),
        ("masks", [["a"]], {}, TypeError, "scores must hold"),
        ("scale", [[[1.0], [1.0, 2.0]], SQUARE], {}, ValueError,
         "q is not a rectangular array"),
        ("scale", [np.ma.masked_array(np.ones(3)), SQUARE], {}, TypeError,
         "q is a masked array"),
        ("weight", [SQUARE * 50, SQUARE * 50], {}, ValueError, "too large"),
        ("weight", [None, SQUARE], {}, ValueError, "q is missing"),
        ("heads", [], {"num_heads": [3]}, ValueError,
         "^num_heads must divide d_model = 20, got 3"),
        ("heads", [SQUARE, np.eye(4)], {}, ValueError, "the same shape"),
        ("sinusoidal", [1], {}, ValueError, "n must be at least 2"),
        ("sinusoidal", [3.5], {}, TypeError, "n must be an integer"),
        ("sinusoidal", [], {"widths": [5]}, ValueError, "even"),
        ("sinusoidal", [10**9], {}, ValueError, "frames.*reduce position"),
        ("sinusoidal", [100], {}, ValueError, "900 frames.*reduce position"),
        ("rope", [np.ones(3), np.ones(3)], {}, ValueError,
         "even width"),
        ("rope", [], {"distances": [-1, 2]}, ValueError,
         "not be negative"),
        ("rope", [], {"distances": [0.5, 1.5]}, TypeError,
         "distances must be integers"),
        ("sentence", [SQUARE * 2], {}, ValueError,
         r"weights must lie between 0 and 1.*\(3, 3\).*0 to 2"),
        ("sentence", [np.ones((2, 2))], {}, ValueError,
         r"weights must sum to 1 in each row, but row \[0\] .* sums to 2"),
        ("rope", [], {"base": 0.5}, ValueError, "^base must be"),
        ("sinusoidal", [], {"bases": [0.5]}, ValueError, "^bases must be"),
        ("sentence", [np.ones((2, 3)) / 3], {}, ValueError, "square"),
    ],
)  # fmt: skip
def test_bad_argument_is_a_clear_error(
    name, arguments, options, error, message
):
    with pytest.raises(error, match=message):
        getattr(explorers, f"explore_{name}")(*arguments, **options)


LARGE = {
    "temperature": ["q", "k", "v"],
    "scale": ["q", "k"],
    "masks": ["scores"],
    "weight": ["q", "k"],
    "heads": ["q", "k"],
    "rope": ["q", "k"],
    "online_softmax": ["q", "k", "v"],
}
OPTIONS = {
    "scale": {"widths": [1, 4]},
    "heads": {"num_heads": [1, 2]},
    "rope": {"key_positions": [0], "distances": [0, 1]},
}


def with_large(name, large, by):
    """Call an explorer with one large argument; the others are small."""
    shape = (1, 4) if name == "rope" else (4, 4)
    arrays = {argument: np.ones(shape) for argument in LARGE[name]}
    if name == "scale":
        arrays["q"] = np.ones(4)
    arrays[large] = arrays[large] * by
    options = OPTIONS.get(name, {})
    return getattr(explorers, f"explore_{name}")(**arrays, **options)


@pytest.mark.parametrize(
    ("name", "large"), [(n, a) for n, some in LARGE.items() for a in some]
)
@pytest.mark.parametrize("by", [1e308, -1e7])
def test_number_too_large_for_a_page_is_named(name, large, by):
    with pytest.raises(ValueError, match=rf"^{large} .*at most 1,000,000"):
        with_large(name, large, by)


@pytest.mark.parametrize(
    ("name", "large"),
    [(n, a) for n, some in LARGE.items() for a in some if n != "weight"],
)
def test_largest_number_leaves_every_frame_whole(name, large):
    for html in with_large(name, large, -1e6).frames.values():
        assert "nan" not in html
        assert "inf" not in html


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("temperature", "temperatures"),
        ("scale", "widths"),
        ("heads", "num_heads"),
        ("sinusoidal", "widths"),
        ("sinusoidal", "bases"),
        ("rope", "key_positions"),
        ("rope", "distances"),
    ],
)
@pytest.mark.parametrize("value", [[], 5, "", None, [None], [[1]]])
def test_option_that_is_no_list_of_numbers_is_named(name, option, value):
    with pytest.raises((TypeError, ValueError), match=rf"^{option}"):
        getattr(explorers, f"explore_{name}")(**{option: value})


# What an explorer draws from, and what it needs in any case, in this order.
DRAWN = {
    "translation": (
        ["sources", "targets", "weights", "likely"],
        ["sources", "targets", "weights"],
    ),
    "training": (
        ["steps", "sources", "targets", "maps", "alignments", "scores"],
        ["steps", "sources", "targets", "maps", "alignments"],
    ),
    "induction": (
        ["maps", "probabilities", "tokens", "vocabulary", "steps", "heads"],
        ["maps", "probabilities"],
    ),
    "real_heads": (["maps", "sentences"], ["maps"]),
    "all_heads": (["maps", "sentences"], ["maps"]),
    "online_softmax": (["q", "k", "v"], ["q", "k", "v"]),
    "temperature": (["q", "k", "v"], ["q", "k", "v"]),
}
VALUES = {
    "sources": [["나는", "간다"]],
    "targets": [["I", "go"]],
    "weights": [np.eye(2)],
    "steps": [0],
    "alignments": [[{0}, {1}]],
    "tokens": ["v"],
    "heads": ["h"],
}


@pytest.mark.parametrize(
    ("name", "alone", "missing"),
    [
        (name, alone, next(x for x in needed if x != alone))
        for name, (drawn, needed) in DRAWN.items()
        for alone in drawn
        if needed != [alone]
    ],
)
def test_made_up_example_never_replaces_what_was_given(name, alone, missing):
    value = VALUES.get(alone, SQUARE)
    with pytest.raises(ValueError, match=f"^{missing} is missing"):
        getattr(explorers, f"explore_{name}")(**{alone: value})


def test_all_explorers_together_are_light(made):
    html = "".join(panel.html for panel in made.values()).encode()
    size = len(gzip.compress(html))
    print(f"{size / 1000:.0f} KB compressed, {len(html) / 1e6:.1f} MB plain")
    assert size < 150_000


def test_a_live_kernel_shows_a_widget_and_a_page_plain_html(monkeypatch):
    before = len(_instances)
    panel = explorers.explore_weight()
    monkeypatch.setenv("COURSEKIT_PAGE", "1")
    shown = panel._repr_mimebundle_()
    assert len(_instances) == before, "no widget was made"
    assert set(shown) == {"text/html", "text/plain"}
    assert panel.first in shown["text/html"]
    assert "<style" not in shown["text/html"]
    monkeypatch.delenv("COURSEKIT_PAGE")
    shown = panel._repr_mimebundle_()
    view = shown["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == panel.widget.model_id
    assert "text/html" not in shown
