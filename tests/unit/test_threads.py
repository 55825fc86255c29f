"""Passes cut into pieces: every row once, in order, however many cores take them."""

import sys

import pytest
import threadpoolctl
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.rows import threads

some_threads = pytest.mark.parametrize("worth", [1, 10**9])


@some_threads
@given(st.integers(0, 50), st.integers(0, 50), st.floats(0.5, 100.0))
def test_pieces_make_up_the_whole(worth, first, many, numbers):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "WORTH_A_THREAD", worth)
        pieces = threads.in_pieces(lambda a, b: (a, b), first, first + many, numbers)
    assert [row for a, b in pieces for row in range(a, b)] == list(range(first, first + many))


@some_threads
@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=60))
@example([0.0])
@example([0.0, 0.0, 5.0])
@example([5.0, 0.0, 0.0])
def test_equal_pieces_make_up_the_whole(worth, numbers):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "WORTH_A_THREAD", worth)
        pieces = threads.in_equal_pieces(lambda a, b: (a, b), numbers)
    assert [row for a, b in pieces for row in range(a, b)] == list(range(len(numbers)))


def test_equal_pieces_hold_about_as_many(monkeypatch):
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(threads, "cores", lambda: 2)
    numbers = [1000.0] + [1.0] * 1000
    pieces = threads.in_equal_pieces(lambda a, b: sum(numbers[a:b]), numbers)
    assert len(pieces) > threads.PIECES_PER_CORE
    assert max(pieces) <= 1000.0 + sum(numbers) / (2 * threads.PIECES_PER_CORE)
    assert sum(pieces) == sum(numbers)


def test_an_error_in_a_piece_is_raised(monkeypatch):
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)
    with pytest.raises(ZeroDivisionError):
        threads.in_equal_pieces(lambda a, b: 1 // 0, [1.0] * 100)


def blas():
    return [library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"]


def test_blas_is_held_to_one_thread_for_a_while():
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = blas()
        with threads.one_thread_for_blas():
            assert set(blas()) == {1}
        assert blas() == before


def test_libraries_are_looked_for_once_until_a_module_is_imported(monkeypatch):
    with threads.one_thread_for_blas():
        pass
    _, found = threads._libraries
    with threads.one_thread_for_blas():
        assert threads._libraries[1] is found
    monkeypatch.setitem(sys.modules, "a_module_that_was_just_imported", sys)
    with threads.one_thread_for_blas():
        assert threads._libraries[1] is not found
