"""Seconds of work, for limits of time: those in which a kernel is compiled, or loaded, do not count.

Else the same limit would allow less in a first run, when nothing is compiled yet, than in all later ones.
"""

import time

from rosenblatt.rows.compiling import seconds_lost


def now() -> float:
    """A moment: the difference of two is how long this thread has worked between them."""
    return time.monotonic() - seconds_lost()
