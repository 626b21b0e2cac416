"""What a model remembers of the tokens so far."""

from contextlib import contextmanager

import numpy as np

from attnlib._validate import as_size, numeric, shapes_of

__all__ = ["KVCache"]


class KVCache:
    """The keys and values of the tokens so far, for generating the next.

    Shapes: k (..., n, d_k), v (..., n, d_v)
        -> all_k (..., n, d_k), all_v (..., n, d_v)

    `append` checks first and copies, so a failed call changes nothing and
    later changes to the arguments do not reach the cache. The room doubles
    when it is used up, so a token costs the same however many came before.
    float32 keys make a float32 cache; wider ones widen it.
    Chapter: the transformer block and a tiny GPT.

    Examples
    --------
    >>> cache = KVCache()
    >>> k, v = cache.append(np.ones((2, 4)), np.ones((2, 6)))
    >>> k, v = cache.append(np.ones((1, 4)), np.ones((1, 6)))
    >>> k.shape, v.shape, len(cache)
    ((3, 4), (3, 6), 3)
    """

    def __init__(self):
        self._length = 0
        self._k = self._v = None

    def __len__(self):
        return self._length

    @property
    def nbytes(self):
        """The bytes that the stored keys and values take."""
        if self._k is None:
            return 0
        return sum(x[..., : len(self), :].nbytes for x in (self._k, self._v))

    def append(self, k, v):
        """Store new keys and values; return all of them, read-only.

        Parameters
        ----------
        k, v : array_like
            The new rows. All but the second-last axis must be as before.

        Returns
        -------
        all_k, all_v : ndarray
            Read-only views: writing to them would change the past.
        """
        k, v = numeric(k=k, v=v)
        if k.shape[:-1] != v.shape[:-1]:
            raise ValueError(
                "k and v must agree in all axes but the last, got "
                + shapes_of(k=k, v=v)
            )
        if len(self):
            self._check("k", k, self._k)
            self._check("v", v, self._v)
        self._k = self._store(self._k, k)
        self._v = self._store(self._v, v)
        self._length += k.shape[-2]
        return self._view(self._k), self._view(self._v)

    def drop(self, n):
        """Forget the last n tokens."""
        n = as_size("n", n, least=0)
        if n > len(self):
            raise ValueError(
                f"n must be at most {len(self)}, the length of the cache, "
                f"got {n}"
            )
        self._length -= n

    def _check(self, name, new, old):
        if (*new.shape[:-2], new.shape[-1]) != (
            *old.shape[:-2],
            old.shape[-1],
        ):
            held = (*old.shape[:-2], len(self), old.shape[-1])
            raise ValueError(
                f"{name} of shape {new.shape} does not continue the cache, "
                f"which holds {held}"
            )

    def _store(self, room, new):
        """Copy new rows behind the old ones, in a larger array if needed."""
        n = len(self)
        end = n + new.shape[-2]
        dtype = new.dtype if new.dtype.kind == "f" else np.dtype(np.float64)
        if n:
            dtype = np.promote_types(room.dtype, dtype)
        if not n or end > room.shape[-2] or dtype != room.dtype:
            larger = (*new.shape[:-2], max(2 * n, end), new.shape[-1])
            larger = np.empty(larger, dtype)
            if n:
                larger[..., :n, :] = room[..., :n, :]
            room = larger
        room[..., n:end, :] = new
        return room

    def _view(self, room):
        view = room[..., : len(self), :]
        view.flags.writeable = False
        return view


@contextmanager
def rolled_back(*caches):
    """Leave the caches as they were if anything is raised inside.

    That includes Ctrl-C: a call that did not finish changes nothing. None
    stands for no cache.
    """
    caches = [cache for cache in caches if cache is not None]
    before = [vars(cache).copy() for cache in caches]
    try:
        yield
    except BaseException:
        for cache, state in zip(caches, before, strict=True):
            vars(cache).update(state)
        raise
