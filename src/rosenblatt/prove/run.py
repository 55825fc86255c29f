"""What a run of PLA proves by itself, as certificates."""

from collections import Counter
from math import inf, nextafter

import numpy as np

from rosenblatt import kernels, search
from rosenblatt.errors import OptionError
from rosenblatt.examples import Examples
from rosenblatt.kernels import Array
from rosenblatt.learn.walk import Run
from rosenblatt.prove import exact
from rosenblatt.prove.certificate import Contradiction, NoMargin, RunRecord, hinge_bound, upper_bound
from rosenblatt.prove.exact import Number
from rosenblatt.prove.separability import contradiction


def no_margin(examples: Examples, run: Run) -> NoMargin:
    """The least margin that the run refutes: from any start, no unit vector has more than ||sum z_t|| / T."""
    if not run.updates:
        raise OptionError("a run without a correction refutes no margin")
    counted = Counter(_corrections(run))
    rows, counts = tuple(counted), tuple(counted.values())
    margin = nextafter(upper_bound(examples, rows, counts), inf)
    return NoMargin(
        n=examples.n, features=examples.size - 1, bias=examples.rows.bias, margin=margin, rows=rows, counts=counts
    )


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
    """The run, to be replayed by anyone; with a reference u, the bound that it gives at this level of y (u . x)."""
    rows = _corrections(run)
    u: tuple[Number, ...] = tuple(np.asarray(reference, float).tolist()) if reference is not None else ()
    return RunRecord(
        n=examples.n, features=examples.size - 1, bias=examples.rows.bias, order=str(order), ties=ties,
        start=tuple(start.tolist()), corrections=tuple(rows), weights=tuple(run.weights.tolist()), reference=u,
        level=float(level), bound=hinge_bound(examples, Counter(rows), u, level) if u else 0,
    )  # fmt: skip


def recurrence(examples: Examples, run: Run, start: Array, ties: str) -> Contradiction | None:
    """The contradiction that a run on whole numbers runs into when its weights come back to where they had been.

    What was corrected in between adds up to zero. The search is Brent's (BIT 20, 1980): w is compared with a mark that
    moves on whenever the corrections since it have doubled. Weights below 2^52 are exact.
    """
    reach = search.norm(start) + run.updates * examples.radius
    if not (examples.rows.whole and search.is_whole(start) and search.is_whole(examples.weights) and reach < 2.0**52):
        return None
    rows, w = run.ledger.rows, start.copy()
    begin, length = 0, 1
    while begin < rows.size:
        part = rows[begin : begin + length]
        back = kernels.replay_until(examples.rows, examples.labels, w, part, w.copy())
        if back > 0:
            counted = Counter(part[:back].tolist())
            if not any(exact.tie_is_wrong(ties, int(examples.labels[row])) for row in counted):
                return None
            return contradiction(examples, ties, tuple(counted), tuple(counted.values()))
        begin, length = begin + length, 2 * length
    return None


def _corrections(run: Run) -> list[int]:
    """The rows that were corrected, in order."""
    if (run.ledger.entries() < 0).any():
        raise OptionError("a run with fractional sample weights has no certificate: its corrections are not whole rows")
    return [int(row) for row in run.ledger.rows]
