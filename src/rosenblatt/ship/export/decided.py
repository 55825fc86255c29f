"""What exports need of a decision: the cut-offs, and probabilities as tables without repetitions."""

from dataclasses import dataclass
from typing import Self

from rosenblatt.judge.calibration import ByLead, OneVsRest, Steps, VennAbers
from rosenblatt.judge.decision import Decision

BY_ITSELF = Decision()  # the rule decides every row, and there are no probabilities
PROBABILITY, FROM, TO = "probability", "probability_from", "probability_to"


@dataclass(frozen=True)
class Tables:
    """The tables of probabilities that an export writes.

    With two classes there is one for each name. With more there is one for each class; their values are divided by
    their sum, and where that is 0, every class is as likely.
    """

    named: tuple[tuple[str, Steps], ...] = ()  # with two classes
    of_classes: tuple[Steps, ...] = ()  # with more
    by_lead: bool = False  # whether those are looked up by how far each score is ahead of the highest other

    @classmethod
    def of(cls, decision: Decision) -> Self:
        """The tables of a decision; none if it has no probabilities."""
        found = decision.probability
        if found is None:
            return cls()
        if isinstance(found, OneVsRest):
            return cls((), tuple(_single(one) for one in found.classes), isinstance(found, ByLead))
        if isinstance(found, VennAbers):
            ends = ((FROM, Steps(found.edges, found.lower)), (TO, Steps(found.edges, found.upper)))
            return cls(((PROBABILITY, _single(found)), *((name, _brief(steps)) for name, steps in ends)))
        return cls(((PROBABILITY, _single(found)),))

    def __bool__(self) -> bool:
        return bool(self.named or self.of_classes)


def _single(found: object) -> Steps:
    """The table of single probabilities."""
    assert isinstance(found, Steps | VennAbers)
    return _brief(found.merged if isinstance(found, VennAbers) else found)


def _brief(steps: Steps) -> Steps:
    """The same table, without edges at which nothing changes."""
    each = zip(steps.edges, steps.values[1:], steps.values[:-1], strict=True)
    rises = [(edge, value) for edge, value, before in each if value > before]
    return Steps(tuple(edge for edge, _ in rises), (steps.values[0], *(value for _, value in rises)))
