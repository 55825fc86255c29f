"""A tree of features and perceptrons, as a rule."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np

from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn.choices import generator_of
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.learn.tree import growing, importance, pruning
from rosenblatt.learn.tree import tree_options as plans
from rosenblatt.learn.tree.canonical_rows import TreeRows, whole_costs
from rosenblatt.learn.tree.stored_numbers import parts
from rosenblatt.learn.tree.tree import Columns, Node, Stop, Tree
from rosenblatt.learn.tree.tree_options import Plan
from rosenblatt.options import Number, OneOf, Special, Whole, with_options
from rosenblatt.progress import ticker
from rosenblatt.rows.door import with_nan_for_masked
from rosenblatt.rows.examples import class_factors, classes_of, shown, weights_of
from rosenblatt.rows.kernels import Array
from rosenblatt.rules import conventions
from rosenblatt.rules import tree_columns as tables
from rosenblatt.rules.option_groups import FromZero, LearningOptions, Positive
from rosenblatt.rules.rule import Rule
from rosenblatt.rules.tree_columns import FROM_DTYPE

if TYPE_CHECKING:
    from rosenblatt.read.encode.encoding import Encoding
    from rosenblatt.read.table import Table

MOST_FOLDS = 100_000
MOST_NUMBERS = 2**24  # that a tree sees at once in prediction
BY_CROSS_VALIDATION = {"cross-validation": 0.0, "one standard error": 1.0}  # standard errors that are spared


@with_options
class TreeRule(LearningOptions, Rule):
    """What `rosenblatt.PerceptronTree` is as a rule."""

    name = "PerceptronTree"
    keeps = ("tree",)
    not_checkable = ("how the tree was pruned",)

    test: Annotated[
        str,
        OneOf(plans.TESTS),
        "What a node may test: one feature; a perceptron, sought among the node's standardised columns (categories as "
        "features of 0 and 1) and shortened to few columns; or the better of both, and the feature on a near-tie. "
        'Where neither gains much, "auto" looks one test ahead, and takes a feature after which the next tests gain '
        "more.",
    ] = "auto"
    criterion: Annotated[
        str,
        OneOf(tuple(plans.CRITERIA)),
        'What makes a test good. "gain ratio" is Quinlan\'s: of the columns that gain at least as many bits as '
        "the average one, the one that gains most per bit of its own.",
    ] = "gini"
    leaves: Annotated[
        str,
        OneOf(plans.LEAVES),
        "What decides in a leaf: its most frequent class, or a perceptron of its own where that makes fewer mistakes.",
    ] = "majority"
    categories: Annotated[
        str,
        OneOf(plans.CATEGORIES),
        "Two groups of a category's values (for two classes the best there are), or a branch for each value.",
    ] = "grouped"
    max_depth: Annotated[int | None, Whole(0, none=True), "The most tests on the way to a leaf."] = None
    min_leaf: Annotated[
        Positive,
        "The least weight of a branch's rows; where rows weigh less than 1 on average, in units of their mean weight. "
        "A third branch, for missing values, may have less.",
    ] = 1.0
    min_gain: Annotated[FromZero, "A test must gain more than this."] = 0.0
    max_columns: Annotated[int | None, Whole(2, none=True), "The most features of a perceptron test."] = None
    spare: Annotated[FromZero, "The part of a perceptron's gain that may be lost for fewer features."] = 0.02
    simpler: Annotated[
        FromZero, 'With test="auto", a perceptron must be better than the best feature by this part.'
    ] = 0.25
    prune: Annotated[
        str | float | None,
        Number(least=0, words=tuple(BY_CROSS_VALIDATION), none=True),
        'How the tree is pruned. "cross-validation": at the price of a leaf for which cross-validation counts the '
        'fewest mistakes; "one standard error": at the highest price within one standard error of these; a number: at '
        "this price, the share of all rows that a leaf must get right; None: not at all.",
    ] = "cross-validation"
    folds: Annotated[
        int, Whole(2, most=MOST_FOLDS), "Folds of the cross-validation. A row is in one fold, whatever its weight."
    ] = 5
    categorical_features: Annotated[
        Any,
        Special("categorical_features", f'"{FROM_DTYPE}", None, or a list of column numbers, names or booleans'),
        'Which columns hold categories; "from_dtype": those of a data frame that are not numbers.',
    ] = FROM_DTYPE
    random_state: Annotated[
        Any, "It shuffles the rows into folds; None is a fixed seed, so that the tree depends on the rows alone."
    ] = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        plan, seed = self._plan(), self._seed()
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
        """A sparse matrix with a row for every row and a column for every node: 1 where the row passes the node."""
        return importance.passed(self.tree_, self.apply(X))

    @property
    def feature_importances_(self) -> Array:
        """The part of each column in what all tests gain by the criterion; a perceptron's columns share its gain."""
        self._refuse_unfitted("tree_")
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
        self._refuse_unfitted("tree_")
        return self.tree_.in_text(feature_names)

    def export_svg(self, *, feature_names: Any = None, most_depth: int | None = None, title: str | None = None) -> str:
        """The tree as a picture: the text of an SVG, for a file, or to stand in a page; a notebook shows it.

        Nodes below `most_depth` are folded away; the box above them tells how many they are.

        >>> from rosenblatt import PerceptronTree
        >>> tree = PerceptronTree(prune=None).fit([[1], [2], [3], [4]], ["low", "low", "high", "high"])
        >>> tree.export_svg().count("data-node=")
        3
        """
        from rosenblatt.draw.tree_picture import svg_of

        self._refuse_unfitted("tree_")
        return svg_of(self.tree_, most_depth=most_depth, names=feature_names, title=title)

    def plot(self, ax: Any = None, *, feature_names: Any = None, most_depth: int | None = None) -> Any:
        """Draw the tree on matplotlib's axes, which are returned: these, or those of a new figure of its size.

        Needs matplotlib: pip install "rosenblatt[plot]".
        """
        from rosenblatt.draw.tree_picture import figure_of

        self._refuse_unfitted("tree_")
        return figure_of(self.tree_, ax, most_depth=most_depth, names=feature_names)

    # -- as a rule -----------------------------------------------------------------------------------------

    def scores(self, X: Any) -> Array:
        """The shares of the classes in the leaf of every row; of two classes, that of the second."""
        shares = self.predict_proba(X)
        return np.asarray(shares[:, 1] if shares.shape[1] == 2 else shares)

    @classmethod
    def see(cls, encoding: "Encoding", table: Any, first_row: int = 0) -> Columns:
        """The rows of a table in columns."""
        return tables.from_table(encoding, table, first_row)

    @classmethod
    def see_whole(cls, encoding: "Encoding", table: "Table") -> Columns:
        """All rows of a table in columns."""
        return tables.whole_table(encoding, table)

    def check_encoding(self, encoding: "Encoding") -> None:
        """Refuse an encoding whose columns are not those of the tree."""
        tables.check_heads(encoding, self.tree_.columns)

    def rows_at_once(self, encoding: "Encoding") -> int:
        """So many that their columns stay in memory: what a tree sees is not sparse."""
        from rosenblatt.read.encode.tree_view import width
        from rosenblatt.read.table import BLOCK

        return max(min(BLOCK, MOST_NUMBERS // width(encoding)), 1)

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self.tree_

    def conventions(self) -> dict[str, str]:
        """The rule in words."""
        return conventions.TREE

    def stop_sentence(self, weights: Array | None = None) -> str:
        """Why the tree is not larger, or smaller."""
        if Stop.INTERRUPTED in self.stop_reasons_.values():
            return "It was interrupted while it grew, and not pruned: expect more mistakes on new rows than on these."
        if isinstance(self.prune, str) and not hasattr(self, "cv_tree_"):
            return "It was interrupted before it was pruned: expect more mistakes on new rows than on these."
        grown = "No further split improved the tree, within the limits given"
        if self.prune is None:
            return f"{grown}; nothing was pruned."
        how = f"by {self.prune}" if isinstance(self.prune, str) else "at the price given"
        return f"{grown}; then leaves that cost more than they gain were pruned, {how}."

    def _plan(self) -> Plan:
        """The options, checked."""
        self.check_options()
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
            return X, self._flat(y)
        X, y = self._admitted_with_labels(X, y, reset=True)
        if y.size != X.shape[0]:
            raise DataError(f"X has {X.shape[0]} rows but y has {y.size} labels")
        if not X.shape[0]:
            raise DataError("the table has no rows: found array with 0 sample(s)")
        chosen = tables.categorical(X, self.categorical_features)
        return tables.read(X, chosen), y

    def _rows(self, columns: Columns, y: Array, sample_weight: Any) -> tuple[TreeRows, Array]:
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
        return TreeRows.of(columns, labels, costs, unit, copies), classes

    def _pruned(
        self, nodes: list[Node], rows: TreeRows, plan: Plan, seed: int, interrupted: Any, watch: Any
    ) -> list[Node]:
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
        self._refuse_unfitted("tree_")
        heads = self.tree_.columns
        if isinstance(X, Columns):
            return iter([(self.tree_, X.table)])
        X = self._admitted(X, reset=False)
        if not hasattr(X, "tocsc") or not tables.is_of_numbers(heads):
            return iter([(self.tree_, tables.read_like(X, heads))])
        stored = tables.stored_of(X, heads)
        used, tree = self.tree_.narrow
        return ((tree, stored.dense(used, a, b)) for a, b in parts(X.shape[0], used.size))

    def _counts(self, X: Any) -> Array:
        return np.concatenate([tree.counts(table) for tree, table in self._tables(X)])
