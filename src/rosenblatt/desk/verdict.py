"""What can be proved about a table before anything is learned from it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.desk.data import Data
from rosenblatt.desk.limits import CHECK_WORK, clock_of, more
from rosenblatt.prove import bounds
from rosenblatt.prove.certificate import Certificate, Contradiction, CostInterval, ErrorInterval
from rosenblatt.prove.margin import Margin, largest
from rosenblatt.prove.optimality import interval
from rosenblatt.prove.separability import NotSeparable, Separable, Verdict, decide


@dataclass(frozen=True)
class Finding:
    """What is known of one class against the rest."""

    label: str
    verdict: Verdict
    radius: float
    margin: Margin | None  # of separable rows
    updates: int | None  # that no run of the perceptron from zeros exceeds
    fewest: ErrorInterval | CostInterval | None  # mistakes, of rows that are not separable
    cut_short: str | None = None  # which limit ended a proof, if one did

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """All that is proved."""
        found: list[Certificate | None] = [getattr(self.verdict, "certificate", None), self.fewest]
        found += [self.margin.certificate] if self.margin is not None else []
        return tuple(dict.fromkeys(certificate for certificate in found if certificate is not None))


def findings(data: Data, *, seconds: float | None = None, fewest: bool = True, verbose: bool = False) -> list[Finding]:
    """For two classes one finding, for more one for each class; `seconds` as in `limits.clock_of`."""
    each = [1] if len(data.classes) == 2 else range(len(data.classes))
    return [_finding(data, yes, seconds, fewest, verbose) for yes in each]


def _finding(data: Data, yes: int, seconds: float | None, fewest: bool, verbose: bool) -> Finding:
    examples, clock = data.examples(yes), clock_of(seconds, CHECK_WORK, verbose)
    clocks, verdict = [clock], decide(examples, clock=clock)
    margin = updates = fewest_mistakes = None
    if isinstance(verdict, Separable):
        clocks.append(clock_of(seconds, CHECK_WORK, verbose))
        margin = largest(examples, clock=clocks[-1])
        lower = max(margin.lower, verdict.certificate.lower)  # the search for the margin may have run out of time
        updates = bounds.novikoff(examples.radius, lower) if lower > 0 else None
    elif isinstance(verdict, NotSeparable) and fewest:
        clocks.append(clock_of(seconds, CHECK_WORK, verbose))
        rng = np.random.default_rng(0)
        fewest_mistakes = interval(examples, None, "minus", rng, clocks[-1], verdict.certificate)
    cut_short = next((more(clock) for clock in clocks if clock.ran_out), None)
    return Finding(data.classes[yes], verdict, examples.radius, margin, updates, fewest_mistakes, cut_short)


def in_words(data: Data, contradiction: Contradiction, most: int = 20) -> list[dict[str, Any]]:
    """The rows that contradict each other: their numbers, how much each weighs, and what stands in them."""
    chosen = sorted(zip(contradiction.rows, contradiction.weights, strict=True), key=lambda pair: -pair[1])[:most]
    shown = data.shown([row for row, _ in chosen])
    return [
        {"row": data.number(row), "weight": str(weight), "cells": cells}
        for (row, weight), cells in zip(chosen, shown, strict=True)
    ]
