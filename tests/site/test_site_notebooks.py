"""The notebooks as JSON: the chapter template, and what is stored."""

import json
import re
import tomllib

import project
import pytest
from pages import CHAPTERS, NOTEBOOKS

GOALS = "## What you will do, learn and need"
SECTIONS = [
    GOALS,
    "## In practice",
    "## Exercises",
    "## Quiz",
    "## Summary",
    "## Further reading",
]
EXEMPT = "nbval-ignore-output"


def cells_of(name):
    path = project.ROOT / f"{name}.ipynb"
    cells = json.loads(path.read_text("utf-8"))["cells"]
    for cell in cells:
        cell["source"] = "".join(cell["source"])
        cell["tags"] = cell["metadata"].get("tags", [])
    return cells


def headings(cells):
    texts = [c["source"] for c in cells if c["cell_type"] == "markdown"]
    outside = re.sub(
        r"^(`{3,}|:{3,}).*?^\1", "", "\n".join(texts), flags=re.DOTALL | re.M
    )
    return re.findall(r"^#{1,6} .*$", outside, flags=re.MULTILINE)


def is_figure(cell):
    return "figure" in cell["metadata"].get("mystnb", {})


def code_of(cells):
    return [c for c in cells if c["cell_type"] == "code"]


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_opens_with_a_title_and_a_question(name):
    first = cells_of(name)[0]
    assert first["cell_type"] == "markdown"
    lines = [line for line in first["source"].splitlines() if line]
    assert re.fullmatch(r"# \w.*", lines[0])
    assert re.search(r"\*\*[^*]+\?\*\*", first["source"]), "a bold question"


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_opens_with_a_picture_whose_code_is_folded(name):
    cells = cells_of(name)
    at = next(i for i, cell in enumerate(cells) if GOALS in cell["source"])
    (opening,) = code_of(cells[:at])
    assert is_figure(opening)
    assert {"hide-input", "opening"} < set(opening["tags"])


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_has_its_sections_in_order(name):
    found = headings(cells_of(name))
    assert sum(h.startswith("# ") for h in found) == 1
    assert [h for h in found if h in SECTIONS] == SECTIONS
    ideas = found[found.index(GOALS) + 1 : found.index(SECTIONS[1])]
    assert any(h.startswith("## ") for h in ideas), "at least one idea"


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_says_what_you_will_do_learn_and_need(name):
    goals = [c["source"] for c in cells_of(name) if GOALS in c["source"]]
    for word in ["You will do", "You will learn", "You need", "Time"]:
        assert f"**{word}**" in goals[0]


@pytest.mark.parametrize("name", CHAPTERS)
def test_set_up_is_one_visible_cell_of_at_most_six_lines(name):
    cells = cells_of(name)
    setup = [c for c in cells if "setup" in c["tags"]]
    assert len(setup) == 1
    lines = [line for line in setup[0]["source"].splitlines() if line]
    assert len(lines) <= 6
    assert not {"hide-input", "remove-input", "hide-cell"} & set(
        setup[0]["tags"]
    )


def running_text(cells):
    """Return what is read from the title to the exercises, less formulas.

    Code, quizzes and predictions are cells of their own; blocks of code in
    the prose and displayed formulas are left out, and an inline formula is
    one word.
    """
    prose = [c["source"] for c in cells if c["cell_type"] == "markdown"]
    text = "\n".join(prose).split("\n## Exercises")[0]
    text = re.sub(r"^```.*?^```\s*$", "", text, flags=re.DOTALL | re.M)
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
    return re.sub(r"\$[^$\n]*\$", "formula", text)


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_is_short_enough_for_one_sitting(name):
    words = re.findall(r"\w[\w'’-]*", running_text(cells_of(name)))
    assert 1200 <= len(words) <= 2500


@pytest.mark.parametrize("name", CHAPTERS)
def test_summary_is_a_checklist(name):
    text = "\n".join(c["source"] for c in cells_of(name))
    summary = text.split("\n## Summary")[1].split("\n## ")[0]
    assert len(re.findall(r"^- \[ \] ", summary, flags=re.MULTILINE)) >= 2


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_exercise_has_a_folded_solution(name):
    text = "\n".join(c["source"] for c in cells_of(name))
    exercises = set(
        re.findall(r"^:label: (ex-[\w-]+)$", text, flags=re.MULTILINE)
    )
    pattern = r"\{solution(?:-start)?\} ([\w-]+)\n:class: dropdown"
    assert exercises
    assert exercises == set(re.findall(pattern, text))


def tagged(name, tag):
    return [c for c in cells_of(name) if tag in c["tags"]]


@pytest.mark.parametrize("name", CHAPTERS)
def test_quiz_is_one_cell_that_shows_the_chapter_s_file(name):
    stem = name.split("/")[-1]
    (cell,) = tagged(name, "quiz")
    assert cell["source"] == f'explorers.quiz("quizzes/{stem}.toml")'
    assert {"remove-input", EXEMPT} < set(cell["tags"])
    cells = cells_of(name)
    before = cells[cells.index(cell) - 1]["source"]
    assert before.startswith("## Quiz\n")
    text = "\n".join(c["source"] for c in cells)
    between = text.split("\n## Quiz\n")[1].split("\n## Summary")[0]
    assert "{dropdown}" not in between


@pytest.mark.parametrize("name", CHAPTERS)
def test_quiz_has_enough_questions_and_no_pattern_gives_it_away(name):
    file = project.ROOT / "book" / "quizzes" / f"{name.split('/')[-1]}.toml"
    questions = tomllib.loads(file.read_text("utf-8"))["question"]
    assert 4 <= len(questions) <= 6
    places, longest = set(), 0
    for question in questions:
        answers = question["answer"]
        assert 3 <= len(answers) <= 4, question["ask"]
        right = [a.get("right", False) for a in answers].index(True)
        places.add(right)
        lengths = [len(a["text"]) for a in answers]
        longest += lengths[right] == max(lengths)
    assert len(places) >= 2, "the right answer is always at the same place"
    assert longest <= len(questions) / 2, "the right answer is the longest"


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_asks_for_two_predictions_and_hides_their_code(name):
    cells = tagged(name, "predict")
    assert len(cells) >= 2
    for cell in cells:
        assert "explorers.predict(" in cell["source"]
        assert {"remove-input", EXEMPT} < set(cell["tags"])
        assert cell["metadata"]["jupyter"] == {"source_hidden": True}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_questions_are_tagged(name):
    for cell in code_of(cells_of(name)):
        for kind in ("quiz", "predict"):
            asks = f"explorers.{kind}(" in cell["source"]
            assert asks == (kind in cell["tags"]), cell["source"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_code_cells_are_short_and_have_prose_between_them(name):
    cells = cells_of(name)
    for cell in code_of(cells):
        assert len(cell["source"].splitlines()) <= 25, cell["source"]
    kinds = "".join(c["cell_type"][0] for c in cells)
    assert "ccc" not in kinds, "three code cells in a row"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_figures_have_a_caption_and_say_what_they_show(name):
    for cell in code_of(cells_of(name)):
        settings = cell["metadata"].get("mystnb", {})
        if "predict" in cell["tags"]:
            continue  # its call demands a text alternative
        draws = re.search(r"plt\.show\(|visualize_attention\(", cell["source"])
        if not draws and "figure" not in settings:
            continue
        assert settings["figure"]["caption"], cell["source"]
        assert settings["figure"]["name"].startswith("fig-")
        assert len(settings["image"]["alt"]) >= 20
        assert EXEMPT in cell["tags"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_cell_was_run_in_order_before_it_was_stored(name):
    # nbval compares nothing in a cell that was never run
    cells = [c for c in code_of(cells_of(name)) if c["source"]]
    counts = [c["execution_count"] for c in cells]
    assert counts == list(range(1, len(cells) + 1)), "run `make notebooks`"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_image_or_widget_state_is_stored(name):
    path = project.ROOT / f"{name}.ipynb"
    text = path.read_text("utf-8")
    assert "widgets" not in json.loads(text)["metadata"]
    for cell in code_of(cells_of(name)):
        for output in cell["outputs"]:
            kinds = set(output.get("data", {}))
            assert not any(
                k.startswith(("image/", "application/")) for k in kinds
            )
            assert output["output_type"] != "error"
            assert output.get("name") != "stderr"


# What a trained model measures differs a little from machine to machine: such
# a cell holds its numbers to bounds itself, and so cannot run if one breaks.
REASONS = {"timing", "learned", "widget", "quiz", "predict"}


def test_only_what_is_drawn_or_timed_is_exempt_from_comparison():
    exempt = [
        (name, cell)
        for name in NOTEBOOKS
        for cell in code_of(cells_of(name))
        if EXEMPT in cell["tags"]
    ]
    every = [c for name in NOTEBOOKS for c in code_of(cells_of(name))]
    print(f"{len(exempt)} of {len(every)} cells are exempt")
    for name, cell in exempt:
        reason = REASONS & set(cell["tags"])
        assert reason or is_figure(cell), (
            f"{name}: exempt for no reason: {cell['source']}"
        )
        if "learned" in cell["tags"]:
            assert "bounded(" in cell["source"], f"{name}: {cell['source']}"
        elif "timing" not in cell["tags"]:
            assert cell["outputs"] == [], f"{name}: {cell['source']}"
            assert "print(" not in cell["source"], f"{name}: {cell['source']}"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_other_way_round_the_comparison_is_used(name):
    for cell in cells_of(name):
        others = {t for t in cell["tags"] if t.startswith("nbval-")} - {EXEMPT}
        assert not others
        assert "raises-exception" not in cell["tags"]
        assert "NBVAL" not in cell["source"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_formulas_need_no_macro_of_the_site(name):
    """JupyterLab knows the commands of LaTeX, but not ours."""
    for cell in cells_of(name):
        if cell["cell_type"] == "markdown":
            found = re.findall(r"\\(?:softmax|R)(?![a-zA-Z])", cell["source"])
            assert not found, cell["source"]
