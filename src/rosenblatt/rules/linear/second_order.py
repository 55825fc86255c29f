"""The second-order perceptron of `learn.passes.second_order`."""

from typing import Annotated, Any, Self

import numpy as np

from rosenblatt.learn import choices
from rosenblatt.learn.choices import Budget
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.passes import averaged, second_order
from rosenblatt.learn.passes.second_order import SecondOrderLedger, SecondOrderState
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.options import flag, is_word, with_options
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.linear.stream_learner import Followed, StreamLearner
from rosenblatt.rules.option_groups import (
    AUTO,
    BudgetOptions,
    LearningOptions,
    Positive,
    ShuffleOptions,
    ThresholdOptions,
    TieOptions,
)
from rosenblatt.rules.rule import KeptArrays
from rosenblatt.rules.run_progress import reporter


@with_options
class SecondOrderRule(TieOptions, BudgetOptions, ShuffleOptions, ThresholdOptions, LearningOptions, StreamLearner):
    """What `rosenblatt.SecondOrderPerceptron` is as a rule."""

    name = "SecondOrderPerceptron"
    keeps = (*StreamLearner.keeps, "weights", KeptArrays("inverses", "_inverses", square=True))

    start = "zeros"

    ridge: Annotated[
        Positive,
        "How strongly weights are pulled towards zero: the a of the paper. As it grows, the run becomes that of the "
        "perceptron.",
    ] = 1.0
    max_passes = 100
    random_state: Annotated[Any, "Used by shuffle=True."] = None

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

    def _follow(self, parts: list[Examples]) -> Followed:
        ties, new = choices.ties_named(self.ties), self._is_new
        states = [self._begun(part) for part in parts] if new else self._states()
        followed = [second_order.follow(part, state, ties) for part, state in zip(parts, states, strict=True)]

        def take_over() -> None:
            self.weights_ = np.stack([state.weights for state, _ in followed])
            self._inverses = [state.inverse for state, _ in followed]

        begun = [state.weights for state in states] if new else None
        return Followed(begun, [entries for _, entries in followed], take_over)

    def _begun(self, part: Examples) -> SecondOrderState:
        return second_order.begin(part.size, float(self.ridge))

    def _states(self) -> list[SecondOrderState]:
        return [SecondOrderState(w, inverse) for w, inverse in zip(self.weights_, self._inverses, strict=True)]

    def _ledger(self, start: Array) -> Ledger:
        return SecondOrderLedger(start, 0, np.int64, float(self.ridge))
