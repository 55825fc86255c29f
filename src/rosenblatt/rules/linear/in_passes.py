"""What all rules that are learned in passes share: `learn.passes.averaged` makes the passes."""

from importlib import import_module
from typing import Annotated, Any, Self

import numpy as np

from rosenblatt.learn import choices
from rosenblatt.learn.choices import Budget
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.passes import averaged
from rosenblatt.learn.passes.averaged import Choice, Decision, PassesRun, Tally
from rosenblatt.learn.passes.averaged_kernels import OnMistakes, Stride
from rosenblatt.learn.passes.in_cone import ConeLedger, signs_in
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.options import flag, is_word
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rules.linear.stream_learner import Followed, StreamLearner
from rosenblatt.rules.option_groups import (
    AUTO,
    LearningOptions,
    PassOptions,
    ShuffleOptions,
    StartOptions,
    ThresholdOptions,
)
from rosenblatt.rules.run_progress import reporter
from rosenblatt.rules.schemes import JOINT


class RuleInPasses(PassOptions, ShuffleOptions, StartOptions, ThresholdOptions, LearningOptions, StreamLearner):
    """A rule that is learned in passes, each of which looks at every row once."""

    keeps = (*StreamLearner.keeps, "weights", "tallies")

    max_passes = 10
    random_state: Annotated[Any, 'Used by shuffle=True and start="random".'] = None

    _name = "averaged perceptron"
    _tallies: list[Tally]
    last_weights_: Array

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        ties, budget, rng = choices.ties_named(self.ties), self._budget(), self._generator()
        shuffled, by_itself = flag("shuffle", self.shuffle, AUTO), is_word(self.shuffle, AUTO)
        classes, parts = self._parts(X, y, sample_weight)
        starts = self._starts(parts, rng)
        with ctrl_c_noted() as interrupted:
            options: Any = {
                "ties": ties,
                "decision": Decision(self._choice(), self._is_averaged(), self._is_vote()),
                "rng": rng if shuffled else None,
                "interrupted": interrupted,
            }
            runs = []
            for part, start, share in zip(parts, starts, choices.shares(budget, len(parts)), strict=True):
                watch = reporter(share, self._name) if self.verbose else None
                options["budget"] = share
                options["spread"] = by_itself and (isinstance(part, JointExamples) or averaged.come_in_runs(part))
                if isinstance(part, JointExamples):
                    shared = {name: options[name] for name in ("ties", "budget", "rng", "spread", "interrupted")}
                    runs.append(_joint().learn_in_passes(part, start, watch=watch, **shared))
                else:
                    runs.append(averaged.learn(part, start, self._stride(part), watch=watch, **options))
            self._keep(classes, parts, runs)
        if interrupted():
            raise KeyboardInterrupt
        return self

    def _follow(self, parts: list[Examples]) -> Followed:
        ties, new = choices.ties_named(self.ties), self._is_new
        starts = self._start_weights(parts, self._generator()) if new else None
        tallies = self._tallies if starts is None else [self._begun(start) for start in starts]
        followed: list[Any] = []
        if joint := isinstance(parts[0], JointExamples):
            tally, entries = _joint().follow_tally(parts[0], tallies[0] if new else joined(tallies), ties)
            followed.append((tally, entries, None))
        for part, tally in () if joint else zip(parts, tallies, strict=True):
            followed.append(averaged.follow(part, tally, self._stride(part), ties))

        def take_over() -> None:
            self._tallies = parted([tally for tally, _, _ in followed])
            self._go_on(parts, [(entries, when) for _, entries, when in followed])
            self.weights_ = np.stack([self._rule(k) for k in range(len(self._tallies))])

        return Followed(starts, [entries for _, entries, _ in followed], take_over)

    def _begun(self, start: Array) -> Tally:
        return averaged.begin(start, averaged=self._is_averaged())

    def _keep(self, classes: Array, parts: list[Examples], runs: list[PassesRun]) -> None:
        """Take over what was learned, a run per rule."""
        self._tallies = parted([run.tally for run in runs])
        self._take(classes, runs)
        if self.cone:
            (run,) = runs
            self.ledger_ = ConeLedger.of(run.ledger, *self.cone.fields.values())

    def _expose(self) -> None:
        super()._expose()
        self.last_weights_ = np.stack([tally.last for tally in self._tallies])

    def _emptied_ledgers(self) -> list[Ledger]:
        lasts = [tally.last for tally in self._tallies]
        starts = [np.stack(lasts)] if self._scheme == JOINT else lasts
        return [ledger.emptied(last) for ledger, last in zip(self._ledgers(), starts, strict=True)]

    def _budget(self) -> Budget:
        return Budget(self.max_passes)

    def _stride(self, part: Examples) -> Stride:
        """What a look at a row does."""
        return OnMistakes(choices.ties_named(self.ties), signs_in(self.cone, part.size))

    def _is_averaged(self) -> bool:
        return True

    def _choice(self) -> Choice:
        """Which weights the rule has, in a run: a mean that is in the cone in spite of rounding, or the last."""
        if not self._is_averaged():
            return averaged.last
        return (lambda course: self.cone.nearest(averaged.average(course))) if self.cone else averaged.average

    def _is_vote(self) -> bool:
        """Whether the rule is the vote of all weights."""
        return False

    def _rule(self, k: int) -> Array:
        """The weights that the rule has, in a stream."""
        if not self._is_averaged():
            return self._tallies[k].last
        return self.cone.nearest(self._tallies[k].average) if self.cone else self._tallies[k].average

    def _go_on(self, parts: list[Examples], made: list[tuple[Array, Array]]) -> None:
        """Take in the updates that the next rows of a stream made, and when."""


def _joint() -> Any:
    """What learns several classes at once; loaded only where there are several."""
    return import_module("rosenblatt.learn.pla.joint_pla")


def parted(tallies: list[Tally]) -> list[Tally]:
    """A tally for each row of weights: one of several classes that were learned jointly is parted."""
    if tallies[0].last.ndim == 1:
        return tallies
    (whole,) = tallies
    return [Tally(last, sums, whole.looks) for last, sums in zip(whole.last, whole.sums, strict=True)]


def joined(tallies: list[Tally]) -> Tally:
    """The tally of several classes that were learned jointly."""
    return Tally(np.stack([each.last for each in tallies]), np.stack([each.sums for each in tallies]), tallies[0].looks)
