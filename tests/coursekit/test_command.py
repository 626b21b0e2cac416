"""`python -m coursekit`: what it reads, and what it says.

The files it keeps its hands off are in test_command_files.py, what needs a
trained model in test_translator.py.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from attnlib import grammar
from coursekit import sentences, translate
from coursekit.__main__ import build_parser, main

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-W", "error", "-m", "coursekit"]
GO, HOME = ("나는", "학교에", "간다"), ("우리는", "집에", "간다")


def run(*arguments, cwd, **environment):
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        check=False,
    )


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# --- the command line --------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["dance"]])
def test_a_wrong_command_lists_the_right_ones(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    error = capsys.readouterr().err
    assert error.startswith("usage: python -m coursekit ")
    if arguments:
        assert "visualize" in error
        assert "translate" in error


def test_help_is_shown_on_a_terminal_without_hangul(tmp_path):
    done = run("translate", "--help", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "Words without quotes are one sentence" in done.stdout
    assert "exit status" in done.stdout


def test_help_loads_nothing_heavy(tmp_path):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *COMMAND[3:], "--help"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert "argparse" in done.stderr
    assert "numpy" not in done.stderr


def test_the_examples_of_the_help_are_sentences_of_the_grammar(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["translate", "--help"])
    text = capsys.readouterr().out
    lines = re.findall("^  python -m coursekit translate (.*)", text, re.M)
    found = [translate.sentences_of(shlex.split(line)) for line in lines]
    assert found == [[GO], [GO, HOME], [GO, HOME]]


# --- what is a sentence ------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentences"),
    [
        (["나는 학교에 간다"], [GO]),
        (["나는", "학교에", "간다"], [GO]),
        (["나는 학교에 간다", "우리는 집에 간다"], [GO, HOME]),
        (["나는 학교에 간다", "우리는", "집에", "간다"], [GO, HOME]),
        (["나는", "학교에", "간다.", "우리는", "집에", "간다!"], [GO, HOME]),
        (["나는 학교에 간다? 우리는 집에 간다 ."], [GO, HOME]),
        (["“나는 학교에 간다.” “우리는 집에 간다.”"], [GO, HOME]),
        (["나는, 학교에 간다…"], [GO]),
        (["", "나는 학교에 간다", " "], [GO]),
        (["간다.나는"], [("간다.나는",)]),
        (["‘…’", ""], []),
    ],
)
def test_arguments_become_sentences(arguments, sentences):
    assert translate.sentences_of(arguments) == sentences


@pytest.mark.parametrize(
    ("given", "sentences"),
    [
        ("나는 학교에 간다", [GO]),
        ('"나는 학교에 간다" "우리는 집에 간다"', [GO, HOME]),
        ("나는 학교에 간다. 우리는 집에 간다.", [GO, HOME]),
    ],
)
def test_make_hands_the_sentences_on(given, sentences):
    make = ["make", "-n", "--no-print-directory"]
    ready = ".venv/.ready"  # taken for made: nothing is installed
    done = subprocess.run(
        [*make, "-o", ready, "translate", f"SENTENCES={given}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    arguments = shlex.split(done.stdout.partition(" translate ")[2])
    assert translate.sentences_of(arguments) == sentences


@pytest.mark.parametrize("empty", ["", "   ", " . ", "‘…’"])
def test_no_words_are_no_sentence(here, capsys, empty):
    assert main(["translate", empty]) == 2
    assert "there are no words to translate" in capsys.readouterr().err
    assert names(here) == []


# --- what is no sentence of the grammar --------------------------------------


@pytest.mark.parametrize(
    ("wrong", "similar"),
    [
        ("학교에 나는 간다", "나는 학교에 간다"),
        ("나는 나는 학교에 간다", "나는 학교에 간다"),
        ("나는 학교에", "나는 학교에 간다"),
        ("나는 어제 학교에 간다", "나는 어제 학교에 갔다"),
        ("나는 책을 어제 읽었다", "나는 어제 책을 읽었다"),
        ("나는 학교를 간다", "나는 학교에 간다"),  # an unknown word
    ],
)
def test_what_the_grammar_cannot_say_is_not_translated(
    here, capsys, wrong, similar
):
    assert main(["translate", wrong]) == 1
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith(f"{wrong}\n  Not translated: ")
    assert f"most similar sentence I know: {similar}\n" in error
    assert names(here) == []


def test_a_sentence_far_from_all_others_is_like_none(capsys):
    assert sentences.nearest(("나는", "병원에서", "천천히", "걷는다")) is None
    assert sentences.nearest(("나는",) * 10_000) is None


def test_unknown_words_are_named_and_the_known_are_listed(here, capsys):
    assert main(["translate", "나는 병원에 천천히 간다"]) == 1
    error = capsys.readouterr().err
    assert "I don't know 병원에, 천천히.\n" in error
    known = error.partition("My words:")[2].split()
    sources = {word for e in grammar.all_sentences() for word in e.source}
    assert sorted(known) == sorted(sources)


@pytest.mark.parametrize("mark", ["<pad>", "<start>", "<end>"])
def test_the_marks_of_the_vocabulary_are_no_words(here, capsys, mark):
    assert main(["translate", "나는", mark, "간다"]) == 1
    assert f"I don't know {mark}.\n" in capsys.readouterr().err


# --- what is not shown to a terminal -----------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["translate", "\x1b[2J나는 \x9b31m간다 \u202e"],
        ["translate", "나는 \udcff 간다"],  # no UTF-8
        ["translate", "--out", "\x1b[2J/x"],
        ["visualize", "\x1b[2J"],
        ["\x1b[2J"],
    ],
)
def test_control_characters_are_shown_escaped(here, capsys, arguments):
    (here / "\x1b[2J").touch()
    try:
        status = main(arguments)
    except SystemExit as error:
        status = error.code
    out, error = capsys.readouterr()
    assert status in (1, 2)
    assert all(c.isprintable() or c == "\n" for c in out + error)
    assert r"\x1b[2J" in error or r"\udcff" in error


# --- what stops the command --------------------------------------------------


def test_a_reader_who_leaves_is_no_error(tmp_path):
    source, sink = os.pipe()
    os.close(source)
    with open(sink, "wb") as closed:
        done = subprocess.run(
            [*COMMAND, "visualize"],
            stdout=closed,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b""


# --- visualize ---------------------------------------------------------------


@pytest.fixture(scope="module")
def visualized(tmp_path_factory):
    """Return what the command said, and the folder of its pictures."""
    folder = tmp_path_factory.mktemp("visualized")
    done = run("visualize", "--out", "here\x1b[2J", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, folder / "here\x1b[2J"


def test_visualize_writes_three_pictures_and_says_where(visualized):
    said, folder = visualized
    for name in ("self-attention", "causal", "multi-head"):
        assert rf"here\x1b[2J/{name}.png: " in said
        picture = plt.imread(folder / f"{name}.png")
        assert min(picture.shape[:2]) > 500
        assert picture[..., :3].std() > 0.1  # not blank
    assert "made by hand" in said
    assert "\x1b" not in said


def test_pictures_go_where_all_that_is_made_goes():
    for command in ("visualize", "translate"):
        given = build_parser().parse_args([command])
        assert given.out == Path("_build") / command


def test_visualized_heads_find_what_they_ask_for(visualized):
    lines = visualized[0].splitlines()
    line = next(x for x in lines if "the word before:" in x)
    words = [item.split()[0] for item in line.split(":")[1].split(", ")]
    assert words[1:] == ["the", "cat", "caught", "the"]


@pytest.mark.parametrize("folder", ["notes", "notes/x", f"{os.devnull}/x"])
def test_visualize_needs_a_folder(here, capsys, folder):
    (here / "notes").write_text("mine")
    assert main(["visualize", "--out", folder]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("python -m coursekit visualize: ")
    assert " is not a folder; choose another place\n" in error
    assert error.count("\n") == 1
    assert (here / "notes").read_text() == "mine"
