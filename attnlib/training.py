"""Training: the loss, the loop, the optimiser and its learning rate.

Products this small are not worth a second thread of BLAS; with one, results
do not depend on how many there are. Chapter: cross-attention.
"""

import numpy as np

from attnlib import _tiles, ops
from attnlib._validate import (
    as_array,
    as_ids,
    as_number,
    as_rng,
    as_size,
    shapes_of,
)
from attnlib.autograd import gradients, result, values

__all__ = ["Adam", "cross_entropy", "learning_rate", "train"]


def cross_entropy(logits, targets, *, ignore=None):
    """Return the mean surprise, ``-log(probability of the target)``.

    Shapes: logits (..., vocabulary), targets (...) -> loss ()

    Parameters
    ----------
    logits : Tensor or array_like
        A score for each token that may come next.
    targets : array_like of int
        The tokens that do come next.
    ignore : int, optional
        Targets with this number, such as padding, do not count.

    Returns
    -------
    Tensor or ndarray
        One number; 0 if no target counts.

    Examples
    --------
    >>> cross_entropy([[0.0, 0.0], [0.0, 99.0]], [1, 0], ignore=0).round(3)
    np.float64(0.693)
    """
    (scores,) = values(logits=logits)
    ids, counts = _targets(scores, targets, ignore)
    rows = scores.reshape(-1, scores.shape[-1])
    total = max(int(counts.sum()), 1)
    place = np.arange(len(ids)), ids
    shifted = rows - rows.max(axis=-1, keepdims=True)
    sums = np.log(np.exp(shifted).sum(axis=-1))
    loss = np.where(counts, sums - shifted[place], 0).sum() / total

    def pull(g):
        inner = ops.softmax(rows)
        inner[place] -= 1
        inner *= (counts * (g / total))[:, None]
        return (inner.reshape(scores.shape),)

    return result(np.asarray(loss, scores.dtype), (logits,), pull)


def _targets(scores, targets, ignore):
    """Return the targets in one row, and which of them count."""
    ids = as_array("targets", targets)
    if not scores.ndim or ids.shape != scores.shape[:-1]:
        raise ValueError(
            "targets must have one entry for each row of logits, got "
            + shapes_of(logits=scores, targets=ids)
        )
    counts = np.ones(ids.shape, bool) if ignore is None else ids != ignore
    # What does not count may have any number: read the first score for it.
    ids = np.where(counts, ids, ids.dtype.type(0))
    ids = as_ids("targets", ids, scores.shape[-1])
    return ids.ravel(), counts.ravel()


def train(model, batches, *, steps, peak=5e-3, warmup=50, rng=None):
    """Train a model; yield the loss of each batch, after its step.

    Parameters
    ----------
    model : Translator or TinyGPT
        Its parameters change.
    batches : callable
        ``batches()`` returns the next batch, as ``model.loss`` wants it.
    steps, peak, warmup
        As in `learning_rate`.
    rng : numpy.random.Generator or int, optional
        Random numbers for dropout, if the model has it; without `rng`
        nothing is dropped.

    Yields
    ------
    float
        The loss of the batch, as it was before the step.

    Examples
    --------
    >>> from attnlib.tinygpt import TinyGPT
    >>> model = TinyGPT(5, d_model=8, rng=0)
    >>> batch = np.array([[1, 2, 3]]), np.array([[2, 3, 4]])
    >>> first, *_, last = train(model, lambda: batch, steps=20)
    >>> last < first
    True
    """
    adam, rng = Adam(model.params), None if rng is None else as_rng(rng)
    for step in range(as_size("steps", steps)):
        batch = batches()
        with _tiles.one_blas_thread:
            loss, grads = gradients(
                lambda params, batch=batch: model.loss(params, batch, rng),
                model.params,
            )
            rate = learning_rate(step, peak=peak, warmup=warmup, steps=steps)
            adam.step(grads, rate)
        yield loss


class Adam:
    """Step against the gradient, each number at a pace of its own.

    The step is the running mean of the gradient, divided by the square root
    of the running mean of its square. All parameters lie in one long row,
    so that a step is a few operations, however many parameters there are.

    Parameters
    ----------
    params : dict
        Arrays of floats by name; `step` changes them.

    Examples
    --------
    >>> params = {"w": np.array([1.0, 1.0])}
    >>> Adam(params).step({"w": np.array([5.0, -0.1])}, rate=0.1)
    >>> params["w"].round(3)
    array([0.9, 1.1])
    """

    BETAS, EPS = (0.9, 0.98), 1e-9  # as for the first transformer

    def __init__(self, params):
        for name, array in params.items():
            if not isinstance(array, np.ndarray) or array.dtype.kind != "f":
                raise TypeError(
                    f"params[{name!r}] must be an array of floats, which a "
                    f"step can change in place, got {array!r}"
                )
        self.params, self._steps = params, 0
        size = sum(array.size for array in params.values())
        dtype = np.result_type(np.float32, *params.values())
        self._mean, self._square = np.zeros((2, size), dtype)

    def step(self, grads, rate):
        """Change the parameters by one step of about `rate`.

        Parameters
        ----------
        grads : dict
            The gradient of each parameter, by name.
        rate : float
            The learning rate.
        """
        flat, rate = self._flat(grads), as_number("rate", rate)
        self._steps += 1
        first, second = self.BETAS
        self._mean += (1 - first) * (flat - self._mean)
        self._square += (1 - second) * (flat * flat - self._square)
        # The means began at 0: divide by the share they have seen so far.
        mean = self._mean * (rate / (1 - first**self._steps))
        spread = np.sqrt(self._square / (1 - second**self._steps))
        change, start = mean / (spread + self.EPS), 0
        for array in self.params.values():
            stop = start + array.size
            array -= change[start:stop].reshape(array.shape)
            start = stop

    def _flat(self, grads):
        """Return all gradients in one row, in the order of the parameters."""
        shapes, found = (
            {name: np.shape(array) for name, array in arrays.items()}
            for arrays in (self.params, grads)
        )
        if shapes != found:
            off = sorted(dict(shapes.items() ^ found.items()))
            raise ValueError(
                "grads must have the names and shapes of params; these "
                f"differ: {off}"
            )
        return np.concatenate([np.ravel(grads[name]) for name in shapes])


def learning_rate(step, *, peak, warmup, steps):
    """Rise to the peak in `warmup` steps, then fall to 0 in a straight line.

    Parameters
    ----------
    step : int
        From 0. When training has ended, the rate stays 0.
    peak : float
        The largest rate.
    warmup, steps : int
        When it is reached, and when training ends.

    Examples
    --------
    >>> [learning_rate(i, peak=1.0, warmup=2, steps=6) for i in range(6)]
    [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]
    """
    step, warmup = as_size("step", step, 0), as_size("warmup", warmup, 0)
    steps, peak = as_size("steps", steps), as_number("peak", peak)
    rise = (step + 1) / warmup if warmup else 1.0
    fall = max(steps - step, 0) / max(steps - warmup, 1)
    return peak * min(rise, fall, 1.0)
