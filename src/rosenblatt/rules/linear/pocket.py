"""The pocket algorithm of `learn.pocket`, and its descent."""

from dataclasses import replace
from importlib import import_module
from typing import Annotated, Any, Self

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.learn import choices, costs
from rosenblatt.learn.choices import Budget
from rosenblatt.learn.pocket import pocket
from rosenblatt.learn.pocket.pocket import PocketRun
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.options import OneOf, Whole, with_options
from rosenblatt.progress import ticker
from rosenblatt.rows import find, timing
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Ties
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rules.linear.learner import FAR_BELOW, LinearLearner
from rosenblatt.rules.option_groups import (
    AUTO,
    FromZero,
    LearningOptions,
    MonotonicOptions,
    MultiClassOptions,
    PassOptions,
    PatienceOptions,
    StartOptions,
    Switch,
    ThresholdOptions,
    TieOptions,
    TimeOptions,
)
from rosenblatt.rules.run_progress import reporter
from rosenblatt.rules.schemes import ONE_VS_REST, as_list, one_or_all

DESCENT = "descent"
NEVER = -1  # no run of the perceptron has met these weights
LARGEST = 1000  # binary digits of a weight, which leaves room for scores


@with_options
class PocketBudget:
    """How many mistakes to correct."""

    max_updates: Annotated[
        int | str | None,
        Whole(1, words=(AUTO,), none=True),
        'How many mistakes the pocket algorithm corrects, for each rule. "auto": 1000, on tables of more than 100,000 '
        "numbers in proportion fewer, at least 50.",
    ] = AUTO


@with_options
class PocketRule(
    TieOptions,
    StartOptions,
    ThresholdOptions,
    PocketBudget,
    PassOptions,
    TimeOptions,
    PatienceOptions,
    MultiClassOptions,
    MonotonicOptions,
    LearningOptions,
    LinearLearner,
):
    """What `rosenblatt.PocketPerceptron` is as a rule."""

    name = "PocketPerceptron"
    keeps = (*LinearLearner.keeps, "weights", "pocket")
    not_checkable = (*LinearLearner.not_checkable, "when the rule was found")

    improve: Annotated[
        str | None,
        OneOf((DESCENT,), none=True),
        'None: only the pocket algorithm. "descent": a smoothed count of the mistakes is then followed down, '
        "exact line searches lead to a rule that no step along a line improves, and kicks lead away from there.",
    ] = DESCENT
    ratchet: Annotated[
        Switch,
        "Gallant's ratchet: count mistakes only of weights that were right on more draws in a row than any before.",
    ] = False
    margin: Annotated[
        FromZero,
        "If above 0: keep the weights for which most rows have y (w . x) >= margin * ||w||, in the units of the rows. "
        "Not for several classes learned jointly.",
    ] = 0.0
    patience: Annotated[
        int | None,
        "Kicks of the descent that brought no better rule, after which it ends; it also ends when it has taken long "
        "enough: on large tables without any kick.",
    ] = 20
    max_passes: Annotated[int | None, "The descent may make as many again."] = None
    max_seconds: Annotated[
        float | None,
        "A quarter of it is for the pocket algorithm. What is learned then depends on the speed of the machine.",
    ] = None
    class_weight: Annotated[Any, "They are what a mistake on a row of the class costs."] = None
    random_state: Annotated[Any, "Used by the draws and the descent."] = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        self.check_options()
        ties = choices.ties_named(self.ties)
        updates: Any = self.max_updates
        budget = Budget(self.max_passes, None if updates == AUTO else updates, self.max_seconds, self.patience)
        if self.max_passes is None and self.max_updates is None and self.max_seconds is None:
            raise OptionError("on data that no line separates, the pocket never ends: set max_updates or max_seconds")
        rng = self._generator()
        classes, parts = self._parts(X, y, sample_weight)
        if self.margin and isinstance(parts[0], JointExamples):
            raise OptionError("margin is for two classes, or several with multi_class='one-vs-rest' or 'one-vs-one'")
        if self.cone and self.ratchet:
            raise OptionError("constraints on signs are not for the ratchet: set one of them")
        starts = self._starts(parts, rng)
        with ctrl_c_noted() as interrupted:
            runs = [
                self._run(part, start, ties, share, rng, interrupted)
                for part, start, share in zip(parts, starts, choices.shares(budget, len(parts)), strict=True)
            ]
        self.kept_at_ = one_or_all([run.kept_at for run in runs])
        if len(runs) > 1 and self._multi_class == ONE_VS_REST:
            runs = [
                run if part.only_label else replace(run, weights=_in_scale(part, run.weights))
                for part, run in zip(parts, runs, strict=True)
            ]
        if isinstance(parts[0], JointExamples) and parts[0].absent.size and parts[0].rows.bias:
            runs = [replace(run, weights=_never_chosen(run.weights, parts[0].absent)) for run in runs]
        self._take(classes, runs)
        if not self.margin and self._is_constant_now(parts):
            self.kept_at_ = one_or_all([NEVER] * len(runs))
        self.recount(parts)
        if interrupted():
            raise KeyboardInterrupt
        return self

    def counts(self) -> dict[str, list[Any] | None]:
        """Mistakes, and what they cost; under a margin, that is the cost of all rows below it."""
        return {"mistakes": as_list(self.mistakes_), "cost": None if self.margin else as_list(self.cost_)}

    def recount(self, parts: list[Examples]) -> None:
        """Count the mistakes on the rows learned from, and what they cost."""
        self.mistakes_ = one_or_all(self._mistakes(parts))
        if isinstance(parts[0], JointExamples):
            self.cost_ = _joint().exact_cost(parts[0], self.weights_)
            return
        ties, each = choices.ties_named(self.ties_of_prediction), zip(parts, self.weights_, strict=True)
        self.cost_ = one_or_all([costs.exact_cost(part, w, ties, self.margin) for part, w in each])

    def _run(
        self, part: Examples, start: Array, ties: Ties, budget: Budget, rng: np.random.Generator, interrupted: Any
    ) -> PocketRun:
        """The pocket of one rule, improved where that is wanted."""
        begun, first, joint = timing.now(), budget, isinstance(part, JointExamples)
        learner = _joint() if joint else pocket
        if self.max_updates == AUTO:
            first = replace(first, max_updates=learner.enough_updates(part))
        if self.improve and budget.max_seconds is not None:
            first = replace(first, max_seconds=budget.max_seconds / 4)
        shared: Any = {"rng": rng, "interrupted": interrupted}
        shared |= {} if joint else {"ties": ties, "gamma": self.margin, "cone": self.cone}
        watch, more = reporter(first, "pocket") if self.verbose else None, {"ties": ties} if joint else {}
        run: PocketRun = learner.learn(part, start, budget=first, ratchet=self.ratchet, watch=watch, **shared, **more)
        if not self.improve:
            return run
        tick = ticker("descent")

        def tell(passes: float) -> None:
            tick(lambda: f"{passes:.0f} passes")

        watched = tell if self.verbose else None
        better: PocketRun = learner.improved(run, part, budget=budget, begun=begun, watch=watched, **shared)
        return better


def _joint() -> Any:
    """The pocket of several classes; loaded only where there are several."""
    return import_module("rosenblatt.learn.pocket.joint_pocket")


def _never_chosen(weights: Array, absent: Array) -> Array:
    """The weights with those of some classes, of which no row counts, so that they score far below the others."""
    W = weights.copy()
    W[absent] = 0.0
    W[absent, -1] = -max(float(np.abs(W).max()), 1.0) * 2.0**FAR_BELOW
    return W


def _in_scale(part: Examples, w: Array) -> Array:
    """The weights, scaled so that scores are about 1, or as near as weights allow: rules can then be compared."""
    sizes = np.abs(find.margins(part, w))
    if not 0.0 < (largest := float(sizes.max())) < np.inf:
        return w
    power = int(np.frexp(largest)[1])  # divided out, because the sum of large scores may overflow
    exponent = power + int(np.frexp(np.ldexp(sizes, -power).mean())[1])
    room = LARGEST - int(np.frexp(np.abs(w).max())[1])
    return np.ldexp(w, min(-exponent, room))
