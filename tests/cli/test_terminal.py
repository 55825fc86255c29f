"""What only a real process shows: start, pipes, Ctrl-C, kill, and progress on a terminal."""

import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from cli.running import COMMAND, loans, run

COMMANDS = (
    "check", "fit", "predict", "explain", "export", "report", "verify", "compare", "monitor", "demo", "warm-up",
)  # fmt: skip
HEAVY = ("numba", "numpy", "polars", "sklearn", "scipy", "rich", "matplotlib")
PATIENCE = 120  # seconds, for a machine that has much else to do
ENVIRONMENT = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}


def started(*arguments, **more):
    return subprocess.Popen(
        [COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        **more,
    )


def run_here(source, *arguments):
    """Run the command in a process that is prepared by some source."""
    code = f"import sys; sys.argv = ['rosenblatt', *sys.argv[1:]]\n{source}"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


class TestHelp:
    @pytest.mark.parametrize("command", COMMANDS)
    def test_has_an_example_and_fits_the_terminal(self, command):
        ran = run(command, "--help")
        assert ran.code == 0
        assert f"Example: rosenblatt {command} " in ran.out
        assert ran.out.startswith(f"Usage: rosenblatt {command} ")
        assert "<bool>" not in ran.out
        assert max(len(line) for line in ran.out.splitlines()) <= 100
        assert run(command, "-h").out == ran.out

    def test_the_examples_are_complete(self):
        for command in COMMANDS:
            out = run(command, "--help").out
            needed = re.findall(r"(--[\w-]+)[^\n]*(?:\n {28}[^\n]*)*\[required\]", out)
            example = out[out.index("Example: ") :].replace("-o ", "--output ")
            assert all(option in example for option in needed), command

    def test_without_a_command(self):
        ran = run()
        assert ran.code == 2
        assert ran.out == ""
        assert all(f"\n  {command} " in ran.err for command in COMMANDS)

    def test_loads_nothing_heavy(self):
        source = """
from rosenblatt.cli.main import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)"""
        for arguments in (("--help",), ("fit", "--help"), ("--version",), ("fit", "--wrong")):
            loaded = set(run_here(source, *arguments).stderr.split())
            assert loaded.isdisjoint(HEAVY), arguments
            assert "rosenblatt.cli.commands.fit" in loaded


class TestCompletion:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_script(self, shell):
        environment = {**ENVIRONMENT, "_ROSENBLATT_COMPLETE": f"source_{shell}"}
        script = subprocess.run(
            [COMMAND], env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE
        )
        assert "rosenblatt" in script.stdout
        assert "_ROSENBLATT_COMPLETE" in script.stdout
        assert script.stderr == ""

    @pytest.mark.parametrize(
        ("typed", "offered"),
        [
            ("ex", {"explain", "export"}),
            ("fit --algorithm p", {"perceptron", "pocket", "pa"}),
            ("export --to s", {"sql"}),
        ],
    )
    def test_words(self, typed, offered):
        words = ["rosenblatt", *typed.split()]
        environment = {
            **ENVIRONMENT,
            "_ROSENBLATT_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(words),
            "COMP_CWORD": str(len(words) - 1),
        }
        ran = subprocess.run([COMMAND], env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert set(ran.stdout.split()) == offered


def test_a_reader_who_has_seen_enough(desk, tmp_path):
    with open(tmp_path / "long.csv", "w") as file:
        file.write(desk.text("noisy.csv"))
        file.write("".join(desk.text("noisy.csv").splitlines(keepends=True)[1:]) * 3000)
    process = started("predict", desk["noisy.json"], tmp_path / "long.csv")
    assert process.stdout.readline() == "label,score\n"
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(PATIENCE) == 0


class TestCtrlC:
    def test_while_learning_keeps_the_best_so_far(self, tmp_path):
        table, model = tmp_path / "t.csv", tmp_path / "m.json"
        table.write_text(loans(400, wrong=60))
        source = """
import os, signal, threading
from rosenblatt.rules.linear.perceptron import PerceptronRule
fit = PerceptronRule.fit

def interrupted(self, X, *arguments, **options):
    if len(X) > 2:  # not the rehearsal of the options
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    return fit(self, X, *arguments, **options)

PerceptronRule.fit = interrupted
from rosenblatt.cli.main import main
main()"""
        endless = ("-a", "perceptron", "--order", "random", "--max-passes", "1000000000")
        ran = run_here(source, "fit", table, "-t", "approved", "-o", model, *endless)
        assert ran.returncode == 130, ran
        assert "Interrupted: this is the best rule so far." in ran.stdout
        assert f"Model written to {model}" in ran.stdout
        of_a_constant = ("note: the rule predicts ", "note: --cost ")  # the best may be that
        notes = ran.stderr.splitlines()
        assert [line for line in notes if not line.startswith(of_a_constant)] == []
        for advice in [line for line in notes if line.startswith(of_a_constant[1])]:
            assert any(line.startswith(of_a_constant[0]) for line in notes), advice
        assert run("verify", model, table).code == 0

    def test_while_proving_writes_nothing(self, desk, tmp_path):
        source = """
import os, signal, threading, time
import rosenblatt.desk.check as verdict

def slow(*arguments, **options):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    time.sleep(60)

verdict.finding = slow
from rosenblatt.cli.main import main
main()"""
        ran = run_here(source, "check", desk["noisy.csv"], "-t", "approved", "-o", tmp_path / "p.json")
        assert ran.returncode == 130
        assert ran.stderr == "rosenblatt: interrupted; nothing was written\n"
        assert ran.stdout == ""
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize(
        ("command", "where"),
        [
            ("fit {0}.csv -t approved -o out.csv", "rosenblatt.cli.prefetch.read_table"),
            ("report {0}.csv -t approved -o out.csv", "rosenblatt.ship.explain.report.report_of"),
            ("predict {0}.json {0}.csv -o out.csv", "rosenblatt.desk.predict.predictions"),
            ("explain {0}.json {0}.csv --integers -o out.csv", "rosenblatt.desk.whole_points.integers"),
            ("verify {0}.json {0}.csv", "rosenblatt.desk.verifying.verify.verified"),
        ],
    )
    def test_leaves_old_files_alone(self, command, where, desk, tmp_path, monkeypatch):
        def stop(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(where, stop)
        (tmp_path / "out.csv").write_text("precious")
        force = ["--force"] if "-o" in command else []
        ran = run(*command.format(desk["noisy"]).split(), *force)
        assert ran.code == 130
        assert ran.err == "rosenblatt: interrupted; nothing was written\n"
        assert ran.out == ""
        assert os.listdir(tmp_path) == ["out.csv"]
        assert (tmp_path / "out.csv").read_text() == "precious"


def test_a_killed_fit_leaves_the_old_model(desk, tmp_path):
    model = tmp_path / "m.json"
    model.write_text(desk.text("clean.json"))
    source = """
import os, signal
import rosenblatt.ship.file.atomic as atomic
atomic.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from rosenblatt.cli.main import main
main()"""
    options = ("-t", "approved", "-a", "averaged", "-o", model, "--force", "--no-prove")
    ran = run_here(source, "fit", desk["noisy.csv"], *options)
    assert ran.returncode == -signal.SIGKILL
    assert model.read_text() == desk.text("clean.json")
    assert run("verify", model, desk["clean.csv"]).code == 0


def on_a_terminal(source, *arguments):
    """What a person sees, result and progress together."""
    code = (
        f"import sys; sys.argv = ['rosenblatt', *sys.argv[1:]]\n{source}\nfrom rosenblatt.cli.main import main\nmain()"
    )
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=theirs, stderr=theirs, env=ENVIRONMENT
    )
    os.close(theirs)
    seen = b""
    with suppress(OSError):  # the other end is closed
        while part := os.read(ours, 65536):
            seen += part
    os.close(ours)
    assert process.wait(PATIENCE) == 0
    return seen.decode()


SLOW = """
import time, rosenblatt.desk.check as verdict
from rosenblatt.progress import ticker
whole = verdict.finding
def slow(*arguments, **options):
    tick, begun = ticker("proving"), time.monotonic()
    while time.monotonic() - begun < {seconds}:
        tick(lambda: "17 rows are active")
        time.sleep(0.05)
    return whole(*arguments, **options)
verdict.finding = slow
"""


class TestProgress:
    def test_is_shown_once_two_seconds_have_passed(self, desk):
        seen = on_a_terminal(SLOW.format(seconds=3), "check", desk["clean.csv"], "-t", "approved")
        assert "proving: 17 rows are active" in seen
        assert "proving: proving" not in seen
        assert "Separable" in seen[seen.rindex("17 rows") :], "the result comes last"

    @pytest.mark.parametrize(
        ("patience", "options", "terminal", "shown"),
        [(0.0, [], True, True), (60.0, [], True, False), (0.0, ["--quiet"], True, False), (0.0, [], False, False)],
        ids=["slow", "quick", "quiet", "to a file"],
    )
    def test_goes_to_patient_terminals_only(self, patience, options, terminal, shown, desk, monkeypatch):
        monkeypatch.setattr("rosenblatt.cli.screen.PATIENCE", patience)
        ran = run("check", desk["noisy.csv"], "-t", "approved", "--json", *options, terminal=terminal)
        assert ("proving" in ran.err) == shown
        assert ("\x1b[?25l" in ran.err) == shown, "the cursor was hidden"
        assert ran.record["separable"] == [False]


@pytest.mark.parametrize("columns", [80, 120])
def test_a_wide_table_stays_readable(columns, tmp_path):
    names = [f"a_very_long_name_of_a_column_number_{k}" for k in range(30)]
    lines = [",".join([*names, "y"])]
    lines += [",".join([*(str(k * (j + 7) % 97) for j in range(30)), "ab"[k * k % 97 % 3 == 0]]) for k in range(291)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    options = ("-t", "y", "--seconds", "1", "-o", tmp_path / "m.json", "-a", "averaged", "--no-prove")
    assert run("fit", tmp_path / "t.csv", *options).code == 0
    for ran in (
        run("check", tmp_path / "t.csv", "-t", "y", "--seconds", "2", "--no-fewest", columns=columns),
        run("explain", tmp_path / "m.json", columns=columns),
    ):
        lines = [line for line in ran.out.splitlines() if "a_very_long" in line]
        assert len(lines) > 3
        assert max(map(len, lines)) <= columns
