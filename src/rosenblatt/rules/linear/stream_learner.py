"""How a linear rule learns from a stream: the next rows change all that belongs to them, or nothing."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.linear.learner import LinearLearner


class Followed(NamedTuple):
    """What the next rows of a stream taught, not yet taken over."""

    begun: Sequence[Array] | None  # the weights of a stream that begins with these rows
    entries: list[Array]  # of the ledger of each rule
    take_over: Callable[[], None]  # all but the ledgers and counters


class StreamLearner(LinearLearner):
    """A linear rule that learns from streams as well as from tables."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the next rows of a stream, each looked at once, in order.

        The first call must name all `classes`. However a stream is cut into calls, the result is the same to the
        last bit. After `fit`, it goes on from there.
        """
        known, parts = self._next_parts(X, y, classes, sample_weight)
        followed = self._follow(parts)  # which Ctrl-C loses
        with ctrl_c_noted() as interrupted:  # all rules go on, or none does
            self._note_stream(known, followed.begun, parts, followed.entries)
            followed.take_over()
            self._expose()
        if interrupted():
            raise KeyboardInterrupt
        return self

    @abstractmethod
    def _follow(self, parts: list[Examples]) -> Followed:
        """Learn from the next rows, for each rule; changes nothing."""

    @property
    def _is_new(self) -> bool:
        """Whether nothing was learned yet."""
        return not hasattr(self, "weights_")
