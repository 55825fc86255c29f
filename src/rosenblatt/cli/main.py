"""Where the command starts, and where its errors are caught.

Nothing heavy is imported before a command runs, so `--help` is quick. Results go to standard output, progress and notes
to standard error.
"""

import atexit
import gc
import os
import sys
from contextlib import suppress
from typing import Any

from rosenblatt.cli import output, own_process
from rosenblatt.cli.codes import BAD_DATA, BUG, DONE, INTERRUPTED, NO, NOT_WRITTEN, USAGE
from rosenblatt.visible import json_text, visible

KINDS = {int: "a whole number", float: "a number", bool: "true or false"}  # of values; all others are texts
ANSWERING = ("check", "verify", "monitor")  # commands whose exit codes 0 and 1 are a yes and a no
TRACEBACK = "ROSENBLATT_TRACEBACK"  # an environment variable; where it is set, tracebacks are shown


def start() -> None:
    """Run the command as a process of its own."""
    own_process.is_own = True
    gc.set_threshold(500_000)  # imports make nearly as many objects, none of them garbage
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads would spin on cores that others need
    output.take_over()
    main()


def main() -> None:
    """Run the command, and turn every error into one line and an exit code."""
    at_once, code = True, DONE
    try:
        code = _run()
        sys.stdout.flush()
        sys.stderr.flush()
        at_once = own_process.is_own  # an orderly exit would spend half a second on freeing memory
    except BrokenPipeError:  # the reader has seen enough; but an answer that was not read is none
        if _is_asking():
            code = _print_error("standard output was closed before the answer was written", NOT_WRITTEN)
    except output.NotWrittenError as error:
        if code in (DONE, NO):
            code = _print_error(f"standard output could not be written: {error}", NOT_WRITTEN)
    except KeyboardInterrupt:
        code = _failed("interrupted; nothing was written", INTERRUPTED)
    if at_once:  # threads of Polars may still be at work, and would not survive an orderly end of the interpreter
        if own_process.is_own:
            atexit._run_exitfuncs()  # temporary files go
        os._exit(code)
    sys.exit(code)


def _run() -> int:
    from typer import TyperException

    from rosenblatt.cli.app import app
    from rosenblatt.cli.help_pages import CutShortError
    from rosenblatt.errors import MissingExtraError, OptionError, RosenblattError

    try:
        return app(prog_name="rosenblatt", standalone_mode=False) or DONE
    except CutShortError as error:
        raise error.__cause__ or error from None
    except TyperException as error:
        return _failed(_usage(error), USAGE)
    except output.NotWrittenError:
        raise
    except (OptionError, MissingExtraError, FileExistsError) as error:
        return _failed(_in_words(error), USAGE)
    except (RosenblattError, OSError) as error:
        return _failed(_in_words(error), BAD_DATA)
    except MemoryError:
        return _failed("there is not enough memory for this", BAD_DATA)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            from traceback import print_exception

            print_exception(error)
        text = f"{type(error).__name__}: {error}; this is a bug in rosenblatt; set {TRACEBACK}=1 to see where"
        return _failed(text, BUG)


def _in_words(error: Exception) -> str:
    """An error in words."""
    if isinstance(error, FileExistsError):
        name = error.filename2 or error.filename  # the second of two is the one that a draft was to get
        return f"{name} already exists; use --force to overwrite"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}" if error.filename else error.strerror.lower()
    return str(error) or type(error).__name__


def _usage(error: Any) -> str:
    """A usage error in words: what the value of an option must be, or where to read about it."""
    if isinstance(error.__cause__, ValueError):  # of Pydantic, which looks at the values
        return _value(error.param, error.__cause__)
    context = getattr(error, "ctx", None)
    message = error.format_message().strip().rstrip(".")
    return f"{message[:1].lower()}{message[1:]}; see: {context.command_path if context else 'rosenblatt'} --help"


def _value(param: Any, error: Any) -> str:
    """What the value of an option must be, and the value given."""
    kind = KINDS.get(param.type_descriptor.annotation, "a text")
    least = "" if param.min is None else f" from {param.min:g}"
    return f"{param.opts[0]} must be {kind}{least}, not {error.errors()[0]['input']!r}"


def _is_asking() -> bool:
    """Whether the exit code is the answer to a question."""
    return next((word for word in sys.argv[1:] if not word.startswith("-")), "") in ANSWERING


def _failed(text: str, code: int) -> int:
    """Print an error on standard error; with --json, on standard output too, as a record."""
    _print_error(text, code)
    if "--json" in sys.argv:
        with suppress(output.NotWrittenError, BrokenPipeError):  # it stands on standard error
            print(json_text({"error": " ".join(text.split()), "exit_code": code}), flush=True)
    return code


def _print_error(text: str, code: int) -> int:
    """Print an error as one line on standard error."""
    print(f"rosenblatt: {visible(' '.join(text.split()))}", file=sys.stderr, flush=True)
    return code
