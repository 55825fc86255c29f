"""What the estimators take from scikit-learn.

To import scikit-learn takes longer than to learn from a table of 100,000 rows, as it brings scipy.stats and pandas with
it. The command, which shows its estimators to nobody, takes the same names from `plain`.
"""

from typing import TYPE_CHECKING

from rosenblatt import process

if TYPE_CHECKING or not process.is_command:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data
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
