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
from attnlib._validate import (
    as_array,
    as_ids,
    as_number,
    as_rng,
    as_share,
    as_size,
    numeric,
    shapes_of,
)
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

    Parameters
    ----------
    value : array_like of float
        The numbers.
    parents : tuple
        What it was made of: tensors and arrays.
    pull : callable, optional
        Takes the gradient of the result, returns one for each parent, or
        None where nothing is left to add.

    Attributes
    ----------
    grad : ndarray or None
        How the loss changes with each number, after `backward`.

    Examples
    --------
    >>> x = Tensor([3.0])
    >>> add(x, x).backward()
    >>> x.grad
    array([2.])
    """

    __slots__ = ("grad", "parents", "pull", "value")

    def __init__(self, value, parents=(), pull=None):
        self.value = as_array("value", value)
        if self.value.dtype.kind != "f":
            raise TypeError(
                f"value must hold floats, got dtype {self.value.dtype}"
            )
        self.parents, self.pull, self.grad = parents, pull, None

    def __repr__(self):
        return f"Tensor{self.shape}"

    @property
    def shape(self):
        """The shape of the numbers."""
        return self.value.shape

    @property
    def dtype(self):
        """The type of the numbers."""
        return self.value.dtype

    def backward(self):
        """Give every tensor that this one was made of its gradient.

        A tensor comes after all that was made of it, so that its own
        gradient is complete before it is passed on. What an earlier call
        left is forgotten.
        """
        history = _history(self)
        for node in history:
            node.grad = None
        self.grad = np.ones_like(self.value)
        for node in reversed(history):
            if node.pull is None:
                continue
            parts = node.pull(node.grad)
            for parent, part in zip(node.parents, parts, strict=True):
                if isinstance(parent, Tensor) and part is not None:
                    part, old = _like(part, parent.value), parent.grad
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


def _values(**named):
    """Return the arrays behind tensors; what is none must be numbers."""
    return [
        x.value if isinstance(x, Tensor) else numeric(0, **{name: x})[0]
        for name, x in named.items()
    ]


def _result(value, parents, pull):
    """Return a plain array where nothing asks for a gradient."""
    if any(isinstance(parent, Tensor) for parent in parents):
        return Tensor(value, parents, pull)
    return value


def _like(gradient, value):
    """Sum a gradient over the axes along which a value was broadcast."""
    if gradient.shape != value.shape:
        new = range(gradient.ndim - value.ndim)
        gradient = gradient.sum(axis=tuple(new))
        axes = tuple(i for i, n in enumerate(value.shape) if n == 1)
        gradient = gradient.sum(axis=axes, keepdims=True)
    return gradient.astype(value.dtype, copy=False)


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
    ...     return cross_entropy(linear(x, params["w"]), [0])
    >>> value, grads = gradients(loss, {"w": np.zeros((2, 2))})
    >>> grads["w"]
    array([[-0.5,  0.5],
           [-1. ,  1. ]])
    """
    leaves = {name: Tensor(array) for name, array in params.items()}
    result = loss(leaves)
    (value,) = _values(loss=result)
    if value.size != 1:
        raise ValueError(
            f"loss must return a single number, got shape {value.shape}"
        )
    if isinstance(result, Tensor):
        result.backward()
    return value.item(), {
        name: np.zeros_like(leaf.value) if leaf.grad is None else leaf.grad
        for name, leaf in leaves.items()
    }


def add(a, b):
    """Add two arrays, with broadcasting: a residual connection.

    Shapes: a (..., d), b (..., d) -> (..., d)

    Parameters
    ----------
    a, b : Tensor or array_like
        What is added.

    Returns
    -------
    Tensor or ndarray
        The sum.

    Examples
    --------
    >>> add([1.0, 2.0], 10.0)
    array([11., 12.])
    """
    x, y = _values(a=a, b=b)
    try:
        total = x + y
    except ValueError:
        raise ValueError(
            "a and b must broadcast to one shape, got " + shapes_of(a=x, b=y)
        ) from None
    # A copy, so that who changes one gradient does not change the other.
    return _result(total, (a, b), lambda g: (g, g.copy()))


def split(x, parts):
    """Cut the last axis into equal parts: undo a fused projection.

    Shapes: x (..., parts*d), parts -> parts times (..., d)

    Parameters
    ----------
    x : Tensor or array_like
        The results of several projections, side by side.
    parts : int
        How many there are; it must divide the width.

    Returns
    -------
    list of Tensor or of ndarray
        The parts.

    Examples
    --------
    >>> split([1.0, 2.0, 3.0, 4.0], 2)
    [array([1., 2.]), array([3., 4.])]
    """
    (value,), parts = _values(x=x), as_size("parts", parts)
    if value.ndim < 1 or value.shape[-1] % parts:
        raise ValueError(
            f"parts must divide the width of x, got {parts} parts of a "
            f"shape {value.shape}"
        )
    width = value.shape[-1] // parts
    # The parts write their gradients side by side into that of the whole.
    whole = _result(value, (x,), lambda g: (g,))

    def piece(i):
        columns = np.s_[..., i * width : (i + 1) * width]

        def pull(g):
            if whole.grad is None:
                whole.grad = np.zeros_like(value)
            whole.grad[columns] = g
            return (None,)

        return _result(value[columns], (whole,), pull)

    return [piece(i) for i in range(parts)]


def linear(x, w, b=None):
    """Multiply by a matrix and add a bias, as `attnlib.linear` does.

    Shapes: x (..., n, d_in), w (d_in, d_out), b (d_out) -> (..., n, d_out)

    Parameters
    ----------
    x, w, b : Tensor or array_like
        One row for each token, the weights and, if there is one, the bias.

    Returns
    -------
    Tensor or ndarray
        The projected rows.

    Examples
    --------
    >>> w = Tensor([[1.0, 0.0], [0.0, 3.0]])
    >>> linear([[1.0, 2.0]], w).value
    array([[1., 6.]])
    """
    a, m = _values(x=x, w=w)
    y = ops.linear(a, m, b if b is None else _values(b=b)[0])

    def pull(g):
        flat = _rows(g)
        inner = (flat @ m.T).reshape(a.shape)
        return inner, _rows(a).T @ flat, None if b is None else _total(flat)

    return _result(y, (x, w, b), pull)


def embed(table, ids):
    """Look up one row of a table for each token.

    Shapes: table (vocabulary, d), ids (..., n) -> (..., n, d)

    Parameters
    ----------
    table : Tensor or array_like
        The embeddings.
    ids : array_like of int
        The tokens, numbers of rows from 0.

    Returns
    -------
    Tensor or ndarray
        One row for each token.

    Examples
    --------
    >>> embed([[1.0, 2.0], [3.0, 4.0]], [1, 1, 0])
    array([[3., 4.],
           [3., 4.],
           [1., 2.]])
    """
    (rows,) = _values(table=table)
    if rows.ndim != 2:
        raise ValueError(
            f"table must have shape (vocabulary, d), got {rows.shape}"
        )
    ids = as_ids("ids", ids, len(rows))

    def pull(g):
        # One-hot rows add up what each token got, faster than np.add.at.
        tokens = np.arange(len(rows))[:, None] == ids.ravel()
        return (tokens.astype(g.dtype) @ _rows(g),)

    return _result(rows[ids], (table,), pull)


def layer_norm(x, gain, bias):
    """Normalise each row, as `attnlib.layer_norm` does.

    Shapes: x (..., d), gain (d), bias (d) -> (..., d)

    Parameters
    ----------
    x, gain, bias : Tensor or array_like
        One row for each token, and two entries for each column.

    Returns
    -------
    Tensor or ndarray
        The normalised rows, in the type of `x`.

    Examples
    --------
    >>> layer_norm([1.0, 3.0], [1.0, 1.0], [5.0, 5.0]).round(3)
    array([4., 6.])
    """
    a, scale, shift = _values(x=x, gain=gain, bias=bias)
    y = ops.layer_norm(a, scale, shift)

    def pull(g):
        normal, spread = ops.normalise(a)
        h = g * scale
        # Moving a row, or stretching it, changes nothing: take both out.
        moved = h.mean(axis=-1, keepdims=True)
        stretched = (h * normal).mean(axis=-1, keepdims=True)
        inner = (h - moved - normal * stretched) / spread
        return inner, _total(g * normal), _total(g)

    return _result(y, (x, gain, bias), pull)


def gelu(x):
    """Hold small numbers back, as `attnlib.gelu` does.

    Shapes: x (..., d) -> (..., d)

    Parameters
    ----------
    x : Tensor or array_like
        Real numbers.

    Returns
    -------
    Tensor or ndarray
        The same shape and type.

    Examples
    --------
    >>> x = Tensor([-20.0, 0.0, 20.0])
    >>> gelu(x).backward()
    >>> x.grad
    array([0. , 0.5, 1. ])
    """
    (a,) = _values(x=x)
    y = ops.gelu(a)

    def pull(g):
        small = np.clip(a, -10, 10)  # as in ops: beyond, the tanh is flat
        c, square = math.sqrt(2 / math.pi), small * small
        t = np.tanh(small * (c + c * 0.044715 * square))
        slope = c + 3 * c * 0.044715 * square
        # y = a (1 + t) / 2, so the slope of y is (1 + t) / 2 + y (1 - t) t'.
        return (g * (0.5 + 0.5 * t + y * (1 - t) * slope),)

    return _result(y, (x,), pull)


def dropout(x, rate, rng):
    """Set a share of the numbers to 0 and make up for it in the others.

    Shapes: x (..., d) -> (..., d)

    Parameters
    ----------
    x : Tensor or array_like
        Real numbers.
    rate : float
        The share, from 0 to below 1; what stays is divided by 1 - `rate`.
    rng : numpy.random.Generator, int or None
        The source of chance. Without it nothing is dropped: so it is when
        a model is used.

    Returns
    -------
    Tensor or ndarray
        The same shape and type.

    Examples
    --------
    >>> dropout(np.ones(6), 0.5, rng=0)
    array([2., 2., 2., 0., 0., 0.])
    """
    rate = as_share("rate", rate)
    if rng is None or rate == 0:
        return x
    (a,) = _values(x=x)
    kept = as_rng(rng).random(a.shape, np.float32) >= rate
    factor = kept * a.dtype.type(1 / (1 - rate))
    return _result(a * factor, (x,), lambda g: (g * factor,))


def attend(q, k, v, num_heads=1, mask=None):
    """Attend with every head; also return the weights, as an array.

    Shapes: q (..., n_q, d_model), k (..., n_k, d_model),
        v (..., n_k, d_model), num_heads
        -> output (..., n_q, d_model), weights (..., num_heads, n_q, n_k)

    The values come from `attnlib.scaled_dot_product_attention`. With the
    weights W and the gradient G of the output, the gradient of the values
    is WᵀG and that of the scores is W ∘ (GVᵀ - r), in which r is, for each
    query, the sum of G ∘ output.

    Parameters
    ----------
    q, k, v : Tensor or array_like
        Queries, keys and values of all heads, side by side.
    num_heads : int
        The number of heads; it must divide the width.
    mask : array_like, optional
        As in `attnlib.scaled_dot_product_attention`.

    Returns
    -------
    output : Tensor or ndarray
        The mixed values of all heads, side by side.
    weights : ndarray
        The maps.

    Examples
    --------
    >>> q = k = Tensor(10 * np.eye(2))
    >>> output, weights = attend(q, k, [[1.0], [2.0]])
    >>> output.value.round(3)
    array([[1.],
           [2.]])
    """
    arrays = _values(q=q, k=k, v=v)
    heads = [split_heads(x, num_heads) for x in arrays]
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
    (scores,) = _values(logits=logits)
    ids, counts = _targets(scores, targets, ignore)
    rows = _rows(scores)
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

    return _result(np.asarray(loss, scores.dtype), (logits,), pull)


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
                    f"step can change, got {array!r}"
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
    """Rise to the peak in `warmup` steps, then fall to 0 in a line.

    Parameters
    ----------
    step : int
        From 0. When training has ended, the rate stays 0.
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
    step, warmup = as_size("step", step, 0), as_size("warmup", warmup, 0)
    steps, peak = as_size("steps", steps), as_number("peak", peak)
    rise = (step + 1) / warmup if warmup else 1.0
    fall = max(steps - step, 0) / max(steps - warmup, 1)
    return peak * min(rise, fall, 1.0)
