"""What an importer is. One importer a file; the registry knows them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ravenglass.sessions.model import Session
from ravenglass.sessions.reader import Container, Records


@dataclass(frozen=True, slots=True)
class Head:
    """What a file is recognised by: its container and its first decoded records."""

    container: Container
    records: tuple[object, ...]


class Importer(Protocol):
    """Reads one session format."""

    @property
    def name(self) -> str:
        """Short name, `Session.format`."""
        ...

    @property
    def label(self) -> str:
        """Name for people."""
        ...

    @property
    def description(self) -> str:
        """A sentence on what is mapped and what is kept as other records."""
        ...

    def sniff(self, head: Head) -> float:
        """How sure it is that the file is of this format: 0 no, 1 certainly."""
        ...

    def read(self, records: Records) -> Session:
        """The session. Never raises for damaged content; raises SessionError where nothing can be read."""
        ...
