"""PerceptronTree: the scikit-learn face of `rules.tree`."""

from typing import Any

from sklearn.utils.validation import validate_data

from rosenblatt.estimators.face import Face, checked_labels
from rosenblatt.rows.door import admitted, with_nan_for_masked
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.tree import TreeRule
from rosenblatt.rules.tree_columns import is_frame


class PerceptronTree(Face, TreeRule):
    """A decision tree whose nodes test a feature, or a linear function of a few features: a perceptron.

    Learns what no single line can, XOR for one, with few nodes.

    Parameters
    ----------
    test : {"auto", "feature", "perceptron"}
        What a node may test: one feature; a perceptron, sought among the node's standardised columns (categories as
        features of 0 and 1) and shortened to few columns; or the better of both, and the feature on a near-tie. Where
        neither gains much, "auto" looks one test ahead, and takes a feature after which the next tests gain more.
    criterion : {"gini", "gain ratio", "mistakes"}
        What a test is to be good at. "gain ratio" is Quinlan's: of the columns that gain at least as many bits
        as the average one, the one that gains most per bit of its own.
    leaves : {"majority", "perceptron"}
        What decides in a leaf: its most frequent class, or a perceptron of its own where that makes fewer mistakes.
    categories : {"grouped", "each"}
        Two groups of a category's values (for two classes the best there are), or a branch for each value.
    max_depth : int or None
        The most tests on the way to a leaf.
    min_leaf : float
        The least weight of a branch's rows; where rows weigh less than 1 on average, in units of their mean weight. A
        third branch, for missing values, may have less.
    min_gain : float
        A test that gains no more is not made.
    max_columns : int or None
        The most features of a perceptron test.
    spare : float
        The part of a perceptron's gain that may be lost for fewer features.
    simpler : float
        With test="auto", a perceptron must be better than the best feature by this part.
    prune : {"cross-validation", "one standard error"}, float or None
        How the tree is cut back: at the price of a leaf for which cross-validation counts the fewest mistakes; at the
        highest price within one standard error of these; at this price (the share of all rows that a leaf must get
        right); or not at all.
    folds : int
        Of the cross-validation. A row is in one fold, whatever its weight.
    categorical_features : "from_dtype", None, or a list of column numbers, names or booleans
        Which columns hold categories; "from_dtype": those of a data frame that are not numbers.
    class_weight : dict, "balanced" or None
        What a row of each class counts.
    random_state : int, RandomState or None
        Shuffles the rows into folds; None is a fixed seed, so that the tree depends on the rows alone.
    verbose : bool
        Tell on standard error what goes on, after two seconds.

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
