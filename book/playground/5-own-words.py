# An explorer on your own words
import numpy as np

import attnlib as al
from coursekit import explorers

words = ["type", "your", "own", "words", "here"]
n = len(words)
distance = abs(np.arange(n)[:, None] - np.arange(n))
weights = al.softmax(-1.0 * distance)  # near words matter more
explorers.explore_sentence(weights, words)
