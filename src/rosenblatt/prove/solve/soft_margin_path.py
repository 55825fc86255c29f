"""The soft margin for several C at once, each with its certificate; and which C is best on rows held out.

Problem   the rule of least soft-margin objective for every C of a list, and how many mistakes each kind of rule makes
          on rows that it was not learned from.
Input     rows and labels of two classes; C in any order; the number of a fold for each row, if there are folds.
Result    `SoftMarginPath`.
Method    Runs with rising C go on from one another (`learn.soft.soft.path`). A fold is the same rows, of which some
          have the weight 0: all folds share the products of columns or rows that Newton's steps are solved with, and
          every other one goes from the largest C to the least, where the next begins.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn.choices import TIES, Budget
from rosenblatt.learn.soft import soft
from rosenblatt.learn.soft.systems import System, system_for
from rosenblatt.prove.check.soft_margin import SoftMargin
from rosenblatt.prove.solve.soft_margin import certified
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import some_rows
from rosenblatt.visible import ReadableResult


@dataclass(frozen=True, repr=False, eq=False)
class SoftMarginPath(ReadableResult):
    """A certificate of the soft margin for each C, in the order asked for."""

    certificates: tuple[SoftMargin, ...]
    held_out_mistakes: (
        tuple[float, ...] | None
    )  # for each C: the weight of rows wrong in the fold they were left out of

    @property
    def best(self) -> SoftMargin:
        """The certificate for the C of the fewest mistakes on rows held out, the least of equals."""
        if self.held_out_mistakes is None:
            raise OptionError("the best C is chosen on rows held out: give folds")
        return min(zip(self.held_out_mistakes, self.certificates, strict=True), key=lambda pair: (pair[0], pair[1].C))[
            1
        ]

    def __str__(self) -> str:
        if self.held_out_mistakes is None:
            return "\n".join(str(certificate) for certificate in self.certificates)
        each = zip(self.certificates, self.held_out_mistakes, strict=True)
        return "\n".join(f"C = {c.C!r}: {wrong:g} mistakes on rows held out." for c, wrong in each)


def soft_margin_path(
    X: Any,
    y: Any,
    C: Sequence[float],
    *,
    folds: Any = None,
    sample_weight: Any = None,
    tol: float = 1e-9,
    fit_intercept: bool = True,
    bias_scale: float = 1.0,
    max_seconds: float | None = None,
) -> SoftMarginPath:
    """The least soft-margin objective of any rule for each C, as `SoftMarginPerceptron` finds it for one.

    With `folds`, a number for each row, the rows of each fold are held out in turn, and the mistakes on them are added
    up for each C. The certificates are about all rows in either case. `max_seconds` is for each list of C.

    >>> from rosenblatt import soft_margin_path
    >>> X, y = [[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]], [0, 0, 1, 0, 1, 1]
    >>> path = soft_margin_path(X, y, [0.01, 1.0, 100.0], folds=[0, 1, 2, 0, 1, 2])
    >>> [round(proof.upper, 4) for proof in path.certificates]
    [0.0275, 1.8966, 185.7551]
    >>> path.held_out_mistakes, path.best.C
    ((2.0, 2.0, 2.0), 0.01)
    """
    costs = [float(options.number("C", each, above=0)) for each in C]
    options.number("tol", tol, above=0, below=1)
    budget = Budget(max_seconds=max_seconds)
    examples = Examples.of(X, y, weights=sample_weight, fit_intercept=fit_intercept, bias_scale=bias_scale)
    system = system_for(examples)
    order = np.argsort(costs, kind="stable")
    found: list[SoftMargin | None] = [None] * len(costs)
    runs = soft.path(examples, [costs[k] for k in order], tol, system=system, budget=budget)
    for k, run in zip(order.tolist(), runs, strict=True):
        found[k] = certified(examples, run, tol)
    wrong = None
    if folds is not None:
        sums = _held_out(examples, _numbers(folds, examples.n), [costs[k] for k in order], tol, system, budget)
        wrong = tuple(sums[np.argsort(order, kind="stable")].tolist())
    return SoftMarginPath(tuple(proof for proof in found if proof is not None), wrong)


def _numbers(folds: Any, n: int) -> Array:
    """The fold of each row."""
    numbers = np.asarray(folds)
    if numbers.shape != (n,):
        raise DataError(f"{n} rows need {n} numbers of folds, not an array of shape {numbers.shape}")
    if np.unique(numbers).size < 2:
        raise DataError("there must be two folds or more")
    return numbers


def _held_out(
    examples: Examples, folds: Array, costs: list[float], tol: float, system: System, budget: Budget
) -> Array:
    """What the mistakes on the rows of each fold weigh, for rising C, if rules are learned without them."""
    every = examples.weights if examples.weights.size else np.ones(examples.n)
    start, sums, rising = None, np.zeros(len(costs)), True
    for fold in np.unique(folds):
        held = np.flatnonzero(folds == fold)
        judged = Examples(some_rows(examples.rows, held), examples.labels[held])
        others = replace(examples, weights=np.where(folds == fold, 0.0, every))
        there = costs if rising else costs[::-1]
        for k, run in enumerate(soft.path(others, there, tol, start, system=system, budget=budget)):
            wrong = find.find(judged, run.weights, TIES["minus"])[0]
            sums[k if rising else len(costs) - 1 - k] += every[held[wrong]].sum()
            start = run.weights
        rising = not rising
    return sums
