"""How long a proof may take, and how far it has come.

Every long loop of a proof asks: whether it is `late`, where it has something to give all the same; or, deep inside of
whole numbers, `keep_time`, which raises `TimeIsUp`. Between two asks there is bounded work, so that a limit is kept to
within some two seconds. Who asks tells what was done since: about so many multiplications of floats, or a nanosecond
each of anything else. Where the user gave no limit of time, the limit is one of this work, the same on every machine.
"""

from math import inf

from rosenblatt import options
from rosenblatt.learn.choices import Budget
from rosenblatt.progress import ticker
from rosenblatt.rows import timing

NANOSECOND = 1e-9  # what one operation takes, about


class TimeIsUp(Exception):  # noqa: N818
    """Raised inside a proof that must end; whoever began it says what is known."""


class Clock:
    """A limit of time, or of work; with `verbose`, also a line on standard error once two seconds have passed.

    `most_asks` is for tests: after so many asks it is late.
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
        """How long it has taken."""
        return timing.now() - self.started

    @property
    def left(self) -> float | None:
        """The seconds that are left, at least a microsecond; None without a limit of time."""
        if self._asks_left < 0 or self.work >= self.most_work:
            return 1e-6
        return None if self.max_seconds is None else max(self.max_seconds - self.seconds, 1e-6)

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.max_seconds is not None or min(self.most_work, self._asks_left) < inf

    @property
    def share(self) -> float:
        """What part of the limit is used, of time or of work."""
        return max(self.work / self.most_work, self.seconds / self.max_seconds if self.max_seconds else 0.0)

    def late(self, work: float = 0.0) -> bool:
        """Whether the limit is reached, after so much work since the last ask."""
        self._asks_left -= 1
        self.work += work
        if self._tick:
            self._tick(lambda: self.doing)
        late = self._asks_left < 0 or self.work >= self.most_work
        late = late or (self.max_seconds is not None and self.seconds >= self.max_seconds)
        self.ran_out |= late
        return late

    def spend(self, work: float) -> None:
        """Count work without asking."""
        self.work += work

    def keep_time(self, work: float = 0.0) -> None:
        """Raises `TimeIsUp` if it is late."""
        if self.late(work):
            raise TimeIsUp

    def allows(self, work: float) -> bool:
        """Whether to begin what takes about so much work and cannot be left half done."""
        left = self.left
        allowed = self.work + work <= self.most_work and (left is None or work * NANOSECOND <= left)
        self.ran_out |= not allowed
        return allowed

    @property
    def why_late(self) -> str:
        """Which limit was reached, in words."""
        return "The time was up" if self.max_seconds is not None else "The default budget of work was spent"
