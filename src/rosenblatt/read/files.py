"""Files on disk: compressed or not, in any encoding, possibly larger than memory."""

import codecs
import gzip
import io
import os
import shutil
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, cast

import polars as pl

from rosenblatt.errors import OptionError, TableError
from rosenblatt.read.table import TROUBLE, first_line

SAMPLE = 2**18  # bytes in the sample from the start of a file; more if its first lines are longer
FIRST_LINES = 5  # in the sample, at least: a header, and rows to recognise it by
LONGEST = 2**27  # bytes in the sample at most, and so the longest possible first line
SAMPLE_LINES = 2000
CHUNK = 2**20
LARGE_DISK_PART = 0.5  # of the free disk space, for an unpacked file
LARGE_PART = 0.25  # of the available memory: larger files are read in blocks
MAGIC = {b"\x1f\x8b": "gz", b"\x28\xb5\x2f\xfd": "zst", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}
GROWTH = {"": 1.0, "gz": 6.0, "zst": 6.0}  # estimated size of the content relative to the file
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
NOT_TEXT = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a\x1b"))


class UndecodableError(TableError):
    """The bytes are not in the assumed encoding."""


class TooLargeError(TableError):
    """The rows do not fit in memory at once; caught by the readers, which then read in blocks."""


class Scratch:
    """A folder for temporary files, created when needed and removed together with this object."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._count = 0

    def path(self, suffix: str = "") -> Path:
        """The path of a new file."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="rosenblatt-"))
            weakref.finalize(self, _remove, self._folder, os.getpid())
        self._count += 1
        return self._folder / f"{self._count}{suffix}"


def _remove(folder: Path, owner: int) -> None:
    """Remove the folder; a forked child leaves its parent's alone."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class File:
    """A readable file: its path, its name in messages, its compression, and its first bytes."""

    path: Path
    shown: str  # for messages
    name: str  # its suffix shows the format
    packed: str  # "", "gz" or "zst"
    start: bytes  # the first lines of its content
    complete: bool  # whether `start` is the whole content
    encoding: str = "utf-8"
    encoding_given: bool = False  # whether the user named the encoding

    @property
    def suffix(self) -> str:
        """The last suffix of its name in lower case, ignoring the suffix of the compression."""
        name = self.name.lower()
        for packed in (".gz", ".zst", ".zstd", ".zip"):
            name = name.removesuffix(packed)
        return Path(name).suffix

    @property
    def size(self) -> float:
        """The approximate uncompressed size."""
        return self.path.stat().st_size * GROWTH[self.packed]

    def is_plain(self) -> bool:
        """Whether Polars can read it in place."""
        return self.encoding == "utf-8"


def opened(path: Path, shown: str, name: str, scratch: Scratch) -> File:
    """Read a file's first bytes; a zip is unpacked."""
    try:
        if path.is_dir():
            raise TableError(f"{shown}: is a directory; name the files in it, for example {shown.rstrip('/')}/*.csv")
        with open(path, "rb") as file:
            head = file.read(4)
        packed = next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), "")
        if packed == "zip":
            return _unzipped(path, shown, scratch)
        start, complete = _start(path, packed)
    except FileNotFoundError:
        raise TableError(f"{shown}: no such file") from None
    except PermissionError:
        raise TableError(f"{shown}: permission denied") from None
    except (EOFError, zlib.error, *TROUBLE) as error:
        raise TableError(f"{shown}: {damage(error)}") from error
    if not start.strip():
        raise TableError(f"{shown}: the file is empty")
    return File(path, shown, name, packed, start, complete)


def _start(path: Path, packed: str) -> tuple[bytes, bool]:
    """The first bytes of a file's content, and whether that is all of it."""
    if packed == "zst":
        return _start_of_lines(path, FIRST_LINES) or _start_of_lines(path, SAMPLE_LINES) or (b"", True)
    with unpacked(path, packed) as file:
        return _first_lines(file)


def _first_lines(file: IO[bytes]) -> tuple[bytes, bool]:
    """`SAMPLE` bytes, or as many more as the first lines take, and whether that is the whole file."""
    start, wanted = b"", SAMPLE
    while True:
        start += file.read(wanted + 1 - len(start))
        if len(start) <= wanted:
            return start, True
        if wanted >= LONGEST or max(start.count(b"\n"), start.count(b"\r")) > FIRST_LINES:
            return start[:wanted], False
        wanted *= 2


def _start_of_lines(path: Path, many: int) -> tuple[bytes, bool] | None:
    """The start of a zstd file, from its first lines; None if these do not fill the sample."""
    lines = pl.scan_lines(path, n_rows=many, glob=False).collect().to_series()
    start = ("\n".join(lines) + "\n").encode()
    if len(lines) < many:
        return start, True
    return (start, False) if len(start) > SAMPLE or many == SAMPLE_LINES else None


@contextmanager
def unpacked(path: Path, packed: str) -> Iterator[IO[bytes]]:
    """The uncompressed bytes of a plain or gzipped file."""
    with open(path, "rb") as raw:
        if packed == "gz":
            with gzip.open(raw) as file:
                yield cast(IO[bytes], file)
        else:
            yield raw


def _unzipped(path: Path, shown: str, scratch: Scratch) -> File:
    """The only member of a zip archive, unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX")]
            if any(m.filename.startswith("xl/") for m in members):
                raise TableError(f"{shown}: is an Excel workbook; save the sheet as CSV")
            if len(members) != 1:
                raise TableError(f"{shown}: a zip archive of {len(members)} files; unpack it and name the file to read")
            target = scratch.path()
            _check_room(members[0].file_size, target, shown)  # no more than that is unpacked
            with archive.open(members[0]) as inside, open(target, "wb") as out:
                shutil.copyfileobj(inside, out, CHUNK)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise TableError(f"{shown}: cannot unpack the zip archive: {first_line(error)}") from error
    return opened(target, shown, members[0].filename, scratch)


def _check_room(size: int, target: Path, shown: str) -> None:
    """Refuse to unpack a file that would take more than half of the free disk space."""
    if size > LARGE_DISK_PART * shutil.disk_usage(target.parent).free:
        raise TableError(f"{shown}: not enough disk space to unpack it: it takes {size / 2**30:,.1f} GiB")


def damage(error: BaseException) -> str:
    """Why a file could not be read."""
    text = first_line(error)
    if isinstance(error, EOFError) or "end of file" in text or "incomplete frame" in text.lower():
        return "the file is truncated; copy or download it again"
    if "utf8" in text or "utf-8" in text:
        return "compressed with zstd and not UTF-8; unpack it with: zstd -d"
    return f"the file is damaged: {text}"


def with_encoding(file: File, encoding: str | None) -> File:
    """The file with its encoding: the one given, or the one detected from its first bytes."""
    if encoding is not None:
        try:
            codec = codecs.lookup(encoding).name
        except LookupError:
            raise OptionError(
                f"unknown encoding {encoding!r}; use, for example, 'utf-8', 'latin-1' or 'utf-16'"
            ) from None
        return replace(file, encoding=codec, encoding_given=True)
    return replace(file, encoding=_encoding(file))


def _encoding(file: File) -> str:
    start = file.start
    for bom, name in BOMS:
        if start.startswith(bom):
            return name
    if (nul := start.find(b"\0")) >= 0:
        even, odd = start[::2].count(0), start[1::2].count(0)
        if max(even, odd) > 0.3 * len(start) / 2 and min(even, odd) < 0.1 * max(even, odd):
            return "utf-16-le" if odd > even else "utf-16-be"
        raise TableError(f"{file.shown}: byte {nul + 1} is zero, which never occurs in text; is this a binary file?")
    if sum(start.count(code) for code in NOT_TEXT) > 0.01 * len(start):
        raise TableError(f"{file.shown}: neither text nor a known format")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start, final=file.complete)
    except UnicodeDecodeError:
        return western(start)
    return "utf-8"


def western(text: bytes) -> str:
    """The one-byte encoding of text that is not UTF-8: Windows-1252, or Latin-1 if it has bytes undefined there."""
    try:
        text.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def text_of(file: File) -> str:
    """The first bytes as text."""
    decoder = codecs.getincrementaldecoder("utf-8-sig" if file.encoding == "utf-8" else file.encoding)("strict")
    try:
        return decoder.decode(file.start, final=False)
    except UnicodeDecodeError as error:
        raise UndecodableError(_undecodable(file, error)) from error


def _undecodable(file: File, error: UnicodeDecodeError) -> str:
    return f"{file.shown}: byte 0x{error.object[error.start]:02x} is not {file.encoding}; " + (
        "omit the encoding to detect it, or specify the right one" if file.encoding_given else "specify the encoding"
    )


@contextmanager
def as_text(file: File) -> Iterator[Iterator[str]]:
    """The decoded lines of the file, with their line endings."""
    try:
        if file.packed == "zst":
            yield (line + "\n" for line in _lines(file))
        else:
            codec = "utf-8-sig" if file.encoding == "utf-8" else file.encoding
            with unpacked(file.path, file.packed) as raw:
                yield io.TextIOWrapper(raw, codec, newline="")
    except UnicodeDecodeError as error:
        raise UndecodableError(_undecodable(file, error)) from error
    except (EOFError, zlib.error, *TROUBLE) as error:
        raise TableError(f"{file.shown}: {damage(error)}") from error


def _lines(file: File) -> Iterator[str]:
    for batch in pl.scan_lines(file.path, glob=False).collect_batches(lazy=True):
        yield from batch.to_series()


def plain(file: File, scratch: Scratch) -> File:
    """A copy of the file in UTF-8 with \\n line endings, or the file itself if it already is."""
    if file.is_plain() and not _old_line_ends(file):
        return file
    target = scratch.path(file.suffix)
    codec = "utf-8-sig" if file.encoding == "utf-8" else file.encoding
    decoder = codecs.getincrementaldecoder(codec)("strict")
    try:
        with unpacked(file.path, file.packed) as raw, open(target, "w", encoding="utf-8", newline="") as out:
            ended_in_return = False
            while chunk := raw.read(CHUNK):
                text = decoder.decode(chunk)
                if ended_in_return:
                    text = "\r" + text
                ended_in_return = text.endswith("\r")
                text = text.removesuffix("\r") if ended_in_return else text
                out.write(text.replace("\r\n", "\n").replace("\r", "\n"))
            out.write(decoder.decode(b"", final=True) + ("\n" if ended_in_return else ""))
    except UnicodeDecodeError as error:
        raise UndecodableError(_undecodable(file, error)) from error
    except (EOFError, zlib.error, OSError) as error:
        raise TableError(f"{file.shown}: {damage(error)}") from error
    with open(target, "rb") as made:
        start, complete = _first_lines(made)
    return replace(file, path=target, packed="", encoding="utf-8", start=start, complete=complete)


def _old_line_ends(file: File) -> bool:
    return b"\r" in file.start and b"\n" not in file.start


def is_too_large(files: Sequence[File], growth: float = 1.0) -> bool:
    """Whether files that grow by this factor would take more than a quarter of the available memory."""
    return growth * sum(file.size for file in files) > LARGE_PART * available_memory()


def collected(frame: pl.LazyFrame) -> pl.DataFrame:
    """All rows of a file of unknown size in memory; refuses more than `is_too_large` allows."""
    most, size, batches = LARGE_PART * available_memory(), 0.0, list[pl.DataFrame]()
    for batch in frame.collect_batches(maintain_order=True, lazy=True):
        batches.append(batch)
        size += batch.estimated_size()
        if size > most:
            raise TooLargeError(f"the rows take more than {most / 2**20:,.0f} MiB")
    return pl.concat(batches, rechunk=False) if batches else frame.collect()


class MemoryBudget:
    """The memory budget for a format that is always read whole: half of the available memory."""

    def __init__(self, shown: str) -> None:
        self.shown, self.left = shown, 0.5 * available_memory()

    def take(self, size: float) -> None:
        """Use `size` more bytes of the budget; refuses when it is spent."""
        self.left -= size
        if self.left < 0:
            raise TableError(f"{self.shown}: its rows do not fit into memory; use a part of them")


def available_memory() -> float:
    """Bytes that this process may still use."""
    try:
        with open("/proc/meminfo") as info:
            free = next(1024.0 * int(line.split()[1]) for line in info if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        free = 4.0 * 2**30
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            free = min(free, float(Path(limit).read_text()) - float(Path(used).read_text()))
        except (OSError, ValueError):
            continue
    return max(free, 0.0)
