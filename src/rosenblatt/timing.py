"""Seconds of work, for limits of time: those in which a kernel is compiled, or loaded, do not count.

Else the same limit would allow less in a first run, when nothing is compiled yet, than in all later ones.
"""

import threading
import time
from typing import Any

from numba.core import event


class _Compiling(event.Listener):
    """How long each thread has held numba's compiler lock, or waited for it; the lock is taken again within itself."""

    def __init__(self) -> None:
        self._own = threading.local()

    @property
    def seconds(self) -> float:
        """Of this thread, so far."""
        return float(getattr(self._own, "seconds", 0.0))

    def on_start(self, _: Any) -> None:
        own = self._own
        own.depth = getattr(own, "depth", 0) + 1
        if own.depth == 1:
            own.begun = time.monotonic()

    def on_end(self, _: Any) -> None:
        own = self._own
        if not getattr(own, "depth", 0):  # it was begun before anyone listened
            return
        own.depth -= 1
        if own.depth == 0:
            own.seconds = self.seconds + time.monotonic() - own.begun


_compiling = _Compiling()
event.register("numba:compiler_lock", _compiling)  # type: ignore[no-untyped-call]


def now() -> float:
    """A moment: the difference of two is how long this thread has worked between them."""
    return time.monotonic() - _compiling.seconds
