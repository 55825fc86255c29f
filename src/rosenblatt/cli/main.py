"""Where the command begins, and where its errors end.

Nothing heavy is imported before a command runs, so `--help` is quick. Results go to standard output, progress and notes
to standard error.
"""

import sys

from rosenblatt.cli.codes import BAD_DATA, DONE, INTERRUPTED, USAGE


def main() -> None:
    """Run the command, and turn every error of ours into one line and an exit code."""
    from rosenblatt.cli.app import app
    from rosenblatt.errors import MissingExtraError, OptionError, RosenblattError

    try:
        app()
    except (OptionError, MissingExtraError) as error:
        _fail(error, USAGE)
    except RosenblattError as error:
        _fail(error, BAD_DATA)
    except FileExistsError as error:
        _fail(error, USAGE)
    except BrokenPipeError:  # whoever read the output has seen enough
        sys.stderr.close()
        sys.exit(DONE)
    except (OSError, MemoryError) as error:
        _fail(error, BAD_DATA)
    except KeyboardInterrupt:
        _fail("interrupted; nothing was written", INTERRUPTED)


def _fail(error: BaseException | str, code: int) -> None:
    """One line on standard error; as JSON on standard output too, where that was asked for."""
    if isinstance(error, OSError) and error.strerror:
        error = f"{error.filename}: {error.strerror.lower()}" if error.filename else error.strerror.lower()
    text = " ".join(str(error).split()) or type(error).__name__
    print(f"rosenblatt: {text}", file=sys.stderr)
    if "--json" in sys.argv:
        import json

        print(json.dumps({"error": text, "exit_code": code}))
    sys.exit(code)
