"""An endless loop comes to an end, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from reports import SOFTMAX, look

import coursekit.checks.calling as calling
from coursekit.checks import limit
from coursekit.checks.limit import TooSlowError, limited

pytestmark = pytest.mark.usefixtures("nothing_leaks")
ALARMS = hasattr(signal, "setitimer")


def loops(*arguments):
    while True:
        pass


def loops_and_swallows(*arguments):
    while True:
        try:
            time.sleep(0.001)
        except Exception:
            print("not me")


def prints_without_end(*arguments):
    while True:
        print("x" * 100)


ENDLESS = [loops, loops_and_swallows, prints_without_end]


@pytest.mark.parametrize("function", ENDLESS)
def test_an_endless_loop_comes_to_an_end(function, monkeypatch):
    monkeypatch.setattr(calling, "SECONDS", 0.1)
    report = look(SOFTMAX(function))
    assert report.status == "wrong"
    assert "had not finished after 0.1 s" in report.text
    assert "in line " in report.text


@pytest.mark.parametrize("function", ENDLESS)
def test_without_timers_each_line_looks_at_the_clock(function, monkeypatch):
    monkeypatch.setattr(calling, "SECONDS", 0.1)
    monkeypatch.setattr(limit, "signal", None)  # as on Windows
    trace = sys.gettrace()
    assert "had not finished" in look(SOFTMAX(function)).text
    assert sys.gettrace() is trace


def test_an_endless_loop_ends_in_another_thread_too(monkeypatch):
    monkeypatch.setattr(calling, "SECONDS", 0.1)
    reports = []

    def work():
        reports.extend([SOFTMAX(loops), SOFTMAX(np.exp)])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert "had not finished" in reports[0].text
    assert reports[1].mistake == "not_normalised"


# A thousand endless loops of a few milliseconds in each process, while all
# of them want a core. What a late alarm would do: raise in the cleaning up,
# stay on for ever, or end the process.
MANY = """
import signal
from coursekit.checks.limit import TooSlowError, limited

def loops():
    while True:
        pass

before = signal.getsignal(signal.SIGALRM)
for i in range(1000):
    try:
        limited(loops, (), 0.001 + i % 4 / 2000)
    except TooSlowError:
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0), "timer is on"
    assert signal.getsignal(signal.SIGALRM) is before, "handler is left"
print("all ended")
"""


@pytest.mark.skipif(not ALARMS, reason="no timers here")
def test_ten_busy_processes_survive_a_thousand_endless_loops_each():
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", MANY],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        for _ in range(10)
    ]
    found = [(p.communicate()[0], p.returncode) for p in processes]
    assert found == [("all ended\n", 0)] * 10


@pytest.mark.skipif(not ALARMS, reason="no timers here")
def test_an_alarm_while_cleaning_up_interrupts_nothing():
    """Ring at every line that is run after the learner's function."""
    rang = []

    def ring_everywhere(frame, event, _):
        if frame.f_code is limit._alarmed.__code__:
            handler = signal.getsignal(signal.SIGALRM)
            if callable(handler):
                handler(signal.SIGALRM, frame)
                rang.append(frame.f_lineno)
        return ring_everywhere

    trace = sys.gettrace()
    sys.settrace(ring_everywhere)
    try:
        assert limited(lambda: 7, (), 60) == 7
    finally:
        sys.settrace(trace)
    assert len(set(rang)) >= 4, "no line was tried"


@pytest.mark.skipif(not ALARMS, reason="no timers here")
def test_a_timer_of_the_callers_own_goes_on():
    previous = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        with pytest.raises(TooSlowError):
            limited(loops, (), 0.01)
        assert 900 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
