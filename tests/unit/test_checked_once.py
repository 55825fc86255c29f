"""A row is checked once on its way from a table to a rule and its proofs, however many ask for it."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from rosenblatt import LiftedPerceptron, Perceptron, PocketPerceptron, margin, optimality, separability
from rosenblatt.desk.data import data_of
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.model import model_of
from rosenblatt.read.sources import read_table
from rosenblatt.rows import door, examples, storage
from rosenblatt.rules.linear import learner as linear_learner


@pytest.fixture
def checks(monkeypatch):
    """How often each check ran on each table of numbers, and on how many labels."""
    counts, seen = Counter(), []  # what was seen is kept, so that no other array gets its place in memory

    def counted(module, name, place):
        check = getattr(module, name)

        def counting(first, *others):
            seen.append(first)
            counts[name, place(first)] += 1
            return check(first, *others)

        monkeypatch.setattr(module, name, counting)

    def of_array(array):
        return array.__array_interface__["data"][0]

    counted(storage, "_measured", lambda rows: (of_array(rows.values), rows.values.size))
    counted(door, "_check_compressed", lambda X: of_array(X.data))
    counted(storage, "_floats", lambda values: of_array(values))
    for module in (examples, linear_learner):
        counted(module, "classes_of", len)
    return counts


def written(folder, classes=2, overlap=True, n=90):
    rng = np.random.default_rng(0)
    X = rng.integers(-20, 20, (n, 3)) + (rng.random((n, 3)) if classes == 2 else 0)
    y = np.digitize(X.sum(axis=1) + (8 * rng.standard_normal(n) if overlap else 0), [0, 9][: classes - 1])
    path = folder / "table.csv"
    pl.DataFrame({**{f"c{k}": X[:, k] for k in range(3)}, "y": [f"class {label}" for label in y]}).write_csv(path)
    return str(path)


@pytest.mark.parametrize("algorithm", ["auto", "perceptron", "pocket", "averaged", "voted", "lifted", "kernel"])
@pytest.mark.parametrize(("classes", "overlap"), [(2, True), (2, False), (3, True)])
def test_the_command_checks_a_row_once(tmp_path, checks, algorithm, classes, overlap):
    if classes > 2 and algorithm in ("voted", "lifted", "kernel"):
        pytest.skip("learns of several classes as of two")
    data, _ = data_of(read_table(written(tmp_path, classes, overlap)), "y")
    options = {} if algorithm == "auto" else {"max_passes": 3}
    learned = learn(data, decision_options := TrainingOptions(algorithm, options))
    model = model_of(learned, decision_options)
    assert model.data["rows"] == learned.trained.n
    names = ("_floats",) if algorithm == "kernel" else ("_floats", "_measured")  # it measures rows without a constant
    of_rows = {key: many for key, many in checks.items() if key[0] in names}
    assert len(of_rows) >= 2 * len(names)  # of the rows learned from, and of those held out
    assert set(of_rows.values()) == {1}, checks


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "ask",
    [
        lambda X, y: Perceptron(max_passes=5).fit(X, y),
        lambda X, y: PocketPerceptron(max_passes=5, random_state=0).fit(X, y),
        lambda X, y: LiftedPerceptron(max_passes=5).fit(X, y),
        lambda X, y: separability(X, y),
        lambda X, y: margin(X, y),
        lambda X, y: optimality(X, y),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_python_checks_rows_and_labels_once(checks, container, classes, ask):
    rng = np.random.default_rng(1)
    X = container(rng.integers(-5, 5, (40, 3)).astype(float))
    y = np.digitize(np.asarray(X.sum(axis=1)).ravel() + rng.standard_normal(40), [0, 3][: classes - 1])
    ask(X, y)
    values = X.data if sp.issparse(X) else X
    place = values.__array_interface__["data"][0]
    assert checks["_measured", (place, values.size)] == 1, checks
    assert checks["_floats", place] == 1, checks
    assert checks["_check_compressed", place] == sp.issparse(X), checks
    assert checks["classes_of", y.size] == 1, checks


def test_rows_that_were_checked_go_through_the_door_as_they_are():
    rows = storage.rows_of(np.eye(3))
    assert storage.rows_of(rows) is rows
    wider = storage.rows_of(rows, bias=2.0)
    assert wider.bias == 2.0
    assert wider.radius == 5.0**0.5
    assert wider.values is not None
    assert np.shares_memory(wider.values, rows.values)
