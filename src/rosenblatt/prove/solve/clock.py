"""The limits of a proof, and its progress.

Every long loop of a proof asks the clock: it calls `late` if it has a partial result to return, or, deep inside of
computations with whole numbers, `keep_time`, which raises `TimeIsUp`. The work between two calls is bounded, so limits
are kept to within about two seconds. Each call reports the work since the last one, in units of about one
multiplication of floats, or one nanosecond of anything else. If the user gave no time limit, the limit is on this
work, the same on every machine.
"""

from math import inf

from rosenblatt import options
from rosenblatt.learn.choices import Budget
from rosenblatt.progress import ticker
from rosenblatt.rows import timing

NANOSECOND = 1e-9  # what one operation takes, about


class TimeIsUp(Exception):  # noqa: N818
    """Raised inside a proof that must end; the caller reports what is known so far."""


class Clock:
    """A limit on time or on work; with `verbose`, also a line on standard error after two seconds.

    `most_asks` is for tests: the clock is late after this many calls.
    """

    def __init__(
        self,
        max_seconds: float | None = None,
        verbose: bool = False,
        most_asks: float = inf,
        most_work: float = inf,
    ) -> None:
        self.max_seconds = Budget(max_seconds=max_seconds).max_seconds  # refuses what is not a time
        self.most_work = most_work
        self.started = timing.now()
        self._tick = ticker("proving") if options.flag("verbose", verbose) else None
        self._asks_left = most_asks
        self.work = 0.0
        self.ran_out = False  # whether anything was ended, or not begun, because of a limit
        self.doing = "reading"

    @property
    def seconds(self) -> float:
        """The elapsed time."""
        return timing.now() - self.started

    @property
    def left(self) -> float | None:
        """The seconds left, at least a microsecond; None without a time limit."""
        if self._asks_left < 0 or self.work >= self.most_work:
            return 1e-6
        return None if self.max_seconds is None else max(self.max_seconds - self.seconds, 1e-6)

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.max_seconds is not None or min(self.most_work, self._asks_left) < inf

    @property
    def share(self) -> float:
        """The share of the limit, on time or on work, that is used."""
        return max(self.work / self.most_work, self.seconds / self.max_seconds if self.max_seconds else 0.0)

    def late(self, work: float = 0.0) -> bool:
        """Whether the limit is reached, after this much work since the last call."""
        self._asks_left -= 1
        self.work += work
        if self._tick:
            self._tick(lambda: self.doing)
        late = self._asks_left < 0 or self.work >= self.most_work
        late = late or (self.max_seconds is not None and self.seconds >= self.max_seconds)
        self.ran_out |= late
        return late

    def spend(self, work: float) -> None:
        """Count work without checking the limit."""
        self.work += work

    def keep_time(self, work: float = 0.0) -> None:
        """Raise `TimeIsUp` if the limit is reached."""
        if self.late(work):
            raise TimeIsUp

    def allows(self, work: float) -> bool:
        """Whether to begin a step that takes about this much work and cannot be interrupted."""
        left = self.left
        allowed = self.work + work <= self.most_work and (left is None or work * NANOSECOND <= left)
        self.ran_out |= not allowed
        return allowed

    @property
    def why_late(self) -> str:
        """Which limit was reached, in words."""
        return "Time ran out" if self.max_seconds is not None else "The default budget of work was spent"
