"""Everything that a model file claims about its rule and its rows, in the order in which it is checked.

A rule that is linear, of two classes or of several that were learned jointly, is judged in exact arithmetic; others by
`predict`, and the result says so. What a table cannot tell, such as how many passes learning took, is said not to be
checked.
"""

from collections.abc import Iterator
from typing import Any

from rosenblatt.desk.data import Data
from rosenblatt.desk.split import HoldOut
from rosenblatt.desk.verifying import judgement, learned, proved
from rosenblatt.desk.verifying.claim import AGAIN, Claim, Finding, Result, Subject
from rosenblatt.plurals import many
from rosenblatt.ship.file.modelfile import Model


def same_data(wanted: dict[str, Any], data: Data) -> Finding:
    """Whether the features are those that the claims are about."""
    found = data.fingerprint
    if found == wanted:
        return Finding(True, f"{_these(found['rows'])} that the claims are about, to the last bit.", AGAIN)
    return Finding(False, f"This is other data: {_shape(found)} instead of {_shape(wanted)}.", AGAIN)


def _these(rows: int) -> str:
    return "This is the row" if rows == 1 else f"These are the {rows:,} rows"


def _shape(data: dict[str, Any]) -> str:
    return f"{many(data['rows'], 'row')} of {many(data['features'], 'feature')} (SHA-256 {data['sha256'][:12]}...)"


def _not_checked(about: Subject, _: Any) -> Finding:
    told = list(about.rule.not_checkable)
    told += ["that the weights were learned without the rows held out"] if about.tested.n else []
    return Finding(None, f"Not something that a table can tell: {', '.join(told)}.", None)


CLAIMS = (
    Claim(
        "data",
        lambda about: [] if about.model.data is None else [about.model.data],
        lambda about, wanted: same_data(wanted, about.trained),
    ),
    *judgement.CLAIMS,
    *learned.CLAIMS,
    *proved.CLAIMS,
    Claim("run", lambda about: [None], _not_checked),
)


def of_model(model: Model, data: Data) -> Iterator[Result]:
    """Every claim of a model, on all rows of its table."""
    judged = model.held_out or {}
    out = HoldOut(float(judged.get("part") or 0.0), int(judged.get("seed") or 0))(0, data.n)
    about = Subject(model, data.some(~out), data.some(out))
    for claim in CLAIMS:
        yield from claim.results(about)
