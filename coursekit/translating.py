"""Tools of chapter 5 that draw, print or count, and teach nothing."""

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import DisplayHandle, Pretty

from attnlib.ops import softmax
from attnlib.plots import SEQUENTIAL, visualize_attention
from attnlib.toydata import encode
from coursekit import bounds
from coursekit.phrases import phrase

__all__ = [
    "Progress",
    "compare",
    "compare_maps",
    "follow",
    "maps_of",
    "report",
]


class Progress:
    """A bar that fills up while a model learns."""

    WIDTH = 30

    def __init__(self, steps):
        self.steps, self._bar = steps, DisplayHandle()
        self._bar.display(Pretty(phrase("starting")))

    def text(self, step, loss):
        """Return the bar as text."""
        done = self.WIDTH * step // self.steps
        bar = "█" * done + "░" * (self.WIDTH - done)
        return phrase(
            "{bar} {step} of {steps} steps, loss {loss}",
            bar=bar,
            step=step,
            steps=self.steps,
            loss=f"{loss:.2f}",
        )

    def show(self, step, loss):
        """Redraw the bar now and then, and at the end."""
        if step % 20 == 0 or step == self.steps:
            self._bar.update(Pretty(self.text(step, loss)))


def report(*measures):
    """Print shares beside the bounds that they must keep.

    Parameters
    ----------
    *measures : tuple
        What was measured, the share, ``">="`` or ``"<="``, the bound.

    Raises
    ------
    ValueError
        If a share breaks its bound, unless `coursekit.bounds.strict` is off.

    Examples
    --------
    >>> report(("exact", 0.996, ">=", 0.98), ("lost", 0.35, "<=", 0.5))
    exact   99.6%  (at least 98%)
    lost    35.0%  (at most 50%)
    """
    width = max(len(name) for name, *_ in measures)
    for name, share, sign, bound in measures:
        words = {">=": "at least", "<=": "at most"}[sign]
        kept = share >= bound if sign == ">=" else share <= bound
        if bounds.strict and not kept:
            raise ValueError(f"{name}: {share:.1%} is not {words} {bound:.0%}")
        said = f"({words} {bound:.0%})" + " broken" * (not kept)
        print(f"{name:{width}}  {share:6.1%}  {said}")


def follow(model, source, likeliest=4):
    """Translate a sentence; return what each step looked at and considered.

    Shapes: source (n_k) -> weights (n_q, n_k)

    Returns
    -------
    words : tuple of str
        The translation, with its end mark.
    weights : ndarray
        One row for each of these words.
    likely : list of dict
        For each of them, the likeliest words and their probabilities.
    """
    (found,) = model.translate([source])
    target = encode([found.words], model.target_words, marks=True)
    ids = encode([source], model.source_words)
    scores, weights = model.forward(model.params, ids, target[:, :-1])
    likely = [
        {model.target_words[i]: row[i] for i in np.argsort(-row)[:likeliest]}
        for row in softmax(scores[0])
    ]
    return (*found.words, "<end>"), weights[0], likely


def maps_of(model, examples):
    """Return the map of each sentence (n_q, n_k), without its padding.

    The decoder gets the true words before each word.
    """
    source = encode([e.source for e in examples], model.source_words)
    target = encode(
        [e.target for e in examples], model.target_words, marks=True
    )
    _, weights = model.forward(model.params, source, target[:, :-1])
    return [
        rows[: len(e.target), : len(e.source)]
        for rows, e in zip(weights, examples, strict=True)
    ]


def compare_maps(example, models):
    """Draw one sentence's maps side by side, the true words framed.

    Parameters
    ----------
    example : Example
        The sentence, its translation and the alignment.
    models : dict
        The translators, by name.

    Returns
    -------
    Figure
        With one scale of colours for all maps.
    """
    fig, axes = plt.subplots(
        1, len(models), figsize=(5.2, 3.6), sharey=True, layout="constrained"
    )
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        (weights,) = maps_of(model, [example])
        visualize_attention(
            weights, example.target, example.source, ax=ax, values=False
        )
        for i, origin in enumerate(example.alignment):
            for j in origin:
                ax.add_patch(
                    plt.Rectangle((j, i), 1, 1, fill=False, ec="C1", lw=2)
                )
        ax.set(xlabel="", ylabel="")
        ax.set_title(name, fontsize=11)
        ax.tick_params(labelsize=11)
    scale = plt.cm.ScalarMappable(plt.Normalize(0, 1), SEQUENTIAL)
    label = phrase("weight")
    bar = fig.colorbar(scale, ax=axes, shrink=0.7, label=label)
    bar.set_ticks([0, 0.5, 1])
    return fig


def compare(model, examples, kind_of):
    """Print how surprised a model is by words of different kinds.

    Parameters
    ----------
    model : Translator
        It sees the true words before each word.
    examples : sequence of Example
        The sentences.
    kind_of : callable
        ``kind_of(example, i)`` names the kind of target word `i`.
    """
    found = {}
    for example, row in zip(examples, surprises(model, examples), strict=True):
        for i, value in enumerate(row):
            found.setdefault(kind_of(example, i), []).append(value)
    print(f"{'surprise at':24}{'words':>6}{'mean':>8}{'median':>8}")
    for kind, values in sorted(found.items(), key=lambda kv: len(kv[1])):
        mean, median = np.mean(values), np.median(values)
        print(f"{kind:24}{len(values):6}{mean:8.4f}{median:8.4f}")


def surprises(model, examples, size=500):
    """Return minus the log probability of each target word, by sentence."""
    rows = []
    for start in range(0, len(examples), size):
        some = examples[start : start + size]
        source = encode([e.source for e in some], model.source_words)
        target = encode(
            [e.target for e in some], model.target_words, marks=True
        )
        scores, _ = model.forward(model.params, source, target[:, :-1])
        chances = softmax(scores)
        for chance, ids, example in zip(chances, target, some, strict=True):
            n = len(example.target)
            rows.append(-np.log(chance[np.arange(n), ids[1 : n + 1]]))
    return rows
