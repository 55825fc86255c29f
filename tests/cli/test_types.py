"""Yes and no as a database types them, values that are not known, and small options of the commands."""

import csv

import polars as pl
import pytest

from cli.running import rows_of, run

OWNER = ["Yes", "No"]


@pytest.fixture(scope="module")
def applications(tmp_path_factory):
    """A table with Yes and No, a town, an income and an identifier; and a rule learned from it."""
    folder = tmp_path_factory.mktemp("types")
    rows = [
        {
            "rownames": k + 1,
            "owner": OWNER[k % 3 > 0],
            "town": ["Rome", "Oslo", "Bern"][k // 7 % 3],
            "income": (k * 37 % 101) / 4,
            "approved": ["no", "yes"][(k % 3 == 0) + (k * 37 % 101) / 20 + (k % 11 == 0) > 3],
        }
        for k in range(120)
    ]
    pl.DataFrame(rows).write_csv(folder / "a.csv")
    options = ("-t", "approved", "-a", "averaged", "--max-passes", "5", "--hold-out", "0", "--no-prove")
    ran = run("fit", folder / "a.csv", *options, "-o", folder / "m.json")
    assert ran.code == 0
    assert "'rownames' is left out: identifier" in ran.err
    return folder


def labels(folder, table, *options):
    ran = run("predict", folder / "m.json", table, *options)
    assert ran.code == 0, ran
    return [row["label"] for row in csv.DictReader(ran.out.splitlines())], ran.err


def test_a_parquet_file_with_booleans(applications):
    expected, noted = labels(applications, applications / "a.csv")
    assert "no name" not in noted
    assert len(set(expected)) == 2
    typed = pl.read_csv(applications / "a.csv").with_columns(
        pl.col("owner") == "Yes", pl.col("approved") == "yes", pl.col("town").cast(pl.Categorical)
    )
    typed.write_parquet(applications / "typed.parquet")
    assert labels(applications, applications / "typed.parquet")[0] == expected
    tables = [applications / "a.csv", applications / "typed.parquet"]
    told = [run("predict", applications / "m.json", table, "--judge").err for table in tables]
    by_csv, by_parquet = (text.split("rows in this table")[0].split("\n")[-1] for text in told)
    assert by_csv == by_parquet != ""
    assert run("verify", applications / "m.json", applications / "typed.parquet").code == 0


def test_values_that_are_not_known_are_counted(applications, tmp_path):
    table = pl.read_csv(applications / "a.csv").with_columns(
        town=pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("Paris")).otherwise("town"),
        owner=pl.when(pl.int_range(pl.len()) == 5).then(pl.lit("perhaps")).otherwise("owner"),
    )
    table.write_csv(tmp_path / "new.csv")
    _, noted = labels(applications, tmp_path / "new.csv")
    assert "note: 'town': 3 cells hold values that the rule does not know, such as 'Paris'" in noted
    assert "note: 'owner': 1 cell holds a value that the rule does not know, 'perhaps'" in noted
    ran = run("predict", applications / "m.json", tmp_path / "new.csv", "-o", tmp_path / "p.csv", "--json", "-q")
    assert ran.record["unseen"] == [
        {"column": "owner", "cells": 1, "example": "perhaps"},
        {"column": "town", "cells": 3, "example": "Paris"},
    ]


def test_points_stand_beside_reasons(applications):
    ran = run("predict", applications / "m.json", applications / "a.csv", "--reasons", "2", "-q")
    rows = list(csv.DictReader(ran.out.splitlines()))
    assert list(rows[0]) == ["label", "score", "points", "reason 1", "reason 2"]
    factor = run("explain", applications / "m.json", "--json").record["card"]["factor"]
    for row in rows:
        assert float(row["points"]) == pytest.approx(float(row["score"]) * factor)
        assert row["reason 1"]


def test_columns_to_ignore(applications, tmp_path):
    for command in ("fit", "check"):
        ran = run(
            command, applications / "a.csv", "-t", "approved", "--ignore", "income", "--ignore", "town",
            "--json", "-o", tmp_path / f"{command}.json", "--seconds", "1", "-q",
        )  # fmt: skip
        used = {column["name"]: column["kind"] for column in ran.record["columns"]}
        assert used == {"rownames": "ignore", "owner": "yes/no", "town": "ignore", "income": "ignore"}


def test_a_report_with_costs(applications, tmp_path):
    pytest.importorskip("matplotlib")
    common = ("-t", "approved", "-a", "pocket", "--seconds", "1", "-q", "--json")
    costs = ("--class-weight", "yes=20", "--class-weight", "no=1", "--weights", "income")
    ran = run("report", applications / "a.csv", *common, *costs, "-o", tmp_path / "r.html")
    fitted = run("fit", applications / "a.csv", *common, *costs, "-o", tmp_path / "m.json")
    assert ran.code == 0
    assert ran.record["trained_mistakes"] == fitted.record["trained_mistakes"]
    assert ran.record["costs"]["weights"] == "income"
    assert run("verify", tmp_path / "r.json", applications / "a.csv").code == 0
    assert run("report", applications / "a.csv", *common, "--class-weight", "x", "-o", tmp_path / "s.html").code == 2


def test_verify_leaves_out_what_fit_left_out(applications, tmp_path):
    text = (applications / "a.csv").read_text() + "121,Yes,Rome,3,\n"
    (tmp_path / "gap.csv").write_text(text)
    options = ("-t", "approved", "-a", "pocket", "--max-passes", "3", "--seconds", "1", "-q", "--drop-missing-target")
    assert run("fit", tmp_path / "gap.csv", *options, "-o", tmp_path / "m.json").code == 0
    assert run("verify", tmp_path / "m.json", tmp_path / "gap.csv", "-q").code == 0


def test_a_tree_of_one_node(tmp_path):
    rows = "".join(f"{k % 2}.5,{'ab'[k % 10 == 0]}\n{k % 2},a\n" for k in range(40))
    (tmp_path / "flat.csv").write_text(f"x,y\n{rows}")
    ran = run("fit", tmp_path / "flat.csv", "-t", "y", "-a", "tree", "--set", "prune=1.0", "-o", tmp_path / "m.json")
    assert "The tree has one node: it is a leaf." in ran.out


def test_warnings_are_in_words_of_the_table(applications, tmp_path):
    options = ("-t", "approved", "-a", "perceptron", "--max-passes", "1", "--seconds", "1", "--no-prove")
    ran = run("fit", applications / "a.csv", *options, "-o", tmp_path / "m.json")
    assert "(yes against no)" in ran.err
    assert "StandardScaler" not in ran.err
    assert "--max-passes" in ran.err


def test_kept_columns_are_copied_as_they_are_written(tmp_path):
    lines = ["zip, income ,y", *(f"{k:05d},{k % 7}.50,{'no' if k % 7 < 3 else 'yes'}" for k in range(90, 150))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    assert run("fit", tmp_path / "t.csv", "-t", "y", "--kind", "zip=number", "-o", tmp_path / "m.json").code == 0
    plain = rows_of(run("predict", tmp_path / "m.json", tmp_path / "t.csv").out)
    for keep in (("--keep", "zip", "--keep", "income"), ("--keep", "all")):
        kept = rows_of(run("predict", tmp_path / "m.json", tmp_path / "t.csv", *keep, "--reasons", "1").out)
        assert [row["zip"] for row in kept] == [f"{k:05d}" for k in range(90, 150)]
        assert [row["income"] for row in kept] == [f"{k % 7}.50" for k in range(90, 150)]
        assert [(row["label"], row["score"]) for row in kept] == [(row["label"], row["score"]) for row in plain]
