"""Loads a model file as a rule that takes tables with named columns and returns the table's labels."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import registry
from rosenblatt.errors import OptionError
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.file.atomic import Path
from rosenblatt.ship.file.modelfile import Model

if TYPE_CHECKING:
    from rosenblatt.read.encode.encoding import Encoding


def load_model(path: Path) -> Any:
    """Load the rule in a model file; it gives the same scores to the last bit.

    A rule learned from arrays is returned as a fitted estimator, in a `DecisionRule` if the file has a decision; one
    learned from a table as a `TableRule`, which predicts for tables with the same columns. Raises ModelError, naming
    the file, if anything is wrong with it. Nothing in a file is executed.
    """
    model = Model.load(path)
    return TableRule(model) if model.encoding is not None else registry.with_decision(model.estimator, model.decision)


class TableRule:
    """A fitted rule and the encoding of its table's columns.

    A table is a frame of pandas or Polars, an Arrow table, a list of dicts, or a mapping of columns; for a rule on
    numbered features, a sparse matrix. Columns are found by name, in any order; others are ignored. The
    rule's other attributes (`weights_`, `stop_reason_`, `get_params()`, ...) are available here too. `estimator` is the
    rule itself, which takes features.

    Attributes
    ----------
    classes_ : array of the target's labels; with two classes, the second is the positive one
    feature_names_in_ : array of the names of the columns in use
    model : Model, with its certificates and how it was judged
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def estimator(self) -> Any:
        """The rule itself; its classes are numbers."""
        return self.model.estimator

    @property
    def encoding(self) -> "Encoding":
        """How the columns become features."""
        assert self.model.encoding is not None
        return self.model.encoding

    @property
    def classes_(self) -> Array:
        """The labels."""
        return np.array(self.encoding.target.classes, dtype=object)

    @property
    def feature_names_in_(self) -> Array:
        """The columns in use."""
        return np.array([column.name for column in self.encoding.used], dtype=object)

    def predict(self, table: Any) -> Array:
        """The label of every row."""
        return np.array(self.model.predict(table), dtype=object)

    def decision_function(self, table: Any) -> Array:
        """The score of every row, above 0 for the positive class; with more classes, one score each. Not for trees."""
        return self._asked("decision_function", table)

    def predict_proba(self, table: Any) -> Array:
        """The probability of each class; of a tree without such tables, the shares in each row's leaf."""
        return self._asked("predict_proba", table)

    def predict_interval(self, table: Any) -> Array:
        """The lower and the upper probability of yes; of several classes, those of each against the rest."""
        return self._asked("predict_interval", table)

    def score(self, table: Any, labels: Any = None) -> float:
        """The accuracy on a table, by default measured against its own target column."""
        own = self.classes_[self.encoding.labels(table)] if labels is None else np.asarray(labels, dtype=object)
        return float((self.predict(table) == own).mean())

    def explain(self, table: Any, most: int = 3) -> list[list[str]]:
        """For every row, the `most` strongest reasons for its label, the strongest first."""
        from rosenblatt.desk.predict import predictions
        from rosenblatt.read.frames import frame_of
        from rosenblatt.read.table import Table
        from rosenblatt.ship.explain.reasons import NAME

        names = [NAME.format(k + 1) for k in range(most)]
        frame = frame_of(table, [column.name for column in self.encoding.used])
        found = predictions(self.model, Table("the table", frame), reasons_wanted=most).select(names).collect()
        return [[reason for reason in row if reason is not None] for row in found.iter_rows()]

    def _asked(self, method: str, table: Any) -> Array:
        deciding = registry.with_decision(self.estimator, self.model.decision)
        asked = next((one for one in (deciding, self.estimator) if hasattr(one, method)), None)
        if asked is None:
            raise OptionError(f"{self.model.rule.name} has no {method}")
        return getattr(asked, method)(self.model.seen(self.encoding, table))  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "model":
            raise AttributeError(name)
        return getattr(self.model.estimator, name)

    def __repr__(self) -> str:
        return f"TableRule({self.estimator!r} on {len(self.encoding.used)} columns, for {self.encoding.target.name!r})"
