"""AveragedPerceptron: the scikit-learn face of `learn.passes.averaged`, and what all rules learned in passes share."""

from importlib import import_module
from typing import Any, Self

import numpy as np

from rosenblatt.estimators.linear import AUTO, JOINT, LinearRule, empty_ledger, one_or_all
from rosenblatt.estimators.progress import reporter
from rosenblatt.learn import choices
from rosenblatt.learn.choices import Budget, Reason
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.passes import averaged
from rosenblatt.learn.passes.averaged import Choice, PassesRun, Tally
from rosenblatt.learn.passes.averaged_kernels import OnMistakes, Stride
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.options import flag, is_word
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples


class RuleInPasses(LinearRule):
    """A rule that is learned in passes, each of which looks at every row once."""

    max_passes: int | None
    shuffle: bool | str
    random_state: Any
    verbose: bool

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
                "averaged": self._is_averaged(),
                "choice": self._choice(),
                "vote": self._is_vote(),
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
                    stride, growth = self._stride(part)
                    runs.append(averaged.learn(part, start, stride, growth=growth, watch=watch, **options))
            self._keep(classes, parts, runs)
        if interrupted():
            raise KeyboardInterrupt
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the next rows of a stream, each looked at once, in order.

        The first call must name all `classes`. However a stream is cut into calls, the result is the same to the
        last bit. After `fit`, it goes on from there.
        """
        ties = choices.ties_named(self.ties)
        first = not hasattr(self, "weights_")
        known, parts = self._next_parts(X, y, classes, sample_weight)
        if first:
            starts = self._start_weights(parts, self._generator())
            tallies = [averaged.begin(start, averaged=self._is_averaged()) for start in starts]
        else:
            tallies = self._tallies
        followed: list[Any] = []  # which Ctrl-C loses
        if joint := isinstance(parts[0], JointExamples):
            tally, entries = _joint().follow_tally(parts[0], tallies[0] if first else joined(tallies), ties)
            followed.append((tally, entries, None))
        for part, tally in () if joint else zip(parts, tallies, strict=True):
            stride, growth = self._stride(part)
            followed.append(averaged.follow(part, tally, stride, ties, growth))
        with ctrl_c_noted() as interrupted:  # all rules go on, or none does
            if first:
                self.ledger_ = one_or_all([self._ledger(start) for start in starts])
                self.classes_, self.n_passes_, self.n_examples_seen_ = known, 0, 0
            self._tallies = parted([tally for tally, _, _ in followed])
            for ledger, (_, entries, _), part in zip(self._ledgers(), followed, parts, strict=True):
                ledger.extend(entries, part.n, part)
                self.n_examples_seen_ += part.n_copies
            self.stop_reason_ = Reason.STREAM
            self._go_on(parts, [(entries, when) for _, entries, when in followed])
            self.weights_ = np.stack([self._rule(k) for k in range(len(self._tallies))])
            self._expose()
        if interrupted():
            raise KeyboardInterrupt
        return self

    def _keep(self, classes: Array, parts: list[Examples], runs: list[PassesRun]) -> None:
        """Take over what was learned, a run per rule."""
        self._tallies = parted([run.tally for run in runs])
        self._take(classes, runs)

    def _expose(self) -> None:
        super()._expose()
        self.last_weights_ = np.stack([tally.last for tally in self._tallies])

    def _emptied_ledgers(self) -> list[Ledger]:
        lasts = [tally.last for tally in self._tallies]
        starts = [np.stack(lasts)] if self._scheme == JOINT else lasts
        return [ledger.emptied(last) for ledger, last in zip(self._ledgers(), starts, strict=True)]

    def _budget(self) -> Budget:
        return Budget(self.max_passes)

    def _stride(self, part: Examples) -> tuple[Stride, float | None]:
        """What a look at a row does, and by how much that can lengthen the weights, if not by R."""
        return OnMistakes(choices.ties_named(self.ties)), None

    def _is_averaged(self) -> bool:
        return True

    def _choice(self) -> Choice:
        """Which weights the rule has, in a run."""
        return averaged.average if self._is_averaged() else averaged.last

    def _is_vote(self) -> bool:
        """Whether the rule is the vote of all weights."""
        return False

    def _rule(self, k: int) -> Array:
        """The same weights as of `_choice`, in a stream."""
        return self._tallies[k].average if self._is_averaged() else self._tallies[k].last

    def _ledger(self, start: Array) -> Ledger:
        """The ledger of a stream that begins."""
        return empty_ledger(start)

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


class AveragedPerceptron(RuleInPasses):
    """Linear yes/no rule: the mean of all weights that a perceptron went through (Freund and Schapire 1999).

    The perceptron's last weights hang on the rows that happened to be corrected last; their mean does not, and is
    usually the better rule where the classes overlap. More than two classes are learned jointly, as in `Perceptron`.

    Parameters
    ----------
    max_passes : int or None, default=10
        How many passes over the data, unless it ends earlier (see Notes).
    shuffle : bool or "auto", default="auto"
        Whether every pass is in a new random order, or in the order of the rows. "auto": in that order, unless rows of
        a class come in long runs, as in a table sorted by class, or several classes are learned jointly: then in a
        fixed order that is spread over the table.
    ties : {"mistake", "plus", "minus", "correct"}, default="mistake"
        What a score of exactly zero is in training: always wrong; right for the second class (sgn(0) = +1);
        right for the first; never wrong. A zero is predicted as the first class, under "plus" as the second.
    start : {"zeros", "first", "random"} or array, default="zeros"
        The first weights: zeros; y_1 x_1; standard normal; given, one per feature and optionally one for the
        threshold (with several classes: one such row per class).
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature.
    bias_scale : float or "auto", default=1.0
        The value of that constant feature. "auto": the length of the longest row.
    normalize : bool, default=False
        Scale every row's features to length 1 first, when learning and when predicting; a row of zeros stays.
    multi_class : {"joint", "one-vs-rest", "one-vs-one"}, default="joint"
        How more than two classes are learned, as in `Perceptron`.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class.
    random_state : int, RandomState, Generator or None, default=None
        For shuffle=True and start="random".
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    coef_ : array of shape (1, n_features), or (n_classes, n_features) for more than two classes
    intercept_, threshold_ : array of shape (1,) or (n_classes,)
        The rule says yes where coef_ . x > threshold_, that is, where coef_ . x + intercept_ > 0.
    weights_ : array of shape (1 or n_classes, n_features + 1)
        The average, the weight of the constant feature last; intercept_ is that one times bias_scale, rounded.
    last_weights_ : array of the same shape
        The perceptron's own weights at the end; `start=last_weights_` goes on from them, with a new average.
    classes_ : array
        The labels, sorted; "yes" is the second.
    stop_reason_ : Reason
        Why it ended; its text is a sentence. For several rules, the first one's that was not separated.
    n_updates_, n_passes_, n_examples_seen_ : int
        Corrections, passes over the data, and looks at a row; summed over several rules.
    ledger_ : Ledger, or a list of one per rule
        The corrected rows in order: `replay(X, y, t)` gives the perceptron's weights after t updates.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The average is over all looks at a row, whether they move the weights or not: (w_1 + ... + w_T) / T, with w_s the
    weights after look s. It is computed as (T w_T - u) / T, where u adds up, entry by entry, what each correction added
    times the number of looks before it; so a look that moves nothing costs nothing, and the result does not depend on
    whether X is dense or sparse, to the last bit. It ends early after a pass without a correction, if the average is
    then right on every row; if it is not, each further pass brings it nearer to the last weights, which are.
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is a
    last copy that moves the weights by that part of a step, and is a look like every other. With shuffle=True, all
    copies are shuffled.
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron
    >>> p = AveragedPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> p.predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    >>> p.coef_.round(3), p.threshold_.round(3)
    (array([[2.083, 1.333]]), array([2.556]))
    """

    def __init__(
        self,
        *,
        max_passes: int | None = 10,
        shuffle: bool | str = AUTO,
        ties: str = "mistake",
        start: Any = "zeros",
        fit_intercept: bool = True,
        bias_scale: float | str = 1.0,
        normalize: bool = False,
        multi_class: str = JOINT,
        class_weight: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.max_passes = max_passes
        self.shuffle = shuffle
        self.ties = ties
        self.start = start
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.normalize = normalize
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose
