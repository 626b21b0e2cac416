"""What runs on GitHub: pinned, in order, on the Pythons that we name."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PATHS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = {p.stem: yaml.safe_load(p.read_text("utf-8")) for p in PATHS}
BOOK = WORKFLOWS["book"]
ON = True  # how YAML 1.1 reads the key `on`
EACH = pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)


def steps():
    """Return (workflow, job, step) for each step of each job."""
    return [
        (workflow, job, step)
        for workflow in WORKFLOWS.values()
        for job in workflow["jobs"].values()
        for step in job["steps"]
    ]


def commands(job):
    return [step.get("run", "") for step in job["steps"]]


def needed(jobs, name):
    """Return all jobs that a job waits for."""
    needs = jobs[name].get("needs", [])
    first = {needs} if isinstance(needs, str) else set(needs)
    return first.union(*(needed(jobs, other) for other in first))


@EACH
def test_every_action_is_pinned_by_commit_and_says_its_version(path):
    lines = [
        line.split("uses:")[1].strip()
        for line in path.read_text("utf-8").splitlines()
        if "uses:" in line
    ]
    assert lines
    for line in lines:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+(\.\d+)+", line)


def test_one_action_has_one_version_everywhere():
    used = {step["uses"] for _, _, step in steps() if "uses" in step}
    names = [name.partition("@")[0] for name in used]
    assert sorted(set(names)) == sorted(names)


def test_lint_comes_before_every_build_and_test():
    jobs = BOOK["jobs"]
    assert any("ruff check" in command for command in commands(jobs["lint"]))
    for name in set(jobs) - {"lint"}:
        assert "lint" in needed(jobs, name), name


def test_only_what_passed_all_tests_is_published():
    jobs = BOOK["jobs"]
    assert needed(jobs, "publish") == set(jobs) - {"publish"}
    assert "refs/heads/main" in jobs["publish"]["if"]


def test_a_pull_request_runs_once_and_every_workflow_can_be_started():
    assert BOOK[ON]["push"] == {"branches": ["main"]}
    assert "pull_request" in BOOK[ON]
    assert all("workflow_dispatch" in w[ON] for w in WORKFLOWS.values())


def test_packages_are_tested_on_every_python_that_we_name():
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    project = tomllib.loads(text)["project"]
    named = [c.rpartition(":: ")[2] for c in project["classifiers"]]
    tested = BOOK["jobs"]["packages"]["strategy"]["matrix"]["python"]
    assert tested == named
    assert project["requires-python"] == f">={named[0]}"
    runtime = (ROOT / ".binder" / "runtime.txt").read_text("utf-8")
    assert runtime.strip() == f"python-{named[0]}"


def test_site_is_built_on_the_oldest_python():
    oldest = BOOK["jobs"]["packages"]["strategy"]["matrix"]["python"][0]
    found = {
        step["with"]["python-version"]
        for _, _, step in steps()
        if "setup-python" in step.get("uses", "")
    }
    assert found == {oldest, "${{ matrix.python }}"}


def test_commands_name_what_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for _, job, _ in steps():
        for command in commands(job):
            for target in re.findall(r"\bmake (\w+)", command):
                assert f"\n{target}:" in makefile, command
            if command.startswith("pytest "):
                for path in command.split()[1:]:
                    assert (ROOT / path).exists(), path


def test_caches_depend_on_files_that_exist():
    paths = [
        step["with"]["cache-dependency-path"]
        for _, _, step in steps()
        if "cache" in step.get("with", {})
    ]
    assert {"constraints.txt", "book/_frontend/package-lock.json"} == set(
        paths
    )
    assert all((ROOT / path).is_file() for path in paths)


def test_dependabot_watches_actions_python_and_the_front_end():
    path = ROOT / ".github" / "dependabot.yml"
    updates = yaml.safe_load(path.read_text("utf-8"))["updates"]
    found = {u["package-ecosystem"]: u["directory"] for u in updates}
    assert set(found) == {"github-actions", "pip", "npm"}
    assert (ROOT / found["npm"].strip("/") / "package.json").is_file()


def test_long_tests_run_every_week():
    weekly = WORKFLOWS["weekly"]
    assert weekly[ON]["schedule"]
    assert weekly["jobs"]["live"]["env"] == {"COURSE_ALL_LIVE": "1"}
    assert "make test" in commands(weekly["jobs"]["live"])
