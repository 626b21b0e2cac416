"""`make visualize`, tested as the command it is."""

import os
import subprocess
import sys

import matplotlib.pyplot as plt
import pytest


def run(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "coursekit", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONUTF8": "1"},
        check=False,
    )


def test_visualize_writes_three_pictures_and_says_where(tmp_path):
    done = run("visualize", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("self-attention", "causal", "multi-head"):
        path = tmp_path / "_build" / "visualize" / f"{name}.png"
        assert str(path.relative_to(tmp_path)) in done.stdout
        picture = plt.imread(path)
        assert min(picture.shape[:2]) > 500
        assert picture[..., :3].std() > 0.1  # not blank
    assert "made by hand" in done.stdout


def test_visualized_heads_find_what_they_ask_for(tmp_path):
    lines = run("visualize", "--out", "here", cwd=tmp_path).stdout.splitlines()
    line = next(x for x in lines if "the word before:" in x)
    words = [item.split()[0] for item in line.split(":")[1].split(", ")]
    assert words[1:] == ["the", "cat", "caught", "the"]
    assert (tmp_path / "here" / "causal.png").exists()


@pytest.mark.parametrize("arguments", [[], ["dance"]])
def test_a_wrong_command_lists_the_right_ones(arguments, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "visualize" in done.stderr
