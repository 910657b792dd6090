"""`ravenglass registry`: what the hub knows of every context item at a call, and what is alive and why."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from ravenglass.cli.items.at_call import CallNumber, File, ProfileName, Recorded, Settings, call_of, opened
from ravenglass.cli.loading import FormatName
from ravenglass.cli.printing.console import stdout
from ravenglass.hub.registry.entry import RegistryEntry
from ravenglass.hub.registry.select import FIELDS, select, shown
from ravenglass.replay.living import Alive, Living
from ravenglass.safe.visible import visible
from ravenglass.trace import Json

_DIGEST = 12
"""Digits of a fingerprint in the table; `--json` has all of them."""


def registry_command(
    file: File,
    call: CallNumber = None,
    profile: ProfileName = "default",
    settings: Settings = None,
    format_name: FormatName = "",
    wanted: Annotated[
        str,
        typer.Option("--filter", metavar="WORDS", help="Only entries with every word; `tier:task` looks in one field."),
    ] = "",
    recorded: Recorded = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with every field.")] = False,
) -> None:
    """List the registry of a session at a call."""
    select((), wanted)  # a filter that cannot be read is said before the session is
    run = opened(file, profile, settings, format_name, recorded=recorded)
    at = call_of(run, call)
    known = run.registry(at)
    living = Living(run, at)
    found = [(entry, living.of(entry)) for entry in select(known, wanted)]
    if as_json:
        told = {"call": at, "run": run.kind, "known": len(known), "entries": [_object(*pair) for pair in found]}
        sys.stdout.write(json.dumps(told) + "\n")
        return
    console = stdout()
    alive = sum(state.alive for _, state in found)
    console.print(
        f"Call {at:,} of {run.calls:,}, {run.kind}: {len(found):,} of {len(known):,} entries, {alive:,} of them alive."
    )
    for entry, state in found:
        console.print(visible(entry.context_id), soft_wrap=True)
        console.print(f"    {_facts(entry)}", soft_wrap=True)
        console.print(f"    {'alive' if state.alive else 'not alive'}: {visible(state.why)}", soft_wrap=True)


def _object(entry: RegistryEntry, state: Alive) -> Json:
    made: Json = {name: getattr(entry, name) for name in FIELDS}
    return made | {"state": entry.state.label, "alive": state.alive, "why": state.why}


def _facts(entry: RegistryEntry) -> str:
    """Every field but the address, as `name value`; unknown ones are left out."""
    said = []
    for name in FIELDS[1:]:
        value = shown(entry, name)
        if not value:
            continue
        if name in ("fingerprint", "parameters"):
            value = value[:_DIGEST]
        said.append(f"{name} {entry.tokens:,}" if name == "tokens" else f"{name} {visible(value)}")
    return " · ".join(said)
