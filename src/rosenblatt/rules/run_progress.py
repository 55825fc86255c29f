"""How far a run of learning has come."""

from collections.abc import Callable

from rosenblatt.learn.choices import Budget
from rosenblatt.learn.run_state import Walk
from rosenblatt.progress import ticker


def reporter(budget: Budget, name: str = "perceptron") -> Callable[[Walk], None]:
    """A function that tells passes and updates of a run, twice a second."""
    tick, of = ticker(name), f" of {budget.max_passes}" if budget.max_passes else ""

    def report(walk: Walk) -> None:
        tick(lambda: f"{walk.seen / walk.examples.n_copies:.0f}{of} passes, {len(walk.ledger)} updates")

    return report
