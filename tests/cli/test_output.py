"""Output that cannot be written: an exit code of its own, one line on standard error, and never a false answer."""

import os
import subprocess
import sys

import pytest

NOT_WRITTEN = 74
PATIENCE = 120
FULL = "rosenblatt: standard output could not be written: no space left on device\n"

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")


def told(shell, desk):
    """Exit code and standard error of the command, run by a shell in the desk's folder."""
    ran = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m rosenblatt {shell}"],
        cwd=desk.folder, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    return ran.returncode, ran.stderr


@pytest.mark.parametrize(
    "command",
    [
        "check clean.csv -t approved -q",
        "check clean.csv -t approved -q --json",
        "check noisy.csv -t approved -q --json --seconds 1",
        "fit clean.csv -t approved -q -a averaged -o /tmp/$$.json",
        "fit clean.csv -t approved -q -a averaged -o /tmp/$$.json --json",
        "predict clean.json clean.csv -q",
        "predict clean.json clean.csv -q --json",
        "explain clean.json",
        "explain clean.json --json",
        "export clean.json --to sql",
        "verify clean.json clean.csv -q",
        "verify clean.json clean.csv -q --json",
        "--help",
        "fit --help",
        "--version",
    ],
)
def test_a_full_device(command, desk, tmp_path):
    assert told(f"{command.replace('/tmp/$$', str(tmp_path / 'm'))} > /dev/full", desk) == (NOT_WRITTEN, FULL)


def test_an_error_keeps_its_code_on_a_full_device(desk):
    code, said = told("check nowhere.csv -t y --json > /dev/full", desk)
    assert (code, said) == (3, "rosenblatt: nowhere.csv: no such file\n")


@pytest.mark.parametrize(("table", "code"), [("clean.csv", 0), ("noisy.csv", 1)])
def test_a_full_standard_error_changes_nothing(table, code, desk):
    assert told(f"check {table} -t approved --seconds 1 2> /dev/full > /dev/null", desk) == (code, "")


@pytest.mark.parametrize(
    "command",
    ["predict clean.json clean.csv -q", "export clean.json --to sql", "check clean.csv -t approved -q --json"],
)
def test_rows_and_records_are_missed_where_standard_output_is_closed(command, desk):
    line = "rosenblatt: standard output could not be written: it is closed\n"
    assert told(f"{command} >&-", desk) == (NOT_WRITTEN, line)


@pytest.mark.parametrize(("table", "code"), [("clean.csv", 0), ("noisy.csv", 1)])
def test_the_answer_is_in_the_code_where_nobody_wants_the_words(table, code, desk):
    assert told(f"check {table} -t approved -q --seconds 1 >&-", desk) == (code, "")


@pytest.mark.parametrize("options", ["", "--json"])
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("check clean.csv -t approved -q", NOT_WRITTEN),
        ("verify clean.json clean.csv -q", NOT_WRITTEN),
        ("predict clean.json clean.csv -q", 0),
        ("explain clean.json", 0),
    ],
)
def test_a_reader_who_is_gone_gets_no_answer(command, options, code, desk):
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, "-m", "rosenblatt", *command.split(), *options.split()],
        cwd=desk.folder, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    os.close(writing)
    assert ran.returncode == code
    assert ran.stderr == ("rosenblatt: standard output was closed before the answer was written\n" if code else "")
