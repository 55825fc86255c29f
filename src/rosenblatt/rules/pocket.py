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
from rosenblatt.options import OneOf, Whole
from rosenblatt.progress import ticker
from rosenblatt.rows import find, timing
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Ties
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rules.linear_learner import AUTO, FAR_BELOW, LinearLearner
from rosenblatt.rules.option_types import (
    BiasScale,
    ClassWeight,
    Count,
    FromZero,
    MultiClass,
    RandomState,
    Seconds,
    Start,
    Switch,
    TieRule,
)
from rosenblatt.rules.run_progress import reporter
from rosenblatt.rules.schemes import JOINT, ONE_VS_REST, as_list, one_or_all

DESCENT = "descent"
NEVER = -1  # no run of the perceptron has met these weights
LARGEST = 1000  # binary digits of a weight, which leaves room for scores


class PocketRule(LinearLearner):
    """Linear yes/no rule with as few mistakes as can be found: the pocket algorithm (Gallant 1990), and better.

    `rosenblatt.PocketPerceptron` describes the options.
    """

    name = "PocketPerceptron"
    keeps = (*LinearLearner.keeps, "weights", "pocket")
    not_checkable = (*LinearLearner.not_checkable, "when the rule was met")

    def __init__(
        self,
        *,
        improve: Annotated[str | None, OneOf((DESCENT,), none=True)] = DESCENT,
        ratchet: Switch = False,
        margin: FromZero = 0.0,
        ties: TieRule = "mistake",
        start: Start = "zeros",
        fit_intercept: Switch = True,
        bias_scale: BiasScale = 1.0,
        normalize: Switch = False,
        max_updates: Annotated[int | str | None, Whole(1, words=(AUTO,), none=True)] = AUTO,
        max_passes: Count = None,
        max_seconds: Seconds = None,
        patience: Count = 20,
        multi_class: MultiClass = JOINT,
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
        verbose: Switch = False,
    ) -> None:
        self.improve = improve
        self.ratchet = ratchet
        self.margin = margin
        self.ties = ties
        self.start = start
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.normalize = normalize
        self.max_updates = max_updates
        self.max_passes = max_passes
        self.max_seconds = max_seconds
        self.patience = patience
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        self.check_options()
        ties = choices.ties_named(self.ties)
        updates: Any = self.max_updates
        budget = Budget(self.max_passes, None if updates == AUTO else updates, self.max_seconds, self.patience)
        if self.max_passes is None and self.max_updates is None and self.max_seconds is None:
            raise OptionError(
                "on data that no line separates the pocket never ends: give it max_updates or max_seconds"
            )
        rng = self._generator()
        classes, parts = self._parts(X, y, sample_weight)
        if self.margin and isinstance(parts[0], JointExamples):
            raise OptionError("margin is for two classes, or several with multi_class='one-vs-rest' or 'one-vs-one'")
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
        shared: Any = {"rng": rng, "interrupted": interrupted} | ({} if joint else {"ties": ties, "gamma": self.margin})
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
    """The same rule with scores of about 1, or as near that as weights can come, so that rules can be compared."""
    size = float(np.abs(find.margins(part, w)).mean())
    room = LARGEST - int(np.frexp(np.abs(w).max())[1])
    return np.ldexp(w, min(-int(np.frexp(size)[1]), room)) if 0.0 < size < np.inf else w
