"""Call what a learner wrote, whatever it does, and say what happened.

Nothing gets out of here: no exception, no warning, no printed line, no
changed argument, no moved random state, and no endless loop.
"""

import contextlib
import copy
import inspect
import io
import linecache
import random
import re
import sys
import sysconfig
import traceback
import warnings
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import attnlib
from coursekit.checks.limit import limited
from coursekit.phrases import phrase

SECONDS = 2.0  # for one call; an endless `append` takes 200 MB a second
PRINTED = 2000  # characters that are kept
ELEMENTS = 10**6  # a longer list is nobody's answer
ADDRESS = re.compile("0x[0-9a-fA-F]{5,}")  # not `hex(255)`
NOT_LEARNERS = (
    str(Path(__file__).parents[1]),
    str(Path(attnlib.__file__).parent),
    *(sysconfig.get_paths()[k] for k in ("stdlib", "purelib", "platlib")),
    "<frozen",
    "<__array",
)


@dataclass
class Outcome:
    """What came of one call."""

    value: object = None
    error: BaseException | None = None
    where: str = ""  # the learner's line
    changed: list = field(default_factory=list)  # indices of arguments
    printed: str = ""


class Capped(io.StringIO):
    """Keep the beginning of what is printed, so that it may print forever."""

    def write(self, text):
        """Keep the text, if there is room."""
        if self.tell() < PRINTED:
            super().write(without_addresses(text)[:PRINTED])
        return len(text)

    def close(self):
        """Stay open, whoever closes ``sys.stdout``."""


@contextlib.contextmanager
def quarantine(out):
    """Undo what a call does to the state that all of Python shares."""
    state, plain = np.random.get_state(), random.getstate()  # noqa: NPY002
    hook = sys.unraisablehook
    # Whatever Python clears up meanwhile may fail, above all at the end of
    # a recursion, and would be reported among what the learner printed. No
    # hook written in Python: there may be no frame left for it.
    sys.unraisablehook = deque(maxlen=0).append
    try:
        with (
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
            np.printoptions(),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.unraisablehook = hook
        np.random.set_state(state)  # noqa: NPY002
        random.setstate(plain)


def call(function, arguments):
    """Call a function with copies of the arguments; return the Outcome."""
    given = copy.deepcopy(arguments)
    outcome, out = Outcome(), Capped()
    try:
        with quarantine(out):
            outcome.value = limited(function, given, SECONDS)
            if inspect.iscoroutine(outcome.value):
                outcome.value.close()  # or Python complains, later
    except BaseException as error:  # SystemExit, and whatever there is
        outcome.error = error
        outcome.where = learners_line(error)
    outcome.printed = out.getvalue()
    outcome.changed = [
        i
        for i, (old, new) in enumerate(zip(arguments, given, strict=True))
        if not same(old, new)
    ]
    return outcome


def call_again(function, arguments):
    """Call a function once more, where other random numbers are drawn."""

    def stirred(*given):
        np.random.seed(1)  # noqa: NPY002 - whose state learners draw from
        random.seed(1)
        return function(*given)

    return call(stirred, arguments)


def same(old, new):
    """Say whether an argument is as it was before the call."""
    nan = isinstance(old, np.ndarray) and old.dtype.kind == "f"
    try:
        return np.array_equal(old, new, equal_nan=nan)
    except Exception:  # what stands in the list now cannot be compared
        return False


def frames(error):
    """Return the frames of a traceback that are not the library's own."""
    found = [
        (frame, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith(NOT_LEARNERS)
    ]
    return [f for f in found if f[0].f_code.co_filename != __file__]


def learners_line(error):
    """Return ``line 3, `return q @ k` `` for the last line of the learner."""
    found = frames(error)
    if not found:
        return ""
    frame, line = found[-1]
    source = linecache.getline(frame.f_code.co_filename, line).strip()
    if source:
        return phrase("line {line}, `{source}`", line=line, source=source)
    return phrase("line {line}", line=line)


def without_addresses(text):
    """Leave out where objects lie in memory: it differs every time.

    >>> without_addresses("<object at 0x7f5fd3ae36a0>, 0xff")
    '<object at …>, 0xff'
    """
    return ADDRESS.sub("…", text)


def str_of(error):
    """Return the message of an exception, even of one that cannot say it."""
    try:
        return without_addresses(" ".join(str(error).split()))
    except Exception:
        return ""


def takes(function, count):
    """Say whether a function can be called with so many arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except Exception:  # no signature to be had: trying is the only way
        return True
    return True


def items(value):
    """Return the items of a list or tuple, whatever its own methods do."""
    if isinstance(value, tuple):
        return list(tuple.__iter__(value))
    return list(list.__iter__(value)) if isinstance(value, list) else []
