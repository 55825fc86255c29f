"""The vote of `learn.passes.electorate`."""

from typing import Annotated, Any

import numpy as np

from rosenblatt.learn.passes import averaged
from rosenblatt.learn.passes.averaged import Choice, Course, PassesRun
from rosenblatt.learn.passes.electorate import Electorate, electorate
from rosenblatt.options import OneOf, with_options
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.storage import n_rows
from rosenblatt.rules import conventions
from rosenblatt.rules.linear.in_passes import RuleInPasses
from rosenblatt.rules.option_groups import TieOptions
from rosenblatt.rules.rule import LinearForm
from rosenblatt.rules.schemes import one_or_all

VOTES = ("voted", "averaged", "last", "random")


@with_options
class VotedRule(TieOptions, RuleInPasses):
    """What `rosenblatt.VotedPerceptron` is as a rule."""

    name = "VotedPerceptron"
    keeps = (*RuleInPasses.keeps, "votes")

    _name = "voted perceptron"

    vote: Annotated[
        str,
        OneOf(VOTES),
        "What predicts: the vote of all weight vectors; their mean, weighted by the votes, as in AveragedPerceptron; "
        "the last one; or one drawn at random, with chances as the votes, once for all predictions. All but the first "
        "are linear.",
    ] = "voted"
    ties: Annotated[str, "A tied vote is decided in the same way."] = "mistake"
    random_state: Annotated[Any, 'It also draws the weights for vote="random".'] = None

    @property
    def votes_(self) -> Any:
        """The votes of each weight vector, the start's first; of several rules, a list."""
        self._refuse_unfitted("weights_")
        return one_or_all([voters.votes for voters in self._electorates])

    def decision_function(self, X: Any) -> Array:
        """With vote="voted", the share of the votes for yes less that for no; else coef_ . x + intercept_.

        Of more than two classes, equal shares are decided by the mean of the weights, which adds less than half a vote.
        """
        self._refuse_unfitted("weights_")
        if not self._is_vote():
            return super().decision_function(X)
        rows = self._rows(self._admitted(X, reset=False))
        votes = [voters.vote(rows, 1 if self._zero_is_yes else -1) for voters in self._electorates]
        looks = [max(voters.looks, 1) for voters in self._electorates]
        if len(votes) == 1:
            return votes[0] / looks[0]
        return (np.stack(votes, axis=1) + self._leanings(rows)) / np.array(looks)  # type: ignore[no-any-return]

    def _leanings(self, rows: Rows) -> Array:
        """Numbers between -1/2 and 1/2 in the order of the scores of the mean weights, a column per rule."""
        every = Examples(rows, np.ones(n_rows(rows), np.int8))
        scores = np.stack([find.margins(every, tally.average) for tally in self._tallies], axis=1)
        return np.arctan(scores) / np.pi  # type: ignore[no-any-return]

    def _settle(self) -> None:
        super()._settle()
        self._vote = self.vote
        self._share = self._generator().spawn(1)[0].random()  # of the looks, before the one that draws the vector

    @property
    def linear(self) -> LinearForm | None:
        """The weights of the rule, unless it is a vote."""
        return None if self._is_vote() else super().linear

    @property
    def _why_not_linear(self) -> str:
        return f"vote={self.vote!r} is a vote of many linear rules, not one linear rule"

    @property
    def _score_in_words(self) -> str:
        if not self._is_vote():
            return conventions.SUM
        return conventions.VOTE.format(zero="yes" if self._zero_is_yes else "no")

    def _sums_per_score(self) -> int:
        return self.n_updates_

    def _is_vote(self) -> bool:
        return self._vote == "voted"

    def _choice(self) -> Choice:
        return {"averaged": averaged.average, "random": self._drawn}.get(self._vote, averaged.last)

    def _drawn(self, course: Course) -> Array:
        return course.weights_at(int(self._share * course.looks))

    def _rule(self, k: int) -> Array:
        if self._vote == "averaged":
            return self._tallies[k].average
        if self._vote == "random":
            voters = self._electorates[k]
            return voters.weights_at(int(self._share * voters.looks))
        return self._tallies[k].last

    def _keep(self, classes: Array, parts: list[Examples], runs: list[PassesRun]) -> None:
        self._electorates = [
            electorate(part, run.ledger, run.when, run.tally.looks) for part, run in zip(parts, runs, strict=True)
        ]
        super()._keep(classes, parts, runs)

    def _go_on(self, parts: list[Examples], made: list[tuple[Array, Array]]) -> None:
        if not hasattr(self, "weights_"):
            self._electorates = [Electorate(ledger.start) for ledger in self._ledgers()]
        for voters, part, (entries, when), tally in zip(self._electorates, parts, made, self._tallies, strict=True):
            voters.extend(part, entries, when, tally.looks)

    def _expose(self) -> None:
        super()._expose()
        if self._is_vote():
            del self.coef_, self.intercept_, self.threshold_
