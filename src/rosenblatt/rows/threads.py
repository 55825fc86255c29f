"""A pass over rows, cut into pieces that the cores take in turn.

The pieces' answers come back in the order of the rows, so no result depends on how many cores there are.
Set ROSENBLATT_THREADS to use fewer.
"""

import os
import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from itertools import accumulate
from typing import Any, TypeVar

T = TypeVar("T")

WORTH_A_THREAD = 1_000_000  # numbers; fewer are read sooner than a thread wakes up
PIECES_PER_CORE = 8  # a core that is slower, or late, takes fewer of them

_executor: ThreadPoolExecutor | None = None


def _forget() -> None:
    global _executor
    _executor = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # a forked child has none of its parent's threads


def cores() -> int:
    """How many cores a pass may use."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = os.environ.get("ROSENBLATT_THREADS", "")
    return min(available, int(wanted)) if wanted.isdecimal() and int(wanted) > 0 else available


def in_background(call: Callable[[], T]) -> "Future[T]":
    """`call()` beside what goes on; its answer, or its error, is in `result()`."""
    return _threads().submit(call)


def _threads() -> ThreadPoolExecutor:
    global _executor
    if _executor is None:
        _executor = ThreadPoolExecutor((os.cpu_count() or 1) + 1, thread_name_prefix="rosenblatt")
    return _executor


def in_pieces(call: Callable[[int, int], T], first: int, last: int, numbers: float) -> list[T]:
    """`call(a, b)` for pieces [a, b) that make up [first, last); `numbers` is how many each row holds."""
    many = _worth((last - first) * numbers)
    if many == 1:  # as of every look at a small table, of which some fits make thousands
        return [call(first, last)]
    pieces = _pieces(many)
    return _taken(call, [first + (last - first) * piece // pieces for piece in range(pieces + 1)], many)


def in_equal_pieces(call: Callable[[int, int], T], numbers: Sequence[float]) -> list[T]:
    """As `in_pieces`, for rows 0, 1, ... that hold different `numbers`: each piece holds about as many."""
    sums = list(accumulate(numbers))
    many = _worth(sums[-1])
    pieces = _pieces(many)
    ends = {bisect_left(sums, sums[-1] * piece / pieces) + 1 for piece in range(1, pieces)}
    return _taken(call, sorted(ends | {0, len(sums)}), many)


def _worth(numbers: float) -> int:
    """How many cores to use for a pass over this many numbers."""
    return 1 if numbers < WORTH_A_THREAD else min(cores(), int(numbers / WORTH_A_THREAD) + 1)


def _pieces(many: int) -> int:
    """How many pieces to make for this many cores."""
    return many * PIECES_PER_CORE if many > 1 else 1


def _taken(call: Callable[[int, int], T], ends: Sequence[int], many: int) -> list[T]:
    """The answers for all pieces, which `many` cores take in turn."""
    pieces = len(ends) - 1
    answers: dict[int, T] = {}
    waiting = iter(range(pieces))

    def take_pieces() -> None:
        for piece in waiting:
            answers[piece] = call(ends[piece], ends[piece + 1])

    others = [_threads().submit(take_pieces) for _ in range(many - 1)]
    take_pieces()
    for other in others:
        other.result()
    return [answers[piece] for piece in range(pieces)]


_libraries: tuple[int, Any] = (0, None)  # how many modules there were when libraries were looked for, and those found


def one_thread_for_blas() -> AbstractContextManager[Any]:
    """Hold BLAS to one thread for a while: its threads cost more than they save here, and change the rounding.

    To look through all libraries takes longer than a small descent, so those found are kept until a module is imported,
    with which another library may have come.
    """
    global _libraries
    if _libraries[0] != len(sys.modules):
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

        _libraries = len(sys.modules), ThreadpoolController()
    held: AbstractContextManager[Any] = _libraries[1].limit(limits=1, user_api="blas")
    return held
