"""Round a linear rule's weights, so that every system that it is exported to computes the same score.

Input     a fitted rule, and the rows that it was learned from.
Result    whether it could be done: the rule then has the rounded weights, whose mistakes cost no more.
"""

from math import frexp, fsum
from typing import Any

import numpy as np

from rosenblatt.desk.cost import Costs
from rosenblatt.desk.data import Data
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.margin import as_far_as_floats_go
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import rows_of
from rosenblatt.rules.rule import LinearForm, Rule
from rosenblatt.rules.schemes import ONE_VS_ONE, ONE_VS_REST
from rosenblatt.ship.export.points import short

WIDEST, ASKS = 5_000_000, 100  # numbers of a table in which a wider rule is sought; how often it asks for time


def floats_of(weights: Any) -> Any:
    """Weights as floats; whole numbers of any length are divided by what makes them fit."""
    if all(isinstance(w, float) for w in weights):
        return np.array(weights)
    shift = max(int(abs(w)).bit_length() for w in weights)
    return np.array([int(w) / 2**shift for w in weights])


def made_short(rule: Any, data: Data) -> bool:
    """Round a linear rule's weights so that its scores are exact in any order, unless mistakes then cost more.

    A rule may pass so close to a row that rounding moves the row to the other side. Then the widest rule that decides
    the same on every row takes its place, where the table is small enough to look for it.
    """
    form = rule.linear
    if form is None or form.unit_rows or form.scheme == ONE_VS_ONE:  # whose votes are not exported
        return False
    costs = Costs.of(rule, data).of_rows(data)
    bias, before, wrong = form.bias, form.weights, missed(rule, data, costs)
    if bias and frexp(bias)[0] != 0.5:
        return False
    tried: Array | None = before
    while tried is not None:
        rule.replace_weights(np.stack([_short(w, bias, data) for w in tried]))
        if missed(rule, data, costs) <= wrong:
            rule.recount(rule.examples_of(data.seen, data.y, data.weights))
            return True
        rule.replace_weights(before)
        tried = _widest(rule, form, data) if tried is before else None
    return False


def _short(w: Array, bias: float, data: Data) -> Array:
    """One rule's weights, rounded."""
    each, last = short(w[:-1], float(w[-1] * bias), data.encoding.features)
    return np.append(each, last / bias if bias else 0.0)


def _widest(rule: Rule, form: LinearForm, data: Data) -> Array | None:
    """The rule with the largest margin among those that decide as this one does, if that is quick to find."""
    said, bias, many = rule.predict(data.seen), form.bias, len(data.classes)
    if form.scheme == ONE_VS_REST or data.n * data.encoding.size * (many - 1) > WIDEST:
        return None
    if many > 2:
        several = JointExamples(rows_of(data.seen, bias=bias), said.astype(np.int64), classes=data.classes)
        widest = as_far_as_floats_go(several.signed(*several.every_pair()), False, Clock(most_asks=ASKS))
        return None if widest is None else floats_of(widest.weights)[:-1].reshape(many, -1)
    if not 0 < said.sum() < data.n:
        return None
    examples = Examples.of(data.seen, said, fit_intercept=bias != 0, bias_scale=bias or 1.0)
    widest = as_far_as_floats_go(examples, bias != 0, Clock(most_asks=ASKS))
    return None if widest is None else floats_of(widest.weights)[np.newaxis]


def missed(rule: Rule, data: Data, costs: Array) -> float:
    """What the rows that the rule gets wrong, by exact signs, cost; a sum that does not depend on its order."""
    return fsum(costs[rule.predict(data.seen) != data.y])
