"""Odd tables through every proof and every estimator, with every index checked.

    python tests/faults/fuzz_tables.py --tables 1000 --seed 0 --jobs 2
    python tests/faults/fuzz_tables.py --tables 1000 --seed 0 --first 1000 --in-turn
    python tests/faults/fuzz_tables.py --seed 0 --only 17

A fault is an exception that does not refuse the data, a warning that is not about convergence, an answer that is not
true, a call that does not end, or the death of the process. Table k of a seed is always the same. Tables are small,
because what breaks is rarely a matter of size, and few options are tried, so that many tables are.

A call does not end if the processors have worked LIMIT seconds on it, however long that took beside other work; or if
it was waited for WAIT seconds, as for one that sleeps.

With --in-turn a table goes through one variant of every estimator instead of all: more tables in the same time.

A run may be done in parts, also by different machines: --first says with which table one begins, and the last line of
a part, even of one that was interrupted, says which tables are done, by which sources.

Everything is compiled, however small, bounds-checked, and kept in a folder of its own: numba does not tell it from code
without checks.
"""

import argparse
import faulthandler
import multiprocessing
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, MutableSequence
from hashlib import sha256
from multiprocessing.connection import Connection, wait
from pathlib import Path

if __name__ in ("__main__", "__mp_main__"):  # whoever imports this keeps its own settings
    os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")
    os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[2] / "build" / "bounds-checked"))
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from faults.fuzzed_calls import CALLS, in_turn
from faults.fuzzed_tables import WARM_UP, Table, ordinary, table_of
from rosenblatt.errors import DataError, OptionError
from rosenblatt.rows import compiling, kernels
from rosenblatt.rows.storage import rows_of

LIMIT = 20.0  # seconds of work on a call that should take milliseconds; then its process is ended
WAIT = 1800.0  # seconds by the clock
SHOWN = 5.0  # seconds between two lines of progress


def faults_of(
    table: Table, before: Callable[[str], None], names: Iterable[str] | None = None
) -> Iterator[tuple[str, str]]:
    """Send a table through these calls, or all, each announced; gives those that fail, and how."""
    for name in CALLS if names is None else names:
        before(name)
        try:
            CALLS[name](table)
        except (DataError, OptionError) as refusal:
            if isinstance(refusal, OptionError) and "the weights make" not in str(refusal):
                yield name, f"refused an option: {refusal}"
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            yield name, f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"


# ---------------------------------------------------------------------------------------------------------
# Processes: one that dies or hangs is a fault of the table it was at
# ---------------------------------------------------------------------------------------------------------


Place = MutableSequence[int]  # shared with the process that is there: the table, the call, and how many were begun


def check_that_indices_are_checked() -> None:
    """Of all, as all is compiled: by a call that would read, but not write, numbers beyond the end of an array."""
    compiling.compile_all()
    try:
        kernels.score(rows_of(np.ones((1, 4)), bias=0.0), 0, np.ones(2))
    except IndexError:
        return
    raise SystemExit("compiled code is not bounds-checked: is NUMBA_CACHE_DIR used without NUMBA_BOUNDSCHECK=1, too?")


def work(results: Connection, place: Place, seed: int, numbers: range, taking_turns: bool) -> None:
    """Compile what is needed, then go through these tables; tell where it is, what fails, and what takes long."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this process ends it
    faulthandler.register(signal.SIGPROF, chain=True)  # which comes when work has taken too long, even compiled work
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", ConvergenceWarning)
    check_that_indices_are_checked()
    for table in ordinary():
        for name, fault in faults_of(table, lambda name: None):
            results.send(("fault", -1, name, f"{fault} on an ordinary table: {table}"))
    results.send(("ready", -1, "", ""))
    names, longest = list(CALLS), 0.0
    for number in numbers:
        table, began = table_of(seed, number), time.process_time()

        def before(name: str, number: int = number) -> None:
            place[:] = number, names.index(name), place[2] + 1
            signal.setitimer(signal.ITIMER_PROF, LIMIT)

        for name, fault in faults_of(table, before, in_turn(number) if taking_turns else None):
            results.send(("fault", number, name, fault))
        if (seconds := time.process_time() - began) > longest:
            longest = seconds
            results.send(("longest", number, "", seconds))
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    results.send(("done", -1, "", ""))


class Job:
    """A process that works through some tables, and is started again behind a table that kills it."""

    def __init__(self, seed: int, numbers: range, taking_turns: bool) -> None:
        self.seed, self.numbers, self.calls_before, self.done = seed, numbers, 0, False
        self.taking_turns = taking_turns
        self.faults: list[tuple[int, str, str]] = []
        self.longest = 0.0, -1  # seconds of work, and on which table
        self.start()

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.results, theirs = context.Pipe(duplex=False)
        self.place: Place = context.RawArray("q", [-1, 0, 0])
        arguments = theirs, self.place, self.seed, self.numbers, self.taking_turns
        self.process = context.Process(target=work, args=arguments, daemon=True)
        self.process.start()
        theirs.close()
        self.ready, self.seen, self.moved = False, 0, time.monotonic()

    @property
    def calls(self) -> int:
        """How many were begun."""
        return self.calls_before + self.place[2]

    @property
    def next(self) -> int:
        """The first of its tables that it has not gone through."""
        return self.numbers.stop if self.done else max(self.place[0], self.numbers.start)

    def hear(self) -> None:
        """Take what the process has to say."""
        try:
            what, number, name, told = self.results.recv()
        except EOFError:
            self.process.join()
            code = self.process.exitcode
            too_long = code == -signal.SIGPROF
            self.go_on(f"no end after {LIMIT:.0f} s of work" if too_long else f"the process died with exit code {code}")
            return
        if what == "fault":
            self.note(number, name, told)
        elif what == "longest":
            self.longest = max(self.longest, (told, number))
        self.ready |= what == "ready"
        self.done |= what == "done"

    def end_if_it_hangs(self) -> None:
        if self.place[2] != self.seen:
            self.seen, self.moved = self.place[2], time.monotonic()
        if time.monotonic() - self.moved > (WAIT if self.ready else WARM_UP):
            self.process.kill()
            self.process.join()
            self.go_on(f"no end after {WAIT:.0f} s of waiting")

    def note(self, number: int, name: str, fault: str) -> None:
        self.faults.append((number, name, fault))
        print(f"table {number}, {name}: {fault}", file=sys.stderr, flush=True)

    def go_on(self, fault: str) -> None:
        """Note what became of the process; another one begins behind the present table."""
        number, call, _ = self.place
        if number < 0:
            raise SystemExit(f"before the first table: {fault}")
        self.note(number, list(CALLS)[call], fault)
        self.numbers = range(number + self.numbers.step, self.numbers.stop, self.numbers.step)
        self.calls_before, self.place[2] = self.calls, 0
        if len(self.numbers):
            self.start()
        else:
            self.done = True


def fuzz(seed: int, tables: int, jobs: int, first: int = 0, taking_turns: bool = False) -> list[tuple[int, str, str]]:
    """Go through some tables of a seed in some processes; tells how far it has come, the last time if interrupted."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = shown = time.monotonic()
    stop = first + tables
    running = [Job(seed, range(first, stop, jobs), taking_turns)]
    try:
        while not all(job.done for job in running):
            for results in wait([job.results for job in running if not job.done], timeout=1.0):
                next(job for job in running if job.results is results).hear()
            for job in running:
                if not job.done:
                    job.end_if_it_hangs()
            if running[0].ready and len(running) < jobs:  # what the first has compiled, the others read
                running += [Job(seed, range(first + k, stop, jobs), taking_turns) for k in range(1, jobs)]
                print(f"compiled after {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
            if time.monotonic() - shown > SHOWN:
                shown = time.monotonic()
                print(progress(running), file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        stop = min(job.next for job in running) if len(running) == jobs else first
    faults = sorted(fault for job in running for fault in job.faults)
    calls, seconds = sum(job.calls for job in running), time.monotonic() - began
    longest, number = max(job.longest for job in running)
    print(
        f"{stop - first} tables, {calls} calls, {len(faults)} faults, {seconds:.0f} seconds: "
        f"tables {first} to {stop - 1} of seed {seed}; {sources()}; at most {longest:.1f} s of work (table {number})",
        flush=True,
    )
    return faults


def sources() -> str:
    """Which code this is: parts of a run belong together if they say the same."""
    code = sorted(Path(rb.__file__).parent.rglob("*.py"))
    fuzzer = [Path(__file__).with_name(f"{name}.py") for name in ("fuzz_tables", "fuzzed_calls", "fuzzed_tables")]
    digest = sha256(b"".join(path.read_bytes() for path in code + fuzzer)).hexdigest()
    return f"rosenblatt {rb.__version__}, sources {digest[:12]}"


def progress(running: list[Job]) -> str:
    if not running[0].ready:
        return "compiling"
    calls, faults = sum(job.calls for job in running), sum(len(job.faults) for job in running)
    return f"all tables below {min(job.next for job in running)}, {calls} calls, {faults} faults"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first table")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--in-turn", action="store_true", help="one variant of every estimator for each table")
    parser.add_argument("--only", type=int, help="the number of one table, which is gone through in this process")
    asked = parser.parse_args()
    if asked.only is None:
        faults = fuzz(asked.seed, asked.tables, asked.jobs, asked.first, asked.in_turn)
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
