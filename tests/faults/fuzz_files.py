"""Files that say something else than they said: every field of every golden file changed, and signed again.

    PYTHONPATH=src:tests python tests/faults/fuzz_files.py --files 100000 --seed 1 --jobs 2

A changed file is refused in one line, or used as it then is: by every command, without a traceback, within 5 seconds
and 500 MB. What `verify` lets hold is compared with what the rule does (`false_claims`). A file that does otherwise is
written to --keep. Findings go to standard output, a line each, then the counts.
"""

import argparse
import json
import os
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from cli.running import Ran, run
from faults.mutating import Case, drawn
from rosenblatt import OnlinePerceptron, Reason
from rosenblatt.desk.split import HoldOut
from rosenblatt.desk.verifying.verify import claims_in
from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.prove.check.certificate import ErrorInterval, Separation
from rosenblatt.ship.file.modelfile import Model

SECONDS, BYTES = 5.0, 500_000_000  # of processors and of memory, that a file may take
ODD_TEXTS = ("Traceback", "Unable to allocate", "not enough memory", "bug in rosenblatt", "it is damaged")
EXPORTS = ("sql", "onnx", "pmml", "python", "json")


# -- what becomes of it ----------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What a changed file led to."""

    refused: bool = False
    codes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    excess: list[str] = field(default_factory=list)  # of time or memory
    false: list[str] = field(default_factory=list)  # claims that hold, they say
    seconds: float = 0.0
    bytes: int = 0


def tried(case: Case, folder: Path) -> Outcome:
    """Read a file and, where it is accepted, let every command use it."""
    out, path = Outcome(), folder / "case.json"
    path.write_text(case.text, "utf-8")
    before, begun = reset_peak(), time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _use(case, path, out)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        out.faults.append(f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"[:300])
    out.seconds, out.bytes = time.process_time() - begun, max(peak() - before, 0)
    if out.seconds > SECONDS:
        out.excess.append(f"{out.seconds:.1f} seconds")
    if out.bytes > BYTES:
        out.excess.append(f"{out.bytes / 1e6:.0f} MB")
    return out


def _use(case: Case, path: Path, out: Outcome) -> None:
    try:
        claims = claims_in(str(path))
    except ModelError as error:
        out.refused = True
        told = str(error)
        out.faults += [f"says {told!r}" for odd in ODD_TEXTS if odd in told]
        if not told.isprintable() or len(told) > 2000:
            out.faults.append(f"a message of several lines, or a long one: {told[:200]!r}")
        return
    if isinstance(claims, Model) and claims.encoding is None:
        _use_estimator(claims, out)
        return
    if isinstance(claims, Model):
        said, given = json.loads(claims.text()), json.loads(case.text)
        if said | {"sha256": ""} != given | {"sha256": ""}:
            out.faults.append("it is written otherwise than it was read")
    for arguments in _commands(case, claims):
        names = {"FILE": str(path), "OUT": str(path.with_name("out"))}
        _note(out, arguments[0], run(*(names.get(word, word) for word in arguments)))
    if isinstance(claims, Model) and out.codes["verify 0"]:
        out.false += false_claims(claims, case.subject.table)


def _commands(case: Case, claims: Any) -> Iterator[tuple[str, ...]]:
    table, target = case.subject.table, case.subject.target
    yield ("verify", "FILE", table, "--json", *(("-t", target) if target and table.endswith(".csv") else ()))
    if isinstance(claims, Model):
        yield ("predict", "FILE", table, "-q")
        yield ("explain", "FILE", "--json")
        if not table.endswith(".libsvm"):
            yield ("predict", "FILE", table, "-q", "--reasons", "2", "--judge")
        for to in EXPORTS:
            yield ("export", "FILE", "--to", to, "-q", "-f", "-o", "OUT")
        yield ("export", "FILE", "--to", "sql", "--table", "t", "-q")


def _note(out: Outcome, command: str, ran: Ran) -> None:
    """Look at how a command ended, and at what it said."""
    out.codes[f"{command} {ran.code}"] += 1
    told = [line for line in ran.err.splitlines() if line.startswith("rosenblatt: ")]
    odd = [text for text in ODD_TEXTS if text in ran.err]
    if ran.code not in (0, 1, 2, 3) or odd or len(told) != (ran.code > 1):
        out.faults.append(f"{command}: exit code {ran.code}: {ran.err.strip()[:300]!r}")


def _use_estimator(model: Model, out: Outcome) -> None:
    """Predict with a rule that a file made up, and write it down; it may refuse, but not in an odd way."""
    model.text()
    rule = model.estimator
    try:
        with np.errstate(all="ignore"):  # as scikit-learn's users have it: scores may be infinite, labels are there
            if isinstance(rule, OnlinePerceptron):
                rule.predict_one({"a": 1.0} if rule.feature_names_ else {0: 1.0})
            else:
                rule.feature_names_in_ = None
                many = rule.n_features_in_
                rule.predict(np.ones((2, many)) if many < 10**6 else csr_array((2, many)))
    except RosenblattError as error:
        out.codes[f"predict {type(error).__name__}"] += 1


def false_claims(model: Model, table: str) -> list[str]:
    """The claims of a model, all of which `verify` has let hold, that are not so by what the rule predicts.

    More claims are judged by adding to the sentences here.
    """
    from rosenblatt.desk.data import encoded
    from rosenblatt.read.sources import read_table

    assert model.encoding is not None
    judged = model.held_out or {}
    data = encoded(read_table(table), model.encoding, judged.get("weights"))
    data = data.seen_by(model.rule)
    part, aside, seed = (judged.get(name) or 0 for name in ("part", "set_aside", "seed"))
    tested, out = (HoldOut(float(share), seed)(0, data.n) for share in (part, part + aside))
    own = model.rule.predict(data.X).astype(int)
    said = own if model.decision is None else model.decision.codes(model.rule.scores(data.X), own)
    wrong, decided = own != data.y, tested & (said >= 0)  # below 0: left to people
    error = judged.get("error") or {}
    claims = {
        "trained_rows": (judged.get("trained_rows"), int((~out).sum())),
        "trained_mistakes": (judged.get("trained_mistakes"), int(wrong[~out].sum())),
    }
    if not judged.get("folds"):
        claims |= {
            "error.rows": (error.get("rows"), int(decided.sum())),
            "error.mistakes": (error.get("mistakes"), int((said != data.y)[decided].sum())),
        }
    rule, trained = model.estimator, int(wrong[~out].sum())
    for certificate in model.certificates:
        if isinstance(certificate, ErrorInterval):
            ties = int((rule.decision_function(data.X)[~out] == 0).sum()) if certificate.ties == "mistake" else 0
            claims["interval"] = (trained <= certificate.upper <= trained + ties, True)
        if isinstance(certificate, Separation) and certificate.ties != "mistake":
            claims["separation"] = (certificate.statement.startswith(("Counting", "Without")), True)
    unweighted = data.weights is None and "weights" in judged  # older files do not name them, and that is said
    if getattr(rule, "stop_reason_", None) is Reason.SEPARATED and unweighted:
        claims["stop_reason"] = (0, trained)
    for name in ("mistakes_", "training_mistakes_", "cost_"):
        if np.isscalar(claimed := getattr(rule, name, None)) and unweighted and rule.class_weight is None:
            claims[name] = (claimed, trained)
    return [
        f"{name} is {said}, not {found}" for name, (said, found) in claims.items() if said is not None and said != found
    ]


def reset_peak() -> int:
    """Forget the most memory that this process had, and tell how much it has; 0 where the system is not Linux."""
    if sys.platform != "linux":
        return 0
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return _status("VmRSS")


def peak() -> int:
    """The most memory that this process had since then."""
    return _status("VmHWM") if sys.platform == "linux" else 0


def _status(name: str) -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))


# -- many of them ----------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What many files led to."""

    files: int = 0
    refused: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str]] = field(default_factory=list)
    excess: list[tuple[str, str]] = field(default_factory=list)
    false: list[tuple[str, str]] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    largest: tuple[int, str] = (0, "")

    def add(self, case: Case, outcome: Outcome, keep: Path | None = None) -> None:
        """Count one more."""
        self.files += 1
        self.refused += outcome.refused
        self.codes += outcome.codes
        self.faults += [(case.what, fault) for fault in outcome.faults]
        self.excess += [(case.what, much) for much in outcome.excess]
        self.false += [(case.what, claim) for claim in outcome.false]
        self.slowest = max(self.slowest, (outcome.seconds, case.what))
        self.largest = max(self.largest, (outcome.bytes, case.what))
        if keep is not None and (outcome.faults or outcome.excess or outcome.false):
            name = sha256(case.text.encode()).hexdigest()[:12]
            (keep / f"{name}.json").write_text(case.text, "utf-8")

    def join(self, other: "Tally") -> None:
        """Count what another has counted."""
        self.files, self.refused = self.files + other.files, self.refused + other.refused
        self.codes += other.codes
        self.faults += other.faults
        self.excess += other.excess
        self.false += other.false
        self.slowest, self.largest = max(self.slowest, other.slowest), max(self.largest, other.largest)


def counted(cases: Iterator[Case], keep: Path | None = None) -> Tally:
    """Try some files, one after the other."""
    tally = Tally()
    with TemporaryDirectory() as folder:
        for case in cases:
            tally.add(case, tried(case, Path(folder)), keep)
    return tally


def _batch(seed: str, many: int, keep: str | None) -> Tally:
    rng = random.Random(seed)
    return counted((drawn(rng) for _ in range(many)), Path(keep) if keep else None)


def main() -> int:
    """Try many files at random, and tell what was found; the exit code is 1 where something was."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="folder for the files that led to a finding")
    given = parser.parse_args()
    if given.keep:
        os.makedirs(given.keep, exist_ok=True)
    begun, size, tally = time.perf_counter(), 200, Tally()
    sizes = [min(size, given.files - first) for first in range(0, given.files, size)]
    with ProcessPoolExecutor(given.jobs) as pool:
        batches = [pool.submit(_batch, f"{given.seed} {k}", many, given.keep) for k, many in enumerate(sizes)]
        for batch in batches:
            found = batch.result()
            for kind in ("faults", "excess", "false"):
                for what, told in getattr(found, kind):
                    print(f"{kind}: {what}\n    {told}", flush=True)
            tally.join(found)
    seconds = time.perf_counter() - begun
    print(f"{tally.files} files in {seconds:.0f} s, {60 * tally.files / seconds:.0f} a minute: {tally.refused} refused")
    print(", ".join(f"{name}: {count}" for name, count in sorted(tally.codes.items())))
    print(f"slowest: {tally.slowest[0]:.2f} s ({tally.slowest[1]})")
    print(f"largest: {tally.largest[0] / 1e6:.0f} MB ({tally.largest[1]})")
    print(f"{len(tally.faults)} faults, {len(tally.excess)} over the limits, {len(tally.false)} false claims that hold")
    return 1 if tally.faults or tally.excess or tally.false else 0


if __name__ == "__main__":
    sys.exit(main())
