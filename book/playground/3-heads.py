# Several heads, and their maps
import numpy as np

import attnlib as al

tokens = ["the", "cat", "caught", "the", "mouse"]
rng = np.random.default_rng(0)
x = rng.normal(size=(5, 16))
layer = al.MultiHeadAttention(16, num_heads=2, rng=rng)  # not trained
layer.W_q = 4 * layer.W_q  # try 1, or 10
output, weights = layer(x)
print("x", x.shape, "-> weights", weights.shape, "-> output", output.shape)
al.visualize_attention(weights, tokens)
