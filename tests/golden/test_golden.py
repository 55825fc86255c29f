"""Files written by past versions load for ever, predict the same, and are written again to the last byte.

Golden files are only added, never changed: a file that no longer loads is a defect of the code.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rosenblatt
from rosenblatt.desk.load import load_model
from rosenblatt.desk.predict import predictions
from rosenblatt.desk.verifying.verify import claims_in, verified
from rosenblatt.read.sources import read_table
from rosenblatt.registry import NAMED
from rosenblatt.ship.file.modelfile import Model

HERE = Path(__file__).parent
TABLE = HERE / "table"
NUMBERED = HERE / "numbered"
DECIDED = ("decided", "guaranteed", "rated")  # with cut-offs and probabilities
EXPECTED = json.loads((HERE / "expected.json").read_text())


@pytest.mark.parametrize("name", EXPECTED)
def test_a_past_file_predicts_what_it_predicted(name):
    expected, rule = EXPECTED[name], load_model(HERE / "models" / f"{name}.json")
    assert type(rule) is getattr(rosenblatt, expected["estimator"])
    if expected["estimator"] == "OnlinePerceptron":
        labels = [rule.predict_one(row) for row in expected["rows"]]
        scores = [[rule.score_one(row)] for row in expected["rows"]]
    else:
        rows = np.array(expected["rows"], float)  # null is missing
        if hasattr(rule, "feature_names_in_"):
            rows = pd.DataFrame(rows, columns=rule.feature_names_in_)
        scored = rule.predict_proba if expected["estimator"] == "PerceptronTree" else rule.decision_function
        labels, scores = rule.predict(rows).tolist(), scored(rows)
        scores = [np.atleast_1d(row).tolist() for row in scores]
    assert labels == expected["labels"]
    past = [[float.fromhex(score) for score in row] for row in expected["scores"]]
    assert (
        np.sign(scores).tolist() == np.sign(past).tolist()
    )  # which is exact; how far from zero depends on the machine
    np.testing.assert_allclose(scores, past, rtol=1e-12)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_past_file_is_written_again_to_the_last_byte(name, tmp_path):
    path = HERE / "models" / f"{name}.json"
    Model.load(path).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_there_is_a_file_of_every_estimator_and_an_expectation_for_every_file():
    assert {expected["estimator"] for expected in EXPECTED.values()} == set(NAMED)
    assert {path.stem for path in (HERE / "models").iterdir()} == set(EXPECTED)


def test_the_files_hold_the_numbers_that_are_easily_lost():
    rule = load_model(HERE / "models" / "perceptron.json")
    assert np.signbit(rule.start[1])
    assert rule.start[2] == 1e-320
    assert rule.feature_names_in_.tolist() == ["income, net", "Größe", '"x"']


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("model.json", "expected.csv"),
        ("tree.json", "tree_expected.csv"),
        ("few_columns.json", "few_columns_expected.csv"),
        *((f"{name}.json", f"{name}_expected.csv") for name in DECIDED),
    ],
)
def test_a_past_model_of_a_table_decides_as_it_did_to_the_last_byte(name, expected):
    model, table = Model.load(TABLE / name), read_table(TABLE / "applications.csv")
    decided = predictions(model, table, reasons_wanted=2).collect()
    without = decided.select(name for name in decided.columns if name != "points")  # which is younger than the files
    assert without.write_csv() == (TABLE / expected).read_text("utf-8")


@pytest.mark.parametrize(
    "name",
    ["model", "tree", "proof", "weighted_pocket", "weighted_tree", "soft_margin", "profiled", "few_columns", *DECIDED],
)
def test_past_claims_hold_and_are_written_again_to_the_last_byte(name, tmp_path):
    name = f"{name}.json"
    claims = claims_in(str(TABLE / name))
    assert all(result.holds is not False for result in verified(claims, read_table(TABLE / "applications.csv"), None))
    claims.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (TABLE / name).read_bytes()


@pytest.mark.parametrize("name", ["model", "tree"])
def test_a_past_model_of_numbered_features_decides_as_it_did_and_its_claims_hold(name, tmp_path):
    path, rows = NUMBERED / f"{name}.json", NUMBERED / "rows.libsvm"
    model = Model.load(path)
    tables = [read_table(NUMBERED / "others.libsvm"), read_table(rows)]  # some with numbers that were never seen
    decided = pl.concat([predictions(model, table).collect() for table in tables]).write_csv()
    assert decided == (NUMBERED / f"{name}_expected.csv").read_text()
    assert all(result.holds is not False for result in verified(model, read_table(rows), None))
    model.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("path", sorted((HERE / "certificates").glob("*/*.json")), ids=lambda path: path.stem)
def test_a_past_certificate_verifies_and_is_written_again_to_the_last_byte(path):
    certificate = claims_in(str(path))
    assert all(result.holds for result in verified(certificate, read_table(path.with_name("points.csv")), "label"))
    assert certificate.to_json() + "\n" == path.read_text()


@pytest.mark.parametrize(
    "name", ["margin", "voted", "kernel", "pa", "joint_auto", "joint_averaged", "decided", "guaranteed", "led"]
)
def test_a_past_model_of_words_and_three_classes_decides_as_it_did_and_its_claims_hold(name, tmp_path):
    path, table = HERE / "classes" / f"{name}.json", read_table(HERE / "classes" / "letters.csv")
    model = Model.load(path)
    expected = pl.read_csv(HERE / "classes" / f"{name}_expected.csv")
    decided = predictions(model, table).collect()
    assert decided.columns == expected.columns
    assert decided["label"].to_list() == expected["label"].to_list()
    np.testing.assert_allclose(decided.drop("label").to_numpy(), expected.drop("label").to_numpy(), rtol=1e-12)
    assert all(result.holds is not False for result in verified(model, table, None))
    model.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_a_past_proof_about_three_classes_holds_and_is_written_again_to_the_last_byte(tmp_path):
    path = HERE / "classes" / "proof.json"
    proof = claims_in(str(path))
    assert {label for label, _ in proof.claims} == {None}
    assert all(result.holds for result in verified(proof, read_table(HERE / "classes" / "letters.csv"), None))
    proof.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
