"""What each step of the machine did for one token, in words and numbers."""

from html import escape

import numpy as np

import coursekit.explorers.frames as fr
from coursekit.phrases import later, phrase

__all__ = ["narrate"]

MADE = {"Q": later("query"), "K": later("key"), "V": later("value")}


def narrate(stages, projections, names, token, step):
    """Return what the step did, in words, and the cells that it speaks of.

    A cell is (name of its stage, row, column).
    """
    teller = Teller(stages, projections, names, token)
    place = phrase(
        "<b>Step {step} of {count}.</b>", step=step, count=len(stages)
    )
    said, used = teller.tell(step)
    return f"{place} {said}", set(used)


class Teller:
    """Says what the machine does with one token."""

    def __init__(self, stages, projections, names, token):
        self.stages, self.projections = stages, projections
        self.token, self.plain = token, [escape(name) for name in names]
        self.me = self.quoted(token)
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

    def quoted(self, i):
        """Return the name of a token, in quotation marks."""
        return f"“{self.plain[i]}”"

    def row(self, name, i):
        """Return the cells of one row."""
        stage = next(s for s in self.stages if s.name == name)
        return [(name, i, j) for j in range(stage.values.shape[1])]

    def embed(self):
        """Say where the token's row is."""
        x = self.rows[0]
        said = phrase(
            "Every token is a row of X. The row of {token} is {row}: its "
            "embedding, {width} numbers wide.",
            token=self.me,
            row=_vector(x),
            width=len(x),
        )
        return said, self.row("X", self.token)

    def project(self, step):
        """Say how the query, the key or the value of the token is made."""
        stage, w = self.stages[step - 1], self.projections[step - 2]
        x, made = self.rows[0], self.rows[step - 1]
        j = int(np.argmax(abs(made)))
        whole = phrase(
            "The row of {token} in X, times W<sub>{letter}</sub>, is its "
            "<b>{kind}</b>, {made}.",
            token=self.me,
            letter=stage.name,
            kind=phrase(MADE[stage.name]),
            made=_vector(made),
        )
        entry = phrase(
            "For example, its entry {entry} is that row times column {column} "
            "of W<sub>{letter}</sub>: {row} · {numbers} = {result}.",
            entry=j + 1,
            column=j + 1,
            letter=stage.name,
            row=_vector(x),
            numbers=_vector(w[:, j]),
            result=_plain(made[j]),
        )
        used = [*self.row("X", self.token), (stage.name, self.token, j)]
        return f"{whole} {entry}", used

    def score(self):
        """Say how one score is a query times a key."""
        i, j = self.token, self.loudest
        q, k = self.rows[1], self.stages[2].values[j]
        scores = self.rows[4]
        one = phrase(
            "The query of {token} meets every key. With the key of {other} it "
            "makes {products} = <b>{score}</b>.",
            token=self.me,
            other=self.quoted(j),
            products=_products(q, k),
            score=_plain(scores[j]),
        )
        every = phrase(
            "All scores of {token}: {scores}.",
            token=self.me,
            scores=_vector(scores),
        )
        used = [*self.row("Q", i), *self.row("K", j), ("scores", i, j)]
        return f"{one} {every}", used

    def scale(self):
        """Say what the scale does to the scores."""
        i, j = self.token, self.loudest
        before, after = self.rows[4], self.rows[5]
        width = len(self.rows[1])
        used = [("scores", i, j), ("scaled", i, j)]
        if self.stages[5].doing == "scale off":
            said = phrase(
                "The scale is off, so the scores of {token} go on as they "
                "are: {scores}.",
                token=self.me,
                scores=_vector(after),
            )
            return said, used
        said = phrase(
            "Every score is divided by √<i>d<sub>k</sub></i> = √{width} = "
            "{root}. For {token}, {before} becomes {after}.",
            width=width,
            root=_plain(np.sqrt(width)),
            token=self.me,
            before=_vector(before),
            after=_vector(after),
        )
        return said, used

    def mask(self):
        """Say which keys the token may see."""
        masked = self.rows[6]
        used = self.row("masked", self.token)
        if self.stages[6].doing == "mask off":
            said = phrase(
                "The mask is off: {token} may look at every token, and its "
                "scores stay {scores}.",
                token=self.me,
                scores=_vector(masked),
            )
            return said, used
        said = [
            phrase("The causal mask hides what comes later."),
            self.hide(np.flatnonzero(np.isinf(masked))),
            phrase("The row is now {scores}.", scores=_vector(masked)),
        ]
        return " ".join(said), used

    def hide(self, places):
        """Say what the causal mask hides from the token."""
        hidden = [self.quoted(j) for j in places]
        if not hidden:
            return phrase(
                "{token} is the last token, so nothing is hidden from it.",
                token=self.me,
            )
        if len(hidden) == 1:
            return phrase(
                "It hides {hidden} from {token} by making its score −∞.",
                hidden=hidden[0],
                token=self.me,
            )
        return phrase(
            "It hides {hidden} from {token} by making their scores −∞.",
            hidden=phrase(" and ").join(hidden),
            token=self.me,
        )

    def share(self):
        """Say how the softmax shares out 1."""
        i, j = self.token, self.best
        powers, weights = np.exp(self.rows[6]), self.rows[7]
        terms = " + ".join(fr.number(power) for power in powers)
        said = phrase(
            "The softmax takes <i>e</i> to the power of each score of {token} "
            "and divides by their sum, {terms} = {sum}. {other} gets {power} "
            "÷ {total} = <b>{weight}</b>.",
            token=self.me,
            terms=terms,
            sum=fr.number(powers.sum()),
            other=self.quoted(j),
            power=fr.number(powers[j]),
            total=fr.number(powers.sum()),
            weight=fr.number(weights[j], 3),
        )
        return said, [*self.row("masked", i), ("weights", i, j)]

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
        said = phrase(
            "Each value is multiplied by its weight, and the results are "
            "added up. The output of {token} is {terms} = <b>{output}</b>.",
            token=self.me,
            terms=terms,
            output=fr.vector(mixed),
        )
        return said, used


def _plain(x):
    """Write a number, whole ones without digits."""
    return fr.number(x, 0 if np.isinf(x) or x == round(x) else 2)


def _vector(x):
    return f"({', '.join(map(_plain, x))})"


def _products(row, column):
    return " + ".join(
        f"{_plain(a)}·{_plain(b)}" for a, b in zip(row, column, strict=True)
    )
