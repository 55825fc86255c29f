"""Whether new rows still look like the old ones: what changed in their columns, in the scores, decisions and errors.

A change must be more than chance and more than a little. With a million rows every difference is more than chance, so
the population stability index must be at least 0.1; with few rows chance alone makes the index as large, so the test's
p-value, adjusted for the number of tests (Holm 1979), must be at most 0.05.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rosenblatt.judge import drift
from rosenblatt.judge.drift import Drift, RateChange
from rosenblatt.judge.profile import Counts
from rosenblatt.plurals import many

LOOK, LARGE = 0.1, 0.25  # of the index: from here on, a change; a large one
CHANCE = 0.05
LEAST = 0.0001  # a smaller p-value is shown as p < 0.0001
PART = 0.1  # a rate has changed if it moved by this part of the old rate, or of 1 minus that if it is less
FEW = 100  # fewer rows can only show large changes
MOST_NAMES = 3  # of columns, in a sentence


@dataclass(frozen=True)
class Change:
    """The difference between old and new rows in one column, in the scores or in the decisions."""

    name: str
    kind: str
    cells: tuple[str, ...]  # what each holds
    old: Counts
    new: Counts
    drift: Drift
    adjusted: float = 1.0  # the p-value, adjusted for the number of tests
    statement: str = ""  # what the difference is, in words

    @property
    def beyond_chance(self) -> bool:
        """Whether such a difference is unlikely to be chance."""
        return self.adjusted <= CHANCE

    @property
    def changed(self) -> bool:
        """Whether the difference is more than chance and more than a little."""
        return self.beyond_chance and self.drift.index >= LOOK

    def shares(self, cell: int) -> tuple[float, float]:
        """The shares of old and of new rows in a cell."""
        return self.old[cell] / self.drift.old_rows, self.new[cell] / self.drift.new_rows

    def part(self, cell: int) -> float:
        """What a cell adds to the index."""
        return drift.stability_part(*self.shares(cell), self.drift.old_rows, self.drift.new_rows)

    @property
    def foremost(self) -> int:
        """The cell that adds most to the index."""
        return max(range(len(self.cells)), key=self.part)


@dataclass(frozen=True)
class Rate:
    """How often old and new rows are given a label."""

    label: str
    change: RateChange

    @property
    def much(self) -> bool:
        """Whether the rate changed by more than chance and more than a little."""
        old = self.change.old
        return self.change.changed and abs(self.change.new - old) >= PART * min(old, 1 - old)

    @property
    def statement(self) -> str:
        """The rates in words."""
        low, high = self.change.new_interval
        now = f"{self.change.new:.1%} of the new rows are labelled {self.label}"
        word = "more" if self.change.new > self.change.old else "less"
        often = f"{word} often than before" if self.much else "about as often as before"
        interval = f"{self.change.confidence:.0%} interval {low:.1%} to {high:.1%}"
        return f"{now} ({interval}), {often} ({self.change.old:.1%})."


@dataclass(frozen=True)
class ErrorChange:
    """The rule's mistakes on new rows, and those reported when it was learned."""

    old_mistakes: int
    old_rows: int
    mistakes: int
    rows: int
    change: RateChange
    p_value: float

    @classmethod
    def of(cls, old_mistakes: int, old_rows: int, mistakes: int, rows: int) -> "ErrorChange":
        """The change, and a test of whether it can be chance."""
        counts = [old_mistakes, old_rows - old_mistakes], [mistakes, rows - mistakes]
        change = drift.of_decisions(old_mistakes, old_rows, mistakes, rows)
        return cls(old_mistakes, old_rows, mistakes, rows, change, drift.of_counts(*counts).p_value)

    @property
    def worse(self) -> bool:
        """Whether new rows have clearly more mistakes."""
        return self.p_value <= CHANCE and self.change.new > self.change.old

    @property
    def statement(self) -> str:
        """The error in words."""
        (low, high), before = self.change.new_interval, self.change.old_interval
        interval = f"{self.change.confidence:.0%} interval {low:.1%} to {high:.1%}"
        now = f"{many(self.mistakes, 'mistake')} on {many(self.rows, 'new row')} ({self.change.new:.1%}; {interval})"
        then = f"{self.change.old:.1%} ({before[0]:.1%} to {before[1]:.1%}) when it was learned"
        if self.p_value > CHANCE:
            return f"{now}, against {then}: the difference may be chance ({p_text(self.p_value)})."
        how = "more" if self.worse else "fewer"
        return f"{now}, against {then}: clearly {how} ({p_text(self.p_value)})."


@dataclass(frozen=True)
class Monitoring:
    """All changes; the columns that changed most come first."""

    old_rows: int
    new_rows: int
    columns: tuple[Change, ...]
    more: int  # columns that the profile does not have
    score: Change
    decisions: Change
    rates: tuple[Rate, ...]
    comparable: bool  # whether the old scores are those of rows that were not learned from
    error: ErrorChange | None

    @property
    def changed_columns(self) -> tuple[Change, ...]:
        """The columns that changed."""
        return tuple(each for each in self.columns if each.changed)

    @property
    def score_changed(self) -> bool:
        """Whether the scores changed."""
        return self.comparable and self.score.changed

    @property
    def decisions_changed(self) -> bool:
        """Whether the rule gives some label more or less often."""
        return self.comparable and self.decisions.beyond_chance and any(rate.much for rate in self.rates)

    @property
    def error_is_higher(self) -> bool:
        """Whether the rule makes clearly more mistakes."""
        return self.error is not None and self.error.worse

    @property
    def changed(self) -> bool:
        """Whether anything changed."""
        others = self.score_changed or self.decisions_changed or self.error_is_higher
        return bool(self.changed_columns) or others

    @property
    def verdict(self) -> str:
        """The main result, in a sentence or two."""
        others = [
            name
            for name, changed in (("the scores", self.score_changed), ("the decisions", self.decisions_changed))
            if changed
        ]
        if not self.changed_columns and not others:
            return self._on_none()
        if not self.changed_columns:
            said = f"The new data has changed: {' and '.join(others)} have, though no column has."
        elif others:
            said = f"{self._on_columns()}, and so have {' and '.join(others)}."
        else:
            said = f"{self._on_columns()}{', but the scores and decisions have not' if self.comparable else ''}."
        if self.error is not None:
            said += " The error is higher, too." if self.error.worse else " The error is not clearly higher."
        return said

    def _on_columns(self) -> str:
        names = ", ".join(each.name for each in self.changed_columns[:MOST_NAMES])
        rest = len(self.changed_columns) - MOST_NAMES
        names += f" and {rest:,} more" if rest > 0 else ""
        return (
            f"The new data has changed: {len(self.changed_columns):,} of {many(len(self.columns), 'column')} ({names})"
        )

    def _on_none(self) -> str:
        if self.error_is_higher:
            return "The new data looks like the old, but the rule makes clearly more mistakes on it."
        what = "columns, scores and decisions" if self.comparable else "columns"
        said = f"The new data looks like the old: its {what} differ only slightly, or by no more than chance."
        slight = [each.name for each in self.columns if each.beyond_chance]
        if slight:
            said += f" {many(len(slight), 'column differs', 'columns differ')} slightly."
        if self.new_rows < FEW:
            said += f" But {many(self.new_rows, 'row', 'rows')} can only show large changes."
        return said


def p_text(p_value: float) -> str:
    """A p-value for people."""
    return f"p = {p_value:.2g}" if p_value >= LEAST else f"p < {LEAST:g}"


def adjusted(changes: Sequence[Change]) -> list[Change]:
    """The changes, with p-values adjusted for how many there are."""
    found = drift.holm([each.drift.p_value for each in changes])
    return [replace(each, adjusted=p) for each, p in zip(changes, found, strict=True)]
