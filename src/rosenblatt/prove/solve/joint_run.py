"""The certificates that a run of the perceptron of several classes provides by itself."""

from dataclasses import replace
from math import inf, nextafter

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.run_state import Run
from rosenblatt.prove.check.joint_certificate import JointContradiction, JointNoMargin, shape_of_classes, upper_bound
from rosenblatt.prove.solve import run as of_two_classes
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import numbers_per_row

MOST_NUMBERS = 50_000_000  # of the signed rows that a run is replayed on


def no_margin(examples: JointExamples, run: Run) -> JointNoMargin:
    """The smallest margin that the run refutes: from any start, no W of length 1 has more than ||sum z_t|| / T."""
    if not run.updates:
        raise OptionError("a run without a correction refutes no margin")
    if not run.ledger.is_whole:
        raise OptionError("a run with fractional sample weights has no certificate: its corrections are not whole rows")
    pairs, counts = run.ledger.counts()
    rows, rivals = (tuple(numbers.tolist()) for numbers in np.divmod(pairs, len(examples.classes)))
    many = tuple(counts.tolist())
    margin = nextafter(upper_bound(examples, rows, rivals, many), inf)
    return JointNoMargin(**shape_of_classes(examples), margin=margin, rows=rows, rivals=rivals, counts=many)


def recurrence(
    examples: JointExamples, run: Run, start: Array, ties: str, most_numbers: float = inf
) -> JointContradiction | None:
    """The contradiction that follows when the weights of a run on whole numbers return to an earlier value.

    The run is replayed on the signed rows of the pairs that it corrected.
    """
    if not examples.rows.whole or not run.ledger.is_whole:  # which is quick to check
        return None
    pairs, _ = run.ledger.counts()
    if 2 * pairs.size * numbers_per_row(examples.rows) > MOST_NUMBERS:
        return None
    rows, rivals = np.divmod(pairs, len(examples.classes))
    signed, ledger = examples.signed(rows, rivals), Ledger(np.append(start.ravel(), 0.0), pairs.size, np.int32)
    for entries in run.ledger.pieces():
        ledger.append(np.searchsorted(pairs, entries))
    found = of_two_classes.recurrence(signed, replace(run, ledger=ledger), ledger.start, ties, most_numbers)
    return None if found is None else contradiction(examples, ties, rows, rivals, found.rows, found.weights, True)


def contradiction(
    examples: JointExamples,
    ties: str,
    rows: Array,
    rivals: Array,
    places: tuple[int, ...],
    weights: tuple[int, ...],
    whole: bool,
) -> JointContradiction:
    """The certificate for the pairs at these indices."""
    chosen = list(places)
    return JointContradiction(
        **shape_of_classes(examples), ties=ties, rows=tuple(rows[chosen].tolist()),
        rivals=tuple(rivals[chosen].tolist()), weights=weights, exact=whole,
    )  # fmt: skip
