"""What the commands about one call share: its number as an option, and the run it is a call of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ravenglass.cli.loading import choose, load_session, replayed
from ravenglass.cli.printing.console import reporting
from ravenglass.errors import RavenglassError
from ravenglass.profile import Profile
from ravenglass.replay import Run
from ravenglass.replay.recorded.run import recorded_run

File = Annotated[Path, typer.Argument(metavar="FILE", help="A recorded session; .gz and .zst too.", show_default=False)]
CallNumber = Annotated[int | None, typer.Option("--call", metavar="N", help="The call, from 1; else the last.")]
ProfileName = Annotated[str, typer.Option("--profile", metavar="P", help="A preset's name or a TOML file.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change one field of the profile; repeatable.")
]
Recorded = Annotated[bool, typer.Option("--recorded", help="Of the recorded run instead of the simulated one.")]


def opened(file: Path, profile: str, settings: list[str] | None, format_name: str, *, recorded: bool = False) -> Run:
    """The run of a session under a profile, or what really happened. Raises what opening and replaying raise."""
    chosen: Profile = choose(profile, settings or [])
    session = load_session(file, format_name)
    if not recorded:
        return replayed(session, chosen)
    with reporting("Counting tokens") as report:
        return recorded_run(session, chosen, progress=report)


def call_of(run: Run, wanted: int | None) -> int:
    """The call that is asked for, the last one by default. Raises RavenglassError where there is none."""
    if not run.calls:
        raise RavenglassError("The session has no model call, so nothing is registered at one.")
    call = run.calls if wanted is None else wanted
    if not 1 <= call <= run.calls:
        raise RavenglassError(f"There is no call {call:,}; the session has calls 1 to {run.calls:,}.")
    return call
