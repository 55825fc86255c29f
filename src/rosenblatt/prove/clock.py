"""How long a proof may take, and how far it has come."""

import time

from rosenblatt.learn.rules import Budget
from rosenblatt.progress import ticker


class Clock:
    """A deadline; with `verbose`, also a line on standard error once two seconds have passed."""

    def __init__(self, max_seconds: float | None = None, verbose: bool = False) -> None:
        self.max_seconds = Budget(max_seconds=max_seconds).max_seconds  # refuses what is not a time
        self.started = time.monotonic()
        self._tick = ticker("proving") if verbose else None
        self.doing = "reading"

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float | None:
        """The seconds that are left, at least a microsecond; None without a limit."""
        return None if self.max_seconds is None else max(self.max_seconds - self.seconds, 1e-6)

    def late(self) -> bool:
        """Whether the time is up."""
        if self._tick:
            self._tick(lambda: self.doing)
        return self.max_seconds is not None and self.seconds >= self.max_seconds
