"""Numbers beside bounds: printed if they keep them, an error if not."""

import numpy as np
import pytest

from coursekit.bounds import bounded


def test_a_number_is_printed_beside_its_bounds(capsys):
    bounded("loss", np.float32(0.1234), above=0, below=0.3, digits=3)
    label, said = capsys.readouterr().out.split(maxsplit=1)
    assert label == "loss"
    assert said == "0.123  (bound: above 0 and below 0.3)\n"


@pytest.mark.parametrize("value", [0.5, 0.9, 0.6, 0.95, float("nan")])
def test_a_broken_bound_stops_the_chapter_and_names_the_number(value):
    bounds = {"above": 0.6, "below": 0.9}
    with pytest.raises(AssertionError, match=r"share.*above 0\.6 and below"):
        bounded("share", value, **bounds)


def test_a_bound_is_needed():
    with pytest.raises(ValueError, match="needs above, below"):
        bounded("share", 0.5)
