"""Entry point: `ravenglass [FILE ...]` opens the desktop, `ravenglass COMMAND` does one thing and ends.

Exit codes: 0 done, 1 another error of ours, 2 wrong usage, 3 file not readable as any known format, 4 profile
invalid, 130 interrupted. An error is one sentence on stderr, never a traceback.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

import typer

from ravenglass.cli.desktop import open_files, screenshot
from ravenglass.cli.formats import formats
from ravenglass.cli.items.registry import registry_command
from ravenglass.cli.items.resolve import resolve_command
from ravenglass.cli.items.snapshots import snapshots_command
from ravenglass.cli.output import any_console, dropped, fail, flushed
from ravenglass.cli.profiles import profile
from ravenglass.cli.replay import replay_command
from ravenglass.cli.sessions import sessions_command
from ravenglass.cli.trace import trace_command
from ravenglass.errors import ProfileError, RavenglassError, SessionError
from ravenglass.sessions.records.collecting import own_process

DONE, OTHER, USAGE, NO_SESSION, BAD_PROFILE, INTERRUPTED = 0, 1, 2, 3, 4, 130

app = typer.Typer(
    name="ravenglass",
    help="A debugger for the context windows of LLM agents. Without a command: open FILE in the desktop.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("open", help="Open sessions in the desktop; without a file the last one, or the demo.")(open_files)
app.command("replay", help="Replay a session under a profile and print what every call would see.")(replay_command)
app.command("trace", help="Print what a trace log says: path, steps, plan and verdict of every call.")(trace_command)
app.command("registry", help="List what is known of every context item at a call, and what is alive and why.")(
    registry_command
)
app.command("resolve", help="Print what a cxt:// address stands for at a call: text, message, state.")(resolve_command)
app.command("snapshots", help="List the snapshots of a replay, or what differs between two.")(snapshots_command)
app.command("screenshot", help="Draw the desktop with a session into a PNG; needs no display.")(screenshot)
app.command("profile", help="List, show and export profiles.")(profile)
app.command("sessions", help="List the sessions of a folder or database, or of the agents on this machine.")(
    sessions_command
)
app.command("formats", help="List what can be opened, and what each importer maps.")(formats)

_COMMANDS = frozenset(
    {"open", "replay", "trace", "registry", "resolve", "snapshots", "screenshot", "profile", "sessions", "formats"}
)


def _version() -> str:
    try:
        return version("ravenglass")
    except PackageNotFoundError:
        return "unknown"


def with_command(arguments: list[str]) -> list[str]:
    """The arguments with `open` put in front where no command is named, so that `ravenglass FILE` works.

    A file that is called like a command is opened as `./replay`.
    """
    if arguments and (arguments[0] in _COMMANDS or arguments[0] in ("--help", "-h")):
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
        result = app(with_command(arguments), standalone_mode=False)
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
    with own_process():
        code = main(sys.argv[1:])
    raise SystemExit(code)


if __name__ == "__main__":
    run()
