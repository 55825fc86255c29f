"""How long a proof may take, and how far it has come.

Every long loop of a proof asks: whether it is `late`, where it has something to give all the same; or, deep inside of
whole numbers, `keep_time`, which raises `TimeIsUp`. Between two asks there is bounded work, so that a limit is kept to
within some two seconds.
"""

from math import inf

from rosenblatt import timing
from rosenblatt.learn.rules import Budget
from rosenblatt.progress import ticker


class TimeIsUp(Exception):  # noqa: N818
    """Raised inside a proof that must end; whoever began it says what is known."""


class Clock:
    """A deadline; with `verbose`, also a line on standard error once two seconds have passed.

    `most_asks` is a limit of work instead: after so many asks it is late, on every machine alike.
    """

    def __init__(self, max_seconds: float | None = None, verbose: bool = False, most_asks: float = inf) -> None:
        self.max_seconds = Budget(max_seconds=max_seconds).max_seconds  # refuses what is not a time
        self.started = timing.now()
        self._tick = ticker("proving") if verbose else None
        self._asks_left = most_asks
        self.doing = "reading"

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return timing.now() - self.started

    @property
    def left(self) -> float | None:
        """The seconds that are left, at least a microsecond; None without a limit."""
        if self._asks_left < 0:
            return 1e-6
        return None if self.max_seconds is None else max(self.max_seconds - self.seconds, 1e-6)

    def late(self) -> bool:
        """Whether the time is up."""
        self._asks_left -= 1
        if self._tick:
            self._tick(lambda: self.doing)
        return self._asks_left < 0 or (self.max_seconds is not None and self.seconds >= self.max_seconds)

    def keep_time(self) -> None:
        """Raises `TimeIsUp` if it is late."""
        if self.late():
            raise TimeIsUp

    def allows(self, seconds: float) -> bool:
        """Whether to begin what takes about so long and cannot be left half done."""
        left = self.left
        return left is None or seconds <= left
