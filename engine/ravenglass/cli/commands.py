"""The table of commands, and the command line made of it: only the module of the asked for command is loaded."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what `--help` says of it, and the function that does it."""

    name: str
    module: str
    function: str
    help: str

    def load(self) -> Any:
        """The function, with its options as annotations."""
        return getattr(import_module(f"ravenglass.cli.{self.module}"), self.function)


COMMANDS = (
    Command("open", "desktop", "open_files", "Open sessions in the desktop; without a file the last one, or the demo."),
    Command(
        "replay", "replay", "replay_command", "Replay a session under a profile and print what every call would see."
    ),
    Command(
        "trace", "trace", "trace_command", "Print what a trace log says: path, steps, plan and verdict of every call."
    ),
    Command(
        "registry",
        "items.registry",
        "registry_command",
        "List what is known of every context item at a call, and what is alive and why.",
    ),
    Command(
        "resolve",
        "items.resolve",
        "resolve_command",
        "Print what a cxt:// address stands for at a call: text, message, state.",
    ),
    Command(
        "snapshots",
        "items.snapshots",
        "snapshots_command",
        "List the snapshots of a replay, or what differs between two.",
    ),
    Command("screenshot", "desktop", "screenshot", "Draw the desktop with a session into a PNG; needs no display."),
    Command("profile", "profiles", "profile", "List, show and export profiles."),
    Command(
        "sessions",
        "sessions",
        "sessions_command",
        "List the sessions of a folder or database, or of the agents on this machine.",
    ),
    Command("formats", "formats", "formats", "List what can be opened, and what each importer maps."),
)

NAMES = frozenset(command.name for command in COMMANDS)


def application(wanted: Collection[str] = NAMES) -> typer.Typer:
    """The command line. All commands are listed; those that are not `wanted` are known by name only, and do nothing."""
    app = typer.Typer(
        name="ravenglass",
        help="A debugger for the context windows of LLM agents. Without a command: open FILE in the desktop.",
        no_args_is_help=False,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    for command in COMMANDS:
        app.command(command.name, help=command.help)(command.load() if command.name in wanted else _listed)
    return app


def _listed() -> None:
    """A command that is only listed."""
