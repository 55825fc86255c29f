"""Perceptron: the scikit-learn face of `learn.pla.pla`."""

import warnings
from dataclasses import replace
from importlib import import_module
from math import inf
from typing import Any, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import OptionError
from rosenblatt.estimators.contract import ConvergenceWarning
from rosenblatt.estimators.linear import AUTO, JOINT, LinearRule, empty_ledger, one_or_all
from rosenblatt.estimators.progress import reporter
from rosenblatt.learn import choices
from rosenblatt.learn.choices import Budget, Reason
from rosenblatt.learn.pla import pla
from rosenblatt.learn.pla.stalling import Stall
from rosenblatt.learn.run_state import Run, ctrl_c_noted
from rosenblatt.plurals import many
from rosenblatt.prove.solve import run as of_two_classes
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.separability import NotSeparable, decide
from rosenblatt.prove.theory import bounds
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples, shown
from rosenblatt.rows.kernels import Array, Ties
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import some_rows

BOUND = "bound"
MOST_PASSES = 1000  # where nothing else is said
A_PROOF, SOME_PASSES = 1e9, 50  # operations, and times all numbers, after which a proof is given up
NO_RULE = "No rule is right on every row that counts."
SOME_RULE = "The rows are proved separable: more passes lead there, sooner if the columns are of similar sizes"
A_SECOND = 1e9  # numbers, read in about so long: what is looked for in a run whose time is up
ADVICE = {
    Reason.MAX_PASSES: "raise max_passes, or bring the columns to similar sizes (StandardScaler)",
    Reason.STALLED: "set max_passes to go on",
    Reason.MAX_COPIES: "divide the weights by a constant",
    Reason.MAX_UPDATES: "raise max_updates, or bring the columns to similar sizes (StandardScaler)",
    Reason.MAX_SECONDS: "raise max_seconds, or bring the columns to similar sizes (StandardScaler)",
    Reason.BOUND: "ask for a smaller margin",
    Reason.PATIENCE: "raise patience",
    Reason.QUIET: "count a score of 0 as a mistake (ties='mistake')",
    Reason.INTERRUPTED: "fit again with start=weights_ to go on",
}


def learner_of(part: Examples) -> Any:
    """The module that learns from these examples: that of several classes is loaded only where there are such."""
    return import_module("rosenblatt.learn.pla.joint_pla") if isinstance(part, JointExamples) else pla


class Perceptron(LinearRule):
    """Linear yes/no rule, learned by correcting mistakes (Rosenblatt 1958) until there is none.

    On separable data it ends with a rule that is right on every training row, and says so; otherwise it says
    what ran out. More than two classes are learned jointly: the class with the largest score is the label, and a
    mistake corrects two scores, that of its own class and that of the strongest rival (Kesler's construction).

    Parameters
    ----------
    order : {"active", "cyclic", "random", "random-mistake", "worst"}, default="active"
        Which mistake is corrected next: rows near the boundary before the next full pass; the next one in a
        cycle; rows drawn at random; a random one of the present mistakes; the one with the least y (w . x).
    ties : {"mistake", "plus", "minus", "correct"}, default="mistake"
        What a score of exactly zero is in training: always wrong; right for the second class (sgn(0) = +1);
        right for the first; never wrong. A zero is predicted as the first class, under "plus" as the second. Of
        several classes learned jointly, the same of equal scores: always wrong; right for the last of the classes; for
        the first, which is always the one predicted; never wrong.
    start : {"zeros", "first", "random"} or array, default="zeros"
        The first weights: zeros; y_1 x_1; standard normal; given, one per feature and optionally one for the
        threshold (with several classes: one such row per class).
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature.
    bias_scale : float or "auto", default=1.0
        The value of that constant feature. "auto": the length of the longest row, which bounds the updates by
        (2 R / margin)^2 wherever the rows lie (see `bounds.with_bias`).
    normalize : bool, default=False
        Scale every row's features to length 1 first, when learning and when predicting; a row of zeros stays.
    max_passes : int, "auto" or None, default="auto"
        Budget of passes over the data; looks at the active set count as parts of a pass. "auto": 1000, and under the
        orders "active" and "cyclic" it ends sooner where more passes do not help (see Notes).
    max_updates, max_seconds : number or None, default=None
        Budgets of updates, like max_passes for each rule, and of time, for all rules, without that of compiling, kept
        to within some two seconds. max_updates="bound" stops after as many updates as prove that no unit vector is
        right on every row with the `margin` given (Novikoff 1962).
    margin : float or None, default=None
        For max_updates="bound": the least margin worth finding, in the units of the rows.
    patience : int or None, default=None
        Under order="random": stop after that many draws in a row without an update. None: look at all rows
        after n such draws, and go on if one is wrong.
    multi_class : {"joint", "one-vs-rest", "one-vs-one"}, default="joint"
        How more than two classes are learned: all scores at once, so that the largest is that of the right class; a
        rule for each class against the rest; a rule for each pair of classes, which vote.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class.
    random_state : int, RandomState, Generator or None, default=None
        For the random orders and start="random".
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    coef_ : array of shape (1, n_features), or (n_classes, n_features) for more than two classes
        One-vs-one has a row for each pair of classes instead: 0 and 1, 0 and 2, 1 and 2, 0 and 3, ...
    intercept_, threshold_ : array of shape (1,) or (n_classes,)
        The rule says yes where coef_ . x > threshold_, that is, where coef_ . x + intercept_ > 0; of several classes,
        the one where coef_ . x + intercept_ is largest, the first of equals.
    weights_ : array of shape (1 or n_classes, n_features + 1)
        The rule exactly as learned, the weight of the constant feature last; intercept_ is that one times
        bias_scale, rounded.
    classes_ : array
        The labels, sorted; "yes" is the second.
    stop_reason_ : Reason
        Why it ended; its text is a sentence. For several rules, the first one's that was not separated.
    n_updates_, n_passes_, n_examples_seen_ : int
        Corrections, full passes over the data, and looks at a row; summed over several rules.
    ledger_ : Ledger, or a list of one per rule
        The corrected rows in order: `replay(X, y, t)` gives the weights after t updates. Of classes learned
        jointly, `ledger_.rivals` has the classes that they were corrected against.
    certificate_ : Contradiction, NoMargin, their joint kinds or None, or a list of one per rule
        What is proved when a run did not separate the rows: that they contradict each other, because whole weights
        came back to where they had been, or as was found when passes did not help any more (then without sample
        weights of zero); or, with max_updates="bound", that there is no such margin.
        `certificate_.verify(X, y)` checks it; of one-vs-rest and one-vs-one rules, `verify(X, y == label)` that of
        each, with the class that it says yes to. With normalize=True it is about the rows scaled to length 1.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is
    a last copy that moves the weights by that part of a step. What is learned does not depend on whether X is dense or
    sparse, to the last bit. Where weights are above 1000 on average, max_passes allows no more work than if they were
    1000: no more than 1000 max_passes draws or corrections per row.
    With max_passes="auto", the passes are looked back on when there were 32, 64, 128, ... of them. If none of the later
    half made a quarter fewer corrections than all of the first half did, and little work proves that no rule is right
    on every row, it ends. It never ends so where rows are proved separable; where little work proves neither, as on
    many tables of many columns, it ends after 512 passes, if none of the later half made any fewer. Then mistakes are
    counted at 16 places of each of four more passes, which meet the rows spread out, as tables are often sorted by
    class; the weights with the fewest are the rule, and the ledger ends with them. A number as max_passes is just that.
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.
    A pickle holds the rule without its ledger, which may be longer than the data and begins anew; to keep it, pickle
    `ledger_` as well, or call `ledger_.save(path)`.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> p = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> str(p.stop_reason_)
    'The rule is right on every row.'
    >>> p.predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    >>> p.coef_, p.threshold_
    (array([[3., 2.]]), array([4.]))
    """

    def __init__(
        self,
        *,
        order: str = "active",
        ties: str = "mistake",
        start: Any = "zeros",
        fit_intercept: bool = True,
        bias_scale: float | str = 1.0,
        normalize: bool = False,
        max_passes: int | str | None = AUTO,
        max_updates: int | str | None = None,
        max_seconds: float | None = None,
        margin: float | None = None,
        patience: int | None = None,
        multi_class: str = JOINT,
        class_weight: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.order = order
        self.ties = ties
        self.start = start
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.normalize = normalize
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.margin = margin
        self.patience = patience
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        order, ties = choices.order_named(self.order), choices.ties_named(self.ties)
        updates = options.whole("max_updates", self.max_updates, 1, words=(BOUND,), none=True)
        passes = options.whole("max_passes", self.max_passes, 1, words=(AUTO,), none=True)
        options.number("margin", self.margin, above=0, none=True)
        by_bound, by_itself = updates == BOUND, passes == AUTO
        budget = Budget(
            MOST_PASSES if by_itself else passes, None if by_bound else updates, self.max_seconds, self.patience
        )
        rng = self._generator()
        classes, parts = self._parts(X, y, sample_weight)
        starts = self._starts(parts, rng)
        runs, verdicts = [], [_Asked(part, self.ties) for part in parts]
        with ctrl_c_noted() as interrupted:
            limits = choices.shares(budget, len(parts))
            for part, start, asked, limit in zip(parts, starts, verdicts, limits, strict=True):
                limit = replace(limit, max_updates=self._bound(part, start)) if by_bound else limit
                watch = reporter(limit) if self.verbose else None
                how: Any = {"order": order, "ties": ties, "budget": limit, "rng": rng, "watch": watch}
                if by_itself:
                    how["stall"] = Stall(asked.is_refuted)
                runs.append(learner_of(part).learn(part, start, interrupted=interrupted, **how))
            proved = [self._proved(*each) for each in zip(parts, runs, starts, verdicts, strict=True)]
        runs = [
            replace(run, reason=Reason.BOUND) if getattr(p, "refutes_a_margin", False) else run
            for run, p in zip(runs, proved, strict=True)
        ]
        self.certificate_ = one_or_all(proved)
        self._take(classes, runs)
        for part, run, certificate, asked in zip(parts, runs, proved, verdicts, strict=True):
            if run.reason is not Reason.SEPARATED:
                known = certificate.statement if certificate else asked.finding
                _warn(part, run, choices.ties_named(self.ties_of_prediction), known)
        if interrupted():
            raise KeyboardInterrupt
        return self

    def _bound(self, part: Examples, start: Array) -> int:
        """After how many updates there is no such margin (Theorem A for the worst direction of this start)."""
        if self.margin is None:
            raise OptionError("max_updates='bound' needs the margin that is worth finding, as margin=...")
        if not find.is_whole(part.weights):
            raise OptionError("max_updates='bound' needs sample weights that are whole numbers")
        away = find.norm(start)
        return bounds.updates(part.radius * (1 + 1e-15), self.margin, start_length=away, start_along=-away) + 1

    def _proved(self, part: Examples, run: Run, start: Array, asked: "_Asked") -> Any:
        """What a run that did not separate its rows proves about them."""
        if run.reason in (Reason.SEPARATED, Reason.INTERRUPTED) or self._unit_rows:  # those are not the rows given
            return None
        if asked.contradiction:
            return asked.contradiction
        most = A_SECOND if run.reason is Reason.MAX_SECONDS else inf
        prove = import_module("rosenblatt.prove.solve.joint_run") if isinstance(part, JointExamples) else of_two_classes
        if found := prove.recurrence(part, run, start, self.ties, most):
            return found
        if self.max_updates == BOUND and run.reason is Reason.MAX_UPDATES:
            refuted = prove.no_margin(part, run)
            return refuted if self.margin is not None and refuted.margin <= self.margin else None
        return None

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the next rows of a stream, each looked at once, in order.

        The first call must name all `classes`. However a stream is cut into calls, the result is the same to the
        last bit. After `fit`, it goes on from there.
        """
        ties = choices.ties_named(self.ties)
        first = not hasattr(self, "weights_")
        known, parts = self._next_parts(X, y, classes, sample_weight)
        joint = isinstance(parts[0], JointExamples)
        before: Any = [self.weights_] if joint and not first else getattr(self, "weights_", None)
        before = self._start_weights(parts, self._generator()) if first else before
        followed = [learner_of(part).follow(part, w, ties) for part, w in zip(parts, before, strict=True)]
        with ctrl_c_noted() as interrupted:  # all rules go on, or none does; an earlier Ctrl-C loses what was followed
            if first:
                self.ledger_ = one_or_all([empty_ledger(w) for w in before])
                self.classes_, self.n_passes_, self.n_examples_seen_ = known, 0, 0
            self.weights_ = np.vstack([w for w, _ in followed])
            for ledger, (_, entries), part in zip(self._ledgers(), followed, parts, strict=True):
                ledger.extend(entries, part.n, part)
                self.n_examples_seen_ += part.n_copies
            self.stop_reason_ = Reason.STREAM
            self._expose()
        if interrupted():
            raise KeyboardInterrupt
        return self


class _Asked:
    """A proof that is asked for at most once: that no rule is right on every row that counts."""

    def __init__(self, part: Examples, ties: str) -> None:
        self._part, self._ties = part, ties
        self.finding = ""  # in words
        self.contradiction: Any = None  # of the rows as they are numbered

    def is_refuted(self) -> bool | None:
        """True with a proof, False if there is such a rule, None if little work does not tell."""
        part, counted = self._part, self._part.counted[0]
        rows = part.rows if counted.size == part.n else some_rows(part.rows, counted)
        clock = Clock(most_work=A_PROOF + SOME_PASSES * rows.values.size)
        if isinstance(part, JointExamples):
            several = JointExamples(rows, part.labels[counted], classes=part.classes)
            verdict = import_module("rosenblatt.prove.solve.joint_separability").decide(
                several, self._ties, clock, learning=False
            )
        else:
            verdict = decide(Examples(rows, part.labels[counted]), self._ties, clock, learning=False)
        if verdict.separable is False:
            self.finding = NO_RULE
        elif verdict.separable and self._ties == "mistake":  # else passes may go round for ever all the same
            self.finding = f"{SOME_RULE} (StandardScaler)."
        if isinstance(verdict, NotSeparable) and counted.size == part.n:
            self.contradiction = verdict.certificate
        return None if verdict.separable is None else not verdict.separable


def _warn(examples: Examples, run: Run, ties: Ties, known: str) -> None:
    """Say that a run ended without a clean pass, why, and what is known of the rows, or else what to try."""
    if isinstance(examples, JointExamples):
        left, which = learner_of(examples).wrong_rows(examples, run.weights).size, ""
    else:
        no, yes = map(shown, examples.classes)
        left, which = find.count(examples, run.weights, ties), f" ({yes} against {no})"
    advice = (
        f"Try to {ADVICE[run.reason]}; if the classes overlap, no line separates them and no budget is enough: "
        "PocketPerceptron keeps the rule with the fewest mistakes."
    )
    warnings.warn(
        f"{run.reason} {left} of {examples.counted[0].size} rows are wrong{which} "
        f"after {many(run.updates, 'update')} and {many(run.passes, 'full pass', 'full passes')}. {known or advice}",
        ConvergenceWarning,
        stacklevel=3,
    )
