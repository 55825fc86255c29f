"""--most-columns, from the table to the page: few columns, chosen honestly, said everywhere, and checked."""

import json
import sqlite3
from copy import deepcopy

import pytest

from cli.one_line import BAD, changed, check_one_line
from cli.running import run

COLUMNS = ["income", "debts", "job", "phone", "since", "noise", "remark"]
STEM = ("fit", "-t", "granted", "--positive", "yes", "--json", "--most-columns")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Loans: the job and the debts decide nearly alone; a remark is free text."""
    folder = tmp_path_factory.mktemp("few")
    rows = []
    for k in range(240):
        income, debts, job = k * 37 % 101, k * 17 % 23, "abcd"[k * 13 % 7 % 4]
        yes = {"a": 30, "b": 0, "c": -10, "d": 12}[job] - 2 * debts + income / 10 + (k * 29 % 11) > 5
        missing = "" if k % 19 == 5 else income
        remark = f"paid {('late', 'in time', 'twice')[k % 3]} {('so far', 'and then', 'as told', 'at last')[k % 4]}"
        since = f"20{k % 20:02d}-01-0{k % 9 + 1}"
        rows.append(f"{missing},{debts},{job},{'yn'[k % 2]},{since},{k * 7919 % 97},{remark},{'yes' if yes else 'no'}")
    (folder / "loans.csv").write_text(",".join([*COLUMNS, "granted"]) + "\n" + "\n".join(rows) + "\n")
    return folder


@pytest.fixture(scope="module")
def fitted(here):
    ran = run(*STEM, "2", here / "loans.csv", "-o", here / "m.json")
    assert ran.code == 0, ran.err
    return ran


def record(here, name="m.json"):
    return json.loads((here / name).read_text())


def test_the_rule_uses_few_columns_and_every_record_says_so(here, fitted):
    found = fitted.record["few_columns"]
    assert [column["name"] for column in fitted.record["columns"]] == COLUMNS  # all that were read
    assert found["added"] == ["job", "debts"]
    assert found["used"] == 2
    assert found["of"] == 7
    assert found["error"][1] < found["error"][0]
    kept = record(here)
    assert kept["learned"]["choice"]["columns"]["names"] == ["job", "debts"]
    assert kept["parameters"]["most_columns"] == 2
    kinds = {column["name"]: column["kind"] for column in kept["encoding"]["columns"]}
    assert [name for name in COLUMNS if kinds[name] != "ignore"] == ["debts", "job"]
    assert kept["features"] == len(kept["learned"]["weights"][0]) - 1 == 5
    told = run("explain", here / "m.json", "--json").record
    assert told["few_columns"] == found
    words = run("explain", here / "m.json", columns=200).out
    assert "The rule uses 2 columns of 7: of rules of 1 to 2 columns, one of 2 errs least" in words
    assert "2 (used)" in words
    assert "all 7" in words


def test_fit_shows_the_errors_of_rules_of_one_column_of_two_and_so_on(here):
    ran = run(*STEM[:5], "--most-columns", "4", here / "loans.csv", "-o", here / "shown.json", columns=160)
    lines = [line.split() for line in ran.out.splitlines()]
    start = lines.index(["columns", "error", "added"]) + 2
    path = record(here, "shown.json")["learned"]["choice"]["columns"]
    assert [line[0] for line in lines[start : start + 5]] == ["1", "2", "3", "4", "all"]
    assert [line[-1] for line in lines[start : start + 4]] == path["names"]
    assert [line[-2] for line in lines[start : start + 4]] == [f"{error:.1%}" for error in path["error"]]


def test_its_claims_are_checked(here, fitted):
    checked = run("verify", here / "m.json", here / "loans.csv", "--json")
    assert checked.code == 0
    claims = {claim["claim"]: claim for claim in checked.record["claims"]}
    assert claims["columns"]["statement"] == "The rule uses no columns but job, debts."
    told = run("verify", here / "m.json", here / "loans.csv", columns=400).out
    unchecked = next(line for line in told.splitlines() if line.startswith("not checked: A table cannot show"))
    assert "the errors of rules of other numbers of columns" in unchecked


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("names", ["income", "debts"], "the weights use columns that the rule may not use"),
        ("names", [], ".*columns must name columns, each once, of those to choose from"),
        ("names", ["job", "job"], ".*columns must name columns, each once, .*"),
        ("of", 1, ".*columns must name columns, each once, .*"),
        ("error", [0.1], ".*columns must have an error and its noise for every number of columns, or none"),
        ("noise", [0.1, -1.0], ".*noise.*"),
        ("all_error", 2.0, ".*all_error.*"),
    ],
)
def test_a_file_that_says_otherwise_is_refused(here, fitted, field, value, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    learned = deepcopy(record(here)["learned"])
    learned["choice"]["columns"][field] = value

    (tmp_path / "forged.json").write_text(changed((here / "m.json").read_text(), learned=learned))
    check_one_line(tmp_path, ("explain forged.json", BAD, f"forged.json: {says}"))


def test_tables_need_the_columns_in_use_only(here, fitted):
    whole = (here / "loans.csv").read_text().splitlines()
    two = [",".join([line.split(",")[2], line.split(",")[1]]) for line in whole]
    (here / "two.csv").write_text("\n".join(two) + "\n")
    few, all_of_them = (run("predict", here / "m.json", here / name) for name in ("two.csv", "loans.csv"))
    assert few.code == all_of_them.code == 0
    assert few.out == all_of_them.out
    sql = run("export", here / "m.json", "--to", "sql").out
    assert not [name for name in COLUMNS if f'"{name}"' in sql and name not in ("job", "debts")]
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE loans (job TEXT, debts TEXT)")
        base.executemany("INSERT INTO loans VALUES (?, ?)", [line.split(",") for line in two[1:]])
        labels = [label for (label,) in base.execute(f"SELECT {sql} FROM loans")]
    assert labels == [line.split(",")[0] for line in few.out.splitlines()[1:]]


def test_whole_points_and_monitoring_need_no_others(here, fitted):
    ran = run("explain", here / "m.json", here / "loans.csv", "--integers", "-o", here / "whole.json", "--json")
    assert ran.code == 0
    assert {column["column"] for column in ran.record["card"]["cards"][0]["columns"]} <= {"job", "debts"}
    assert run("verify", here / "whole.json", here / "loans.csv").code == 0
    assert run("monitor", here / "m.json", here / "two.csv").code == 0


def test_constraints_costs_weights_and_decisions_go_with_it(here):
    ran = run(
        *STEM, "2", here / "loans.csv", "-o", here / "all.json", "--decreasing", "debts", "--increasing", "noise",
        "--cost", "no=3", "--probability", "--folds", "3", "--weights", "since", "--kind", "since=ignore",
    )  # fmt: skip
    assert ran.code != 0  # dates are no weights
    ran = run(
        *STEM, "2", here / "loans.csv", "-o", here / "all.json", "--decreasing", "debts", "--increasing", "noise",
        "--cost", "no=3", "--probability", "--folds", "3",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.record["few_columns"]["added"] == ["job", "debts"]
    assert ran.record["constraints"] == {"increasing": [], "decreasing": ["debts"]}
    checked = run("verify", here / "all.json", here / "loans.csv")
    assert checked.code == 0, checked.out
    assert "The points never rise as debts rises." in checked.out
    weighted = run(*STEM, "1", here / "loans.csv", "-o", here / "weighted.json", "--weights", "debts", "-a", "cv")
    assert weighted.code == 0
    assert weighted.record["few_columns"]["added"] == ["job"]
    assert run("verify", here / "weighted.json", here / "loans.csv").code == 0


def test_several_classes_and_the_words_of_a_text(here):
    ran = run("fit", here / "loans.csv", "-t", "job", "--most-columns", "2", "-o", here / "jobs.json", "--json")
    assert ran.code == 0
    assert len(ran.record["few_columns"]["added"]) == 2
    assert run("verify", here / "jobs.json", here / "loans.csv").code == 0
    told = run("fit", here / "loans.csv", "-t", "phone", "--most-columns", "1", "-o", here / "words.json", "--json")
    assert told.record["few_columns"]["added"] == ["remark"]
    hashed = run(
        "fit", here / "loans.csv", "-t", "phone", "--most-columns", "1", "--text", "hashed", "-o", here / "h.json",
        "--json",
    )  # fmt: skip
    assert hashed.record["few_columns"]["added"] == ["remark"]


def test_numbered_features_are_columns_of_their_own(here):
    rows = [f"{(-1, 1)[k * 7 % 5 > k % 3]} 3:{k * 7 % 5} 70:{k % 3} 900:{k % 11}" for k in range(150)]
    (here / "rows.libsvm").write_text("\n".join(rows) + "\n")
    ran = run("fit", here / "rows.libsvm", "-t", "label", "--most-columns", "2", "-o", here / "n.json", "--json")
    assert ran.code == 0, ran.err
    assert sorted(ran.record["few_columns"]["added"]) == ["3", "70"]
    kept = record(here, "n.json")
    assert kept["features"] == 2
    assert run("verify", here / "n.json", here / "rows.libsvm").code == 0
    assert run("predict", here / "n.json", here / "rows.libsvm").code == 0


def test_a_report_shows_the_errors(here):
    pytest.importorskip("matplotlib")
    ran = run("report", here / "loans.csv", "-t", "granted", "--most-columns", "3", "-o", here / "page.html")
    assert ran.code == 0
    page = (here / "page.html").read_text()
    assert "How many columns it takes" in page
    assert "Error by the number of columns" in page
    assert "by-columns" in page
    assert "the rule does without it" in page
