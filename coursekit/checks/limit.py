"""Stop a learner's function that does not come to an end.

The time limit must never outlive the call: an alarm that rang while we
clean up would break the learner's next cell, or end the kernel.
"""

import signal
import sys
import threading
import time

AGAIN = 0.01  # s; a bare `except` in a loop may swallow the first alarms


class TooSlowError(BaseException):
    """The time is up. A bare ``except Exception`` does not swallow it."""


def limited(function, arguments, seconds):
    """Call a function, and raise TooSlowError inside it if it takes too long.

    A signal reaches the main thread only, which is where notebooks run their
    cells. Elsewhere, and where Python has no timers (Windows, the browser),
    each line of the function looks at the clock.

    >>> limited(max, (2, 3), seconds=1)
    3
    """
    main = threading.current_thread() is threading.main_thread()
    if main and hasattr(signal, "setitimer"):
        return _alarmed(function, arguments, seconds)
    return _traced(function, arguments, seconds)


def _alarmed(function, arguments, seconds):
    def learners():
        return function(*arguments)

    def ring(_, frame):
        # Only while the learner's code runs. So nothing else, such as the
        # `finally` below, is ever interrupted, however late the alarm comes.
        while frame is not None:
            if frame.f_code is learners.__code__:
                raise TooSlowError
            frame = frame.f_back

    previous = signal.signal(signal.SIGALRM, ring)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        return learners()
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, previous or signal.SIG_DFL)


def _traced(function, arguments, seconds):
    end = time.monotonic() + seconds

    def look(*_):
        if time.monotonic() > end:
            raise TooSlowError
        return look

    previous = sys.gettrace()
    sys.settrace(look)
    try:
        return function(*arguments)
    finally:
        sys.settrace(previous)
