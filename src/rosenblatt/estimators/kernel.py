"""KernelPerceptron: the scikit-learn face of `learn.dual.dual`."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, OptionError
from rosenblatt.estimators.contract import ConvergenceWarning, available_if, check_is_fitted, validate_data
from rosenblatt.estimators.linear import AUTO, LinearRule, one_or_all
from rosenblatt.estimators.progress import reporter
from rosenblatt.learn.choices import Budget, Reason, shares
from rosenblatt.learn.dual import dual, gram
from rosenblatt.learn.dual.dual import DualRun, State
from rosenblatt.learn.dual.gram import PRECOMPUTED, SCALE, Gram, Kernel, Points
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.run_state import NUMBERS_AT_ONCE, ctrl_c_noted
from rosenblatt.plurals import many
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples, shown
from rosenblatt.rows.kernels import Array, Dense
from rosenblatt.rows.storage import n_features, rows_of


class KernelPerceptron(LinearRule):
    """Perceptron in the feature space of a kernel: a linear rule there, a curved one here.

    On rows that some rule of that space separates it ends with one that is right on every training row. More than two
    classes are learned one against the rest.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "cosine", "laplacian", "chi2" or "additive_chi2" as in
        `sklearn.metrics.pairwise`; "precomputed": X is the kernel matrix; or a function that takes two tables, with n
        and m rows, and returns an array of shape (n, m), as `SVC` has it.
    gamma : float, "scale" or None, default=None
        For "rbf", "poly", "sigmoid", "laplacian" and "chi2". None: 1 / n_features (1 for "chi2"); "scale":
        1 / (n_features * X.var()), which needs all rows at once.
    degree, coef0 : float, default=3 and 1.0
        For "poly" and, coef0 alone, "sigmoid".
    order : {"active", "cyclic"}, default="active"
        Which mistake is corrected next: among rows that were ever wrong, until they are right, before the next full
        pass, which leads to fewer support rows; or the next one in a cycle.
    budget : int or None, default=None
        How many corrections are remembered; so no more than that many support rows are kept. When the memory is full,
        each new correction replaces one drawn at random (Cavallanti, Cesa-Bianchi and Gentile 2007).
    average : bool, default=False
        Predict with the mean of the weights after every look at a row (Freund and Schapire 1999).
    fit_intercept : bool, default=False
        Whether the rule has a threshold: adds the square of bias_scale to the kernel. Most kernels need none.
    bias_scale : float, default=1.0
        The value of the constant feature whose weight the threshold is.
    max_passes : int or None, default=1000
        Budget of passes over the data; looks at the rows that were ever wrong count as parts of a pass.
    max_updates, max_seconds : number or None, default=None
        Budgets of updates, like max_passes for each one-vs-rest rule, and of time, for all of them.
    cache_mb : float, default=200
        Memory for columns of the kernel matrix. What is learned does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class.
    random_state : int, RandomState, Generator or None, default=None
        For what a budget forgets.
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    support_ : array of shape (n_support,)
        The rows that the rule is a sum over; numbered from the first of a stream.
    support_vectors_ : array or sparse matrix of shape (n_support, n_features)
        Those rows; None for a precomputed kernel.
    dual_coef_ : array of shape (1, n_support), or (n_classes, n_support) for more than two classes
        The rule says yes where dual_coef_ . K(support_vectors_, x) > 0, with the threshold's part in K: y_j times how
        often row j was corrected; with average=True, the mean of that.
    weights_ : array of the same shape
        The same before it is averaged.
    intercept_ : array of shape (1,) or (n_classes,)
        The threshold's part: the sum of dual_coef_ times the square of bias_scale.
    gamma_ : float
        The gamma used.
    classes_, stop_reason_, n_updates_, n_passes_, n_examples_seen_
        As of `Perceptron`.
    ledger_ : Ledger, or a list of one per class
        The corrected rows in order. With a linear kernel, `replay(X, y)` gives the weights.
    forgotten_ : array, or a list of one per class
        With a budget: the rows of the corrections that were taken back, in order.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Decisions are exact for the numbers that the kernel gives. Those of named kernels are the same for dense and sparse
    X, and so is what is learned, to the last bit. A function must give the same number for two rows however many it is
    asked for at once, or decisions may depend on that in the last digit.
    Rows are looked at in their order: shuffle rows that are sorted by class.
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is
    a last copy that moves the rule by that part of a step.
    If some u of the feature space has y (u . x) >= eps on every row, there are at most max K(x, x) ||u||^2 / eps^2
    updates (`bounds.stream`).
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # no line separates exclusive or
    >>> p = KernelPerceptron(kernel="poly", degree=2).fit(X, y)
    >>> str(p.stop_reason_), p.predict(X).tolist()
    ('The rule is right on every row.', [0, 1, 1, 0])
    """

    ties = "mistake"
    start = "zeros"
    normalize = False

    def __init__(
        self,
        *,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1.0,
        order: str = "active",
        budget: int | None = None,
        average: bool = False,
        fit_intercept: bool = False,
        bias_scale: float = 1.0,
        max_passes: int | None = 1000,
        max_updates: int | None = None,
        max_seconds: float | None = None,
        cache_mb: float = 200,
        class_weight: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.order = order
        self.budget = budget
        self.average = average
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.cache_mb = cache_mb
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X, or of the precomputed kernel matrix, and their labels y."""
        order = dual.order_named(self.order)
        budget = Budget(self.max_passes, self.max_updates, self.max_seconds)
        self._check_options()
        classes, parts = self._parts(X, y, sample_weight)
        points = Points(parts[0].rows)
        kernel = self._kernel_for(points)
        columns = Gram(kernel, points, self.cache_mb)
        runs = []
        with ctrl_c_noted() as interrupted:
            blank = self._blank(points.n, len(parts))
            for part, state, share in zip(parts, blank, shares(budget, len(parts)), strict=True):
                watch = reporter(share, "kernel perceptron") if self.verbose else None
                options: Any = {"order": order, "budget": share, "watch": watch}
                runs.append(dual.learn(part, columns, state, interrupted=interrupted, **options))
            self._kernel = kernel
            self._keep([run.state for run in runs], points, np.arange(points.n))
            self._take(classes, list(runs))
            self.forgotten_ = one_or_all([run.forgotten_of(np.arange(points.n)) for run in runs])
            if self.average and self.stop_reason_ is Reason.SEPARATED and self._errs_on(X, y, parts[0].weights):
                self.stop_reason_ = Reason.QUIET  # the last weights are right, but their mean decides
        for part, run in zip(parts, runs, strict=True):
            if run.reason is not Reason.SEPARATED:
                _warn(part, run)
        if interrupted():
            raise KeyboardInterrupt
        return self

    def _errs_on(self, X: Any, y: Any, weights: Array) -> bool:
        """Whether some row that counts is predicted wrong."""
        wrong = self.predict(X) != np.asarray(y)
        return bool((wrong[weights > 0] if weights.size else wrong).any())

    @available_if(lambda self: not options.is_word(self.kernel, PRECOMPUTED))  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the next rows of a stream, each looked at once, in order.

        The first call must name all `classes`. However a stream is cut into calls, the result is the same to the
        last bit. After `fit`, it goes on from there. A precomputed kernel has no next rows, and no partial_fit.
        """
        self._check_options()
        first = not hasattr(self, "weights_")
        if first and options.is_word(self.gamma, SCALE):
            raise OptionError("gamma='scale' needs all rows at once; give partial_fit a number")
        known, parts = self._next_parts(X, y, classes, sample_weight)
        more = Points(parts[0].rows)
        if first:
            self._kernel = self._kernel_for(more)
            self._states, self.support_ = self._blank(0, len(parts)), np.empty(0, np.int64)
            self._support = more.take(np.empty(0, np.int64))
        runs = self._follow(parts, more)  # which Ctrl-C loses
        with ctrl_c_noted() as interrupted:  # all rules go on, or none does
            if first:
                self.classes_, self.n_passes_, self.n_examples_seen_ = known, 0, 0
                self.ledger_ = one_or_all([Ledger(np.zeros(part.size), 0, np.int64) for part in parts])
                self.forgotten_ = one_or_all([np.empty(0, np.int64) for _ in parts])
            numbers = np.concatenate([self.support_, self._ledgers()[0].n_rows + np.arange(more.n)])
            self._note(parts, runs, numbers)
            self._keep([run.state for run in runs], self._support.followed_by(more), numbers)
            self._expose()
        if interrupted():
            raise KeyboardInterrupt
        return self

    def _follow(self, parts: list[Examples], more: Points) -> list[DualRun]:
        """The next part of the stream, for each rule; changes nothing."""
        before, support = self._support.n, self._support
        columns = Gram(self._kernel, support.followed_by(more), self.cache_mb)
        amounts = np.stack([state.amounts for state in self._states])
        scores, errors = dual.scores_of(self._kernel, more, support, amounts)
        runs = []
        for part, state, own, error in zip(parts, self._states, scores, errors, strict=True):
            weights = part.weights if part.weights.size else np.ones(part.n)
            labels = np.concatenate([np.ones(before, np.int8), part.labels])
            both = Examples(columns.points.rows, labels, np.concatenate([np.zeros(before), weights]), part.classes)
            longer = state.with_more(part.n, np.searchsorted(self.support_, state.memory.row))
            runs.append(dual.follow(both, columns, longer, np.concatenate([np.zeros(before), own]), float(error)))
        return runs

    def _note(self, parts: list[Examples], runs: list[DualRun], numbers: Array) -> None:
        """Add what was corrected, and taken back, to the books; `numbers` are those of the rows in the stream."""
        before, forgotten = self._support.n, self.forgotten_ if len(runs) > 1 else [self.forgotten_]
        for ledger, run, part in zip(self._ledgers(), runs, parts, strict=True):
            entries = run.ledger.entries().astype(np.int64)
            ledger.extend(np.where(entries < 0, entries + before, entries - before), part.n, part)
            self.n_examples_seen_ += part.n_copies
        self.forgotten_ = one_or_all(
            [np.concatenate([old, run.forgotten_of(numbers)]) for old, run in zip(forgotten, runs, strict=True)]
        )
        self.stop_reason_ = Reason.STREAM

    def one_linear_rule(self) -> tuple[Array, float, str]:
        """Refused: the rule is linear in the space of the kernel only."""
        raise OptionError("a kernel's rule is linear in another space, not in the columns")

    def decision_function(self, X: Any) -> Array:
        """dual_coef_ . K(support_vectors_, x) for every row, with the exact sign: of shape (n,), or (n, n_classes)."""
        check_is_fitted(self, "weights_")
        X = validate_data(self, X, accept_sparse="csr", ensure_all_finite=False, reset=False)
        points = Points(self._rows(X))
        scores = np.empty((len(self.dual_coef_), points.n))
        step = max(NUMBERS_AT_ONCE // max(self.support_.size, 1), 1)
        for begin in range(0, points.n, step):
            some = np.arange(begin, min(begin + step, points.n))
            scores[:, some] = self._scores(points.take(some))
        return scores[0] if len(scores) == 1 else scores.T

    def _scores(self, points: Points) -> Array:
        """The scores of a few rows under each rule."""
        if not self.support_.size:
            return np.zeros((len(self.dual_coef_), points.n))
        values = self._kernel.between(points, self._support)
        if self._kernel.function == PRECOMPUTED:
            values = np.ascontiguousarray(values[:, self.support_])
        yes = Examples(rows_of(values, bias=0.0), np.ones(points.n, np.int8))
        return np.stack([find.margins(yes, np.append(a, 0.0)) for a in self.dual_coef_])

    def _check_options(self) -> None:
        """Refuse options that do not fit."""
        options.check_flags(self)
        if options.is_word(self.bias_scale, AUTO):
            raise OptionError("bias_scale must be a number: a kernel's rows have no length to take it from")
        options.whole("budget", self.budget, 1, most=2**31 - 1, none=True)
        if self.budget is not None and self.average:
            raise OptionError("average=True needs all corrections, but a budget forgets some: choose one of them")
        options.number("cache_mb", self.cache_mb, above=0, infinite=True)

    def _kernel_for(self, points: Points) -> Kernel:
        if options.is_word(self.kernel, PRECOMPUTED) and not isinstance(points.rows, Dense):
            raise DataError("a precomputed kernel matrix must be dense, not sparse")
        if options.is_word(self.kernel, PRECOMPUTED) and points.n != n_features(points.rows):
            raise DataError(
                f"a precomputed kernel matrix has a row and a column for each example, not {points.n} rows and "
                f"{n_features(points.rows)} columns"
            )
        return gram.kernel_of(self.kernel, self.gamma, self.degree, self.coef0, self._bias, points)

    def _blank(self, n: int, rules: int) -> list[State]:
        """A start for each rule."""
        rng, budget = self._generator(), None if self.budget is None else int(self.budget)
        seeds = rng.integers(2**63, size=rules) if budget else np.zeros(rules, np.int64)
        return [State.blank(n, self.average, budget, int(seed)) for seed in seeds]

    def _keep(self, states: list[State], points: Points, numbers: Array) -> None:
        """Keep the rows that a rule is a sum over, by their numbers, and forget the others."""
        kept = np.flatnonzero(np.any([state.amounts != 0 for state in states], axis=0))
        self._states = [state.of(kept, numbers) for state in states]
        self.support_ = numbers[kept]
        given = self._kernel.function == PRECOMPUTED
        self._support = points.take(kept[:0] if given else kept)
        self.support_vectors_ = None if given else self._support.matrix

    @property
    def coef_(self) -> Any:  # type: ignore[override]
        """There is none, so that selectors of features do not take the rows' weights for those of columns."""
        raise AttributeError(
            "a kernel's rule is linear in another space, so it has no weight for each column; dual_coef_ has one for "
            "each support row, and sklearn.inspection.permutation_importance tells which columns matter"
        )

    def replay(self, X: Any, y: Any, t: int | None = None, sample_weight: Any = None) -> Array:
        """With kernel="linear": the weights of the features and the threshold after t updates (None: all)."""
        if not options.is_word(self.kernel, "linear"):
            raise OptionError(
                "only a linear kernel has weights that can be replayed; ledger_.rows tells what was corrected"
            )
        return super().replay(X, y, t, sample_weight)

    def _emptied_ledgers(self) -> list[Ledger]:
        return [ledger.emptied(ledger.start, ledger.n_rows) for ledger in self._ledgers()]

    def _expose(self) -> None:
        """The attributes that follow from the states and the ledgers."""
        self.weights_ = np.stack([state.amounts for state in self._states])
        self.dual_coef_ = np.stack([state.mean for state in self._states])
        self.intercept_ = self.dual_coef_.sum(axis=1) * self._kernel.shift
        self.gamma_ = self._kernel.gamma
        self.n_updates_ = self._updates_before + sum(len(ledger) for ledger in self._ledgers())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = options.is_word(self.kernel, PRECOMPUTED)
        tags.input_tags.sparse = not options.is_word(self.kernel, PRECOMPUTED)
        return tags


def _warn(examples: Examples, run: DualRun) -> None:
    """Say that a run ended without a clean pass, why, and what to try."""
    no, yes = map(shown, examples.classes)
    warnings.warn(
        f"{run.reason} {run.mistakes} of {examples.n} rows are wrong ({yes} against {no}) "
        f"after {many(run.updates, 'update')} and {many(run.passes, 'full pass', 'full passes')}. "
        "Try to raise the budget, or a kernel that separates more: a larger gamma for 'rbf', a higher degree for "
        "'poly'; shuffle rows that are sorted by class.",
        ConvergenceWarning,
        stacklevel=3,
    )
