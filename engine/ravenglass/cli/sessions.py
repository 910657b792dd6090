"""`ravenglass sessions`: the sessions of a folder or database, or of every agent found on this machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ravenglass.cli.printing.console import stdout
from ravenglass.cli.printing.output import warn
from ravenglass.errors import SessionError, StoreError
from ravenglass.safe.visible import visible
from ravenglass.sessions.catalogue.listing import described, listing
from ravenglass.sessions.catalogue.places import places
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.store import LIBRARY_FILE, data_dir
from ravenglass.trace import Json

if TYPE_CHECKING:
    from rich.table import Table

    from ravenglass.store import SavedRun

Paths = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PATH ...]", help="Folders, databases or files; else where agents keep theirs."),
]


Runs = Mapping[Path, "list[SavedRun]"]
"""Saved runs by the place of their session, newest first."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry and how deep it is nested: 0 for a session, 1 for a sub-agent of one that is listed, and so on."""

    entry: HolderEntry
    depth: int = 0


def sessions_command(
    paths: Paths = None,
    details: Annotated[
        bool, typer.Option("--details", help="Read every session whole: calls, exact times, titles found late.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list instead of a table.")] = False,
) -> None:
    """List sessions."""
    found = paths or [place.path for place in places()]
    entries = [entry for path in found for entry in listing(path, _left_out)]
    if details:
        entries = [_described(entry) for entry in entries]
    listed, runs = nested(entries), _saved_runs()
    if as_json:
        sys.stdout.write(json.dumps([_object(item, runs) for item in listed]) + "\n")
    elif listed:
        _print(listed, runs)
    elif paths:
        stdout().print(f"No sessions in {visible(', '.join(map(str, found)))}.")
    else:
        stdout().print("No agent that is known keeps sessions here. `ravenglass formats` lists what can be opened.")


def nested(entries: Iterable[HolderEntry]) -> list[Listed]:
    """Sub-agents behind the session that started them; those of a session that is not listed stand for themselves."""
    known = list(entries)
    by_id = {entry.id: entry for entry in known if entry.id}
    children: dict[str, list[HolderEntry]] = {}
    roots = []
    for entry in known:
        if entry.parent and entry.parent in by_id and entry.parent != entry.id:
            children.setdefault(entry.parent, []).append(entry)
        else:
            roots.append(entry)
    found: list[Listed] = []
    for root in roots:
        waiting = [Listed(root)]
        while waiting:
            item = waiting.pop()
            found.append(item)
            below = children.pop(item.entry.id, []) if item.entry.id else []
            waiting += [Listed(child, item.depth + 1) for child in reversed(below)]
    # What remains are rings: sessions that name each other as their parents.
    return found + [Listed(entry) for rest in children.values() for entry in rest]


def _saved_runs() -> Runs:
    """What the library knows of saved runs; a library that is not there is not made for that."""
    if not (data_dir() / LIBRARY_FILE).exists():
        return {}
    from ravenglass.store import Library

    found: dict[Path, list[SavedRun]] = {}
    try:
        with Library.open() as library:
            for run in library.runs():
                found.setdefault(run.session, []).append(run)
    except StoreError as error:
        warn(f"Saved runs are not listed: {error}")
    return found


def _left_out(path: Path, why: str) -> None:
    warn(f"{path} was left out: it {why}.")


def _described(entry: HolderEntry) -> HolderEntry:
    try:
        return described(entry)
    except SessionError as error:
        warn(str(error))
        return entry


def _object(item: Listed, runs: Runs) -> Json:
    entry = item.entry
    saved: list[Json] = [
        {"profile": run.profile_name, "created": run.created, "folder": None if run.folder is None else str(run.folder)}
        for run in runs.get(entry.place.absolute(), ())
    ]
    own = {"path": str(entry.path), "place": str(entry.place), "depth": item.depth, "saved_runs": saved}
    return {**asdict(entry), **own}


def _print(listed: list[Listed], runs: Runs) -> None:
    """A table for every folder, in the order in which the folders come; sub-agents stand in that of their session."""
    console = stdout()
    folders: dict[Path, list[Listed]] = {}
    folder = Path()
    for item in listed:
        folder = folder if item.depth else item.entry.path.parent
        folders.setdefault(folder, []).append(item)
    for folder, items in folders.items():
        console.print(visible(str(folder)), overflow="fold")
        console.print(_table(items, folder, runs))
        console.print()


def _beside(entry: HolderEntry) -> str:
    """That other files of the same session hold what this one does not."""
    if not entry.beside:
        return ""
    names = ", ".join(Path(place).name for place in entry.beside)
    return f" (the same session id, with other messages, is in {names})"


def _table(items: list[Listed], folder: Path, runs: Runs) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for name in ("started", "format", "calls", "size", "title", "open"):
        wide = name in ("title", "open")
        table.add_column(name, justify="right" if name in ("calls", "size") else "left", no_wrap=not wide,
                         overflow="fold" if wide else "ellipsis", ratio={"title": 3, "open": 4}.get(name))  # fmt: skip
    for item in items:
        entry = item.entry
        table.add_row(
            _day(entry.started if entry.started is not None else entry.updated),
            entry.format,
            "" if entry.calls is None else f"{entry.calls:,} calls",
            "" if entry.size is None else f"{entry.size / 1e6:,.2f} MB",
            "  " * item.depth + visible(" ".join(entry.title.split())[:60] + _beside(entry)),
            visible(_from(entry.place, folder)),
        )
        for run in runs.get(entry.place.absolute(), ()):
            title = "  " * (item.depth + 1) + f"under {visible(run.profile_name)}"
            where = "" if run.folder is None else visible(str(run.folder))
            table.add_row(_day(run.created), "saved run", "", "", title, where)
    return table


def _from(place: Path, folder: Path) -> str:
    """The place as seen from the folder; whole where it is not below."""
    return str(place.relative_to(folder)) if place.is_relative_to(folder) else str(place)


def _day(seconds: float | None) -> str:
    if seconds is None:
        return ""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return ""
