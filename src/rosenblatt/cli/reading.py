"""Reading a table for a command."""

import errno
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from rosenblatt.cli.parameters import Format, KnownTable, NewTable
from rosenblatt.cli.prefetch import Begun
from rosenblatt.cli.screen import Screen
from rosenblatt.desk.data import Data, data_of, encoded
from rosenblatt.desk.split import HoldOut
from rosenblatt.errors import OptionError, TableError
from rosenblatt.progress import shown_by
from rosenblatt.read.encode.columns import SparseColumn
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.encode.infer import check_text, types_for
from rosenblatt.read.formats import columnar
from rosenblatt.read.frames import nearest
from rosenblatt.read.table import LABEL, Table
from rosenblatt.rows import compiling
from rosenblatt.rows.threads import in_background

USUAL = {  # not worth a note
    ("delimiter: comma", "column names from the header"),
    *((name,) for name in columnar.NAMES.values()),
}

MOST = 12  # names of columns in an error


def waited_for(screen: Screen, begun: Begun, learn: bool = False) -> Table:
    """Wait for the table; meanwhile, if it is to be learned from, load what runs compiled code."""
    loaded = in_background(compiling.begin if learn else int)
    try:
        with screen.busy(f"reading {begun.names}"):
            read = begun.table()
    finally:
        loaded.result()  # nothing goes on after the command has ended
    if read.notes and read.notes not in USUAL:
        screen.note(f"{read.source}: {', '.join(read.notes)}")
    return read


def table(
    screen: Screen,
    source: list[str],
    wanted: Format,
    encoding: Encoding | None,
    large: bool | None = None,
    target: bool = True,
    keep: Collection[str] = (),
    beside: Encoding | None = None,
) -> Table:
    """The table in these files; with a known encoding, cells are read as it wants them, with or without the target.

    With another encoding `beside` it, cells are read so that they mean to both what they should. Columns to keep stay
    text in a text file: as a number, 007 would become 7.
    """
    types, others = ({}, None) if encoding is None else (types_for(encoding), pl.String())
    if beside is not None:
        also = types_for(beside)
        types = types | also | {name: pl.String() for name, kind in types.items() if also.get(name, kind) != kind}
    if encoding is not None and not target:
        del types[encoding.target.name]
    types = {name: kind for name, kind in types.items() if name not in keep and list(keep) != ["all"]}
    read = waited_for(screen, wanted.begin(source, types=types, others=others, large=large))
    for each in (encoding, beside):
        if each is not None and (read.sparse is not None) != any(
            column.kind == SparseColumn.kind for column in each.columns
        ):
            have, want = ("named columns", "numbered features")[:: -1 if read.sparse is not None else 1]
            raise TableError(f"{read.source}: the table has {have}, but the rule was learned from {want}")
    return read


def with_target(screen: Screen, read: Table, target: str) -> Table:
    """The rows that have a target."""
    kept = read.with_known(target)
    for note in kept.notes[len(read.notes) :]:
        screen.note(f"{read.source}: {note}")
    return kept


@contextmanager
def named(read: Table) -> Iterator[None]:
    """Name the table in errors about its rows and columns."""
    try:
        yield
    except TableError as error:
        raise error if str(error).startswith(read.source) else TableError(f"{read.source}: {error}") from None


def noted(
    screen: Screen,
    begun: Begun,
    target: str,
    wanted: NewTable,
    weights: str | None = None,
    held_out: HoldOut | None = None,
) -> tuple[Data, tuple[str, ...]]:
    """The rows as features, with the meaning of the columns inferred from the table, and what to note about it."""
    kinds = wanted.kinds
    check_text(wanted.text)
    read = waited_for(screen, begun, learn=True)
    if read.sparse is not None and (target != LABEL or kinds or weights or wanted.steps_where_they_help):
        raise OptionError(f"a LIBSVM file has numbered features and a target called {LABEL}, and nothing else")
    if read.sparse is None and target not in read.columns:
        hint = nearest(target, read.columns) or f"; the columns are {_listed(list(read.columns))}"
        raise OptionError(f"{read.source}: there is no column {target!r} to learn{hint}")
    read = with_target(screen, read, target) if wanted.drop_missing_target else read
    with screen.busy("encoding the columns"):
        made, notes = data_of(
            read, target, positive=wanted.positive, kinds=kinds, text=wanted.text, weights=weights, held_out=held_out,
            steps_where_they_help=wanted.steps_where_they_help,
        )  # fmt: skip
    for note in notes:
        screen.note(note)
    return made, notes


def _listed(names: list[str]) -> str:
    """The names of columns; of many, the first and the last, where the target often is."""
    return ", ".join(names if len(names) <= MOST else [*names[: MOST - 2], "...", names[-1]])


def known(
    screen: Screen, source: list[str], wanted: KnownTable, encoding: Encoding, weights: str | None = None
) -> Data:
    """The rows as features under a known encoding, with their weights if the table has that column."""
    read = table(screen, source, wanted, encoding)
    read = with_target(screen, read, encoding.target.name) if wanted.drop_missing_target else read
    if weights is not None and weights not in read.columns:
        screen.note(
            f"there is no column {weights!r}, which held the weights of rows in learning: all rows count the same"
        )
        weights = None
    with screen.busy("encoding the columns"), named(read):
        return encoded(read, encoding, weights)


def described(data: Data, notes: tuple[str, ...]) -> dict[str, Any]:
    """The table and the notes about it, for a program."""
    return {
        "source": data.table.source,
        "rows": data.n,
        "features": data.encoding.size,
        "target": data.encoding.target.name,
        "classes": list(data.classes),
        "positive": data.classes[1] if len(data.classes) == 2 else None,
        "columns": [
            {"name": column.name, "kind": column.kind, "features": column.size, "why": getattr(column, "why", None)}
            for column in data.encoding.columns
        ],
        "notes": [*data.table.notes, *notes],
    }


def progress_to(tell: Callable[[str], None]) -> AbstractContextManager[None]:
    """Show the progress of learning and proving where the command shows its own."""
    return shown_by(lambda text: tell(text))


def refuse_unwritable(path: Path | None, force: bool) -> None:
    """Refuse a file that cannot be written, or that exists, unless it may be replaced."""
    if path is None:
        return
    folder = path.absolute().parent
    if path.is_dir():
        raise OptionError(f"{path} is a folder; name a file in it to write")
    if not force and path.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    if not folder.is_dir():
        raise OptionError(f"there is no folder {folder} to write {path.name} to")
    if not os.access(folder, os.W_OK):
        raise OptionError(f"the folder {folder} is not writable; choose another with --output")
