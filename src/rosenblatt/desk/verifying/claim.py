"""A claim of a model file, and the check that decides it.

Every sentence that `verify` prints is written by a check from what it found, so it cannot say more than that.
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
from rosenblatt.judge.decision import UNDECIDED
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
NEAR = 1e-9  # relative: sums of floats may be added in another order


class Outcome(NamedTuple):
    """Whether a claim holds (None: not checked), a sentence about it, and how it was decided."""

    holds: bool | None
    statement: str
    by: str | None = EXACT


@dataclass(frozen=True)
class CheckedClaim:
    """The name of a claim, and the outcome of its check."""

    claim: str
    holds: bool | None
    statement: str
    by: str | None = EXACT


@dataclass(frozen=True, eq=False)
class Subject:
    """The subject of a model's claims: its rule, the training rows, the held-out rows, and those set aside."""

    model: Model
    trained: Data
    tested: Data
    aside: Data  # for a guarantee

    @property
    def rule(self) -> Rule:
        """The rule."""
        return self.model.rule  # type: ignore[no-any-return]

    @property
    def judged(self) -> dict[str, Any]:
        """The file's record of how the rule was judged."""
        return self.model.held_out or {}

    @property
    def knows_weights(self) -> bool:
        """Whether the file names the column of row weights, or says that there was none."""
        return "weights" in self.judged

    @cached_property
    def costs(self) -> Costs:
        """The costs of mistakes in learning."""
        return Costs.of(self.rule, self.trained)

    @cached_property
    def parts(self) -> list[Examples]:
        """The training rows as examples for each linear rule."""
        trained = self.trained
        return self.model.rule.examples_of(trained.seen, trained.y, trained.weights)  # type: ignore[no-any-return]

    @cached_property
    def linear(self) -> tuple[Array, float, str] | None:
        """The weights, the constant feature and the tie rule of a single linear rule; None for other rules."""
        try:
            return self.rule.one_linear_rule()
        except OptionError:
            return None

    @cached_property
    def left_to_people(self) -> int:
        """How many of the held-out rows the model does not decide."""
        if self.model.decision is None or not self.tested.n:
            return 0
        return int((self.model.codes(self.tested.seen) == UNDECIDED).sum())

    def wrongly_decided(self, data: Data) -> tuple[Array, str]:
        """The rows that the model gets wrong; rows left to people are none of them."""
        if self.model.decision is None or self.model.decision.rung is None:
            return self.wrong_rows(data)
        codes = self.model.codes(data.seen)
        return np.flatnonzero((codes != data.y) & (codes != UNDECIDED)), PREDICT

    def wrong_rows(self, data: Data) -> tuple[Array, str]:
        """The rows that the rule itself gets wrong, and how that was decided: exactly for linear rules."""
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
    """A kind of claim: where a model file makes it, and how it is checked."""

    name: str | Callable[[Any], str]
    claimed: Callable[[Subject], Iterable[Any]]  # the claims of this kind in the file, possibly none
    check: Callable[[Subject, Any], Outcome]

    def results(self, about: Subject) -> Iterator[CheckedClaim]:
        """Check all claims of this kind in the file."""
        for each in self.claimed(about):
            yield CheckedClaim(self.name if isinstance(self.name, str) else self.name(each), *self.check(about, each))


def unless(holds: bool, found: str, claimed: Any) -> str:
    """What was found and, if it differs, what the file claims."""
    return f"{found}." if holds else f"{found}, not {claimed}."


def near(claimed: Any, found: Any) -> bool:
    """Whether two values are equal, apart from the rounding of sums."""
    if isinstance(found, list):
        same_length = isinstance(claimed, list) and len(claimed) == len(found)
        return same_length and all(map(near, claimed, found))
    if isinstance(found, dict):
        return (
            isinstance(claimed, dict)
            and claimed.keys() == found.keys()
            and all(near(claimed[k], v) for k, v in found.items())
        )
    if isinstance(found, float):
        return type(claimed) in (int, float) and isclose(claimed, found, rel_tol=NEAR, abs_tol=1e-300)
    return bool(claimed == found)
