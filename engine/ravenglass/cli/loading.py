"""What several commands do first: open a session, choose a profile. Each imports only what it does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ravenglass.cli.printing.console import reporting
from ravenglass.cli.printing.output import warn
from ravenglass.presets import load, with_settings

if TYPE_CHECKING:
    from ravenglass.profile import Profile
    from ravenglass.replay import SimulatedRun
    from ravenglass.replay.stepping.changes import Change
    from ravenglass.sessions.model.session import Session


def choose(name: str, settings: list[str]) -> Profile:
    """A preset's name or a TOML file, with `name=value` settings applied. Raises ProfileError."""
    return with_settings(load(name), settings)


FormatName = Annotated[
    str, typer.Option("--format", metavar="NAME", help="Read it as this format, whatever it looks like.")
]


def load_session(path: Path, format_name: str = "") -> Session:
    """Open a session, or that of a saved run's folder; what was damaged or not understood is said on stderr. Raises
    RavenglassError."""
    from ravenglass.reopening import session_path
    from ravenglass.sessions import open_session

    path = session_path(path)
    with reporting(f"Reading {path.name}") as report:
        session = open_session(path, format_name=format_name, progress=report)
    for sentence in session.warnings:
        warn(sentence)
    return session


def replayed(session: Session, profile: Profile, changes: tuple[Change, ...] = ()) -> SimulatedRun:
    """Replay with progress. Raises ProfileError where the profile leaves no budget for the session."""
    from ravenglass.replay import replay

    with reporting("Counting tokens and replaying") as report:
        run = replay(session, profile, changes, progress=report)
    for sentence in run.warnings:
        warn(sentence)
    return run
