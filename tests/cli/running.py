"""The command run in this process, and small tables to run it on."""

import csv
import io
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from rosenblatt.cli.main import main

SPARSE = "".join(f"{(-1, 1)[k % 3 == 0]} 1:{k % 5} 3:{k % 7}.5\n" for k in range(40))
COMMAND = Path(sys.executable).with_name("rosenblatt")


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def record(self):
        return json.loads(self.out)


class Terminal(io.TextIOWrapper):
    """A file that calls itself a terminal."""

    def isatty(self):
        return True


def run(*arguments, stdin=b"", columns=100, terminal=False) -> Ran:
    """Run the command as its installed script does; `terminal`: with one as standard error."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    err = (Terminal if terminal else io.TextIOWrapper)(io.BytesIO(), "utf-8", write_through=True)
    given = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    with (
        patch.object(sys, "argv", ["rosenblatt", *map(str, arguments)]),
        patch.object(sys, "stdin", given),
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
        patch.object(os, "_exit", sys.exit),
        patch.dict(os.environ, {"COLUMNS": str(columns), "TERM": "xterm"}),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    return Ran(code or 0, out.buffer.getvalue().decode(), err.buffer.getvalue().decode())


def loans(many: int = 80, wrong: int = 0) -> str:
    """A table of loans that a rule decides, but for so many rows."""
    jobs = ("clerk", "cook", "pilot", "nurse")
    lines = ["age,income,job,owner,since,approved"]
    for k in range(many):
        age, income, job = 20 + k * 7 % 45, 1000 + k * 137 % 3000, jobs[k * 3 % 4]
        owner, since = ("yes", "no")[k * 5 % 3 == 0], f"20{10 + k % 14}-0{1 + k % 9}-1{k % 10}"
        good = income + 40 * age + (900 if owner == "yes" else 0) > 4200
        approved = good != (k % (many // wrong) == 3) if wrong else good
        lines.append(f"{age},{income},{job},{owner},{since},{'yes' if approved else 'no'}")
    return "\n".join(lines) + "\n"


def grades() -> str:
    """A table with three classes."""
    lines = ["hours,sleep,grade"]
    for k in range(90):
        hours, sleep = k * 7 % 30, 4 + k * 5 % 6
        lines.append(f"{hours},{sleep},{'ABC'[(hours + sleep < 26) + (hours + sleep < 14)]}")
    return "\n".join(lines) + "\n"


def rows_of(text: str) -> list[dict[str, str]]:
    """The rows of a CSV text."""
    return list(csv.DictReader(io.StringIO(text)))
