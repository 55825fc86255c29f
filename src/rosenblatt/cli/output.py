"""Standard output and standard error: what is written arrives, or the command says that it did not.

A full disk or a closed stream must not end in an exit code that means something else.
"""

import io
import os
import sys
from typing import Any


class NotWrittenError(Exception):
    """Something that standard output did not take."""


class _Whole(io.FileIO):
    """Standard output; a write that fails is an error of its own kind, unlike one of any other file."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:  # whoever read it has seen enough
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
    """Write to the streams of this process as told above."""
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
    """In place of a stream that is closed: what people would read may go nowhere."""


def write(data: bytes) -> None:
    """Write what somebody has asked for, and would miss, to standard output."""
    if isinstance(sys.stdout, _Closed):
        raise NotWrittenError("it is closed")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def is_terminal() -> bool:
    """Whether a person sees standard output at once."""
    return sys.stdout.isatty()
