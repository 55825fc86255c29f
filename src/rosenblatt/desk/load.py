"""A model file as a rule that takes tables: the columns by their names, and the table's own labels."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.file.atomic import Path
from rosenblatt.ship.file.modelfile import Model

if TYPE_CHECKING:
    from rosenblatt.read.encode.encoding import Encoding


def load_model(path: Path) -> Any:
    """The rule in a model file, with the same scores to the last bit.

    A rule that was learned from arrays is the fitted estimator. One that was learned from a table is a `TableRule`,
    whose `predict` takes tables with the same columns. Anything wrong with the file is a ModelError that names it;
    nothing in a file is executed.
    """
    model = Model.load(path)
    return model.estimator if model.encoding is None else TableRule(model)


class TableRule:
    """A fitted rule and what the columns of a table mean to it.

    A table is a frame of pandas or Polars, an Arrow table, a list of dicts, or a mapping of columns; for a rule on
    numbered features, a sparse matrix. Columns are found by name, in any order; others are ignored. What the rule knows
    besides (`weights_`, `stop_reason_`, `get_params()`, ...) is found here as well; `estimator` takes features.

    Attributes
    ----------
    classes_ : array of the target's labels; of two, the second is the yes
    feature_names_in_ : array of the names of the columns that are used
    model : Model, with what was proved and measured
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def estimator(self) -> Any:
        """The rule itself, whose classes are numbers."""
        return self.model.estimator

    @property
    def encoding(self) -> "Encoding":
        """What the columns mean."""
        assert self.model.encoding is not None
        return self.model.encoding

    @property
    def classes_(self) -> Array:
        """The labels."""
        return np.array(self.encoding.target.classes, dtype=object)

    @property
    def feature_names_in_(self) -> Array:
        """The columns that are used."""
        return np.array([column.name for column in self.encoding.used], dtype=object)

    def predict(self, table: Any) -> Array:
        """The label of every row."""
        return np.array(self.model.predict(table), dtype=object)

    def decision_function(self, table: Any) -> Array:
        """The score of every row, above 0 for a yes; of several classes, one for each. A tree has shares instead."""
        return self._asked("decision_function", table)

    def predict_proba(self, table: Any) -> Array:
        """Of a tree, the shares of the classes where a row ends."""
        return self._asked("predict_proba", table)

    def score(self, table: Any, labels: Any = None) -> float:
        """The part of the rows that are labelled rightly; by default, as the table's own target says."""
        own = self.classes_[self.encoding.labels(table)] if labels is None else np.asarray(labels, dtype=object)
        return float((self.predict(table) == own).mean())

    def explain(self, table: Any, most: int = 3) -> list[list[str]]:
        """For every row what moved it most towards its label, at most so many reasons, the strongest first."""
        from rosenblatt.desk.predict import predictions
        from rosenblatt.read.frames import frame_of
        from rosenblatt.read.table import Table
        from rosenblatt.ship.explain.reasons import NAME

        names = [NAME.format(k + 1) for k in range(most)]
        frame = frame_of(table, [column.name for column in self.encoding.used])
        found = predictions(self.model, Table("the table", frame), reasons_wanted=most).select(names).collect()
        return [[reason for reason in row if reason is not None] for row in found.iter_rows()]

    def _asked(self, method: str, table: Any) -> Array:
        if not hasattr(self.estimator, method):
            raise OptionError(f"{self.model.rule.name} has no {method}")
        seen = self.model.seen(self.encoding, table)
        return getattr(self.estimator, method)(seen)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "model":
            raise AttributeError(name)
        return getattr(self.model.estimator, name)

    def __repr__(self) -> str:
        return f"TableRule({self.estimator!r} on {len(self.encoding.used)} columns, for {self.encoding.target.name!r})"
