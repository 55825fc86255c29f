"""A rule in small whole points: chosen on the training rows, judged on the held-out ones."""

from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from math import fsum
from typing import Any

import numpy as np

from rosenblatt.desk.cost import Costs
from rosenblatt.desk.data import Data
from rosenblatt.desk.judging.error_rate import HELD_OUT, ErrorEstimate
from rosenblatt.desk.model import means_of
from rosenblatt.desk.model_contents import points_of
from rosenblatt.desk.profile import profile_of
from rosenblatt.desk.split import HoldOut
from rosenblatt.errors import OptionError
from rosenblatt.plurals import many
from rosenblatt.ship.explain.integers import IntegerCard, integers, wrong_rows
from rosenblatt.ship.file.modelfile import Model


@dataclass(frozen=True)
class WholePoints:
    """The scorecard, its error on held-out rows, and the model with these points."""

    chosen: IntegerCard
    error: ErrorEstimate | None  # on held-out rows
    error_before: ErrorEstimate | None  # of the unrounded points
    costs: tuple[float, float]  # of the mistakes before and after rounding
    model: Model

    @property
    def statement(self) -> str:
        """What the whole points cost."""
        if self.error is None or self.error_before is None:
            return self.chosen.statement
        where = f"{self.chosen.statement} On the {many(self.error.rows, 'held-out row')}, they"
        if self.chosen.costs is not None:
            return f"{where} cost {self.costs[0]:,.6g} and the unrounded points {self.costs[1]:,.6g}."
        made = f"{where} make {many(self.error.mistakes, 'mistake')}"
        return f"{made} and the unrounded points {self.error_before.mistakes:,}."

    def as_record(self) -> dict[str, Any]:
        """The result as plain lists, numbers and texts."""
        both = {"held_out": self.error, "held_out_before": self.error_before}
        return {
            **self.chosen.as_record(),
            "statement": self.statement,
            **{name: error and asdict(error) for name, error in both.items()},
        }


def whole_points(model: Model, data: Data, largest: int | str) -> WholePoints:
    """Choose whole points on a table; if the rule was learned from it, the held-out rows are left out."""
    if model.decision is not None:
        raise OptionError("the model's cut-offs and probabilities are for its own points, so it keeps those")
    points, judged = points_of(model), model.held_out or {}
    part, seed = float(judged.get("part") or 0.0), int(judged.get("seed") or 0)
    out = HoldOut(part, seed)(0, data.n)
    by, rest = data.some(~out), data.some(out)
    if not part or by.fingerprint != model.data:
        by, rest, part, seed = data, data.some(np.zeros(data.n, bool)), 0.0, 0
    costs = Costs.of(model.rule, by)
    chosen = integers(points, by.X, by.y, costs=costs.of_rows(by), largest=largest)
    wrong = [wrong_rows(each, rest.X, rest.y) if rest.n else np.zeros(0, bool) for each in (chosen.points, points)]
    error, before = (ErrorEstimate.of(int(each.sum()), rest.n, HELD_OUT) if rest.n else None for each in wrong)
    of_rest = fsum(costs.of_rows(rest)[wrong[0]]), fsum(costs.of_rows(rest)[wrong[1]])
    return WholePoints(chosen, error, before, of_rest, _with_points(model, chosen, by, rest, (part, seed), error))


def _with_points(
    model: Model, chosen: IntegerCard, by: Data, rest: Data, how: tuple[float, int], error: ErrorEstimate | None
) -> Model:
    """The model with these points as its weights."""
    rule, points = deepcopy(model.rule), chosen.points
    bias = rule.linear.bias or 1.0
    rows = [[*w, b / bias] for w, b in zip(points.weights, points.intercepts, strict=True)]
    rule.replace_weights(np.array(rows))
    rule.recount(rule.examples_of(by.seen, by.y, by.weights))
    wrong = rule.predict(by.seen) != by.y
    judged: dict[str, Any] = {
        "part": how[0],
        "folds": 0,
        "seed": how[1],
        "weights": by.weight_column,
        "trained_rows": by.n,
        "trained_mistakes": int(wrong.sum()),
        "trained_cost": fsum(Costs.of(rule, by).of_rows(by)[wrong]),
        "exact": points.exact,
        "whole_points": True,
        "error": error and asdict(error),
        "means": means_of(by),
    }
    made = replace(model, rule=rule, certificates=(), data=by.fingerprint, held_out=judged)
    return replace(made, profile=profile_of(made, by, rest))
