"""What `load_model` gives for a rule that was learned from a table."""

import pickle
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

from rosenblatt import load_model
from rosenblatt.desk.data import data_of
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.model import model_of
from rosenblatt.errors import OptionError, TableError
from rosenblatt.read.table import Table

TOWNS = ["Rome", "Oslo", "Bern"]
ROWS = [
    {
        "income": k * 1.5 if k % 7 else None,
        "owner": k % 3 == 0,
        "town": TOWNS[k % 3],
        "since": f"20{k % 20 + 10}-01-0{k % 9 + 1}",
        "good": ["no", "yes"][k > 20],
        "of three": ["low", "middle", "high"][k // 15 if k < 45 else 2],
    }
    for k in range(50)
]
FRAME = pl.DataFrame(ROWS)


def rule_on(tmp_path, target, algorithm):
    data, _ = data_of(Table("rows", FRAME.drop("good" if target == "of three" else "of three")), target)
    training = TrainingOptions(algorithm, {}, 0.0, 0, 0, None, False, False)
    model_of(learn(data, training), training, prove=False).save(tmp_path / "m.json")
    return load_model(tmp_path / "m.json")


def arrow(frame):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    return frame.to_arrow()


def pandas(frame):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    return pd.DataFrame({name: frame[name].to_list() for name in frame.columns})


def nullable(frame):
    table = pandas(frame)
    return table.astype({"income": "Float64", "owner": "boolean", "town": "category", "since": "string"})


def stamped(frame):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    table = pandas(frame)
    return table.assign(since=pd.to_datetime(table["since"]), income=[None if x != x else x for x in table["income"]])


TABLES = {
    "polars": lambda frame: frame,
    "lazy": pl.DataFrame.lazy,
    "categories": lambda frame: frame.with_columns(pl.col("town").cast(pl.Categorical)),
    "dates": lambda frame: frame.with_columns(pl.col("since").str.to_datetime()),
    "dicts": pl.DataFrame.to_dicts,
    "mapping": lambda frame: frame.to_dict(as_series=False),
    "decimals": lambda frame: [
        {**row, "income": None if row["income"] is None else Decimal(row["income"])} for row in frame.to_dicts()
    ],
    "arrow": arrow,
    "pandas": pandas,
    "pandas with nullable types": nullable,
    "pandas with time stamps": stamped,
    "in another order, with more": lambda frame: frame.select(reversed(frame.columns)).with_columns(more=pl.lit([1])),
    "names between blanks": lambda frame: frame.rename(lambda name: f" {name} "),
    "pandas, names between blanks": lambda frame: pandas(frame.rename(lambda name: f" {name} ")),
    "as texts": lambda frame: frame.with_columns(
        pl.exclude("owner").cast(pl.String).fill_null("NA"),
        owner=pl.when("owner").then(pl.lit("Yes")).otherwise(pl.lit("no")),
    ),
}


@pytest.mark.parametrize("algorithm", ["pocket", "averaged", "voted", "tree"])
@pytest.mark.parametrize("target", ["good", "of three"])
def test_all_tables_have_the_same_labels(tmp_path, target, algorithm):
    rule = rule_on(tmp_path, target, algorithm)
    labels = rule.predict(FRAME).tolist()
    assert labels == rule.model.predict(FRAME)
    assert rule.classes_.tolist() == sorted(set(FRAME[target]))
    assert set(labels) <= {*rule.classes_}
    right = np.mean([label == own for label, own in zip(labels, FRAME[target], strict=True)])
    assert rule.score(FRAME) == rule.score(FRAME, FRAME[target].to_list()) == right
    for name, made in TABLES.items():
        assert rule.predict(made(FRAME)).tolist() == labels, name


def test_scores_and_reasons(tmp_path):
    rule = rule_on(tmp_path, "good", "pocket")
    yes = rule.decision_function(pandas(FRAME)) > 0
    assert rule.classes_[yes.astype(int)].tolist() == rule.predict(FRAME).tolist()
    reasons = rule.explain(FRAME.to_dicts(), most=2)
    assert len(reasons) == 50
    assert all(0 < len(each) <= 2 for each in reasons)
    assert rule.weights_.shape == (1, rule.n_features_in_ + 1)
    assert rule.feature_names_in_.tolist() == ["income", "owner", "town", "since"]
    with pytest.raises(OptionError, match="PocketPerceptron has no predict_proba"):
        rule.predict_proba(FRAME)


def test_a_tree_has_shares_and_conditions(tmp_path):
    rule = rule_on(tmp_path, "good", "tree")
    shares = rule.predict_proba(FRAME)
    assert rule.classes_[shares.argmax(axis=1)].tolist() == rule.predict(FRAME).tolist()
    assert all(each for each in rule.explain(FRAME, most=1))


def test_what_is_no_such_table_is_refused(tmp_path):
    rule = rule_on(tmp_path, "good", "pocket")
    with pytest.raises(TableError, match="the table has no columns 'income', 'town'"):
        rule.predict(FRAME.drop("town", "income"))
    with pytest.raises(TableError, match="the table has no column 'town'; did you mean 'towns'"):
        rule.predict(pandas(FRAME.rename({"town": "towns"})))
    with pytest.raises(TableError, match=r"a pandas or Polars data frame, .* not ndarray"):
        rule.predict(np.zeros((3, 5)))
    with pytest.raises(TableError, match="row 2, column 'income': 'much' is not a number"):
        rule.predict(FRAME[:3].with_columns(income=pl.Series(["1", "much", "2"])))
    with pytest.raises(AttributeError, match="votes_"):
        _ = rule.votes_


def test_it_can_be_copied(tmp_path):
    rule = rule_on(tmp_path, "good", "pocket")
    assert pickle.loads(pickle.dumps(rule)).predict(FRAME).tolist() == rule.predict(FRAME).tolist()
    assert repr(rule).startswith("TableRule(PocketPerceptron(")
