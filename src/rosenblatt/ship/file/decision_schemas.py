"""How a model file stores a decision: the cut-offs of the score, and the tables of probabilities.

Types are checked here, and what must hold among the numbers by the values themselves.
"""

from collections.abc import Sequence
from typing import Any

from rosenblatt.errors import DataError, ModelError
from rosenblatt.judge.calibration import OneVsRest, Steps, VennAbers
from rosenblatt.judge.decision import Decision
from rosenblatt.judge.ladder import Rung
from rosenblatt.ship.file.codecs import REAL, REAL_TUPLE, one_of, or_null, tuple_of, value_of

CUT_OFFS = value_of(Rung, lower=or_null(REAL), upper=or_null(REAL))
OF_TWO = {  # classes
    "steps": (Steps, value_of(Steps, edges=REAL_TUPLE, values=REAL_TUPLE)),
    "venn-abers": (VennAbers, value_of(VennAbers, edges=REAL_TUPLE, lower=REAL_TUPLE, upper=REAL_TUPLE)),
}
OF_SEVERAL = {"one-vs-rest": (OneVsRest, value_of(OneVsRest, classes=tuple_of(one_of(OF_TWO))))}
DECISION = value_of(
    Decision,
    rung=or_null(CUT_OFFS),
    probability=or_null(one_of(OF_TWO | OF_SEVERAL)),
)


def check(decision: Decision, classes: Sequence[Any]) -> None:
    """Refuse a decision that is not for these classes."""
    try:
        decision.check(classes)
    except DataError as error:
        raise ModelError(f"decision: {error}") from None
