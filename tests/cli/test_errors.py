"""Broken files and wrong options: one line that names what is wrong and says what to do, and an exit code."""

import gzip
import json
import pickle
import re
import shlex
import shutil

import pytest
from typer.main import get_command

from cli.running import SPARSE, loans, run
from rosenblatt.cli.app import app

USAGE, BAD = 2, 3
SHORT = {
    "FIT": "fit clean.csv -t approved -o new.json",
    "CHECK": "check clean.csv -t approved",
    "REPORT": "report clean.csv -t approved",
    "UNREAD": "fit nowhere.csv -t approved -o new.json",
}
GOOD = loans(20)
NUMBERS = "a,b,y\n" + "1,2,0\n3,4,1\n5,2,0\n7,9,1\n" * 5


def changed(model, **fields):
    """A model whose SHA-256 fits, but whose fields do not."""
    from rosenblatt.ship.file.canonical import digest

    record = {**json.loads(model), **fields}
    del record["sha256"]
    return json.dumps({**record, "sha256": digest(record)})


def certificate():
    import numpy as np

    from rosenblatt import separability

    return separability(np.array([[0.0], [1.0]]), [0, 1]).certificate.to_json()


# what is typed, exit code, the whole line
CASES = {
    # options of the command line
    "no option": ("FIT --sead 1", USAGE, "no such option: --sead .*--seed.*; see: rosenblatt fit --help"),
    "no command": ("learn clean.csv", USAGE, "no such command 'learn'; see: rosenblatt --help"),
    "misspelt command": (
        "chek clean.csv",
        USAGE,
        r"no such command 'chek'. Did you mean 'check'\?; see: rosenblatt --help",
    ),
    "no table": ("fit -t approved -o new.json", USAGE, "missing argument 'FILE...'; see: rosenblatt fit --help"),
    "no target": ("check clean.csv", USAGE, "missing option '--target' / '-t'; see: rosenblatt check --help"),
    "no output": ("fit clean.csv -t approved", USAGE, "missing option '--output' / '-o'; see: rosenblatt fit --help"),
    "target without a name": ("check clean.csv -t", USAGE, "option '-t' requires an argument; see: .*"),
    "seed below 0": ("FIT --seed -1", USAGE, "--seed must be a whole number from 0, not '-1'"),
    "seed of words": ("FIT --seed one", USAGE, "--seed must be a whole number from 0, not 'one'"),
    "random state": (
        "FIT --set random-state=-1",
        USAGE,
        "random_state must be a whole number of at least 0, or null, not -1",
    ),
    "random state of a tree": (
        "FIT -a tree --set random-state=no",
        USAGE,
        "random_state must be a whole number of at least 0, or null, not 'no'",
    ),
    "seconds without end": ("FIT --max-seconds inf", USAGE, "--max-seconds must be a number above 0, not inf"),
    "seconds below 0": ("CHECK --seconds -1", USAGE, "--seconds must be a number from 0, not '-1'"),
    "algorithm": ("FIT -a svm", USAGE, "the algorithm must be one of auto, perceptron, .*, not 'svm'"),
    "algorithm of a report": ("REPORT -o new.html -a svm", USAGE, "the algorithm must be one of .*"),
    "option of a report that the algorithm lacks": (
        "REPORT -o new.html -a pocket --set ratched=true",
        USAGE,
        r"the pocket rule has no option 'ratched'; did you mean 'ratchet'\?",
    ),
    "value of a report of another kind": (
        "REPORT -o new.html -a margin --set beta=x",
        USAGE,
        "beta must be a number of at least 0, not 'x'",
    ),
    "option that the algorithm lacks": (
        "FIT -a perceptron --set ratchet=true",
        USAGE,
        "the perceptron rule has no option 'ratchet'.*",
    ),
    "named option that the algorithm lacks": (
        "FIT -a voted --order worst",
        USAGE,
        "the voted rule has no option 'order'.*",
    ),
    "misspelt option of the algorithm": (
        "FIT -a pocket --set ratched=true",
        USAGE,
        r"the pocket rule has no option 'ratched'; did you mean 'ratchet'\?",
    ),
    "option of no algorithm, with auto": ("FIT --set colour=red", USAGE, ".*'colour'.*"),
    "set without a value": (
        "FIT --set ratchet",
        USAGE,
        "--set needs NAME=VALUE, as in --set ratchet=true, not 'ratchet'",
    ),
    "order": ("FIT -a perceptron --order best", USAGE, ".*order.*'best'"),
    "ties": ("FIT -a perceptron --ties lose", USAGE, ".*ties.*'lose'"),
    "start": ("FIT -a perceptron --start ones", USAGE, ".*start.*'ones'.*"),
    "passes": ("UNREAD --max-passes 0", USAGE, "--max-passes must be a whole number from 1, not '0'"),
    "updates": ("UNREAD --max-updates 0", USAGE, "--max-updates must be a whole number from 1, not '0'"),
    "patience": ("UNREAD --patience 2.5", USAGE, "--patience must be a whole number from 1, not '2.5'"),
    "seconds of learning": ("UNREAD --max-seconds 0", USAGE, "--max-seconds must be a number above 0, not 0.0"),
    "no bias": ("UNREAD --bias-scale nan", USAGE, "--bias-scale must be a number above 0, not nan"),
    "NDJSON nested deeply": ("check x.ndjson -t y", BAD, "x.ndjson, line 2: it is nested too deeply; .*"),
    "NDJSON that Polars reads, nested deeply": (
        "check x.ndjson -t y",
        BAD,
        "x.ndjson: column 'x' is nested too deeply.*",
    ),
    "structures to learn": (
        "check x.ndjson -t y",
        BAD,
        "x.ndjson: column 'y' is of type Struct.*numbers, texts, dates.*",
    ),
    "lists to learn": ("check x.ndjson -t y", BAD, "x.ndjson: column 'y' is of type List.*numbers, texts, dates.*"),
    "structures as weights": (
        "fit x.ndjson -t y --weights w -o m.json",
        BAD,
        "x.ndjson: column 'w' is of type Struct.*; weights are.*",
    ),
    "config nested deeply": ("FIT --config x.toml", USAGE, "x.toml: it is nested too deeply"),
    "kernel": ("FIT -a kernel --set kernel=magic", USAGE, ".*kernel.*'magic'.*"),
    "costs": (
        "FIT --class-weight yes",
        USAGE,
        "--class-weight needs CLASS=COST, as in --class-weight yes=5, not 'yes'",
    ),
    "costs of another class": (
        "FIT -a pocket --class-weight maybe=5",
        USAGE,
        "class_weight names the class 'maybe', but the classes are no, yes",
    ),
    "hold out too much": ("UNREAD --hold-out 1.5", USAGE, r"--hold-out, .* at least 0 and below 1, not 1\.5"),
    "hold out everything": ("UNREAD --hold-out 1", USAGE, r"--hold-out, .* at least 0 and below 1, not 1\.0"),
    "hold out a class": (
        "fit x.csv -t y -o new.json --hold-out 0.9",
        BAD,
        "all 18 rows of class 'a' would be held out; use another --seed or a smaller --hold-out, or merge rare classes",
    ),
    "one fold": ("UNREAD --folds 1", USAGE, "--folds must be at least 2 folds, or 0 for none, not 1"),
    "folds below 0": ("UNREAD --folds -3", USAGE, "--folds must be at least 2 folds, or 0 for none, not -3"),
    "more folds than rows": ("FIT --folds 81", USAGE, "81 folds are more than the 80 rows"),
    "positive": ("CHECK --positive maybe", USAGE, ".*'maybe'.*"),
    "kind without a column": (
        "CHECK --kind number",
        USAGE,
        "--kind needs COLUMN=KIND, as in --kind age=number, not 'number'",
    ),
    "kind of no column": ("CHECK --kind agee=number", USAGE, ".*'agee'.*'age'.*"),
    "kind that is none": ("CHECK --kind age=colour", USAGE, ".*'colour'.*"),
    "number of words": ("CHECK --kind job=number", BAD, "clean.csv.*row 1.*'job'.*'clerk'.*"),
    "date of words": ("CHECK --kind job=date", USAGE, "column 'job' has values that are not dates, such as 'clerk'"),
    "weights in no column": (
        "FIT --weights incom",
        USAGE,
        r"there is no column 'incom' to take weights from; did you mean 'income'\?",
    ),
    "weights of words": ("FIT --weights job", BAD, "clean.csv: row 1, column 'job': 'clerk' is no weight"),
    "weights below 0": ("fit x.csv -t y -o new.json --weights w", BAD, "x.csv: row 2, column 'w': -1 is no weight"),
    "weights that are missing": (
        "fit x.csv -t y -o new.json --weights w",
        BAD,
        "x.csv: row 2, column 'w': None is no weight",
    ),
    "text": ("check text.csv -t y --text magic", USAGE, ".*'magic'.*"),
    "format": ("CHECK --format excel", USAGE, ".*'excel'.*"),
    "delimiter": ("CHECK --delimiter abc", USAGE, ".*'abc'.*"),
    "costs below 0": (
        "FIT --class-weight yes=-1",
        USAGE,
        "--class-weight needs CLASS=COST, as in --class-weight yes=5, not 'yes=-1'",
    ),
    "value of another kind": (
        "FIT -a perceptron --set max_passes=x",
        USAGE,
        "max_passes must be a whole number of at least 1, 'auto', or None, not 'x'",
    ),
    # files
    "standard input and a file": ("check clean.csv - -t y", USAGE, "standard input, -, must be the only table"),
    "target of numbered features": (
        "check x.libsvm -t y",
        USAGE,
        "a LIBSVM file has numbered features and a target that is called label, and nothing else",
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
    # targets
    "target without a like": (
        "check x.csv -t outcome",
        USAGE,
        r"x.csv: .* 'outcome' .*; the columns are c1, c2, c3, .*, \.\.\., c16",
    ),
    "target, with rows to drop": (
        "check clean.csv -t aproved --drop-missing-target",
        USAGE,
        ".* did you mean 'approved'.*",
    ),
    "target": (
        "check clean.csv -t aproved",
        USAGE,
        r"clean.csv: there is no column 'aproved' to learn; did you mean 'approved'\?.*",
    ),
    "no value in the target": ("check x.csv -t y", BAD, "x.csv.*row 2.*'y'.*--drop-missing-target.*"),
    "one class": ("check x.csv -t y", BAD, "x.csv.*'y'.*'a'.*"),
    "500 classes": ("check x.csv -t y", BAD, "x.csv.*'y'.*"),
    "nothing but the target": ("check x.csv -t y", BAD, "x.csv.*no column.*"),
    # config files
    "no config": (
        "fit clean.csv --config nowhere.toml -t approved -o new.json",
        USAGE,
        "nowhere.toml: no such file or directory",
    ),
    "config that is no TOML": (
        "fit clean.csv --config x.toml -t approved -o new.json",
        USAGE,
        "x.toml: this is no TOML file: .*line 1.*",
    ),
    "config with another option": (
        "fit clean.csv --config x.toml -t approved -o new.json",
        USAGE,
        "x.toml: there is no option 'algoritm'.*algorithm.*",
    ),
    "config with a wrong type": (
        "fit clean.csv --config x.toml -t approved -o new.json",
        USAGE,
        "--seed must be a whole number from 0, not 'one'",
    ),
    "config with neither yes nor no": (
        "fit clean.csv --config x.toml -t approved -o new.json",
        USAGE,
        "--prove must be true or false, not 'perhaps'",
    ),
    "config with a table": ("fit clean.csv --config x.toml -t approved -o new.json", USAGE, "x.toml: .*"),
    # models
    "no model": ("predict nowhere.json clean.csv", BAD, "nowhere.json: cannot be read: No such file or directory"),
    "empty model": ("explain x.json", BAD, "x.json: .*"),
    "short model": ("explain x.json", BAD, "x.json: .*"),
    "other JSON": ("explain x.json", BAD, "x.json: it is JSON, but not a rosenblatt model"),
    "pickle": ("predict x.json clean.csv", BAD, "x.json: .*"),
    "changed model": (
        "verify x.json clean.csv",
        BAD,
        "x.json: it was changed or damaged after it was written: its SHA-256 does not fit",
    ),
    "newer model": ("explain x.json", BAD, r"x.json: it was made by a newer version \(protocol 9\); .*"),
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
        "reasons are told for tables with named columns, not for numbered features",
    ),
    "named columns for numbered features": (
        "predict sparse.json clean.csv",
        BAD,
        "clean.csv: the table has named columns, but the rule was learned from numbered features",
    ),
    "column called as the result": (
        "predict clean.json x.csv --keep label",
        USAGE,
        "the column 'label' cannot be kept: the result has a column of that name",
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
        "there is no column 'approved', the target, to judge by",
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
    "table without integers": ("explain clean.json clean.csv", USAGE, "a table and an output are for --integers"),
    "integers without a table": (
        "explain clean.json --integers",
        USAGE,
        "--integers needs the table .*: rosenblatt explain MODEL FILE --integers",
    ),
    "row 0": ("explain clean.json clean.csv --row 0", USAGE, "--row must be a whole number from 1, not '0'"),
    "no lines": ("explain clean.json --most 0", USAGE, "--most must be a whole number from 1, not '0'"),
    "row for a linear rule": (
        "explain clean.json nowhere.csv --row 3",
        USAGE,
        "--row tells the way of a row through a tree; predict --reasons tells what moved a decision",
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
    "table name for python": ("export clean.json --to python --table t", USAGE, "--table is for --to sql"),
    # outputs
    "output that exists": (
        "fit clean.csv -t approved -o clean.json",
        USAGE,
        "clean.json exists already; --force overwrites it",
    ),
    "proof that exists": ("CHECK -o proof.json", USAGE, "proof.json exists already; --force overwrites it"),
    "model of a report that exists": (
        "REPORT -o clean.html",
        USAGE,
        "clean.json exists already; --force overwrites it",
    ),
    "output into no folder": (
        "fit clean.csv -t approved -o no/such/new.json",
        USAGE,
        "there is no folder .*no/such to write new.json to",
    ),
    "output is a folder": (
        "fit clean.csv -t approved -o . --force",
        USAGE,
        r"\. is a folder; name a file in it to write",
    ),
    "demo in a file": ("demo --folder clean.csv", USAGE, "clean.csv is a file; --folder needs a folder to write into"),
    # proofs
    "certificate without a target": (
        "verify x.json clean.csv",
        USAGE,
        "a bare certificate does not know the target: name it with --target",
    ),
    "target for a model": (
        "verify clean.json clean.csv -t approved",
        USAGE,
        "--target is for bare certificates; this file knows its target",
    ),
}

# the file that the case is about
FILES = {
    "target without a like": ("x.csv", "1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7\n" * 9),
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
    "hold out a class": ("x.csv", "x,y\n1,b\n" + "2,a\n3,a\n" * 9),
    "weights below 0": ("x.csv", NUMBERS.replace("a,b", "a,w").replace("3,4", "3,-1")),
    "weights that are missing": ("x.csv", NUMBERS.replace("a,b", "a,w").replace("3,4", "3,")),
    "empty": ("x.csv", ""),
    "header only": ("x.csv", "x,y\n"),
    "ragged": ("x.csv", GOOD + "1,2\n" + GOOD[38:]),
    "NDJSON nested deeply": ("x.ndjson", '{"x": 1, "y": "a"}\n{"x": %s, "y": "b"}\n' % ("[" * 5000 + "]" * 5000)),
    "NDJSON that Polars reads, nested deeply": (
        "x.ndjson",
        "".join('{{"x": {}, "y": "{}"}}\n'.format("[" * 500 + "]" * 500, y) for y in "abab"),
    ),
    "structures to learn": ("x.ndjson", '{"x": 1, "y": {"z": 1}}\n{"x": 2, "y": {"z": 2}}\n'),
    "lists to learn": ("x.ndjson", '{"x": 1, "y": [1]}\n{"x": 2, "y": [2]}\n'),
    "structures as weights": (
        "x.ndjson",
        '{"x": 2, "y": 1, "w": {"q": 1}}\n' * 3 + '{"x": 1, "y": 0, "w": {"q": 1}}\n' * 3,
    ),
    "config nested deeply": ("x.toml", "seed = " + "[" * 5000 + "]" * 5000),
    "short gzip": ("x.csv.gz", gzip.compress(GOOD.encode())[:-20]),
    "other columns in a second file": ("x.csv", NUMBERS),
    "no value in the target": ("x.csv", "x,y\n1,a\n2,\n3,b\n4,a\n"),
    "one class": ("x.csv", "x,y\n1,a\n2,a\n3,a\n"),
    "500 classes": ("x.csv", "x,y\n" + "".join(f"{k % 7},v{k}\nx{k},v{k}\n" for k in range(500))),
    "nothing but the target": ("x.csv", "y\na\nb\na\nb\n"),
    "config that is no TOML": ("x.toml", "seed is 3\n"),
    "config with another option": ("x.toml", "algoritm = 'pocket'\n"),
    "config with a wrong type": ("x.toml", "seed = 'one'\n"),
    "config with neither yes nor no": ("x.toml", "prove = 'perhaps'\n"),
    "config with a table": ("x.toml", "[fit]\nseed = 1\n"),
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


@pytest.fixture
def here(desk, tmp_path, monkeypatch):
    """A copy of the desk to work in."""
    shutil.copytree(desk.folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


NUMBERED = [
    (command, param.opts[0])
    for command, made in get_command(app).commands.items()
    for param in made.params
    if param.type_descriptor.annotation in (int, float)
]


@pytest.mark.parametrize(("command", "option"), NUMBERED)
def test_what_a_number_must_be(command, option):
    ran = run(command, option, "x", "--json")
    told = rf"{option} must be a (whole )?number( from [01])?, not 'x'"
    assert re.fullmatch(f"rosenblatt: {told}\n", ran.err)
    assert re.fullmatch(told, ran.record["error"])
    assert ran.code == ran.record["exit_code"] == USAGE


@pytest.mark.parametrize("case", CASES)
def test_one_line(case, here):
    typed, code, says = CASES[case]
    if case in FILES:
        name, content = FILES[case]
        if callable(content):
            content = content({each.name: each.read_text() for each in here.glob("*.json")})
        (here / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for short, long in SHORT.items():
        typed = typed.replace(short, long)
    before = sorted(here.iterdir())
    ran = run(*shlex.split(typed))
    line = ran.err.splitlines()[-1]
    assert re.fullmatch(f"rosenblatt: {says}", line), line
    assert ran.code == code
    assert ran.out == ""
    assert all(each.startswith("note: ") for each in ran.err.splitlines()[:-1])
    assert sorted(here.iterdir()) == before, "a file was written"


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
