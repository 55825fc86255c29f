"""What the estimators take from scikit-learn.

To import scikit-learn takes longer than to learn from a table of 100,000 rows, as it brings scipy.stats and pandas with
it. The command, which shows its estimators to nobody, takes the same names from `plain`.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import process
from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.rows.door import (
    admitted,
    as_array,
    cell_without_number,
    labelled,
    refuse_dates,
    refuse_rounded,
    unmasked,
)
from rosenblatt.rows.kernels import Array

NOT_GIVEN = "no_validation"  # what scikit-learn calls labels that there are none of

if TYPE_CHECKING or not process.is_command:
    from sklearn.base import BaseEstimator
    from sklearn.base import ClassifierMixin as _ClassifierMixin
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
    from sklearn.utils.validation import column_or_1d as _column_or_1d
    from sklearn.utils.validation import validate_data as _validate_data

    def validate_data(estimator: Any, X: Any, y: Any = NOT_GIVEN, **checks: Any) -> Any:
        """scikit-learn's checks, of what came in by our door: its own would follow damaged indices, and lose masks."""
        y = y if isinstance(y, str) or y is None else labelled(y)
        X = admitted(X)
        if "dtype" not in checks and "skip_check_array" not in checks:  # a tree takes dates
            refuse_dates(X)
        try:
            checked = _validate_data(estimator, X, y, **checks)
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

    def column_or_1d(y: Any, **how: Any) -> Array:
        """scikit-learn's, of what came in by our door."""
        return np.asarray(_column_or_1d(labelled(y), **how))

    class ClassifierMixin(_ClassifierMixin):
        """scikit-learn's, whose score does not lose masks."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """The share of rows that are predicted right."""
            weights = sample_weight if sample_weight is None else unmasked(sample_weight, "the weights")
            return float(super().score(X, unmasked(y, "y"), weights))  # type: ignore[no-untyped-call]

else:
    from rosenblatt.estimators.plain import (
        BaseEstimator,
        ClassifierMixin,
        ConvergenceWarning,
        available_if,
        check_classification_targets,
        check_is_fitted,
        column_or_1d,
        validate_data,
    )

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "ConvergenceWarning",
    "available_if",
    "check_classification_targets",
    "check_is_fitted",
    "column_or_1d",
    "validate_data",
]
