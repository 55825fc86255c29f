"""When further passes no longer help, and which of the last weights to keep then.

Problem   on classes that overlap, cycles of corrections never end, and get no better after a while.
Method    Passes are looked back on when they are 32, 64, 128, ...: did one of the later half make a quarter fewer
          corrections than each of the first half? If none did, a proof is sought, once, that no weights are right
          on every row. With it the run ends. If the rows are proved separable it goes on, whatever its passes look
          like. Where neither is proved, it ends from UNPROVED passes on, if none made any fewer.
Result    Some more cycles are made, mistakes are counted at some places of the last ones, and the weights with the
          fewest are kept: at the end of a pass they lean towards the rows that came last. In a table that is sorted by
          class these would be all of one class, so the last cycles meet the rows spread out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.learn.choices import Order, Reason
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.run_state import FOREVER, Walk
from rosenblatt.rows.kernels import Array

FIRST, UNPROVED = 32, 512  # passes
FEWER = 0.75  # times the corrections of the best pass: so few show that passes help
CYCLES_BEFORE_THE_LAST = 8  # of a run that has stalled, perhaps on a part of the rows
LAST_PASSES, PLACES = 4, 16  # in which mistakes are counted, and how often in each
IN_CYCLES = (Order.ACTIVE, Order.CYCLIC)


class Stall:
    """Looks back on a run's passes; `refuted` says whether rows are proved inseparable, or separable, or neither."""

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


def ended(walk: Walk, reason: Reason, cycles: Callable[[Any, int], Reason | None]) -> tuple[Array, Ledger, Reason]:
    """The weights, the ledger and the reason of a run that has ended; the best of the last ones if it has stalled."""
    if reason is Reason.STALLED:
        walk.stalled = lambda walk: False
        reason = cycles(walk, CYCLES_BEFORE_THE_LAST) or reason
    return _best_of_last(walk) if reason is Reason.STALLED else (walk.w, walk.ledger, reason)


def _best_of_last(walk: Walk) -> tuple[Array, Ledger, Reason]:
    """The weights with the least costly mistakes at some places of a few more cycles, and the ledger until there."""
    examples, (order, each) = walk.examples, walk.spread_out()
    least, kept, t = np.inf, walk.w.copy(), len(walk.ledger)
    ends = np.linspace(0, order.size, min(PLACES, order.size) + 1).astype(int)
    reason = Reason.STALLED
    for _ in range(LAST_PASSES):
        copies, seen = each.copy(), walk.seen  # copies are used up
        for at, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            while at < end and not (stop := walk.spent()):
                at += walk.correct(order[at:end], copies[at:end], 0, FOREVER)[0]
            if stop:
                reason = stop if stop is Reason.INTERRUPTED else reason
                break
            if (cost := walk.cost()) < least:
                least, kept, t = cost, walk.w.copy(), len(walk.ledger)
        else:
            walk.seen = seen + examples.n_copies
            walk.ledger.end_pass()
            continue
        break
    return kept, walk.ledger.until(t), Reason.SEPARATED if least == 0.0 else reason
