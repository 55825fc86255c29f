"""Odd tables through every proof and every estimator, with every index checked.

    python tests/faults/fuzz_tables.py --tables 1000 --seed 0 --jobs 2
    python tests/faults/fuzz_tables.py --seed 0 --only 17

A fault is an exception that does not refuse the data, a warning that is not about convergence, an answer that is not
true, a call that takes more than LIMIT seconds, or the death of the process. Table k of a seed is always the same.
Tables are small, because what breaks is rarely a matter of size, and few options are tried, so that many tables are.

Everything is compiled, however small, bounds-checked, and kept in a folder of its own: numba does not tell it from code
without checks.
"""

import argparse
import multiprocessing
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path

if __name__ in ("__main__", "__mp_main__"):  # whoever imports this keeps its own settings
    os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")
    os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[2] / "build" / "bounds-checked"))
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from faults.fuzzed_tables import WARM_UP, Table, ordinary, table_of
from rosenblatt.errors import DataError, OptionError
from rosenblatt.rows import compiling, kernels
from rosenblatt.rows.storage import rows_of

LIMIT = 60.0  # seconds for a call that should take milliseconds; then its process is ended
SHOWN = 5.0  # seconds between two lines of progress
LINEAR = (
    rb.Perceptron, rb.PocketPerceptron, rb.AveragedPerceptron, rb.MarginPerceptron, rb.PassiveAggressive,
    rb.SecondOrderPerceptron,
)  # fmt: skip
ORDERS = "active", "cyclic", "random", "random-mistake", "worst"


# ---------------------------------------------------------------------------------------------------------
# What every table goes through
# ---------------------------------------------------------------------------------------------------------


class UntrueError(Exception):
    """An answer that cannot be."""


def holds(claim: bool, text: str) -> None:
    """Raise what a fault is made of."""
    if not claim:
        raise UntrueError(text)


def verdict(table: Table) -> None:
    found = rb.separability(table.X, table.y, **options(table), max_seconds=table.seconds)
    holds(found.separable is not None, "undecided")
    found.certificate.verify(table.X, table.y)
    table.separable = found.separable


def largest_margin(affine: bool) -> Callable[[Table], None]:
    def call(table: Table) -> None:
        if affine and (not table.fit_intercept or np.unique(table.y).size > 2):  # there is no such margin
            return
        found = rb.margin(table.X, table.y, affine=affine, fit_intercept=table.fit_intercept, max_seconds=table.seconds)
        holds(found.lower <= found.upper, f"margin from {found.lower} to {found.upper}")
        holds(found.certificate is not None, "margin without a proof")
        found.certificate.verify(table.X, table.y)

    return call


def fewest_mistakes(table: Table) -> None:
    several = np.unique(table.y).size > 2  # then ties are those of prediction
    ties = "minus" if several else table.ties
    found = rb.optimality(table.X, table.y, **options(table, ties=ties), max_seconds=table.seconds)
    found.verify(table.X, table.y)
    holds(found.lower <= found.upper, f"mistakes from {found.lower} to {found.upper}")
    same = ties == table.ties or table.fit_intercept
    strict = same or table.ties == "mistake"  # who is right without a tie is right under any rule for ties
    holds(table.separable is not True or found.lower == 0 or not strict, "separable, yet mistakes are needed")
    holds(table.separable is not False or found.upper > 0 or not same, "not separable, yet no mistakes")


def fitted(make: Callable[[Table], object], *, in_parts: bool = False) -> Callable[[Table], None]:
    """Fit, predict the rows learned from, and judge both."""

    def call(table: Table) -> None:
        rule = make(table)
        rule.fit(table.X, table.y, sample_weight=table.weights)
        judge(rule, table, rule.predict(table.X))
        if in_parts:
            rule = make(table)
            for _ in range(2):
                rule.partial_fit(table.X, table.y, classes=np.unique(table.y), sample_weight=table.weights)
            judge(rule, table, rule.predict(table.X))

    return call


def judge(rule: object, table: Table, predicted: np.ndarray) -> None:
    """Predictions are classes; a linear rule that says that it is right on every row is, and there must be one."""
    holds(np.isin(predicted, rule.classes_).all(), f"predicted {predicted.tolist()} of {rule.classes_}")
    if isinstance(rule, LINEAR) and rule.stop_reason_ is rb.Reason.SEPARATED and np.unique(table.y).size == 2:
        counted = slice(None) if table.weights is None else table.weights > 0
        holds((predicted == table.y)[counted].all(), "separated, yet some rows are wrong")
        other_rows = table.weights is not None or rule.normalize  # than those that the proof is about
        holds(table.separable is not False or other_rows, "separated what is not separable")


def stream(mode: str) -> Callable[[Table], None]:
    def call(table: Table) -> None:
        rule = rb.OnlinePerceptron(mode=mode, **options(table, classes=[0, 1]))
        rule.learn_many(table.X, table.y, sample_weight=table.weights)
        if isinstance(table.X, np.ndarray):
            for x, label in zip(table.X[:3], table.y.tolist(), strict=False):
                rule.learn_one(x.astype(float), label)
        judge(rule, table, rule.predict_many(table.X))

    return call


def options(table: Table, **more: object) -> dict:
    return {"fit_intercept": table.fit_intercept, "ties": table.ties} | more


def threshold(table: Table, **more: object) -> dict:
    return {"fit_intercept": table.fit_intercept} | more  # of a rule whose ties are always mistakes


CALLS: dict[str, Callable[[Table], None]] = {
    "separability": verdict,
    "margin": largest_margin(False),
    "affine margin": largest_margin(True),
    "optimality": fewest_mistakes,
    **{
        order: fitted(lambda t, order=order: rb.Perceptron(**options(t, order=order, max_passes=30, random_state=0)))
        for order in ORDERS[1:]
    },
    "active": fitted(lambda t: rb.Perceptron(**options(t, max_passes=100)), in_parts=True),
    "unit rows": fitted(lambda t: rb.Perceptron(**options(t, normalize=True, max_passes=30))),
    "pocket": fitted(lambda t: rb.PocketPerceptron(**options(t, max_updates=30, patience=3, random_state=0))),
    "pocket with margin": fitted(
        lambda t: rb.PocketPerceptron(
            **options(t, max_updates=30, patience=3, margin=0.1, multi_class="one-vs-rest", random_state=0)
        )
    ),
    "lifted": fitted(lambda t: rb.LiftedPerceptron(**threshold(t, max_passes=30))),
    "soft margin": fitted(lambda t: rb.SoftMarginPerceptron(**threshold(t))),
    "chosen": fitted(lambda t: rb.PerceptronCV(fit_intercept=t.fit_intercept, cv=3)),
    "averaged": fitted(lambda t: rb.AveragedPerceptron(**options(t)), in_parts=True),
    "voted": fitted(lambda t: rb.VotedPerceptron(**options(t, max_passes=4)), in_parts=True),
    "with margin": fitted(lambda t: rb.MarginPerceptron(**threshold(t, max_passes=30))),
    "passive-aggressive": fitted(lambda t: rb.PassiveAggressive(**threshold(t, random_state=0)), in_parts=True),
    "second order": fitted(lambda t: rb.SecondOrderPerceptron(**options(t, max_passes=20)), in_parts=True),
    "rbf": fitted(lambda t: rb.KernelPerceptron(max_passes=20), in_parts=True),
    "polynomial": fitted(lambda t: rb.KernelPerceptron(kernel="poly", budget=3, max_passes=20, random_state=0)),
    "tree": fitted(lambda t: rb.PerceptronTree(random_state=0)),
    "tree of perceptrons": fitted(
        lambda t: rb.PerceptronTree(test="perceptron", leaves="perceptron", criterion="gain ratio", prune=None)
    ),
    "stream": stream("perceptron"),
    "averaged stream": stream("averaged"),
}  # fmt: skip


def faults_of(table: Table, before: Callable[[str], None]) -> Iterator[tuple[str, str]]:
    """Send a table through all calls, each announced; gives those that fail, and how."""
    for name, call in CALLS.items():
        before(name)
        try:
            call(table)
        except (DataError, OptionError) as refusal:
            if isinstance(refusal, OptionError) and "the weights make" not in str(refusal):
                yield name, f"refused an option: {refusal}"
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            yield name, f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"


# ---------------------------------------------------------------------------------------------------------
# Processes: one that dies or hangs is a fault of the table it was at
# ---------------------------------------------------------------------------------------------------------


def check_that_indices_are_checked() -> None:
    """Of all, as all is compiled: by a call that would read, but not write, numbers beyond the end of an array."""
    compiling.compile_all()
    try:
        kernels.score(rows_of(np.ones((1, 4)), bias=0.0), 0, np.ones(2))
    except IndexError:
        return
    raise SystemExit("compiled code is not bounds-checked: is NUMBA_CACHE_DIR used without NUMBA_BOUNDSCHECK=1, too?")


def work(results: Connection, seed: int, numbers: range) -> None:
    """Compile what is needed, then go through these tables; tell where it is, and what fails."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", ConvergenceWarning)
    check_that_indices_are_checked()
    for table in ordinary():
        for name, fault in faults_of(table, lambda name: None):
            results.send(("fault", -1, name, f"{fault} on an ordinary table: {table}"))
    results.send(("ready", -1, "", ""))
    for number in numbers:
        table = table_of(seed, number)
        for name, fault in faults_of(table, lambda name, number=number: results.send(("at", number, name, ""))):
            results.send(("fault", number, name, fault))
    results.send(("done", -1, "", ""))


class Job:
    """A process that works through some tables, and is started again behind a table that kills it."""

    def __init__(self, seed: int, numbers: range) -> None:
        self.seed, self.numbers, self.calls, self.done = seed, numbers, 0, False
        self.faults: list[tuple[int, str, str]] = []
        self.start()

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.results, theirs = context.Pipe(duplex=False)
        self.process = context.Process(target=work, args=(theirs, self.seed, self.numbers), daemon=True)
        self.process.start()
        theirs.close()
        self.ready, self.number, self.name, self.heard = False, -1, "", time.monotonic()

    def hear(self) -> None:
        """Take what the process has to say."""
        try:
            what, number, name, fault = self.results.recv()
        except EOFError:
            self.process.join()
            self.note(self.number, self.name, f"the process died with exit code {self.process.exitcode}")
            self.go_on()
            return
        self.heard = time.monotonic()
        if what == "fault":
            self.note(number, name, fault)
        elif what == "at":
            self.number, self.name, self.calls = number, name, self.calls + 1
        self.ready |= what == "ready"
        self.done |= what == "done"

    def end_if_it_hangs(self) -> None:
        if time.monotonic() - self.heard > (LIMIT if self.ready else WARM_UP):
            self.process.kill()
            self.process.join()
            self.note(self.number, self.name, f"no end after {LIMIT:.0f} s")
            self.go_on()

    def note(self, number: int, name: str, fault: str) -> None:
        self.faults.append((number, name, fault))
        print(f"table {number}, {name}: {fault}", file=sys.stderr, flush=True)

    def go_on(self) -> None:
        """Another process, which begins behind the present table."""
        left = [] if self.number < 0 else range(self.number + self.numbers.step, self.numbers.stop, self.numbers.step)
        if len(left):
            self.numbers = left
            self.start()
        else:
            self.done = True


def fuzz(seed: int, tables: int, jobs: int) -> list[tuple[int, str, str]]:
    """Go through tables 0 .. tables-1 of a seed in some processes; tells how far it has come."""
    began = shown = time.monotonic()
    running = [Job(seed, range(0, tables, jobs))]
    while not all(job.done for job in running):
        for results in wait([job.results for job in running if not job.done], timeout=1.0):
            next(job for job in running if job.results is results).hear()
        for job in running:
            if not job.done:
                job.end_if_it_hangs()
        if running[0].ready and len(running) < jobs:  # what the first has compiled, the others read
            running += [Job(seed, range(k, tables, jobs)) for k in range(1, jobs)]
            print(f"compiled after {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        if time.monotonic() - shown > SHOWN:
            shown = time.monotonic()
            print(progress(running), file=sys.stderr, flush=True)
    faults = sorted(fault for job in running for fault in job.faults)
    calls, seconds = sum(job.calls for job in running), time.monotonic() - began
    print(f"{tables} tables, {calls} calls, {len(faults)} faults, {seconds:.0f} seconds")
    return faults


def progress(running: list[Job]) -> str:
    if not running[0].ready:
        return "compiling"
    tables, calls = sum(job.number // job.numbers.step + 1 for job in running), sum(job.calls for job in running)
    return f"{tables} tables, {calls} calls, {sum(len(job.faults) for job in running)} faults"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of one table, which is gone through in this process")
    asked = parser.parse_args()
    if asked.only is None:
        faults = fuzz(asked.seed, asked.tables, asked.jobs)
    else:
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        check_that_indices_are_checked()
        table = table_of(asked.seed, asked.only)
        print(table, flush=True)
        found = faults_of(table, lambda name: print(f"  {name}", file=sys.stderr, flush=True))
        faults = [(asked.only, name, fault) for name, fault in found]
    for number, name, fault in faults:
        print(f"{name}: {fault}; again with --seed {asked.seed} --only {number}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
