"""From scores of rows not learned from to a decision: cut-offs by cost, by rate or with a guarantee; probabilities.

Input     rows with scores by rules that did not learn from them, on the scale of the rule to ship (`crossfit`); for a
          guarantee, more rows, which neither those rules nor the one to ship learned from, scored by the one to ship.
Result    `Decided`: the decision to ship, and how each part of it was found.

What is chosen on cross-fitted rows (the ladder, the cut-off by cost, the tables) is fixed before the other rows are
looked at, so that the guarantee is exact. Cut-offs lie halfway between two scores of these rows: the rule to ship has
others, and a tree's leaves may have shares only just below those of the trees that left a fold out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from sys import float_info
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.judge.abstain import (
    ARE_NO,
    ARE_YES,
    DECIDED,
    SAID_NO,
    SAID_YES,
    Abstention,
    Tolerance,
    choose,
    surest_rung,
)
from rosenblatt.judge.calibration import sigmoid
from rosenblatt.judge.cutoff import CutOff, by_cost, by_share
from rosenblatt.judge.decision import Decision, leads
from rosenblatt.judge.ladder import YES, Ladder, Rung
from rosenblatt.judge.scored import Names, Scored
from rosenblatt.judge.tables import VENN_ABERS, halfway, steps_of, tables_of
from rosenblatt.plurals import many
from rosenblatt.rows.kernels import Array

FEWEST = 5  # rows of each class, to score each row by a rule that was learned without it
SAID = "said:"  # before a class: among the rows that are given this label


@dataclass(frozen=True, eq=False)
class NotLearnedFrom:
    """Rows with scores by rules that did not learn from them."""

    y: Array  # the codes of their classes, from 0
    scores: Array  # for several classes, a column for each
    own: Array  # the codes that those rules give the rows
    weights: Array | None = None
    fold: Array | None = None  # which of those rules scored the row

    def some(self, chosen: Array) -> "NotLearnedFrom":
        """Some of the rows."""
        weights, fold = (None if each is None else each[chosen] for each in (self.weights, self.fold))
        return NotLearnedFrom(self.y[chosen], self.scores[chosen], self.own[chosen], weights, fold)

    @property
    def scored(self) -> Scored:
        """The score and whether the row is yes; with several classes, the lead and whether the first class is right."""
        if self.scores.ndim == 2:
            return Scored.of(leads(self.scores), self.own == self.y, self.weights)
        return Scored.of(self.scores, self.y == 1, self.weights)


@dataclass(frozen=True)
class Aims:
    """What is wanted of a decision: costs or a rate, probabilities, and error rates to guarantee."""

    costs: Mapping[Any, float] = field(default_factory=dict)  # of a mistake on a class; 1 for those not named
    rate: float | None = None  # of yes
    method: str | None = None  # of the probabilities
    tolerances: tuple[Tolerance, ...] = ()  # to be guaranteed, whatever mistakes cost
    confidence: float = 0.95
    exact: bool = False  # whether Venn-Abers probabilities are to be made from the rows set aside


@dataclass(frozen=True, eq=False)
class Decided:
    """The decision to ship, and how it was found."""

    decision: Decision
    cut_off: CutOff | None = None  # by cost or by rate
    stays: str | None = None  # why the rule keeps its own threshold, if costs were given
    guarantee: Abstention | None = None
    method: str | None = None  # of the probabilities

    @property
    def guaranteed(self) -> str | None:
        """The guarantee in words."""
        if self.guarantee is None:
            return None
        of_lead = self.guarantee.names == names_of(())
        return self.guarantee.statement.replace(" a score of ", " a lead of ") if of_lead else self.guarantee.statement


def names_of(classes: Sequence[Any]) -> Names:
    """What no and yes are called; with several classes, yes means that the class with the highest score is right."""
    several = "another class", "the class with the highest score"
    return (str(classes[0]), str(classes[1])) if len(classes) == 2 else several


def counted_among(label: Any, classes: Sequence[Any]) -> str | None:
    """The rows that errors are counted among: for None, all that are decided; for a class, its rows; for said:CLASS,
    those with that label. None if the label is none of these."""
    known: dict[Any, str] = {None: DECIDED}
    known |= {SAID + str(each): kind for each, kind in zip(classes, (SAID_NO, SAID_YES), strict=False)}
    known |= dict(zip(classes, (ARE_NO, ARE_YES), strict=False))
    return known.get(label)


def refuse_few_of_a_class(y: Array, counted: Array, classes: Sequence[Any], fewest: int = FEWEST) -> None:
    """Refuse a class with so few rows that no rule could be learned without some of them."""
    for code, label in enumerate(classes):
        rows = int(np.count_nonzero((y == code) & counted))
        if rows < fewest:
            raise DataError(
                f"class {label!r} has {many(rows, 'training row')}; cut-offs and probabilities need at least {fewest} "
                "of each class, because each row is scored by a rule that was learned without it"
            )


def decided(
    aims: Aims, classes: Sequence[Any], rows: NotLearnedFrom, set_aside: NotLearnedFrom | None = None
) -> Decided:
    """The decision to ship; `set_aside` are the rows that a guarantee is tested on.

    What is proved about Venn-Abers probabilities holds only if they, too, are made from such rows, scored by one rule.
    """
    found = without_guarantee(aims, classes, rows)
    if set_aside is None or not set_aside.y.size:
        return found
    if aims.exact and aims.method == VENN_ABERS:
        probability = tables_of(VENN_ABERS, set_aside.scores, set_aside.y, set_aside.weights)
        found = replace(found, decision=replace(found.decision, probability=probability))
    if not aims.tolerances:
        return found
    ladder = ladder_for(aims.tolerances, rows)
    first = surest_rung(set_aside.y.size, ladder, aims.tolerances, rows.scored)
    shown = choose(set_aside.scored, ladder, aims.tolerances, aims.confidence, names_of(classes), first)
    chosen = Rung(shown.chosen.lower, shown.chosen.upper)
    return replace(found, decision=replace(found.decision, rung=chosen), guarantee=shown)


def without_guarantee(aims: Aims, classes: Sequence[Any], rows: NotLearnedFrom) -> Decided:
    """The cut-off by cost or by rate, and the probabilities."""
    cut_off, stays, method = None, None, aims.method
    if len(classes) == 2 and aims.costs and not aims.tolerances:
        cut_off, stays = _by_cost(aims.costs, classes, rows)
    elif aims.rate is not None:
        cut_off = _amid(by_share(rows.scores, aims.rate, names_of(classes)), rows.scores)
    probability = None if method is None else tables_of(method, rows.scores, rows.y, rows.weights)
    return Decided(Decision(None if cut_off is None else single(cut_off), probability), cut_off, stays, None, method)


def _by_cost(
    costs: Mapping[Any, float], classes: Sequence[Any], rows: NotLearnedFrom
) -> tuple[CutOff | None, str | None]:
    """The cut-off of least cost; or, if chance may explain what it saves, why the rule keeps its own threshold.

    The best of many cut-offs on some rows owes part of that to luck, and the more so the fewer rows there are.
    """
    each = np.array([float(costs.get(label, 1.0)) for label in classes])
    found = _amid(by_cost(rows.scored, each[0], each[1], names_of(classes)), rows.scores)
    of_rows = each[rows.y] if rows.weights is None else each[rows.y] * rows.weights
    own, other = (of_rows * (said != rows.y) for said in (rows.own, single(found).of(rows.scores) == YES))
    saved, chance = float((own - other).sum()), float(np.sqrt(((own - other) ** 2).sum()))
    if saved > chance:
        return found, None
    return None, (
        f"The rule keeps its own threshold: mistakes cost {own.sum():,.6g} there, and the cheapest cut-off, at a score "
        f"of {found.at or 0.0:.6g}, would save only {max(saved, 0.0):,.6g}, which may be chance."
    )


def _amid(cut_off: CutOff, scores: Array) -> CutOff:
    """The cut-off moved halfway to the next lower score, which changes nothing on these rows."""
    return cut_off if cut_off.at is None else replace(cut_off, at=_between(cut_off.at, scores))


def _between(at: float | None, scores: Array) -> float | None:
    return None if at is None else float(halfway(np.array([at]), scores)[0])


def single(cut_off: CutOff) -> Rung:
    """A single cut-off, which leaves no row to people; if yes is never said, it is out of reach of any score."""
    at = float_info.max if cut_off.at is None else cut_off.at
    return Rung(at, at)


def ladder_for(tolerances: Iterable[Tolerance], rows: NotLearnedFrom) -> Ladder:
    """The cut-offs to test: single ones if errors of only one kind are limited, else pairs, the surest first."""
    found, scores = _ladder_at_scores({tolerance.among for tolerance in tolerances}, rows), rows.scored.scores
    moved = [replace(one, lower=_between(one.lower, scores), upper=_between(one.upper, scores)) for one in found.rungs]
    return Ladder(tuple(moved))


def _ladder_at_scores(limited: set[str], rows: NotLearnedFrom) -> Ladder:
    scored = rows.scored
    if rows.scores.ndim == 2:
        return Ladder.from_top(scored.scores, below="ask")
    if limited <= {SAID_YES, ARE_NO}:
        return Ladder.from_top(scored.scores)
    if limited <= {SAID_NO, ARE_YES}:
        return Ladder.from_bottom(scored.scores)
    return Ladder.by_chance(steps_of(sigmoid(scored), scored), scored.scores)
