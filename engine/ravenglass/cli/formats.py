"""`ravenglass formats`: what can be opened, and what each importer maps and keeps."""

from __future__ import annotations

from ravenglass.cli.output import stdout
from ravenglass.sessions import importers


def formats() -> None:
    """List what can be opened."""
    console = stdout()
    for importer in importers():
        console.print(f"{importer.name}  {importer.label}")
        console.print(f"    {importer.description}\n")
    console.print("Files are recognised by their content, not by their name; .gz and .zst are opened as well.")
