"""The certificates that a run of PLA provides by itself."""

from collections import Counter
from math import inf, nextafter

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.learn.run_state import Run
from rosenblatt.prove.check import exact
from rosenblatt.prove.check.certificate import Contradiction, NoMargin, RunRecord, hinge_bound, shape_of, upper_bound
from rosenblatt.prove.check.exact import Number
from rosenblatt.prove.solve.separability import contradiction
from rosenblatt.rows import find, kernels
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import numbers_per_row


def no_margin(examples: Examples, run: Run) -> NoMargin:
    """The smallest margin that the run refutes: from any start, no unit vector has more than ||sum z_t|| / T."""
    if not run.updates:
        raise OptionError("a run without a correction refutes no margin")
    _refuse_parts(run)
    rows, counts = (tuple(numbers.tolist()) for numbers in run.ledger.counts())
    margin = nextafter(upper_bound(examples, rows, counts), inf)
    return NoMargin(**shape_of(examples), margin=margin, rows=rows, counts=counts)


def run_record(
    examples: Examples,
    run: Run,
    *,
    start: Array,
    order: str,
    ties: str,
    reference: Array | None = None,
    level: float = 0.0,
) -> RunRecord:
    """The run as a record that anyone can replay; with a reference u, also its bound at this level of y (u . x)."""
    _refuse_parts(run)
    rows = run.ledger.rows.tolist()
    u: tuple[Number, ...] = tuple(np.asarray(reference, float).tolist()) if reference is not None else ()
    return RunRecord(
        **shape_of(examples), order=str(order), ties=ties,
        start=tuple(start.tolist()), corrections=tuple(rows), weights=tuple(run.weights.tolist()), reference=u,
        level=float(level), bound=hinge_bound(examples, Counter(rows), u, level) if u else 0,
    )  # fmt: skip


def recurrence(
    examples: Examples, run: Run, start: Array, ties: str, most_numbers: float = inf
) -> Contradiction | None:
    """The contradiction that follows when the weights of a run on whole numbers return to an earlier value.

    The rows corrected in between add up to zero. The search is Brent's (BIT 20, 1980): w is compared with a mark that
    moves on whenever the corrections since it have doubled. Weights below 2^52 are exact. It takes as long as the
    corrections did, and is not started if those read more than `most_numbers`.
    """
    if run.updates * numbers_per_row(examples.rows) > most_numbers:
        return None
    reach = find.norm(start) + run.updates * examples.radius
    if not (examples.rows.whole and find.is_whole(start) and find.is_whole(examples.weights) and reach < 2.0**52):
        return None
    w, begin, length = start.copy(), 0, 1
    while begin < run.updates:
        mark, seen = w.copy(), begin
        for rows in run.ledger.pieces(begin, begin + length):
            back = kernels.replay_until(examples.rows, examples.labels, w, rows, mark)
            if back > 0:
                return _returned(examples, run, begin, seen + back, ties)
            seen += rows.size
        begin, length = begin + length, 2 * length
    return None


def _returned(examples: Examples, run: Run, begin: int, end: int, ties: str) -> Contradiction | None:
    """The contradiction between two equal weights; None if all of the rows may score zero."""
    rows, counts = run.ledger.counts(begin, end)
    if not any(exact.tie_is_wrong(ties, label) for label in examples.labels[rows].tolist()):
        return None
    return contradiction(examples, ties, tuple(rows.tolist()), tuple(counts.tolist()))


def _refuse_parts(run: Run) -> None:
    if not run.ledger.is_whole:
        raise OptionError("a run with fractional sample weights has no certificate: its corrections are not whole rows")
