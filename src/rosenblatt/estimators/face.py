"""What makes a rule an estimator of scikit-learn: its checks of input, its errors and warnings, its tags.

Importing scikit-learn takes longer than learning from a table of 100,000 rows, as it brings scipy.stats and pandas with
it: only these faces do.
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.estimators.counterparts import NamesCounterparts
from rosenblatt.rows.door import (
    admitted,
    as_array,
    cell_without_number,
    labelled,
    refuse_dates,
    refuse_rounded,
    unmasked,
)
from rosenblatt.rows.examples import classes_of
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.linear.deciding import LinearRule
from rosenblatt.rules.rule import Rule

NO_LABELS = "no_validation"  # what scikit-learn calls them
OF_USERS = {"fit", "predict", "class_weight", "decision_function", "replay"}
OF_RULES = {"name"} | {
    name for made in (Rule, LinearRule) for name in vars(made) if not name.startswith("_")
} - OF_USERS


class RuleEstimator(NamesCounterparts, BaseEstimator):
    """A rule with the options and methods of scikit-learn's estimators."""

    def __dir__(self) -> list[str]:
        """What users may want: without what is there for model files, exports and the command."""
        names: list[str] = super().__dir__()  # type: ignore[no-untyped-call]
        return [name for name in names if name not in OF_RULES]


class Face(ClassifierMixin, RuleEstimator, Rule):
    """A classifier of scikit-learn."""

    not_converged = ConvergenceWarning

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows that are predicted right."""
        weights = sample_weight if sample_weight is None else unmasked(sample_weight, "the weights")
        return float(super().score(X, unmasked(y, "y"), weights))  # type: ignore[no-untyped-call]

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()  # type: ignore[no-untyped-call]
        tags.input_tags.sparse = True
        return tags

    def _admitted(self, X: Any, *, reset: bool, **checks: Any) -> Any:
        return self._validated(X, NO_LABELS, reset=reset, **checks)

    def _admitted_with_labels(self, X: Any, y: Any, *, reset: bool, **checks: Any) -> tuple[Any, Array]:
        X, y = self._validated(X, y if y is None else labelled(y), reset=reset, **checks)
        return X, checked_labels(y)

    def _validated(self, X: Any, y: Any, *, reset: bool, **checks: Any) -> Any:
        """scikit-learn's checks, of what came in by our door: its own would follow damaged indices, and lose masks."""
        X = admitted(X)
        if "dtype" not in checks:  # a tree takes dates
            refuse_dates(X)
        how = {"accept_sparse": "csr", "ensure_all_finite": False, **checks}
        try:
            checked = validate_data(self, X, y, reset=reset, **how)
        except (TypeError, ValueError) as error:
            if isinstance(X, list | tuple):
                as_array(X)  # names the row that is shorter or longer than the first
            of_numbers = "feature names" not in str(error) and not isinstance(error, RosenblattError)
            if not of_numbers or not (cell := cell_without_number(X)):
                raise
            if isinstance(error, TypeError):  # which scikit-learn's users expect of what is not even a text
                raise TypeError(f"{cell}: {error}") from error
            raise DataError(f"{cell}; encode words first, as OneHotEncoder does, or use PerceptronTree") from error
        table = checked[0] if isinstance(checked, tuple) else checked
        if isinstance(table, np.ndarray):
            refuse_rounded(X, table)
        return checked

    def _flat(self, y: Any) -> Array:
        return np.asarray(column_or_1d(labelled(y), warn=True))

    def _refuse_unfitted(self, attribute: str = "classes_") -> None:
        check_is_fitted(self, attribute)


def checked_labels(y: Array) -> Array:
    """Labels of classes, not measurements."""
    if y.dtype.kind not in "biuSUT":
        classes_of(y)  # refuses labels that cannot be put in order, with our own error
        check_classification_targets(y)
    return y
