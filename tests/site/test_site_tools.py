"""The build's own functions."""

import os
import shutil
import subprocess

import browser
import project
import make_book
import pytest


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (
            "https://github.com/ada/attention",
            "https://github.com/ada/attention",
        ),
        ("https://github.com/ada/a.b.git\n", "https://github.com/ada/a.b"),
        (
            "git@github.com:ada/attention.git",
            "https://github.com/ada/attention",
        ),
        ("ssh://git@gitlab.com/g/sub/a.git", "https://gitlab.com/g/sub/a"),
        ("https://me:secret@github.com/ada/a", "https://github.com/ada/a"),
        ("/srv/github.com/ada/attention", None),
        ("file:///srv/attention.git", None),
        ("https://example.org/ada/attention", None),
        ("", None),
    ],
)
def test_repository_address_is_normalised_or_unknown(address, expected):
    assert course.normalise_repository(address) == expected


def test_repository_variable_beats_the_git_remote(tmp_path):
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    assert course.repository({}, tmp_path) is None
    remote = "git@github.com:ada/attention.git"
    subprocess.run([*git, "remote", "add", "origin", remote], check=True)
    found = course.repository({}, tmp_path)
    assert found == "https://github.com/ada/attention"
    given = {"BOOK_REPOSITORY": "https://github.com/bob/fork"}
    assert course.repository(given, tmp_path) == "https://github.com/bob/fork"
    assert course.repository({"BOOK_REPOSITORY": ""}, tmp_path) is None


@pytest.fixture
def project(tmp_path):
    """Return a copy of all that the keys depend on."""
    # Other processes may just be writing what they compiled.
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ["attnlib", "coursekit", "book"]:
        shutil.copytree(project.ROOT / name, tmp_path / name, ignore=ignore)
    for name in ["constraints.txt", "_config.yml", "_toc.yml"]:
        shutil.copy(project.ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "attnlib/__init__.py",
        "coursekit/explorers/frames.py",
        "constraints.txt",
        "book/matplotlibrc",
        "book/quizzes/01-intuition.toml",
    ],
)
def test_cells_run_again_when_what_they_use_changes(project, name):
    before = course.execution_cache(project)
    assert course.execution_cache(project) == before
    (before / "outputs").write_text("kept as long as nothing changes")
    with (project / name).open("a") as file:
        file.write("\n# changed\n")
    assert course.execution_cache(project) != before
    assert not before.exists(), "the old cache is removed"


def test_prose_alone_does_not_run_cells_again_but_rebuilds(project):
    cache, built = (
        course.execution_key(project),
        make_book.fingerprint(project),
    )
    assert make_book.fingerprint(project) == built
    with (project / "book" / "index.md").open("a") as file:
        file.write("\nOne more sentence.\n")
    assert course.execution_key(project) == cache
    assert make_book.fingerprint(project) != built


def test_lock_file_names_no_registry():
    lock = project.ROOT / "book" / "_frontend" / "package-lock.json"
    assert '"resolved"' not in lock.read_text("utf-8")


def test_formulas_of_html_are_read_back_as_tex():
    number = '<span class="eqno">(1)<a href="#e">#</a></span>'
    assert course.formula_of(number + r"\[a &amp; b\]") == ("a & b", True)


def summary(*goals):
    items = "".join(
        '<li><p><input class="task-list-item-checkbox" type="checkbox">'
        f" {goal}</p></li>"
        for goal in goals
    )
    page = f'<section id="summary"><ul>{items}</ul></section>'
    return course.mend(f"<input>{page}{items}")


def test_goals_are_named_by_their_words_and_only_in_the_summary():
    html, names = course.mark_goals(summary("I can.", "I <b>know</b>."), "01")
    assert html.count("data-goal=") == len(set(names)) == 2
    assert all(f'data-goal="{name}"' in html for name in names)
    again = course.mark_goals(summary("I can!", "I know more."), "01")[1]
    assert again[0] == names[0], "a sign is no other wording"
    assert again[1] != names[1], "another wording is lost, and no other"
    other = course.mark_goals(summary("I can.", "I know."), "02")[1]
    assert not set(other) & set(names)


def test_progress_counts_the_goals_of_each_chapter():
    html = course.progress_list([("a.html", "A & B", ["a:1", "a:2"])])
    assert 'data-goals="a:1 a:2"' in html
    assert '<a href="a.html#summary">A &amp; B</a> <span>2 goals' in html


def test_missing_browser_is_installed_or_the_message_is_clear(
    monkeypatch, capsys
):
    tried = []

    def fail(command):
        tried.append(command)
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(browser, "find", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(subprocess, "run", fail)
    assert browser.main() == 1
    assert [command[0] for command in tried[:1]] == ["apt-get"]
    assert tried[-1][-3:] == ["playwright", "install", "chromium"]
    assert "need Chrome or Chromium" in capsys.readouterr().err
