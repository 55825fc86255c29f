"""Progress reports: a line on standard error, or wherever the caller sends it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

FIRST, AGAIN = 1.5, 0.5  # seconds; the first report comes after both


def _on_standard_error(text: str) -> None:
    print(f"\r{text} ", end="", file=sys.stderr, flush=True)


_show: ContextVar[Callable[[str], None]] = ContextVar("show", default=_on_standard_error)


@contextmanager
def shown_by(show: Callable[[str], None]) -> Iterator[None]:
    """Send progress to `show` inside this context, one text at a time."""
    token = _show.set(show)
    try:
        yield
    finally:
        _show.reset(token)


def ticker(name: str) -> Callable[[Callable[[], str]], None]:
    """A function that shows progress after two seconds, then at most twice a second."""
    begun = time.monotonic()
    last = begun + FIRST

    def tick(progress: Callable[[], str]) -> None:
        nonlocal last
        if time.monotonic() - last > AGAIN:
            last = time.monotonic()
            _show.get()(f"{name}: {progress()}, {last - begun:.0f} s")

    return tick
