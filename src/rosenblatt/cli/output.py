"""Standard output and standard error: what is written arrives, or the command reports that it did not.

A full disk or a closed stream must not end in an exit code that means something else.
"""

import io
import os
import sys
from typing import Any


class NotWrittenError(Exception):
    """Standard output could not be written."""


class _Whole(io.FileIO):
    """Standard output; a write that fails is an error of its own kind, unlike one of any other file."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:  # the reader has seen enough
            raise
        except OSError as error:
            raise NotWrittenError((error.strerror or str(error)).lower()) from error


class _Perhaps(io.FileIO):
    """Standard error: where notes cannot be written, work goes on without them."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def take_over() -> None:
    """Replace the standard streams of this process by these."""
    for name, raw in (("stdout", _Whole), ("stderr", _Perhaps)):
        stream = getattr(sys, name)
        if stream is None:  # it is closed
            setattr(sys, name, _Closed(open(os.devnull, "wb"), encoding="utf-8"))  # noqa: SIM115
        elif stream.isatty():  # which is never full, and on Windows not a plain file
            stream.reconfigure(errors="backslashreplace")
        else:
            buffer = io.BufferedWriter(raw(stream.fileno(), "w", closefd=False))
            how: Any = {"encoding": stream.encoding, "errors": "backslashreplace"}
            setattr(sys, name, io.TextIOWrapper(buffer, line_buffering=stream.line_buffering, **how))


class _Closed(io.TextIOWrapper):
    """In place of a closed stream: text for people is dropped."""


def write(data: bytes) -> None:
    """Write a result to standard output; if it is closed, that is an error."""
    if isinstance(sys.stdout, _Closed):
        raise NotWrittenError("it is closed")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()
