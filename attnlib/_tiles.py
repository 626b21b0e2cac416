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
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import numpy as np
from threadpoolctl import ThreadpoolController


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
    alone. So nobody restores a limit on BLAS that another still needs.
    """
    tiles = list(tiles)[::-1]  # under a causal mask the last take longest
    helpers = min(_cores(), len(tiles)) - 1
    if helpers >= 1 and _threads.acquire(blocking=False):
        try:
            _run_side_by_side(work, tiles, helpers)
        finally:
            _threads.release()
    else:
        for tile in tiles:
            work(tile)


def _run_side_by_side(work, tiles, helpers):
    queue = iter(tiles)

    def work_off_queue():
        try:
            for tile in queue:
                work(tile)
        except BaseException:
            tiles.clear()  # ends the queue: the others stop too
            raise

    with one_blas_thread(), ThreadPoolExecutor(helpers) as pool:
        futures = [
            pool.submit(copy_context().run, work_off_queue)
            for _ in range(helpers)
        ]
        work_off_queue()
        for future in futures:
            future.result()  # raises what the thread raised


def one_blas_thread():
    """Return a context in which BLAS has one thread."""
    return _blas().limit(limits=1, user_api="blas")


def _cores():
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_threads = threading.Lock()
_blas = functools.cache(ThreadpoolController)  # looking for it takes 1 ms
