"""Every frame of the machine is compared with a fresh computation."""

import gzip
import re
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from frames import Frame

from coursekit import explorers

HALF = 0.005 + 1e-9  # what rounding to two digits may take or give
CAT = ["The", "cat", "sat"]
X = np.array([[1.0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]])
W_Q = np.array([[0.0, 4, 0, 0], [2, 0, 2, 0], [0, 2, 2, 2], [0, 0, 0, 0]])
W_V = np.array([[0.0, 0], [10, 0], [0, 10], [0, 0]])
EYE = np.eye(3)
NAMES = ["X", "Q", "K", "V", "scores", "scaled", "masked", "weights"]
NAMES += ["output"]


def numbers(text):
    text = text.replace("−", "-").replace("∞", "inf")
    return [float(x) for x in re.findall(r"-?(?:\d+(?:\.\d+)?|inf)", text)]


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def by_loops(x, w_q, w_k, w_v, mask, scale):
    """Self-attention without a matrix product: a list of all its arrays."""

    def times(a, b):
        return np.array(
            [[sum(row * column) for column in np.transpose(b)] for row in a]
        )

    q, k, v = times(x, w_q), times(x, w_k), times(x, w_v)
    scores = times(q, k.T)
    scaled = scores / (q.shape[1] ** 0.5 if scale else 1)
    masked = scaled.copy()
    for i, j in product(range(len(x)), repeat=2):
        if mask and j > i:
            masked[i, j] = -np.inf
    powers = np.exp(masked)
    weights = np.array([row / sum(row) for row in powers])
    mixed = times(weights, v)
    return [x, q, k, v, scores, scaled, masked, weights, mixed]


def stages_of(html):
    """Return (classes, operator, caption) of each stage, as written."""
    pattern = r'"al-st ([^"]+)".*?<b>(.*?)</b>.*?<caption>(.*?)</caption>'
    return re.findall(pattern, html)


def cells_of(frame, name, shape):
    """Return the cells of a stage; its caption must tell its shape."""
    rows = frame.tables[f"{name} ({shape[0]}, {shape[1]})"]
    cells = [[cell for cell in row if cell.tag == "td"] for row in rows[1:]]
    assert [len(row) for row in cells] == [shape[1]] * shape[0]
    return cells


@cache
def worth(sum_of_products):
    """Compute what a cell says it was made of."""
    code = sum_of_products.replace("−", "-").replace("·", "*")
    return eval(code.replace("÷", "/"))


def check_stage(frame, name, values, filled):
    cells = cells_of(frame, name, values.shape)
    for (i, j), value in np.ndenumerate(values):
        cell = cells[i][j]
        if not filled:
            assert cell.text == ""
            assert "aria-label" not in cell.attributes
            continue
        assert cell.number == pytest.approx(value, abs=HALF)
        hidden = "h" in cell.attributes.get("class", "").split()
        assert hidden == np.isinf(value)
        told = cell.attributes["aria-label"]
        if name in ("Q", "K", "V", "scores", "weights", "output"):
            last = numbers(told.split(" = ")[1])
            assert last == pytest.approx([value], abs=HALF)
            left = told.split(": ")[1].split(" = ")[0]
            assert worth(left) == pytest.approx(value, abs=0.05)


def check_words(said, arrays, token, step, mask, scale, words):
    assert said.startswith(f"Step {step} of 9.")
    me = f"“{words[token]}”"
    assert me in said
    row = arrays[step - 1][token]
    bare = re.sub("“.*?”", "", said.split("9.", 1)[1])
    told = numbers(bare)
    if step in (5, 6, 7, 9):
        assert told[-len(row) :] == pytest.approx(row, abs=HALF)
    if step == 1:
        assert told == pytest.approx([*row, len(row)], abs=HALF)
    if step in (2, 3, 4):
        best = abs(row).max()
        assert abs(told[-1]) == pytest.approx(best, abs=HALF)
        after = numbers(bare.split("is its")[1])
        assert after[: len(row)] == pytest.approx(row, abs=HALF)
    if step == 8:
        powers = np.exp(arrays[6][token])
        sums = numbers(said.split("their sum,")[1].split("“")[0])
        assert sums == pytest.approx([*powers, powers.sum()], abs=HALF)
        assert told[-1] == pytest.approx(row.max(), abs=HALF)
    assert ("The scale is off" in said) == (step == 6 and not scale)
    assert ("The mask is off" in said) == (step == 7 and not mask)


def check_marks(html, frame, arrays, token, step):
    """The token's row is lit everywhere; only one stage is lit."""
    states = [classes.split()[-1] for classes, _, _ in stages_of(html)]
    assert states == ["done"] * (step - 1) + ["now"] + ["todo"] * (9 - step)
    assert html.count("aria-current=step") == 1
    bodies = html.split("<tbody>")[1:]
    assert len(bodies) == 9
    for body in bodies:
        rows = body.split("</table>")[0].split("<tr")[1:]
        lit = [row.startswith(" class=me>") for row in rows]
        assert lit == [i == token for i in range(len(arrays[0]))]
    marked = set()
    for name, values in zip(NAMES, arrays, strict=True):
        for i, row in enumerate(cells_of(frame, name, values.shape)):
            for j, cell in enumerate(row):
                if "on" in cell.attributes.get("class", "").split():
                    marked.add((name, i, j))
    assert marked, "the cells of the sentence are marked"
    if step == 5:  # a row of Q, a row of K, and where they meet
        (score,) = [(i, j) for name, i, j in marked if name == "scores"]
        assert {(n, i) for n, i, _ in marked} == {
            ("Q", token), ("K", score[1]), ("scores", token),
        }  # fmt: skip
        assert arrays[4][score] == arrays[4][token].max()


def check_machine(explorer, arrays, words):
    seen = 0
    for (token, step, mask, scale), html in explorer.frames.items():
        frame = Frame(html)
        expected = by_loops(*arrays, mask, scale)
        for place, (name, values) in enumerate(
            zip(NAMES, expected, strict=True), start=1
        ):
            check_stage(frame, name, values, place <= step)
        check_words(frame.words, expected, token, step, mask, scale, words)
        check_marks(html, frame, expected, token, step)
        seen += 1
    assert seen == len(words) * 9 * 4


def test_each_frame_of_the_cat_is_self_attention():
    check_machine(explorers.explore_machine(), (X, W_Q, np.eye(4), W_V), CAT)


def test_each_frame_of_own_arrays_is_self_attention():
    arrays = [normal(4, 5), normal(5, 2, seed=1), normal(5, 2, seed=2)]
    arrays.append(normal(5, 3, seed=3))
    words = ["a", "<b>", "a", "c"]
    explorer = explorers.explore_machine(*arrays, words)
    assert "<b>" not in explorer.first.split("<tbody>")[1].split("<tr>")[2]
    named = ["a (1)", "<b>", "a (3)", "c"]
    check_machine(explorer, arrays, named)


@pytest.fixture(scope="module")
def landing():
    """Return what the landing page defines, the machine as `machine`."""
    page = Path(__file__).parents[2] / "book" / "index.md"
    cells = re.findall(
        r"^```{code-cell} ipython3\n:tags: \[widget\]\n(.*?)^```",
        page.read_text("utf-8"),
        re.DOTALL | re.M,
    )
    names = {}
    exec(cells[0], names)
    exec(cells[1].replace("explorers.explore", "machine = explorers.explore"),
         names)  # fmt: skip
    return names


def test_each_frame_of_the_landing_page_is_self_attention(landing):
    arrays = [np.array(landing[name]) for name in ("x", "w_q", "w_k", "w_v")]
    check_machine(landing["machine"], arrays, ["cats", "eat", "mice"])


def test_the_landing_page_s_machine_is_light_and_small(landing):
    machine = landing["machine"]
    assert len(gzip.compress(machine.html.encode())) < 20_000
    assert "“eat”" in Frame(machine.first).words
    assert {'"al-machine al-small"' in f for f in machine.frames.values()} == {
        True
    }


@pytest.mark.parametrize(
    ("x", "words", "small"),
    [
        (EYE, ["I", "see", "it"], True),
        (EYE, ["cats", "chase", "mice"], False),  # a long word
        (EYE * 0.5, ["I", "see", "it"], False),  # digits in X
        (np.eye(4), list("abcd"), False),  # four weights in a row
    ],
)
def test_only_what_fits_beside_each_other_is_small(x, words, small):
    w = np.eye(len(x))
    machine = explorers.explore_machine(x, w, w, w[:, :2], words)
    assert ("al-small" in machine.first) == small


def test_the_token_to_start_with_is_the_last_one_or_chosen():
    for start, word in [({}, "sat"), ({"start": 0}, "The")]:
        machine = explorers.explore_machine(**start)
        assert f"“{word}”" in Frame(machine.first).words
    with pytest.raises(ValueError, match=r"start.*3 tokens, got 3"):
        explorers.explore_machine(start=3)


def test_the_last_frame_is_the_library_s_self_attention():
    import attnlib as al

    output, weights = al.self_attention(
        X, W_Q, np.eye(4), W_V, al.create_causal_mask(3)
    )
    frame = Frame(explorers.explore_machine().frames[0, 9, True, True])
    for name, values in (("weights", weights), ("output", output)):
        found = [
            [cell.number for cell in row]
            for row in cells_of(frame, name, values.shape)
        ]
        assert np.allclose(found, values, atol=HALF)


def test_operators_name_the_shapes_and_what_is_switched_off():
    explorer = explorers.explore_machine()
    plain = [re.sub("<.*?>", "", op) for _, op, _ in stages_of(explorer.first)]
    assert plain == [
        "embeddings", "X × WQ", "X × WK", "X × WV", "Q × K⊤", "÷ √4",
        "mask off", "softmax", "weights × V",
    ]  # fmt: skip
    for sizes in ("(3, 4) × (4, 4)", "(3, 4) × (4, 2)", "(3, 4) × (4, 3)",
                  "(3, 3) × (3, 2)"):  # fmt: skip
        assert f"<small>{sizes}</small>" in explorer.first
    off = stages_of(explorer.frames[2, 9, True, False])
    assert [op for _, op, _ in off][5:7] == ["scale off", "+ mask"]


def test_frames_share_and_are_light():
    explorer = explorers.explore_machine()
    assert len(set(explorer.frames.values())) == 57
    for token, step in product(range(3), range(1, 6)):
        ways = product((True, False), repeat=2)
        shown = {explorer.frames[token, step, *way] for way in ways}
        assert len(shown) == 1, "switches change nothing before their step"
    assert len(gzip.compress(explorer.html.encode())) < 40_000


def test_the_formula_lights_up_where_the_step_is():
    explorer = explorers.explore_machine()
    lit = {
        step: re.sub(
            "<.*?>",
            "",
            " ".join(
                re.findall(
                    r"<b class=now>(.*?)</b>",
                    explorer.frames[0, step, True, True],
                )
            ),
        )
        for step in range(1, 10)
    }
    assert lit == {
        1: "", 2: "XWQ", 3: "(XWK)⊤", 4: "XWV", 5: "XWQ (XWK)⊤", 6: "/ √dk",
        7: "+ M", 8: "softmax", 9: "XWV",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([EYE], "w_q is missing"),
        ([EYE, EYE, EYE, np.eye(4)], r"as many rows.*w_v \(4, 4\)"),
        ([EYE, EYE, EYE[:, :2], EYE], r"the same width.*w_k \(3, 2\)"),
        ([np.eye(6)] * 4, "at most 5 tokens"),
        ([EYE * 8] + [EYE] * 3, "too large.*up to 64"),
        ([EYE * np.nan, EYE, EYE, EYE], "x.*nan"),
        ([EYE, EYE, EYE, EYE, ["a"]], "hold 3 words"),
    ],
)
def test_bad_argument_is_a_clear_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        explorers.explore_machine(*arguments)
