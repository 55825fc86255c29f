"""Scores of all rows, each by a rule that did not learn from the row, on the scale of the rule that learned from all.

Problem   a calibration needs scores of rows not learned from, and the rule should learn from every row.
Input     the scores of the rule that learned from all rows; of each fold, those of the rule that learned without it.
Result    the scores of the rows judged, as if the rule of all rows had not learned from them.

Rules learned from different rows differ in the length of their weights: a perceptron's weights grow with its updates.
A length changes no decision, but mixed lengths blur what a score means. So a fold's scores are multiplied by a factor:
the mean absolute score of the rule of all rows over that of the fold's rule, both over the rows that the two of them
learned from. If one rule is a multiple of the other, that is exactly the multiple, and no label changes in any case.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.rows.kernels import Array


@dataclass(frozen=True, eq=False)
class FoldScores:
    """The scores that the rule of one fold gives, with the numbers of the rows; for several classes, a column each."""

    learned: Array  # the rows it learned from
    of_learned: Array  # their scores
    judged: Array  # other rows
    of_judged: Array


def on_one_scale(of_all: Array | None, folds: Iterable[FoldScores]) -> tuple[Array, Array]:
    """The rows judged and their scores, on the scale of the rule that scores all rows as in `of_all`.

    None: all rules have one scale already, like the shares of trees. A row that several rules judged appears several
    times.
    """
    rows, scores = [], []
    for fold in folds:
        rows.append(fold.judged)
        ratio = 1.0 if of_all is None else _ratio(of_all[fold.learned], fold.of_learned)
        with np.errstate(over="ignore"):  # a score beyond all floats is infinite, as those of rules are
            scores.append(fold.of_judged * ratio)
    if not rows:
        raise DataError("no rows were judged: there must be at least one fold")
    return np.concatenate(rows), np.concatenate(scores)


def _ratio(wanted: Array, given: Array) -> float:
    """The factor that makes scores as large as those wanted, on average; 1 if one of the rules scores nothing but 0."""
    largest = [float(np.abs(each).max(initial=0.0)) for each in (wanted, given)]
    if not min(largest):
        return 1.0
    with np.errstate(all="ignore"):  # no ratio comes of infinite scores
        sums = [float(np.sum(np.abs(each) / most)) for each, most in zip((wanted, given), largest, strict=True)]
        ratio = sums[0] / sums[1] * (largest[0] / largest[1])
    return ratio if 0.0 < ratio < np.inf else 1.0
