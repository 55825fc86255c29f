"""Wrong options, targets, config files and outputs: one line that says what to do, and an exit code."""

import re

import pytest
from typer.main import get_command

from cli.one_line import BAD, NUMBERS, USAGE, check_one_line
from cli.running import run
from rosenblatt.cli.app import app

# what is typed, exit code, the whole line
CASES = {
    # options of the command line
    "no algorithm to list the options of": (
        "fit --options foo",
        USAGE,
        "--options must be one of perceptron, pocket, .*, not 'foo'",
    ),
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
    "no columns": ("FIT --most-columns 0", USAGE, "--most-columns must be a whole number from 1, not '0'"),
    "columns below 0": ("FIT --most-columns -2", USAGE, "--most-columns must be a whole number from 1, not '-2'"),
    "half a column": ("FIT --most-columns 2.5", USAGE, "--most-columns must be a whole number from 1, not '2.5'"),
    "few columns of a tree": (
        "FIT --most-columns 3 -a tree",
        USAGE,
        "the tree rule does not support --most-columns; these do: auto, cv",
    ),
    "few columns and the fewest mistakes": (
        "REPORT -o new.html --most-columns 3 -a fewest-mistakes",
        USAGE,
        "the perceptron rule does not support --most-columns; these do: auto, cv",
    ),
    "few columns beside a tree": (
        "FIT --most-columns 3 --also tree",
        USAGE,
        "--also tree cannot be compared with rules of few columns: leave --most-columns out",
    ),
    "the columns of features": (
        "FIT --most-columns 3 -a cv --set feature-groups=a",
        USAGE,
        "the cv rule has no option 'feature_groups'.*",
    ),
    "algorithm": ("FIT -a svm", USAGE, "the algorithm must be one of auto, fewest-mistakes, perceptron, .*, not 'svm'"),
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
    "option of other algorithms than the default": (
        "FIT --set ratchet=true",
        USAGE,
        "the default rule has no option 'ratchet': choose the algorithm with -a, pocket",
    ),
    "another algorithm than is compared": (
        "FIT -a pocket --also tree",
        USAGE,
        "--also tree is for -a auto, whose rules it is compared with, not for -a pocket",
    ),
    "the algorithm that compares": ("FIT --also cv", USAGE, "--also cv: its rules are always compared"),
    "unknown algorithm to compare": ("FIT --also forest", USAGE, "the algorithm must be one of auto, .*, not 'forest'"),
    "family of no candidates": ("FIT --set families=soft,wide", USAGE, "families must be one or several of 'soft', .*"),
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
    "NDJSON nested deeply": ("check x.ndjson -t y", BAD, "x.ndjson, line 2: nested too deeply; .*"),
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
        "x.ndjson: column 'w' is of type Struct.*; weights must be.*",
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
    "hold out too much": ("UNREAD --hold-out 1.5", USAGE, r"--hold-out must be at least 0 and below 1, not 1\.5"),
    "hold out everything": ("UNREAD --hold-out 1", USAGE, r"--hold-out must be at least 0 and below 1, not 1\.0"),
    "hold out a class": (
        "fit x.csv -t y -o new.json --hold-out 0.9",
        BAD,
        "all 18 rows of class 'a' would be held out; use another --seed or a smaller --hold-out, or merge rare classes",
    ),
    "one fold": ("UNREAD --folds 1", USAGE, "--folds must be at least 2, or 0 for none, not 1"),
    "folds below 0": ("UNREAD --folds -3", USAGE, "--folds must be at least 2, or 0 for none, not -3"),
    "more folds than rows": ("FIT --folds 81", USAGE, "cannot split 80 rows into 81 folds"),
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
        r"there is no column 'incom' for the weights; did you mean 'income'\?",
    ),
    "weights of words": (
        "FIT --weights job",
        BAD,
        "clean.csv: row 1, column 'job': 'clerk' is not a weight: a number of at least 0",
    ),
    "weights below 0": (
        "fit x.csv -t y -o new.json --weights w",
        BAD,
        "x.csv: row 2, column 'w': -1 is not a weight: a number of at least 0",
    ),
    "weights that are missing": (
        "fit x.csv -t y -o new.json --weights w",
        BAD,
        "x.csv: row 2, column 'w': the weight is missing",
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
        "x.toml: not a valid TOML file: .*line 1.*",
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
    # outputs
    "output that exists": (
        "fit clean.csv -t approved -o clean.json",
        USAGE,
        "clean.json already exists; use --force to overwrite",
    ),
    "proof that exists": ("CHECK -o proof.json", USAGE, "proof.json already exists; use --force to overwrite"),
    "model of a report that exists": (
        "REPORT -o clean.html",
        USAGE,
        "clean.json already exists; use --force to overwrite",
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
}

# the file that the case is about
FILES = {
    "target without a like": ("x.csv", "1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7\n" * 9),
    "hold out a class": ("x.csv", "x,y\n1,b\n" + "2,a\n3,a\n" * 9),
    "weights below 0": ("x.csv", NUMBERS.replace("a,b", "a,w").replace("3,4", "3,-1")),
    "weights that are missing": ("x.csv", NUMBERS.replace("a,b", "a,w").replace("3,4", "3,")),
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
    "no value in the target": ("x.csv", "x,y\n1,a\n2,\n3,b\n4,a\n"),
    "one class": ("x.csv", "x,y\n1,a\n2,a\n3,a\n"),
    "500 classes": ("x.csv", "x,y\n" + "".join(f"{k % 7},v{k}\nx{k},v{k}\n" for k in range(500))),
    "nothing but the target": ("x.csv", "y\na\nb\na\nb\n"),
    "config that is no TOML": ("x.toml", "seed is 3\n"),
    "config with another option": ("x.toml", "algoritm = 'pocket'\n"),
    "config with a wrong type": ("x.toml", "seed = 'one'\n"),
    "config with neither yes nor no": ("x.toml", "prove = 'perhaps'\n"),
    "config with a table": ("x.toml", "[fit]\nseed = 1\n"),
}

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
    check_one_line(here, CASES[case], FILES.get(case))
