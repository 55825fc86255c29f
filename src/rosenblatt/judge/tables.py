"""Probabilities as tables of scores, which every engine reads alike: the form that a model ships.

Problem   the probability of yes at each score, with the same bits in Python, SQL, ONNX and PMML.
Input     rows that the rule was not learned from (or cross-fitted scores), and a method.
Result    steps; for several classes, steps for each class by its lead over the highest other.

sigmoid     Platt's, cut into steps of a sixteenth of its exponent: that changes a probability by at most 0.008, and a
            Brier score by about 0.00002. Beyond the scores seen, the last step goes on: there, a curve that rises for
            ever would be a guess.
isotonic    what the rows say, as long as it rises with the score; it steps halfway between scores.
venn-abers  a lower and an upper probability, rounded outwards to thousandths.
merged      the single probability between those two, in steps as coarse as a sigmoid's: it follows the rows as isotonic
            ones do, but is never 0 or 1.
"""

from math import ceil, floor, log10
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.judge.calibration import (
    ByLead,
    OneVsRest,
    Sigmoid,
    Steps,
    VennAbers,
    ahead,
    isotonic,
    sigmoid,
    venn_abers,
)
from rosenblatt.judge.scored import Scored
from rosenblatt.options import one_of
from rosenblatt.rows.kernels import Array
from rosenblatt.vocabulary import CALIBRATIONS

SIGMOID, ISOTONIC, MERGED, VENN_ABERS = METHODS = CALIBRATIONS
STEP, FARTHEST = 1 / 16, 12.0  # of the exponent
DECIMALS = 6  # of a probability
TINY = 1e-9  # of the rows: the weight of a step that has none
FINE = 100  # an edge is moved by at most this part of a step, to be a short number


def tables_of(method: str, scores: Array, codes: Array, weights: Any = None) -> Steps | VennAbers | OneVsRest:
    """The probabilities that a model ships; of several classes, scores have a column for each, codes count from 0."""
    if scores.ndim == 1:
        return table_of(method, Scored.of(scores, codes == 1, weights))
    for code in range(scores.shape[1]):
        if not (codes == code).any():
            raise DataError(f"calibration needs rows of every class, and class {code} has none")
    each = (Scored.of(column, codes == code, weights) for code, column in enumerate(ahead(scores).T))
    return ByLead(tuple(table_of(method, rows) for rows in each))


def table_of(method: str, rows: Scored) -> Steps | VennAbers:
    """The table for one score."""
    if one_of("method", method, METHODS) == SIGMOID:
        return steps_of(sigmoid(rows), rows)
    if method in (MERGED, VENN_ABERS):
        found = venn_abers(rows)
        return coarse(found.merged, rows) if method == MERGED else rounded_outwards(found)
    steps = isotonic(rows)
    return Steps(tuple(halfway(np.array(steps.edges), rows.scores).tolist()), steps.values)


def rounded_outwards(found: VennAbers) -> VennAbers:
    """The lower probabilities rounded down and the upper ones up, to thousandths: a table of any rows is then short.

    The new interval contains the one that it was made from, so what holds for that one holds for it.
    """
    lower, upper = np.floor(1000 * np.array(found.lower)) / 1000, np.ceil(1000 * np.array(found.upper)) / 1000
    new = (lower[1:] != lower[:-1]) | (upper[1:] != upper[:-1])
    kept = np.append(True, new)
    return VennAbers(
        tuple(np.array(found.edges)[new].tolist()), tuple(lower[kept].tolist()), tuple(upper[kept].tolist())
    )


def _first_of_cells(values: Array) -> Array:
    """The places where probabilities enter another sixteenth of the exponent."""
    with np.errstate(divide="ignore"):
        exponents = np.log(values) - np.log1p(-values)
    cell = np.floor(np.clip(exponents, -FARTHEST, FARTHEST) / STEP)
    return np.flatnonzero(np.append(True, cell[1:] != cell[:-1]))


def coarse(steps: Steps, rows: Scored) -> Steps:
    """The steps within each sixteenth of the exponent joined into one, with the mean value of the rows there."""
    values, groups = np.array(steps.values), rows.groups
    first = _first_of_cells(values)
    place = np.searchsorted(np.array(steps.edges), groups.scores, side="right")
    there = np.bincount(place, groups.all, values.size) + TINY * float(groups.all.sum())  # a few steps have no row
    means = np.add.reduceat(values * there, first) / np.add.reduceat(there, first)
    found = np.maximum.accumulate(np.clip(means, values[first], 1.0))  # against rounding
    return Steps(tuple(np.array(steps.edges)[first[1:] - 1].tolist()), tuple(found.tolist()))


def halfway(edges: Array, scores: Array) -> Array:
    """Edges at some of the scores, each moved halfway to the next lower one, if there is a number between them."""
    known = np.unique(scores)
    place = np.searchsorted(known, edges)
    below = known[np.maximum(place - 1, 0)]
    middle = below / 2 + edges / 2
    return np.where((place > 0) & (below < middle) & (middle < edges), middle, edges)


def steps_of(curve: Sigmoid, rows: Scored) -> Steps:
    """A sigmoid as steps over the scores of these rows; its mean there, if it does not rise with the score.

    There is an edge where it is 1/2, and edges are rounded to few digits.
    """
    groups = rows.groups
    if not curve.a < 0:
        return Steps((), (round(float(np.average(curve.of(groups.scores), weights=groups.all)), DECIMALS),))
    with np.errstate(all="ignore"):
        ends = np.clip(-(curve.a * groups.scores[[0, -1]] + curve.b), -FARTHEST, FARTHEST) / STEP
        first, last = ceil(ends[0]), floor(ends[1])
        edges = _short((STEP * np.arange(first, last + 1) + curve.b) / -curve.a, STEP / -curve.a)
    middles = STEP * (np.arange(first - 1, last + 1) + 0.5)
    values = np.round(1.0 / (1.0 + np.exp(-middles)), DECIMALS)
    new = np.isfinite(edges) & (np.append(edges[1:], np.inf) > edges) & (values[1:] > values[:-1])
    return Steps(tuple(edges[new].tolist()), tuple(values[np.append(True, new)].tolist()))


def _short(edges: Array, width: float) -> Array:
    """The edges, rounded to decimals that are small against the width of a step."""
    if not 0.0 < width < np.inf:
        return edges
    return np.array([round(edge, ceil(log10(FINE) - log10(width))) for edge in edges.tolist()])
