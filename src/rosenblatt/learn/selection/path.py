"""The candidates, from the widest margin to the fewest mistakes, each starting where the one before it ended."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rosenblatt.learn.selection.problems import PathPoint, Problems
from rosenblatt.learn.selection.saturating import descend, never

SOFT, SATURATING = "soft", "saturating"
AVERAGED, POCKET = "averaged", "pocket"
FAMILIES = (SOFT, SATURATING)  # on the path
LEARNED = {AVERAGED: "averaged perceptron", POCKET: "pocket"}  # by an algorithm of their own; what they are called
EVERY_FAMILY = (*FAMILIES, *LEARNED)
RIDGES = (1.0, 0.1, 0.01, 0.001, 0.0001)
SHARPNESSES = {SOFT: (0.0,), SATURATING: (0.25, 1.0)}


@dataclass(frozen=True)
class Candidate:
    """A loss and a ridge, or an algorithm, which has neither."""

    family: str
    ridge: float = 0.0
    sharpness: float = 0.0

    def __str__(self) -> str:
        if self.family in LEARNED:
            return LEARNED[self.family]
        if self.family == SOFT:
            return f"soft margin with ridge {self.ridge:g}"
        return f"saturating loss with ridge {self.ridge:g} and sharpness {self.sharpness:g}"


MODERATE = Candidate(SOFT, 0.01)  # used where nothing is compared


def candidates(families: tuple[str, ...]) -> tuple[Candidate, ...]:
    """All candidates of these families, simpler ones first."""
    on_path = [
        Candidate(family, ridge, sharpness)
        for family in FAMILIES
        if family in families
        for ridge in RIDGES
        for sharpness in SHARPNESSES[family]
    ]
    return (*on_path, *(Candidate(family) for family in LEARNED if family in families))


def follow(
    problems: Problems, wanted: tuple[Candidate, ...], stop: Callable[[], bool] = never
) -> Iterator[tuple[Candidate, PathPoint]]:
    """Where each wanted candidate ends, for all problems; only those reached before `stop`."""
    begun = problems.start()
    for ridge in RIDGES:
        there = {c.sharpness: c for c in wanted if c.family in FAMILIES and c.ridge == ridge}
        if not there:
            continue
        place = begun = descend(problems, begun, ridge, 0.0, stop)
        for sharpness in (0.0, *SHARPNESSES[SATURATING]):
            if 0.0 < sharpness <= max(there):
                place = descend(problems, place, ridge, sharpness, stop)
            if stop():
                return
            if sharpness in there:
                yield there[sharpness], place
