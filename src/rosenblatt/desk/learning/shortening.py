"""Rounds a linear rule's weights so that every system it is exported to computes the same score.

Input     a fitted rule and its training rows.
Result    whether it was possible: the rule then has rounded weights, and its mistakes cost no more than before.
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

WIDEST, ASKS = 5_000_000, 100  # numbers in a table where a wider margin is searched for; steps of that search


def floats_of(weights: Any) -> Any:
    """Weights as floats; whole numbers of any length are first divided by a power of two that makes them fit."""
    if all(isinstance(w, float) for w in weights):
        return np.array(weights)
    shift = max(int(abs(w)).bit_length() for w in weights)
    return np.array([int(w) / 2**shift for w in weights])


def made_short(rule: Any, data: Data) -> bool:
    """Round a linear rule's weights so that sums are exact in any order, unless mistakes then cost more.

    The boundary may pass so close to a row that rounding moves the row to the other side. The rule with the largest
    margin that decides every row alike then takes its place, if the table is small enough to search for it, and if no
    constraints are to be kept. Rounding itself changes no sign.
    """
    form = rule.linear
    if form is None or form.unit_rows or form.scheme == ONE_VS_ONE:  # votes are not exported
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
        tried = _widest(rule, form, data) if tried is before and not rule.cone else None
    return False


def _short(w: Array, bias: float, data: Data) -> Array:
    """One weight vector, rounded."""
    each, last = short(w[:-1], float(w[-1] * bias), data.encoding.features)
    return np.append(each, last / bias if bias else 0.0)


def _widest(rule: Rule, form: LinearForm, data: Data) -> Array | None:
    """The rule with the largest margin among those that decide every row alike, if it is quick to find."""
    predicted, bias, many = rule.predict(data.seen), form.bias, len(data.classes)
    if form.scheme == ONE_VS_REST or data.n * data.encoding.size * (many - 1) > WIDEST:
        return None
    if many > 2:
        several = JointExamples(rows_of(data.seen, bias=bias), predicted.astype(np.int64), classes=data.classes)
        widest = as_far_as_floats_go(several.signed(*several.every_pair()), False, Clock(most_asks=ASKS))
        return None if widest is None else floats_of(widest.weights)[:-1].reshape(many, -1)
    if not 0 < predicted.sum() < data.n:
        return None
    examples = Examples.of(data.seen, predicted, fit_intercept=bias != 0, bias_scale=bias or 1.0)
    widest = as_far_as_floats_go(examples, bias != 0, Clock(most_asks=ASKS))
    return None if widest is None else floats_of(widest.weights)[np.newaxis]


def missed(rule: Rule, data: Data, costs: Array) -> float:
    """The total cost of the rule's mistakes, by exact signs and independent of the order of summation."""
    return fsum(costs[rule.predict(data.seen) != data.y])
