"""Two rules, A and B, on the same rows: what each gets right, whether the difference may be chance, what it costs."""

from dataclasses import dataclass

from rosenblatt.judge import binomial
from rosenblatt.judge.compare import Comparison
from rosenblatt.judge.monitor import CHANCE, p_text
from rosenblatt.plurals import many

LETTERS = ("A", "B")


@dataclass(frozen=True)
class Side:
    """One of the two rules on the rows that are judged."""

    letter: str
    file: str
    rule: str  # the name of its estimator
    rows: int
    decided: int  # the others are left to a person
    mistakes: int  # on those decided
    learned: int  # how many of the rows it is known to have been learned from
    confidence: float = 0.95

    @property
    def interval(self) -> tuple[float, float]:
        """The exact interval of the error rate; everything is possible if no row is decided."""
        return binomial.interval(self.mistakes, self.decided, self.confidence) if self.decided else (0.0, 1.0)

    @property
    def statement(self) -> str:
        """The error in words."""
        low, high = self.interval
        if not self.decided:
            return f"{self.letter} leaves every row to a person."
        asked = self.rows - self.decided
        said = f"{self.letter} makes {many(self.mistakes, 'mistake')} on {many(self.decided, 'row')}"
        rate = f"{self.mistakes / self.decided:.2%}; {self.confidence:.0%} confidence interval {low:.2%} to {high:.2%}"
        return f"{said} ({rate}){f', and leaves {asked:,} to a person' if asked else ''}."

    @property
    def caution(self) -> str:
        """Why its error is too good to be true, if it is."""
        if not self.learned:
            return ""
        which = "all" if self.learned == self.rows else f"{self.learned:,} of"
        return f"{self.letter} was learned from {which} these {many(self.rows, 'row')}, which flatters it."


@dataclass(frozen=True)
class Kind:
    """Rows of one class that the rules label differently, in one way."""

    actual: str
    first: str
    second: str
    rows: int


@dataclass(frozen=True)
class Differing:
    """A row that the rules label differently."""

    row: int  # the first after the header is row 1
    actual: str
    labels: tuple[str, str]
    scores: tuple[float | None, float | None]
    cells: dict[str, str]


@dataclass(frozen=True)
class SideBySide:
    """Two rules on the same rows."""

    rows: int
    unlabelled: int  # rows left out because they have no label
    held_out: bool  # whether only rows held out from both rules are judged
    sides: tuple[Side, Side]
    comparison: Comparison | None  # on the rows that both decide; None if there are none
    priced: str  # what a mistake costs, in words; empty if every mistake costs the same
    kinds: tuple[Kind, ...]  # the most frequent first
    first_rows: tuple[Differing, ...]

    @property
    def cautions(self) -> tuple[str, ...]:
        """Why these rows are no fair test, if they are not."""
        return tuple(side.caution for side in self.sides if side.caution)

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """How many rows both, one, or neither of the rules gets right, of those that both decide."""
        if (found := self.comparison) is None:
            return ()
        one, two, both = found.only_first_right, found.only_second_right, found.both_right
        rest = found.rows - one - two - both
        return (("both right", both), ("only A right", one), ("only B right", two), ("both wrong", rest))

    @property
    def verdict(self) -> str:
        """Whether one of the rules is better, in one sentence."""
        if (found := self.comparison) is None:
            return "There is no row that both rules decide."
        one, two = found.only_first_right, found.only_second_right
        if not found.differ:
            return f"A and B give the same label to all {many(found.rows, 'row')}."
        if not one + two:
            return f"A and B are right on the same rows, though they label {found.differ:,} differently."
        alone = f"A alone is right on {many(one, 'row')}, B alone on {two:,}"
        test = f"{p_text(found.p_value)}, McNemar's exact test"
        where = " on these rows" if self.cautions else ""
        if self.priced:
            return f"{self._cheaper(where)}; {alone} ({test})."
        if found.p_value > CHANCE:
            return f"Neither is clearly better: {alone}, which may be chance ({test})."
        better, worse = LETTERS if one > two else LETTERS[::-1]
        return f"{better} makes fewer mistakes than {worse}{where}: {alone}, which is unlikely to be chance ({test})."

    def _cheaper(self, where: str) -> str:
        """Whether the mistakes of one of the rules cost less."""
        assert self.comparison is not None
        costs = self.comparison.costs
        sums = sorted((costs.first, costs.second))
        against = f"{sums[0]:,.6g} against {sums[1]:,.6g}"
        if costs.lower <= 0 <= costs.upper:
            return f"Neither clearly costs less: {against}, which may be chance"
        better, worse = LETTERS if costs.first < costs.second else LETTERS[::-1]
        return f"{better}'s mistakes cost less than {worse}'s{where}: {against}, which is unlikely to be chance"

    @property
    def costs(self) -> str:
        """The difference of the costs with its interval, in one sentence."""
        if (found := self.comparison) is None:
            return ""
        costs = found.costs
        if self.priced:
            said = f"A's mistakes cost {costs.first:,.6g} and B's {costs.second:,.6g} (where {self.priced})"
        else:
            where = " where both decide" if found.rows < self.rows else ""
            said = f"A makes {many(int(costs.first), 'mistake')} and B {costs.second:,.0f}{where}"
        ends = f"from {_for(costs.lower)} to {_for(costs.upper)}"
        chance = "; this includes 0" if costs.lower <= 0 <= costs.upper else ""
        interval = f"{costs.confidence:.0%} interval of the difference {ends}{chance}"
        return f"{said}: {_for(costs.difference)} ({interval})."


def _for(difference: float) -> str:
    """A difference of costs, and which rule it favours."""
    if not difference:
        return "no difference"
    return f"{abs(difference):,.4g} in favour of {LETTERS[difference > 0]}"
