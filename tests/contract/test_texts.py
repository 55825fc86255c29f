"""A table with a text where a number belongs: the row and the column are named, whatever the table is."""

from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rosenblatt
from rosenblatt.errors import DataError

Y = [0, 1, 0]
CELLS = {"a": [1.0, 2.0, 3.0], "b": ["1", "x", "3"]}
TABLES = {
    "pandas": (pd.DataFrame(CELLS), "'b'"),
    "polars": (pl.DataFrame(CELLS), "'b'"),
    "objects": (np.array([[1, "2"], [2, "x"], [3, None]], object), "1"),
    "texts": (np.array([["1", "2"], ["2", "x"], ["3", "4"]]), "1"),
    "lists": ([[1, 2], [2, "x"], [3, 4]], "1"),
}
RULES = [
    rosenblatt.Perceptron, rosenblatt.PocketPerceptron, rosenblatt.AveragedPerceptron, rosenblatt.VotedPerceptron,
    rosenblatt.MarginPerceptron, rosenblatt.PassiveAggressive, rosenblatt.LiftedPerceptron,
    rosenblatt.SoftMarginPerceptron, rosenblatt.PerceptronCV, rosenblatt.KernelPerceptron,
]  # fmt: skip
USES = {rule.__name__: lambda X, y, rule=rule: rule().fit(X, y) for rule in RULES} | {
    "OnlinePerceptron": lambda X, y: rosenblatt.OnlinePerceptron().learn_many(X, y),
    "separability": rosenblatt.separability,
    "margin": rosenblatt.margin,
    "optimality": rosenblatt.optimality,
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("use", USES)
def test_a_text_is_named_with_its_row_and_column(use, kind):
    X, column = TABLES[kind]
    with pytest.raises(DataError, match=f"row 1, column {column}: 'x' is not a number"):
        USES[use](X, Y)


@pytest.mark.parametrize("kind", TABLES)
def test_a_tree_names_it_too(kind):
    X, column = TABLES[kind]
    named = column if column == "'b'" else "'x1'"
    with pytest.raises(DataError, match=f"row 1, column {named}: 'x' is not a number; or is it one of categ"):
        rosenblatt.PerceptronTree(categorical_features=None).fit(X, Y)


def test_a_text_among_rows_to_predict():
    rule = rosenblatt.Perceptron().fit(pd.DataFrame({"a": [1.0, 2.0, 0.5], "b": [0.0, 1.0, 0.0]}), Y)
    with pytest.raises(DataError, match="row 1, column 'b': 'x' is not a number"):
        rule.predict(pd.DataFrame(CELLS))


@pytest.mark.parametrize("made", [rosenblatt.Perceptron, rosenblatt.PerceptronTree])
def test_what_is_not_even_a_text(made):
    X = np.array([[1, 2], [2, {}], [3, 4]], object)
    with pytest.raises(TypeError, match=r"row 1, column '?x?1'?: {} is not a number: float"):
        made().fit(X, Y)


DAYS = [datetime(2020, 1, day) for day in (1, 2, 3)]
OF_TIME = {
    "pandas": pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": DAYS}),
    "pandas with a zone": pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": pd.to_datetime(DAYS, utc=True)}),
    "polars": pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": DAYS}),
    "durations": pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": [day - DAYS[0] for day in DAYS]}),
    "dates only": pd.DataFrame({"b": DAYS}),
    "an array": np.array([[day] for day in DAYS], "M8[us]"),
}


@pytest.mark.parametrize("kind", OF_TIME)
@pytest.mark.parametrize("use", [use for use in USES if use != "OnlinePerceptron"])
def test_dates_are_no_numbers_to_a_line(use, kind):
    named = "0" if kind == "an array" else "'b'"
    with pytest.raises(DataError, match=f"column {named} holds dates or times; give numbers instead"):
        USES[use](OF_TIME[kind], Y)


@pytest.mark.parametrize("kind", OF_TIME)
def test_dates_are_what_a_tree_takes(kind):
    assert rosenblatt.PerceptronTree(prune=None).fit(OF_TIME[kind], [0, 0, 1]).predict(OF_TIME[kind]).tolist() == [
        0,
        0,
        1,
    ]


WITHOUT_LABEL = {
    "None": [0, None, 1],
    "None among words": ["no", None, "yes"],
    "NaN": [0.0, np.nan, 1.0],
    "pandas": pd.Series([0, None, 1], dtype="Int64"),
    "pandas, words": pd.Series(["no", None, "yes"]),
    "polars": pl.Series([0, None, 1]),
    "NaN among words": np.array(["no", np.nan, "yes"], object),
}


@pytest.mark.parametrize("kind", WITHOUT_LABEL)
@pytest.mark.parametrize("use", [*USES, "PerceptronTree"])
def test_a_missing_label_is_named_with_its_row(use, kind):
    uses = USES | {"PerceptronTree": lambda X, y: rosenblatt.PerceptronTree().fit(X, y)}
    with pytest.raises(DataError, match="row 1: the label is missing"):
        uses[use](np.eye(3), WITHOUT_LABEL[kind])


def test_other_refusals_of_frames_name_their_columns():
    with pytest.raises(DataError, match="row 1, column 'b': the value is nan"):
        rosenblatt.separability(pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, np.nan]}), [0, 1])


LARGE = {"a": [2**53, 2**53 + 1, 3], "b": [0.5, 0.5, 0.5]}
LARGE_TABLES = {
    "pandas": pd.DataFrame(LARGE),
    "polars": pl.DataFrame(LARGE),
    "nullable": pd.DataFrame(LARGE).astype({"a": "Int64"}),
    "lists": [list(row) for row in zip(*LARGE.values(), strict=True)],
}


@pytest.mark.parametrize("kind", LARGE_TABLES)
@pytest.mark.parametrize("use", [use for use in USES if use != "OnlinePerceptron"])
def test_whole_numbers_that_floats_beside_them_would_round_are_refused(use, kind):
    with pytest.raises(DataError, match=r"row 1, column .*: 9007199254740993 is too large a whole number"):
        USES[use](LARGE_TABLES[kind], Y)


MIXED = {"words and NaN": ["a", float("nan"), "b"], "NA": ["a", pd.NA, "b"], "NaT": [pd.NaT, 1, 0]}


@pytest.mark.parametrize("kind", MIXED)
@pytest.mark.parametrize("use", [use for use in USES if use != "OnlinePerceptron"])
def test_lists_hide_no_missing_label(use, kind):
    with pytest.raises(DataError, match=r"row [01]: the label is missing"):
        USES[use](np.eye(3), MIXED[kind])


@pytest.mark.parametrize("labels", [[1, "1", 2], ["True", True, "False"]])
@pytest.mark.parametrize("use", [use for use in USES if use != "OnlinePerceptron"])
def test_labels_of_two_kinds_do_not_become_one(use, labels):
    with pytest.raises(DataError, match=r"row 1: the label .* is of another kind than"):
        USES[use](np.eye(3), labels)


@pytest.mark.parametrize("use", ["Perceptron", "separability"])
def test_rows_of_different_lengths_and_numbers_without_end(use):
    with pytest.raises(DataError, match="row 1 has 1 values, but row 0 has 2"):
        USES[use]([[1, 2], [3], [4, 5]], Y)
    with pytest.raises(DataError, match=r"row 0, column 0: 1000.* is not a number"):
        USES[use]([[10**400, 2], [3, 1], [4, 5]], Y)
