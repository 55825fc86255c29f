"""Labels, scores and reasons for the rows of a table of any length.

A rule that is a sum of points becomes a Polars expression: the table streams from file to file through all cores, in
bounded memory. Other rules get it block by block.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from rosenblatt.desk.judging.error_rate import ErrorEstimate
from rosenblatt.desk.model_contents import card_of, in_points, points_of, shown_points
from rosenblatt.desk.tree_paths import conditions, table_tree
from rosenblatt.errors import OptionError, TableError
from rosenblatt.judge.calibration import VennAbers
from rosenblatt.judge.cutoff import CutOff, by_places, by_share
from rosenblatt.judge.decision import ASK_A_PERSON, UNDECIDED, Decision
from rosenblatt.judge.making import single
from rosenblatt.plurals import many
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.encode.lookup import Unseen
from rosenblatt.read.frames import nearest
from rosenblatt.read.table import Table
from rosenblatt.read.values import texts_of
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.explain.reasons import NAME as REASON
from rosenblatt.ship.explain.reasons import reasons
from rosenblatt.ship.export.points import PointRule
from rosenblatt.ship.file.modelfile import Model

LABEL, SCORE, POINTS, OWN, SCORES = "label", "score", "points", "\0target", "\0scores"
PROBABILITY, IN_TABLE = "probability", "in this table"


class LeftToPeople:
    """Counts the rows that are left to people."""

    def __init__(self) -> None:
        self.rows = 0
        self._lock = Lock()  # blocks of a table come in several threads

    def add(self, codes: Array) -> None:
        """Count those of some rows."""
        with self._lock:
            self.rows += int(np.count_nonzero(codes == UNDECIDED))


def predictions(
    model: Model,
    table: Table,
    *,
    reasons_wanted: int = 0,
    keep: Sequence[str] = (),
    unseen: Unseen | None = None,
    left: LeftToPeople | None = None,
) -> pl.LazyFrame:
    """For every row, in order: the columns to keep, the label, the score (one per class if there are more than two),
    probabilities if the model has them and, with reasons, the points. Values that the rule does not know are counted in
    `unseen` along the way, and rows that are left to people in `left`."""
    encoding = model.table_encoding
    left = left or LeftToPeople()
    if model.rule.tree is not None:
        return _in_blocks(model, encoding, table, keep, reasons_wanted, unseen, left)
    points = _points(model, table, reasons_wanted)
    if points is None:
        return _in_blocks(model, encoding, table, keep, unseen=unseen, left=left)
    assert table.frame is not None
    frame = table.frame.lazy()
    encoding.check(frame)
    named = [_score_name(k, encoding) for k in range(len(points.weights))]
    scores = points.scores(named, unseen).alias(SCORES)
    label = _decided(model, points.label([pl.col(name) for name in named]), named, left).alias(LABEL)
    likely = _likely(model, named)
    if not reasons_wanted:
        kept = _kept(keep, frame.collect_schema().names(), [*named, *probability_names(model)])
        return frame.select(*kept, scores).unnest(SCORES).select(*kept, label, *named, *likely)
    card = card_of(model)
    called = [name.replace(SCORE, POINTS, 1) for name in named]
    kept = _kept(keep, frame.collect_schema().names(), [*named, *called, *probability_names(model)])
    each = [in_points(model, card, pl.col(s)).alias(p) for s, p in zip(named, called, strict=True)]
    texts = reasons(shown_points(model), reasons_wanted, card)
    found = frame.select(*kept, scores, texts).unnest(SCORES)
    if not points.exact:  # labels are always the rule's own
        own = _in_blocks(model, encoding, table, (), left=left).select(LABEL, *named)
        found, label = pl.concat([frame.select(*kept, texts), own], how="horizontal"), pl.col(LABEL)
    return found.select(*kept, label, *named, *likely, *each, "reasons").unnest("reasons")


def _points(model: Model, table: Table, reasons_wanted: int) -> PointRule | None:
    """The rule as points, if it is a sum of points, the table has columns, and sums are exact in doubles."""
    try:
        points = points_of(model)
    except OptionError:
        if reasons_wanted:
            raise
        return None
    if table.frame is None:
        if reasons_wanted:
            raise OptionError("reasons need a table with named columns, not numbered features")
        return None
    return points if points.exact or reasons_wanted else None


def _decided(model: Model, own: pl.Expr, named: Sequence[str], left: LeftToPeople) -> pl.Expr:
    """The label of a table's rows after the model's decision, from the rule's own label and its scores."""
    decision, classes = model.decision, model.table_encoding.target.classes
    if decision is None or decision.rung is None:
        return own
    labels = _labels(classes)

    def decided(rows: pl.Series) -> pl.Series:
        frame = rows.struct.unnest()
        scores = frame.select(named).to_numpy()
        codes = frame[LABEL].replace_strict(classes, range(len(classes))).to_numpy()
        made = decision.codes(scores[:, 0] if len(named) == 1 else scores, codes)
        left.add(made)
        return labels.gather(made % len(labels))

    rows = pl.struct(own.alias(LABEL), *named)
    return rows.map_batches(decided, return_dtype=pl.String, is_elementwise=True)


def probability_names(model: Model) -> list[str]:
    """The columns of probabilities: of yes, with the ends of its interval if there is one; or of each class."""
    made, classes = None if model.decision is None else model.decision.probability, model.table_encoding.target.classes
    if made is None:
        return []
    if len(classes) > 2:
        return [f"{PROBABILITY} {label}" for label in classes]
    return [PROBABILITY, f"{PROBABILITY} from", f"{PROBABILITY} to"] if isinstance(made, VennAbers) else [PROBABILITY]


def _probabilities(model: Model, scores: Array) -> dict[str, Array]:
    """The columns of probabilities of some rows."""
    if model.decision is None or model.decision.probability is None or not len(scores):
        return dict.fromkeys(probability_names(model), np.empty(0))
    made, found = model.decision.probability, model.decision.probability.of(scores)
    columns = list(found.T) if found.ndim == 2 else [found]
    columns += made.interval(scores) if isinstance(made, VennAbers) else []
    return dict(zip(probability_names(model), columns, strict=True))


def _likely(model: Model, named: Sequence[str]) -> list[pl.Expr]:
    """The probabilities of a table's rows, from their scores."""
    if not (names := probability_names(model)):
        return []
    kind = pl.Struct(dict.fromkeys(names, pl.Float64))

    def found(rows: pl.Series) -> pl.Series:
        scores = rows.struct.unnest().to_numpy()
        return pl.DataFrame(_probabilities(model, scores[:, 0] if len(named) == 1 else scores)).to_struct(rows.name)

    each = pl.struct(*named).map_batches(found, return_dtype=kind, is_elementwise=True)
    return [each.struct.field(name) for name in names]


def _labels(classes: Sequence[str]) -> pl.Series:
    """The label of each code; UNDECIDED, counted from the end, is the last."""
    return pl.Series([*classes, ASK_A_PERSON], dtype=pl.String)


def _score_name(k: int, encoding: Encoding) -> str:
    classes = encoding.target.classes
    return SCORE if len(classes) == 2 else f"{SCORE} {classes[k]}"


def _kept(keep: Sequence[str], there: list[str], taken: list[str]) -> list[str]:
    """The columns to keep; refuses missing columns and names of new ones."""
    chosen = there if list(keep) == ["all"] and "all" not in there else list(keep)
    for name in chosen:
        if name not in there:
            raise OptionError(f"there is no column {name!r} to keep{nearest(name, there)}")
        if name in (LABEL, *taken):
            raise OptionError(f"the column {name!r} cannot be kept: the result has a column with that name")
    return chosen


def _in_blocks(
    model: Model,
    encoding: Encoding,
    table: Table,
    keep: Sequence[str],
    reasons_wanted: int = 0,
    unseen: Unseen | None = None,
    left: LeftToPeople | None = None,
) -> pl.LazyFrame:
    """Predictions by the rule itself, block by block; only trees have reasons here."""
    classes = encoding.target.classes
    several, labels = 1 if len(classes) == 2 else len(classes), _labels(classes)
    names = [_score_name(k, encoding) for k in range(several)]
    reason_names = [REASON.format(k + 1) for k in range(reasons_wanted)]
    numbers = [*names, *probability_names(model)]
    kept = _kept(keep, list(table.columns) if table.frame is not None else [], [*numbers, *reason_names])
    schema = {name: table.columns[name] for name in kept}
    schema |= {LABEL: pl.String(), **dict.fromkeys(numbers, pl.Float64()), **dict.fromkeys(reason_names, pl.String())}
    size = model.rule.rows_at_once(encoding)

    def blocks(columns: Any, predicate: Any, limit: Any, batch: Any) -> Iterator[pl.DataFrame]:
        for block in table.blocks(size):
            if limit is not None:
                block, limit = block[:limit], max(limit - block.shape[0], 0)
            X = model.seen(encoding, block)
            encoding.note(block, unseen)
            shown = model.rule.scores(X).reshape(-1, several)
            codes = model.codes(X)
            if left is not None:
                left.add(codes)
            made: dict[str, Any] = {LABEL: labels.gather(codes % len(labels))}
            made |= {name: shown[:, k] for k, name in enumerate(names)}
            made |= _probabilities(model, shown[:, 0] if several == 1 else shown)
            made |= _conditions(model, encoding, X, reason_names)
            frame = pl.DataFrame({**{name: block[name] for name in kept}, **made}, schema=schema)
            frame = frame if columns is None else frame.select(columns)
            yield frame if predicate is None else frame.filter(predicate)
            if limit == 0:
                return

    return register_io_source(blocks, schema=schema, is_pure=True)


def _conditions(model: Model, encoding: Encoding, X: Any, names: list[str]) -> dict[str, pl.Series]:
    """For every row of a tree, the last conditions on its path, the last one first."""
    if not names:
        return {}
    tree = table_tree(encoding, model.rule.tree)
    places, which = np.unique(np.stack(tree.ends(X.table)), axis=1, return_inverse=True)
    paths = [[*reversed(conditions(tree, leaf, side)), *[None] * len(names)] for leaf, side in places.T.tolist()]
    texts = (pl.Series([path[k] for path in paths], dtype=pl.String) for k in range(len(names)))
    return {name: text.gather(which.ravel()) for name, text in zip(names, texts, strict=True)}


def complaint(model: Model, table: Table) -> TableError | None:
    """The error for the first cell that cannot be read, found block by block."""
    encoding, before = model.table_encoding, 0
    for block in table.blocks(model.rule.rows_at_once(encoding)):
        try:
            model.seen(encoding, block, first_row=before)
        except TableError as error:
            return error
        before += block.height
    return None


@dataclass(frozen=True)
class ErrorInTable:
    """The error among the rows decided, with an exact confidence interval, and how many rows are left to people."""

    error: ErrorEstimate | None  # None if all rows are
    left_to_people: int

    @classmethod
    def of(cls, wrong: int, left: int, rows: int) -> "ErrorInTable":
        """Of counts; rows left to people are not wrong."""
        return cls(ErrorEstimate.of(wrong - left, rows - left, IN_TABLE) if left < rows else None, left)

    @property
    def statement(self) -> str:
        """Both in a sentence or two."""
        if self.error is None:
            return f"All {many(self.left_to_people, 'row')} are left to people."
        if not self.left_to_people:
            return self.error.statement
        rows = self.error.rows + self.left_to_people
        left = f"{self.left_to_people:,} of {rows:,} rows ({self.left_to_people / rows:.2%}) are left to people."
        return f"{left} Of the others: {self.error.statement}"


def judged(model: Model, table: Table) -> ErrorInTable:
    """The model's error on a table that has the target."""
    encoding = model.table_encoding
    if table.sparse is not None:
        own = pl.Series(table.sparse[1])
        said = predictions(model, table).select(LABEL).collect().to_series()
        return ErrorInTable.of(
            int((said != own).sum()), int((said == ASK_A_PERSON).sum()) if asks(model) else 0, len(own)
        )
    target = encoding.target.name
    if target not in table.columns:
        raise OptionError(f"there is no target column {target!r} to judge by")
    assert table.frame is not None
    kept = replace(table, frame=table.frame.with_columns(pl.col(target).alias(OWN)))  # its name may be one of ours
    classes = encoding.target.classes
    labels = pl.Series(
        [*classes, "", None], dtype=pl.String
    )  # for other values, which equal no label, and for missing ones

    def own_labels(cells: pl.Series) -> pl.Series:
        return labels.gather(encoding.target.codes(texts_of(cells)))

    known = pl.col(OWN).map_batches(own_labels, return_dtype=pl.String, is_elementwise=True)
    counts = (
        predictions(model, kept, keep=[OWN])
        .select(known.alias(OWN), LABEL)
        .select(
            wrong=(pl.col(OWN) != pl.col(LABEL)).sum(),
            left=(pl.col(OWN).is_not_null() & (pl.col(LABEL) == ASK_A_PERSON)).sum(),
            rows=pl.col(OWN).is_not_null().sum(),
        )
        .collect(engine="streaming")
    )
    if not counts["rows"][0]:
        raise TableError(f"{table.source}: no row has a target to judge by")
    return ErrorInTable.of(counts["wrong"][0], counts["left"][0] if asks(model) else 0, counts["rows"][0])


def asks(model: Model) -> bool:
    """Whether the model may leave rows to people."""
    return model.decision is not None and model.decision.asks


def with_capacity(model: Model, table: Table, places: int | None, rate: float | None) -> tuple[Model, CutOff]:
    """The model with a cut-off that says yes to a number of the rows of this table, or to a share of them."""
    classes = model.table_encoding.target.classes
    if len(classes) > 2:
        raise OptionError(
            f"--places and --rate set how many rows get a yes, so they need two classes; the model has {len(classes)}"
        )
    if asks(model):
        raise OptionError("the model leaves rows to people by cut-offs of its own, so --places and --rate do not apply")
    scores = predictions(model, table).select(SCORE).collect(engine="streaming")[SCORE].to_numpy()
    names = classes[0], classes[1]
    found = by_share(scores, rate, names) if rate is not None else by_places(scores, places or 0, names)
    probability = None if model.decision is None else model.decision.probability
    return replace(model, decision=Decision(single(found), probability)), found
