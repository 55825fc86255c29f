"""Rows that are held out are as new to a rule as rows of tomorrow: nothing of them is in it, nor in its encoding."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.desk.data import data_of
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.split import HoldOut
from rosenblatt.read.encode.infer import encoding_of
from rosenblatt.read.profile import statistics
from rosenblatt.read.table import Table
from rosenblatt.ship.file.modelfile import Model

N = 300
OUT = HoldOut(0.2, 0)
KINDS = {
    "size": "number",
    "written": "number",
    "town": "category",
    "code": "category",
    "member": "yes/no",
    "since": "date",
    "day": "date",
    "note": "text",
}


def rows(rng, n=N):
    """Columns of every kind, with holes; half of the towns and of the words occur once or twice."""
    town = rng.choice([f"town {k}" for k in range(n)], n).tolist()
    days = np.datetime64("2020-01-01") + rng.integers(0, 900, n)
    words = rng.choice([f"word{k}" for k in range(n)], (n, 4))
    size = rng.normal(size=n).round(2)
    return pl.DataFrame(
        {
            "size": pl.Series(size).set(pl.Series(rng.random(n) < 0.02), None),
            "written": [f"{x:,.2f}" for x in rng.lognormal(7, 2, n)],
            "town": pl.Series(town).set(pl.Series(rng.random(n) < 0.02), None),
            "code": rng.integers(0, n, n),
            "member": rng.choice(["yes", "no"], n),
            "since": days.astype(str),
            "day": pl.Series(days),
            "note": [" ".join(some) for some in words],
            "good": np.where(size + rng.normal(size=n) > 0, "yes", "no"),
        }
    )


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 0.5, 0.9]), st.sampled_from([7, 50, 10**6]), st.booleans())
@settings(max_examples=40)
def test_an_encoding_is_that_of_the_rows_learned_from(seed, part, block, lazy):
    frame, out = rows(np.random.default_rng(seed), 60), HoldOut(part, seed)
    kept = ~out(0, 60)
    old, statistics.ROWS = statistics.ROWS, block
    try:
        table = Table("t", frame.lazy() if lazy else frame)
        found, _ = encoding_of(table, "good", overrides=KINDS, held_out=out)
    finally:
        statistics.ROWS = old
    if frame.filter(kept)["good"].n_unique() < 2 or kept.sum() < 2:
        return
    alone, _ = encoding_of(Table("t", frame.filter(kept)), "good", overrides=KINDS)
    if block > 60:
        assert found == alone
        return
    for one, other in zip(found.columns, alone.columns, strict=True):  # sums in other blocks round otherwise
        assert one.features == other.features or one.kind in ("number", "date")


@pytest.mark.parametrize("algorithm", ["auto", "averaged", "tree"])
def test_no_cell_that_is_held_out_moves_the_rule(algorithm):
    training, out = TrainingOptions(algorithm, hold_out=OUT.part, seed=OUT.seed), pl.Series(OUT(0, N))
    frame, others = rows(np.random.default_rng(0)), rows(np.random.default_rng(1))
    mingled = pl.DataFrame(
        [others[name].zip_with(out, frame[name]) if name != "good" else frame[name] for name in frame.columns]
    )
    rules = []
    for each in (frame, mingled):
        data, _ = data_of(Table("t", each), "good", kinds=KINDS)
        learned = learn(data, training)
        rules.append(Model(learned.rule, encoding=learned.trained.encoding).text())
    assert rules[0] == rules[1]


def test_each_fold_is_judged_by_a_rule_that_does_not_know_it():
    table = Table("t", rows(np.random.default_rng(2)))
    data, _ = data_of(table, "good", kinds=KINDS)
    wrong = 0
    for k in range(3):
        fold = HoldOut(folds=3, fold=k)
        out = fold(0, N)
        known, _ = data_of(table, "good", kinds=KINDS, held_out=fold)
        rule = learn(known.some(~out), TrainingOptions("averaged", hold_out=0.0)).rule
        wrong += int((rule.predict(known.some(out).X) != data.y[out]).sum())
    assert learn(data, TrainingOptions("averaged", folds=3)).error.mistakes == wrong


def test_a_name_that_is_seen_once_in_learning_has_no_feature_of_its_own():
    out = HoldOut(0.5, 0)(0, 40)
    one, two = np.flatnonzero(~out)[0], np.flatnonzero(out)[0]
    towns = np.array(["Kiel", "Bonn"] * 20, dtype=object)
    towns[[one, two]] = "Ulm"
    table = Table("t", pl.DataFrame({"town": towns.tolist(), "good": ["yes", "no"] * 20}))
    known, _ = encoding_of(table, "good")
    unknown, _ = encoding_of(table, "good", held_out=HoldOut(0.5, 0))
    assert sorted(known.columns[0].values) == ["Bonn", "Kiel", "Ulm"]
    assert sorted(unknown.columns[0].values) == ["Bonn", "Kiel"]
    assert unknown.columns[0].other
