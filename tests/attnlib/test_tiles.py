import sys
import threading
from contextlib import ExitStack
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from attnlib import _tiles
from attnlib.tinygpt import TinyGPT
from attnlib.training import train


@pytest.fixture
def can_start_threads():
    if sys.platform == "emscripten":
        pytest.skip("no thread can start in a browser")


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(0, 200)
)
def test_tiles_cover_everything_once(shape, size):
    count = np.zeros(shape, int)
    for tile in _tiles.cut(shape, size):
        assert count[tile].size <= max(size, 1)
        count[tile] += 1
    assert (count == 1).all()


@pytest.mark.usefixtures("can_start_threads")
@pytest.mark.parametrize("in_helper", [False, True])
def test_an_error_in_any_thread_reaches_the_caller_and_ends_the_work(
    monkeypatch, in_helper
):
    monkeypatch.setattr(_tiles, "_cores", lambda: 2)
    meet, done = threading.Barrier(2, timeout=60), []

    def work(tile):
        if tile >= 98:  # the first two: one for each thread
            meet.wait()
        is_helper = threading.current_thread() is not threading.main_thread()
        if is_helper == in_helper:
            raise ZeroDivisionError
        done.append(tile)

    with pytest.raises(ZeroDivisionError):
        _tiles.run(work, range(100))
    assert len(done) < 100


@pytest.mark.usefixtures("can_start_threads")
def test_threads_have_the_error_settings_of_the_caller(monkeypatch):
    monkeypatch.setattr(_tiles, "_cores", lambda: 2)
    meet, seen = threading.Barrier(2, timeout=60), []

    def work(_):
        meet.wait()
        seen.append(np.geterr()["under"])

    with np.errstate(under="raise"):
        _tiles.run(work, range(2))
    assert seen == ["raise"] * 2


def test_nothing_to_do_is_no_error():
    _tiles.run(pytest.fail, [])


def blas_threads():
    return [
        x["num_threads"] for x in threadpool_info() if x["user_api"] == "blas"
    ]


def in_a_thread(work, *arguments):
    thread = threading.Thread(target=work, args=arguments)
    thread.start()
    return thread


@pytest.fixture
def two_blas_threads(can_start_threads):
    """Let BLAS have two threads, with no thread in charge of that number."""
    before = blas_threads()
    # threadpoolctl obeys the first to set a limit, until that thread ends.
    in_a_thread(threadpool_limits, 2, "blas").join()
    yield [2] * len(before)
    in_a_thread(threadpool_limits, before[0], "blas").join()
    assert blas_threads() == before


def test_blas_is_held_to_one_thread_inside_and_restored_outside(
    two_blas_threads,
):
    inside = []
    _tiles.run(lambda _: inside.append(blas_threads()), range(4))
    assert inside == [[1] * len(two_blas_threads)] * 4
    assert blas_threads() == two_blas_threads


def test_a_limit_of_the_caller_is_restored():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        _tiles.run(lambda _: None, range(4))
        assert blas_threads() == before


@pytest.mark.usefixtures("can_start_threads")
def test_a_second_caller_works_alone_and_blas_is_restored(monkeypatch):
    monkeypatch.setattr(_tiles, "_cores", lambda: 2)
    before, inside = blas_threads(), threading.Barrier(3, timeout=60)
    leave, alone = threading.Event(), set()

    def hold(_):
        inside.wait()
        leave.wait(60)

    first = threading.Thread(target=_tiles.run, args=(hold, range(2)))
    first.start()
    inside.wait()  # both threads of the first caller are at work
    _tiles.run(lambda _: alone.add(threading.current_thread()), range(9))
    leave.set()
    first.join()
    assert alone == {threading.current_thread()}
    assert blas_threads() == before


def test_a_model_used_in_two_threads_leaves_blas_as_it_was(
    monkeypatch, two_blas_threads
):
    model = TinyGPT(5, d_model=8, rng=0)
    real, threads, seen = model.forward, [], []
    inside = threading.Event(), threading.Event()

    def forward(*arguments):
        me = threads.index(threading.current_thread())
        inside[me].set()
        # The first to enter waits until both are in, the second until it
        # is alone.
        inside[1].wait(60) if me == 0 else threads[0].join(60)
        seen.append(blas_threads())
        return real(*arguments)

    monkeypatch.setattr(model, "forward", forward)
    for i in range(2):
        generate = threading.Thread(target=model.generate, args=([[1]], 1))
        threads.append(generate)
        generate.start()
        assert inside[i].wait(60)
    threads[1].join(60)
    assert seen == [[1] * len(two_blas_threads)] * 2
    assert blas_threads() == two_blas_threads


@pytest.mark.parametrize("first", [0, 1])
def test_overlapping_limits_end_with_the_last(first, two_blas_threads):
    users = [ExitStack(), ExitStack()]
    for user in users:
        user.enter_context(_tiles.one_blas_thread)
    users.pop(first).close()
    assert blas_threads() == [1] * len(two_blas_threads)
    users.pop().close()
    assert blas_threads() == two_blas_threads


def test_an_error_inside_restores_blas(two_blas_threads):
    model = SimpleNamespace(params={}, loss=lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        next(train(model, list, steps=1))
    assert blas_threads() == two_blas_threads


@pytest.mark.usefixtures("can_start_threads")
def test_each_tile_is_worked_once_whatever_the_threads(monkeypatch):
    monkeypatch.setattr(_tiles, "_cores", lambda: 4)
    count = np.zeros(5000, int)

    def work(tile):
        count[tile] += 1

    _tiles.run(work, range(5000))
    assert (count == 1).all()


def test_an_index_error_of_the_work_is_not_taken_for_the_end():
    with pytest.raises(IndexError, match="mine"):
        _tiles.run(raising(IndexError("mine")), range(3))


def raising(error):
    def work(_):
        raise error

    return work
