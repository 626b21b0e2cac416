"""Run pytest inside Pyodide and write down what became of each test."""

import json
import sys


class Outcomes:
    """A plugin of pytest that keeps the outcome of every test."""

    def __init__(self):
        self.tests = {}

    def pytest_runtest_logreport(self, report):
        """Keep a test's call, and whatever failed or was skipped besides."""
        if report.when == "call" or report.outcome != "passed":
            self.keep(report)

    def pytest_collectreport(self, report):
        """Keep files that could not be read, and those that were skipped."""
        if report.outcome != "passed":
            self.keep(report)

    def pytest_deselected(self, items):
        """Keep what was left out."""
        self.tests.update({item.nodeid: ["left out", ""] for item in items})

    def keep(self, report):
        """Add one outcome, with the reason of a skip or a failure's report."""
        said = report.longrepr
        if report.outcome == "skipped":
            said = said[-1].removeprefix("Skipped: ")
        self.tests[report.nodeid] = [report.outcome, str(said or "")]


def main(version, examples, arguments):
    """Run pytest; return what it found and where, as JSON."""
    import native

    native.install(version)
    import numpy as np
    import pytest
    from hypothesis import settings

    settings.register_profile(
        "few",
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
    )
    settings.load_profile("few")
    outcomes = Outcomes()
    code = pytest.main(list(arguments), plugins=[outcomes])
    return json.dumps(
        {
            "code": int(code),
            "tests": outcomes.tests,
            "platform": sys.platform,
            "bits": np.dtype(np.intp).itemsize * 8,
        }
    )
