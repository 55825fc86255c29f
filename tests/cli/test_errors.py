"""Broken files, models and proofs: one line that names what is wrong and says what to do, and an exit code."""

import gzip
import json
import pickle

import pytest

from cli.one_line import BAD, NUMBERS, USAGE, changed, check_one_line
from cli.running import SPARSE, loans, run

GOOD = loans(20)


def certificate():
    import numpy as np

    from rosenblatt import separability

    return separability(np.array([[0.0], [1.0]]), [0, 1]).certificate.to_json()


# what is typed, exit code, the whole line
CASES = {
    # files
    "standard input and a file": ("check clean.csv - -t y", USAGE, "standard input, -, must be the only table"),
    "target of numbered features": (
        "check x.libsvm -t y",
        USAGE,
        "a LIBSVM file has numbered features and a target called label, and nothing else",
    ),
    "kind of a numbered feature": ("check x.libsvm -t label --kind 1=ignore", USAGE, "a LIBSVM file has numbered .*"),
    "no file": ("check nowhere.csv -t y", BAD, "nowhere.csv: .*"),
    "folder": ("check . -t y", BAD, r"\.: .*"),
    "no pattern": ("check 'no*.parquet' -t y", BAD, r"no\*.parquet: no file matches this pattern"),
    "empty": ("check x.csv -t y", BAD, "x.csv: .*empty.*"),
    "header only": ("check x.csv -t y", BAD, "x.csv: .*no rows.*"),
    "empty stdin": ("check - -t y", BAD, "stdin: .*empty.*"),
    "ragged": ("check x.csv -t approved", BAD, "x.csv, line 22: .*|x.csv: line 22: .*"),
    "short gzip": ("check x.csv.gz -t approved", BAD, "x.csv.gz: the file is truncated.*"),
    "other columns in a second file": ("check clean.csv x.csv -t approved", BAD, ".*x.csv.*"),
    # models
    "no model": ("predict nowhere.json clean.csv", BAD, "nowhere.json: cannot be read: No such file or directory"),
    "empty model": ("explain x.json", BAD, "x.json: .*"),
    "short model": ("explain x.json", BAD, "x.json: .*"),
    "other JSON": ("explain x.json", BAD, "x.json: it is JSON, but not a rosenblatt model"),
    "pickle": ("predict x.json clean.csv", BAD, "x.json: .*"),
    "changed model": (
        "verify x.json clean.csv",
        BAD,
        "x.json: it was changed or damaged after it was written: its SHA-256 does not match",
    ),
    "newer model": ("explain x.json", BAD, r"x.json: it was written by a newer version \(protocol 9\); .*"),
    "table for a model": ("explain clean.csv", BAD, "clean.csv: .*"),
    "proof for a model": ("explain proof.json", BAD, "proof.json: it is JSON, but not a rosenblatt model"),
    "model for a table": ("predict clean.json clean.json", BAD, "clean.json, line 1: not JSON: .*"),
    # predictions
    "numbered features for named columns": (
        "predict clean.json x.libsvm",
        BAD,
        "x.libsvm: the table has numbered features, but the rule was learned from named columns",
    ),
    "reasons for numbered features": (
        "predict sparse.json x.libsvm --reasons 1",
        USAGE,
        "reasons need a table with named columns, not numbered features",
    ),
    "named columns for numbered features": (
        "predict sparse.json clean.csv",
        BAD,
        "clean.csv: the table has named columns, but the rule was learned from numbered features",
    ),
    "column called as the result": (
        "predict clean.json x.csv --keep label",
        USAGE,
        "the column 'label' cannot be kept: the result has a column with that name",
    ),
    "label that is new, to verify": (
        "verify clean.json x.csv",
        BAD,
        "x.csv: row 1: 'maybe' is not a class of the target 'approved', .*",
    ),
    "column that is missing, to verify": (
        "verify clean.json grades.csv",
        BAD,
        "grades.csv: the table has no columns 'age', 'income', 'job', 'owner', 'since'",
    ),
    "word where a number was": (
        "predict clean.json x.csv",
        BAD,
        "x.csv: row 2, column 'income': 'plenty' is not a number",
    ),
    "column that is missing": ("predict clean.json x.csv", BAD, "x.csv: the table has no column 'income'.*"),
    "suffix": (
        "predict clean.json clean.csv -o out.xls",
        USAGE,
        "out.xls: the name must end in one of .csv, .parquet, .*",
    ),
    "column to keep": ("predict clean.json clean.csv --keep agee", USAGE, "there is no column 'agee' to keep.*'age'.*"),
    "judge without a target": (
        "predict clean.json x.csv --judge -o out.csv",
        USAGE,
        "there is no target column 'approved' to judge by",
    ),
    "reasons below 0": (
        "predict clean.json clean.csv --reasons -1",
        USAGE,
        "--reasons must be a whole number from 0, not '-1'",
    ),
    "reasons of a kernel": ("predict kernel.json clean.csv --reasons 2", USAGE, ".*kernel.*|.*KernelPerceptron.*"),
    # cards and exports
    "card of a vote": ("explain voted.json", USAGE, ".*[vV]ote.*"),
    "card of a kernel": ("explain kernel.json", USAGE, ".*[kK]ernel.*"),
    "table without integers": ("explain clean.json clean.csv", USAGE, "FILE and --output require --integers"),
    "integers without a table": (
        "explain clean.json --integers",
        USAGE,
        "--integers requires a table .*: rosenblatt explain MODEL FILE --integers",
    ),
    "row 0": ("explain clean.json clean.csv --row 0", USAGE, "--row must be a whole number from 1, not '0'"),
    "no lines": ("explain clean.json --most 0", USAGE, "--most must be a whole number from 1, not '0'"),
    "row for a linear rule": (
        "explain clean.json nowhere.csv --row 3",
        USAGE,
        "--row needs a tree; for other rules, use predict --reasons",
    ),
    "largest": (
        "explain clean.json nowhere.csv --integers --largest ten",
        USAGE,
        "--largest must be auto or a whole number from 1, not 'ten'",
    ),
    "largest of millions": ("explain clean.json clean.csv --integers --largest 1000000", USAGE, ".*largest.*10000.*"),
    "export to nothing known": (
        "export clean.json --to excel",
        USAGE,
        "--to must be one of sql, onnx, pmml, python, json, not 'excel'",
    ),
    "export of a vote": ("export voted.json --to sql", USAGE, ".*[vV]ote.*"),
    "table name for python": ("export clean.json --to python --table t", USAGE, "--table requires --to sql"),
    # proofs
    "certificate without a target": (
        "verify x.json clean.csv",
        USAGE,
        "a certificate does not name its target; use --target",
    ),
    "target for a model": (
        "verify clean.json clean.csv -t approved",
        USAGE,
        "--target is only for certificates; this file already names its target",
    ),
}

# the file that the case is about
FILES = {
    "target of numbered features": ("x.libsvm", SPARSE),
    "kind of a numbered feature": ("x.libsvm", SPARSE),
    "numbered features for named columns": ("x.libsvm", SPARSE),
    "reasons for numbered features": ("x.libsvm", SPARSE),
    "column called as the result": (
        "x.csv",
        "age,income,job,owner,since,label\n30,2000,cook,yes,2012-01-10,1\n",
    ),
    "label that is new, to verify": (
        "x.csv",
        "age,income,job,owner,since,approved\n30,2000,cook,yes,2012-01-10,maybe\n",
    ),
    "empty": ("x.csv", ""),
    "header only": ("x.csv", "x,y\n"),
    "ragged": ("x.csv", GOOD + "1,2\n" + GOOD[38:]),
    "short gzip": ("x.csv.gz", gzip.compress(GOOD.encode())[:-20]),
    "other columns in a second file": ("x.csv", NUMBERS),
    "empty model": ("x.json", ""),
    "short model": ("x.json", lambda models: models["clean.json"][:400]),
    "other JSON": ("x.json", '{"a": 1}'),
    "pickle": ("x.json", pickle.dumps({"coef": 1})),
    "changed model": ("x.json", lambda models: models["clean.json"].replace("clerk", "cleck")),
    "newer model": ("x.json", lambda models: changed(models["clean.json"], protocol=9)),
    "word where a number was": (
        "x.csv",
        "age,income,job,owner,since\n30,2000,cook,yes,2012-01-10\n31,plenty,cook,no,2012-01-11\n",
    ),
    "column that is missing": ("x.csv", "age,job,owner,since\n30,cook,yes,2012-01-10\n"),
    "judge without a target": ("x.csv", "age,income,job,owner,since\n30,2000,cook,yes,2012-01-10\n"),
    "certificate without a target": ("x.json", lambda _: certificate()),
}


@pytest.mark.parametrize("case", CASES)
def test_one_line(case, here):
    check_one_line(here, CASES[case], FILES.get(case))


def test_a_structure_where_a_number_is_wanted(desk, tmp_path):
    rows = tmp_path / "x.ndjson"
    names = desk.text("noisy.csv").splitlines()[0].split(",")
    rows.write_text(json.dumps({name: {"a": 1} for name in names}) + "\n")
    tree = tmp_path / "tree.json"
    assert run("fit", desk["noisy.csv"], "-t", "approved", "-a", "tree", "-o", tree).code == 0
    for model in (desk["noisy.json"], tree):
        ran = run("predict", model, rows)
        assert ran.code == BAD, ran
        assert "is of type Struct" in ran.err
