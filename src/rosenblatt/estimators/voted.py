"""VotedPerceptron: the scikit-learn face of the vote of `learn.passes.averaged`."""

from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import OptionError
from rosenblatt.estimators.averaged import RuleInPasses
from rosenblatt.estimators.contract import check_is_fitted, validate_data
from rosenblatt.estimators.linear import AUTO, one_or_all
from rosenblatt.learn.passes import averaged
from rosenblatt.learn.passes.averaged import Choice, Course, PassesRun
from rosenblatt.learn.passes.electorate import Electorate, electorate
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.storage import n_rows

VOTES = ("voted", "averaged", "last", "random")


class VotedPerceptron(RuleInPasses):
    """Yes/no rule by the vote of all weights that a perceptron went through (Freund and Schapire 1999).

    Every weight vector has as many votes as looks at a row that it was there after: the longer it stayed right, the
    more. The rule is not linear. More than two classes are learned one against the rest.

    Parameters
    ----------
    vote : {"voted", "averaged", "last", "random"}, default="voted"
        What predicts: the vote of all vectors; their mean, weighted by the votes, as AveragedPerceptron does; the last
        one; one drawn at random, with chances as the votes, once for all predictions. All but the first are linear.
    max_passes : int or None, default=10
        How many passes over the data, unless it ends earlier (see Notes).
    shuffle : bool or "auto", default="auto"
        Whether every pass is in a new random order, or in the order of the rows. "auto": in that order, unless rows of
        a class come in long runs, as in a table sorted by class: then in a fixed order that is spread over the table.
    ties : {"mistake", "plus", "minus", "correct"}, default="mistake"
        What a score of exactly zero is in training: always wrong; right for the second class (sgn(0) = +1);
        right for the first; never wrong. A zero is a vote for the first class, under "plus" for the second, and so is
        a vote that is even.
    start : {"zeros", "first", "random"} or array, default="zeros"
        The first weights: zeros; y_1 x_1; standard normal; given, one per feature and optionally one for the
        threshold (with several classes: one such row per class).
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature.
    bias_scale : float or "auto", default=1.0
        The value of that constant feature. "auto": the length of the longest row.
    normalize : bool, default=False
        Scale every row's features to length 1 first, when learning and when predicting; a row of zeros stays.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class.
    random_state : int, RandomState, Generator or None, default=None
        For shuffle=True, start="random" and vote="random".
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    votes_ : array of shape (n_updates + 1,), or a list of one per class
        The votes of each weight vector, the start's first; `replay(X, y, t)` gives vector t.
    coef_, intercept_, threshold_ : arrays
        As of Perceptron, of the weights that predict; not there with vote="voted".
    weights_ : array of shape (1 or n_classes, n_features + 1)
        The weights that predict, or with vote="voted" the last ones; the weight of the constant feature last.
    last_weights_ : array of the same shape
        The perceptron's own weights at the end.
    classes_ : array
        The labels, sorted; "yes" is the second.
    stop_reason_ : Reason
        Why it ended; its text is a sentence. For several classes, the first one's that was not separated.
    n_updates_, n_passes_, n_examples_seen_ : int
        Corrections, passes over the data, and looks at a row; summed over one-vs-rest rules.
    ledger_ : Ledger, or a list of one per class
        The corrected rows in order.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The vectors are not kept: what predicts is the start, the rows that were corrected, and the order of corrections, so
    memory grows with those and not with the number of vectors times that of features. To predict, the vectors are made
    again, a block at a time. Each vote is decided by the exact sign, and votes are whole numbers: the vote is exact.
    It ends early after a pass without a correction, if the vote is then right on every row; if it is not, each further
    pass gives the last weights more votes, and they are.
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is a
    last copy that moves the weights by that part of a step, and is a look like every other. With shuffle=True, all
    copies are shuffled.
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import VotedPerceptron
    >>> p = VotedPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> p.predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    >>> p.votes_.tolist()
    [0, 3, 1, 1, 2, 2, 1, 1, 3, 1, 2, 2, 2, 1, 1, 3, 1, 2, 7]
    """

    _name = "voted perceptron"

    def __init__(
        self,
        *,
        vote: str = "voted",
        max_passes: int | None = 10,
        shuffle: bool | str = AUTO,
        ties: str = "mistake",
        start: Any = "zeros",
        fit_intercept: bool = True,
        bias_scale: float | str = 1.0,
        normalize: bool = False,
        class_weight: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.vote = vote
        self.max_passes = max_passes
        self.shuffle = shuffle
        self.ties = ties
        self.start = start
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.normalize = normalize
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    @property
    def votes_(self) -> Any:
        """The votes of each weight vector, the start's first; of several rules, a list."""
        check_is_fitted(self, "weights_")
        return one_or_all([voters.votes for voters in self._electorates])

    def decision_function(self, X: Any) -> Array:
        """With vote="voted", the share of the votes for yes less that for no; else coef_ . x + intercept_.

        Of more than two classes, an equal share is told apart by the mean of the weights: by less than half a vote.
        """
        check_is_fitted(self, "weights_")
        if not self._is_vote():
            return super().decision_function(X)
        rows = self._rows(validate_data(self, X, accept_sparse="csr", ensure_all_finite=False, reset=False))
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
        self._vote = options.one_of("vote", self.vote, VOTES)
        self._share = self._generator().spawn(1)[0].random()  # of the looks, before the one that draws the vector

    def one_linear_rule(self) -> tuple[Array, float, str]:
        """The weights of the rule, unless it is a vote."""
        if self._is_vote():
            raise OptionError(f"vote={self.vote!r} is a vote of many linear rules, not one linear rule")
        return super().one_linear_rule()

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
