"""Sliders and questions: they also work where no kernel runs.

Each explorer draws all its frames when it is called, so it works on a
published page, and with your own arrays in a notebook. The arrays that are
used without arguments are made by hand, unless the docstring says otherwise.
"""

from attnlib.explorers.lookup import (
    explore_scale,
    explore_temperature,
    explore_weight,
)
from attnlib.explorers.maps import (
    explore_heads,
    explore_masks,
    explore_sentence,
)
from attnlib.explorers.panel import (
    MAX_BYTES,
    MAX_FRAMES,
    Explorer,
    explore,
)
from attnlib.explorers.positions import (
    explore_relative_positions,
    explore_sinusoidal,
)
from attnlib.explorers.questions import Question, predict, quiz

__all__ = [
    "MAX_BYTES",
    "MAX_FRAMES",
    "Explorer",
    "Question",
    "explore",
    "explore_heads",
    "explore_masks",
    "explore_relative_positions",
    "explore_scale",
    "explore_sentence",
    "explore_sinusoidal",
    "explore_temperature",
    "explore_weight",
    "predict",
    "quiz",
]
