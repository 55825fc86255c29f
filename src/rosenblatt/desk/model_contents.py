"""A model's rule as points and as a scorecard."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.desk.data import Data
from rosenblatt.errors import OptionError
from rosenblatt.read.encode.columns import StepColumn
from rosenblatt.rows.door import is_sparse
from rosenblatt.ship.explain.card_parts import Part
from rosenblatt.ship.explain.scorecard import Scorecard, scorecard
from rosenblatt.ship.export.points import PointRule
from rosenblatt.ship.file.modelfile import Model


def points_of(model: Model) -> PointRule:
    """The rule as points."""
    return PointRule.of(model.table_encoding, model.rule)


def shown_points(model: Model) -> PointRule:
    """The rule as points above the model's cut-off, if it has a single one: for people, since a sum may be rounded."""
    points = points_of(model)
    if (cut := _cut_off(model)) is None:
        return points
    return replace(points, intercepts=(points.intercepts[0] - cut,), zero_is_yes=True)


def _cut_off(model: Model) -> float | None:
    """The only cut-off, if there is one besides the rule's own threshold."""
    decision = model.decision
    return None if decision is None or decision.rung is None or decision.asks else decision.rung.upper


def in_points(model: Model, card: Scorecard, score: Any) -> Any:
    """Scores as points above the cut-off."""
    cut = _cut_off(model)
    return (score if cut is None else score - cut) * float(card.factor)


def card_of(model: Model) -> Scorecard:
    """The scorecard of a model's rule, measured from its average training row, or in its whole points."""
    points, judged = shown_points(model), model.held_out or {}
    whole = _in_whole_points(points, judged.get("means")) if judged.get("whole_points") is True else None
    card = whole or scorecard(points, means=judged.get("means"))
    asks = model.decision is not None and model.decision.asks
    return replace(card, people=model.decision.rung) if asks and model.decision is not None else card


def with_rates(card: Scorecard, data: Data) -> Scorecard:
    """The card with the share of its class in every step, among these rows; rows count as their weights."""
    weights, begin = np.ones(data.n) if data.weights is None else data.weights, 0
    for column in data.encoding.used:
        if isinstance(column, StepColumn):
            many, own = len(column.edges), data.X[:, begin : begin + column.size]
            own = np.asarray(own.toarray() if is_sparse(own) else own)
            step = own[:, :many].sum(axis=1).astype(np.int64)
            step[own[:, many:].any(axis=1)] = many + 1
            rows = np.bincount(step, weights, many + 2)
            cards = []
            for each in card.cards:
                yes = np.bincount(step, weights * (data.y == data.classes.index(each.label)), many + 2)
                rates = [float(some / all_) if all_ else None for some, all_ in zip(yes, rows, strict=True)]
                cards.append(replace(each, parts=tuple(_with_rates(part, column.name, rates) for part in each.parts)))
            card = replace(card, cards=tuple(cards))
        begin += column.size
    return card


def _with_rates(part: Part, name: str, rates: Sequence[float | None]) -> Part:
    if part.column != name:
        return part
    return replace(part, lines=tuple(replace(line, rate=k) for line, k in zip(part.lines, rates, strict=True)))


def has_whole_points(model: Model) -> bool:
    """Whether the rule is a sum of small whole points."""
    return (points := _points_if_any(model)) is not None and _in_whole_points(points) is not None


def has_exact_points(model: Model) -> bool:
    """Whether the rule is a sum of points that is never rounded."""
    return (points := _points_if_any(model)) is not None and points.exact


def _in_whole_points(points: PointRule, means: Sequence[float] | None = None) -> Scorecard | None:
    from rosenblatt.ship.explain.integers import whole_card  # which few models need

    return whole_card(points, means)


def _points_if_any(model: Model) -> PointRule | None:
    try:
        return points_of(model)
    except OptionError:
        return None
