"""A linear rule as it decides: the rules of two classes and of more, prediction, and what it claims.

Of two classes, prediction is by the exact sign. Of more, it is by the largest score: exactly where the classes were
learned jointly, as computed where each was learned against the rest. One-vs-one rules vote.
"""

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rosenblatt.errors import LedgerError, OptionError
from rosenblatt.learn import choices, costs
from rosenblatt.learn.choices import Reason
from rosenblatt.learn.ledger import Ledger
from rosenblatt.rows import find
from rosenblatt.rows.cone import refuse_outside
from rosenblatt.rows.door import admitted
from rosenblatt.rows.examples import Examples, costs_of_rows
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import n_rows, rows_of_admitted, unit_rows
from rosenblatt.rules import conventions
from rosenblatt.rules.rule import KeptArrays, LinearForm, Replayable, Rule, right_on_every_row
from rosenblatt.rules.schemes import JOINT, ONE_VS_ONE, ONE_VS_REST, examples_of_rules, names_of_rules, votes

if TYPE_CHECKING:
    from rosenblatt.read.encode.encoding import Encoding

WORK, FEWEST = 2**31, 100  # multiplications for a block of rows, which take about a second, and rows of it, at least


class LinearRule(Rule):
    """A rule whose `weights_` hold one row, or of more than two classes one for each (or for each pair)."""

    keeps: ClassVar[tuple[str | KeptArrays, ...]] = ("run",)
    not_checkable: tuple[str, ...] = ("why learning stopped", "how many updates, passes and looks it took")

    ties: str
    classes_: Array
    weights_: Array
    coef_: Any
    intercept_: Array
    threshold_: Array
    stop_reason_: Reason
    ledger_: Ledger | list[Ledger]
    n_updates_: int
    n_passes_: int
    n_examples_seen_: int
    _bias: float
    _unit_rows: bool
    _zero_is_yes: bool
    _multi_class = ONE_VS_REST  # as it was when the rule was learned
    _score_in_words: Any = conventions.SUM
    _why_not_linear: Any = ""  # said of a rule that has no linear form

    # -- deciding ------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Array:
        """coef_ . x + intercept_ for every row, with the exact sign: of shape (n,), or (n, n_classes).

        One-vs-one: the rules that say the class; of classes with equally many, those that win more of the rules among
        them have a part of one more.
        """
        self._refuse_unfitted("weights_")
        scores = self._scores_of_rules(self._seen(X))
        if len(scores) == 1:
            return scores[0]
        if self._scheme == ONE_VS_ONE:
            return votes(scores, len(self.classes_), self._zero_is_yes)
        return np.stack(scores, axis=1)

    def scores(self, X: Any) -> Array:
        """The scores by which it decides."""
        return np.asarray(self.decision_function(X))

    def predict(self, X: Any) -> Array:
        """The label of every row."""
        self._refuse_unfitted("weights_")
        if self._scheme == JOINT:
            from rosenblatt.learn.pla.joint_run_state import chosen  # which only rules of several classes need

            return np.asarray(self.classes_[chosen(self._seen(X), self.weights_)])
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return self.classes_[scores.argmax(axis=1)]  # type: ignore[no-any-return]
        yes = scores >= 0 if self._zero_is_yes else scores > 0
        return self.classes_[yes.astype(int)]  # type: ignore[no-any-return]

    def _seen(self, X: Any) -> Rows:
        return self._rows(self._admitted(X, reset=False))

    def _rows(self, X: Any) -> Rows:
        """The rows of a table that was admitted."""
        names = getattr(self, "feature_names_in_", None)
        rows = rows_of_admitted(X, self._bias, names)
        return unit_rows(rows) if self._unit_rows else rows

    def _scores_of_rules(self, rows: Rows) -> list[Array]:
        """What each rule scores, with the exact sign."""
        yes = Examples(rows, np.ones(n_rows(rows), np.int8))
        return [find.margins(yes, w) for w in self.weights_]

    def rows_at_once(self, encoding: "Encoding") -> int:
        """As many as keep a core busy for about a second: a kernel's rule or a vote is many sums."""
        from rosenblatt.read.table import BLOCK  # with Polars, which tables of other kinds do not need

        return max(min(BLOCK, WORK // max(self._sums_per_score() * encoding.size, 1)), FEWEST)

    def _sums_per_score(self) -> int:
        return 1

    # -- what it is ----------------------------------------------------------------------------------------

    @property
    def _scheme(self) -> str | None:
        """How more than two classes were learned; None of two."""
        return self._multi_class if len(self.classes_) > 2 else None

    @property
    def linear(self) -> LinearForm | None:
        """The weights."""
        return LinearForm(self.weights_, self._bias, self._scheme, self._zero_is_yes, self._unit_rows)

    @property
    def run(self) -> Replayable | None:
        """The run of a rule of two classes, or of classes that were learned jointly."""
        one = not isinstance(self.ledger_, list) and len(self.ledger_) > 0
        return Replayable(self._ledgers()[0], self.ties) if one and hasattr(self, "ties") else None

    @property
    def is_constant(self) -> bool:
        """Whether no feature has a weight."""
        return self.linear is not None and not self.linear.coefficients.any()

    def conventions(self) -> dict[str, str]:
        """The rule in words."""
        return conventions.in_words(
            self._score_in_words, classes=len(self.classes_), scheme=self._scheme, zero_is_yes=self._zero_is_yes,
            unit_rows=self._unit_rows,
        )  # fmt: skip

    @property
    def effort(self) -> tuple[int, int]:
        """Updates and passes."""
        return self.n_updates_, self.n_passes_

    def stop_sentence(self, weights: Array | None = None) -> str:
        """Why learning ended; of several rules, why that of one did."""
        if self.stop_reason_ is Reason.SEPARATED:
            return right_on_every_row(weights)
        about = {ONE_VS_REST: "One class against the rest: ", ONE_VS_ONE: "One class against another: "}
        return f"{about.get(self._scheme or '', '')}{self.stop_reason_}"

    def joint_rule(self) -> tuple[Array, float]:
        """The weights of all classes, unless they were learned pair by pair."""
        self._refuse_unfitted("weights_")
        form = self.linear
        if form is None or form.scheme not in (JOINT, ONE_VS_REST):
            return super().joint_rule()
        _refuse_unit_rows(form)
        return form.weights, form.bias

    def one_linear_rule(self) -> tuple[Array, float, str]:
        """The weights of a rule of two classes."""
        self._refuse_unfitted("weights_")
        if (form := self.linear) is None:
            raise OptionError(self._why_not_linear)
        if len(form.weights) != 1:
            raise OptionError("the rule has several classes; give the weights of one, and y == that class")
        _refuse_unit_rows(form)
        return form.weights[0], form.bias, self.ties_of_prediction

    @property
    def scales_rows(self) -> bool:
        """Whether rows are scaled to length 1 first."""
        return self._unit_rows

    @property
    def ties_of_prediction(self) -> str:
        """The tie rule that counts a mistake exactly where the label predicted is wrong."""
        return choices.ties_of_prediction(self._zero_is_yes)

    # -- the rows it learned from --------------------------------------------------------------------------

    def examples_of(self, X: Any, y: Any, sample_weight: Any = None) -> list[Examples]:
        """Rows and labels as each rule sees them: one rule for two classes, one for each class of more."""
        return self._examples_of_rules(self._rows(admitted(X)), np.asarray(y), self.classes_, sample_weight)

    def _examples_of_rules(self, rows: Rows, y: Array, classes: Array, sample_weight: Any) -> list[Examples]:
        weights = costs_of_rows(self.class_weight, classes, y, sample_weight)
        return examples_of_rules(rows, y, classes, weights, self._multi_class)

    def names_of_rules(self, classes: tuple[str, ...]) -> list[str]:
        """Which classes each rule tells apart, as the beginning of a sentence."""
        return names_of_rules(self._scheme, classes)

    def replay(self, X: Any, y: Any, t: int | None = None, sample_weight: Any = None) -> Array:
        """The perceptron's weights after t updates (None: all) on the rows learned from, shaped as `weights_`.

        Bit for bit what they were then. Other rows than those that were corrected are refused.
        """
        self._refuse_unfitted("weights_")
        if self.n_updates_ and not any(len(ledger) for ledger in self._ledgers()):
            raise LedgerError("the ledger is empty, as pickles and model files leave it out; it can be saved by itself")
        parts = self.examples_of(X, y, sample_weight)
        states = [ledger.replay(part, t) for ledger, part in zip(self._ledgers(), parts, strict=True)]
        return np.stack(states).reshape(self.weights_.shape)

    def _ledgers(self) -> list[Ledger]:
        return self.ledger_ if isinstance(self.ledger_, list) else [self.ledger_]

    @property
    def says_separated(self) -> bool:
        """Whether it stopped because it was right on every row."""
        return self.stop_reason_ is Reason.SEPARATED

    # -- other weights -------------------------------------------------------------------------------------

    def replace_weights(self, weights: Array) -> None:
        """Predict with these weights from now on; the ledger still tells what was learned."""
        self._refuse_unfitted("coef_")
        if self.cone:
            refuse_outside("weights", np.ravel(weights), self.cone)
        self.weights_ = np.array(weights, dtype=np.float64).reshape(self.weights_.shape)
        self._expose()

    def settle_for_constant(self, X: Any, y: Any, weights: Any) -> bool:
        """Predict the same label for every row, if that costs less; one-vs-one rules are left alone."""
        if self.linear is None or not self._is_constant_now(parts := self.examples_of(X, y, weights)):
            return False
        self.recount(parts)
        return True

    def _is_constant_now(self, parts: list[Examples]) -> bool:
        """Take constant weights if those cost less on these examples; whether that was so."""
        if self._scheme == ONE_VS_ONE:
            return False
        whole, _ = costs.costs_of(parts[0])
        whole = whole if whole.size else np.ones(parts[0].n, np.int64)
        if isinstance(parts[0], JointExamples):
            of_class = [int(whole[parts[0].labels == k].sum()) for k in range(len(self.classes_))]
        else:
            of_class = [int(whole[part.labels > 0].sum()) for part in parts]
            of_class = of_class if len(parts) > 1 else [int(whole.sum()) - of_class[0], *of_class]
        if not self._bias or int(whole.sum()) - max(of_class) >= self._whole_cost(parts, whole):
            return False
        best, many = int(np.argmax(of_class)), len(self.weights_)
        constant = np.zeros_like(self.weights_)
        constant[:, -1] = np.where(np.arange(many) == best - (many == 1), 1.0, -1.0)
        self.replace_weights(constant)
        return True

    def _whole_cost(self, parts: list[Examples], whole: Array) -> int:
        """What the mistakes of the rule cost, in whole numbers."""
        if isinstance(parts[0], JointExamples):
            from rosenblatt.learn.pla.joint_run_state import wrong_rows

            return int(whole[wrong_rows(parts[0], self.weights_)].sum())
        if len(parts) == 1:
            wrong, _ = find.find(parts[0], self.weights_[0], choices.ties_named(self.ties_of_prediction))
            return int(whole[wrong].sum())
        yes = [Examples(part.rows, np.ones(part.n, np.int8)) for part in parts]
        said = np.argmax([find.margins(part, w) for part, w in zip(yes, self.weights_, strict=True)], axis=0)
        return int(whole[np.argmax([part.labels for part in parts], axis=0) != said].sum())

    def recount(self, parts: list[Examples]) -> None:
        """Recount the mistakes on the rows learned from, if the rule has attributes for them."""

    def _mistakes(self, parts: list[Examples]) -> list[int]:
        """How many rows each rule predicts wrong."""
        if isinstance(parts[0], JointExamples):
            from rosenblatt.learn.pla.joint_run_state import wrong_rows

            return [wrong_rows(parts[0], self.weights_).size]
        ties = choices.ties_named(self.ties_of_prediction)
        return [find.count(part, w, ties) for part, w in zip(parts, self.weights_, strict=True)]

    def _expose(self) -> None:
        """The attributes that follow from the weights and the ledger."""
        self.coef_ = self.weights_[:, :-1].copy()
        self.intercept_ = self.weights_[:, -1] * self._bias
        self.threshold_ = -self.intercept_
        self.n_updates_ = self._updates_before + sum(len(ledger) for ledger in self._ledgers())

    _updates_before = 0  # those that a rule from a file has made; its ledger begins after them


def _refuse_unit_rows(form: LinearForm) -> None:
    if form.unit_rows:
        raise OptionError("the rule scales rows to length 1; give optimality such rows, and the weights")
