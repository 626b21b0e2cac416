"""The files of `python -m coursekit translate`: the model and its folder."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attnlib import toydata
from attnlib.translator import Translator
from coursekit import translate
from coursekit.__main__ import main

COMMAND = [sys.executable, "-W", "error", "-m", "coursekit"]
GO = ("나는", "학교에", "간다")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module")
def words():
    examples = translate.grammar().items()
    return [toydata.vocabulary(e[i] for e in examples) for i in (0, 1)]


@pytest.fixture(scope="module")
def arrays(words, tmp_path_factory):
    """Return the arrays in the file of an untrained model."""
    path = tmp_path_factory.mktemp("model") / "model.npz"
    Translator(*words, rng=0).save(path)
    with np.load(path) as held:
        return dict(held)


def content(kind, arrays):
    """Return a file that holds no model of use."""
    marks = ["<pad>", "<start>", "<end>", "x"]
    table = np.zeros((4, 64), "f4")
    other = {"source_words": marks, "source": table}
    broken = arrays["source"].copy()
    broken[0, 0] = np.nan
    changes = {
        "other words": other,
        "NaN": {"source": broken},
        "huge": {"source": np.full_like(broken, 1e30)},
        "letters": {"source": broken.astype(str)},
        "another form": {"out.b": np.zeros(2, "f4")},
        "a row for a table": {"source": np.zeros(3)},
        "no heads": {"num_heads": 0},
    }
    file = io.BytesIO()
    if kind == "an array":
        np.save(file, np.zeros(3))
    elif kind == "foreign":
        np.savez_compressed(file, mine=np.arange(3))
    else:
        np.savez(file, **{**arrays, **changes.get(kind, {})})
    whole = bytearray(file.getvalue())
    if kind == "encrypted":  # says the first entry of the zip's directory
        whole[whole.index(b"PK\1\2") + 8] |= 1
    return {
        "empty": b"",
        "notes": b"my notes\n",
        "truncated": whole[: len(whole) // 2],
    }.get(kind, whole)


NO_MODELS = {
    "notes": "holds no translator",
    "empty": "holds no translator",
    "truncated": "holds no translator",
    "encrypted": "holds no translator",
    "an array": "holds no translator",
    "foreign": "holds no translator",
    "a row for a table": "holds no translator",
    "no heads": "holds no translator",
    "another form": "holds a translator of another form",
    "letters": "holds a translator of another form",
    "other words": "holds a translator of other words",
    "NaN": "holds a translator with NaN or huge numbers",
    "huge": "holds a translator with NaN or huge numbers",
}


@pytest.fixture
def untrained(words, monkeypatch):
    """Train nothing: what is saved is a model as it begins."""
    monkeypatch.setattr(
        translate, "learn", lambda words: Translator(*words, rng=0)
    )


@pytest.mark.parametrize("kind", NO_MODELS)
@pytest.mark.usefixtures("untrained")
def test_a_file_that_is_no_model_is_never_replaced(here, capsys, arrays, kind):
    path, before = here / "mine", content(kind, arrays)
    path.write_bytes(before)
    assert main(["translate", "--model", "mine", "--out", "."]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert f"mine {NO_MODELS[kind]}. I won't overwrite it" in error
    assert error.count("\n") == 1
    assert path.read_bytes() == before
    assert names(here) == ["mine"]


def never(words):
    pytest.fail("trained, and found only then that it cannot be saved")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--model", "folder"], "folder is not a file"),
        (["--model", os.devnull], f"{os.devnull} is not a file"),
        (["--model", f"{os.devnull}/x"], f"{os.devnull} is not a folder"),
        (["--model", "notes/x/y"], "notes is not a folder"),
        (["--out", "notes"], "notes is not a folder"),
        (["--out", "notes/x"], "notes is not a folder"),
        (["--out", "x", "--model", "x"], "x is not a file"),
        (["--out", "x" * 300], "File name too long"),
    ],
)
def test_what_cannot_be_written_is_found_before_the_training(
    here, capsys, monkeypatch, options, words
):
    monkeypatch.setattr(translate, "learn", never)
    (here / "folder").mkdir()
    (here / "notes").write_text("mine")
    assert main(["translate", *options]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.startswith("python -m coursekit translate: ")
    assert error.count("\n") == 1
    assert (here / "notes").read_text() == "mine"


@pytest.mark.parametrize("options", [["--model", "shut/x"], ["--out", "shut"]])
def test_a_folder_shut_to_writing_is_found_before_the_training(
    here, capsys, monkeypatch, options
):
    # Nothing is shut to root: have the system say so.
    (here / "shut").mkdir()
    mkdir = os.mkdir

    def refuse(path, *rest):
        if "shut" in Path(path).parts[:-1]:
            raise PermissionError(13, "Permission denied", path)
        mkdir(path, *rest)

    monkeypatch.setattr(os, "mkdir", refuse)
    monkeypatch.setattr(translate, "learn", never)
    assert main(["translate", *options]) == 2
    error = capsys.readouterr().err
    assert "cannot write to the folder shut: Permission denied\n" in error


@pytest.mark.usefixtures("untrained")
def test_a_model_is_saved_alone_and_loaded_again(here, capsys):
    (here / "link").symlink_to("real")
    arguments = ["translate", "--model", "link", "--out", "pictures", *GO]
    assert main(arguments) == 1  # untrained
    out = capsys.readouterr().out
    assert "Saved the model to link.\n" in out
    assert "That is wrong. It means: I go to school\n" in out
    assert main(arguments) == 1
    assert "Loaded the model from link.\n" in capsys.readouterr().out
    assert names(here) == ["link", "pictures", "real"]
    assert (here / "link").is_symlink()


def test_a_translation_of_no_words_is_no_error(here, capsys, words):
    model = Translator(*words, rng=0)
    model.params["out.b"][2] = 1e5  # <end>, always
    model.save(here / "mute")
    assert main(["translate", "--model", "mute", "--out", ".", *GO]) == 1
    assert "\n  (no words)\n" in capsys.readouterr().out
    assert names(here) == ["mute"]


def listen():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # may be ignored in the back


def test_control_c_stops_the_training_and_leaves_nothing(tmp_path):
    with subprocess.Popen(
        [*COMMAND, "translate", "--out", "out", "--model", "model"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONUTF8": "1"},
        preexec_fn=listen,
    ) as process:
        assert process.stdout.readline().startswith("Training on ")
        process.send_signal(signal.SIGINT)
        _, error = process.communicate()
    assert process.returncode == 130
    assert error == "Stopped.\n"
    assert names(tmp_path) == ["out"]
