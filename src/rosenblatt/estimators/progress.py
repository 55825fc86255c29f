"""How far learning has come, on standard error."""

import sys
import time
from collections.abc import Callable

from rosenblatt.learn.rules import Budget
from rosenblatt.learn.walk import Walk


def ticker(name: str) -> Callable[[Callable[[], str]], None]:
    """A function that shows what it is given twice a second, once two seconds have passed."""
    begun = time.monotonic()
    last = begun + 1.5

    def tick(told: Callable[[], str]) -> None:
        nonlocal last
        if time.monotonic() - last > 0.5:
            last = time.monotonic()
            print(f"\r{name}: {told()}, {last - begun:.0f} s ", end="", file=sys.stderr, flush=True)

    return tick


def reporter(budget: Budget, name: str = "perceptron") -> Callable[[Walk], None]:
    """The same for a run."""
    tick, of = ticker(name), f" of {budget.max_passes}" if budget.max_passes else ""

    def report(walk: Walk) -> None:
        tick(lambda: f"{walk.seen / walk.examples.n_copies:.0f}{of} passes, {len(walk.ledger)} updates")

    return report
