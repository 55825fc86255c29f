"""The ledger: the mistakes that a run corrected, in order.

Weights are the start plus the sum of y_i x_i over these rows, so the ledger is the run: any w_t can be
replayed from it bit for bit. A fingerprint of these rows is kept, so that others are refused. Row numbers stay in
memory up to `IN_MEMORY` of them (64 MiB); beyond that they are spilled to a temporary file, which goes when the ledger
goes, so memory stays bounded however long the run.
"""

import json
import os
import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Callable, Iterator
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.errors import LedgerError, OptionError
from rosenblatt.learn.fingerprint import fingerprint
from rosenblatt.learn.loss import perceptron_loss
from rosenblatt.rows import find, kernels
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array

IN_MEMORY = 2**24
PROTOCOL = 1
HEADER = "protocol", "n_rows", "updates", "fingerprint"  # what the header of every kind of ledger has
DAMAGE = (
    OSError,
    EOFError,
    zipfile.BadZipFile,
    AttributeError,
    KeyError,
    TypeError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)


class RunStep(NamedTuple):
    """The run after t updates; `row` is the one corrected last, -1 at the start."""

    t: int
    row: int
    weights: Array
    norm: float
    loss: float  # the perceptron loss, summed over the examples: see learn.loss


def rows_of_entries(entries: Array) -> Array:
    """The rows that entries stand for: i for i, and i for ~i, its fractional copy."""
    return np.where(entries < 0, ~entries, entries)


def _remove(folder: str, owner: int) -> None:
    """Remove a spilled tape; a forked child leaves its parent's alone."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


class Tape:
    """A long array that only grows; beyond `IN_MEMORY` entries it is kept in a temporary file."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self._recent: list[Array] = []
        self._held = 0
        self._file: Path | None = None
        self._on_disk = 0

    def __len__(self) -> int:
        return self._on_disk + self._held

    def append(self, entries: Array) -> None:
        """Add entries at the end."""
        if entries.size:
            self._recent.append(np.array(entries, self.dtype))
            self._held += entries.size
            if self._held > IN_MEMORY:
                self._spill()

    def _spill(self) -> None:
        if self._file is None:
            folder = tempfile.mkdtemp(prefix="rosenblatt-ledger-")
            weakref.finalize(self, _remove, folder, os.getpid())
            self._file = Path(folder) / "tape"
        with open(self._file, "ab") as file:
            for entries in self._recent:
                entries.tofile(file)
        self._on_disk += self._held
        self._recent, self._held = [], 0

    def read(self, first: int = 0, last: int | None = None) -> Array:
        """Entries first .. last-1."""
        first, last, _ = slice(first, last).indices(len(self))
        parts = []
        if self._file is not None and first < min(last, self._on_disk):
            many, offset = min(last, self._on_disk) - first, first * self.dtype.itemsize
            parts.append(np.fromfile(self._file, self.dtype, many, offset=offset))
        if last > max(first, self._on_disk):
            if len(self._recent) > 1:
                self._recent = [np.concatenate(self._recent)]
            parts.append(self._recent[0][max(first - self._on_disk, 0) : last - self._on_disk])
        return np.concatenate(parts) if parts else np.empty(0, self.dtype)


class Ledger:
    """The corrected rows in order, the start, and where passes ended."""

    numbers_per_row = 1  # of entries: a ledger of several classes has one for each rival

    def __init__(self, start: Array, n_rows: int, dtype: Any = np.int32) -> None:
        self.start = start.copy()
        self.n_rows = n_rows
        self.fingerprint: int | None = None  # of the corrected rows, if they are known
        self._known: weakref.ref[Examples] | None = None  # the examples last compared with it
        self._entries = Tape(dtype)
        self._pass_ends = Tape(np.int64)

    @classmethod
    def of(cls, ledger: "Ledger", *more: Any) -> Self:
        """The corrections of another ledger, in one of this kind; `more` is what it is made with besides."""
        found = cls(ledger.start, ledger.n_rows, ledger._entries.dtype, *more)
        found._entries, found._pass_ends, found.fingerprint = ledger._entries, ledger._pass_ends, ledger.fingerprint
        return found

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<Ledger: {len(self)} updates in {self.n_passes} passes over {self.n_rows} rows>"

    def append(self, entries: Array, pass_ends: Array | None = None) -> None:
        """Add corrections, i for a whole step on row i, ~i for its fractional copy, and where among them passes end."""
        if pass_ends is not None:
            self._pass_ends.append(pass_ends + len(self))
        self._entries.append(entries)

    def seal(self, examples: Examples) -> "Ledger":
        """Note by which rows this ledger is to be replayed, and no others; returns itself."""
        self.fingerprint = fingerprint(examples, self.corrected)
        return self

    def emptied(self, start: Array, n_rows: int = 0) -> "Ledger":
        """A ledger of the same kind, of a run that goes on from these weights."""
        return type(self)(start, n_rows, np.int64, **self._more())

    def end_pass(self) -> None:
        """Note that a full pass ends here."""
        self.append(self._entries.read(0, 0), np.zeros(1, np.int64))

    def until(self, t: int) -> "Ledger":
        """The first t corrections, and the passes that ended with them."""
        first = type(self)(self.start, self.n_rows, self._entries.dtype, **self._more())
        for entries in self.pieces(0, t):
            first._entries.append(entries)
        ends = self.pass_ends
        first._pass_ends.append(ends[ends <= t])
        return first

    @property
    def n_passes(self) -> int:
        """How many full passes were made."""
        return len(self._pass_ends)

    @property
    def pass_ends(self) -> Array:
        """How many updates had been made when each full pass ended."""
        return self._pass_ends.read()

    def entries(self, first: int = 0, last: int | None = None) -> Array:
        """Corrections first .. last-1 as written by the kernel: ~i stands for the fractional copy of row i."""
        return self._entries.read(first, last)

    def pieces(self, first: int = 0, last: int | None = None) -> Iterator[Array]:
        """The entries, a piece at a time, so that a ledger of any length can be read."""
        first, last, _ = slice(first, last).indices(len(self))
        for begin in range(first, last, IN_MEMORY):
            yield self.entries(begin, min(begin + IN_MEMORY, last))

    @property
    def rows(self) -> Array:
        """The corrected rows, in order."""
        return rows_of_entries(self.entries()) // self.numbers_per_row

    @property
    def corrected(self) -> Array:
        """The rows that were ever corrected, sorted."""
        return np.unique(self.counts()[0] // self.numbers_per_row)

    @property
    def is_whole(self) -> bool:
        """Whether every correction was a whole step."""
        return not any((entries < 0).any() for entries in self.pieces())

    def counts(self, first: int = 0, last: int | None = None) -> tuple[Array, Array]:
        """The rows that corrections first .. last-1 are of, sorted, and how many each has."""
        many = np.zeros(self.n_rows * self.numbers_per_row, np.int64)
        for entries in self.pieces(first, last):
            many += np.bincount(rows_of_entries(entries), minlength=many.size)
        rows = np.flatnonzero(many)
        return rows, many[rows]

    def replay(self, examples: Examples, t: int | None = None) -> Array:
        """The weights after t updates (all of them, by default), bit for bit."""
        t = len(self) if t is None else t
        if not 0 <= t <= len(self):
            raise LedgerError(f"this run made {len(self)} updates; there is no state after {t}")
        self._check(examples)
        w, follow = self.start.copy(), self.follower(examples)
        for entries in self.pieces(0, t):
            self._check_weights(entries, examples)
            follow(w, entries)
        return w

    def steps(self, examples: Examples) -> Iterator[RunStep]:
        """Every state of the run, from the start on: t, the row corrected, w_t, its norm and its loss."""
        self._check(examples)
        w, follow = self.start.copy(), self.follower(examples)
        for t in range(len(self) + 1):
            entry = self.entries(t - 1, t)
            self._check_weights(entry, examples)
            follow(w, entry if t else entry[:0])
            row = int(rows_of_entries(entry)[0]) // self.numbers_per_row if t else -1
            yield RunStep(t, row, w.copy(), find.norm(w), self._loss(examples, w))

    def follower(self, examples: Examples) -> Callable[[Array, Array], None]:
        """What makes the corrections of some entries once more, given the weights before them, which it changes."""
        return lambda w, entries: kernels.replay(examples.rows, examples.labels, examples.weights, w, entries)

    def _loss(self, examples: Examples, w: Array) -> float:
        return perceptron_loss(examples, w)

    def _check_weights(self, entries: Array, examples: Examples) -> None:
        if not examples.weights.size and (entries < 0).any():
            raise LedgerError("this ledger has steps of fractional weight; replay it on examples with their weights")

    def extend(self, entries: Array, n_rows: int, examples: Examples | None = None) -> None:
        """Add the corrections made in the next n_rows rows of a stream; `entries` number those from 0.

        Without the rows themselves, as examples, they cannot be known again.
        """
        if examples is None or (len(self) and self.fingerprint is None):
            self.fingerprint = None
        else:
            more = fingerprint(examples, np.unique(rows_of_entries(entries) // self.numbers_per_row), self.n_rows)
            self.fingerprint = ((self.fingerprint or 0) + more) % 2**64
        self._known = None
        before = self.n_rows * self.numbers_per_row
        if before + n_rows * self.numbers_per_row >= 2**31 and self._entries.dtype != np.int64:
            wide = Tape(np.int64)
            for part in self.pieces():
                wide.append(part)
            self._entries = wide
        entries = entries.astype(np.int64)
        self.append(np.where(entries < 0, entries - before, entries + before))
        self.n_rows += n_rows

    def _check(self, examples: Examples) -> None:
        if examples.n != self.n_rows or examples.size != self.start.size:
            raise LedgerError(
                f"this ledger belongs to {self.n_rows} rows with {self.start.size - 1} features, "
                f"not to {examples.n} rows with {examples.size - 1}"
            )
        if self.fingerprint is None or (self._known is not None and self._known() is examples):
            return
        if fingerprint(examples, self.corrected) != self.fingerprint:
            for entries in self.pieces():
                self._check_weights(entries, examples)
            raise LedgerError(
                "these are not the rows that this run corrected: their values, labels, weights or order differ, or "
                "fit_intercept, bias_scale or normalize do, which the rule's own replay(X, y) takes care of"
            )
        self._known = weakref.ref(examples)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the ledger to a file, whole or not at all."""
        target = Path(path)
        about = {"protocol": PROTOCOL, "n_rows": self.n_rows, "updates": len(self)}
        header = json.dumps(about | self._known_by() | self._more())
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=target.name)
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(
                    file,
                    header=np.array(header),
                    start=self.start,
                    pass_ends=self.pass_ends,
                    entries=self.entries(),
                )
                file.flush()
                os.fsync(file.fileno())
            os.chmod(draft, 0o666 & ~_umask())
            os.replace(draft, target)
        except BaseException:
            os.unlink(draft)
            raise

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Ledger":
        """Read a ledger that `save` wrote; a damaged file is refused."""
        try:
            _check_sizes(path)
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
                header = json.loads(str(stored["header"]))
                protocol, n_rows, updates = header["protocol"], int(header["n_rows"]), int(header["updates"])
                entries, start, ends = stored["entries"], stored["start"], stored["pass_ends"]
                known = header.get("fingerprint")
                more = {name: value for name, value in header.items() if name not in HEADER}
        except FileNotFoundError:
            raise
        except DAMAGE as error:
            raise LedgerError(f"{path}: not a ledger, or damaged: {error}") from error
        if protocol != PROTOCOL:
            raise LedgerError(f"{path}: written by another rosenblatt (protocol {protocol}, not {PROTOCOL})")
        try:
            ledger = cls(start, n_rows, entries.dtype, **more)
        except (TypeError, OptionError) as error:
            raise LedgerError(f"{path}: not a ledger of this kind: {error}") from error
        rows = rows_of_entries(entries) if entries.dtype in (np.int32, np.int64) else np.array([-1])
        if (
            entries.ndim != 1
            or entries.size != updates
            or (rows.size and not 0 <= rows.min() <= rows.max() < n_rows * ledger.numbers_per_row)
            or start.ndim != 1
            or start.dtype != np.float64
            or not np.isfinite(start).all()
            or ends.ndim != 1
            or ends.dtype != np.int64
            or (np.diff(ends, prepend=0, append=entries.size) < 0).any()
        ):
            raise LedgerError(f"{path}: damaged: its rows, start or pass ends do not fit together")
        ledger.append(entries, ends)
        ledger.fingerprint = known if type(known) is int else None  # files of before have none
        return ledger

    def _known_by(self) -> dict[str, int]:
        return {} if self.fingerprint is None else {"fingerprint": self.fingerprint}

    def _more(self) -> dict[str, Any]:
        """What a ledger of another kind is made with, besides."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        kept = {"start": self.start, "n_rows": self.n_rows, "pass_ends": self.pass_ends, "entries": self.entries()}
        return kept | {"more": self._more()} | self._known_by()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["start"], state["n_rows"], state["entries"].dtype, **state["more"])  # type: ignore[misc]
        self.append(state["entries"], state["pass_ends"])
        self.fingerprint = state.get("fingerprint")


def _check_sizes(path: str | os.PathLike[str]) -> None:
    """Refuse arrays that are packed, or that claim to be larger than they are: what is read is what the file holds."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            with archive.open(member) as file:
                version = np.lib.format.read_magic(file)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                shape, _, dtype = read(file)
                length = file.tell() + prod(shape) * dtype.itemsize
            if not member.compress_size == member.file_size == length:
                raise ValueError(f"{member.filename} is not as long as it says")


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
