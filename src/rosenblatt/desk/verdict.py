"""What can be proved about a table before anything is learned from it."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from rosenblatt.desk.data import Data
from rosenblatt.prove import bounds
from rosenblatt.prove.certificate import Certificate, Contradiction, ErrorInterval
from rosenblatt.prove.clock import Clock
from rosenblatt.prove.joint_certificate import JointContradiction, JointErrorInterval
from rosenblatt.prove.margin import Margin, largest
from rosenblatt.prove.optimality import optimality
from rosenblatt.prove.separability import NotSeparable, Separable, Verdict, decide


@dataclass(frozen=True)
class Finding:
    """What is known of one class against the other, or of more than two classes together."""

    label: str | None  # the class that is the yes; None: all classes
    verdict: Verdict
    radius: float
    margin: Margin | None  # of separable rows
    updates: int | None  # that no run of the perceptron from zeros exceeds
    fewest: ErrorInterval | JointErrorInterval | None  # mistakes, of rows that are not separable

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """All that is proved."""
        found: list[Certificate | None] = [getattr(self.verdict, "certificate", None), self.fewest]
        found += [self.margin.certificate] if self.margin is not None else []
        return tuple(dict.fromkeys(certificate for certificate in found if certificate is not None))


def finding(data: Data, *, seconds: float | None = None, fewest: bool = True, verbose: bool = False) -> Finding:
    """What can be proved of the classes."""
    several = len(data.classes) > 2
    joint: Any = import_module("rosenblatt.prove.joint") if several else None
    examples: Any = data.joint_examples() if several else data.examples()
    verdict: Verdict = (joint.decide if several else decide)(examples, clock=Clock(seconds, verbose))
    margin = updates = interval = None
    if isinstance(verdict, Separable):
        margin = (joint.largest if several else largest)(examples, clock=Clock(seconds, verbose))
        lower = max(margin.lower, verdict.certificate.lower)  # the search for the margin may have run out of time
        updates = bounds.novikoff(examples.radius, lower) if lower > 0 else None
    elif isinstance(verdict, NotSeparable) and fewest:
        interval = optimality(data.X, data.y, max_seconds=seconds, verbose=verbose)
    return Finding(None if several else data.classes[1], verdict, examples.radius, margin, updates, interval)


def in_words(data: Data, proof: Contradiction | JointContradiction, most: int = 20) -> list[dict[str, Any]]:
    """The rows that contradict each other: their numbers, how much each weighs, and what stands in them.

    Of more than two classes, also the class that a row is told from; a row may be there with several.
    """
    rivals: Any = proof.rivals if isinstance(proof, JointContradiction) else (None,) * len(proof.rows)
    chosen = sorted(zip(proof.rows, proof.weights, rivals, strict=True), key=lambda pair: -pair[1])[:most]
    shown = data.shown([row for row, _, _ in chosen])
    return [
        {
            "row": data.number(row),
            "rival": None if rival is None else data.classes[rival],
            "weight": str(weight),
            "cells": cells,
        }
        for (row, weight, rival), cells in zip(chosen, shown, strict=True)
    ]
