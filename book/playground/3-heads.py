# Two heads, and their maps
import numpy as np

import attnlib as al

tokens = ["the", "cat", "caught", "the", "mouse"]
place, word = np.eye(5), np.eye(5)[[0, 1, 2, 0, 3]]
before = np.eye(5, k=-1)
# Made by hand: one half asks for the word before, one for the same word.
q = 8 * np.hstack([before, word])
k = np.hstack([place, word])
heads = [al.split_heads(x, num_heads=2) for x in (q, k, k)]
output, weights = al.scaled_dot_product_attention(*heads)
print("q", q.shape, "-> heads", heads[0].shape, "-> weights", weights.shape)
al.visualize_attention(weights, tokens)
