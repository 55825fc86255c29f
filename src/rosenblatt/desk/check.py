"""What can be proved about a table before learning."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np

from rosenblatt.desk.constraints import cone_of_columns, refuse_unfit
from rosenblatt.desk.data import Data
from rosenblatt.desk.limits import CHECK_WORK, clock_of, more
from rosenblatt.prove.check.certificate import Certificate, Contradiction, CostInterval, ErrorInterval
from rosenblatt.prove.check.certificate_json import PREDICTED, STRICT
from rosenblatt.prove.check.joint_certificate import JointContradiction, JointErrorInterval
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.constrained import decide_in, widest_in
from rosenblatt.prove.solve.margin import Margin, largest
from rosenblatt.prove.solve.optimality import interval
from rosenblatt.prove.solve.separability import NotSeparable, Separable, Undecided, Verdict
from rosenblatt.prove.theory import bounds
from rosenblatt.rows.cone import EVERYWHERE, Cone
from rosenblatt.rows.kesler import JointExamples


@dataclass(frozen=True)
class Finding:
    """What is proved about two classes, or jointly about more."""

    label: str | None  # the positive class; None: more than two classes
    verdict: Verdict
    radius: float
    margin: Margin | None  # if the rows are separable
    updates: int | None  # at most, for a perceptron that starts from zeros
    fewest: ErrorInterval | CostInterval | JointErrorInterval | None  # possible mistakes, unless the rows are separable
    cut_short: str | None = None  # the limit that ended a proof early, if any
    cone: Cone = EVERYWHERE  # of the rules that all of it is about

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """All certificates."""
        found: list[Certificate | None] = [getattr(self.verdict, "certificate", None), self.fewest]
        found += [self.margin.certificate] if self.margin is not None else []
        return tuple(dict.fromkeys(certificate for certificate in found if certificate is not None))


def finding(
    data: Data,
    *,
    seconds: float | None = None,
    fewest: bool = True,
    verbose: bool = False,
    constraints: Mapping[str, int] = MappingProxyType({}),
) -> Finding:
    """Check whether the classes are separable; `seconds` is as for `limits.clock_of`, `constraints` as in training."""
    refuse_unfit(data, constraints)
    cone = cone_of_columns(data.encoding, constraints)
    several, clock = len(data.classes) > 2, clock_of(seconds, CHECK_WORK, verbose)
    joint: Any = import_module("rosenblatt.prove.solve.joint_separability") if several else None
    examples: Any = data.joint_examples() if several else data.examples()
    verdict: Verdict = (joint.decide if several else partial(decide_in, cone))(examples, clock=clock)
    clocks, margin, updates, fewest_mistakes = [clock], None, None, None
    if isinstance(verdict, Separable):
        clocks.append(clock_of(seconds, CHECK_WORK, verbose))
        margin = (joint.largest if several else partial(_largest, cone))(
            examples, clock=clocks[-1], proved=verdict.certificate
        )
        lower = max(margin.lower, verdict.certificate.lower)  # the search for the margin may have run out of time
        updates = bounds.novikoff(examples.radius, lower) if lower > 0 else None
    elif fewest:
        clocks.append(clock_of(seconds, CHECK_WORK, verbose))
        fewest_mistakes = _fewest(examples, getattr(verdict, "certificate", None), clocks[-1], cone)
        if isinstance(verdict, Undecided) and fewest_mistakes.contradictions:
            verdict = NotSeparable(replace(fewest_mistakes.contradictions[0], ties=STRICT, fingerprint=""))
    cut_short = next((more(clock) for clock in clocks if clock.ran_out), None)
    label = None if several else data.classes[1]
    return Finding(label, verdict, examples.radius, margin, updates, fewest_mistakes, cut_short, cone)


def decided(
    data: Data, threshold: Mapping[str, Any], ties: str, clock: Clock, another: Clock, cone: Cone = EVERYWHERE
) -> tuple[Verdict, Margin | None]:
    """Whether the rows are separable and, if so, their largest margin; each proof has its own clock."""
    several, affine = len(data.classes) > 2, bool(threshold.get("fit_intercept", True))
    joint: Any = import_module("rosenblatt.prove.solve.joint_separability") if several else None
    examples: Any = data.joint_examples(**threshold) if several else data.examples(**threshold)
    verdict: Verdict = (joint.decide if several else partial(decide_in, cone))(examples, ties, clock)
    if not isinstance(verdict, Separable):
        return verdict, None
    proved: Any = verdict.certificate if ties == STRICT else None  # rows that tie have no margin
    if several:
        return verdict, joint.largest(examples, another, proved)
    if cone:
        return verdict, widest_in(cone, examples, verdict.certificate, another)
    return verdict, largest(examples, affine=affine, clock=another, proved=proved)


def _largest(cone: Cone, examples: Any, *, clock: Clock, proved: Any) -> Margin:
    return widest_in(cone, examples, proved, clock) if cone else largest(examples, clock=clock, proved=proved)


def _fewest(examples: Any, known: Any, clock: Clock, cone: Cone) -> Any:
    """Bounds on the fewest possible mistakes; `known` is a contradiction, if one was found."""
    rng = np.random.default_rng(0)
    if isinstance(examples, JointExamples):
        return import_module("rosenblatt.prove.solve.joint_optimality").interval(examples, None, rng, clock, known)
    return interval(examples, None, PREDICTED, rng, clock, known, cone)


def in_words(data: Data, proof: Contradiction | JointContradiction, most: int = 20) -> list[dict[str, Any]]:
    """The rows that contradict each other: their numbers, weights and cells.

    With more than two classes, also the class that each row is compared with; a row may occur with several.
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
