"""What all files of this package have in common: a format, a protocol, a version, and a SHA-256 of everything else."""

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
    """Write a document, whole or not at all; a file that exists is overwritten only with `force`."""
    write_text(path, lambda: text_of(form, made_by, record), force=force)


def write_text(path: Path, text: Callable[[], str], *, force: bool = False) -> None:
    """The same for a text that is yet to be made."""
    name = shown(path)
    try:
        write_whole(path, text().encode(), replace=force)
    except FileExistsError:
        raise ModelError(f"{name}: the file exists; it is overwritten only with force=True (--force)") from None
    except OSError as error:
        raise ModelError(f"{name}: cannot be written: {error.strerror or error}") from error
    except ModelError as error:
        raise ModelError(f"{name}: not saved: {error}") from None


def load(path: Path, read: Callable[[bytes], T]) -> T:
    """What `read` makes of a file; anything wrong with the file is a ModelError that names it."""
    name = shown(path)
    try:
        return read(read_whole(path, MOST_BYTES))
    except OSError as error:
        raise ModelError(f"{name}: cannot be read: {error.strerror or error}") from None
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from None


def opened(data: bytes, forms: tuple[str, ...], read: Callable[[str, str, dict[str, Any]], T]) -> T:
    """What `read` makes of a document of one of these formats: its format, the version that made it, and the rest."""
    if len(data) > MOST_BYTES:
        raise ModelError(f"it is larger than {MOST_BYTES:,} bytes")
    try:
        return read(*_checked(parsed(data), forms))
    except ModelError as error:
        raise ModelError(" ".join(str(error).split())) from None
    except DAMAGE as error:  # by a way not foreseen
        raise ModelError(f"it is damaged: {' '.join(str(error).split())[:200]}") from error


def _checked(record: Any, forms: tuple[str, ...]) -> tuple[str, str, dict[str, Any]]:
    """The format, the version and the rest, if the SHA-256 fits."""
    if type(record) is not dict or record.get("format") not in forms:
        raise ModelError(f"it is JSON, but not a {' or a '.join(forms)}")
    protocol = record.get("protocol")
    if type(protocol) is not int or protocol != PROTOCOL:
        newer = type(protocol) is int and protocol > PROTOCOL
        told = f"was made by a newer version (protocol {brief(protocol)})" if newer else "has no protocol known here"
        raise ModelError(f"it {told}; this version, {__version__}, reads protocol {PROTOCOL}")
    found = record.pop("sha256", None)
    if type(found) is not str or found != digest(record):
        raise ModelError("it was changed or damaged after it was written: its SHA-256 does not fit")
    form, made_by = record.pop("format"), record.pop("made_by", None)
    del record["protocol"]
    if type(made_by) is not str:
        raise ModelError(f"made_by must be a text, not {brief(made_by)}")
    return form, made_by, record


def shown(path: Path) -> str:
    """A path for a message, on one line."""
    name = os.fspath(path)
    return name if isinstance(name, str) and name.isprintable() else repr(name)
