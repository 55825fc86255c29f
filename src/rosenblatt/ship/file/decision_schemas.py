"""How a model file stores a decision: the cut-offs of the score, and the tables of probabilities.

Types are checked here; the values themselves check what must hold among their numbers.
"""

from collections.abc import Sequence
from typing import Any

from rosenblatt.errors import DataError, ModelError
from rosenblatt.judge.abstain import MEANINGS, Abstention, Count, Tolerance
from rosenblatt.judge.calibration import ByLead, OneVsRest, Steps, VennAbers
from rosenblatt.judge.decision import Decision
from rosenblatt.judge.ladder import Ladder, Rung
from rosenblatt.ship.file.codecs import (
    COUNT,
    COUNTABLE,
    REAL,
    REAL_TUPLE,
    SIZE,
    choice,
    listed,
    one_of,
    or_null,
    scalar,
    tuple_of,
    value_of,
)

CUT_OFFS = value_of(Rung, lower=or_null(REAL), upper=or_null(REAL))
OF_TWO = {  # classes
    "steps": (Steps, value_of(Steps, edges=REAL_TUPLE, values=REAL_TUPLE)),
    "venn-abers": (VennAbers, value_of(VennAbers, edges=REAL_TUPLE, lower=REAL_TUPLE, upper=REAL_TUPLE)),
}
OF_SEVERAL = {
    "one-vs-rest": (OneVsRest, value_of(OneVsRest, classes=tuple_of(one_of(OF_TWO)))),
    "by-lead": (ByLead, value_of(ByLead, classes=tuple_of(one_of(OF_TWO)))),
}
DECISION = value_of(
    Decision,
    rung=or_null(CUT_OFFS),
    probability=or_null(one_of(OF_TWO | OF_SEVERAL)),
)


# -- how a decision was found, in the record of how the rule was judged -------------------------------------------

SHARE = scalar(float, low=0.0, high=1.0)
RUNG = value_of(Rung, lower=or_null(REAL), upper=or_null(REAL), of_no=SHARE, of_yes=SHARE)
TOLERANCE = value_of(Tolerance, rate=SHARE, among=choice(*MEANINGS))
GUARANTEE = value_of(
    Abstention,
    chosen=RUNG,
    confidence=SHARE,
    ladder=value_of(Ladder, rungs=tuple_of(RUNG)),
    first=COUNT,
    tested=tuple_of(tuple_of(value_of(Count, tolerance=TOLERANCE, errors=COUNT, rows=COUNT))),
    n=scalar(int, low=1, high=COUNTABLE),
    said_yes=COUNT,
    said_no=COUNT,
)
CUT_OFF = value_of(  # chosen by the cost of a mistake on each class, or by a share of yes
    lambda **parts: parts, costs=or_null(listed(SIZE)), rate=or_null(SHARE), rows=COUNT, said_yes=COUNT
)
_AREA = value_of(lambda **parts: parts, value=SHARE, lower=or_null(SHARE), upper=or_null(SHARE), confidence=SHARE)
MEASURES = value_of(
    lambda **parts: parts,
    matrix=listed(listed(SIZE)),
    roc=or_null(_AREA),
    precision_recall=or_null(_AREA),
    separation=or_null(value_of(lambda **parts: parts, value=SHARE, score=REAL)),
    brier=or_null(scalar(float, low=0.0, high=2.0)),
    calibration_error=or_null(SHARE),
)


def check(decision: Decision, classes: Sequence[Any]) -> None:
    """Refuse a decision that is not for these classes."""
    try:
        decision.check(classes)
    except DataError as error:
        raise ModelError(f"decision: {error}") from None
