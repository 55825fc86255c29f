"""The second-order perceptron of `learn.passes.second_order`."""

from typing import Any, Self

import numpy as np

from rosenblatt.learn import choices
from rosenblatt.learn.choices import Budget
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.passes import averaged, second_order
from rosenblatt.learn.passes.second_order import SecondOrderLedger, SecondOrderState
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.options import flag, is_word
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.linear_learner import AUTO, LinearLearner
from rosenblatt.rules.option_types import (
    BiasScale,
    ClassWeight,
    Count,
    Positive,
    RandomState,
    Seconds,
    Switch,
    SwitchOrAuto,
    TieRule,
)
from rosenblatt.rules.rule import Numbers
from rosenblatt.rules.run_progress import reporter


class SecondOrderRule(LinearLearner):
    """Linear yes/no rule: the ridge regression of the labels on the rows that were mistakes (Cesa-Bianchi et al. 2005).

    `rosenblatt.SecondOrderPerceptron` describes the options.
    """

    name = "SecondOrderPerceptron"
    keeps = (*LinearLearner.keeps, "weights", Numbers("inverses", "_inverses", square=True))

    start = "zeros"
    _inverses: list[Array]

    def __init__(
        self,
        *,
        ridge: Positive = 1.0,
        ties: TieRule = "mistake",
        max_passes: Count = 100,
        max_updates: Count = None,
        max_seconds: Seconds = None,
        shuffle: SwitchOrAuto = AUTO,
        fit_intercept: Switch = True,
        bias_scale: BiasScale = 1.0,
        normalize: Switch = False,
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
        verbose: Switch = False,
    ) -> None:
        self.ridge = ridge
        self.ties = ties
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.normalize = normalize
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        self.check_options()
        ties, budget = choices.ties_named(self.ties), Budget(self.max_passes, self.max_updates, self.max_seconds)
        rng = self._generator() if flag("shuffle", self.shuffle, AUTO) else None
        classes, parts = self._parts(X, y, sample_weight)
        runs = []
        with ctrl_c_noted() as interrupted:
            for part, share in zip(parts, choices.shares(budget, len(parts)), strict=True):
                spread = is_word(self.shuffle, AUTO) and averaged.come_in_runs(part)
                watch = reporter(share, "second-order perceptron") if self.verbose else None
                how: Any = {"ties": ties, "budget": share, "rng": rng, "spread": spread, "watch": watch}
                runs.append(second_order.learn(part, float(self.ridge), interrupted=interrupted, **how))
            self._inverses = [run.inverse for run in runs]
            self._take(classes, runs)
        if interrupted():
            raise KeyboardInterrupt
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the next rows of a stream, each looked at once, in order.

        The first call must name all `classes`. However a stream is cut into calls, the result is the same to the
        last bit. After `fit`, it goes on from there.
        """
        ties, first = choices.ties_named(self.ties), not hasattr(self, "weights_")
        known, parts = self._next_parts(X, y, classes, sample_weight)
        states = [self._begun(part) for part in parts] if first else self._states()
        followed = [second_order.follow(part, state, ties) for part, state in zip(parts, states, strict=True)]
        with ctrl_c_noted() as interrupted:  # all rules go on, or none does
            begun = [state.weights for state in states] if first else None
            self._note_stream(known, begun, parts, [entries for _, entries in followed])
            self.weights_ = np.stack([state.weights for state, _ in followed])
            self._inverses = [state.inverse for state, _ in followed]
            self._expose()
        if interrupted():
            raise KeyboardInterrupt
        return self

    def _begun(self, part: Examples) -> SecondOrderState:
        return second_order.begin(part.size, float(self.ridge))

    def _states(self) -> list[SecondOrderState]:
        return [SecondOrderState(w, inverse) for w, inverse in zip(self.weights_, self._inverses, strict=True)]

    def _ledger(self, start: Array) -> Ledger:
        return SecondOrderLedger(start, 0, np.int64, float(self.ridge))
