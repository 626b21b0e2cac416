# A causal mask
import numpy as np

import attnlib as al

tokens = ["the", "cat", "caught", "the", "mouse"]
x = 3 * np.eye(5)[[0, 1, 2, 0, 3]]  # a word looks for the same word
mask = al.create_causal_mask(5)
output, weights = al.scaled_dot_product_attention(x, x, x, mask)

changed = x.copy()
changed[4] = [0, 0, 0, 0, 3]  # another last word
again, _ = al.scaled_dot_product_attention(changed, changed, changed, mask)
for i, change in enumerate(abs(again - output).max(axis=-1)):
    print(f"{tokens[i]:7} changes by {change:.2f}")
al.visualize_attention(weights, tokens)
