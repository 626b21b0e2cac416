"""``python -m coursekit visualize``: patterns of attention, made by hand."""

import numpy as np

from attnlib.attention import scaled_dot_product_attention
from attnlib.masks import create_causal_mask
from attnlib.plots import plt, visualize_attention
from coursekit.console import make_folder, say

SHARP = 20.0  # how much a match counts


def self_patterns(words):
    """Return the queries and keys of four simple patterns, made by hand.

    A key is the token's position as a one-hot row; a query is a wish list
    of positions.
    """
    n = len(words)
    place, near = np.eye(n), np.tri(n, k=1) * np.tri(n, k=1).T
    return {
        "looks at itself": (place, place),
        "looks everywhere": (np.zeros((n, n)), place),
        "looks at the first word": (place[[0] * n], place),
        "looks at its neighbours": (near, place),
    }


def head_patterns(words):
    """Return the queries and keys of four heads that each ask one question.

    Two heads match positions, two match words, both as one-hot rows.
    """
    place = np.eye(len(words))
    kinds = sorted(set(words))
    word = np.array([[w == kind for kind in kinds] for w in words], float)
    subject = np.zeros_like(word)
    subject[words.index("caught"), kinds.index("cat")] = 1
    return {
        "the word before": (np.eye(len(words), k=-1), place),
        "the same word": (word, word),
        "the first word": (place[[0] * len(words)], place),
        "the verb's subject": (subject, word),
    }


def most_looked_at(row, words):
    """Say which word has the largest weight, or how many share it."""
    best = np.flatnonzero(np.isclose(row, row.max()))
    name = words[best[0]] if len(best) == 1 else f"{len(best)} words"
    return f"{name} {row.max():.2f}"


def draw(patterns, words, path, mask=None):
    """Draw one map a pattern, and tell what each word looks at most."""
    maps = np.stack(
        [
            scaled_dot_product_attention(SHARP * q, k, k, mask)[1]
            for q, k in patterns.values()
        ]
    )
    axes = visualize_attention(maps, words)
    for name, ax, weights in zip(patterns, axes, maps, strict=True):
        ax.set_title(name, fontsize="medium")
        best = [most_looked_at(row, words) for row in weights]
        say(f"  {name + ':':<25} " + ", ".join(best))
    axes[0].figure.savefig(path, dpi=150)
    plt.close(axes[0].figure)


def run(folder):
    """Write the three pictures and say where they are."""
    make_folder(folder)
    sat = ["The", "cat", "sat", "on", "the", "mat"]
    mouse = ["the", "cat", "caught", "the", "mouse"]
    causal = create_causal_mask(len(sat))
    say("These queries and keys are made by hand; nothing is learned.")
    for name, patterns, words, mask in [
        ("self-attention", self_patterns(sat), sat, None),
        ("causal", self_patterns(sat), sat, causal),
        ("multi-head", head_patterns(mouse), mouse, None),
    ]:
        path = folder / f"{name}.png"
        say()
        say(f"{path}: what each word of “{' '.join(words)}” looks at most")
        draw(patterns, words, path, mask)
