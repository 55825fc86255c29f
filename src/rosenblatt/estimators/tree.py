"""The scikit-learn face of a tree of features and perceptrons."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, OptionError
from rosenblatt.estimators import columns as tables
from rosenblatt.estimators.columns import FROM_DTYPE
from rosenblatt.estimators.contract import (
    BaseEstimator,
    ClassifierMixin,
    check_classification_targets,
    check_is_fitted,
    column_or_1d,
    validate_data,
)
from rosenblatt.estimators.counterparts import NamesCounterparts
from rosenblatt.learn.choices import generator_of
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.learn.tree import growing, importance, pruning
from rosenblatt.learn.tree import tree_options as plans
from rosenblatt.learn.tree.canonical_rows import Rows, whole_costs
from rosenblatt.learn.tree.stored_numbers import parts
from rosenblatt.learn.tree.tree import Columns, Node, Stop, Tree
from rosenblatt.learn.tree.tree_options import Plan
from rosenblatt.progress import ticker
from rosenblatt.rows.door import with_nan_for_masked
from rosenblatt.rows.examples import class_factors, classes_of, shown, weights_of
from rosenblatt.rows.kernels import Array

MOST_FOLDS = 100_000
BY_CROSS_VALIDATION = {"cross-validation": 0.0, "one standard error": 1.0}  # standard errors that are spared


class PerceptronTree(NamesCounterparts, ClassifierMixin, BaseEstimator):
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

    stop_reasons_: dict[int, Stop]

    def __init__(
        self,
        *,
        test: str = "auto",
        criterion: str = "gini",
        leaves: str = "majority",
        categories: str = "grouped",
        max_depth: int | None = None,
        min_leaf: float = 1.0,
        min_gain: float = 0.0,
        max_columns: int | None = None,
        spare: float = 0.02,
        simpler: float = 0.25,
        prune: str | float | None = "cross-validation",
        folds: int = 5,
        categorical_features: Any = FROM_DTYPE,
        class_weight: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.test = test
        self.criterion = criterion
        self.leaves = leaves
        self.categories = categories
        self.max_depth = max_depth
        self.min_leaf = min_leaf
        self.min_gain = min_gain
        self.max_columns = max_columns
        self.spare = spare
        self.simpler = simpler
        self.prune = prune
        self.folds = folds
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        plan, seed = self.plan(), self._seed()
        columns, y = self._checked(X, y)
        rows, classes = self._rows(columns, y, sample_weight)
        watch = self._watch() if self.verbose else None
        with ctrl_c_noted() as interrupted:
            nodes = growing.grow(rows, plan, interrupted, watch)
            nodes = self._pruned(nodes, rows, plan, seed, interrupted, watch)
        self.classes_ = classes
        self._take(Tree(columns.heads, tuple(classes.tolist()), tuple(nodes)))
        if interrupted():
            raise KeyboardInterrupt
        return self

    def predict(self, X: Any) -> Array:
        """The label of every row."""
        counts = self._counts(X)
        return self.classes_[counts.argmax(axis=1)]  # type: ignore[no-any-return]

    def predict_proba(self, X: Any) -> Array:
        """The share of each class in the leaf of every row."""
        counts = self._counts(X)
        return counts / counts.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]

    def apply(self, X: Any) -> Array:
        """The number of each row's leaf among the nodes."""
        return np.concatenate([tree.apply(table) for tree, table in self._tables(X)])

    def decision_path(self, X: Any) -> Any:
        """A sparse matrix, a row for every row and a column for every node: 1 where the row passes the node."""
        return importance.passed(self.tree_, self.apply(X))

    @property
    def feature_importances_(self) -> Array:
        """The part of each column in what all tests gain by the criterion; a perceptron's columns share its gain."""
        check_is_fitted(self, "tree_")
        return importance.importances(self.tree_, self.criterion)

    def path(self, x: Any) -> list[tuple[int, str, float | None]]:
        """The way of one row: the number of each node that it passes, its condition in words, and the value there.

        The value is the row's number, the code of its category, or the score of the perceptron; None if it is missing.
        The last entry is the leaf, its words the label.
        """
        x = with_nan_for_masked(x)
        one = x if tables.is_frame(x) or hasattr(x, "tocsr") else np.asarray(x, dtype=getattr(x, "dtype", None))
        one = one.reshape(1, -1) if getattr(one, "ndim", 2) == 1 else one
        ((tree, table),) = self._tables(one)
        if table.shape[1] != 1:
            raise DataError(f"path explains one row, not {table.shape[1]}")
        label = shown(self.predict(one)[0])
        return [
            (node.number, label if branch is None else tree.branch_in_words(node, branch),
             None if branch is None else tree.value(node, table[:, 0]))
            for node, branch in tree.path(table, 0)
        ]  # fmt: skip

    def export_text(self, feature_names: Any = None) -> str:
        """The tree in words, a line for every branch and leaf."""
        check_is_fitted(self, "tree_")
        return self.tree_.in_text(feature_names)

    def export_svg(self, *, feature_names: Any = None, most_depth: int | None = None, title: str | None = None) -> str:
        """The tree as a picture: the text of an SVG, for a file, or to stand in a page; a notebook shows it.

        Nodes below `most_depth` are folded away; the box above them tells how many they are.

        >>> tree = PerceptronTree(prune=None).fit([[1], [2], [3], [4]], ["low", "low", "high", "high"])
        >>> tree.export_svg().count("data-node=")
        3
        """
        from rosenblatt.draw.tree_picture import svg_of

        check_is_fitted(self, "tree_")
        return svg_of(self.tree_, most_depth=most_depth, names=feature_names, title=title)

    def plot(self, ax: Any = None, *, feature_names: Any = None, most_depth: int | None = None) -> Any:
        """The same picture on matplotlib's axes, which are returned: these, or those of a new figure that it fits.

        Needs matplotlib: pip install "rosenblatt[plot]".
        """
        from rosenblatt.draw.tree_picture import figure_of

        check_is_fitted(self, "tree_")
        return figure_of(self.tree_, ax, most_depth=most_depth, names=feature_names)

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()  # type: ignore[no-untyped-call]
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def plan(self) -> Plan:
        """The options, checked."""
        for name, known in (
            ("test", plans.TESTS), ("criterion", tuple(plans.CRITERIA)), ("leaves", plans.LEAVES),
            ("categories", plans.CATEGORIES),
        ):  # fmt: skip
            options.one_of(name, getattr(self, name), known)
        for name, least in (("max_depth", 0), ("max_columns", 2)):
            options.whole(name, getattr(self, name), least, none=True)
        options.number("min_leaf", self.min_leaf, above=0)
        for name in ("min_gain", "spare", "simpler"):
            options.number(name, getattr(self, name), least=0)
        options.whole("folds", self.folds, 2, most=MOST_FOLDS)
        options.number("prune", self.prune, least=0, words=tuple(BY_CROSS_VALIDATION), none=True)
        options.check_flags(self)
        return Plan(
            self.test, self.criterion, self.leaves, self.categories, self.max_depth, self.min_leaf, self.min_gain,
            self.max_columns, self.spare, self.simpler,
        )  # fmt: skip

    def _seed(self) -> int:
        return 0 if self.random_state is None else int(generator_of(self.random_state).integers(2**31))

    def _checked(self, X: Any, y: Any) -> tuple[Columns, Array]:
        """X in columns and y as a flat array."""
        if isinstance(X, Columns):
            self.n_features_in_ = len(X.heads)
            self.feature_names_in_ = np.array([head.name for head in X.heads], dtype=object)
            return X, column_or_1d(y)
        if tables.is_frame(X):
            validate_data(self, X, skip_check_array=True)
            y = column_or_1d(y, warn=True)
        else:
            X = with_nan_for_masked(X)
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=None, ensure_all_finite=False)
        if y.size != X.shape[0]:
            raise DataError(f"X has {X.shape[0]} rows but y has {y.size} labels")
        if y.dtype.kind not in "biuSUT":
            classes_of(y)  # refuses labels that cannot be put in order, with our own error
            check_classification_targets(y)
        if not X.shape[0]:
            raise DataError("the table has no rows: found array with 0 sample(s)")
        chosen = tables.categorical(X, self.categorical_features)
        return tables.read(X, chosen), y

    def _rows(self, columns: Columns, y: Array, sample_weight: Any) -> tuple[Rows, Array]:
        """The rows to learn from, and the classes."""
        classes = classes_of(y)
        if classes.size < 2:
            raise DataError(f"y has one class only, {shown(classes[0])}; a rule needs rows of two classes or more")
        labels, weights = np.searchsorted(classes, y), weights_of(sample_weight, y.size)
        counted = np.bincount(labels, weights if weights.size else None, classes.size)
        if not counted.any():
            raise DataError("the weights of all rows are zero; a tree needs rows that count")
        factors = class_factors(self.class_weight, classes, np.where(counted > 0.0, counted, counted.max()))
        if not factors.all():
            raise OptionError("class_weight must be above 0 for every class of a tree")
        costs, unit, copies = whole_costs(weights, factors, labels)
        return Rows.of(columns, labels, costs, unit, copies), classes

    def _pruned(self, nodes: list[Node], rows: Rows, plan: Plan, seed: int, interrupted: Any, watch: Any) -> list[Node]:
        """The nodes that are left after pruning."""
        self.price_ = 0.0
        for name in ("cv_prices_", "cv_errors_", "cv_tree_"):
            vars(self).pop(name, None)
        if self.prune is None:
            return pruning.whole(nodes)
        trees = pruning.trees_of(nodes, rows.unit)
        if not isinstance(self.prune, str):
            self.price_ = float(self.prune)
            return pruning.cut(nodes, trees.gone, trees.at(self.prune))
        choice = pruning.chosen(
            rows, plan, trees, folds=self.folds, seed=seed, errors=BY_CROSS_VALIDATION[self.prune],
            interrupted=interrupted, watch=watch,
        )  # fmt: skip
        if interrupted():
            return pruning.whole(nodes)
        self.price_ = choice.prices[choice.tree]
        self.cv_prices_, self.cv_tree_ = np.array(choice.prices), choice.tree
        self.cv_errors_ = np.array(choice.costs) / float(rows.labelled.costs.sum())
        return pruning.cut(nodes, trees.gone, choice.tree)

    def _watch(self) -> Any:
        tick = ticker("tree")

        def tell(depth: int, made: int, fold: int = 0) -> None:
            where = f"cross-validation, fold {fold} of {self.folds}: " if fold else ""
            tick(lambda: f"{where}{made} nodes, depth {depth}")

        return tell

    def _take(self, tree: Tree) -> None:
        """Take over a tree."""
        self.tree_ = tree
        self.n_nodes_, self.n_leaves_, self.depth_ = len(tree.nodes), len(tree.leaves), max(tree.depths)
        self.stop_reasons_ = {leaf.number: leaf.stop for leaf in tree.leaves if leaf.stop is not None}

    def _tables(self, X: Any) -> Iterator[tuple[Tree, Array]]:
        """Rows to predict, in columns, part by part; and the tree for them: of sparse ones, for the columns it uses."""
        check_is_fitted(self, "tree_")
        heads = self.tree_.columns
        if isinstance(X, Columns):
            return iter([(self.tree_, X.table)])
        if tables.is_frame(X):
            validate_data(self, X, skip_check_array=True, reset=False)
        else:
            X = with_nan_for_masked(X)
            X = validate_data(self, X, accept_sparse="csr", dtype=None, ensure_all_finite=False, reset=False)
        if not hasattr(X, "tocsc") or not tables.is_of_numbers(heads):
            return iter([(self.tree_, tables.read_like(X, heads))])
        stored = tables.stored_of(X, heads)
        used, tree = self.tree_.narrow
        return ((tree, stored.dense(used, a, b)) for a, b in parts(X.shape[0], used.size))

    def _counts(self, X: Any) -> Array:
        return np.concatenate([tree.counts(table) for tree, table in self._tables(X)])
