"""Mistakes of chapters 5 to 8 that learners write in more than one way."""

import learners_cross_attention
import learners_efficient
import learners_language
import learners_real_heads
import pytest
from test_checks import CHECKS, written

WAYS = [
    *learners_cross_attention.WAYS,
    *learners_language.WAYS,
    *learners_efficient.WAYS,
    *learners_real_heads.WAYS,
]


@pytest.mark.parametrize(("name", "mistake", "source"), WAYS)
def test_the_mistake_is_named_however_it_is_written(name, mistake, source):
    report = CHECKS[name](written(source))
    print(report)
    assert report.mistake == mistake
    assert "not the only mistake" not in report.text
