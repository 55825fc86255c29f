"""PocketPerceptron: the scikit-learn face of `learn.pocket.pocket`."""

from dataclasses import replace
from importlib import import_module
from typing import Any, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import OptionError
from rosenblatt.estimators.linear import AUTO, FAR_BELOW, JOINT, ONE_VS_REST, LinearRule, one_or_all
from rosenblatt.estimators.progress import reporter
from rosenblatt.learn import choices, costs
from rosenblatt.learn.choices import Budget
from rosenblatt.learn.pocket import pocket
from rosenblatt.learn.pocket.pocket import PocketRun
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.progress import ticker
from rosenblatt.rows import find, timing
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Ties
from rosenblatt.rows.kesler import JointExamples

DESCENT = "descent"
NEVER = -1  # no run of the perceptron has met these weights
LARGEST = 1000  # binary digits of a weight, which leaves room for scores


class PocketPerceptron(LinearRule):
    """Linear yes/no rule with as few mistakes as can be found: the pocket algorithm (Gallant 1990), and better.

    For data that no line separates. The perceptron runs on random mistakes, and the weights that got the fewest rows
    wrong are kept in the pocket. From there, by default, a descent looks for rules with fewer mistakes still: what is
    learned is never worse than the pocket's with the same seed and budget. More than two classes are learned jointly: a
    row is wrong if another class has as large a score, and counts once. Where saying the same of every row costs less
    than all that was found, that is the rule, if it has a threshold and no margin is asked for.

    Parameters
    ----------
    improve : {"descent", None}, default="descent"
        None: the pocket algorithm of the notes, no more. "descent": then a smoothed count of the mistakes is followed
        down, exact line searches lead to a rule that no step along a line improves, and kicks away from there.
    ratchet : bool, default=False
        Gallant's ratchet: count mistakes only of weights that were right on more draws in a row than any before.
    margin : float, default=0.0
        If above 0: keep the weights for which most rows have y (w . x) >= margin * ||w||, in the units of the rows. Not
        for several classes learned jointly.
    ties : {"mistake", "plus", "minus", "correct"}, default="mistake"
        What a score of exactly zero is in training, as in `Perceptron`.
    start : {"zeros", "first", "random"} or array, default="zeros"
        The first weights, as in `Perceptron`.
    fit_intercept, bias_scale, normalize
        As in `Perceptron`.
    max_updates : int, "auto" or None, default="auto"
        How many mistakes the pocket algorithm corrects, for each rule. "auto": 1000, on tables of more than 100,000
        numbers in proportion fewer, at least 50.
    max_passes : int or None, default=None
        Budget of passes over the data, for the pocket algorithm and once more for the descent.
    max_seconds : float or None, default=None
        Budget of time for all rules; a quarter of it is the pocket algorithm's. What is learned then depends on the
        speed of the machine.
    patience : int, default=20
        The descent ends after so many kicks in a row that brought no better rule, or when it has been long enough: on
        large tables without any kick.
    multi_class : {"joint", "one-vs-rest", "one-vs-one"}, default="joint"
        How more than two classes are learned, as in `Perceptron`.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class: what a mistake on one of its rows costs.
    random_state : int, RandomState, Generator or None, default=None
        For the draws and the descent.
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    coef_, intercept_, threshold_, weights_, classes_, n_features_in_, feature_names_in_
        As in `Perceptron`.
    mistakes_ : int, or a list of one per rule
        How many rows the rule gets wrong.
    cost_ : float, or a list of one per rule
        The sum of the weights of those rows; with a margin, of the rows below it.
    kept_at_ : int, or a list of one per rule
        After how many updates these weights were met; -1 if the descent found them, or if they are constant.
    stop_reason_, n_updates_, n_passes_, n_examples_seen_, ledger_
        As in `Perceptron`; updates and ledger are those of the pocket algorithm.

    Notes
    -----
    A sample weight is what a mistake on that row costs; a row of weight k is drawn as k copies of it.
    `optimality(X, y, model)` proves how far the rule is from the best possible one.
    Of one-vs-rest rules the one with the largest score is predicted, so each rule's weights are multiplied by a power
    of two that brings its scores to about 1.
    Scores have no scale of their own: weights that the perceptron met are sums of rows, while those of the descent give
    scores of about 1. To compare or combine the scores of several fits, as stacking does, calibrate them first
    (`sklearn.calibration.CalibratedClassifierCV`).
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import PocketPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # no line gets more than three of these right
    >>> PocketPerceptron(random_state=0).fit(X, y).mistakes_
    1
    """

    def __init__(
        self,
        *,
        improve: str | None = DESCENT,
        ratchet: bool = False,
        margin: float = 0.0,
        ties: str = "mistake",
        start: Any = "zeros",
        fit_intercept: bool = True,
        bias_scale: float | str = 1.0,
        normalize: bool = False,
        max_updates: int | str | None = AUTO,
        max_passes: int | None = None,
        max_seconds: float | None = None,
        patience: int = 20,
        multi_class: str = JOINT,
        class_weight: Any = None,
        random_state: Any = None,
        verbose: bool = False,
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
        ties = choices.ties_named(self.ties)
        if self.improve is not None and not options.is_word(self.improve, DESCENT):
            raise options.refused("improve", repr(DESCENT), self.improve, none=True)
        options.number("margin", self.margin, least=0)
        updates = options.whole("max_updates", self.max_updates, 1, words=(AUTO,), none=True)
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
        if not self.margin and self.constant_if_cheaper(parts):
            self.kept_at_ = one_or_all([NEVER] * len(runs))
        self.recount(parts)
        if interrupted():
            raise KeyboardInterrupt
        return self

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
