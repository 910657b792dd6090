"""Importers and holders that are imported when they are needed: until then their name and place are known.

A format's modules take longer to load than a small file takes to read, and most formats are not the file's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from ravenglass.sessions.importing.holder import Holder, HolderEntry
from ravenglass.sessions.importing.importer import Head, Importer, Reading
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import Records

Shape = Literal["folder", "database", "archive"]
"""What a holder's path can be, told by its first bytes."""

_BEGINNINGS: dict[bytes, Shape] = {b"SQLite format 3\x00": "database", b"PK\x03\x04": "archive"}
_LONGEST = max(map(len, _BEGINNINGS))


@cache
def _made(module: str, kind: str) -> Any:
    return getattr(import_module(f"ravenglass.sessions.formats.{module}"), kind)()


@dataclass(frozen=True, slots=True)
class ImporterOnDemand:
    """An importer by its name and the place of its class. Asking it anything else imports it."""

    name: str
    module: str
    """Inside `formats`."""
    kind: str
    """Its class."""

    @property
    def importer(self) -> Importer:
        """The importer itself."""
        made: Importer = _made(self.module, self.kind)
        return made

    @property
    def label(self) -> str:
        return self.importer.label

    @property
    def description(self) -> str:
        return self.importer.description

    def sniff(self, head: Head) -> float:
        """How sure the importer is; `likely` says without importing it that it is not at all."""
        return self.importer.sniff(head)

    def begin(self, records: Records) -> Reading:
        """Start reading with the importer."""
        return self.importer.begin(records)


@dataclass(frozen=True, slots=True)
class HolderOnDemand:
    """A holder by its name, the place of its class, and what its paths are. A path of another shape imports nothing."""

    name: str
    module: str
    kind: str
    shapes: tuple[Shape, ...]

    @property
    def holder(self) -> Holder:
        """The holder itself."""
        made: Holder = _made(self.module, self.kind)
        return made

    @property
    def label(self) -> str:
        return self.holder.label

    @property
    def description(self) -> str:
        return self.holder.description

    def recognises(self, path: Path) -> bool:
        """Whether the path is of this kind: by its shape, then as the holder itself says."""
        return _shape(path) in self.shapes and self.holder.recognises(path)

    def entries(self, path: Path) -> Iterator[HolderEntry]:
        """The holder's sessions."""
        return self.holder.entries(path)

    def open(self, path: Path, key: str, reporter: Reporter) -> Session:
        """One session of the holder."""
        return self.holder.open(path, key, reporter)


def _shape(path: Path) -> Shape | None:
    """What the path is; None for any other file, and for what cannot be looked at."""
    try:
        if path.is_dir():
            return "folder"
        if not path.is_file():
            return None  # opening a pipe would wait for its writer
        with path.open("rb") as file:
            head = file.read(_LONGEST)
    except OSError:
        return None
    return next((shape for beginning, shape in _BEGINNINGS.items() if head.startswith(beginning)), None)
