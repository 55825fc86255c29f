"""A table with a text where a number belongs: the row and the column are named, whatever the table is."""

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
    rosenblatt.MarginPerceptron, rosenblatt.PassiveAggressive, rosenblatt.LiftedPerceptron, rosenblatt.KernelPerceptron,
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


def test_dates_are_no_numbers_to_a_line():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": pd.to_datetime(["2020-01-01"] * 3)})
    with pytest.raises(TypeError, match=r"row 0, column 'b': Timestamp.* is not a number"):
        rosenblatt.Perceptron().fit(X, Y)


def test_other_refusals_of_frames_name_their_columns():
    with pytest.raises(DataError, match="row 1, column 'b': the value is nan"):
        rosenblatt.separability(pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, np.nan]}), [0, 1])
