# Linear against exact attention
import numpy as np

import attnlib as al

rng = np.random.default_rng(0)
for sharp in (0.1, 1, 4):
    q, k, v = rng.normal(size=(3, 200, 16))
    exact, _ = al.scaled_dot_product_attention(sharp * q, sharp * k, v)
    linear = al.linear_attention(sharp * q, sharp * k, v)
    tiled = al.memory_efficient_attention(sharp * q, sharp * k, v)
    print(f"queries and keys times {sharp}")
    print(f"  tiles  differ by {abs(tiled - exact).max():.6f}")
    print(f"  linear differs by {abs(linear - exact).max():.6f}")
