"""`ravenglass resolve`: the text that a `cxt://` address stands for at a call, its message and its state there."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from ravenglass.cli.items.at_call import CallNumber, File, ProfileName, Recorded, Settings, call_of, opened
from ravenglass.cli.loading import FormatName
from ravenglass.cli.printing.console import stdout
from ravenglass.replay.answers.resolving import Resolved
from ravenglass.safe.visible import visible, visible_lines


def resolve_command(
    file: File,
    address: Annotated[str, typer.Argument(metavar="cxt://...", help="An address.", show_default=False)],
    call: CallNumber = None,
    profile: ProfileName = "default",
    settings: Settings = None,
    format_name: FormatName = "",
    recorded: Recorded = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what an address stands for."""
    run = opened(file, profile, settings, format_name, recorded=recorded)
    found = run.resolve(address, call_of(run, call))
    if as_json:
        sys.stdout.write(json.dumps(asdict(found) | {"state": found.state.label}) + "\n")
        return
    console = stdout()
    console.print(visible(found.address), soft_wrap=True)
    console.print(_facts(found), soft_wrap=True)
    console.print()
    console.print(visible_lines(found.text), soft_wrap=True)


def _facts(found: Resolved) -> str:
    said = [f"message #{found.message}", f"{found.state.label} at call {found.call:,}", f"sha256 {found.fingerprint}"]
    if found.lines is not None:
        said.append(f"lines {found.lines[0]:,} to {found.lines[1]:,}")
    said += [visible(part) for part in (found.part, found.changed) if part]
    return " · ".join(said)
