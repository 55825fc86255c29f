"""The candidates: from the widest street to the fewest mistakes, each begun where the one before it ended."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rosenblatt.learn.selection.saturating import PathPoint, Problems, descend

SOFT, SATURATING = "soft", "saturating"
FAMILIES = (SOFT, SATURATING)
RIDGES = (1.0, 0.1, 0.01, 0.001, 0.0001)
SHARPNESSES = {SOFT: (0.0,), SATURATING: (0.25, 1.0)}


@dataclass(frozen=True)
class Candidate:
    """A loss and a ridge."""

    family: str
    ridge: float
    sharpness: float = 0.0

    def __str__(self) -> str:
        if self.family == SOFT:
            return f"soft margin with ridge {self.ridge:g}"
        return f"saturating loss with ridge {self.ridge:g} and sharpness {self.sharpness:g}"


def candidates(families: tuple[str, ...]) -> tuple[Candidate, ...]:
    """All of these families, the simpler before the less simple."""
    return tuple(
        Candidate(family, ridge, sharpness)
        for family in FAMILIES
        if family in families
        for ridge in RIDGES
        for sharpness in SHARPNESSES[family]
    )


def follow(problems: Problems, wanted: tuple[Candidate, ...]) -> Iterator[tuple[Candidate, PathPoint]]:
    """Where each of the candidates wanted ends, for all problems."""
    zeros = np.zeros((problems.many, problems.space.size))
    begun = PathPoint(zeros, np.zeros(problems.signs.shape))
    for ridge in RIDGES:
        there = {c.sharpness: c for c in wanted if c.ridge == ridge}
        if not there:
            continue
        place = begun = descend(problems, begun, ridge, 0.0)
        if 0.0 in there:
            yield there[0.0], place
        for sharpness in SHARPNESSES[SATURATING]:
            if sharpness <= max(there):
                place = descend(problems, place, ridge, sharpness)
            if sharpness in there:
                yield there[sharpness], place
