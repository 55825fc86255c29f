"""What can be proved about a table before anything is learned from it."""

from dataclasses import dataclass
from typing import Any

from rosenblatt.desk.data import Data
from rosenblatt.prove import bounds
from rosenblatt.prove.certificate import Certificate, Contradiction, ErrorInterval
from rosenblatt.prove.clock import Clock
from rosenblatt.prove.margin import Margin, largest
from rosenblatt.prove.optimality import optimality
from rosenblatt.prove.separability import NotSeparable, Separable, Verdict, decide


@dataclass(frozen=True)
class Finding:
    """What is known of one class against the rest."""

    label: str
    verdict: Verdict
    radius: float
    margin: Margin | None  # of separable rows
    updates: int | None  # that no run of the perceptron from zeros exceeds
    fewest: ErrorInterval | None  # mistakes, of rows that are not separable

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """All that is proved."""
        found: list[Certificate | None] = [getattr(self.verdict, "certificate", None), self.fewest]
        found += [self.margin.certificate] if self.margin is not None else []
        return tuple(dict.fromkeys(certificate for certificate in found if certificate is not None))


def findings(data: Data, *, seconds: float | None = None, fewest: bool = True, verbose: bool = False) -> list[Finding]:
    """For two classes one finding, for more one for each class."""
    each = [1] if len(data.classes) == 2 else range(len(data.classes))
    return [_finding(data, yes, seconds, fewest, verbose) for yes in each]


def _finding(data: Data, yes: int, seconds: float | None, fewest: bool, verbose: bool) -> Finding:
    examples = data.examples(yes)
    verdict = decide(examples, clock=Clock(seconds, verbose))
    margin = updates = interval = None
    if isinstance(verdict, Separable):
        margin = largest(examples, clock=Clock(seconds, verbose))
        lower = max(margin.lower, verdict.certificate.lower)  # the search for the margin may have run out of time
        updates = bounds.novikoff(examples.radius, lower) if lower > 0 else None
    elif isinstance(verdict, NotSeparable) and fewest:
        interval: Any = optimality(data.X, data.y == yes, max_seconds=seconds, verbose=verbose)
    return Finding(data.classes[yes], verdict, examples.radius, margin, updates, interval)


def in_words(data: Data, contradiction: Contradiction, most: int = 20) -> list[dict[str, Any]]:
    """The rows that contradict each other: their numbers, how much each weighs, and what stands in them."""
    chosen = sorted(zip(contradiction.rows, contradiction.weights, strict=True), key=lambda pair: -pair[1])[:most]
    shown = data.shown([row for row, _ in chosen])
    return [
        {"row": data.number(row), "weight": str(weight), "cells": cells}
        for (row, weight), cells in zip(chosen, shown, strict=True)
    ]
