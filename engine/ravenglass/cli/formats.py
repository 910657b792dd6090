"""`ravenglass formats`: what can be opened, what each importer maps and keeps, and where each agent keeps its files."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from ravenglass.cli.printing.console import stdout
from ravenglass.sessions import Holder, Importer, holders, importers
from ravenglass.sessions.catalogue.places import HOMES, Home
from ravenglass.trace import Json

_FILES, _FOLDERS = "file", "folder or database"
_FOOT = (
    "Files are recognised by their content, not by their name; .gz and .zst are opened as well. `ravenglass sessions`"
    " lists what is in these places, or in a folder or database that you name."
)


def formats(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list instead of text.")] = False,
) -> None:
    """List what can be opened."""
    readers: list[tuple[str, Importer | Holder]] = [
        *((_FILES, importer) for importer in importers()),
        *((_FOLDERS, holder) for holder in holders()),
    ]
    if as_json:
        sys.stdout.write(json.dumps([_object(kind, reader) for kind, reader in readers]) + "\n")
        return
    console = stdout()
    for kind, reader in readers:
        console.print(f"{reader.name}  {_capital(reader.label)}, {kind}")
        console.print(f"    {reader.description}")
        for home in _homes(reader):
            console.print(f"    {_place(home)}")
        console.print()
    console.print(_FOOT)


def _homes(reader: Importer | Holder) -> list[Home]:
    return [home for home in HOMES if home.format == reader.name]


def _place(home: Home) -> str:
    elsewhere = f"; with {home.variable} set: {', '.join(home.elsewhere)}" if home.variable else ""
    return f"{home.agent}: {', '.join(home.usual)}{elsewhere}"


def _capital(label: str) -> str:
    """A holder's label begins with its article, as messages want it."""
    words = label.removeprefix("an ").removeprefix("a ")
    return words if words == label else words[0].upper() + words[1:]


def _object(kind: str, reader: Importer | Holder) -> Json:
    homes = _homes(reader)
    return {
        "name": reader.name,
        "label": _capital(reader.label),
        "reads": kind,
        "description": reader.description,
        "places": [
            {
                "agent": h.agent,
                "paths": list(h.usual),
                "variable": h.variable or None,
                "with_variable": list(h.elsewhere),
            }
            for h in homes
        ],
    }
