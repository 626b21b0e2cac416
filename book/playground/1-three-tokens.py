# Attention on three tokens
import numpy as np

import attnlib as al

tokens = ["The", "cat", "sat"]
q = np.array([[0.0, 4], [2, 2], [0, 3]])  # what each token looks for
k = np.array([[1.0, 0], [0, 1], [1, 1]])  # what it is found by
v = np.array([[1.0], [10], [100]])  # what it hands over

output, weights = al.scaled_dot_product_attention(q, k, v)
print("each row sums to", weights.sum(axis=-1))
print("outputs", output.round(1).ravel())
al.visualize_attention(weights, tokens)
