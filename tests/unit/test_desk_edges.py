"""Corners of the desk's work: odd targets, weights, dates and records."""

from dataclasses import replace
from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rosenblatt import PerceptronTree
from rosenblatt.desk.cost import Baseline
from rosenblatt.desk.data import data_of
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.model import model_of
from rosenblatt.desk.predict import judged, predictions
from rosenblatt.desk.split import HoldOut
from rosenblatt.errors import DataError, ModelError, OptionError
from rosenblatt.read.encode.columns import CategoryColumn, YesNoColumn
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.encode.infer import encoding_of
from rosenblatt.read.encode.lookup import Unseen
from rosenblatt.read.table import Table
from rosenblatt.ship.file.modelfile import Model

RNG = np.random.default_rng(5)
TOWNS = RNG.choice(["Bonn", "Kiel", "Rome"], 120)
SIZES = RNG.normal(size=120).round(3)


def table_of(**columns):
    return Table("t", pl.DataFrame(columns))


def made(target, algorithm, **options):
    yes = np.where((TOWNS == "Kiel") ^ (SIZES > 0), "yes", "no")
    table = table_of(town=TOWNS, size=SIZES, **{target: yes})
    data, _ = data_of(table, target)
    training = TrainingOptions(algorithm, options, hold_out=0.0)
    return table, model_of(learn(data, training), training, prove=False)


@pytest.mark.parametrize("algorithm", ["tree", "averaged"])
@pytest.mark.parametrize("target", ["label", "score"])
def test_a_target_may_be_called_as_our_columns_are(algorithm, target):
    table, model = made(target, algorithm)
    labels = model.predict(table.frame)
    assert judged(model, table).error.mistakes == int((pl.Series(labels) != table.frame[target]).sum())
    assert predictions(model, table).collect()["label"].to_list() == labels
    assert model.predict({"town": TOWNS, "size": SIZES}) == labels


@pytest.mark.parametrize("algorithm", ["tree", "voted"])
def test_the_first_rows_only(algorithm):
    table, model = made("y", algorithm)
    whole = predictions(model, table).collect()
    for many in (0, 1, 7, 500):
        assert predictions(model, table).head(many).collect().equals(whole.head(many))


def test_a_model_of_arrays_knows_no_table():
    rule = PerceptronTree().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    with pytest.raises(OptionError, match="learned from arrays"):
        Model(rule).predict({"x": [1.0]})


def test_a_class_whose_rows_all_weigh_nothing():
    table = table_of(x=SIZES, w=(SIZES > 0) * 1.0, y=np.where(SIZES > 0, "yes", "no"))
    data, _ = data_of(table, "y", weights="w")
    with pytest.raises(DataError, match="all training rows of class 'no' have weight 0"):
        learn(data, TrainingOptions("tree"))


def test_folds_that_leave_a_class_without_weight_are_passed_over():
    weights = np.zeros(120)
    weights[SIZES > 0] = 1.0
    one = int(np.flatnonzero(SIZES < 0)[0])
    weights[one] = 1.0
    table = table_of(x=SIZES, w=weights, y=np.where(SIZES > 0, "yes", "no"))
    data, _ = data_of(table, "y", weights="w")
    learned = learn(data, TrainingOptions("averaged", folds=4))
    folds = [HoldOut(folds=4, fold=k)(0, 120) for k in range(4)]
    assert learned.error.rows == sum(
        fold.sum() for fold in folds if not fold[one]
    )  # without its one row that counts, nothing is learned


def test_dates_that_are_no_dates_decide_nothing():
    far = pl.Series([-800_000, -900_000] * 30, dtype=pl.Int32).cast(pl.Date)  # before the year 1
    table = table_of(when=far, x=SIZES[:60], y=["a", "b"] * 30)
    encoding, _ = encoding_of(table, "y", overrides={"when": "date", "x": "number"})
    assert encoding.encode(table.frame).shape[0] == 60


def test_nan_in_a_category_is_missing():
    values = np.where(SIZES > 1, np.nan, RNG.integers(1, 4, 120))
    encoding, _ = encoding_of(table_of(c=values, y=TOWNS == "Kiel"), "y", overrides={"c": "category"})
    (column,) = encoding.used
    assert isinstance(column, CategoryColumn)
    assert (sorted(column.values), column.other, column.missing) == (["1", "2", "3"], False, True)


@pytest.mark.parametrize("change", [{"no": "yes"}, {"values": ("yes", "sure")}, {"other": True}])
def test_a_yes_or_no_of_another_kind_is_refused(change):
    encoding, _ = encoding_of(table_of(c=["yes", "no"] * 20, x=SIZES[:40], y=["a", "b"] * 20), "y")
    columns = tuple(replace(c, **change) if isinstance(c, YesNoColumn) else c for c in encoding.columns)
    with pytest.raises(ModelError, match="one yes"):
        Encoding.from_record(Encoding(columns, encoding.target).as_record())


def test_dates_of_every_frame_are_days():
    days = RNG.integers(18_000, 19_000, 120)
    late, missing = (days > 18_600).astype(int), np.arange(120) == 3
    dates = [None if gone else date.fromordinal(719_163 + int(day)) for day, gone in zip(days, missing, strict=True)]
    moments = pd.Series([pd.NaT if day is None else datetime(day.year, day.month, day.day, 13) for day in dates])
    frames = [
        pl.DataFrame({"when": dates, "x": SIZES}),
        pl.DataFrame({"when": pl.Series(dates).cast(pl.Datetime("ms")), "x": SIZES}),
        pd.DataFrame({"when": moments, "x": SIZES}),
        pd.DataFrame({"when": moments.dt.tz_localize("UTC"), "x": SIZES}),
    ]
    trees = [PerceptronTree(prune=None).fit(frame, late) for frame in frames]
    numbers = np.column_stack([np.where(missing, np.nan, days), SIZES])
    for tree, frame in zip(trees, frames, strict=True):
        assert tree.tree_ == trees[0].tree_
        assert (tree.predict(frame) == PerceptronTree(prune=None).fit(numbers, late).predict(numbers)).all()
        assert tree.tree_.nodes[0].test.threshold == pytest.approx(18_600, abs=10)


def test_rows_of_folds_that_are_passed_over_are_counted():
    weights = np.ones(120)
    table = table_of(x=SIZES, w=weights, y=np.where(np.arange(120) == 7, "rare", np.where(SIZES > 0, "yes", "no")))
    learned = learn(data_of(table, "y", weights="w")[0], TrainingOptions("averaged", folds=4))
    out = sum(int(fold.sum()) for k in range(4) if (fold := HoldOut(folds=4, fold=k)(0, 120))[7])
    assert f"{out} rows of 120 not judged: without their fold, some class has no training rows" in learned.notes
    seed = next(seed for seed in range(99) if HoldOut(0.2, seed)(7, 8))
    with pytest.raises(DataError, match="the only row of class 'rare' would be held out; use another --seed"):
        learn(data_of(table, "y")[0], TrainingOptions("averaged", seed=seed))


@pytest.mark.parametrize("classes", [2, 4])
def test_unseen_values_are_counted_once_beside_texts_and_several_classes(classes):
    rng = np.random.default_rng(0)
    words = [" ".join(some) for some in rng.choice(["late", "paid", "again", "never"], (200, 3))]
    town, y = rng.choice(["Kiel", "Bonn"], 200), rng.integers(0, classes, 200)
    table = table_of(town=town, note=[f"{w} {k}" for k, w in enumerate(words)], y=[f"class {k}" for k in y])
    training = TrainingOptions("averaged", hold_out=0.0)
    model = model_of(learn(data_of(table, "y", kinds={"note": "text"})[0], training), training, prove=False)
    unseen = Unseen()
    new = table_of(town=["Ulm", "Kiel", "Rom"], note=["paid", "late", "never"], y=["class 0"] * 3)
    predictions(model, new, unseen=unseen).collect()
    assert unseen.counts == {"town": 2}


def test_a_rule_is_said_to_be_worse_than_a_constant_one():
    assert (
        Baseline("no", 5.0, 7.0, 12.0)
        .statement(True)
        .startswith("The rule is worse than always predicting no, which is wrong")
    )
    assert (
        Baseline("no", 5.0, 5.0, 12.0)
        .statement(True)
        .startswith("The rule is no better than always predicting no, which is")
    )
