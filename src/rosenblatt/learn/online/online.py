"""Learning from a stream: one row at a time, each looked at once, for as long as rows come.

Problem   few mistakes on a stream of rows x_t with labels y_t, each judged before it is learned from.
Input     rows, with a number for every feature or with some features and their numbers; a mode, a tie rule.
Result    `Stream`: the weights, their average, the counters, the features met so far.
Papers    the mistake-bound note: where w* has y_t (w* . x_t) >= eps and ||x_t|| <= U, there are at most
          U^2 ||w*||^2 / eps^2 mistakes; Freund and Schapire 1999 (average); Crammer et al. 2006 (passive-aggressive).

The features of a stream are numbered (arrays, lists, pairs of indices and values) or named (dicts, data frames). One
that was never seen has weight zero. Memory is a few numbers per feature, however long the stream.
"""

import struct
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn.online import online_kernels
from rosenblatt.learn.online.online_kernels import Arrays
from rosenblatt.learn.online.stream_options import Comparator, Mode
from rosenblatt.learn.run_state import AT_ONCE, NUMBERS_AT_ONCE
from rosenblatt.rows import find, kernels
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Csr, Rows, Ties
from rosenblatt.rows.storage import n_features, n_rows, numbers_per_row

MOST_FEATURES = 2**31
COUNTS = ("rows", "examples_seen", "mistakes", "average_mistakes", "updates", "broken_at")
NONE = np.empty(0)


class Stream:
    """A rule under way: the arrays that compiled code works on (see `online_kernels`), and what its features are."""

    def __init__(self, mode: Mode, ties: Ties, bias: float, comparator: Comparator | None = None) -> None:
        self.mode = mode
        self.bias = bias
        self.comparator = comparator
        self.names: dict[Hashable, int] | None = None  # None: features are numbered
        self.features = 0
        self.shape: tuple[int] | None = None  # of the arrays, once there was one
        self.layout: list[Hashable] | None = None  # the names whose values were held last, if all are known
        self.values: Any = np.empty(0)
        self.columns: Any = np.empty(0, np.uint64)
        self.starts = np.zeros(2, np.uint64)
        self.counts = np.zeros(len(COUNTS), np.int64)
        self.counts[online_kernels.BROKEN] = -1
        epsilon = comparator.epsilon if comparator else 0.0
        self.numbers = np.array([bias, mode.by_loss, mode.most, mode.soft, *ties, epsilon, 0.0], np.float64)
        self.limbs = np.empty(kernels.LIMBS, np.int64)
        self.table = np.zeros((3 if mode.averaged else 1, 2))
        self.star = NONE
        if comparator is not None:
            numbered = () if isinstance(comparator.weights, Mapping) else comparator.weights.tolist()
            self.star = np.array([*numbered, 0.0, comparator.threshold])
        self._room_for(self.star.size - 2)

    def _room_for(self, features: int) -> None:
        """Have room for the weights of so many features, of one that stands for all unknown ones, and the threshold."""
        room = max(features + 2, self.table.shape[1])
        if room > self.table.shape[1] and self.shape is None:  # more may come
            room = max(room, 2 * self.table.shape[1])
        self.table = _widened(self.table, room)
        self.star = _widened(self.star, room) if self.star.size else self.star
        self.parts = (self.table, self.star, self.counts, self.numbers, self.limbs)
        self.score_parts = (self.table, self.counts, self.numbers, self.limbs)

    @property
    def unknown(self) -> int:
        """The column, of weight zero, that stands for features never seen."""
        return int(self.table.shape[1]) - 2

    @property
    def heard(self) -> Array:
        """The weights that predictions are made with: the average, if there is one."""
        w: Array = self.table[0]
        return w - self.table[2] / max(int(self.counts[online_kernels.SEEN]), 1) if self.mode.averaged else w

    def weights(self, row: int = 0) -> Array:
        """A row of the table as features first, the threshold's last."""
        return self.without_room(self.table[row])

    def without_room(self, w: Array) -> Array:
        """Weights of the features met so far, the threshold's last."""
        return np.append(w[: self.features], w[-1])

    # What follows takes one row of any kind to where compiled code reads it. `learn` says what for: what is to be
    # learned from may bring new features; where it only is to be scored, those count as zero.

    def row(self, x: Any, learn: bool) -> tuple[Array, ...]:
        """The arrays of a row: one if it has a number for every feature; else values, columns and where they end."""
        if isinstance(x, (dict, Mapping)):  # dict first, which is recognised sooner
            self._hold(x, learn)
            return self.values, self.columns, self.starts
        return self._sparse(*pair, learn) if (pair := _pair(x)) else (self._dense(x, learn),)

    def _are_named(self, named: bool) -> None:
        """Settle whether features are named or numbered; a stream cannot have both kinds."""
        fresh = not self.features and self.shape is None
        if fresh and self.comparator and isinstance(self.comparator.weights, Mapping) != named:
            raise OptionError("the comparator must be a dict if features have names, and an array if they do not")
        if fresh:
            self.names = {} if named else None
        elif named != (self.names is not None):
            kind, give = ("numbers", "arrays or (indices, values)") if named else ("names", "dicts or data frames")
            raise DataError(f"{self.place(True)}: the features of this stream have {kind}; give it {give}")

    def columns_of(self, names: Sequence[Hashable], learn: bool) -> list[int]:
        """The columns of named features; new ones are added in their order."""
        self._are_named(True)
        known: Any = self.names
        if learn and (new := [name for name in names if name not in known]):
            for name in new:
                known[name] = len(known)
            self._room_for(len(known))
            self.features = len(known)
            if self.comparator:
                weights: Any = self.comparator.weights
                self.star[known[new[0]] : len(known)] = [weights.get(name, 0.0) for name in new]
        return [known.get(name, self.unknown) for name in names]

    def _hold(self, x: Mapping[Hashable, Any], learn: bool) -> None:
        """Put a named row into `values` and `columns`."""
        names = list(x)
        if names != self.layout:
            if learn and not all(name in (self.names or ()) for name in names):
                self._refuse_odd_values(x, learn)  # a row that is refused must not bring new features
            columns = self.columns_of(names, learn)
            if len(names) > self.values.size:
                self.values, self.columns = np.empty(2 * len(names)), np.empty(2 * len(names), np.uint64)
            struct.pack_into(f"{len(names)}Q", self.columns, 0, *columns)
            self.starts[1] = len(names)
            self._pack = struct.Struct(f"{len(names)}d").pack_into
            self.layout = names if self.unknown not in columns else None
        try:
            self._pack(self.values, 0, *x.values())
        except (struct.error, OverflowError):
            self._refuse_odd_values(x, learn)
            raise

    def _refuse_odd_values(self, x: Mapping[Hashable, Any], learn: bool) -> None:
        for name, given in x.items():
            try:
                number = struct.unpack("d", struct.pack("d", given))[0]
            except (struct.error, OverflowError):
                number = np.nan
            if not np.isfinite(number):
                raise self._odd_value(name, given, learn)

    def _dense(self, x: Any, learn: bool) -> Array:
        """A row with a number for every feature, as an array in C order."""
        try:
            row: Array = np.ascontiguousarray(x, np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"{self.place(learn)} holds something that is not a number: {error}") from error
        if np.ndim(x) != 1:
            raise DataError(f"{self.place(learn)} is not one-dimensional, but an array of shape {np.shape(x)}")
        self._fit_width(row.size, learn, self.place(learn))
        return row

    def _fit_width(self, size: int, learn: bool, where: str) -> None:
        """Take rows of this size from now on; refuse a size that differs from the rows before."""
        self._are_named(False)
        if (self.shape is not None and self.shape != (size,)) or size < self.features:
            raise DataError(f"{where} has {size} features, but the stream has {self.features}")
        if self.comparator and len(self.comparator.weights) != size:
            many = len(self.comparator.weights)
            raise OptionError(
                f"the comparator has weights for {many} features, but rows have {size} (and the threshold)"
            )
        self._room_for(size)
        if learn:
            self.features, self.shape = size, (size,)

    def _sparse(self, indices: Any, values: Any, learn: bool) -> tuple[Array, Array, Array]:
        """A row of some numbered features and their values, as values, columns and their ends."""
        self._are_named(False)
        indices, values = np.asarray(indices), np.ascontiguousarray(values, np.float64)
        if indices.ndim != 1 or indices.shape != values.shape or (indices.size and indices.dtype.kind not in "iu"):
            raise DataError(
                f"{self.place(learn)}: a sparse row is (indices, values), whole numbers and as many numbers"
            )
        columns = indices.astype(np.uint64)
        self.starts[1] = columns.size
        exist, rise = kernels.order_of_entries(columns, self.starts, self.features)
        if not rise:
            columns, place = np.unique(columns, return_inverse=True)
            values = np.bincount(place, values, columns.size)
            self.starts[1] = columns.size
        if not exist:
            columns = self._new_columns(columns, learn)
        return values, columns, self.starts

    def _new_columns(self, columns: Array, learn: bool) -> Array:
        """Columns some of which are not known."""
        top = int(columns.max())
        if top >= MOST_FEATURES or (learn and self.shape is not None):
            most, odd = MOST_FEATURES if self.shape is None else self.features, int(np.uint64(top).astype(np.int64))
            raise DataError(f"{self.place(learn)}: there is no feature {odd}; they are numbered from 0 to {most - 1}")
        if not learn:
            return np.where(columns < self.features, columns, np.uint64(self.unknown))
        self._room_for(top + 1)
        self.features = top + 1
        return columns

    # Errors say where in the stream they are.

    def place(self, learn: bool) -> str:
        """The row that is looked at, for a message."""
        return f"row {self.counts[online_kernels.ROWS]} of the stream" if learn else "the row to predict"

    def _odd_value(self, feature: Hashable, given: Any, learn: bool) -> DataError:
        shown = given.item() if hasattr(given, "item") else given
        return DataError(
            f"{self.place(learn)}, feature {feature!r}: the value is {shown!r}, not a finite number. Fill "
            f"it in or leave out the row{'; nothing was learned from it' if learn else ''}"
        )

    def refusal(self, outcome: float, x: Any, learn: bool) -> DataError:
        """Why compiled code learned nothing from a row."""
        entries = (
            x.items() if isinstance(x, Mapping) else zip(*pair, strict=True) if (pair := _pair(x)) else enumerate(x)
        )
        known = [(name, float(given)) for name, given in entries]
        for feature, given in known:
            if not np.isfinite(given):
                return self._odd_value(feature, given, learn)
        feature, given = max(known, key=lambda entry: abs(entry[1]), default=(None, 0.0))
        what = "the weights would overflow" if outcome == online_kernels.OVERFLOW else "the row is too long"
        return DataError(
            f"{self.place(learn)}: {what}; its largest value is {given}, of feature {feature!r}. Divide the features "
            f"by a constant{'; nothing was learned from this row' if learn else ''}"
        )

    # Blocks of rows

    def learn_rows(
        self, rows: Rows, labels: Array, copies: Array, times: Array, interrupted: Callable[[], bool]
    ) -> None:
        """Learn from a checked block, row after row; `times` gets how many mistakes each row was."""
        at, many = 0, len(labels)
        at_once = max(int(NUMBERS_AT_ONCE / numbers_per_row(rows)), 1)
        before = np.cumsum(copies) - copies
        while at < many and not interrupted():
            length = np.inf if self.mode.by_loss else find.norm(self.table[0]) + AT_ONCE * rows.radius
            width = kernels.doubt_about(rows, length).width
            end = min(at + at_once, many)
            if copies.size:
                end = min(end, max(int(np.searchsorted(before, before[at] + at_once)), at + 1))
            at = online_kernels.learn_rows(rows, labels, copies, at, end, AT_ONCE, width, times, Arrays(*self.parts))
            if at < 0:
                raise self._block_refusal(rows, ~at)

    def _block_refusal(self, rows: Rows, i: int) -> DataError:
        many = range(int(kernels.stored(rows, i)))
        columns = [int(kernels.column(rows, i, k)) for k in many]
        features = columns if self.names is None else [list(self.names)[column] for column in columns]
        values = [float(kernels.value(rows, i, k)) for k in many]
        return self.refusal(online_kernels.OVERFLOW, dict(zip(features, values, strict=True)), True)

    def named_rows(self, rows: Rows, names: Sequence[Hashable], learn: bool) -> Rows:
        """A dense table whose columns have these names, as rows with the columns of this stream."""
        columns = np.array(self.columns_of(names, learn), np.uint32)
        if np.array_equal(columns, np.arange(columns.size)):
            return rows
        n, d = rows.values.shape
        starts = np.arange(0, n * d + 1, d, dtype=np.uint64)
        return Csr(
            rows.values.ravel(), np.tile(columns, n), starts, rows.bias, rows.radius, d + 1, rows.whole, self.features
        )

    def numbered_rows(self, rows: Rows, learn: bool) -> Rows:
        """A table whose columns have numbers, with room for them all."""
        if not isinstance(rows, Csr):
            self._fit_width(n_features(rows), learn, "the table")
            return rows
        self._are_named(False)
        if learn and self.shape is not None and rows.features != self.features:
            raise DataError(f"the table has {rows.features} features, but the stream has {self.features}")
        if learn:
            self._room_for(rows.features)
            self.features = max(self.features, rows.features)
            return rows
        unknown = rows.columns.dtype.type(self.unknown)
        return rows._replace(columns=np.where(rows.columns < self.features, rows.columns, unknown))

    def scores(self, rows: Rows) -> Array:
        """The score of every row, with its exact sign."""
        return find.margins(Examples(rows, np.ones(n_rows(rows), np.int8)), self.heard)

    # What a rule under way is, as plain numbers

    def state(self) -> dict[str, Any]:
        """Everything that was learned; numbers, lists and the names of features."""
        return {
            "features": self.features if self.names is None else list(self.names),
            "width": None if self.shape is None else self.shape[0],
            "weights": [self.weights(row).tolist() for row in ((0, 2) if self.mode.averaged else (0,))],
            "counts": dict(zip(COUNTS, self.counts.tolist(), strict=True)),
            "radius": float(self.numbers[online_kernels.RADIUS]),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on, from the first row on, where a stream with this state was."""
        many = state["features"] if isinstance(state["features"], int) else len(state["features"])
        if any(len(weights) != many + 1 for weights in state["weights"]):
            raise ValueError(f"{many} features need {many + 1} weights")
        if isinstance(state["features"], int):
            self._are_named(False)
            self._room_for(state["features"])
            self.features, self.shape = state["features"], None if state["width"] is None else (state["width"],)
        else:
            self.columns_of(state["features"], True)
        for row, weights in zip(self.table[:: len(self.table) - 1 or 1], state["weights"], strict=True):
            row[: self.features], row[-1] = weights[:-1], weights[-1]
        if not np.isfinite(self.table).all():
            raise ValueError("there is a weight that is not finite")
        self.counts[:] = [state["counts"][name] for name in COUNTS]
        self.numbers[online_kernels.RADIUS] = state["radius"]


def _pair(x: Any) -> tuple[Any, Any] | None:
    """The indices and values of a row that is given as such a pair, or as a sparse matrix of one row."""
    if hasattr(x, "tocsr"):
        x = x.tocsr()
        if x.ndim == 2 and x.shape[0] != 1:
            raise DataError(f"expected one row, not a sparse matrix of {x.shape[0]} rows")
        return x.indices, x.data
    is_pair = isinstance(x, tuple) and len(x) == 2 and all(hasattr(part, "__len__") for part in x)
    return x if is_pair else None


def _widened(weights: Array, room: int) -> Array:
    """Weights with room for more features; the last two entries stay the last."""
    if weights.shape[-1] >= room:
        return weights
    wider = np.zeros((*weights.shape[:-1], room))
    wider[..., : weights.shape[-1] - 2] = weights[..., :-2]
    wider[..., -1] = weights[..., -1]
    return wider
