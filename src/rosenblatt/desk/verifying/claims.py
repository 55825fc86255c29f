"""All claims that a model file may make about its rule and its rows, in the order in which they are checked.

Linear rules for two classes, or learned jointly for more, are checked in exact arithmetic; other rules by `predict`,
and the result says so. Claims that no table can confirm, such as the number of passes, are reported as not checked.
"""

from collections.abc import Iterator
from typing import Any

from rosenblatt.desk.constraints import NOT_OF_COLUMNS, are_of_columns, points_in_words
from rosenblatt.desk.data import Data
from rosenblatt.desk.split import HoldOut
from rosenblatt.desk.verifying import decided, judgement, learned, profiled, proved
from rosenblatt.desk.verifying.claim import AGAIN, CheckedClaim, Claim, Outcome, Subject
from rosenblatt.learn.selection.column_path import ColumnPath
from rosenblatt.plurals import many
from rosenblatt.rows.cone import Cone
from rosenblatt.ship.file.modelfile import Model


def same_data(wanted: dict[str, Any], data: Data) -> Outcome:
    """Whether the features are the ones that the claims are about."""
    found = data.fingerprint
    if found == wanted:
        rows = many(found["rows"], "row")
        return Outcome(True, f"The table has the {rows} that the claims are about, to the last bit.", AGAIN)
    return Outcome(False, f"The data differs: {_shape(found)} instead of {_shape(wanted)}.", AGAIN)


def _shape(data: dict[str, Any]) -> str:
    return f"{many(data['rows'], 'row')} of {many(data['features'], 'feature')} (SHA-256 {data['sha256'][:12]}...)"


def _constraints(about: Subject, cone: Cone) -> Outcome:
    """Whether the weights have the signs that they must have, and belong to columns that rise and fall."""
    encoding = about.model.table_encoding
    if not are_of_columns(encoding, cone):
        return Outcome(False, NOT_OF_COLUMNS)
    form = about.rule.linear
    weights = [] if form is None else form.weights.ravel().tolist()
    kept = len(cone.within(dict(enumerate(weights)))) == len(weights) > 0
    return Outcome(kept, points_in_words(encoding, cone) if kept else "The points break the rule's own constraints.")


def _columns(about: Subject, path: ColumnPath) -> Outcome:
    """Whether the rule uses the columns that it may use, and no others."""
    form = about.rule.linear
    weights = [] if form is None else form.coefficients.T.tolist()
    names = about.model.table_encoding.column_names
    others = [name for name, each in zip(names, weights, strict=True) if any(each) and name not in path.chosen]
    if others:
        return Outcome(False, f"The rule uses the column {others[0]}, which is not one of the {path.many} it may use.")
    return Outcome(True, f"The rule uses no columns but {', '.join(path.chosen)}.")


def _not_checked(about: Subject, _: Any) -> Outcome:
    unknown = list(about.rule.not_checkable)
    unknown += ["the errors of rules of other numbers of columns"] if about.rule.column_path is not None else []
    unknown += ["that the weights were learned without the held-out rows"] if about.tested.n else []
    unknown += ["that the cut-offs to try were chosen without the rows set aside"] if about.aside.n else []
    return Outcome(None, f"A table cannot show {', or '.join(unknown)}.", None)


CLAIMS = (
    Claim(
        "data",
        lambda about: [] if about.model.data is None else [about.model.data],
        lambda about, wanted: same_data(wanted, about.trained),
    ),
    *judgement.CLAIMS,
    Claim("constraints", lambda about: [about.rule.cone] if about.rule.cone else [], _constraints),
    Claim("columns", lambda about: [] if about.rule.column_path is None else [about.rule.column_path], _columns),
    *decided.CLAIMS,
    *learned.CLAIMS,
    *proved.CLAIMS,
    *profiled.CLAIMS,
    Claim("run", lambda about: [None], _not_checked),
)


def of_model(model: Model, data: Data) -> Iterator[CheckedClaim]:
    """Check every claim of a model on all rows of its table."""
    judged = model.held_out or {}
    part, seed = float(judged.get("part") or 0.0), int(judged.get("seed") or 0)
    aside = float(judged.get("set_aside") or 0.0) if "trained_rows" in judged else 0.0
    tested, out = (HoldOut(size, seed)(0, data.n) for size in (part, part + aside))
    about = Subject(model, data.some(~out), data.some(tested), data.some(out & ~tested))
    for claim in CLAIMS:
        yield from claim.results(about)
