"""Sliders and questions that work even where no kernel runs.

Each explorer draws all its frames when it is called, so it works on a
published page, and with your own arrays in a notebook. The arrays used when
there are no arguments were made by hand, unless the docstring says otherwise.
"""

from coursekit.explorers.flash import count_traffic, explore_flash
from coursekit.explorers.heads import explore_heads
from coursekit.explorers.language import explore_induction
from coursekit.explorers.lookup import (
    explore_scale,
    explore_temperature,
    explore_weight,
)
from coursekit.explorers.machine import explore_machine
from coursekit.explorers.masks import explore_masks
from coursekit.explorers.narrow import explore_multi_head
from coursekit.explorers.online import explore_online_softmax
from coursekit.explorers.panel import (
    MAX_BYTES,
    MAX_FRAMES,
    Explorer,
    explore,
)
from coursekit.explorers.positions import (
    explore_rope,
    explore_sinusoidal,
)
from coursekit.explorers.questions import Question, predict, quiz
from coursekit.explorers.real import explore_all_heads, explore_real_heads
from coursekit.explorers.sentence import explore_sentence
from coursekit.explorers.training import explore_training
from coursekit.explorers.translation import explore_translation
from coursekit.explorers.writing import explore_writing

__all__ = [
    "MAX_BYTES",
    "MAX_FRAMES",
    "Explorer",
    "Question",
    "count_traffic",
    "explore",
    "explore_all_heads",
    "explore_flash",
    "explore_heads",
    "explore_induction",
    "explore_machine",
    "explore_masks",
    "explore_multi_head",
    "explore_online_softmax",
    "explore_real_heads",
    "explore_rope",
    "explore_scale",
    "explore_sentence",
    "explore_sinusoidal",
    "explore_temperature",
    "explore_training",
    "explore_translation",
    "explore_weight",
    "explore_writing",
    "predict",
    "quiz",
]
