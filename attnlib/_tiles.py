"""Large problems in tiles, over as many threads as there are cores.

NumPy lets go of Python's lock while it computes, so plain threads do run
side by side. Each computes one tile at a time, small enough to stay in the
processor's cache, and BLAS is held to one thread meanwhile: threads on top
of a threaded BLAS get in each other's way.
"""

import functools
import math
import os
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import numpy as np


def cut(shape, size):
    """Cut an array of this shape into tiles of about `size` entries.

    Yields indices that end in a slice. The slice is on the first axis whose
    single step is at most `size`; the axes before it go one at a time.

    >>> list(cut((2, 6, 5), size=20))[:2]
    [(0, slice(0, 4, None)), (0, slice(4, 8, None))]
    """
    inner = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    axis = next(axis for axis, n in enumerate(inner) if n <= max(size, 1))
    step = max(size // inner[axis], 1)
    for outer in np.ndindex(*shape[:axis]):
        for start in range(0, shape[axis], step):
            yield (*outer, slice(start, start + step))


def run(work, tiles):
    """Call ``work(tile)`` for each tile, side by side if there are many.

    One caller at a time has the threads; a second one, meanwhile, works
    alone.
    """
    tiles = deque(tiles)  # safe to pop from several threads
    helpers = min(_cores(), len(tiles)) - 1
    if helpers >= 1 and _threads.acquire(blocking=False):
        try:
            _run_side_by_side(work, tiles, helpers)
        finally:
            _threads.release()
    else:
        _work_off(work, tiles)


def _run_side_by_side(work, tiles, helpers):
    with one_blas_thread, ThreadPoolExecutor(helpers) as pool:
        try:
            futures = [
                pool.submit(copy_context().run, _work_off, work, tiles)
                for _ in range(helpers)
            ]
            _work_off(work, tiles)
            for future in futures:
                future.result()  # raises what the thread raised
        except BaseException:
            tiles.clear()  # the threads stop too
            raise


def _work_off(work, tiles):
    """Take tiles until none is left, or until one of them fails."""
    try:
        while tiles:
            try:
                # Under a causal mask the last tiles take longest.
                tile = tiles.pop()
            except IndexError:  # another thread was faster
                return
            work(tile)
    except BaseException:
        tiles.clear()
        raise


class _OneBlasThread:
    """Hold BLAS to one thread inside; contexts may overlap in any way.

    The limit holds for the whole process: the first to enter sets it, and
    the last to leave restores what was there before.
    """

    def __init__(self):
        self._lock, self._users, self._before = threading.Lock(), 0, []

    def __enter__(self):
        with self._lock:
            if not self._users:
                self._before = [(lib, lib.num_threads) for lib in _blas()]
                self._set((lib, 1) for lib in _blas())
            self._users += 1

    def __exit__(self, *_):
        with self._lock:
            self._users -= 1
            if not self._users:
                self._set(self._before)

    @staticmethod
    def _set(limits):
        for lib, count in limits:
            # The public setter obeys only the thread that set a limit first.
            setter = getattr(lib, "_real_set_num_threads", None)
            (setter or lib.set_num_threads)(count)


@functools.cache
def _blas():
    """Return threadpoolctl's handles of BLAS; finding them takes 1 ms."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas").lib_controllers


def _cores():
    """Count the processors that this process may use: one in a browser."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_threads = threading.Lock()
one_blas_thread = _OneBlasThread()
