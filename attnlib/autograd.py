"""A small reverse mode: the gradient of a loss for every parameter.

A `Tensor` is an array that remembers what it was made of, so that
`Tensor.backward` can walk back to the parameters. The functions that make
tensors of tensors are in `attnlib.functional`. Chapter: cross-attention.
"""

import numpy as np

from attnlib._tiles import one_blas_thread
from attnlib._validate import as_array, numeric

__all__ = ["Tensor", "gradients"]


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
    >>> from attnlib.functional import add
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


def values(**named):
    """Return the arrays behind tensors; all else must hold numbers."""
    return [
        x.value if isinstance(x, Tensor) else numeric(0, **{name: x})[0]
        for name, x in named.items()
    ]


def result(value, parents, pull):
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
    >>> from attnlib.functional import linear
    >>> from attnlib.training import cross_entropy
    >>> x = np.array([[1.0, 2.0]])
    >>> def loss(params):
    ...     return cross_entropy(linear(x, params["w"]), [0])
    >>> value, grads = gradients(loss, {"w": np.zeros((2, 2))})
    >>> grads["w"]
    array([[-0.5,  0.5],
           [-1. ,  1. ]])
    """
    leaves = {name: Tensor(array) for name, array in params.items()}
    with one_blas_thread:
        result = loss(leaves)
    (value,) = values(loss=result)
    if value.size != 1:
        raise ValueError(
            f"loss must return a single number, got shape {value.shape}"
        )
    if isinstance(result, Tensor):
        with one_blas_thread:
            result.backward()
    return value.item(), {
        name: np.zeros_like(leaf.value) if leaf.grad is None else leaf.grad
        for name, leaf in leaves.items()
    }
