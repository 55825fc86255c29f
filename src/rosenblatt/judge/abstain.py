"""Yes, no, or ask a person: two cut-offs that keep the error rate below a limit, with a stated confidence.

Problem   a rule errs more often than can be tolerated, but less often on the rows that it is sure of. Which rows may
          it decide alone?
Input     rows that neither the rule nor the ladder was made from, drawn alike and independently; tolerable rates.
Result    `Abstention`: the boldest rung of the ladder for which every rate is shown to be tolerable, with the counts.
Papers    Geifman and El-Yaniv 2017 (selection with guaranteed risk); Angelopoulos, Bates, Candes, Jordan and Lei 2021
          (learn then test); the binomial test of Clopper and Pearson 1934.

For each rung, "some rate is above what is tolerable" is a hypothesis. It is rejected if the p-value of every rate's
binomial test is at most delta = 1 - confidence: were the rate higher, k errors or fewer among m rows would have
probability at most delta. The rungs are tested in their order, up to the first that is not rejected. A wrong claim
needs the first true hypothesis of the order to be rejected, which happens with probability at most delta; so delta need
not be divided among the rungs, nor among the rates. The order and the first rung are fixed before the rows are seen:
they depend on the ladder, the tolerances, the confidence, how many rows there are and, if they are given, the rows that
the ladder was made from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import DataError, OptionError
from rosenblatt.judge import binomial
from rosenblatt.judge.ladder import Ladder, Rung
from rosenblatt.judge.scored import NO_AND_YES, Names, Scored
from rosenblatt.options import one_of
from rosenblatt.plurals import many
from rosenblatt.rows.kernels import Array

NOTHING = Rung(None, None)  # decides no row
SPARE = 2  # errors that the first rung should survive
MOST_ERRORS = 200  # up to so many, a message says how many rows would be enough
DECIDED, SAID_YES, SAID_NO, ARE_NO, ARE_YES = "decided", "said yes", "said no", "are no", "are yes"
MEANINGS = {  # which rows errors are counted among, and which of them are errors
    DECIDED: ("rows decided", "are wrong"),
    SAID_YES: ("rows labelled {1}", "are {0}"),
    SAID_NO: ("rows labelled {0}", "are {1}"),
    ARE_NO: ("rows that are {0}", "are labelled {1}"),
    ARE_YES: ("rows that are {1}", "are labelled {0}"),
}


class DecisionCounts(NamedTuple):
    """How many rows of each class there are, and how many of them a rung gives each label."""

    yes: int
    no: int
    yes_as_yes: int
    no_as_yes: int
    yes_as_no: int
    no_as_no: int


@dataclass(frozen=True)
class Tolerance:
    """A tolerated error rate: among the rows decided, those labelled yes (or no), or those that are no (or yes).

    The errors are, among the rows decided, those decided wrongly; among those labelled yes, those that are no; among
    those that are no, those labelled yes (asking a person about one is no error).
    """

    rate: float
    among: str = DECIDED

    def __post_init__(self) -> None:
        binomial.share("rate", self.rate)
        one_of("among", self.among, MEANINGS)

    def statement(self, names: Names = NO_AND_YES) -> str:
        """What is tolerated, in words."""
        among, wrong = (part.format(*names) for part in MEANINGS[self.among])
        return f"at most {100 * self.rate:.12g}% of the {among} {wrong}"


@dataclass(frozen=True)
class Count:
    """The errors of a rung, and the rows that they are counted among."""

    tolerance: Tolerance
    errors: int
    rows: int

    @classmethod
    def of(cls, tolerance: Tolerance, counts: DecisionCounts) -> "Count":
        """The errors among the rows that the tolerance is about."""
        errors, among = {
            DECIDED: (
                counts.no_as_yes + counts.yes_as_no,
                counts.yes_as_yes + counts.no_as_yes + counts.yes_as_no + counts.no_as_no,
            ),
            SAID_YES: (counts.no_as_yes, counts.yes_as_yes + counts.no_as_yes),
            SAID_NO: (counts.yes_as_no, counts.yes_as_no + counts.no_as_no),
            ARE_NO: (counts.no_as_yes, counts.no),
            ARE_YES: (counts.yes_as_no, counts.yes),
        }[tolerance.among]
        return cls(tolerance, errors, among)

    @cached_property
    def p_value(self) -> float:
        """How likely so few errors are, at most, if the rate is higher than tolerable."""
        return binomial.p_value(self.errors, self.rows, self.tolerance.rate)

    def statement(self, names: Names = NO_AND_YES) -> str:
        """The counts in words."""
        among, wrong = (part.format(*names) for part in MEANINGS[self.tolerance.among])
        return f"{self.errors:,} of {self.rows:,} {among} {wrong}"


@dataclass(frozen=True)
class Abstention:
    """Two cut-offs, what is claimed about them, and the counts that prove it."""

    chosen: Rung  # the one that decides nothing, if no rung was shown to be tolerable
    confidence: float
    ladder: Ladder
    first: int  # rung tested
    tested: tuple[tuple[Count, ...], ...]  # from the first rung on; the last one may have failed
    n: int  # rows it was chosen on
    said_yes: int  # of these, by the chosen rung
    said_no: int
    names: Names = NO_AND_YES

    def __post_init__(self) -> None:
        if not self._follows():
            raise DataError("the rung chosen does not follow from its counts")

    def _follows(self) -> bool:
        """Whether the fields agree: rungs tested in order up to the first that fails, the last to pass chosen."""
        passed = [_passes(counts, binomial.confident(self.confidence)) for counts in self.tested]
        tolerances = {tuple(count.tolerance for count in counts) for counts in self.tested}
        rungs, last = self.ladder.rungs, self.first + len(passed) - 1
        if len(tolerances) != 1 or self.first < 0 or last >= len(rungs) or self.n < self.said_yes + self.said_no:
            return False
        return (
            all(passed[:-1])
            and (last == len(rungs) - 1 or not passed[-1])
            and self.chosen == (rungs[self.first + self.passed - 1] if self.passed else NOTHING)
        )

    @property
    def passed(self) -> int:
        """How many rungs, one after the other from the first, were shown to be tolerable."""
        return sum(_passes(counts, 1 - self.confidence) for counts in self.tested)

    @property
    def claims(self) -> tuple[Count, ...]:
        """The counts of the chosen rung; empty if nothing is decided."""
        return self.tested[self.passed - 1] if self.passed else ()

    @property
    def asked(self) -> float:
        """The share of the rows that was left to people."""
        return (self.n - self.said_yes - self.said_no) / self.n

    def of(self, scores: Any) -> Array:
        """The decisions: 1 for yes, -1 for no, 0 for asking a person."""
        return self.chosen.of(scores)

    @property
    def statement(self) -> str:
        """What is decided, what is claimed, and why."""
        sure = f"{100 * self.confidence:.12g}%"
        if not self.claims:
            short = next(count for count in self.tested[0] if count.p_value > 1 - self.confidence)
            limit = binomial.upper_limit(short.errors, short.rows, self.confidence) if short.rows else 1.0
            enough = _rows_to_show(short, self.n, self.confidence)
            more = (
                "Errors there are hardly rarer than tolerated, so more rows would not help much: tolerate more errors."
                if enough is None
                else f"If errors stay as rare, about {enough:,} rows instead of {self.n:,} would be enough: use more "
                "rows, tolerate more errors, or accept less confidence."
            )
            return (
                f"Every row is left to people: with confidence {sure}, it cannot be claimed that "
                f"{short.tolerance.statement(self.names)}. With the first cut-offs tested, "
                f"{short.statement(self.names)}, which shows only a rate of at most {ceil(1000 * limit) / 10:.1f}%. "
                f"{more}"
            )
        claimed = " and ".join(count.tolerance.statement(self.names) for count in self.claims)
        shown = "; ".join(count.statement(self.names) for count in self.claims)
        left = f" {self.asked:.1%} of these rows are left to people." if self.asked else ""
        return (
            f"{_in_words(self.chosen, self.names)} With confidence {sure}, {claimed}: on {many(self.n, 'row')} that "
            f"were not learned from, {shown}.{left}"
        )


@dataclass(frozen=True)
class Covered:
    """The share of the rows that a rung decides, and how often it is wrong there, with an exact interval."""

    rung: Rung
    share: float
    decided: int
    errors: int
    lower: float
    upper: float


def choose(
    rows: Scored,
    ladder: Ladder,
    tolerances: Sequence[Tolerance] = (Tolerance(0.05),),
    confidence: float = 0.95,
    names: Names = NO_AND_YES,
    first: int | None = None,
) -> Abstention:
    """The boldest rung such that it, and every rung tested before it, is shown to keep every tolerance.

    Rows with weights are refused: the test counts rows. `names` are what no and yes are called. `first` is the first
    rung to test, which must not depend on these rows, as from `surest_rung`; by default, that of `first_rung`.
    """
    delta = binomial.confident(confidence)
    if not tolerances:
        raise OptionError("name at least one tolerable rate")
    rows.without_weights("a guarantee")
    refuse_too_few(rows.n, int(np.count_nonzero(rows.yes)), tolerances, confidence, names)
    first = first_rung(rows.n, ladder, tolerances, confidence) if first is None else first
    tested: list[tuple[Count, ...]] = []
    for of_rung in _decided(rows, ladder.rungs[first:]):
        tested.append(tuple(Count.of(tolerance, of_rung) for tolerance in tolerances))
        if not _passes(tested[-1], delta):
            break
    passed = sum(_passes(counts, delta) for counts in tested)
    chosen = ladder.rungs[first + passed - 1] if passed else NOTHING
    (of_rung,) = _decided(rows, [chosen])
    said_yes, said_no = of_rung.yes_as_yes + of_rung.no_as_yes, of_rung.yes_as_no + of_rung.no_as_no
    return Abstention(chosen, confidence, ladder, first, tuple(tested), rows.n, said_yes, said_no, names)


def _decided(rows: Scored, rungs: Sequence[Rung]) -> Iterator[DecisionCounts]:
    """The counts of what each rung decides on the rows."""
    scores, *weights = rows.groups
    up_to = [np.append(0, np.cumsum(each)).astype(np.int64).tolist() for each in weights]
    yes, no = (sums[-1] for sums in up_to)
    for rung in rungs:
        end = 0 if rung.lower is None else int(np.searchsorted(scores, rung.lower))
        begin = scores.size if rung.upper is None else int(np.searchsorted(scores, rung.upper))
        yield DecisionCounts(yes, no, yes - up_to[0][begin], no - up_to[1][begin], up_to[0][end], up_to[1][end])


def first_rung(n: int, ladder: Ladder, tolerances: Sequence[Tolerance], confidence: float = 0.95) -> int:
    """The first rung that should decide enough of n rows for every tolerance among rows decided; else the last rung.

    Enough rows are as many as show the rate in spite of two errors, or, if that is fewer, halfway between those needed
    without an error and those that the last rung decides. Fewer rarely pass, even where the rule errs little; with
    more, the rung may be too bold to pass.
    """
    decided = [{DECIDED: one.of_yes + one.of_no, SAID_YES: one.of_yes, SAID_NO: one.of_no} for one in ladder.rungs]
    enough = []
    for one in tolerances:
        if one.among in decided[0]:
            needed, spare = (binomial.rows_needed(one.rate, confidence, errors) for errors in (0, SPARE))
            enough.append((one.among, min(spare, (needed + decided[-1][one.among] * n) / 2)))
    return next(
        (k for k, shares in enumerate(decided) if all(shares[among] * n >= rows for among, rows in enough)),
        len(decided) - 1,
    )


def surest_rung(n: int, ladder: Ladder, tolerances: Sequence[Tolerance], others: Scored) -> int:
    """The rung that is likeliest to pass on n rows, if its errors there are as frequent as on `others`.

    It is the one whose largest p-value would be least. A very cautious rung decides too few rows to show much, even if
    all of them are right. The rung must be tested on other rows than `others`.
    """
    size = n / others.n
    expected = []
    for of_rung in _decided(others, ladder.rungs):
        counts = [Count.of(tolerance, of_rung) for tolerance in tolerances]
        each = [(round((one.errors + 1) / (one.rows + 2) * one.rows * size), round(one.rows * size)) for one in counts]
        expected.append(
            max(
                binomial.p_value(min(errors, rows), rows, one.rate) if rows else 1.0
                for (errors, rows), one in zip(each, tolerances, strict=True)
            )
        )
    return int(np.argmin(expected))


def error_curve(rows: Scored, ladder: Ladder, confidence: float = 0.95) -> tuple[Covered, ...]:
    """Error against the share decided. Each interval holds with this confidence on its own, not all of them jointly."""
    rows.without_weights("the curve of errors")
    found = []
    for rung, of_rung in zip(ladder.rungs, _decided(rows, ladder.rungs), strict=True):
        count = Count.of(Tolerance(0.5), of_rung)
        errors, decided = count.errors, count.rows
        lower, upper = binomial.interval(errors, decided, confidence) if decided else (0.0, 1.0)
        found.append(Covered(rung, decided / rows.n, decided, errors, lower, upper))
    return tuple(found)


def _passes(counts: tuple[Count, ...], delta: float) -> bool:
    return all(count.p_value <= delta for count in counts)


def refuse_too_few(n: int, yes: int, tolerances: Sequence[Tolerance], confidence: float, names: Names) -> None:
    """Refuse rows that are too few to show a tolerance even if none of them was an error."""
    for one in tolerances:
        needed = binomial.rows_needed(one.rate, confidence)
        there = {ARE_NO: n - yes, ARE_YES: yes}.get(one.among, n)
        if there < needed:
            raise DataError(
                f"to claim with confidence {100 * confidence:.12g}% that {one.statement(names)} takes at least "
                f"{needed:,} such rows, all without an error, but there are {there:,}: use more rows, tolerate more "
                "errors, or accept less confidence"
            )


def _rows_to_show(count: Count, n: int, confidence: float) -> int | None:
    """About how many rows would show a rate, if errors stay as rare and the share decided is the same; or None."""
    if not count.rows:
        return None
    for errors in range(MOST_ERRORS):
        needed = binomial.rows_needed(count.tolerance.rate, confidence, errors)
        if count.errors * needed <= errors * count.rows:
            return ceil(n * needed / count.rows)
    return None


def _in_words(rung: Rung, names: Names) -> str:
    """The cut-offs in a sentence."""
    no, yes = names
    parts = [] if rung.upper is None else [f"{yes} at a score of {rung.upper:.6g} or more"]
    if rung.lower == rung.upper:
        return f"It says {parts[0]}, {no} below."
    parts += [] if rung.lower is None else [f"{no} below {rung.lower:.6g}"]
    return f"It says {', '.join(parts)}; a person decides the rest."
