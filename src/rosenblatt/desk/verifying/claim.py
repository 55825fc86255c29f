"""A claim as a value: what the file says, and the check that its sentence follows from.

Every sentence that `verify` prints is made by a check from what the check found, so it cannot say more than that.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isclose
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.desk.cost import Costs
from rosenblatt.desk.data import Data
from rosenblatt.errors import OptionError
from rosenblatt.prove.check import exact
from rosenblatt.prove.check.joint_certificate import mistakes as mistakes_of_scores
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import rows_of
from rosenblatt.rules.rule import Rule
from rosenblatt.rules.schemes import JOINT
from rosenblatt.ship.file.modelfile import Model

EXACT, PREDICT, AGAIN = "exact arithmetic", "predict", "computed again"
NEAR = 1e-9  # relative: sums of floats may be added up in another order


class Finding(NamedTuple):
    """Whether a claim holds (None: it was not checked), the sentence that says so, and what decided it."""

    holds: bool | None
    statement: str
    by: str | None = EXACT


@dataclass(frozen=True)
class Result:
    """A claim by its name, and what was found."""

    claim: str
    holds: bool | None
    statement: str
    by: str | None = EXACT


@dataclass(frozen=True, eq=False)
class Subject:
    """What the claims of a model are about: its rule, the rows that it was learned from, and those held out."""

    model: Model
    trained: Data
    tested: Data

    @property
    def rule(self) -> Rule:
        """The rule."""
        return self.model.rule  # type: ignore[no-any-return]

    @property
    def judged(self) -> dict[str, Any]:
        """What the file says of how the rule was judged."""
        return self.model.held_out or {}

    @property
    def knows_weights(self) -> bool:
        """Whether the file names the column of weights, or says that there was none."""
        return "weights" in self.judged

    @cached_property
    def costs(self) -> Costs:
        """What mistakes cost in learning."""
        return Costs.of(self.rule, self.trained)

    @cached_property
    def parts(self) -> list[Examples]:
        """The rows learned from, as each of several linear rules sees them."""
        trained = self.trained
        return self.model.rule.examples_of(trained.seen, trained.y, trained.weights)  # type: ignore[no-any-return]

    @cached_property
    def linear(self) -> tuple[Array, float, str] | None:
        """The weights, the threshold's constant and the ties of a rule that is one linear rule; None for any other."""
        try:
            return self.rule.one_linear_rule()
        except OptionError:
            return None

    def wrong_rows(self, data: Data) -> tuple[Array, str]:
        """The rows that the rule gets wrong, and by what that was decided: in whole numbers for linear rules."""
        form = self.rule.linear
        if form is not None and form.scheme == JOINT and not form.unit_rows:
            several = JointExamples(rows_of(data.seen, bias=form.bias), data.y.astype(np.int64), classes=data.classes)
            return mistakes_of_scores(several, form.weights.ravel().tolist()), EXACT
        if self.linear is None:
            return np.flatnonzero(self.rule.predict(data.seen) != data.y), PREDICT
        w, bias, ties = self.linear
        labels = np.where(data.y == 1, 1, -1).astype(np.int8)
        return exact.mistakes(Examples(rows_of(data.seen, bias=bias), labels), w.tolist(), ties), EXACT


@dataclass(frozen=True)
class Claim:
    """Something that a model file may say: where it says it, and how that is checked."""

    name: str | Callable[[Any], str]
    said: Callable[[Subject], Iterable[Any]]  # what the file says; empty where it makes no such claim
    check: Callable[[Subject, Any], Finding]

    def results(self, about: Subject) -> Iterator[Result]:
        """What was found of all that the file says."""
        for each in self.said(about):
            yield Result(self.name if isinstance(self.name, str) else self.name(each), *self.check(about, each))


def unless(holds: bool, told: str, wanted: Any) -> str:
    """What was found, and what the file says where that is something else."""
    return f"{told}." if holds else f"{told}, not {wanted}."


def near(claimed: Any, found: Any) -> bool:
    """Whether two values are the same, but for the rounding of sums."""
    if isinstance(found, list):
        same_length = isinstance(claimed, list) and len(claimed) == len(found)
        return same_length and all(map(near, claimed, found))
    if isinstance(found, float):
        return type(claimed) in (int, float) and isclose(claimed, found, rel_tol=NEAR, abs_tol=1e-300)
    return bool(claimed == found)
