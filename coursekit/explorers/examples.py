"""Words and numbers made by hand, for explorers called without arguments."""

import numpy as np

from coursekit.phrases import later

__all__ = ["BY_HAND", "CAT", "LOOKS", "MOUSE", "SENTENCE", "sentence_scores"]

BY_HAND = later(" These numbers were made by hand, not learned.")
CAT = ["The", "cat", "sat"]
MOUSE = ["the", "cat", "caught", "the", "mouse"]

# How strongly each word of a sentence looks at some of the others.
LOOKS = {
    "The": {"bank": 3},
    "bank": {"deposits": 3, "costs": 3, "tuition": 2, "guarantee": 1,
             "cover": 1},
    "can": {"guarantee": 3, "bank": 1},
    "guarantee": {"bank": 3, "cover": 3, "can": 1},
    "deposits": {"cover": 3, "bank": 2, "costs": 1},
    "will": {"cover": 3, "eventually": 2},
    "eventually": {"cover": 3, "will": 2},
    "cover": {"deposits": 3, "costs": 3, "will": 1, "eventually": 1},
    "future": {"costs": 3, "tuition": 2},
    "tuition": {"costs": 3, "future": 2},
    "costs": {"tuition": 3, "future": 2, "cover": 2},
}  # fmt: skip
SENTENCE = [*LOOKS]


def sentence_scores():
    """Return the scores (n, n) of the sentence, from 0 to 3."""
    rows = [[LOOKS[a].get(b, 0) for b in SENTENCE] for a in SENTENCE]
    return np.array(rows, float)
