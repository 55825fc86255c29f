"""A pass over rows, cut into one piece per core.

The pieces' answers come back in the order of the rows, so no result depends on how many cores there are.
Set ROSENBLATT_THREADS to use fewer.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")

WORTH_A_THREAD = 200_000  # numbers; fewer are read sooner than a thread wakes up

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


def in_pieces(call: Callable[[int, int], T], first: int, last: int, numbers: float) -> list[T]:
    """`call(a, b)` for pieces [a, b) that make up [first, last); `numbers` is how many each row holds."""
    global _executor
    many = min(cores(), int((last - first) * numbers / WORTH_A_THREAD) + 1)
    if many == 1:
        return [call(first, last)]
    ends = [first + (last - first) * piece // many for piece in range(many + 1)]
    if _executor is None:
        _executor = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="rosenblatt")
    others = [_executor.submit(call, a, b) for a, b in pairwise(ends[1:])]
    return [call(ends[0], ends[1]), *(other.result() for other in others)]
