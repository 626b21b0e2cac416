"""The number that chapter 8 asks for: each wrong one is explained."""

import pytest

from attnlib import checks

NUMBERS = {
    "one_head": 1 / 16,
    "none": 0.0096,
    "added": 4.5,
    "all_heads": 0.0,
}


@pytest.mark.parametrize("mistake", NUMBERS)
def test_wrong_numbers_are_explained(mistake):
    check = checks.check_lucky_head
    assert check(NUMBERS[mistake]).mistake == mistake
    assert set(NUMBERS) == set(check.mistakes)


def test_right_number():
    assert checks.check_lucky_head(0.99)
    assert checks.check_lucky_head(1 - (15 / 16) ** 72)
    assert checks.check_lucky_head(...).status == "not attempted"
