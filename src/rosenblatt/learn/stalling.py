"""When more passes do not help any more, and which of the last weights to keep then.

Problem   on classes that overlap, cycles of corrections never end, and get no better after a while.
Method    Passes are looked back on when they are 32, 64, 128, ...: did one of the later half make a quarter fewer
          corrections than each of the first half? If none did, a proof is asked for, once, that no weights are right
          on every row. With it the run ends. If the rows are proved separable it goes on, whatever its passes look
          like. Where neither is proved, it ends from UNPROVED passes on, if none made any fewer.
Result    Some more cycles are made, mistakes are counted at some places of the last ones, and the weights with the
          fewest are kept: at the end of a pass they lean towards the rows that came last.
"""

from collections.abc import Callable

import numpy as np

from rosenblatt.kernels import Array
from rosenblatt.learn import costs
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.rules import Reason, counted
from rosenblatt.learn.walk import FOREVER, Walk

FIRST, UNPROVED = 32, 512  # passes
FEWER = 0.75  # times the corrections of the best pass: so few show that passes help
LAST_PASSES, PLACES = 4, 16  # in which mistakes are counted, and how often in each


class Stall:
    """Looks back on a run's passes; `refuted` tells whether rows are proved inseparable, or separable, or neither."""

    def __init__(self, refuted: Callable[[], bool | None]) -> None:
        self._refuted, self._asked, self._next = refuted, False, FIRST
        self._proved: bool | None = None
        self._over = False

    def is_over(self, walk: Walk) -> bool:
        """Whether more passes do not help."""
        passes = walk.seen // walk.examples.n_copies
        if self._over or passes < self._next:
            return self._over
        while self._next <= passes:
            self._next *= 2
        made = np.diff(walk.ledger.pass_ends, prepend=0)
        first, later = made[: made.size // 2], made[made.size // 2 :]
        if first.size and later.min() < FEWER * first.min():
            return False
        if not self._asked:
            self._asked, self._proved = True, self._refuted()
        unproved = self._proved is None and passes >= UNPROVED and not (first.size and later.min() < first.min())
        self._over = self._proved or unproved
        return self._over


def best_of_last(walk: Walk) -> tuple[Array, Ledger, Reason]:
    """The weights with the least costly mistakes at some places of a few more cycles, and the ledger until there."""
    examples, (order, each), ties = walk.examples, walk.in_order(), counted(walk.ties)
    least, kept, t = np.inf, walk.w.copy(), len(walk.ledger)
    ends = np.linspace(0, order.size, min(PLACES, order.size) + 1).astype(int)
    reason = Reason.STALLED
    for _ in range(LAST_PASSES):
        copies = each.copy()  # they are used up
        for at, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            while at < end and not (stop := walk.spent()):
                at += walk.correct(order[at:end], copies[at:end], 0, FOREVER)[0]
            if stop:
                reason = stop if stop is Reason.INTERRUPTED else reason
                break
            cost = costs.cost(examples, walk.w, ties)
            if cost < least:
                least, kept, t = cost, walk.w.copy(), len(walk.ledger)
        else:
            walk.seen += examples.n_copies
            walk.ledger.end_pass()
            continue
        break
    return kept, walk.ledger.until(t), Reason.SEPARATED if least == 0.0 else reason
