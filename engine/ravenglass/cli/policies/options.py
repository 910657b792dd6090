"""What `replay --policy` can be asked for, and what belongs together. Whoever asks nobody loads nothing that asks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ravenglass.curator.policies.endpoint import Endpoint

POLICIES = ("planner", "recorded", "model")


@dataclass(frozen=True, slots=True)
class AskOptions:
    """What a person asked for on the command line."""

    policy: str = "planner"
    log: Path | None = None
    endpoint: Endpoint | None = None
    dry_run: bool = False
    who: str = ""
    """Who gave the answers of the log, where that is known."""


def check(asking: AskOptions) -> None:
    """Raises BadParameter where options are missing or do not belong together."""
    if asking.policy not in POLICIES:
        raise typer.BadParameter(f"--policy is {asking.policy!r}; it can be {', '.join(POLICIES)}")
    if (asking.policy == "recorded") != (asking.log is not None):
        raise typer.BadParameter("--policy recorded and --answers LOG belong together")
    if (asking.policy == "model") != (asking.endpoint is not None):
        raise typer.BadParameter("--policy model needs --endpoint and --model, and they need it")
    if asking.dry_run and asking.policy != "model":
        raise typer.BadParameter("--dry-run shows the first request to a model; it needs --policy model")
