"""Errors of the command: one line that names what is wrong, an exit code, and no file written."""

import json
import re
import shlex

from cli.running import run
from rosenblatt.ship.file.canonical import digest

USAGE, BAD = 2, 3
SHORT = {
    "FIT": "fit clean.csv -t approved -o new.json",
    "CHECK": "check clean.csv -t approved",
    "REPORT": "report clean.csv -t approved",
    "UNREAD": "fit nowhere.csv -t approved -o new.json",
}
NUMBERS = "a,b,y\n" + "1,2,0\n3,4,1\n5,2,0\n7,9,1\n" * 5


def changed(model, **fields):
    """A model whose SHA-256 fits, but whose fields do not."""
    record = {**json.loads(model), **fields}
    del record["sha256"]
    return json.dumps({**record, "sha256": digest(record)})


def check_one_line(here, case, file=None):
    """Run a case (what is typed, exit code, the whole line) in a folder, with the file that it is about."""
    typed, code, says = case
    if file is not None:
        name, content = file
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
