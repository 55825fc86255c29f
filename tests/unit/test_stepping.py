"""Columns of numbers in steps: where their edges are, and which columns are cut where that helps."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from rosenblatt.desk import stepping
from rosenblatt.desk.data import data_of
from rosenblatt.desk.judging.decision_options import DecisionOptions
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.model import model_of
from rosenblatt.desk.model_contents import card_of, with_rates
from rosenblatt.desk.split import HoldOut
from rosenblatt.read.encode.columns import StepColumn
from rosenblatt.read.encode.steps import MOST_STEPS, edges_of, roundest
from rosenblatt.read.table import Table

HELD_OUT = HoldOut(0.25, 1)


def frame(n=900, seed=0, classes=2):
    """`bent` counts most in the middle, `straight` in proportion, and `noise` not at all."""
    rng = np.random.default_rng(seed)
    bent, straight, noise = rng.uniform(0, 10, n), rng.normal(size=n), rng.normal(size=n)
    score = 3.0 * (np.abs(bent - 5) < 2) + 1.5 * straight + 0.5 * rng.normal(size=n)
    ends = np.quantile(score, [k / classes for k in range(1, classes)])
    return pl.DataFrame(
        {"bent": bent, "straight": straight, "noise": noise, "y": [f"c{k}" for k in np.searchsorted(ends, score)]}
    )


def cut(table, **how):
    data, notes = data_of(Table("here", table), "y", steps_where_they_help=True, **how)
    return data, [c.name for c in data.encoding.used if isinstance(c, StepColumn)], [n for n in notes if "auto" in n]


@pytest.mark.parametrize("classes", [2, 3])
def test_what_is_bent_is_cut_and_nothing_else(classes):
    _, names, (note,) = cut(frame(classes=classes))
    assert names == ["bent"]
    says = "--steps auto: steps lower the loss on rows not learned from, so these are cut: bent (by "
    assert note.startswith(says)
    assert note.endswith("; 2 columns of numbers not cut")


def test_a_straight_line_is_left_as_it_is():
    _, names, (note,) = cut(frame().drop("bent"))
    assert names == []
    assert note == "--steps auto: no column is cut, because steps do not predict better by more than noise"


def test_rows_held_out_have_no_part_in_what_is_cut():
    table = frame()
    out = HELD_OUT(0, table.height)
    other = table.with_columns(
        pl.when(pl.Series(out)).then(pl.lit("c0")).otherwise(pl.col("y")).alias("y"),
        pl.when(pl.Series(out)).then(9.0 - pl.col("bent")).otherwise(pl.col("bent")).alias("bent"),
    )
    data, names, notes = cut(table, held_out=HELD_OUT)
    again, _, others = cut(other, held_out=HELD_OUT)
    assert names == ["bent"]
    assert data.encoding == again.encoding
    assert notes == others
    assert data.encoding != cut(other)[0].encoding


@pytest.mark.parametrize("kinds", [{}, {"bent": "steps"}])
def test_rows_without_weight_have_no_part_either(kinds):
    table = frame().with_columns(w=pl.Series(np.arange(900) % 3 != 0).cast(pl.Float64))
    other = table.with_columns(pl.when(pl.col("w") > 0).then(pl.col("y")).otherwise(pl.lit("c1")).alias("y"))
    first, names, _ = cut(table, weights="w", kinds=kinds)
    assert names == ["bent"]
    assert first.encoding.used[0].edges == cut(other, weights="w", kinds=kinds)[0].encoding.used[0].edges
    twice = np.where(np.arange(900) % 2, 2.0, 1.0)
    numbers, codes = table["bent"].to_numpy(), (table["y"] == "c1").cast(int).to_numpy()
    whole = edges_of(np.repeat(numbers, twice.astype(int)), np.repeat(codes, twice.astype(int)), 2)
    found = edges_of(numbers, codes, 2, twice)
    assert len(found) == len(whole)
    assert np.abs(np.subtract(found, whole)).max() < 0.5


def test_missing_numbers_are_no_step():
    table = frame().with_columns(pl.when(pl.col("bent") < 1).then(None).otherwise(pl.col("bent")).alias("bent"))
    data, names, _ = cut(table)
    assert names == ["bent"]
    (column,) = [column for column in data.encoding.used if column.name == "bent"]
    assert column.missing
    missing = table["bent"].is_null().to_numpy()
    assert (data.X[missing, : len(column.edges)] == 0).all()
    assert (data.X[:, len(column.edges)] == missing).all()


def test_what_cannot_be_cut_is_said(monkeypatch):
    words = pl.DataFrame({"word": ["a", "b"] * 20, "y": ["c0", "c1", "c1", "c0"] * 10})
    assert cut(words)[2] == ["--steps auto: there is no column of numbers to cut"]
    monkeypatch.setattr(stepping, "MOST_COLUMNS", 2)
    assert cut(frame())[2] == ["--steps auto: 3 columns of numbers are too many to try; name those to cut"]


def test_few_rows_of_a_class_are_no_reason_to_cut():
    table = frame(40).with_columns(y=pl.Series(["c1", *["c0"] * 39]))
    assert cut(table)[1] == []


def test_edges_are_round_few_and_between_rows():
    rng = np.random.default_rng(0)
    for _ in range(200):
        numbers = np.round(rng.normal(size=300), int(rng.integers(0, 5))) * 10.0 ** rng.integers(-200, 200)
        codes = rng.integers(0, 3, 300)
        edges = edges_of(numbers, codes, 3)
        assert 1 <= len(edges) < MOST_STEPS
        assert list(edges) == sorted(set(edges))
    assert roundest(0.26, 0.31) == 0.3
    assert roundest(1249.0, 1251.0) == 1250.0
    assert roundest(-3.0, 4.0) == 0.0


def test_cards_show_the_share_and_the_rate_of_every_step():
    table = frame()
    data, _ = data_of(Table("here", table), "y", kinds={"bent": "steps"})
    learned = learn(data, how := TrainingOptions(algorithm="averaged", hold_out=0.0, prove=False))
    card = with_rates(card_of(model_of(learned, how, prove=False)), learned.trained)
    (part,) = [part for part in card.cards[0].parts if part.column == "bent"]
    edges = data.encoding.used[0].edges
    step = np.searchsorted(edges, table["bent"].to_numpy(), side="right")
    yes = (table["y"] == "c1").to_numpy()
    for k, line in enumerate(part.lines[:-1]):
        assert line.share == pytest.approx((step == k).mean())
        assert line.rate == pytest.approx(yes[step == k].mean())
    assert part.lines[-1].share == 0
    assert (
        part.lines[0].described("c1")
        == f"below {edges[0]:g} ({(step == 0).mean():.0%} of rows, {yes[step == 0].mean():.0%} c1)"
    )


@pytest.mark.parametrize(("kinds", "times"), [({}, 0), ({"bent": "steps"}, 5)])
def test_edges_are_found_anew_for_rules_that_probabilities_are_made_from(kinds, times):
    """Those of all rows know the labels of the rows that a fold is judged by."""
    asked, how = (
        [],
        TrainingOptions(algorithm="averaged", prove=False, decision_options=DecisionOptions(probability="venn-abers")),
    )
    data, _ = data_of(Table("here", frame()), "y", kinds=kinds, held_out=how.held_out)
    again = data.made_by

    def made_by(held_out):
        asked.append(held_out)
        return again(held_out=held_out)

    learn(replace(data, made_by=made_by), how)
    assert len(asked) == times
    assert all(each.folds == times for each in asked)
