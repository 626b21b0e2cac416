"""A small reverse mode: the gradient of a loss for every parameter.

The functions here take arrays and return an array. If one of the arguments
is a `Tensor`, the result is one too: it remembers what it was made of, so
that `Tensor.backward` can walk back to the parameters. The values come from
the same functions as everywhere in this package, so that training and
inference are one piece of code. Chapter: cross-attention.
"""

import math

import numpy as np

from attnlib import ops
from attnlib.attention import scaled_dot_product_attention
from attnlib.multihead import merge_heads, split_heads

__all__ = [
    "Adam",
    "Tensor",
    "add",
    "attend",
    "cross_entropy",
    "dropout",
    "embed",
    "gelu",
    "gradients",
    "layer_norm",
    "learning_rate",
    "linear",
    "split",
]


class Tensor:
    """An array that knows what it was made of.

    Attributes
    ----------
    value : ndarray
        The numbers.
    grad : ndarray or None
        How the loss changes with each number, after `backward`.
    parents : tuple
        What it was made of: tensors and arrays.
    pull : callable or None
        Takes the gradient of the result, returns one for each parent.

    Examples
    --------
    >>> x = Tensor(np.array([3.0]))
    >>> add(x, x).backward()
    >>> x.grad
    array([2.])
    """

    __slots__ = ("grad", "parents", "pull", "value")

    def __init__(self, value, parents=(), pull=None):
        self.value, self.parents, self.pull = value, parents, pull
        self.grad = None

    def __repr__(self):
        return f"Tensor{self.value.shape}"

    def backward(self):
        """Give every tensor that this one was made of its gradient.

        A tensor comes after all that was made of it, so that its own
        gradient is complete before it is passed on.
        """
        self.grad = np.ones_like(self.value)
        for node in reversed(_history(self)):
            if node.pull is None:
                continue
            parts = node.pull(node.grad)
            for parent, part in zip(node.parents, parts, strict=True):
                if isinstance(parent, Tensor):
                    old = parent.grad
                    parent.grad = part if old is None else old + part


def _history(last):
    """Return all tensors behind one, parents before children."""
    order, seen, stack = [], set(), [(last, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            parents = (p for p in node.parents if isinstance(p, Tensor))
            stack.extend((parent, False) for parent in parents)
    return order


def _value(x):
    return x.value if isinstance(x, Tensor) else x


def _result(value, parents, pull):
    """Return a plain array where nothing asks for a gradient."""
    if any(isinstance(parent, Tensor) for parent in parents):
        return Tensor(value, parents, pull)
    return value


def _like(gradient, x):
    """Sum a gradient over the axes along which x was broadcast."""
    shape = np.shape(x)
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    axes = tuple(i for i, n in enumerate(shape) if n == 1)
    return gradient.sum(axis=axes, keepdims=True) if axes else gradient


def _rows(x):
    """Return (..., d) as a matrix with d columns."""
    return x.reshape(-1, x.shape[-1])


def _total(x):
    """Sum over all axes but the last; a product is the fastest way."""
    rows = _rows(x)
    return np.ones(len(rows), rows.dtype) @ rows


def gradients(loss, params):
    """Return a loss and its gradient for each parameter.

    Shapes: params name (...) -> loss (), gradients name (...)

    Parameters
    ----------
    loss : callable
        ``loss(params)`` returns one number, made by the functions here.
    params : dict
        Arrays by name.

    Returns
    -------
    loss : float
        The value of the loss.
    gradients : dict
        Arrays by name; 0 for what the loss does not depend on.

    Examples
    --------
    >>> x = np.array([[1.0, 2.0]])
    >>> def loss(params):
    ...     return cross_entropy(linear(x, params["w"]), np.array([0]))
    >>> value, grads = gradients(loss, {"w": np.zeros((2, 2))})
    >>> grads["w"]
    array([[-0.5,  0.5],
           [-1. ,  1. ]])
    """
    leaves = {name: Tensor(array) for name, array in params.items()}
    result = loss(leaves)
    result.backward()
    return float(result.value), {
        name: np.zeros_like(leaf.value) if leaf.grad is None else leaf.grad
        for name, leaf in leaves.items()
    }


def add(a, b):
    """Add two arrays, with broadcasting: a residual connection.

    Shapes: a (..., d), b (..., d) -> (..., d)
    """
    x, y = _value(a), _value(b)
    return _result(x + y, (a, b), lambda g: (_like(g, x), _like(g, y)))


def split(x, parts):
    """Cut the last axis into equal parts: undo a fused projection.

    Shapes: x (..., parts*d) -> parts times (..., d)
    """
    value = _value(x)
    width = value.shape[-1] // parts

    def piece(i):
        columns = np.s_[..., i * width : (i + 1) * width]

        def pull(g):
            whole = np.zeros_like(value)
            whole[columns] = g
            return (whole,)

        return _result(value[columns], (x,), pull)

    return [piece(i) for i in range(parts)]


def linear(x, w, b=None):
    """Multiply by a matrix and add a bias, as `attnlib.linear` does.

    Shapes: x (..., n, d_in), w (d_in, d_out), b (d_out) -> (..., n, d_out)
    """
    a, m = _value(x), _value(w)
    y = ops.linear(a, m, _value(b))

    def pull(g):
        flat = _rows(g)
        parts = (flat @ m.T).reshape(a.shape), _rows(a).T @ flat
        return parts if b is None else (*parts, _total(flat))

    return _result(y, (x, w) if b is None else (x, w, b), pull)


def embed(table, ids):
    """Look up one row of a table for each token.

    Shapes: table (vocabulary, d), ids (..., n) -> (..., n, d)
    """
    rows = _value(table)

    def pull(g):
        total = np.zeros_like(rows)
        np.add.at(total, ids.ravel(), _rows(g))
        return (total,)

    return _result(rows[ids], (table,), pull)


def layer_norm(x, gain, bias, *, eps=1e-5):
    """Normalise each row, as `attnlib.layer_norm` does.

    Shapes: x (..., d), gain (d), bias (d) -> (..., d)
    """
    a, scale = _value(x), _value(gain)
    normal = ops.layer_norm(a, eps=eps)

    def pull(g):
        spread = np.sqrt(a.var(axis=-1, keepdims=True) + eps)
        h = g * scale
        # Moving a row, or stretching it, changes nothing: take both out.
        shift = h.mean(axis=-1, keepdims=True)
        stretch = (h * normal).mean(axis=-1, keepdims=True)
        inner = (h - shift - normal * stretch) / spread
        return inner, _total(g * normal), _total(g)

    return _result(normal * scale + _value(bias), (x, gain, bias), pull)


def gelu(x):
    """Hold small numbers back, as `attnlib.gelu` does.

    Shapes: x (..., d) -> (..., d)
    """
    a = _value(x)
    y = ops.gelu(a)

    def pull(g):
        c, square = math.sqrt(2 / math.pi), a * a
        t = np.tanh(a * (c + c * 0.044715 * square))
        slope = c + 3 * c * 0.044715 * square
        # y = a (1 + t) / 2, so the slope of y is (1 + t) / 2 + y (1 - t) t'.
        return (g * (0.5 + 0.5 * t + y * (1 - t) * slope),)

    return _result(y, (x,), pull)


def dropout(x, rate, rng):
    """Set a share of the numbers to 0 and make up for it in the others.

    Shapes: x (..., d) -> (..., d)

    Without `rng` nothing is dropped: so it is when a model is used.
    """
    if rng is None or rate == 0:
        return x
    a = _value(x)
    kept = rng.random(a.shape, np.float32) >= rate
    factor = kept * a.dtype.type(1 / (1 - rate))
    return _result(a * factor, (x,), lambda g: (g * factor,))


def attend(q, k, v, num_heads=1, mask=None):
    """Attend with every head; also return the weights, as an array.

    Shapes: q (..., n_q, d), k (..., n_k, d), v (..., n_k, d)
        -> output (..., n_q, d), weights (..., num_heads, n_q, n_k)

    The values come from `attnlib.scaled_dot_product_attention`. With the
    weights W and the gradient G of the output, the gradient of the values
    is WᵀG and that of the scores is W ∘ (GVᵀ - r), in which r is, for each
    query, the sum of G ∘ output.
    """
    heads = [split_heads(_value(x), num_heads) for x in (q, k, v)]
    output, weights = scaled_dot_product_attention(*heads, mask)

    def pull(g):
        queries, keys, values = heads
        g = split_heads(g, num_heads)
        spread = g @ values.swapaxes(-1, -2)
        spread -= np.einsum("...d,...d", g, output)[..., None]
        spread *= weights
        spread *= queries.dtype.type(queries.shape[-1] ** -0.5)
        return (
            merge_heads(spread @ keys),
            merge_heads(spread.swapaxes(-1, -2) @ queries),
            merge_heads(weights.swapaxes(-1, -2) @ g),
        )

    return _result(merge_heads(output), (q, k, v), pull), weights


def cross_entropy(logits, targets, *, ignore=None):
    """Return the mean surprise, ``-log(probability of the target)``.

    Shapes: logits (..., vocabulary), targets (...) -> ()

    Targets that equal `ignore`, such as padding, do not count.
    """
    scores, ids = _rows(_value(logits)), targets.ravel()
    counts = np.ones(len(ids), bool) if ignore is None else ids != ignore
    total = max(counts.sum(), 1)
    place = np.arange(len(ids)), ids
    shifted = scores - scores.max(axis=-1, keepdims=True)
    sums = np.log(np.exp(shifted).sum(axis=-1))
    loss = ((sums - shifted[place]) * counts).sum() / total

    def pull(g):
        inner = ops.softmax(scores)
        inner[place] -= 1
        inner *= (counts * (g / total)).astype(scores.dtype)[:, None]
        return (inner.reshape(_value(logits).shape),)

    return _result(np.asarray(loss, scores.dtype), (logits,), pull)


class Adam:
    """Step against the gradient, each number at a pace of its own.

    The step is the running mean of the gradient, divided by the square root
    of the running mean of its square. All parameters lie in one long row,
    so that a step is a few operations, however many parameters there are.

    Parameters
    ----------
    params : dict
        Arrays by name; `step` changes them.

    Examples
    --------
    >>> params = {"w": np.array([1.0, 1.0])}
    >>> Adam(params).step({"w": np.array([5.0, -0.1])}, rate=0.1)
    >>> params["w"].round(3)
    array([0.9, 1.1])
    """

    def __init__(self, params, *, betas=(0.9, 0.98), eps=1e-9):
        self.params, self.betas, self.eps = params, betas, eps
        size = sum(array.size for array in params.values())
        dtype = np.result_type(*params.values())
        self._mean, self._square = np.zeros((2, size), dtype)
        self._steps = 0

    def step(self, grads, rate):
        """Change the parameters by one step of about `rate`.

        Parameters
        ----------
        grads : dict
            The gradient of each parameter, by name.
        rate : float
            The learning rate.
        """
        self._steps += 1
        flat = np.concatenate([grads[name].ravel() for name in self.params])
        first, second = self.betas
        self._mean += (1 - first) * (flat - self._mean)
        self._square += (1 - second) * (flat * flat - self._square)
        # The means began at 0: divide by the share they have seen so far.
        mean = self._mean * (rate / (1 - first**self._steps))
        spread = np.sqrt(self._square / (1 - second**self._steps))
        change, start = mean / (spread + self.eps), 0
        for array in self.params.values():
            stop = start + array.size
            array -= change[start:stop].reshape(array.shape)
            start = stop


def learning_rate(step, *, peak, warmup, steps):
    """Rise to the peak in `warmup` steps, then fall to 0 in a line.

    Parameters
    ----------
    step : int
        From 0.
    peak : float
        The largest rate.
    warmup, steps : int
        When it is reached, and when training ends.

    Returns
    -------
    float
        The rate for this step.

    Examples
    --------
    >>> [learning_rate(i, peak=1.0, warmup=2, steps=6) for i in range(6)]
    [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]
    """
    rise = (step + 1) / warmup if warmup else 1.0
    return peak * min(rise, (steps - step) / max(steps - warmup, 1), 1.0)
