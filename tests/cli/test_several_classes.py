"""A table of three classes from check to export: one verdict, one rule, the same labels everywhere."""

import json
import sqlite3
import sys

import polars as pl
import pytest
from sklearn.datasets import load_iris

from cli.running import rows_of, run


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    """The table, in a folder with models learned from all of it."""
    folder, data = tmp_path_factory.mktemp("iris"), load_iris()
    names = [str(data.target_names[k]) for k in data.target]
    columns = ["sepal length", "sepal width", "petal length", "petal width"]
    table = pl.DataFrame(data.data, schema=columns).with_columns(pl.Series("species", names))
    table.write_csv(folder / "iris.csv")
    for scheme in ("joint", "one-vs-rest", "one-vs-one"):
        out = folder / f"{scheme}.json"
        ran = run(
            "fit", folder / "iris.csv", "-t", "species", "-a", "fewest-mistakes", "--hold-out", "0", "--set",
            f"multi_class={scheme}", "-o", out,
        )  # fmt: skip
        assert ran.code == 0
    assert run("fit", folder / "iris.csv", "-t", "species", "--hold-out", "0", "-o", folder / "auto.json").code == 0
    return folder


def test_the_default_rule_is_compared_judged_proved_and_verified(iris, tmp_path):
    model = tmp_path / "m.json"
    told = run("fit", iris / "iris.csv", "-t", "species", "-o", model, "--json").record
    assert told["algorithm"] == "cv"
    assert told["why"].startswith("it aims at few errors on new rows; the rows are proved ")
    assert "(one class for every row errs on 6" in told["stop_reason"]
    assert told["proved"]
    assert told["error"]["mistakes"] < 5
    ran = run("verify", model, iris / "iris.csv")
    assert ran.code == 0, ran


def test_the_verdict_is_one_about_all_classes(iris, tmp_path):
    ran = run("check", iris / "iris.csv", "-t", "species", "-o", tmp_path / "p.json", "--json")
    assert ran.code == 1
    (finding,) = ran.record["findings"]
    assert finding["class"] is None
    assert ran.record["separable"] == [False]
    assert finding["fewest_mistakes"] == {"lower": 1, "upper": 1}
    assert {row["rival"] for row in finding["contradiction"]} <= {"setosa", "versicolor", "virginica"}
    assert all(row["rival"] != row["cells"]["species"] for row in finding["contradiction"])
    assert run("verify", tmp_path / "p.json", iris / "iris.csv").code == 0
    told = run("check", iris / "iris.csv", "-t", "species").out
    assert "Not separable: no linear scores, one for each class, are right on every row." in told
    assert "against" in told
    assert "A rule with 1 mistake was found, which is the fewest possible." in told


def test_a_table_that_scores_separate_has_a_margin(tmp_path):
    (tmp_path / "t.csv").write_text(
        "x,y\n" + "".join(f"{k * k % 31 + k},{'abc'[(k * k % 31 + k) // 21]}\n" for k in range(30))
    )
    ran = run("check", tmp_path / "t.csv", "-t", "y")
    assert ran.code == 0
    assert "Separable: linear scores, one for each class, are right on every row." in ran.out
    assert "The longest signed row has length " in ran.out


def test_the_joint_rule_makes_the_one_mistake_that_must_be_and_that_is_proved_and_verified(iris):
    ran = run("verify", iris / "joint.json", iris / "iris.csv", "--json")
    assert ran.code == 0
    told = {claim["claim"]: claim for claim in ran.record["claims"]}
    assert told["mistakes on the rows learned from"]["by"] == "exact arithmetic"
    assert "The rule of 3 classes makes 1 mistake on 150 rows, which is the fewest possible." in str(told)
    assert {"joint contradiction", "joint error interval", "mistakes", "cost"} <= set(told)


@pytest.mark.parametrize("scheme", ["one-vs-rest", "one-vs-one"])
def test_other_schemes_are_verified_too(iris, scheme):
    ran = run("verify", iris / f"{scheme}.json", iris / "iris.csv")
    assert ran.code == 0
    assert "counted by predict" in ran.out


@pytest.mark.parametrize(("model", "most"), [("joint.json", 1), ("auto.json", 5)])
def test_every_export_of_a_joint_rule_gives_the_same_labels(model, most, iris, tmp_path):
    predicted = [row["label"] for row in rows_of(run("predict", iris / model, iris / "iris.csv").out)]
    frame = pl.read_csv(iris / "iris.csv")
    assert 1 <= sum(a != b for a, b in zip(predicted, frame["species"], strict=True)) <= most
    sql = run("export", iris / model, "--to", "sql", "--table", "iris").out
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE iris (" + ", ".join(f'"{name}"' for name in frame.columns) + ")")
        base.executemany("INSERT INTO iris VALUES (?, ?, ?, ?, ?)", frame.rows())
        ran = base.execute(sql.rstrip().rstrip(";"))
        place = [column[0] for column in ran.description].index("label")
        assert [row[place] for row in ran.fetchall()] == predicted
    (tmp_path / "rule.py").write_text(run("export", iris / model, "--to", "python").out)
    sys.path.insert(0, str(tmp_path))
    try:
        import rule

        assert [rule.predict(row) for row in frame.drop("species").to_dicts()] == predicted
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("rule", None)


@pytest.mark.parametrize("to", ["sql", "python", "onnx", "pmml"])
def test_one_vs_one_rules_predict_but_are_not_exported(iris, to, tmp_path):
    ran = run("export", iris / "one-vs-one.json", "--to", to, "-o", tmp_path / "out")
    assert ran.code != 0
    assert "one-vs-one rules vote, so they are not a sum of points" in ran.err
    assert len(rows_of(run("predict", iris / "one-vs-one.json", iris / "iris.csv").out)) == 150
    assert run("export", iris / "one-vs-one.json", "--to", "json", "-o", tmp_path / "again.json").code == 0


def test_another_rule_under_the_proof_is_noticed(iris, tmp_path):
    from cli.one_line import changed

    record = json.loads((iris / "joint.json").read_text("utf-8"))
    record["learned"]["weights"][0][0] *= 1.5
    (tmp_path / "m.json").write_text(changed(json.dumps(record)))
    ran = run("verify", tmp_path / "m.json", iris / "iris.csv")
    assert ran.code == 1
    assert "the certificate is about a different rule" in ran.out


def test_a_report_tells_of_all_classes(iris, tmp_path):
    out = tmp_path / "r.html"
    assert run("report", iris / "iris.csv", "-t", "species", "--hold-out", "0", "-o", out).code == 0
    page = out.read_text("utf-8")
    assert "No linear scores of 3 classes choose the right one on every row" in page
    assert "the demands of the rows on the scores" in page
