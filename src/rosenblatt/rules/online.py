"""The stream of `learn.online.online`, one row at a time or in blocks."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.learn.choices import Reason
from rosenblatt.learn.online import online_kernels
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.options import with_options
from rosenblatt.rows.door import labelled, unmasked
from rosenblatt.rows.examples import MOST_COPIES, classes_of, refuse_heavy_rows, weights_of
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.storage import n_rows, rows_of
from rosenblatt.rules import conventions
from rosenblatt.rules.online_state import NO, YES, OnlineState
from rosenblatt.rules.rule import LinearForm

if TYPE_CHECKING:
    from rosenblatt.read.encode.encoding import Encoding

FLOAT64 = np.dtype(np.float64)
LEARN: Any = {1: online_kernels.learn_dense, 3: online_kernels.learn_sparse}  # by the number of arrays that a row has
SCORE: Any = {1: online_kernels.score_dense, 3: online_kernels.score_sparse}


@with_options
class OnlineRule(OnlineState):
    """What `rosenblatt.OnlinePerceptron` is as a rule."""

    name = "OnlinePerceptron"
    not_checkable = ("how many updates, passes and looks it took",)

    # -- one row -------------------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any, sample_weight: float | None = None) -> bool:
        """Learn from a row and its label; returns whether the row was a mistake.

        A row of weight k is learned from as k copies of it, one after the other; weight 0 is no row; a fraction is a
        last copy that moves the weights by that part of a step.
        """
        stream = self._stream or self._begin()
        try:
            label = self._signs[y]
        except (KeyError, TypeError):
            return self._learn_new_label(x, y, sample_weight)
        copies = 1.0 if sample_weight is None else self._copies(sample_weight)
        if type(x) is np.ndarray and x.dtype is FLOAT64 and x.shape == stream.shape and x.flags.c_contiguous:
            outcome = online_kernels.learn_dense(x, label, copies, *stream.parts)
        else:
            row = stream.row(unmasked(x, "the row"), True)
            outcome = LEARN[len(row)](*row, label, copies, *stream.parts)
        if outcome < 0:
            raise stream.refusal(outcome, x, True)
        if outcome and self._positions is not None:
            self._positions.extend([self.n_rows_ - 1] * outcome)
        return outcome > 0

    def score_one(self, x: Any) -> float:
        """coef_ . x + intercept_, with the exact sign: above 0 for the positive class."""
        stream = self._stream or self._begin()
        if type(x) is np.ndarray and x.dtype is FLOAT64 and x.shape == stream.shape and x.flags.c_contiguous:
            score = online_kernels.score_dense(x, *stream.score_parts)
        else:
            row = stream.row(unmasked(x, "the row"), False)
            score = SCORE[len(row)](*row, *stream.score_parts)
        if score != score:
            raise stream.refusal(online_kernels.UNUSABLE, x, False)
        return float(score)

    def predict_one(self, x: Any) -> Any:
        """The label of a row; features never learned from count as zero."""
        score = self.score_one(x)
        return self._labels[1 if score > 0.0 or (score == 0.0 and self._zero_is_yes) else 0]

    def _copies(self, sample_weight: float) -> float:
        copies = float(sample_weight)
        if not 0.0 <= copies < 2.0**53:
            raise DataError(f"{self._place()}: the weight {copies} is not a finite number >= 0")
        if copies > MOST_COPIES:
            raise DataError(
                f"{self._place()}: the weight {copies} stands for more than {MOST_COPIES:,} copies of the row; "
                "divide all weights by a constant"
            )
        if self.comparator is not None and copies != int(copies):
            raise DataError(f"{self._place()}: the mistake bound is about whole steps, but the weight is {copies}")
        return copies

    def _learn_new_label(self, x: Any, y: Any, sample_weight: float | None) -> bool:
        before = self._labels, self._signs
        self._meet(y, self._place())
        try:
            return self.learn_one(x, y, sample_weight)
        except BaseException:
            self._labels, self._signs = before
            raise

    # -- blocks of rows ------------------------------------------------------------------------------------

    def learn_many(self, X: Any, y: Any, sample_weight: Any = None) -> int:
        """Learn from the rows of a block, one after the other, as `learn_one` would; returns how many were mistakes.

        A block with a row that cannot be learned from is refused as a whole. Pressing Ctrl-C keeps what was learned so
        far; `n_rows_` says how far it came.
        """
        stream = self._stream or self._begin()
        before = self._labels, self._signs
        try:
            rows, names = self._table(X)
            labels = self._block_labels(y, n_rows(rows))
            copies = weights_of(sample_weight, labels.size)
            refuse_heavy_rows(copies)
            if self.comparator is not None and (copies % 1.0).any():
                raise DataError("the mistake bound is about whole steps, but some weights are not whole")
            rows = stream.numbered_rows(rows, True) if names is None else stream.named_rows(rows, names, True)
        except DataError as error:
            self._labels, self._signs = before
            raise DataError(f"in the block that begins with {self._place()}: {error}") from error
        times, first = np.zeros(labels.size, np.int64), int(stream.counts[online_kernels.ROWS])
        try:
            with ctrl_c_noted() as interrupted:
                stream.learn_rows(rows, labels, copies, times, interrupted)
        finally:
            if self._positions is not None:
                self._positions.extend(np.repeat(np.arange(first, first + times.size), times).tolist())
        if interrupted():
            raise KeyboardInterrupt
        return int(times.sum())

    def score_many(self, X: Any) -> Array:
        """coef_ . x + intercept_ for every row, with the exact sign."""
        stream = self._stream or self._begin()
        rows, names = self._table(X)
        return stream.scores(
            stream.numbered_rows(rows, False) if names is None else stream.named_rows(rows, names, False)
        )

    def predict_many(self, X: Any) -> Array:
        """The label of every row."""
        scores = self.score_many(X)
        yes = scores >= 0 if self._zero_is_yes else scores > 0
        return np.array(self._labels)[yes.astype(int)]  # type: ignore[no-any-return]

    def _table(self, X: Any) -> tuple[Rows, list[Hashable] | None]:
        """Checked rows, and the names of their columns if they have some."""
        stream: Any = self._stream
        names = list(X.columns) if hasattr(X, "columns") and hasattr(X, "to_numpy") else None
        return rows_of(X if names is None else X.to_numpy(), bias=stream.bias, names=names), names

    def _block_labels(self, y: Any, rows: int) -> Array:
        """The labels of a block as -1 and +1."""
        y = np.asarray(labelled(y))
        if y.shape != (rows,):
            raise DataError(f"X has {rows} rows but y is of shape {y.shape}: it needs one label per row")
        for label in classes_of(y).tolist():
            if label not in self._signs:
                self._meet(label, f"row {int(np.argmax((y == label) | (y != y)))}")
        return np.where(y == self._labels[1], YES, NO)

    # -- as a rule -----------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Begin a new stream with these rows."""
        self._stream = None
        self.learn_many(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> Array:
        """The label of every row."""
        return self.predict_many(X)

    def scores(self, X: Any) -> Array:
        """The score of every row."""
        return self.score_many(X)

    def rows_at_once(self, encoding: "Encoding") -> int:
        """As many as a table gives at once: a score is one sum."""
        from rosenblatt.read.table import BLOCK

        return BLOCK

    @property
    def linear(self) -> LinearForm:
        """The weights that predictions are made with."""
        w, bias, _ = self.one_linear_rule()
        return LinearForm(w[np.newaxis], bias, None, self._zero_is_yes, unit_rows=False)

    def conventions(self) -> dict[str, str]:
        """The rule in words."""
        score = conventions.AVERAGE if self.mode == "averaged" else conventions.SUM
        return conventions.in_words(score, classes=2, scheme=None, zero_is_yes=self._zero_is_yes, unit_rows=False)

    def stop_sentence(self, weights: Array | None = None) -> str:
        """A stream does not end."""
        return str(Reason.STREAM)
