"""What the user wants of decisions: costs, a rate of yes, probabilities, and tolerable error rates.

Input     options as they were typed, and the classes of the table.
Result    `DecisionOptions`. What no table allows is refused before one is read; the rest before anything is learned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.errors import DataError, OptionError
from rosenblatt.judge import binomial
from rosenblatt.judge.abstain import Tolerance, refuse_too_few
from rosenblatt.judge.decision import ASK_A_PERSON
from rosenblatt.judge.making import SAID, Aims, NotLearnedFrom, counted_among, names_of
from rosenblatt.judge.tables import ISOTONIC, METHODS, SIGMOID, VENN_ABERS
from rosenblatt.options import one_of
from rosenblatt.rows.kernels import Array

AUTO = "auto"
CALIBRATE = 0.2  # of the rows, if a guarantee is wanted
ENOUGH = 1_000  # rows with weights: from here on, isotonic probabilities are as reliable as a sigmoid's


@dataclass(frozen=True)
class DecisionOptions:
    """What the user wants of the decisions, besides few mistakes."""

    costs: Mapping[str, float] = field(default_factory=dict)  # of a mistake on a class
    rate: float | None = None  # of yes
    probability: str | None = None  # a method, or auto
    at_most: tuple[tuple[str | None, float], ...] = ()  # a class, or None for all rows decided, and the tolerable rate
    confidence: float = 0.95
    calibrate: float | None = None  # the part of the rows that a guarantee is tested on

    def check(self) -> None:
        """Refuse what is wrong for any table."""
        binomial.confident(self.confidence)
        if self.probability is not None:
            one_of("--probability", self.probability, (AUTO, *METHODS))
        if self.rate is not None:
            binomial.share("--rate", self.rate)
        for _, rate in self.at_most:
            binomial.share("--at-most", rate)
        twice = [name for k, (name, _) in enumerate(self.at_most) if name in [other for other, _ in self.at_most[:k]]]
        if twice:
            raise OptionError(f"--at-most is given twice for {twice[0] or 'all rows decided'}")
        if sum(map(bool, (self.costs, self.rate is not None, self.at_most))) > 1 and self.rate is not None:
            raise OptionError("--rate sets the cut-off, and so do --cost and --at-most: use --rate, or the others")
        if self.calibrate is not None and not self.at_most:
            raise OptionError("--calibrate is the share of the rows that --at-most is tested on: use it with --at-most")
        if self.calibrate is not None and not 0.0 < self.calibrate < 1.0:
            raise OptionError(f"--calibrate must be above 0 and below 1, not {self.calibrate!r}")

    @property
    def part(self) -> float:
        """The part of the rows that guarantees are tested on."""
        return (CALIBRATE if self.calibrate is None else self.calibrate) if self.at_most else 0.0

    @property
    def needs_scores(self) -> bool:
        """Whether cut-offs or probabilities are to be found, from scores of rows that the rule did not learn from."""
        return bool(self.costs or self.at_most) or self.rate is not None or self.probability is not None

    @property
    def is_about_cost(self) -> bool:
        """Whether the aim is that mistakes cost little: only then is comparing with one label for every row fair."""
        return self.rate is None and not self.at_most

    def check_classes(self, classes: Sequence[str]) -> None:
        """Refuse what does not fit the classes of the table."""
        for label in self.costs:
            if label not in classes:
                raise OptionError(f"--cost names the class {label!r}, but the classes are {', '.join(classes)}")
        if self.costs and not any(self.costs.get(label, 1.0) for label in classes):
            raise OptionError("with --cost 0 for every class, no mistake would cost anything")
        if len(classes) > 2 and self.rate is not None:
            raise OptionError(f"--rate is the share of yes, so it needs two classes; there are {len(classes)}")
        if self.at_most and ASK_A_PERSON in classes:
            raise OptionError(
                f"a class is called {ASK_A_PERSON!r}, so rows left to people could not be told apart from it"
            )
        self.tolerances(classes)

    def tolerances(self, classes: Sequence[str]) -> tuple[Tolerance, ...]:
        """The tolerable rates."""
        named = [label for label, _ in self.at_most if label is not None]
        if len(classes) > 2 and named:
            raise OptionError(
                f"--at-most {named[0]}=... needs two classes; with {len(classes)}, give one rate for all rows decided, "
                "as in --at-most 5%"
            )
        return tuple(Tolerance(rate, _among(label, classes)) for label, rate in self.at_most)

    def aims(self, classes: Sequence[str], rows: NotLearnedFrom) -> Aims:
        """The same for `judge.making`, with a method for the probabilities that suits the rows."""
        method = self.probability
        if method == AUTO:
            of_weighted = SIGMOID if rows.y.size < ENOUGH else ISOTONIC
            method = VENN_ABERS if rows.weights is None else of_weighted
            method = method if len(classes) == 2 else SIGMOID  # of many classes, small shares add up
        return Aims(self.costs, self.rate, method, self.tolerances(classes), self.confidence)

    def check_rows(self, y: Array, weights: Any, classes: Sequence[str]) -> None:
        """Refuse rows that are too few to show a guarantee even if none of them was an error."""
        if not self.at_most:
            return
        if weights is not None:
            raise OptionError("--at-most counts rows, which must all count the same: leave --weights out")
        set_aside = f"{self.part:.0%} of the rows are set aside to test it (--calibrate)"
        if not y.size:
            raise DataError(f"no row is left to test --at-most on: {set_aside}")
        try:
            yes = int((y == 1).sum()) if len(classes) == 2 else y.size
            refuse_too_few(y.size, yes, self.tolerances(classes), self.confidence, names_of(classes))
        except DataError as error:
            raise DataError(f"{error}; {set_aside}") from None


def _among(label: str | None, classes: Sequence[str]) -> str:
    """The rows that errors are counted among."""
    if (found := counted_among(label, classes)) is not None:
        return found
    raise OptionError(
        f"--at-most names {label!r}; it takes {', '.join(classes)} (for the rows of that class) or "
        f"{', '.join(SAID + each for each in classes)} (for the rows with that label)"
    )
