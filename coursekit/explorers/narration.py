"""What each step of the machine did for one token, in words and numbers."""

from html import escape

import numpy as np

import coursekit.explorers.frames as fr

__all__ = ["narrate"]


def narrate(stages, projections, names, token, step):
    """Return what the step did, in words, and the cells that it speaks of.

    A cell is (name of its stage, row, column).
    """
    teller = Teller(stages, projections, names, token)
    said, used = teller.tell(step)
    return f"<b>Step {step} of {len(stages)}.</b> {said}", set(used)


class Teller:
    """Says what the machine does with one token."""

    def __init__(self, stages, projections, names, token):
        self.stages, self.projections = stages, projections
        self.token, self.plain = token, [escape(name) for name in names]
        self.me = f"“{self.plain[token]}”"
        self.rows = [stage.values[token] for stage in stages]
        # the key to speak of: with the highest score, and the largest weight
        self.loudest = int(np.argmax(self.rows[4]))
        self.best = int(np.argmax(self.rows[7]))

    def tell(self, step):
        """Return the words of one step, and the cells they speak of."""
        if 2 <= step <= 4:
            return self.project(step)
        steps = {
            1: self.embed,
            5: self.score,
            6: self.scale,
            7: self.mask,
            8: self.share,
            9: self.mix,
        }
        return steps[step]()

    def row(self, name, i):
        """Return the cells of one row."""
        stage = next(s for s in self.stages if s.name == name)
        return [(name, i, j) for j in range(stage.values.shape[1])]

    def embed(self):
        """Say where the token's row is."""
        x = self.rows[0]
        return (
            f"Every token is a row of X. The row of {self.me} is "
            f"{_vector(x)}: its embedding, {len(x)} numbers wide.",
            self.row("X", self.token),
        )

    def project(self, step):
        """Say how the query, the key or the value of the token is made."""
        stage, w = self.stages[step - 1], self.projections[step - 2]
        kind = {"Q": "query", "K": "key", "V": "value"}[stage.name]
        x, made = self.rows[0], self.rows[step - 1]
        j = int(np.argmax(abs(made)))
        return (
            f"The row of {self.me} in X, times W<sub>{stage.name}</sub>, is "
            f"its <b>{kind}</b>, {_vector(made)}. For example, its entry "
            f"{j + 1} is that row times column {j + 1} of "
            f"W<sub>{stage.name}</sub>: {_vector(x)} · {_vector(w[:, j])} = "
            f"{_plain(made[j])}.",
            [*self.row("X", self.token), (stage.name, self.token, j)],
        )

    def score(self):
        """Say how one score is a query times a key."""
        i, j = self.token, self.loudest
        q, k = self.rows[1], self.stages[2].values[j]
        scores = self.rows[4]
        return (
            f"The query of {self.me} meets every key. With the key of "
            f"“{self.plain[j]}” it makes {_products(q, k)} = "
            f"<b>{_plain(scores[j])}</b>. All scores of {self.me}: "
            f"{_vector(scores)}.",
            [*self.row("Q", i), *self.row("K", j), ("scores", i, j)],
        )

    def scale(self):
        """Say what the scale does to the scores."""
        i, j = self.token, self.loudest
        before, after = self.rows[4], self.rows[5]
        width = len(self.rows[1])
        used = [("scores", i, j), ("scaled", i, j)]
        if self.stages[5].doing == "scale off":
            return (
                f"The scale is off, so the scores of {self.me} go on as they "
                f"are: {_vector(after)}.",
                used,
            )
        return (
            f"Every score is divided by √<i>d<sub>k</sub></i> = √{width} = "
            f"{_plain(np.sqrt(width))}. For {self.me}, {_vector(before)} "
            f"becomes {_vector(after)}.",
            used,
        )

    def mask(self):
        """Say which keys the token may see."""
        masked = self.rows[6]
        used = self.row("masked", self.token)
        if self.stages[6].doing == "mask off":
            return (
                f"The mask is off: {self.me} may look at every token, and "
                f"its scores stay {_vector(masked)}.",
                used,
            )
        hidden = [
            f"“{self.plain[j]}”" for j in np.flatnonzero(np.isinf(masked))
        ]
        what = (
            f"It hides {' and '.join(hidden)} from {self.me} by making "
            f"{'its score' if len(hidden) == 1 else 'their scores'} −∞"
            if hidden
            else f"{self.me} is the last token, so nothing is hidden from it"
        )
        return (
            f"The causal mask hides what comes later. {what}. The row is now "
            f"{_vector(masked)}.",
            used,
        )

    def share(self):
        """Say how the softmax shares out 1."""
        i, j = self.token, self.best
        powers, weights = np.exp(self.rows[6]), self.rows[7]
        terms = " + ".join(fr.number(power) for power in powers)
        return (
            f"The softmax takes <i>e</i> to the power of each score of "
            f"{self.me} and divides by their sum, {terms} = "
            f"{fr.number(powers.sum())}. “{self.plain[j]}” gets "
            f"{fr.number(powers[j])} ÷ {fr.number(powers.sum())} = "
            f"<b>{fr.number(weights[j], 3)}</b>.",
            [*self.row("masked", i), ("weights", i, j)],
        )

    def mix(self):
        """Say how the weights mix the values."""
        weights, mixed = self.rows[7], self.rows[8]
        terms = " + ".join(
            f"{fr.number(weight, 3)} × {_vector(value)}"
            for weight, value in zip(
                weights, self.stages[3].values, strict=True
            )
        )
        used = self.row("weights", self.token)
        used += self.row("output", self.token)
        return (
            f"Each value is multiplied by its weight, and the results are "
            f"added up. The output of {self.me} is {terms} = "
            f"<b>{fr.vector(mixed)}</b>.",
            used,
        )


def _plain(x):
    """Write a number, whole ones without digits."""
    return fr.number(x, 0 if np.isinf(x) or x == round(x) else 2)


def _vector(x):
    return f"({', '.join(map(_plain, x))})"


def _products(row, column):
    return " + ".join(
        f"{_plain(a)}·{_plain(b)}" for a, b in zip(row, column, strict=True)
    )
