# Temperature
import numpy as np

import attnlib as al

words = ["school", "home", "market", "sea"]
scores = np.array([3.0, 2, 1, -1])
temperatures = [0.1, 0.5, 1, 2, 10]
weights = np.array([al.softmax(scores / t) for t in temperatures])
names = [f"T = {t}" for t in temperatures]
al.visualize_attention(weights, names, words)
