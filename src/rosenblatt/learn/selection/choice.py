"""What a comparison found: every candidate's errors, which candidates the rule is made of, and why, in words."""

from dataclasses import dataclass

import numpy as np

from rosenblatt.learn.selection.column_path import NOISE, ColumnPath, percent
from rosenblatt.learn.selection.path import Candidate
from rosenblatt.plurals import many
from rosenblatt.rows.kernels import Array

SHOWN = 3  # of the others, in the statement


@dataclass(frozen=True, eq=False)
class Choice:
    """The candidates tried, their errors, and which of them are kept."""

    tried: tuple[Candidate, ...]
    errors: Array  # of each candidate (a row) in each split
    error: Array  # of each candidate: a row that was judged several times counts once
    noise: Array  # the standard error of its difference from the best
    constant: float | None = None  # the least error of one class for every row; older files lack it
    alone: bool = False  # whether the rule is the best candidate alone, because the comparison was cut short
    columns: ColumnPath | None = None  # for a rule of few columns: which columns, and why that number

    @property
    def best(self) -> int:
        """The candidate of least error; of several, the simplest."""
        return int(np.argmin(self.error))

    @property
    def kept(self) -> Array:
        """Which candidates are part of the rule."""
        if self.alone:
            return np.asarray(np.arange(len(self.tried)) == self.best)
        return np.asarray(self.error - self.error[self.best] <= NOISE * self.noise)

    @property
    def chosen(self) -> tuple[Candidate, ...]:
        """Those kept, the best first."""
        return tuple(self.tried[k] for k in self._in_order if self.kept[k])

    @property
    def _in_order(self) -> Array:
        return np.argsort(self.error, kind="stable")

    @property
    def statement(self) -> str:
        """What was chosen and why."""
        return self._of_candidates if self.columns is None else f"{self.columns.statement} {self._of_candidates}"

    @property
    def _of_candidates(self) -> str:
        if not self.errors.shape[1]:
            if len(self.tried) == 1:
                return f"No candidates were compared; the rule is the {self.tried[0]}."
            return f"There are too few rows to compare candidates; the rule is the mean of all {len(self.tried)}."
        first, *others = map(str, self.chosen)
        beside = "" if self.constant is None else f" (one class for every row errs on {percent(self.constant)})"
        error = percent(self.error[self.best])
        if len(self.tried) == 1:
            return f"The {first} errs on {error} of rows not learned from{beside}."
        said = (
            f"Of {many(len(self.tried), 'candidate')}, the {first} errs least on rows not learned from: on "
            f"{error} of them{beside}"
        )
        if not others:
            second = self._in_order[1]
            return f"{said}; the next, the {self.tried[second]}, on {percent(self.error[second])}."
        some = ", ".join(others[:SHOWN]) + (f", and {len(others) - SHOWN} more" if len(others) > SHOWN else "")
        worst = percent(self.error[self.kept].max())
        return (
            f"{said}. For {len(others)} more, with an error of up to {worst}, the difference may be noise ({some}); "
            f"the rule is the mean of these {len(others) + 1}."
        )
