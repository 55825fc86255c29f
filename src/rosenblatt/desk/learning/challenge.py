"""Compares other rules, such as trees and kernels, with the best linear one, on the same folds.

The linear rule is the simpler one, so another takes its place only if it errs less by more than noise.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.desk.data import Data
from rosenblatt.desk.learning.choosing import FOR_NEW_ROWS, Chosen, options_of, rule_of
from rosenblatt.learn.selection.column_path import NOISE, percent
from rosenblatt.learn.selection.comparison import Comparison
from rosenblatt.registry import ALGORITHMS
from rosenblatt.rows.kernels import Array

if TYPE_CHECKING:
    from rosenblatt.desk.learning.train import TrainingOptions


@dataclass(frozen=True)
class Challenger:
    """Another rule: its error on rows not learned from, that of the best linear rule, and the noise in between."""

    algorithm: str
    error: float
    linear: float
    noise: float

    @property
    def wins(self) -> bool:
        """Whether it errs less by more than noise."""
        return self.linear - self.error > NOISE * self.noise

    @property
    def note(self) -> str:
        """Why it was not chosen."""
        return (
            f"{self.algorithm} errs on {percent(self.error)} of rows not learned from, the best linear rule on "
            f"{percent(self.linear)}: the linear rule stays, as it is simpler and not worse by more than noise"
        )

    @property
    def chosen(self) -> Chosen:
        """The choice of this algorithm, with the reason."""
        errs = f"it errs on {percent(self.error)} of rows not learned from"
        return Chosen(self.algorithm, f"{FOR_NEW_ROWS}: {errs}, the best linear rule on {percent(self.linear)}")


def challenger(algorithm: str, data: Data, rows: Array, found: Comparison, training: "TrainingOptions") -> Challenger:
    """Learn with this algorithm from the same rows of every split as the linear rules, and judge it alike."""
    theirs, wrong = data.some(rows).seen_by(ALGORITHMS[algorithm].rule), []
    for learned, judged in found.splits:
        part, new = theirs.some(learned), theirs.some(judged)
        said = np.full(new.n, part.y[0])
        if (part.y != part.y[0]).any():
            rule = rule_of(algorithm, shared_options(algorithm, training), part, training)
            said = rule.fit(part.seen, part.y, sample_weight=part.weights).predict(new.seen)
        wrong.append(said != new.y)
    return Challenger(algorithm, *found.beside_best(wrong))


def shared_options(algorithm: str, training: "TrainingOptions") -> dict[str, object]:
    """The options given that the algorithm has too."""
    _, known = options_of(algorithm, {})
    return {name: value for name, value in training.options.items() if name in known}
