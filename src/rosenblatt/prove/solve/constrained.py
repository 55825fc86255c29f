"""Verdicts under constraints on the signs of weights: the constraints become rows.

Problem   weights in a cone K, s_j w_j >= 0 for some features j, with z_i . w > 0 for all signed rows; or a proof that
          there are none.
Method    One more row s_j e_j for every constraint, which does not see the threshold; then `separability`.
Theorem   Rows are separable in K if and only if they and the rows s_j e_j are separable.
          If w is right on all of them, s_j w_j > 0, so w is in K. Conversely, let w in K be right on every row. The
          least margin m = min z_i . w is above 0. With v = sum s_j e_j, w + e v has s_j w_j >= e > 0, and
          z_i . (w + e v) >= m - e |z_i . v| > 0 for every e > 0 small enough, as there are finitely many rows.
Ties      Where rows of a class may score 0, no small step is safe: there the row s_j e_j has the label of that class,
          so that it may score 0 as well, and "s_j w_j >= 0" is what it says. A row of zeros scores 0 with or without
          constraints.
Proofs    A contradiction sum a_i z_i + sum b_j s_j e_j = 0 says that t = sum a_i z_i points against the constraints:
          s_j t_j = -b_j <= 0. That, and t = 0 elsewhere, is what a certificate holds and the checker confirms: it
          needs no row of a constraint. At least one row is of the data, as multiples of different s_j e_j add up to 0
          only if all are 0.
"""

from dataclasses import replace

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.geometry.working_set import whole_multipliers
from rosenblatt.learn.soft import soft
from rosenblatt.prove.check import exact
from rosenblatt.prove.check.certificate import STRICT, Contradiction, Separation
from rosenblatt.prove.check.exact import Number
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.margin import Margin
from rosenblatt.prove.solve.separability import (
    NotSeparable,
    Separable,
    Verdict,
    column_sizes,
    contradiction,
    decide,
    separation,
)
from rosenblatt.rows.cone import Cone
from rosenblatt.rows.examples import NO_WEIGHTS, Examples
from rosenblatt.rows.kernels import Array, Dense
from rosenblatt.rows.storage import rows_of, table_of

MOST_OCTAVES, SOME_STEPS = 60, 20.0  # of the cost of slacks, from a low one up; passes that a soft margin takes
NARROW = 1e-3  # a gap of at most this part of the margin is enough
MODERATE = 1e-50, 1e50  # radii whose squares floats can hold


def with_rows_of_constraints(examples: Examples, cone: Cone, ties: str) -> Examples:
    """The rows, and after them one for every constraint; the threshold's constant is a column like the others.

    Rows of constraints are as long as their columns are large: no decision depends on that.
    """
    if not cone:
        return replace(examples, weights=NO_WEIGHTS)
    table, bias, label = table_of(examples.rows), examples.rows.bias, 1 if ties == "plus" else -1
    n, width, many = examples.n, examples.size - (not bias), len(cone.features)
    kind = table.dtype if float(table.dtype.type(bias)) == bias else np.float64
    places = np.arange(n, n + many), np.array(cone.features)
    sizes = column_sizes(examples)[places[1]] * np.repeat([1, -1], [len(cone.increasing), len(cone.decreasing)])
    if isinstance(examples.rows, Dense):
        whole = np.zeros((n + many, width), kind)
        whole[:n, : examples.size - 1] = table
        whole[:n, examples.size - 1 :] = bias
        whole[places] = label * sizes
    else:
        columns = [scipy.sparse.csr_array(np.full((n, 1), bias, kind))] if bias else []
        below = scipy.sparse.csr_array((label * sizes, (places[0] - n, places[1])), (many, width), dtype=kind)
        whole = scipy.sparse.vstack([scipy.sparse.hstack([table, *columns]), below], format="csr", dtype=kind)
    labels = np.append(examples.labels, np.full(many, label, np.int8))
    return Examples(rows_of(whole, bias=0.0), labels, NO_WEIGHTS, examples.classes)


def lengthened(w: Array, examples: Examples) -> Array:
    """Weights for the examples as weights for the rows of `with_rows_of_constraints`."""
    return np.append(w, 0.0) if examples.rows.bias else w


def shortened(w: tuple[Number, ...], examples: Examples) -> tuple[Number, ...]:
    """Weights for the rows of `with_rows_of_constraints` as weights for the examples."""
    return w[:-1] if examples.rows.bias else w


def of_data(proof: Contradiction, examples: Examples, cone: Cone) -> Contradiction:
    """A contradiction among the rows of `with_rows_of_constraints` as one of the examples under the constraints."""
    if not cone:
        return proof
    kept = [(row, weight) for row, weight in zip(proof.rows, proof.weights, strict=True) if row < examples.n]
    rows, weights = (tuple(part) for part in zip(*kept, strict=True))
    return contradiction(examples, proof.ties, rows, weights, whole=proof.exact, cone=cone)


def decide_in(
    cone: Cone, examples: Examples, ties: str = "mistake", clock: Clock | None = None, *, learning: bool = True
) -> Verdict:
    """The verdict under constraints."""
    if not cone or ties == "correct":
        return decide(examples, ties, clock, learning=learning)
    verdict = decide(with_rows_of_constraints(examples, cone, ties), ties, clock, learning=learning)
    if isinstance(verdict, NotSeparable):
        return NotSeparable(of_data(verdict.certificate, examples, cone))
    if not isinstance(verdict, Separable):
        return verdict
    found = verdict.certificate
    kept = {r: k for r, k in zip(found.support, found.multipliers, strict=True) if r < examples.n} or {0: 1}
    weights = shortened(found.weights, examples)
    return Separable(separation(examples, ties, weights, tuple(kept), tuple(kept.values()), cone=cone))


def widest_in(cone: Cone, examples: Examples, proved: Separation, clock: Clock) -> Margin:
    """Nearly the largest margin under constraints, for rows proved separable under them; it includes the threshold.

    A soft margin comes as near to it as wanted when its slacks cost more and more; its multipliers bound the margin. If
    rows are so long or short that floats cannot hold their squares, the bounds already proved are returned.
    """
    best, octaves = proved, range(0, MOST_OCTAVES, 6) if MODERATE[0] < examples.radius < MODERATE[1] else ()
    for octave in octaves:
        if clock.late(examples.rows.values.size * SOME_STEPS):
            break
        run = soft.learn(examples, 2.0**octave / examples.radius**2, cone=cone)
        if not run.support.size or exact.mistakes(examples, run.weights.tolist(), STRICT).size:
            continue
        found = tuple(run.support.tolist()), whole_multipliers(run.duals[run.support])
        best = separation(examples, STRICT, tuple(run.weights.tolist()), *found, cone=cone)
        if best.upper - best.lower <= NARROW * best.upper:
            break
    return Margin(best.lower, best.upper, best.weights, best)


def margin_in(cone: Cone, examples: Examples, clock: Clock) -> Margin:
    """The largest margin under constraints; if the rows are not separable under them, that it is not above 0."""
    verdict = decide_in(cone, examples, clock=clock)
    if isinstance(verdict, Separable):
        return widest_in(cone, examples, verdict.certificate, clock)
    longest = 2 * examples.radius
    if isinstance(verdict, NotSeparable):
        return Margin(-longest, 0.0, (), verdict.certificate)
    return Margin(-longest, longest, (), None)
