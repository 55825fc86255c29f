"""Learning a rule for a command."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from rosenblatt.cli import reading, wording
from rosenblatt.cli.codes import DONE, INTERRUPTED
from rosenblatt.cli.parameters import Constraints, Deciding, RuleOptions, Training, WeightedTable
from rosenblatt.cli.prefetch import Begun
from rosenblatt.cli.reading import progress_to
from rosenblatt.cli.screen import Screen
from rosenblatt.desk.data import Data
from rosenblatt.desk.learning.train import Learned, TrainingOptions, learn
from rosenblatt.desk.limits import FIT_WORK, clock_of, more
from rosenblatt.desk.model import model_of
from rosenblatt.errors import OptionError
from rosenblatt.ship.file.modelfile import Model


@dataclass(frozen=True)
class LearningOutcome:
    """What a command learned from a table."""

    data: Data
    learned: Learned
    model: Model
    notes: tuple[str, ...]

    @property
    def code(self) -> int:
        """The exit code of the command."""
        return INTERRUPTED if self.learned.interrupted else DONE

    def show(self, screen: Screen) -> None:
        """Show it to people."""
        wording.columns(screen, self.data, features=self.learned.rule.tree is None)
        wording.learned(screen, self.learned, self.model)

    def record(self) -> dict[str, Any]:
        """It, for a program."""
        described = reading.described(self.data, self.notes)
        return {**described, **wording.learned_record(self.learned, self.model)}


def outcome(
    screen: Screen,
    begun: Begun,
    target: str,
    table: WeightedTable,
    training: Training,
    options: RuleOptions,
    deciding: Deciding,
    constraints: Constraints,
    prove: bool = True,
) -> LearningOutcome:
    """Learn from a table, with proofs unless `prove` is off; options are checked before it is read."""
    given = _with_costs(options.given(), deciding.costs)
    how = TrainingOptions(
        training.algorithm, given, training.hold_out, training.folds, training.seed, training.seconds, prove,
        not screen.quiet, tuple(training.also or ()), deciding.decision_options(), constraints.signs(),
    )  # fmt: skip
    with _values_explained(options.option):
        how.check()
    data, notes = reading.noted(screen, begun, target, table, table.weights, how.held_out)
    with _values_explained(options.option), screen.busy("learning") as tell, progress_to(tell):
        learned = learn(data, how)
    for note in learned.notes:
        screen.note(note)
    learned, model = _proved(screen, learned, how)
    return LearningOutcome(data, learned, model, (*notes, *learned.notes))


def _with_costs(options: dict[str, Any], costs: dict[str, float]) -> dict[str, Any]:
    """The options of the rule, with the costs that decisions have in learning, too."""
    if costs and "class_weight" in options:
        raise OptionError("--cost says what mistakes cost in learning, too: leave --class-weight out")
    return options | {"class_weight": costs} if costs else options


@contextmanager
def _values_explained(given: list[str] | None) -> Iterator[None]:
    """Values of --set may be of any kind, and an estimator is made for one."""
    try:
        yield
    except (TypeError, OverflowError) as error:
        if not given:
            raise
        raise OptionError(f"a value does not fit: --set {' --set '.join(given)} ({error})") from error


def _proved(screen: Screen, found: Learned, how: TrainingOptions) -> tuple[Learned, Model]:
    """The model of what was learned, with its proofs; Ctrl-C ends those, and loses nothing else."""
    clock = clock_of(how.seconds, FIT_WORK, how.verbose)
    try:
        with screen.busy("proving") as tell, progress_to(tell):
            model = model_of(found, how, prove=how.prove and not found.interrupted, clock=clock)
        if clock.ran_out:
            note = f"the fewest mistakes possible are not known exactly: {more(clock)}"
            screen.note(note)
            found = replace(found, notes=(*found.notes, note))
        return found, model
    except KeyboardInterrupt:
        return replace(found, interrupted=True), model_of(found, how, prove=False)
