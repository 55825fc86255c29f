"""The choices that the lecture notes make differently, as small frozen values.

Ties.   What y (w . x) = 0 is, in training. "mistake": always wrong (Nath, algorithm 1, `<= 0`); the only rule
        under which the algorithm starts from zeros and ends in a strict separator. "plus": sgn(0) = +1, wrong
        for a row labelled -1 (Nath, 9.1). "minus": sgn(0) = -1, wrong for a row labelled +1. "correct": never
        wrong (the printed `< 0` of the blog and of Harchaoui); from zeros it never starts. In prediction, a score
        of zero is -1, "the score must be greater than the threshold" (Liang), except under "plus", where it is
        +1: what is claimed about a rule's mistakes counts them so (`ties_of_prediction`).
Start.  Zeros (Liang, the blog, the stream note); "first": y_1 x_1 (Harchaoui); "random" (Nath, step 1); given.
Order.  Which mistake is corrected next: see `Order`.
Stop.   Every run ends with a `Reason`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import OptionError
from rosenblatt.rows import kernels, timing
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.door import names_of
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import TIES as TIES
from rosenblatt.rows.kernels import Array, Ties
from rosenblatt.vocabulary import STARTS


def ties_named(name: str) -> Ties:
    """The tie rule of this name."""
    return TIES[options.one_of("ties", name, TIES)]


def name_of(ties: Ties) -> str:
    """The name of a tie rule."""
    return next(name for name, each in TIES.items() if each == ties)


def sign_at_zero(ties: Ties) -> int:
    """What is predicted at a score of exactly zero."""
    return 1 if ties == TIES["plus"] else -1


def counted(ties: Ties) -> Ties:
    """The tie rule that a rule is judged by: under "correct" zero weights would be right on every table."""
    return TIES["minus"] if ties == TIES["correct"] else ties


def ties_of_prediction(zero_is_yes: bool) -> str:
    """The tie rule that counts a mistake exactly where the label predicted is wrong."""
    return "plus" if zero_is_yes else "minus"


def generator_of(random_state: Any) -> np.random.Generator:
    """Randomness from what users give for it: None, a seed, or a source of their own."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        wanted = "None, a whole number of at least 0, a RandomState or a Generator"
        raise OptionError(f"random_state must be {wanted}, not {random_state!r}") from None


class Order(StrEnum):
    """Which mistake is corrected next. Every order corrects mistakes only, so every theorem holds for each."""

    ACTIVE = "active"  # clean the rows near the boundary before the next full pass; the fastest by far
    CYCLIC = "cyclic"  # the next one from where the last was found, until a full cycle is clean (Liang)
    RANDOM = "random"  # draw rows with replacement; ends after `patience` draws without an update (Nath)
    RANDOM_MISTAKE = "random-mistake"  # a uniform draw among the present mistakes (Liang's pocket)
    WORST = "worst"  # the row with the least y (w . x)


class Reason(Enum):
    """Why a run ended; the text is a sentence."""

    SEPARATED = "The rule is right on every row."
    LIFTED = "Every row is right in the lifted space, but not every one without its own feature."
    MAX_PASSES = "The budget of passes was spent."
    STALLED = "More passes hardly reduced the number of corrections."
    MAX_COPIES = "The weights stand for so many copies of rows that the work allowed for the passes was spent."
    MAX_UPDATES = "The budget of updates was spent."
    BOUND = "The bound was reached: no rule is right on every row with the requested margin."
    MAX_SECONDS = "The time was up."
    PATIENCE = "Many draws in a row needed no update, although some row still would."
    QUIET = "A pass made no correction."
    SETTLED = "Many tries in a row found no better rule."
    COMPARED = "All candidates were compared on rows that they had not learned from."
    SOLVED = "No weights have an objective that is lower by more than the tolerance."
    ROUNDED = "Floating-point numbers allow no smaller gap."
    INTERRUPTED = "It was interrupted; nothing is lost."
    ABSENT = "Some class has no row with a weight above 0: nothing was learned about it."
    STREAM = "Every row of the stream so far was seen once."

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Budget:
    """How long a run may go on; None means no limit."""

    max_passes: int | None = None  # passes over the data; looks at the active set count as parts of a pass
    max_updates: int | None = None
    max_seconds: float | None = None
    patience: int | None = None  # draws in a row without an update, under the order "random"

    def __post_init__(self) -> None:
        for name in ("max_passes", "max_updates", "patience"):
            options.whole(name, getattr(self, name), 1, none=True)
        options.number("max_seconds", self.max_seconds, above=0, infinite=True, none=True)


UNLIMITED = Budget()
MOMENT = 1e-6  # seconds, where none are left


def shares(budget: Budget, many: int) -> Iterator[Budget]:
    """A budget for each of several runs, one after the other: passes and updates, and a share of the seconds left."""
    begun = timing.now()
    for runs_left in range(many, 0, -1):
        if budget.max_seconds is None:
            yield budget
        else:
            left = max(budget.max_seconds - (timing.now() - begun), MOMENT)
            yield replace(budget, max_seconds=left / runs_left)


def order_named(name: str) -> Order:
    """The order of this name."""
    return Order(options.one_of("order", name, Order))


def start_weights(start: Any, examples: Examples, rng: np.random.Generator) -> Array:
    """The weights that a run starts from: features first, the threshold's last.

    Given weights have an entry per feature, or one more for the threshold's constant feature.
    """
    w = np.zeros(examples.size)
    if isinstance(start, str):
        if start == "first":
            if examples.weights.size and not examples.weights.any():
                raise OptionError("start='first' needs a row with a weight above 0 to start from")
            row = examples.first_row
            briefly(kernels.add, w.size)(examples.rows, row, w, float(examples.labels[row]))
        elif start == "random":
            w[:] = rng.standard_normal(examples.size)
            w[-1] *= examples.rows.bias != 0.0
        elif start != "zeros":
            raise options.refused("start", "weights", start, STARTS)
        return w
    return given_weights("start", start, examples)


def given_weights(name: str, given: Any, examples: Examples) -> Array:
    """Weights that a user gave, in a row or in a table of one row; `name` is what they are called."""
    w, given = np.zeros(examples.size), options.floats(name, given)
    if given.ndim == 2 and len(given) == 1:
        given = given[0]
    if given.shape not in ((w.size - 1,), (w.size,)):
        raise OptionError(
            f"{name} must be {w.size - 1} numbers, or {w.size} with the threshold's, not of shape {given.shape}"
        )
    w[: given.size] = given + 0.0  # no -0.0, which dense and sparse updates would treat differently
    if examples.rows.bias == 0.0 and w[-1] != 0.0:
        raise OptionError(f"{name}: there is a weight for the threshold, but fit_intercept is False")
    return w


def refuse_other_rows(rule: Any, X: Any, classes: Array) -> None:
    """Refuse rows whose classes or columns are not those that an estimator was learned from."""
    if hasattr(rule, "classes_"):
        known = np.asarray(rule.classes_).tolist()
        if others := [label for label in classes.tolist() if label not in known]:
            raise OptionError(f"y has the label {others[0]!r}, which the rule does not know: it has {known}")
    names, columns = getattr(rule, "feature_names_in_", None), names_of(X)
    if names is not None and columns is not None and columns != list(names):
        raise OptionError("the columns of X are not those that the rule was learned from, in their order")
