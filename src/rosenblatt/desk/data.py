"""A table as examples that remember their rows and columns."""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl
import scipy  # its parts are loaded when they are used

from rosenblatt.desk.split import HoldOut
from rosenblatt.errors import OptionError, TableError
from rosenblatt.learn.tree.tree import Columns
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.encode.infer import encoding_of
from rosenblatt.read.files import MemoryBudget
from rosenblatt.read.frames import nearest
from rosenblatt.read.table import Table
from rosenblatt.rows.door import is_sparse
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import rows_of
from rosenblatt.rows.threads import in_background


@dataclass(frozen=True, eq=False)
class Data:
    """Features X and class numbers y of some rows of a table; `rows` are their indices in the table."""

    table: Table
    encoding: Encoding
    y: Array
    rows: Array
    weights: Array | None = None
    weight_column: str | None = None  # the weights' column
    known: Any = field(default=None, repr=False)  # the features, if already computed
    held_out: HoldOut | None = None  # rows that the encoding has not seen
    made_by: Callable[..., Any] | None = field(default=None, repr=False)  # repeats `data_of` for other held-out rows
    _examples: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)  # by class and threshold

    @cached_property
    def X(self) -> Any:  # noqa: N802
        """The features of these rows, computed when first used."""
        return self.encoding.encode(self.table.whole(), rows=self.rows) if self.known is None else self.known

    @cached_property
    def seen(self) -> Any:
        """X as rules, proofs and fingerprints take it: features are checked here, once for all of them."""
        return self.X if isinstance(self.X, Columns) else rows_of(self.X)

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.y.size)

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels; with two classes, the second is the positive one."""
        return self.encoding.target.classes

    @property
    def fingerprint(self) -> dict[str, Any]:
        """The fingerprint of these rows, as the rule sees them."""
        return self.fingerprint_begun.result()

    @cached_property
    def fingerprint_begun(self) -> "Future[dict[str, Any]]":
        """The fingerprint, computed in the background; start it early if it will be needed."""
        from rosenblatt.ship.file.modelfile import data_fingerprint, grid_fingerprint  # it knows all rules

        seen, y = self.seen, self.y
        by_columns = isinstance(seen, Columns)
        return in_background(lambda: grid_fingerprint(seen.table, y) if by_columns else data_fingerprint(seen, y))

    def some(self, chosen: Array) -> "Data":
        """The chosen rows only."""
        weights = None if self.weights is None else self.weights[chosen]
        known = self.X[chosen] if "X" in vars(self) or self.known is not None else None
        return replace(self, y=self.y[chosen], rows=self.rows[chosen], weights=weights, known=known, made_by=None)

    def only(self, columns: Collection[str]) -> "Data":
        """These rows with these columns only; numbered features are columns of their own."""
        features = [k for k, name in enumerate(self.encoding.column_names) if name in columns]
        return replace(self, encoding=self.encoding.only(columns), known=self.X[:, features], made_by=None)

    @property
    def without_features(self) -> "Data":
        """These rows, which remember no features; they are computed again if they are asked for."""
        return replace(self, known=None)

    def without_knowing(self, held_out: HoldOut | None) -> "Data":
        """These rows, encoded without any knowledge of the held-out ones."""
        if self.made_by is None or self.held_out == held_out:
            return self
        data: Data
        data, _ = self.made_by(held_out=held_out)
        return data

    def seen_by(self, rule: Any) -> "Data":
        """These rows with X as a rule, or a class of rules, sees it."""
        if isinstance(self.known, Columns):
            return self
        seen = rule.see_whole(self.encoding, self.table)
        return self if seen is None else replace(self, known=seen[self.rows])

    def number(self, row: int) -> int:
        """The row's number in the file; the first row after the header is 1."""
        place = int(self.rows[row])
        return int(self.table.rows[place]) if self.table.rows is not None else place + 1

    def shown(self, rows: Any) -> list[dict[str, Any]]:
        """The cells of these rows in the table: the columns in use, and the target."""
        places = self.rows[np.asarray(rows, dtype=np.int64)]
        if self.table.frame is None:
            X = self.X.table.T if isinstance(self.X, Columns) else self.X
            numbers = self.encoding.used[0].all_numbers  # type: ignore[attr-defined]
            return [_numbered(X[[row]], numbers, self.classes[self.y[row]]) for row in rows]
        names = [column.name for column in self.encoding.used]
        names += [self.encoding.target.name] if self.encoding.target.name not in names else []
        chosen = self.table.frame.lazy().with_row_index("\0row").filter(pl.col("\0row").is_in(places.tolist()))
        with self.table.readable():
            found = chosen.select("\0row", *names).collect(engine="streaming").rows(named=True)
        at = {row.pop("\0row"): row for row in found}
        return [at[place] for place in places.tolist()]

    def joint_examples(self, *, fit_intercept: bool = True, bias_scale: float = 1.0) -> JointExamples:
        """Examples of all classes at once."""
        threshold: Any = {"fit_intercept": fit_intercept, "bias_scale": bias_scale}
        if (key := (None, fit_intercept, bias_scale)) not in self._examples:
            made = JointExamples.of(self.seen, self.y, weights=self.weights, **threshold)
            self._examples[key] = replace(made, classes=self.classes)
        return self._examples[key]  # type: ignore[no-any-return]

    def examples(self, yes: int = 1, *, fit_intercept: bool = True, bias_scale: float = 1.0) -> Examples:
        """Examples of one class, by default the positive one, against the rest."""
        threshold: Any = {"fit_intercept": fit_intercept, "bias_scale": bias_scale}
        if (key := (yes, fit_intercept, bias_scale)) not in self._examples:
            rest = self.classes[1 - yes] if len(self.classes) == 2 else f"not {self.classes[yes]}"
            made = Examples.of(self.seen, self.y == yes, weights=self.weights, **threshold)
            self._examples[key] = replace(made, classes=(rest, self.classes[yes]))
        return self._examples[key]  # type: ignore[no-any-return]


def data_of(
    table: Table,
    target: str,
    *,
    positive: str | None = None,
    kinds: Mapping[str, str] | None = None,
    text: str = "vocabulary",
    weights: str | None = None,
    steps_where_they_help: bool = False,
    held_out: HoldOut | None = None,
) -> tuple[Data, tuple[str, ...]]:
    """Infer a table's encoding and encode its rows; also returns notes on its columns."""
    kinds = dict(kinds or {})
    if weights is not None:
        _refuse_missing(table, weights)
        kinds[weights] = "ignore"
    asked: Any = {"positive": positive, "text": text}
    own = row_weights(table, weights)
    encoding, notes = encoding_of(table, target, overrides=kinds, held_out=held_out, weights=own, **asked)
    asked["steps_where_they_help"] = steps_where_they_help
    again = partial(data_of, table, target, kinds=kinds, weights=weights, **asked)
    made = replace(encoded(table, encoding, weights), held_out=held_out, made_by=again)
    if not steps_where_they_help:
        return made, notes
    from rosenblatt.desk.stepping import cut_where_it_helps  # which few commands ask for

    encoding, more = cut_where_it_helps(made)
    made = (
        made
        if encoding is made.encoding
        else replace(encoded(table, encoding, weights), held_out=held_out, made_by=again)
    )
    return made, (*notes, *more)


def encoded(table: Table, encoding: Encoding, weights: str | None = None) -> Data:
    """The rows of a table in a known encoding, read block by block if the table is large."""
    if not encoding.used:
        raise TableError(f"{table.source}: there are no columns left to learn from")
    X: Any = None
    if table.sparse is not None:
        y = encoding.target.labels(pl.DataFrame({encoding.target.name: table.sparse[1]}))
    elif not table.is_large:
        encoding.check(table.whole())
        y = encoding.labels(table.whole())
    else:  # features and labels in one pass over the file
        parts, before, room = [], 0, MemoryBudget(table.source)
        for block in table.blocks():
            features = encoding.encode(block, dense=False, first_row=before)
            room.take(features.data.nbytes + features.indices.nbytes)
            parts.append((features, encoding.labels(block, before)))
            before += block.height
        X = scipy.sparse.vstack([part for part, _ in parts], format="csr") if parts else encoding.encode(table.whole())
        y = np.concatenate([labels for _, labels in parts]) if parts else np.empty(0, np.int64)
    return Data(table, encoding, y, np.arange(y.size), row_weights(table, weights), weights, X)


def _refuse_missing(table: Table, weights: str) -> None:
    if weights not in table.columns:
        raise OptionError(f"there is no column {weights!r} for the weights{nearest(weights, table.columns)}")


def row_weights(table: Table, column: str | None) -> Array | None:
    """The weights of the rows, from a column."""
    if column is None:
        return None
    _refuse_missing(table, column)
    if not (kind := table.columns[column]).is_numeric() and kind not in (pl.Boolean, pl.String, pl.Null):
        raise TableError(f"{table.source}: column {column!r} is of type {kind}; weights must be numbers")
    if table.frame is None:
        raise OptionError("a table of numbered features has no column for weights")
    found = table.select(pl.col(column), pl.col(column).cast(pl.Float64, strict=False).alias("\0weight"))
    weights = found["\0weight"].fill_null(np.nan).to_numpy()
    for row in np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))[:1].tolist():
        number = row + 1 if table.rows is None else int(table.rows[row])
        cell = found[column][row]
        why = "the weight is missing" if cell is None else f"{cell!r} is not a weight: a number of at least 0"
        raise TableError(f"{table.source}: row {number}, column {column!r}: {why}")
    return weights


def _numbered(row: Any, numbers: Sequence[int], label: str) -> dict[str, Any]:
    """The non-zero features of a row, by number."""
    if not is_sparse(row):
        row = np.asarray(row)
        return {str(numbers[k]): float(row[0, k]) for k in np.flatnonzero(row[0]).tolist()} | {"label": label}
    return {str(numbers[k]): float(v) for k, v in zip(row.indices, row.data, strict=True)} | {"label": label}
