"""The profile of the training rows: what it counts, that `verify` counts it again, and what a file may not say."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from cli.one_line import changed
from rosenblatt.desk.data import data_of
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.model import model_of
from rosenblatt.desk.profile import SAMPLE, Sample, counted, edges_of_table
from rosenblatt.desk.split import HoldOut
from rosenblatt.desk.verifying.verify import verified
from rosenblatt.errors import ModelError
from rosenblatt.read.sources import read_table
from rosenblatt.read.table import Table
from rosenblatt.ship.file.modelfile import Model

N = 300


def frame():
    rng = np.random.default_rng(7)
    age, income = rng.integers(18, 70, N), rng.lognormal(8, 1, N)
    return pl.DataFrame(
        {
            "age": [None if k % 10 == 3 else int(a) for k, a in enumerate(age)],
            "income": income,
            "job": rng.choice(["clerk", "cook", "pilot"], N, p=[0.6, 0.3, 0.1]),
            "since": [f"20{10 + k % 14}-03-1{k % 10}" for k in range(N)],
            "owner": rng.choice(["yes", "no"], N),
            "note": rng.choice(["late once", "paid in time", "paid in full, on the very same day", "?"], N),
            "approved": np.where(income + 40 * age > 5000, "yes", "no"),
        }
    )


def learned(table, *, algorithm="averaged", hold_out=0.2, kinds=None):
    out = HoldOut(hold_out, 0) if hold_out else None
    kinds = {"note": "text"} if kinds is None else kinds
    data, _ = data_of(table, "approved", kinds=kinds, held_out=out)
    options = {"max_passes": 2} if algorithm == "averaged" else {}
    training = TrainingOptions(algorithm, options, hold_out=hold_out, prove=False)
    return model_of(learn(data, training), training, prove=False)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    frame().write_csv(path)
    return path


@pytest.fixture(scope="module")
def model(table):
    return learned(read_table(table))


def test_the_counts_are_those_of_the_training_rows(model):
    rows, profile = frame(), model.profile
    out = HoldOut(0.2, 0)(0, N)
    mine = rows.filter(pl.Series(~out))
    assert profile.rows == mine.height
    each = {column.name: column for column in profile.columns}
    assert list(each) == ["age", "income", "job", "since", "owner", "note"]
    assert each["age"].counts[-1] == mine["age"].null_count()
    ends = [*each["income"].edges, np.inf]
    assert np.cumsum(each["income"].counts[: len(ends)]).tolist() == [(mine["income"] <= end).sum() for end in ends]
    values = next(column for column in model.encoding.used if column.name == "job").values
    assert each["job"].counts == (*((mine["job"] == value).sum() for value in values), 0, 0)
    assert each["owner"].counts[:2] == ((mine["owner"] == "no").sum(), (mine["owner"] == "yes").sum())
    assert each["note"].counts[-1] == (mine["note"] == "?").sum()
    said = model.predict(rows.filter(pl.Series(out)))
    assert profile.scores.held_out
    assert profile.scores.decisions == (said.count("no"), said.count("yes"), 0)


@pytest.mark.parametrize(
    ("algorithm", "hold_out"), [("averaged", 0.2), ("averaged", 0.0), ("tree", 0.2), ("kernel", 0.2)]
)
def test_verify_counts_it_again_in_memory_and_in_blocks(table, algorithm, hold_out):
    kinds = {"note": "ignore"} if algorithm == "kernel" else None
    for large in (False, True):
        rows = read_table(table, large=large)
        found = learned(rows, algorithm=algorithm, hold_out=hold_out, kinds=kinds)
        assert found.profile.scores.held_out is bool(hold_out)
        again = Model.from_text(found.text().encode())
        assert again.profile == found.profile
        claims = {claim.claim: claim for claim in verified(again, rows, None)}
        assert claims["profile"].holds
        assert claims["scores"].holds


def test_a_table_in_blocks_has_the_profile_of_the_whole(model, table):
    profiles = []
    for large in (False, True):
        rows = read_table(table, large=large)
        profiles.append(counted(model, rows, *edges_of_table(model, rows)).profile)
    assert profiles[0] == profiles[1]
    assert profiles[0].rows == N


def test_a_sample_is_the_same_rows_in_blocks_of_any_size():
    rows = pl.DataFrame({"x": np.arange(3 * SAMPLE)})
    found = []
    for size in (1000, 7000, rows.height):
        sample, wanted = Sample(), np.arange(rows.height) % 3 > 0
        for first in range(0, rows.height, size):
            sample.add(rows[first : first + size], first, wanted[first : first + size])
        found.append(sample.rows()["x"].to_list())
    assert found[0] == found[1] == found[2]
    assert SAMPLE / 2 < len(found[0]) <= SAMPLE
    assert all(row % 3 for row in found[0])


@pytest.mark.parametrize(
    ("change", "claim"),
    [
        (lambda p: p["columns"][1]["counts"].__setitem__(slice(0, 2), p["columns"][1]["counts"][1::-1]), "profile"),
        (lambda p: p["columns"][2]["counts"].__setitem__(slice(0, 2), p["columns"][2]["counts"][1::-1]), "profile"),
        (lambda p: p["columns"][1]["edges"].__setitem__(3, p["columns"][1]["edges"][3] * 1.03), "profile"),
        (lambda p: p["scores"]["decisions"].reverse(), "scores"),
        (lambda p: p["scores"]["counts"].reverse(), "scores"),
        (lambda p: p["scores"].update(held_out=False), "scores"),
    ],
)
def test_verify_notices_what_was_changed(model, table, change, claim):
    record = json.loads(model.text())
    change(record["profile"])
    again = Model.from_text(changed(json.dumps(record)).encode())
    failed = [each.claim for each in verified(again, read_table(table), None) if each.holds is False]
    assert failed == [claim]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda p: p.update(rows=7), "has counts for 2.. rows, not 7"),
        (lambda p: p["columns"].pop(), "the profile's columns are not those of the encoding"),
        (lambda p: p["columns"][0].update(name="years"), "the profile's columns are not those of the encoding"),
        (lambda p: p["columns"][0]["edges"].reverse(), "the profile of column 'age' has edges that do not rise"),
        (lambda p: p["columns"][0]["counts"].append(0), "the profile of column 'age' must have .* counts, not"),
        (lambda p: p["columns"][2]["edges"].append(1.0), "has edges, but the column has no numbers"),
        (lambda p: p["columns"][0]["counts"].__setitem__(0, -1), "counts.0. must be a whole number of at least 0"),
        (lambda p: p["scores"]["decisions"].append(0), "the profile of the decisions must have 3 counts, not 4"),
        (lambda p: p["scores"].update(held_out=1), "held_out must be true or false"),
        (lambda p: p.update(more=1), "has the unknown field 'more'"),
        (lambda p: p.pop("scores"), "lacks scores"),
    ],
)
def test_a_profile_that_contradicts_itself_is_refused(model, change, told):
    record = json.loads(model.text())
    change(record["profile"])
    with pytest.raises(ModelError, match=told):
        Model.from_text(changed(json.dumps(record)).encode())


def test_a_model_without_a_profile_has_no_such_field(model):
    text = replace(model, profile=None).text()
    assert "profile" not in json.loads(text)
    assert Model.from_text(text.encode()).profile is None
    with pytest.raises(ModelError, match="profile must be an object, not None"):
        Model.from_text(changed(text, profile=None).encode())


def test_a_profile_is_bounded_however_wide_the_table_is():
    rng = np.random.default_rng(0)
    wide = pl.DataFrame({f"x{k}": rng.integers(0, 9, 40) for k in range(1100)})
    wide = wide.with_columns(approved=pl.Series(np.where(wide["x0"] > 4, "yes", "no")))
    found = learned(Table("wide", wide), kinds={})
    assert len(found.profile.columns) == 1000
    assert Model.from_text(found.text().encode()).profile == found.profile
