"""The kernel perceptron of `learn.dual.dual`."""

from collections.abc import Callable
from typing import Annotated, Any, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn.choices import Budget, Reason, shares
from rosenblatt.learn.dual import dual, gram
from rosenblatt.learn.dual.dual import DualRun, DualState
from rosenblatt.learn.dual.gram import PRECOMPUTED, SCALE, Gram, KernelFunction, KernelRows
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.run_state import NUMBERS_AT_ONCE, ctrl_c_noted
from rosenblatt.options import Number, OneOf, Special, Whole, with_options
from rosenblatt.plurals import many
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples, shown
from rosenblatt.rows.kernels import Array, Dense
from rosenblatt.rows.storage import n_features, rows_of
from rosenblatt.rules import conventions
from rosenblatt.rules.linear.stream_learner import Followed, StreamLearner
from rosenblatt.rules.option_groups import AUTO, AnyNumber, BiasScale, BudgetOptions, LearningOptions, Switch
from rosenblatt.rules.run_progress import reporter
from rosenblatt.rules.schemes import as_list, one_or_all


@with_options
class CacheOptions:
    """How much memory to use."""

    cache_mb: Annotated[
        float,
        Number(above=0, infinite=True),
        "Memory for columns of the kernel matrix, in megabytes. What is learned does not depend on it.",
    ] = 200


@with_options
class KernelRule(BudgetOptions, CacheOptions, LearningOptions, StreamLearner):
    """What `rosenblatt.KernelPerceptron` is as a rule."""

    name = "KernelPerceptron"
    keeps = (*StreamLearner.keeps, "support rows")

    _score_in_words = conventions.KERNEL
    _why_not_linear = "a kernel's rule is linear in another space, not in the columns"
    ties = "mistake"
    start = "zeros"
    normalize = False

    kernel: Annotated[
        str | Callable[[Any, Any], Any],
        Special("kernel", "str or callable"),
        '"linear", "poly", "rbf", "sigmoid", "cosine", "laplacian", "chi2" or "additive_chi2" as in '
        '`sklearn.metrics.pairwise`; "precomputed": X is the kernel matrix; or a function that takes two tables, with '
        "n and m rows, and returns an array of shape (n, m), as in `SVC`.",
    ] = "rbf"
    gamma: Annotated[
        float | str | None,
        Number(above=0, words=(SCALE,), none=True),
        'For "rbf", "poly", "sigmoid", "laplacian" and "chi2". None: 1 / n_features (1 for "chi2"); "scale": '
        "1 / (n_features * X.var()), which needs all rows at once.",
    ] = None
    degree: Annotated[AnyNumber, 'For "poly".'] = 3
    coef0: Annotated[AnyNumber, 'For "poly" and "sigmoid".'] = 1.0
    order: Annotated[
        str,
        OneOf(tuple(dual.ORDERS)),
        "Which mistake is corrected next: among rows that were ever wrong, until they are right, before the next full "
        "pass, which leads to fewer support rows; or the next one in a cycle.",
    ] = "active"
    budget: Annotated[
        int | None,
        Whole(1, most=2**31 - 1, none=True),
        "How many corrections are remembered; so no more than that many support rows are kept. When the memory is "
        "full, each new correction replaces one drawn at random (Cavallanti, Cesa-Bianchi and Gentile 2007).",
    ] = None
    average: Annotated[
        Switch,
        "Whether to predict with the mean of the weights after every look at a row (Freund and Schapire 1999).",
    ] = False
    fit_intercept: Annotated[
        Switch, "Whether the rule has a threshold: adds the square of bias_scale to the kernel. Most kernels need none."
    ] = False
    bias_scale: Annotated[
        BiasScale, 'The value of the constant feature whose weight the threshold is. "auto" is refused.'
    ] = 1.0
    max_passes: Annotated[int | None, "Looks at the rows that were ever wrong count as parts of a pass."] = 1000
    random_state: Annotated[Any, "It decides what a full budget forgets."] = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X, or of the precomputed kernel matrix, and their labels y."""
        order = dual.order_named(self.order)
        budget = Budget(self.max_passes, self.max_updates, self.max_seconds)
        self.check_options()
        classes, parts = self._parts(X, y, sample_weight)
        points = KernelRows(parts[0].rows)
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
        self._warn_unless_separated(parts, runs, _in_words)
        if interrupted():
            raise KeyboardInterrupt
        return self

    def _errs_on(self, X: Any, y: Any, weights: Array) -> bool:
        """Whether some row that counts is predicted wrong."""
        wrong = self.predict(X) != np.asarray(y)
        return bool((wrong[weights > 0] if weights.size else wrong).any())

    def _next_parts(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> tuple[Array, list[Examples]]:
        self.check_options()
        if self._is_new and options.is_word(self.gamma, SCALE):
            raise OptionError("gamma='scale' needs all rows at once; give partial_fit a number")
        return super()._next_parts(X, y, classes, sample_weight)

    def _follow(self, parts: list[Examples]) -> Followed:
        more, new = KernelRows(parts[0].rows), self._is_new
        if new:
            self._kernel = self._kernel_for(more)
            self._states, self.support_ = self._blank(0, len(parts)), np.empty(0, np.int64)
            self._support = more.take(np.empty(0, np.int64))
        runs, before = self._runs(parts, more), self._support.n
        entries = [run.ledger.entries().astype(np.int64) for run in runs]

        def take_over() -> None:
            first = self._ledgers()[0].n_rows - more.n
            numbers = np.concatenate([self.support_, first + np.arange(more.n)])
            forgotten = [np.empty(0, np.int64) for _ in parts] if new else as_list(self.forgotten_)
            self.forgotten_ = one_or_all(
                [np.concatenate([old, run.forgotten_of(numbers)]) for old, run in zip(forgotten, runs, strict=True)]
            )
            self._keep([run.state for run in runs], self._support.followed_by(more), numbers)

        begun = [np.zeros(part.size) for part in parts] if new else None
        return Followed(begun, [np.where(each < 0, each + before, each - before) for each in entries], take_over)

    def _runs(self, parts: list[Examples], more: KernelRows) -> list[DualRun]:
        """A run over the next part of the stream, for each rule."""
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

    @property
    def linear(self) -> None:
        """None: the rule is linear in the space of the kernel only."""
        return

    @property
    def support(self) -> tuple[Array, Any] | None:
        """The support rows, unless the kernel is precomputed."""
        return None if self.support_vectors_ is None else (self.support_, self.support_vectors_)

    def _sums_per_score(self) -> int:
        return int(self.support_.size)

    def decision_function(self, X: Any) -> Array:
        """dual_coef_ . K(support_vectors_, x) for every row, with the exact sign: of shape (n,), or (n, n_classes)."""
        self._refuse_unfitted("weights_")
        X = self._admitted(X, reset=False)
        points = KernelRows(self._rows(X))
        scores = np.empty((len(self.dual_coef_), points.n))
        step = max(NUMBERS_AT_ONCE // max(self.support_.size, 1), 1)
        for begin in range(0, points.n, step):
            some = np.arange(begin, min(begin + step, points.n))
            scores[:, some] = self._scores(points.take(some))
        return scores[0] if len(scores) == 1 else scores.T

    def _scores(self, points: KernelRows) -> Array:
        """The scores of a few rows under each rule."""
        if not self.support_.size:
            return np.zeros((len(self.dual_coef_), points.n))
        values = self._kernel.between(points, self._support)
        if self._kernel.function == PRECOMPUTED:
            values = np.ascontiguousarray(values[:, self.support_])
        yes = Examples(rows_of(values, bias=0.0), np.ones(points.n, np.int8))
        return np.stack([find.margins(yes, np.append(a, 0.0)) for a in self.dual_coef_])

    def check_options(self) -> None:
        """Refuse options that do not fit."""
        super().check_options()
        if options.is_word(self.bias_scale, AUTO):
            raise OptionError("bias_scale must be a number: a kernel's rows have no length to take it from")
        if self.budget is not None and self.average:
            raise OptionError("average=True needs all corrections, but a budget forgets some: choose one of them")

    def _kernel_for(self, points: KernelRows) -> KernelFunction:
        if options.is_word(self.kernel, PRECOMPUTED) and not isinstance(points.rows, Dense):
            raise DataError("a precomputed kernel matrix must be dense, not sparse")
        if options.is_word(self.kernel, PRECOMPUTED) and points.n != n_features(points.rows):
            raise DataError(
                f"a precomputed kernel matrix has a row and a column for each example, not {points.n} rows and "
                f"{n_features(points.rows)} columns"
            )
        return gram.kernel_of(self.kernel, self.gamma, self.degree, self.coef0, self._bias, points)

    def _blank(self, n: int, rules: int) -> list[DualState]:
        """A start for each rule."""
        rng, budget = self._generator(), None if self.budget is None else int(self.budget)
        seeds = rng.integers(2**63, size=rules) if budget else np.zeros(rules, np.int64)
        return [DualState.blank(n, self.average, budget, int(seed)) for seed in seeds]

    def _keep(self, states: list[DualState], points: KernelRows, numbers: Array) -> None:
        """Keep the rows that a rule is a sum over, by their numbers, and forget the others."""
        kept = np.flatnonzero(np.any([state.amounts != 0 for state in states], axis=0))
        self._states = [state.of(kept, numbers) for state in states]
        self.support_ = numbers[kept]
        given = self._kernel.function == PRECOMPUTED
        self._support = points.take(kept[:0] if given else kept)
        self.support_vectors_ = None if given else self._support.matrix

    @property
    def coef_(self) -> Any:
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


def _in_words(examples: Examples, run: DualRun) -> str:
    """Why a run ended without a clean pass, and what to try."""
    no, yes = map(shown, examples.classes)
    return (
        f"{run.reason} {run.mistakes} of {examples.n} rows are wrong ({yes} against {no}) "
        f"after {many(run.updates, 'update')} and {many(run.passes, 'full pass', 'full passes')}. "
        "Try to raise the budget, or a kernel that separates more: a larger gamma for 'rbf', a higher degree for "
        "'poly'; shuffle rows that are sorted by class."
    )
