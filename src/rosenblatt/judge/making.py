"""From scores of rows not learned from to a decision: cut-offs by cost, by rate or with a guarantee; probabilities.

Input     rows with scores by rules that did not learn from them, on the scale of the rule to ship (`crossfit`); for a
          guarantee, more rows, which neither those rules nor the one to ship learned from, scored by the one to ship.
Result    `Decided`: the decision to ship, and how each part of it was found.

What is chosen on cross-fitted rows (the ladder, the cut-off by cost, the tables) is fixed before the other rows are
looked at, so that the guarantee is exact. Cut-offs lie halfway between two scores of these rows: the rule to ship has
others, and a tree's leaves may have shares only just below those of the trees that left a fold out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from sys import float_info
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.judge.abstain import ARE_NO, ARE_YES, DECIDED, SAID_NO, SAID_YES, Abstention, Tolerance, choose
from rosenblatt.judge.calibration import sigmoid
from rosenblatt.judge.cutoff import CutOff, by_cost, by_share
from rosenblatt.judge.decision import Decision, leads
from rosenblatt.judge.ladder import Ladder, Rung
from rosenblatt.judge.scored import Names, Scored
from rosenblatt.judge.tables import MERGED, METHODS, SIGMOID, VENN_ABERS, halfway, steps_of, tables_of
from rosenblatt.options import one_of
from rosenblatt.plurals import many
from rosenblatt.rows.kernels import Array

AUTO = "auto"
FEWEST = 5  # rows of each class that scores of new rows are made from
SAID = "said:"  # before a class: of the rows said to be of this class


@dataclass(frozen=True, eq=False)
class NotLearnedFrom:
    """Rows with scores by rules that did not learn from them."""

    y: Array  # the codes of their classes, from 0
    scores: Array  # for several classes, a column for each
    own: Array  # the codes that those rules give the rows
    weights: Array | None = None

    def some(self, chosen: Array) -> "NotLearnedFrom":
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[chosen]
        return NotLearnedFrom(self.y[chosen], self.scores[chosen], self.own[chosen], weights)

    @property
    def scored(self) -> Scored:
        """The score and whether the row is yes; with several classes, the lead and whether the first class is right."""
        if self.scores.ndim == 2:
            return Scored.of(leads(self.scores), self.own == self.y, self.weights)
        return Scored.of(self.scores, self.y == 1, self.weights)


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a decision."""

    costs: Mapping[Any, float] | None = None  # of a mistake on a class; 1 for those not named
    rate: float | None = None  # of yes
    method: str | None = None  # of the probabilities; "auto": merged; of rows with weights, a sigmoid
    tolerances: tuple[Tolerance, ...] = ()  # to be guaranteed
    confidence: float = 0.95


@dataclass(frozen=True, eq=False)
class Decided:
    """The decision to ship, and how it was found."""

    decision: Decision
    cut_off: CutOff | None = None  # by cost or by rate
    guarantee: Abstention | None = None
    method: str | None = None  # of the probabilities


def names_of(classes: Sequence[Any]) -> Names:
    """What no and yes are called; with several classes, yes means that the class with the highest score is right."""
    several = "another class", "the class with the highest score"
    return (str(classes[0]), str(classes[1])) if len(classes) == 2 else several


def among(label: Any, classes: Sequence[Any]) -> str | None:
    """Among which rows errors are counted: all that are decided (None), those of a class, those said to be; or None."""
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
                f"there are {many(rows, 'training row')} of class {label!r}; cut-offs and probabilities are found on "
                f"scores of rows not learned from, which takes at least {fewest} of each class"
            )


def decided(
    wanted: Wanted, classes: Sequence[Any], rows: NotLearnedFrom, held: NotLearnedFrom | None = None
) -> Decided:
    """The decision to ship; `held` are the rows that a guarantee is shown on.

    Where there are such rows, Venn-Abers probabilities are theirs, too: what is proved of them holds for rows that one
    rule did not learn from, not for scores of several.
    """
    found = without_guarantee(wanted, classes, rows)
    if held is not None and found.method == VENN_ABERS:
        probability = tables_of(VENN_ABERS, held.scores, held.y, held.weights)
        found = replace(found, decision=replace(found.decision, probability=probability))
    if not wanted.tolerances:
        return found
    assert held is not None
    ladder = ladder_for(wanted.tolerances, rows, found.cut_off)
    shown = choose(held.scored, ladder, wanted.tolerances, wanted.confidence, names_of(classes))
    chosen = Rung(shown.chosen.lower, shown.chosen.upper)
    return replace(found, decision=replace(found.decision, rung=chosen), guarantee=shown)


def without_guarantee(wanted: Wanted, classes: Sequence[Any], rows: NotLearnedFrom) -> Decided:
    """The cut-off by cost or by rate, and the probabilities."""
    cut_off, method, names = None, wanted.method, names_of(classes)
    if len(classes) == 2 and wanted.costs:
        false_no, false_yes = (float(wanted.costs.get(label, 1.0)) for label in (classes[1], classes[0]))
        cut_off = _amid(by_cost(rows.scored, false_yes, false_no, names), rows.scores)
    elif wanted.rate is not None:
        cut_off = _amid(by_share(rows.scores, wanted.rate, names), rows.scores)
    if method is not None and one_of("method", method, (AUTO, *METHODS)) == AUTO:
        method = (
            MERGED if rows.weights is None else SIGMOID
        )  # what is proved of the former is for rows that count alike
    probability = None if method is None else tables_of(method, rows.scores, rows.y, rows.weights)
    return Decided(Decision(_single(cut_off), probability), cut_off, None, method)


def _amid(cut_off: CutOff, scores: Array) -> CutOff:
    """The same on these rows, halfway to the next lower score."""
    return cut_off if cut_off.at is None else replace(cut_off, at=_between(cut_off.at, scores))


def _between(at: float | None, scores: Array) -> float | None:
    return None if at is None else float(halfway(np.array([at]), scores)[0])


def _single(cut_off: CutOff | None) -> Rung | None:
    """A single cut-off, which leaves nothing to people; where yes is never said, no score reaches it."""
    if cut_off is None:
        return None
    at = float_info.max if cut_off.at is None else cut_off.at
    return Rung(at, at)


def ladder_for(tolerances: Iterable[Tolerance], rows: NotLearnedFrom, cut_off: CutOff | None = None) -> Ladder:
    """What to try: one cut-off if errors of only one kind are limited, else pairs, the surest decisions first."""
    found = _ladder_at_scores({tolerance.among for tolerance in tolerances}, rows, cut_off)
    scores = rows.scored.scores
    moved = [replace(one, lower=_between(one.lower, scores), upper=_between(one.upper, scores)) for one in found.rungs]
    return Ladder(tuple(moved))


def _ladder_at_scores(limited: set[str], rows: NotLearnedFrom, cut_off: CutOff | None) -> Ladder:
    scored = rows.scored
    if rows.scores.ndim == 2:
        return Ladder.from_top(scored.scores, below="ask")
    if limited <= {SAID_YES, ARE_NO}:
        return Ladder.from_top(scored.scores)
    if limited <= {SAID_NO, ARE_YES}:
        return Ladder.from_bottom(scored.scores)
    if cut_off is not None and cut_off.at is not None:
        return Ladder.around(cut_off.at, scored.scores)
    return Ladder.by_chance(steps_of(sigmoid(scored), scored), scored.scores)
