# RoPE: only the distance counts
import numpy as np

import attnlib as al

q, k = np.random.default_rng(0).normal(size=(2, 1, 64))


def score(place_of_q, place_of_k):
    turned_q = al.apply_rope(q, [place_of_q])
    turned_k = al.apply_rope(k, [place_of_k])
    return (turned_q @ turned_k.T).item()


for distance in (0, 1, 5):
    scores = [score(start + distance, start) for start in (0, 7, 1000)]
    print(f"distance {distance}:", np.round(scores, 6))
