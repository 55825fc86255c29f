"""Learning a rule for a command."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from rosenblatt.cli.reading import progress_to
from rosenblatt.cli.screen import Screen
from rosenblatt.desk.data import Data
from rosenblatt.desk.limits import FIT_WORK, clock_of, more
from rosenblatt.desk.model import model_of
from rosenblatt.desk.train import Learned, TrainingOptions, learn
from rosenblatt.errors import OptionError
from rosenblatt.ship.file.modelfile import Model


@contextmanager
def _kinds_explained(given: list[str] | None) -> Iterator[None]:
    """Values of --set may be of any kind, and an estimator is made for one."""
    try:
        yield
    except (TypeError, OverflowError) as error:
        if not given:
            raise
        raise OptionError(f"a value does not fit: --set {' --set '.join(given)} ({error})") from error


def check(wishes: TrainingOptions, given: list[str] | None) -> None:
    """Refuse options that do not fit, before the table is read."""
    with _kinds_explained(given):
        wishes.check()


def learned(screen: Screen, data: Data, wishes: TrainingOptions, given: list[str] | None) -> Learned:
    """Learn, and tell what there is to note; `given` is what was typed for --set."""
    with _kinds_explained(given), screen.busy("learning") as tell, progress_to(tell):
        found = learn(data, wishes)
    for note in found.notes:
        screen.note(note)
    return found


def proved(screen: Screen, found: Learned, wishes: TrainingOptions) -> tuple[Learned, Model]:
    """The model of what was learned, with proofs if they are wished for; Ctrl-C ends those, and loses nothing else."""
    clock = clock_of(wishes.seconds, FIT_WORK, wishes.verbose)
    try:
        with screen.busy("proving") as tell, progress_to(tell):
            model = model_of(found, wishes, prove=wishes.prove and not found.interrupted, clock=clock)
        if clock.ran_out:
            note = f"the fewest mistakes possible are not known exactly: {more(clock)}"
            screen.note(note)
            found = replace(found, notes=(*found.notes, note))
        return found, model
    except KeyboardInterrupt:
        return replace(found, interrupted=True), model_of(found, wishes, prove=False)
