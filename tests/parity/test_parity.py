"""One rule, one label: in Python, in three databases, in ONNX Runtime, in two readers of PMML and in plain Python."""

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from parity.engines import by_estimator, by_polars
from parity.odd_tables import odd_tables
from rosenblatt import AveragedPerceptron
from rosenblatt.read.encode.infer import encoding_of
from rosenblatt.read.sources import read_table
from rosenblatt.ship.export.points import PointRule, short

SHARED = Path(__file__).parents[3] / "shared" / "data"
SETS = {
    "german_credit/germancredit.csv": "creditability",
    "credit_approval/crx.data": "c16",
    "banknote/data_banknote_authentication.txt": "c5",
    "vote/vote.arff": "Class",
    "mushrooms/agaricus-lepiota.data": "c1",
    "electricity/electricity.zip": "class",
    "auto_mpg/cars.csv": "cylinders",  # five classes
    "a9a/a9a.gz": "label",
    "mushrooms/mushrooms.libsvm.gz": "label",
    "sms_spam/SMSSpamCollection": "c1",
}
MOST_ROWS = {"postgresql": 1500, "pmml4s": 50, "jpmml": 100, "python": 1500, "sqlite": 2000}  # the slow ones
FEW_ROWS = 60  # of long texts


def assert_same(found, expected, *about):
    """Labels and scores are those of the exact estimator, to the last bit."""
    assert found[0] == expected[0], about
    np.testing.assert_array_equal(found[1], expected[1], str(about))


def numbered_columns(X):
    """A sparse matrix as a frame: no value where nothing is stored."""
    dense = np.where(X.toarray() == 0, np.nan, X.toarray())
    return pl.DataFrame({str(k + 1): pl.Series(column, nan_to_null=True) for k, column in enumerate(dense.T)})


@cache
def learned(name):
    """A set of the shared data, and short points learned from it."""
    if not (SHARED / name).exists():
        pytest.skip(f"{name} is not in {SHARED}")
    table = read_table(SHARED / name).with_known(SETS[name])
    encoding, _ = encoding_of(table, SETS[name])
    rows = table.whole()
    classes = table.sparse[1] if table.sparse else rows[SETS[name]].cast(pl.String).to_list()
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        rule = AveragedPerceptron(max_passes=5).fit(encoding.encode(rows), np.array(classes))
    each = [short(w, float(b), encoding.features) for w, b in zip(rule.coef_, rule.intercept_, strict=True)]
    return rows, PointRule(encoding, *zip(*((tuple(w.tolist()), b) for w, b in each), strict=True), zero_is_yes=True)


@cache
def odd_examples():
    """Odd tables, each with a rule and the labels and scores that the estimator gives. Made once for all engines."""
    made = []

    @settings(max_examples=70, phases=[Phase.generate], database=None)
    @given(odd_tables())
    def collect(table):
        made.append((*table, *by_estimator(table[1], table[0])))

    collect()
    return made


@pytest.mark.parametrize("name", SETS)
def test_shared_data(engine, name):
    table, points = learned(name)
    assert points.exact
    most = FEW_ROWS if "sms" in name else MOST_ROWS.get(engine.name, 50_000)
    table = table[:most]
    found = engine(points, numbered_columns(table) if issparse(table) else table)
    assert_same(found, by_estimator(points, table))


@pytest.mark.parametrize("name", [name for name, target in SETS.items() if target != "label"])
def test_shared_data_in_polars(name):
    table, points = learned(name)
    assert_same(by_polars(points, table), by_estimator(points, table))


def test_odd_tables(engine):
    for frame, points, *expected in odd_examples():
        assert_same(engine(points, frame), expected, frame, points)


def test_odd_tables_in_polars():
    for frame, points, *expected in odd_examples():
        assert_same(by_polars(points, frame), expected, frame, points)


def test_odd_tables_are_odd():
    """They have scores of exactly zero under both conventions, equal largest scores, and rules that never round."""
    examples = odd_examples()
    assert all(points.exact for _, points, *_ in examples)
    for yes in (True, False):
        assert any(points.zero_is_yes is yes and len(points.weights) == 1 and 0 in s for _, points, _, s in examples)
    assert any(s.shape[1] > 2 and (np.sort(s)[:, -1] == np.sort(s)[:, -2]).any() for *_, s in examples)
    assert sum(len(set(labels)) > 1 for _, _, labels, _ in examples) > 14
