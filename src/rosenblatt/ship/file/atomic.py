"""Writes and reads files completely or not at all.

A new file is written in the same folder under a temporary name and then renamed in one step. A process that is killed
leaves either the old file or the new one, and perhaps a `.rosenblatt-....part`, which can be deleted.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

Path = str | os.PathLike[str]

BINARY = getattr(os, "O_BINARY", 0)  # Windows
AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # do not wait for a pipe


def write_whole(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write a file as `drafted` does, and flush it to disk, so that even a power cut leaves a complete file."""
    with drafted(path, replace=replace) as draft:
        _write(draft, data)
    _sync_folder(os.path.dirname(os.path.realpath(path)))


@contextmanager
def drafted(path: Path, *, replace: bool = False) -> Iterator[str]:
    """A temporary name to write to; at the end, the file is renamed to `path`.

    An existing file is replaced only with `replace`, even if it appears in the meantime. A symbolic link is followed.
    If it raises OSError, nothing has changed.
    """
    target = os.path.realpath(path)
    mode = _mode_of(target, replace)
    draft = os.path.join(os.path.dirname(target), f".rosenblatt-{secrets.token_hex(8)}.part")
    try:
        yield draft
        if mode is not None:
            os.chmod(draft, mode)
        if replace:
            os.replace(draft, target)
        else:
            _take_free_name(draft, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)


def _mode_of(target: str, replace: bool) -> int | None:
    """The permissions of the file to be replaced; None if there is none."""
    try:
        old = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(old):
        raise OSError(errno.EINVAL, "it is a directory, a pipe or a device, not a file", target)
    if not replace:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
    return stat.S_IMODE(old)


def _write(draft: str, data: bytes) -> None:
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o666)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(handle)


def _take_free_name(draft: str, target: str) -> None:
    """Rename a file, unless the name is taken."""
    try:
        os.link(draft, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: take the name first, then fill it
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        os.replace(draft, target)


def _sync_folder(folder: str) -> None:
    """Flush the new name to disk, if the system can; the file itself is already there."""
    if os.name == "posix":
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def read_whole(path: Path, most: int) -> bytes:
    """The bytes of a regular file of at most `most` bytes; raises OSError for anything else, and never waits."""
    handle = os.open(path, os.O_RDONLY | AT_ONCE | BINARY)
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "it is a directory, a pipe or a device, not a file")
        if about.st_size <= most and len(data := file.read(most + 1)) <= most:
            return data
    raise OSError(errno.EFBIG, f"the file is larger than {most:,} bytes")
