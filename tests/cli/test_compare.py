"""Compare: two rules on the same rows, rows that either was learned from, costs, and the rows where they differ."""

import csv
import json

import numpy as np
import pytest

from cli.one_line import BAD, USAGE, changed, check_one_line
from cli.running import loans, run
from rosenblatt.desk import compare as desk_compare
from rosenblatt.desk.split import HoldOut
from rosenblatt.judge import binomial
from rosenblatt.judge.decision import UNDECIDED
from rosenblatt.read.sources import read_table
from rosenblatt.ship.file.modelfile import Model

LEARNED = 80 - int(HoldOut(0.2, 0)(0, 80).sum())  # of 80 rows


def compared(*arguments, code=0):
    ran = run("compare", *arguments, "--json")
    assert ran.code == code, ran
    return ran.record


def labels(model, table):
    ran = run("predict", model, table)
    return np.array([row["label"] for row in csv.DictReader(ran.out.splitlines())])


def targets(table, name="approved"):
    with open(table) as file:
        return np.array([row[name] for row in csv.DictReader(file)])


def test_the_counts_are_those_of_the_labels(desk):
    found = compared(desk["noisy.json"], desk["kernel.json"], desk["clean.csv"])
    one, two, so = (
        *(labels(desk[name], desk["clean.csv"]) for name in ("noisy.json", "kernel.json")),
        targets(desk["clean.csv"]),
    )
    right, other = one == so, two == so
    assert found["counts"] == {
        "both_right": (right & other).sum(),
        "only_a_right": (right & ~other).sum(),
        "only_b_right": (~right & other).sum(),
        "both_wrong": (~right & ~other).sum(),
    }
    assert found["p_value"] == binomial.sign_p_value(int((right & ~other).sum()), int((~right & other).sum()))
    assert [side["mistakes"] for side in found["sides"]] == [(~right).sum(), (~other).sum()]
    assert [(side["lower"], side["upper"]) for side in found["sides"]] == [
        binomial.interval(int(each.sum()), so.size) for each in (~right, ~other)
    ]
    assert found["differ"] == (one != two).sum() == sum(kind["rows"] for kind in found["kinds"])
    assert found["first_rows"][0]["row"] == np.flatnonzero(one != two)[0] + 1


def test_rows_that_a_rule_was_learned_from_are_said_and_left_out(here):
    assert run("fit", "noisy.csv", "-t", "approved", "-a", "averaged", "-o", "other.json", "--seed", "5").code == 0
    found = compared("noisy.json", "other.json", "noisy.csv")
    out = [HoldOut(0.2, seed)(0, 80) for seed in (0, 5)]
    assert [side["learned"] for side in found["sides"]] == [(~each).sum() for each in out]
    assert len(found["cautions"]) == 2
    fair = compared("noisy.json", "other.json", "noisy.csv", "--held-out")
    assert fair["rows"] == (out[0] & out[1]).sum() > 0
    assert fair["cautions"] == []
    so, rows = targets("noisy.csv"), out[0] & out[1]
    assert fair["sides"][0]["mistakes"] == (labels("noisy.json", "noisy.csv") != so)[rows].sum()
    assert compared("noisy.json", "other.json", "clean.csv")["cautions"] == []  # another table
    (here / "fewer.csv").write_text("".join(loans(80, wrong=7).splitlines(keepends=True)[:80]))
    assert compared("noisy.json", "other.json", "fewer.csv")["cautions"] == []  # the same, but for its last row
    text = run("compare", "noisy.json", "other.json", "noisy.csv").out
    assert f"A was learned from {LEARNED} of these 80 rows, which flatters it. Use --held-out, or other rows." in text


def test_held_out_rows_are_known_of_trees_and_sparse_tables_and_without_a_target(here):
    text = loans(80, wrong=7).splitlines(keepends=True)
    text.insert(5, "30,2000,cook,yes,2012-01-10,\n")
    (here / "gaps.csv").write_text("".join(text))
    for name, algorithm in (("one", "tree"), ("two", "averaged")):
        fit = ("fit", "gaps.csv", "-t", "approved", "-a", algorithm, "-o", f"{name}.json", "--drop-missing-target")
        assert run(*fit).code == 0
    found = compared("one.json", "two.json", "gaps.csv", "--held-out")
    assert (found["rows"], found["unlabelled"]) == (HoldOut(0.2, 0)(0, 80).sum(), 1)
    whole = compared("one.json", "two.json", "gaps.csv")
    assert [side["learned"] for side in whole["sides"]] == [LEARNED, LEARNED]
    assert whole["rows"] == 80
    assert run("fit", "sparse.libsvm", "-t", "label", "-a", "tree", "-o", "numbered.json").code == 0
    sparse = compared("sparse.json", "numbered.json", "sparse.libsvm", "--held-out", "-o", "numbered.csv")
    assert sparse["rows"] == HoldOut(0.2, 0)(0, 40).sum()
    assert (here / "numbered.csv").read_text().startswith("row,label A,label B,score A,score B,label\n")


def test_a_table_in_small_blocks_is_compared_as_a_whole(here, monkeypatch):
    from rosenblatt.rules.tree import TreeRule

    assert run("fit", "noisy.csv", "-t", "approved", "-a", "tree", "-o", "tree.json").code == 0
    whole = compared("noisy.json", "tree.json", "noisy.csv", "--cost", "no=3", "-o", "whole.csv")
    monkeypatch.setattr(TreeRule, "rows_at_once", lambda self, encoding: 7)
    parts = compared("noisy.json", "tree.json", "noisy.csv", "--cost", "no=3", "-o", "parts.csv")
    assert parts.pop("output") != whole.pop("output")
    for end in ("lower", "upper"):  # sums of parts are rounded otherwise
        assert parts["costs"].pop(end) == pytest.approx(whole["costs"].pop(end))
    assert parts == whole
    assert (here / "parts.csv").read_text() == (here / "whole.csv").read_text()


def test_the_rows_where_they_differ_are_written(here):
    found = compared("noisy.json", "kernel.json", "clean.csv", "-o", "d.csv")
    one, two = labels("noisy.json", "clean.csv"), labels("kernel.json", "clean.csv")
    with open("d.csv") as file:
        written = list(csv.DictReader(file))
    rows = np.flatnonzero(one != two)
    assert [int(row["row"]) for row in written] == (rows + 1).tolist()
    assert [row["label A"] for row in written] == one[rows].tolist()
    assert [row["label B"] for row in written] == two[rows].tolist()
    with open("clean.csv") as file:
        table = list(csv.DictReader(file))
    assert [row["job"] for row in written] == [table[k]["job"] for k in rows]
    assert found["output"] == "d.csv"


def test_the_yes_may_be_another_one_and_columns_may_be_read_otherwise(here):
    fit = ("fit", "noisy.csv", "-t", "approved", "-a", "averaged", "-o")
    assert run(*fit, "no.json", "--positive", "no", "--kind", "age=category", "--ignore", "job").code == 0
    assert run(*fit, "yes.json").code == 0
    found = compared("yes.json", "no.json", "noisy.csv")
    so = targets("noisy.csv")
    assert [side["mistakes"] for side in found["sides"]] == [
        (labels(f"{name}.json", "noisy.csv") != so).sum() for name in ("yes", "no")
    ]
    assert [side["learned"] for side in found["sides"]] == [LEARNED, LEARNED]


def test_costs_are_given_or_those_of_learning(here):
    fit = ("fit", "noisy.csv", "-t", "approved", "-a", "averaged", "--no-prove")
    assert run(*fit, "--class-weight", "no=3", "-o", "three.json").code == 0
    assert run(*fit, "--class-weight", "no=3", "--max-passes", "2", "-o", "also.json").code == 0
    so = targets("clean.csv")
    wrong = labels("three.json", "clean.csv") != so

    def cost(no, yes):
        return pytest.approx((wrong & (so == "no")).sum() * no + (wrong & (so == "yes")).sum() * yes)

    assert compared("three.json", "also.json", "clean.csv")["costs"]["first"] == cost(3, 1)
    assert compared("three.json", "also.json", "clean.csv", "--cost", "yes=7")["costs"]["first"] == cost(1, 7)
    ran = run("compare", "three.json", "noisy.json", "clean.csv", "--json")
    assert ran.record["costs"]["first"] == wrong.sum()
    assert "note: the rules were learned with different costs" in ran.err
    priced = compared("three.json", "also.json", "clean.csv", "--weights", "age", "--cost", "no=2")["costs"]
    ages = targets("clean.csv", "age").astype(float)
    assert priced["first"] == pytest.approx((wrong * ages * np.where(so == "no", 2, 1)).sum())
    assert priced["prices"] == "a mistake costs the row's age, times 2 for no, 1 for yes"


def test_several_classes(here):
    assert run("fit", "grades.csv", "-t", "grade", "-a", "tree", "-o", "tree.json").code == 0
    found = compared("grades.json", "tree.json", "grades.csv", "--report", "page.html")
    so = targets("grades.csv", "grade")
    assert [side["mistakes"] for side in found["sides"]] == [
        (labels(f"{name}.json", "grades.csv") != so).sum() for name in ("grades", "tree")
    ]
    page = (here / "page.html").read_text("utf-8")
    assert found["verdict"].replace("'", "&#x27;") in page
    assert not any(outside in page for outside in ("<script", "http://", "https://", "<link", "<img"))


def test_rows_left_to_a_person_are_neither_right_nor_wrong(here, monkeypatch):
    real = desk_compare.codes_and_scores

    def said(model, X):
        codes, scores = real(model, X)
        return np.where(np.abs(scores) < np.median(np.abs(scores)), UNDECIDED, codes), scores

    pair = desk_compare.contenders(("a", "b"), (Model.load("noisy.json"), Model.load("voted.json")))
    plain = desk_compare.side_by_side(pair, read_table("clean.csv"))
    monkeypatch.setattr(desk_compare, "codes_and_scores", said)
    found = desk_compare.side_by_side(pair, read_table("clean.csv"))
    assert [side.rows for side in found.sides] == [80, 80]
    assert all(30 < side.decided < 50 for side in found.sides)
    assert "and leaves " in found.sides[0].statement
    assert found.comparison.rows <= min(side.decided for side in found.sides)
    assert sum(count for _, count in found.counts) == found.comparison.rows < plain.comparison.rows
    assert any("ask a person" in (kind.first, kind.second) for kind in found.kinds)
    monkeypatch.setattr(
        desk_compare, "codes_and_scores", lambda model, X: (np.full(len(X), UNDECIDED), np.zeros(len(X)))
    )
    none = desk_compare.side_by_side(pair, read_table("clean.csv"))
    assert none.verdict == "There is no row that both rules decide."
    assert desk_compare.as_record(none)["compared"] is None


def renamed(text):
    record = json.loads(text)
    record["encoding"]["target"]["name"] = "accepted"
    return changed(json.dumps(record))


def with_other_classes(text):
    record = json.loads(text)
    record["encoding"]["target"]["classes"] = ["no", "maybe"]
    return changed(json.dumps(record))


HEAD = "age,income,job,owner,since,approved\n"
ERRORS = {
    "another target": (
        "compare clean.json b.json clean.csv", BAD,
        "clean.json predicts 'approved', but b.json predicts 'accepted': compare rules for the same target",
        ("b.json", lambda texts: renamed(texts["noisy.json"])),
    ),
    "other classes": (
        "compare clean.json b.json clean.csv", BAD,
        "clean.json has the classes no, yes, but b.json has no, maybe",
        ("b.json", lambda texts: with_other_classes(texts["noisy.json"])),
    ),
    "no target": (
        "compare clean.json noisy.json b.csv", BAD, "b.csv: there is no target column 'approved' to judge by",
        ("b.csv", "age,income,job,owner,since\n20,1000,cook,yes,2012-01-10\n"),
    ),
    "no label": (
        "compare clean.json noisy.json b.csv", BAD, "b.csv: no row has a value of 'approved' to judge by",
        ("b.csv", "age,income,job,owner,since,approved\n20,1000,cook,yes,2012-01-10,\n"),
    ),
    "another label": (
        "compare clean.json noisy.json b.csv", BAD,
        "b.csv: row 2: 'maybe' is not a class of the target 'approved', which has no, yes",
        ("b.csv", HEAD + "20,1000,cook,yes,2012-01-10,yes\n20,1000,cook,yes,2012-01-10,maybe\n"),
    ),
    "a missing column": (
        "compare clean.json noisy.json b.csv", BAD, "b.csv: the table has no columns? .*'job'.*",
        ("b.csv", "age,income,owner,since,approved\n20,1000,yes,2012-01-10,yes\n"),
    ),
    "rows held out of another table": (
        "compare clean.json noisy.json clean.csv --held-out", BAD,
        "clean.csv: not the table that noisy.json was learned from, so its held-out rows are unknown; .*", None,
    ),
    "a cost of no class": (
        "compare clean.json noisy.json clean.csv --cost yse=2", USAGE,
        "--cost names the class 'yse', which the rules do not have; did you mean 'yes'[?]", None,
    ),
    "a cost that is none": (
        "compare clean.json noisy.json clean.csv --cost yes=much", USAGE,
        "--cost needs CLASS=COST, as in --cost yes=5, not 'yes=much'", None,
    ),
    "weights that are not there": (
        "compare clean.json noisy.json clean.csv --weights agee", USAGE,
        "there is no column 'agee' for the weights; did you mean 'age'[?]", None,
    ),
    "a format that is none": (
        "compare clean.json noisy.json clean.csv -o d.xls", USAGE, "d.xls: the name must end in one of .*", None,
    ),
    "a column called row": (
        "compare clean.json noisy.json b.csv -o d.csv", USAGE,
        "the table has a column 'row', a name that the file of differences needs: rename the column",
        ("b.csv", "row,age,income,job,owner,since,approved\n1,20,1000,cook,yes,2012-01-10,yes\n"),
    ),
    "numbered features": (
        "compare clean.json sparse.json clean.csv", BAD,
        "clean.json predicts 'approved', but sparse.json predicts 'label': compare rules for the same target", None,
    ),
    "a proof": ("compare clean.json proof.json clean.csv", BAD, "proof.json: it is JSON, but not .*", None),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case, here):
    *typed, file = ERRORS[case]
    check_one_line(here, tuple(typed), file)


def test_rows_of_cross_validation_were_all_learned_from(here):
    for name, seed in (("one", 1), ("two", 2)):
        fit = ("fit", "noisy.csv", "-t", "approved", "-a", "averaged", "--folds", "3", "-o", f"{name}.json")
        assert run(*fit, "--seed", seed).code == 0
    assert compared("one.json", "two.json", "noisy.csv")["cautions"] == [
        f"{letter} was learned from all these 80 rows, which flatters it." for letter in "AB"
    ]
    case = ("compare one.json two.json noisy.csv --held-out", BAD, "noisy.csv: no row was held out from both rules; .*")
    check_one_line(here, case)
