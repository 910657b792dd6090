"""What vulture would call dead and is not. One line each, with who reads it."""

from __future__ import annotations

from ravenglass.cli.desktop import open_files, screenshot
from ravenglass.cli.items.registry import registry_command
from ravenglass.cli.items.resolve import resolve_command
from ravenglass.cli.items.snapshots import snapshots_command
from ravenglass.cli.replay import replay_command
from ravenglass.cli.sessions import sessions_command
from ravenglass.sessions.formats.goose.holder import GooseDatabase
from ravenglass.sessions.formats.hermes.holder import HermesDatabase
from ravenglass.traces.verdicts import LoggedPlan
from tests.labels.identity import term_hash

__all__ = ["read"]


def read(plan: LoggedPlan) -> object:
    """Never called; vulture sees what it names as used."""
    return (
        plan.memory_sections,  # of the reference implementation's plans: kept with the others, compared as a whole
        term_hash,  # how the files in tests/labels were made
        # Loaded by their names: ravenglass.cli.commands and ravenglass.sessions.catalogue.known.
        (
            open_files,
            screenshot,
            registry_command,
            resolve_command,
            snapshots_command,
            replay_command,
            sessions_command,
        ),
        (GooseDatabase, HermesDatabase),
    )
