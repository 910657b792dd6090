"""Entry point: `ravenglass [FILE ...]` opens the desktop, `ravenglass COMMAND` does one thing and ends.

Exit codes: 0 done, 1 another error of ours, 2 wrong usage, 3 file not readable as any known format, 4 profile
invalid, 130 interrupted. An error is one sentence on stderr, never a traceback.
"""

from __future__ import annotations

import os
import sys

import typer

from ravenglass.cli.commands import NAMES, application
from ravenglass.cli.printing.output import any_console, dropped, fail, flushed
from ravenglass.errors import ProfileError, RavenglassError, SessionError
from ravenglass.sessions.records.collecting import loaded, own_process, uncollected

DONE, OTHER, USAGE, NO_SESSION, BAD_PROFILE, INTERRUPTED = 0, 1, 2, 3, 4, 130


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ravenglass")
    except PackageNotFoundError:
        return "unknown"


def with_command(arguments: list[str]) -> list[str]:
    """The arguments with `open` put in front where no command is named, so that `ravenglass FILE` works.

    A file that is called like a command is opened as `./replay`.
    """
    if arguments and (arguments[0] in NAMES or arguments[0] in ("--help", "-h")):
        return ["--help"] if arguments[0] == "-h" else arguments
    return ["open", *arguments]


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit code."""
    try:
        code = _ran(arguments)
        flushed()
    except BrokenPipeError:
        dropped()  # the reader (`| head`) has what it wanted
        return DONE
    except OSError as error:
        dropped()
        return fail(f"{_what(error)} ({error.strerror or error}); what was printed so far is not all.", OTHER)
    return code


def _what(error: OSError) -> str:
    return f"{error.filename} cannot be used" if error.filename else "The output cannot be written"


def _ran(arguments: list[str]) -> int:
    if arguments[:1] in (["--version"], ["-V"]):
        print(f"ravenglass {_version()}")
        return DONE
    try:
        given = with_command(arguments)
        with uncollected():
            app = application(given[:1])
        loaded()
        result = app(given, standalone_mode=False)
    except SessionError as error:
        return fail(str(error), NO_SESSION)
    except ProfileError as error:
        return fail(str(error), BAD_PROFILE)
    except RavenglassError as error:
        return fail(str(error), OTHER)
    except typer.Exit as leave:
        return int(leave.exit_code)
    except typer.Abort:
        return fail("Interrupted; nothing was changed.", INTERRUPTED)
    except KeyboardInterrupt:
        return fail("Interrupted; nothing was changed.", INTERRUPTED)
    except SystemExit as leave:
        # Typer ends the program itself where a pipe was closed, and for nothing else.
        raise BrokenPipeError from leave
    except Exception as error:
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            return fail(error.format_message(), USAGE)
        raise
    return int(result) if isinstance(result, int) else DONE


def run() -> None:
    """Console script."""
    any_console()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts threads for matrices as it loads; there are none
    with own_process():
        code = main(sys.argv[1:])
    raise SystemExit(code)


if __name__ == "__main__":
    run()
