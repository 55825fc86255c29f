"""Learning a rule for a command."""

from dataclasses import replace

from rosenblatt.cli.reading import progress_to
from rosenblatt.cli.screen import Screen
from rosenblatt.desk.data import Data
from rosenblatt.desk.learning import Learned, Wishes, learn
from rosenblatt.desk.shipping import model_of
from rosenblatt.errors import OptionError
from rosenblatt.ship.modelfile import Model


def learned(screen: Screen, data: Data, wishes: Wishes, given: list[str] | None) -> Learned:
    """Learn, and tell what there is to note; `given` is what was typed for --set, whose values may be of any kind."""
    try:
        with screen.busy("learning") as tell, progress_to(tell):
            found = learn(data, wishes)
    except TypeError as error:
        if not given:
            raise
        raise OptionError(f"a value does not fit: --set {' --set '.join(given)} ({error})") from error
    for note in found.notes:
        screen.note(note)
    return found


def proved(screen: Screen, found: Learned, wishes: Wishes) -> tuple[Learned, Model]:
    """The model of what was learned, with proofs if they are wished for; Ctrl-C ends those, and loses nothing else."""
    try:
        with screen.busy("proving") as tell, progress_to(tell):
            return found, model_of(found, wishes, prove=wishes.prove and not found.interrupted)
    except KeyboardInterrupt:
        return replace(found, interrupted=True), model_of(found, wishes, prove=False)
