"""`predict --safe-csv`: texts that a spreadsheet would compute are made harmless, and nothing else is touched."""

import csv

import pytest

from cli.running import rows_of, run

RISKY = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1+1"]
HARMLESS = ["plain", "a=b", "-5", "+1e3", "-.5", "5-3", "'=1", ""]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table with risky cells, names and labels, and rules learned from it."""
    made = tmp_path_factory.mktemp("safe")
    rows = [(k % 9, (RISKY + HARMLESS)[k % 15], -k, ("=no", "@yes")[k % 9 > 4]) for k in range(90)]
    with open(made / "t.csv", "w", newline="") as file:
        csv.writer(file).writerows([("=size", "@note", "count", "y"), *rows])
    for algorithm in ("pocket", "tree"):
        options = ("-t", "y", "-a", algorithm, "--kind", "@note=category", "-o", made / f"{algorithm}.json")
        assert run("fit", made / "t.csv", *options).code == 0
    return made


def predicted(folder, model, *options):
    ran = run("predict", folder / model, folder / "t.csv", "--keep", "@note", "--keep", "count", *options)
    assert ran.code == 0, ran
    return rows_of(ran.out)


@pytest.mark.parametrize("model", ["pocket.json", "tree.json"])
def test_risky_texts_get_an_apostrophe_and_nothing_else_changes(model, folder):
    plain, safe = predicted(folder, model, "--reasons", "2"), predicted(folder, model, "--reasons", "2", "--safe-csv")
    assert list(safe[0]) == ["'@note" if name == "@note" else name for name in plain[0]]
    changed = set()
    for before, after in zip(plain, safe, strict=True):
        for (name, old), new in zip(before.items(), after.values(), strict=True):
            risky = (
                name not in ("count", "score", "points") and old[:1] in tuple("=+-@\t\r\uff1d") and old not in HARMLESS
            )
            assert new == (f"'{old}" if risky and old else old)
            changed |= {name} if risky and old else set()
    assert {"@note", "label", "reason 1"} <= changed
    assert any(row["count"].startswith("-") for row in safe), "numbers below zero stay"


def test_a_file_is_made_safe_too(folder):
    ran = run("predict", folder / "pocket.json", folder / "t.csv", "--safe-csv", "-o", folder / "p.csv", "--force")
    assert ran.code == 0
    assert {row["label"] for row in rows_of((folder / "p.csv").read_text())} == {"'=no", "'@yes"}


@pytest.mark.parametrize("options", [["--json"], ["-o", "p.parquet"], ["-o", "p.ndjson"]])
def test_it_is_for_csv_only(options, folder, monkeypatch):
    monkeypatch.chdir(folder)
    ran = run("predict", "pocket.json", "t.csv", "--safe-csv", *options)
    assert ran.code == 2
    assert (
        ran.err
        == "rosenblatt: --safe-csv is for CSV only: in the other formats, a text cannot be taken for a formula\n"
    )
    assert not (folder / "p.parquet").exists()
