"""The build's own functions."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import browser
import execution
import frontend
import project
import pytest
import repository
import staging


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
    assert repository.normalise_repository(address) == expected


def test_repository_variable_beats_the_git_remote(tmp_path):
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    assert repository.repository({}, tmp_path) is None
    remote = "git@github.com:ada/attention.git"
    subprocess.run([*git, "remote", "add", "origin", remote], check=True)
    found = repository.repository({}, tmp_path)
    assert found == "https://github.com/ada/attention"
    given = {"BOOK_REPOSITORY": "https://github.com/bob/fork"}
    assert (
        repository.repository(given, tmp_path) == "https://github.com/bob/fork"
    )
    assert repository.repository({"BOOK_REPOSITORY": ""}, tmp_path) is None


def test_theme_shows_buttons_only_where_they_lead_somewhere():
    nowhere = repository.repository_options(None)
    switches = {key for key in nowhere if key.startswith("use_")}
    assert len(switches) == 3
    assert not any(nowhere[key] for key in switches)
    assert nowhere["repository_url"] == ""
    assert nowhere["launch_buttons"] == {}
    there = repository.repository_options("https://github.com/ada/attention")
    assert all(there[key] for key in switches)
    assert there["launch_buttons"]["binderhub_url"] == "https://mybinder.org"


@pytest.fixture
def sources(tmp_path):
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
def test_cells_run_again_when_what_they_use_changes(sources, name):
    before = execution.execution_cache(sources)
    assert execution.execution_cache(sources) == before
    (before / "outputs").write_text("kept as long as nothing changes")
    with (sources / name).open("a") as file:
        file.write("\n# changed\n")
    assert execution.execution_cache(sources) != before
    assert not before.exists(), "the old cache is removed"


@pytest.mark.parametrize(
    "name", ["coursekit/korean.po", "book/_korean/quizzes-01-intuition.po"]
)
def test_what_a_translator_changes_runs_no_english_cell_again(sources, name):
    english = execution.execution_cache(sources, "en")
    korean = execution.execution_cache(sources, "ko")
    assert english != korean
    with (sources / name).open("a") as file:
        file.write("\n# changed\n")
    assert execution.execution_cache(sources, "en") == english
    assert english.exists()
    assert execution.execution_cache(sources, "ko") != korean
    assert not korean.exists(), "the old cache is removed"


def test_prose_alone_does_not_run_cells_again_but_rebuilds(sources):
    cache, built = (
        execution.execution_key(sources),
        staging.fingerprint(sources),
    )
    assert staging.fingerprint(sources) == built
    with (sources / "book" / "index.md").open("a") as file:
        file.write("\nOne more sentence.\n")
    assert execution.execution_key(sources) == cache
    assert staging.fingerprint(sources) != built


def test_lock_file_names_no_registry():
    lock = project.ROOT / "book" / "_frontend" / "package-lock.json"
    assert '"resolved"' not in lock.read_text("utf-8")


def test_profile_is_never_found_half_written(tmp_path, monkeypatch):
    profile = execution.kernel_profile(tmp_path) / "profile_default"
    file = profile / "ipython_kernel_config.py"
    found = []
    write = Path.write_text

    def slowly(path, text, encoding=None):
        write(path, text[: len(text) // 2], encoding)
        found.append(file.read_text())
        return write(path, text, encoding)

    monkeypatch.setattr(Path, "write_text", slowly)
    execution.kernel_profile(tmp_path)
    assert found == [execution.PROFILE]
    assert file.read_text() == execution.PROFILE
    assert list(profile.iterdir()) == [file]


# --- one build at a time ----------------------------------------------------

# What Jupyter Book does for us, but only when it is told to go on.
BUILDER = """#!{python}
import sys
from pathlib import Path
sys.path.append({ext!r})
import staging
print("building", flush=True)
sys.stdin.readline()
stage = staging.Stage(Path("_build/html").resolve())
page = stage.folder / "html" / "index.html"
page.parent.mkdir()
page.write_text("built")
staging.publish(page.parent, stage.site, stage.source)
"""


@pytest.fixture
def small_project(tmp_path):
    """Return a project without a book, whose Jupyter Book is a stub."""
    for name in ["_ext", "_tools"]:
        source = project.ROOT / "book" / name
        shutil.copytree(source, tmp_path / "book" / name)
    for name in ["_config.yml", "_toc.yml", "constraints.txt"]:
        (tmp_path / name).touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    builder = tmp_path / "bin" / "jupyter-book"
    ext = str(tmp_path / "book" / "_ext")
    builder.write_text(BUILDER.format(python=sys.executable, ext=ext))
    builder.chmod(0o755)
    return tmp_path


def start(folder, *arguments):
    """Start Python there, with pipes to talk to it."""
    pipe = subprocess.PIPE
    python = [str(folder / "bin" / "python"), *arguments]
    env = {**os.environ, "PYTHONPATH": str(folder / "book" / "_ext")}
    return subprocess.Popen(
        python, cwd=folder, env=env, stdin=pipe, stdout=pipe, text=True
    )


WAITS = "another build is running: waiting for it to finish\n"


def test_second_build_waits_and_finds_the_site_of_the_first(small_project):
    tool = str(small_project / "book" / "_tools" / "make_book.py")
    with start(small_project, tool) as first:
        assert first.stdout.readline() == "building\n"
        with start(small_project, tool) as second:
            assert second.stdout.readline() == WAITS
            assert "the book is built" in first.communicate("go on\n")[0]
            assert "is up to date" in second.communicate("go on\n")[0]
    assert (first.returncode, second.returncode) == (0, 0)


def test_plain_command_waits_for_a_build_that_runs(small_project):
    code = (
        "import staging, pathlib\n"
        "stage = staging.Stage(pathlib.Path('_build/html').resolve())\n"
        "print('started', flush=True)\n"
        "input()\n"
    )
    with start(small_project, "-c", code) as first:
        assert first.stdout.readline() == "started\n"
        with start(small_project, "-c", code) as second:
            assert second.stdout.readline() == WAITS
            first.communicate("\n")
            assert second.communicate("\n")[0] == "started\n"


def test_site_is_replaced_and_its_stamp_says_by_what(tmp_path, monkeypatch):
    site = tmp_path / "html"
    for text in ["first", "second"]:
        new = tmp_path / "new"
        new.mkdir()
        (new / "index.html").write_text(text)
        staging.publish(new, site, f"sources of the {text}")
        assert (site / "index.html").read_text() == text
        assert staging.stamp(site).read_text() == f"sources of the {text}"
    assert {p.name for p in tmp_path.iterdir()} == {"html", ".built-from"}
    monkeypatch.setattr(staging, "fingerprint", lambda root: "others")
    assert not staging.is_fresh(site)
    monkeypatch.setattr(
        staging, "fingerprint", lambda root: "sources of the second"
    )
    assert staging.is_fresh(site)
    (site / "index.html").unlink()
    assert not staging.is_fresh(site)


# --- the front-end packages -------------------------------------------------


@pytest.fixture
def npm(tmp_path, monkeypatch):
    """Return a function that puts a stub of npm on the path, and only it."""
    folder = tmp_path / "path"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def write(script):
        file = folder / "npm"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    return write


def fetch(tmp_path):
    """Fetch the packages of a small front end."""
    source = tmp_path / "source"
    source.mkdir(exist_ok=True)
    (source / "package.json").write_text("{}")
    return frontend.fetch(source, tmp_path / "frontend")


def test_failing_npm_is_quoted_and_leaves_nothing_behind(npm, tmp_path):
    npm("echo npm error code EUSAGE; echo npm error no lock file; exit 1")
    with pytest.raises(SystemExit, match="could not install") as raised:
        fetch(tmp_path)
    assert "npm error no lock file" in str(raised.value)
    assert not (tmp_path / "frontend").exists()
    npm("echo made > made-by-npm")
    assert (fetch(tmp_path).parent / "made-by-npm").is_file()
    npm("exit 1")
    fetch(tmp_path)  # once is enough


def test_machine_without_network_is_told_so(npm, tmp_path):
    npm("echo npm error code EAI_AGAIN; exit 1")
    with pytest.raises(SystemExit, match="is this machine online"):
        fetch(tmp_path)


def test_machine_without_npm_is_told_what_to_install(
    npm, tmp_path, monkeypatch
):
    monkeypatch.setattr(frontend.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SystemExit, match="needs npm, which is not on this"):
        fetch(tmp_path)


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
