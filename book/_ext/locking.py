"""One build at a time: a lock that all processes on the machine respect."""

import contextlib
import time

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt


def take(file, wait):
    """Lock an open file; raise OSError if it is taken and we do not wait."""
    if fcntl:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return
    while True:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            if not wait:
                raise
            time.sleep(0.2)
        else:
            return


def acquire(path):
    """Wait until nobody holds the lock; return its file.

    Closing the file releases the lock, and so does the end of the process.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a")
    try:
        take(file, wait=False)
    except OSError:
        print("another build is running: waiting for it to finish", flush=True)
        take(file, wait=True)
    return file


def locked(path):
    """Return a context that holds the lock."""
    return contextlib.closing(acquire(path))
