"""Rules of one column, of two, of three, ... of a table: their errors on rows not learned from, and how many to use."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.plurals import many
from rosenblatt.rows.kernels import Array

NOISE = 1.0  # standard errors
USED = " (used)"  # marks the number of columns that the rule uses


def percent(share: float) -> str:
    """A share, as 12.3%."""
    return f"{share:.1%}"


@dataclass(frozen=True, eq=False)
class ColumnPath:
    """The columns of a table in the order in which they entered a rule, and the errors of rules of the first ones."""

    names: tuple[str, ...]  # in order of entry
    of: int  # how many columns there are to choose from
    error: Array = field(default_factory=lambda: np.empty(0))  # of one column, of two, ...; empty: not compared
    noise: Array = field(default_factory=lambda: np.empty(0))  # the standard error of its difference from the least
    all_error: float | None = None  # of a rule of all columns

    @property
    def many(self) -> int:
        """How many to use: the number of least error, the smallest of several; all that entered, if not compared."""
        return int(np.argmin(self.error)) + 1 if self.error.size else len(self.names)

    @property
    def within_noise(self) -> int:
        """The fewest columns whose error may differ from the least only by noise."""
        if not self.error.size:
            return self.many
        return int(np.argmax(self.error - self.error.min() <= NOISE * self.noise)) + 1

    @property
    def chosen(self) -> tuple[str, ...]:
        """The columns to use, in order of entry."""
        return self.names[: self.many]

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """A table for people: the number of columns, the error of a rule of that many, and the column added last."""
        errors = [*map(percent, self.error.tolist()), *[""] * (len(self.names) - self.error.size)]
        each = list(enumerate(zip(errors, self.names, strict=True), 1))
        found = [(f"{k:,}{USED if k == self.many else ''}", *both) for k, both in each]
        return found if self.all_error is None else [*found, (f"all {self.of:,}", percent(self.all_error), "")]

    @property
    def record(self) -> dict[str, Any]:
        """It, for a program."""
        return {
            "used": self.many,
            "within_noise": self.within_noise,
            "of": self.of,
            "added": list(self.names),
            "error": self.error.tolist(),
            "noise": self.noise.tolist(),
            "error_of_all": self.all_error,
        }

    @property
    def statement(self) -> str:
        """How many columns are used and why."""
        used = f"The rule uses {many(self.many, 'column')} of {self.of:,}"
        if not self.error.size:
            return f"{used}; rules of fewer columns were not compared."
        most, error = len(self.error), percent(self.error[self.many - 1])
        of_all = "" if self.all_error is None else f"; one of all {self.of:,} errs on {percent(self.all_error)}"
        if most == 1:
            return f"{used}; it errs on {error} of rows not learned from{of_all}."
        fewer = self.within_noise
        noise = (
            f"; one of {fewer} errs on {percent(self.error[fewer - 1])}, and the difference may be noise"
            if fewer < self.many
            else ""
        )
        return (
            f"{used}: of rules of 1 to {most} columns, one of {self.many} errs least on rows not learned from, on "
            f"{error}{noise}{of_all}."
        )
