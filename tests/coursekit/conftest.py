"""Fixtures of the tests of the course's tools."""

import random

import numpy as np
import pytest


@pytest.fixture
def nothing_leaks(capfd):
    np.random.seed(7)  # noqa: NPY002 - the state that must not change
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    plain, errors = random.getstate(), np.geterr()
    options = np.get_printoptions()
    yield
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert random.getstate() == plain
    assert np.geterr() == errors
    assert np.get_printoptions() == options
    assert capfd.readouterr() == ("", "")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
