"""What an importer is: it recognises one session format, and reads it record by record.

Reading is in two parts so that a growing file can be followed: a `Reading` takes records as they come, and says at
any time what the session is so far. One importer a file; `formats` lists them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ravenglass.sessions.model.session import Session
from ravenglass.sessions.model.texts import keeping
from ravenglass.sessions.records.collecting import uncollected
from ravenglass.sessions.records.reader import Container, Record, Records


@dataclass(frozen=True, slots=True)
class Head:
    """What a file is recognised by: its container and its first decoded records."""

    container: Container
    records: tuple[object, ...]


class Reading(Protocol):
    """A session while it is read."""

    def take(self, record: Record) -> None:
        """Take in the next record. Never raises for damaged content."""
        ...

    def session(self) -> Session:
        """The session of all records taken so far; may be asked again after more were taken.

        Raises SessionError where the records hold no session at all.
        """
        ...


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
        """Sentences on what is mapped and what it keeps as other records."""
        ...

    def sniff(self, head: Head) -> float:
        """How sure it is that the file is of this format: 0 no, 1 certainly."""
        ...

    def begin(self, records: Records) -> Reading:
        """Start reading. `records` tells path, source, damage and warnings; its records are given to `take`."""
        ...


def read(importer: Importer, records: Records) -> Session:
    """The session of a whole file. Raises SessionError where it holds none."""
    with uncollected(), keeping(records.opened.spool):
        reading = importer.begin(records)
        for record in records:
            reading.take(record)
        return reading.session()
