"""PerceptronTree: the scikit-learn face of `rules.tree`."""

from typing import Any

from sklearn.utils.validation import validate_data

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face, checked_labels
from rosenblatt.learn.tree.tree import Stop
from rosenblatt.rows.door import admitted, with_nan_for_masked
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.tree import TreeRule
from rosenblatt.rules.tree_columns import is_frame


@documented
class PerceptronTree(Face, TreeRule):
    """A decision tree whose nodes test a feature, or a linear function of a few features: a perceptron.

    Learns what no single line can, XOR for one, with few nodes.

    Attributes
    ----------
    tree_ : Tree
        The nodes: an immutable record.
    classes_, n_nodes_, n_leaves_, depth_
        What it is made of.
    stop_reasons_ : dict
        Why each leaf is one, by the leaf's number.
    price_ : float
        The price of a leaf that the tree was pruned at, as a share of the weight of all rows.
    feature_importances_ : array
        The part of each column in what all tests gain.
    cv_prices_, cv_errors_, cv_tree_
        With cross-validation: the prices tried, the share of mistakes at each, and which of them was taken.

    Notes
    -----
    NaN is missing, and so is what is masked in a masked array: it takes a branch of its own where some were missing at
    the node when it learned, and goes with the larger branch where none were. The tree does not depend on the order of
    the rows, on their storage, or on the number of cores; a row of weight two is the row twice.
    Pressing Ctrl-C keeps the tree that has grown so far before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt.estimators.tree import PerceptronTree
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "other", "other", "same"]
    >>> tree = PerceptronTree(prune=None).fit(X, y)
    >>> tree.predict(X).tolist()
    ['same', 'other', 'other', 'same']
    """

    stop_reasons_: dict[int, Stop]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _admitted(self, X: Any, *, reset: bool, **checks: Any) -> Any:
        if is_frame(X):
            validate_data(self, admitted(X), reset=reset, skip_check_array=True)
            return X
        return super()._admitted(with_nan_for_masked(X), reset=reset, dtype=None)

    def _admitted_with_labels(self, X: Any, y: Any, *, reset: bool, **checks: Any) -> tuple[Any, Array]:
        if is_frame(X):
            return self._admitted(X, reset=reset), checked_labels(self._flat(y))
        return super()._admitted_with_labels(with_nan_for_masked(X), y, reset=reset, dtype=None)
