"""How a linear rule meets the rows it learns from: checked input, classes, starts, and what a run leaves behind."""

import warnings
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn import choices
from rosenblatt.learn.choices import Reason
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.run_state import Run
from rosenblatt.prove.theory import bounds
from rosenblatt.rows.cone import cone_of, refuse_several
from rosenblatt.rows.door import labelled
from rosenblatt.rows.examples import Examples, classes_of, refuse_heavy_rows, shown
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import bias_of, lengths_of, with_bias
from rosenblatt.rules.linear.deciding import LinearRule
from rosenblatt.rules.option_groups import AUTO
from rosenblatt.rules.schemes import JOINT, ONE_VS_REST, one_or_all

FAR_BELOW, MOST = 64, 900  # binary digits: of the scores of a class that has no row; of a threshold


class LinearLearner(LinearRule):
    """A linear rule that learns."""

    start: Any
    fit_intercept: bool
    bias_scale: float | str
    normalize: bool
    multi_class: str = ONE_VS_REST
    monotonic_cst: Any = None
    _knows_all_classes = True  # of each, some row counts

    def _settle(self) -> None:
        """Take over the options that learning and prediction must agree on, whatever is set later."""
        self.check_options()
        self._bias = bias_of(self.fit_intercept, self.bias_scale, AUTO)
        self._unit_rows = bool(self.normalize)
        self._multi_class = self.multi_class
        self._zero_is_yes = choices.sign_at_zero(choices.ties_named(self.ties)) > 0

    def _settle_cone(self, classes: Array) -> None:
        """Take over the constraints on the signs of weights, once the features are known."""
        self._cone = cone_of(self.monotonic_cst, self.n_features_in_, getattr(self, "feature_names_in_", None))
        if self.cone and classes.size > 2:
            refuse_several(self.monotonic_cst)
        if self.cone and self._unit_rows:
            raise OptionError(
                "constraints on signs are not for normalize: a scaled row falls in one feature as another rises"
            )

    def _parts(self, X: Any, y: Any, sample_weight: Any) -> tuple[Array, list[Examples]]:
        """For `fit`: the classes, and the examples of each rule."""
        self._settle()
        rows, y = self._checked(X, y, reset=True)
        rows = self._with_best_bias(rows)
        classes = self._classes(y)
        self._settle_cone(classes)
        parts = self._examples_of_rules(rows, y, classes, sample_weight)
        if parts[0].weights.size and not parts[0].weights.any():
            raise DataError("the weights of all rows are zero; a rule needs rows that count")
        self._knows_all_classes = not any(part.lacks_a_class for part in parts)
        return classes, parts

    def _next_parts(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> tuple[Array, list[Examples]]:
        """For `partial_fit`: the classes, and the examples of each rule; the first call must name all classes."""
        first = not hasattr(self, "weights_")
        if first and classes is None:
            raise OptionError("the first call of partial_fit must be given all classes, as classes=[...]")
        if options.is_word(self.class_weight, "balanced"):
            raise OptionError("class_weight='balanced' needs all rows at once; give partial_fit a dict")
        if options.is_word(self.bias_scale, AUTO):
            raise OptionError("bias_scale='auto' needs all rows at once; give partial_fit a number")
        if first:
            self._settle()
        rows, y = self._checked(X, y, reset=first)
        known = np.unique(labelled(classes)) if first else self.classes_
        if known.size < 2:
            raise OptionError(f"classes must be two or more, not {list(classes)!r}")
        if first:
            self._settle_cone(known)
        if not first and classes is not None and not np.array_equal(np.unique(classes), known):
            raise OptionError(f"classes must be those of the first call, {known.tolist()!r}, not {list(classes)!r}")
        if not (fits := np.isin(y, known)).all():
            row = int(np.argmin(fits))
            raise DataError(f"row {row}: the label {shown(y[row])} is not among the classes {known.tolist()!r}")
        parts = self._examples_of_rules(rows, y, known, sample_weight)
        refuse_heavy_rows(parts[0].weights)
        return known, parts

    def _checked(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, Array]:
        """X as rows and y as a flat array, feature names and counts compared or noted."""
        X, y = self._admitted_with_labels(X, y, reset=reset)
        return self._rows(X), y

    def _with_best_bias(self, rows: Rows) -> Rows:
        """With bias_scale="auto", rows with the constant that the bias-scaled bound recommends: their radius."""
        if not options.is_word(self.bias_scale, AUTO) or not self.fit_intercept:
            return rows
        radius = float(lengths_of(rows._replace(bias=0.0)).max())
        self._bias = bounds.best_bias_scale(radius) if radius > 0 else 1.0
        return with_bias(rows, self._bias)

    def _classes(self, y: Array) -> Array:
        """The classes to learn from all of y."""
        classes = classes_of(y)
        if classes.size < 2:
            raise DataError(f"y has one class only, {shown(classes[0])}; a rule needs rows of two classes or more")
        return classes

    def _start_weights(self, parts: list[Examples], rng: np.random.Generator) -> list[Array]:
        """The start of each rule, in the cone; a table of weights has a row for each."""
        if isinstance(parts[0], JointExamples):
            from rosenblatt.learn.pla.joint_pla import start_of

            return [start_of(self.start, parts[0], rng, choices.start_weights)]
        starts = [self.start] * len(parts)
        if not isinstance(self.start, str) and options.floats("start", self.start).ndim == 2:
            if len(self.start) != len(parts):
                raise OptionError(f"start has weights for {len(self.start)} rules, but {len(parts)} are learned")
            starts = list(self.start)
        found = [choices.start_weights(start, part, rng) for start, part in zip(starts, parts, strict=True)]
        return [self.cone.nearest(start) for start in found] if self.cone else found

    def _starts(self, parts: list[Examples], rng: np.random.Generator) -> list[Array]:
        """For `fit`: the start of each rule; where no row of a class counts, one that always says the same.

        Its threshold is beyond the margin wanted. Of several classes, one without a row scores far below
        the others. Without a threshold there is no such rule, and what is learned is right on the rows that count.
        """
        starts = self._start_weights(parts, rng)
        for part, start in zip(parts, starts, strict=True):
            if not part.rows.bias or not part.lacks_a_class:
                continue
            least = int(np.frexp(self._margin_wanted() / part.rows.bias)[1])
            if isinstance(part, JointExamples):
                start[part.absent] = 0.0
                start[part.absent, -1] = -(2.0 ** min(least + FAR_BELOW, MOST))
                continue
            label = part.only_label
            far = FAR_BELOW if len(parts) > 1 and self._multi_class == ONE_VS_REST and label < 0 else 1
            start[:] = 0.0
            start[-1] = label * 2.0 ** min(least + far, MOST)
        return starts

    def _margin_wanted(self) -> float:
        """The margin above which no row moves the weights, if it is above 1."""
        return 1.0

    def _generator(self) -> np.random.Generator:
        """Randomness from `random_state`, where there is one."""
        return choices.generator_of(getattr(self, "random_state", None))

    def _take(self, classes: Array, runs: Sequence[Run]) -> None:
        """Take over what was learned, a run per rule."""
        self.classes_, self._updates_before = classes, 0
        self.weights_ = np.vstack([run.weights for run in runs])
        self.ledger_ = one_or_all([run.ledger for run in runs])
        self.n_passes_ = sum(run.passes for run in runs)
        self.n_examples_seen_ = sum(run.examples_seen for run in runs)
        best = Reason.SEPARATED if self._knows_all_classes else Reason.ABSENT
        self.stop_reason_ = next((run.reason for run in runs if run.reason is not Reason.SEPARATED), best)
        self._expose()

    def _warn_unless_separated(
        self, parts: list[Examples], runs: Sequence[Any], in_words: Callable[[Any, Any], str]
    ) -> None:
        """Warn of each run that did not end because every row was right."""
        for part, run in zip(parts, runs, strict=True):
            if run.reason is not Reason.SEPARATED:
                warnings.warn(in_words(part, run), self.not_converged, stacklevel=3)

    def __getstate__(self) -> Any:
        """What a pickle holds: all but the ledger, which may be longer than the data; a new one begins."""
        kept: Any = super().__getstate__()
        state = dict(kept)
        if "ledger_" in state:
            state |= {"ledger_": one_or_all(self._emptied_ledgers()), "_updates_before": self.n_updates_}
        return state

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        copied = type(self).__new__(type(self))
        copied.__dict__ = deepcopy(self.__dict__, memo)
        return copied

    def _note_stream(
        self, known: Array, begun: Sequence[Array] | None, parts: list[Examples], entries: Sequence[Array]
    ) -> None:
        """Note what the next rows of a stream corrected; `begun` are the weights of a stream that begins here."""
        if begun is not None:
            self.ledger_ = one_or_all([self._ledger(start) for start in begun])
            self.classes_, self.n_passes_, self.n_examples_seen_ = known, 0, 0
        for ledger, made, part in zip(self._ledgers(), entries, parts, strict=True):
            ledger.extend(made, part.n, part)
            self.n_examples_seen_ += part.n_copies
        self.stop_reason_ = Reason.STREAM

    def _ledger(self, start: Array) -> Ledger:
        """The ledger of a stream that begins with these weights."""
        if self.cone:
            from rosenblatt.learn.passes.in_cone import ConeLedger

            return ConeLedger(start, 0, np.int64, **self.cone.fields)
        return empty_ledger(start)

    def _emptied_ledgers(self) -> list[Ledger]:
        """Ledgers that begin at the weights which the next correction would change."""
        starts = [self.weights_] if self._scheme == JOINT else self.weights_
        return [ledger.emptied(w) for ledger, w in zip(self._ledgers(), starts, strict=True)]


def empty_ledger(start: Array) -> Ledger:
    """The ledger of a stream that begins with these weights; those of several classes are a table."""
    if start.ndim == 1:
        return Ledger(start, 0, np.int64)
    from rosenblatt.learn.pla.joint_run_state import JointLedger

    return JointLedger(start, 0, np.int64, len(start))
