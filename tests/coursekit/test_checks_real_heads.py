"""The number that chapter 8 asks for: each wrong one is explained."""

import math

import pytest

from coursekit import exercises

NUMBERS = {
    "one_head": 1 / 16,
    "one_misses": 0.9375,
    "none": 0.0096,
    "added": 4.5,
    "not_all": 1.0,
    "exactly_one": 0.04604,
    "swapped": 0.20054,
    "tokens_for_heads": 0.64393,
    "percent": 99.04,
    "all_heads": 0.0,
}


@pytest.mark.parametrize("mistake", NUMBERS)
def test_wrong_numbers_are_explained(mistake):
    check = exercises.check_lucky_head
    assert check(NUMBERS[mistake]).mistake == mistake
    assert set(NUMBERS) == set(check.mistakes)


def test_right_number():
    assert exercises.check_lucky_head(0.99)
    assert exercises.check_lucky_head(1 - (15 / 16) ** 72)
    assert exercises.check_lucky_head(0.9904)
    assert exercises.check_lucky_head(...).status == "not attempted"


@pytest.mark.parametrize(
    "value",
    [
        1 - (15 / 16) ** 71,
        1 - (15 / 16) ** 73,
        1 - (14 / 15) ** 72,
        1 - (16 / 17) ** 72,
        1 - math.exp(-72 / 16),
        0.995,
    ],
)
def test_a_number_that_is_only_near_is_wrong(value):
    report = exercises.check_lucky_head(value)
    assert report.status == "wrong"
    assert report.mistake is None
