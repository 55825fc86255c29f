"""The common form of all files of this package: a format, a protocol, a version, and a SHA-256 of everything else."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

from rosenblatt.errors import ModelError
from rosenblatt.ship.file.atomic import Path, read_whole, write_whole
from rosenblatt.ship.file.canonical import MOST_BYTES, digest, laid_out, parsed
from rosenblatt.version import __version__
from rosenblatt.visible import brief

T = TypeVar("T")
PROTOCOL = 1
DAMAGE = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)


def text_of(form: str, made_by: str, record: dict[str, Any]) -> str:
    """The text of a document."""
    record = {"format": form, "protocol": PROTOCOL, "made_by": made_by, **record}
    record["sha256"] = digest(record)
    return laid_out(record) + "\n"


def save(path: Path, form: str, made_by: str, record: dict[str, Any], *, force: bool = False) -> None:
    """Write a document, completely or not at all; an existing file is overwritten only with `force`."""
    write_text(path, lambda: text_of(form, made_by, record), force=force)


def write_text(path: Path, text: Callable[[], str], *, force: bool = False) -> None:
    """Write a document whose text is computed only now, so that its errors name the file."""
    name = shown(path)
    try:
        write_whole(path, text().encode(), replace=force)
    except FileExistsError:
        raise ModelError(f"{name}: already exists; use force=True (--force) to overwrite") from None
    except OSError as error:
        raise ModelError(f"{name}: cannot be written: {error.strerror or error}") from error
    except ModelError as error:
        raise ModelError(f"{name}: not saved: {error}") from None


def load(path: Path, read: Callable[[bytes], T]) -> T:
    """Read a file with `read`; raises ModelError, naming the file, if anything is wrong with it."""
    name = shown(path)
    try:
        return read(read_whole(path, MOST_BYTES))
    except OSError as error:
        raise ModelError(f"{name}: cannot be read: {error.strerror or error}") from None
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from None


def opened(data: bytes, forms: tuple[str, ...], read: Callable[[str, str, dict[str, Any]], T]) -> T:
    """Read a document of one of these formats; `read` gets its format, the version that wrote it, and the rest."""
    if len(data) > MOST_BYTES:
        raise ModelError(f"it is larger than {MOST_BYTES:,} bytes")
    try:
        return read(*_checked(parsed(data), forms))
    except ModelError as error:
        raise ModelError(" ".join(str(error).split())) from None
    except DAMAGE as error:  # in a way that the checks did not foresee
        raise ModelError(f"it is damaged: {' '.join(str(error).split())[:200]}") from error


def _checked(record: Any, forms: tuple[str, ...]) -> tuple[str, str, dict[str, Any]]:
    """The format, the version and the rest of a document, after checking its SHA-256."""
    if type(record) is not dict or record.get("format") not in forms:
        raise ModelError(f"it is JSON, but not a {' or a '.join(forms)}")
    protocol = record.get("protocol")
    if type(protocol) is not int or protocol != PROTOCOL:
        newer = type(protocol) is int and protocol > PROTOCOL
        what = f"was written by a newer version (protocol {brief(protocol)})" if newer else "has an unknown protocol"
        raise ModelError(f"it {what}; this version, {__version__}, reads protocol {PROTOCOL}")
    found = record.pop("sha256", None)
    if type(found) is not str or found != digest(record):
        raise ModelError("it was changed or damaged after it was written: its SHA-256 does not match")
    form, made_by = record.pop("format"), record.pop("made_by", None)
    del record["protocol"]
    if type(made_by) is not str:
        raise ModelError(f"made_by must be a text, not {brief(made_by)}")
    return form, made_by, record


def shown(path: Path) -> str:
    """A path for a message, on a single line."""
    name = os.fspath(path)
    return name if isinstance(name, str) and name.isprintable() else repr(name)
