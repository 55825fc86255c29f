"""Claim: a tree of features and perceptrons is as good as a tree of features, with fewer nodes.

First, what no line and no single feature can tell: XOR, parity and checkerboards; nodes and held-out error in per
cent of one fit, against scikit-learn's DecisionTreeClassifier and the oblique trees that are installed (obliquetree,
treeple, STree, HHCART of scikit-obliquetree), all at their defaults; so, once more, is our tree without pruning, for
the peers do not prune.
Then held-out error over ten seeded stratified splits (three on sets of more than 10,000 rows), three quarters to learn
from. The peer is DecisionTreeClassifier, cut back by cost-complexity pruning with the price of a leaf chosen by
five-fold cross-validation, as ours is. Ours takes categories as they are; the peer, which cannot, takes them one-hot.
Errors in per cent and mean numbers of nodes (a leaf with a perceptron of its own counts as three); mean ranks below.
Last, speed: seconds of a fit on 100,000 x 20 Gaussian rows labelled by a noisy plane, nothing pruned; the fastest of a
few fits, STree and HHCART on a part of the rows, since all of them take them too long.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module

import numpy as np
from scipy.stats import rankdata
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.tree import DecisionTreeClassifier

from benchmarks import workloads
from benchmarks.workloads import SHARED, _table
from rosenblatt.estimators.tree import PerceptronTree

warnings.simplefilter("ignore")

SPLITS, LARGE, FEW_SPLITS = 10, 10_000, 3
FOLDS = 5
SEED = 2026  # of splits and puzzles; the tree's default options were chosen on others
PEERS = {
    "obliquetree": ("obliquetree", "Classifier"),
    "treeple": ("treeple.tree", "ObliqueDecisionTreeClassifier"),  # not beside a scikit-learn newer than it knows
    "STree": ("stree", "Stree"),
    "HHCART": ("scikit_obliquetree.HHCART", "HouseHolderCART"),
}
SLOW = 16_000  # rows for STree and HHCART, whose time grows faster than the rows
NEVER = 10**9


# ---------------------------------------------------------------------------------------------------------
# Data
# ---------------------------------------------------------------------------------------------------------


def columns_of(rows: list[list[str]]) -> tuple[np.ndarray, list[int]]:
    """Numbers as they are, categories as codes, "?" and "" as NaN; and which columns hold categories."""
    parts, categories = [], []
    for k, column in enumerate(np.array(rows).T):
        missing = np.isin(column, ("?", ""))
        try:
            parts.append(np.where(missing, "nan", column).astype(float))
        except ValueError:
            parts.append(np.where(missing, np.nan, np.unique(column, return_inverse=True)[1].astype(float)))
            categories.append(k)
    return np.array(parts).T, categories


def one_hot(X: np.ndarray, categories: list[int]) -> np.ndarray:
    """The same for a peer that knows numbers only."""
    parts = []
    for k, column in enumerate(X.T):
        known = np.unique(column[~np.isnan(column)])
        parts.append(column[:, None] == known if k in categories else column[:, None])
    return np.hstack(parts).astype(float)


def shared_sets() -> Iterator[tuple[str, list[list[str]], list[str]]]:
    """The tables of the shared folder, and their labels."""
    german = _table(SHARED / "german_credit" / "germancredit.csv", ",")[1:]
    yield "german credit", [r[:-1] for r in german], [r[-1] for r in german]
    cars = [r[1:] for r in _table(SHARED / "auto_mpg" / "cars.csv", ",")[1:] if r[1]]
    yield "auto mpg", [r[1:] for r in cars], [str(float(r[0]) >= 23) for r in cars]
    for name, path in (
        ("credit approval", "credit_approval/crx.data"),
        ("banknote", "banknote/data_banknote_authentication.txt"),
        ("ionosphere", "ionosphere/ionosphere.data"),
        ("pima diabetes", "pima_diabetes/pima-indians-diabetes.data.csv"),
        ("sonar", "sonar/sonar.all-data"),
        ("phishing", "phishing/phishing_websites_uci.csv.gz"),
    ):
        rows = _table(SHARED / path, ",")
        rows = rows[1:] if name == "phishing" and not rows[0][0].lstrip("-").isdigit() else rows
        yield name, [r[:-1] for r in rows], [r[-1] for r in rows]
    chess = [r for r in _table(SHARED / "kr_vs_kp" / "kr.vs.kp.arff.gz", ",") if len(r) == 37 and r[0][0] not in "@%"]
    yield "kr vs kp", [r[:-1] for r in chess], [r[-1] for r in chess]
    lines = (SHARED / "vote" / "vote.arff").read_text().splitlines()
    vote = [line.replace("'", "").split(",") for line in lines if line and line[0] not in "@%"]
    yield "vote", [r[:-1] for r in vote], [r[-1] for r in vote]
    mushrooms = _table(SHARED / "mushrooms" / "agaricus-lepiota.data", ",")
    yield "mushrooms", [r[1:] for r in mushrooms], [r[0] for r in mushrooms]


def sets(most_rows: int) -> Iterator[tuple[str, np.ndarray, list[int], np.ndarray]]:
    """Name, columns, which of them hold categories, labels."""
    if SHARED.exists():
        for name, rows, labels in shared_sets():
            if len(rows) <= most_rows:
                yield name, *columns_of(rows), np.array(labels)
        for name, X, y in workloads.other_sets():
            if name in ("electricity", "a9a, CSR") and len(y) <= most_rows:
                yield name.removesuffix(", CSR"), X.toarray() if hasattr(X, "toarray") else X, [], y
    for name, load in (
        ("breast cancer", load_breast_cancer), ("iris", load_iris), ("wine", load_wine), ("digits", load_digits),
    ):  # fmt: skip
        table = load()
        if len(table.target) <= most_rows:
            yield name, table.data, [], table.target


# ---------------------------------------------------------------------------------------------------------
# Held-out error
# ---------------------------------------------------------------------------------------------------------


def pruned_peer(X: np.ndarray, y: np.ndarray) -> DecisionTreeClassifier:
    """scikit-learn's tree at the price of a leaf that five-fold cross-validation finds best, the higher of equals."""
    path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas.clip(0.0)
    prices = np.append(np.sqrt(path[:-1] * path[1:]), np.inf)
    wrong = np.zeros(prices.size)
    for known, held_out in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        tree = DecisionTreeClassifier(random_state=0).fit(X[known], y[known])
        wrong += _mistakes_along(tree, prices, X[held_out], y[held_out])
    best = prices[np.flatnonzero(wrong == wrong.min()).max()]
    return DecisionTreeClassifier(random_state=0, ccp_alpha=min(best, 1e9)).fit(X, y)


def _mistakes_along(tree: DecisionTreeClassifier, prices: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The mistakes of a whole tree, cut back at each price."""
    inner = tree.tree_
    gone, parent = _weakest_links(inner)
    begin = np.searchsorted(prices, gone)  # a node is where a row ends from here on ...
    end = np.where(parent < 0, prices.size, begin[parent])  # ... until its parent is
    paths = tree.decision_path(X).tocsr()
    label = tree.classes_[inner.value[:, 0].argmax(axis=1)]
    rows = np.repeat(np.arange(len(y)), np.diff(paths.indptr))
    wrong = (label[paths.indices] != y[rows]).astype(float)
    steps = np.zeros(prices.size + 1)
    np.add.at(steps, begin[paths.indices], wrong)
    np.add.at(steps, end[paths.indices], -wrong)
    return steps[:-1].cumsum()


def _weakest_links(inner: object) -> tuple[np.ndarray, np.ndarray]:
    """The price at which each node of scikit-learn's tree becomes a leaf or goes, and each node's parent."""
    left, right = inner.children_left, inner.children_right
    costs = inner.weighted_n_node_samples / inner.weighted_n_node_samples[0] * inner.impurity
    parent, depth = np.full(left.size, -1), np.zeros(left.size, int)
    for node in np.flatnonzero(left >= 0).tolist():  # parents come before their children
        for child in (left[node], right[node]):
            parent[child], depth[child] = node, depth[node] + 1
    gone, floor = np.where(left < 0, 0.0, np.inf), 0.0
    levels = [np.flatnonzero((depth == k) & (left >= 0)) for k in range(depth.max(), -1, -1)]
    while gone[0] == np.inf:
        below, leaves = costs.copy(), np.ones(left.size)
        for level in levels:
            some = level[gone[level] == np.inf]
            below[some] = below[left[some]] + below[right[some]]
            leaves[some] = leaves[left[some]] + leaves[right[some]]
        inside = np.flatnonzero(gone == np.inf)
        links = (costs[inside] - below[inside]) / (leaves[inside] - 1)
        floor = max(floor, links.min())
        gone[inside[links <= links.min() + 1e-15]] = floor
        for level in reversed(levels):
            some = level[gone[level] < np.inf]
            for child in (left[some], right[some]):
                gone[child] = np.minimum(gone[child], gone[some])
    return gone, parent


def compare(name: str, X: np.ndarray, categories: list[int], y: np.ndarray, rules: dict[str, Callable]) -> np.ndarray:
    """Print a table row; the error and the nodes of each rule."""
    splitter = StratifiedShuffleSplit(FEW_SPLITS if len(y) > LARGE else SPLITS, test_size=0.25, random_state=SEED)
    totals, rows, many = np.zeros((len(rules), 2)), 0, 0
    hot = one_hot(X, categories)
    for known, held_out in splitter.split(X, y):
        rows, many = rows + len(held_out), many + 1
        for k, make in enumerate(rules.values()):
            labels, nodes = make(X, hot, categories, y, known, held_out)
            totals[k] += (labels != y[held_out]).sum(), nodes
    found = totals / [rows, many]
    cells = [name, f"{len(y):,} x {X.shape[1]}"]
    cells += [f"{100 * error:.2f} / {nodes:.1f}" for error, nodes in found]
    print("| " + " | ".join(cells) + " |", flush=True)
    return found


def ours(**options: object) -> Callable:
    """A rule for `compare`."""

    def fitted(X, hot, categories, y, known, held_out):
        tree = PerceptronTree(categorical_features=categories, **options).fit(X[known], y[known])
        rules = sum(leaf.rule is not None for leaf in tree.tree_.leaves)
        return tree.predict(X[held_out]), tree.n_nodes_ + 2 * rules

    return fitted


def theirs(X, hot, categories, y, known, held_out):
    """The peer, for `compare`."""
    tree = pruned_peer(hot[known], y[known])
    return tree.predict(hot[held_out]), tree.tree_.node_count


RULES = {
    "DecisionTreeClassifier, pruned": theirs,
    "ours": ours(),
    "ours, test='feature'": ours(test="feature"),
    "ours, test='perceptron'": ours(test="perceptron"),
    "ours, leaves='perceptron'": ours(leaves="perceptron"),
    "ours, test='feature', leaves='perceptron'": ours(test="feature", leaves="perceptron"),
}


def held_out_errors(most_rows: int) -> None:
    """The second table."""
    print("\n| data | rows | " + " | ".join(RULES) + " |\n|" + "---|" * (2 + len(RULES)))
    found = np.array([compare(*data, RULES) for data in sets(most_rows)])
    ranks = np.array([rankdata(np.round(each, 10)) for each in found[:, :, 0]]).mean(axis=0)
    nodes = (found[:, :, 1] / found[:, :1, 1]).mean(axis=0)
    duel = np.sign(np.round(found[:, :, 0] - found[:, :1, 0], 10))
    print("\n| rule | mean rank | better than the peer, level, worse | nodes as a share of the peer's: mean, in all |")
    print("|" + "---|" * 4)
    for k, name in enumerate(RULES):
        score = ", ".join(str(int((duel[:, k] == sign).sum())) for sign in (-1, 0, 1))
        share = found[:, k, 1].sum() / found[:, 0, 1].sum()
        print(f"| {name} | {ranks[k]:.2f} | {score} | {nodes[k]:.2f}, {share:.2f} |", flush=True)


# ---------------------------------------------------------------------------------------------------------
# What no line can tell
# ---------------------------------------------------------------------------------------------------------


def xor(rng: np.random.Generator, n: int, d: int, flipped: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Whether the first two of d numbers have different signs."""
    X = rng.uniform(-1, 1, (n, d))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0) ^ (rng.random(n) < flipped)
    return X, y.astype(int)


def parity(rng: np.random.Generator, n: int, bits: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Whether the number of ones among so many blurred bits is odd; other columns are noise."""
    ones = rng.integers(0, 2, (n, bits))
    return np.hstack([ones + 0.1 * rng.normal(size=(n, bits)), rng.normal(size=(n, d - bits))]), ones.sum(axis=1) % 2


def checkerboard(rng: np.random.Generator, n: int, size: int, angle: float) -> tuple[np.ndarray, np.ndarray]:
    """The colour of a field, on a board that is turned."""
    X = rng.uniform(0, size, (n, 2))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return X @ turn, np.floor(X).sum(axis=1).astype(int) % 2


PUZZLES: dict[str, Callable] = {
    "XOR": lambda rng: xor(rng, 1_000, 2),
    "XOR and 8 columns of noise": lambda rng: xor(rng, 1_000, 10),
    "the same, 10 % of labels flipped": lambda rng: xor(rng, 1_000, 10, 0.1),
    "parity of 3": lambda rng: parity(rng, 1_000, 3, 3),
    "parity of 4": lambda rng: parity(rng, 1_000, 4, 4),
    "parity of 6": lambda rng: parity(rng, 2_000, 6, 6),
    "parity of 8": lambda rng: parity(rng, 4_000, 8, 8),
    "parity of 3 and 5 columns of noise": lambda rng: parity(rng, 1_000, 3, 8),
    "parity of 4 and 6 columns of noise": lambda rng: parity(rng, 2_000, 4, 10),
    "checkerboard 2 x 2, turned": lambda rng: checkerboard(rng, 1_000, 2, 0.5),
    "checkerboard 4 x 4": lambda rng: checkerboard(rng, 2_000, 4, 0.0),
    "checkerboard 4 x 4, turned": lambda rng: checkerboard(rng, 2_000, 4, 0.5),
}


def oblique_peers() -> dict[str, Callable]:
    """The oblique trees that are installed and can be loaded."""
    found: dict[str, Callable] = {}
    for name, (module, called) in PEERS.items():
        with suppress(ImportError, ValueError):
            found[name] = getattr(import_module(module), called)
    if "HHCART" in found:
        found["HHCART"] = partial(Rounded, found["HHCART"])
    return found


class Rounded:
    """HHCART, a tree of means, as a classifier of 0 and 1."""

    def __init__(self, make: Callable) -> None:
        parts = import_module("scikit_obliquetree.segmentor")
        self.means = make(parts.MSE(), parts.MeanSegmentor())

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        """Learn."""
        self.means.fit(X, y)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The class that is nearer to the mean."""
        return (np.ravel(self.means.predict(X)) > 0.5).astype(int)


def nodes_of(tree: object) -> int:
    """How many nodes a tree has, whoever made it."""
    if isinstance(tree, PerceptronTree):
        return tree.n_nodes_
    if hasattr(getattr(tree, "tree_", None), "node_count"):  # of scikit-learn's kind
        return tree.tree_.node_count
    if isinstance(tree, Rounded):
        return len(tree.means._nodes)
    if hasattr(tree, "nodes_leaves"):  # STree
        return int(tree.nodes_leaves()[0])
    root = import_module("obliquetree.utils").export_tree(tree)
    todo, many = [root.get("tree", root)], 0
    while todo:
        node = todo.pop()
        many += 1
        todo += [node[side] for side in ("left", "right") if isinstance(node.get(side), dict)]
    return many


def puzzles() -> None:
    """The first table."""
    makers = {"ours": PerceptronTree, "ours, prune=None": lambda: PerceptronTree(prune=None)}
    makers |= {"DecisionTreeClassifier": lambda: DecisionTreeClassifier(random_state=0), **oblique_peers()}
    print("\nNodes / held-out error.\n\n| data | " + " | ".join(makers) + " |\n|" + "---|" * (1 + len(makers)))
    for name, make in PUZZLES.items():
        rng, cells = np.random.default_rng(SEED), [name]
        (X, y), (new_X, new_y) = make(rng), make(rng)
        for maker in makers.values():
            tree = maker()
            tree.fit(X, y)
            cells.append(f"{nodes_of(tree)} / {100 * (np.asarray(tree.predict(new_X)) != new_y).mean():.1f}")
        print("| " + " | ".join(cells) + " |", flush=True)


# ---------------------------------------------------------------------------------------------------------
# Speed
# ---------------------------------------------------------------------------------------------------------


def noisy_plane(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian rows, labelled by a plane with as much noise as a tenth of the rows shows."""
    rng = np.random.default_rng(0)
    X, u = rng.normal(size=(n, d)), rng.normal(size=d)
    return X, (X @ u + rng.normal(size=n) > 0).astype(int)


def fastest(make: Callable, X: np.ndarray, y: np.ndarray, times: int) -> tuple[float, int]:
    """The seconds of the fastest fit, and the nodes."""
    best, tree = np.inf, None
    for _ in range(times):
        tree, begun = make(), time.perf_counter()
        tree.fit(X, y)
        best = min(best, time.perf_counter() - begun)
    return best, nodes_of(tree)


def speed(n: int) -> None:
    """The third table."""
    X, y = noisy_plane(n, 20)
    makers: dict[str, tuple[Callable, int, int]] = {
        "DecisionTreeClassifier": (lambda: DecisionTreeClassifier(random_state=0), n, 2),
        "ours, test='feature'": (lambda: PerceptronTree(test="feature", prune=None), n, 3),
        "DecisionTreeClassifier, entropy": (lambda: DecisionTreeClassifier(criterion="entropy", random_state=0), n, 2),
        "ours, test='feature', gain ratio": (
            lambda: PerceptronTree(test="feature", criterion="gain ratio", prune=None), n, 3,
        ),
        "ours, test='auto'": (lambda: PerceptronTree(prune=None), n, 2),
        "ours, test='auto', pruned by cross-validation": (PerceptronTree, n, 1),
    }  # fmt: skip
    for name, maker in oblique_peers().items():
        slow = name in ("STree", "HHCART")
        makers[name] = maker, min(n, SLOW) if slow else n, 1 if slow else 2
    makers["ours, test='auto' "] = lambda: PerceptronTree(prune=None), min(n, SLOW), 2
    fastest(lambda: PerceptronTree(), X[:500], y[:500], 1)  # loads the compiled kernels
    fastest(lambda: PerceptronTree(criterion="gain ratio"), X[:500], y[:500], 1)
    print("\n| tree | rows | seconds | nodes |\n|---|---|---|---|")
    for name, (maker, rows, times) in makers.items():
        took, nodes = fastest(maker, X[:rows], y[:rows], times)
        print(f"| {name} | {rows:,} | {took:.2f} | {nodes:,} |", flush=True)


def main(most_rows: int = NEVER, rows: int = 100_000) -> None:
    """Run everything, or only sets of at most so many rows, and speed on so many."""
    workloads.tell_if_absent()
    puzzles()
    held_out_errors(most_rows)
    speed(rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
