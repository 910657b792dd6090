"""Reads on in a file of lines that still grows, from the byte where it stopped."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import BinaryIO

from ravenglass.errors import SessionError
from ravenglass.safe.limits import LongLine, lines, most_record
from ravenglass.sessions.catalogue.claims import checked
from ravenglass.sessions.catalogue.seams import Seams
from ravenglass.sessions.importing.importer import Importer
from ravenglass.sessions.model.session import Session, Span
from ravenglass.sessions.model.texts import keeping
from ravenglass.sessions.records.collecting import uncollected
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import Record, unfinished_records
from ravenglass.sessions.records.source import FileSource, MemorySource, Opened

_PROBE = 4_096
"""Bytes at the beginning of a file, and before the place where reading stopped, that tell whether it was rewritten."""


class ReadAsAWholeError(SessionError):
    """A line is longer than a record may be, or another session begins behind the first: reading the file as a whole
    says so, and passes the line over or tells the sessions apart."""


class TailSource:
    """The bytes read so far. A small file is held in memory, so that it stays readable when it is replaced."""

    def __init__(self, whole: FileSource | None) -> None:
        self._data = bytearray()
        self._file = whole
        self.size = 0

    def append(self, data: bytes) -> None:
        self.size += len(data)
        if self._file is None:
            self._data += data
        else:
            self._file.blocks.feed(self.size - len(data), data)

    def read(self, span: Span) -> bytes:
        """The span's bytes; raises `SessionError` if they are in a large file that is gone or was shortened."""
        if self._file is not None:
            return self._file.read(span)
        return bytes(self._data[span.offset : span.offset + span.length])

    def open(self) -> BinaryIO:
        """A fresh stream over all bytes."""
        return io.BytesIO(bytes(self._data)) if self._file is None else self._file.open()


class Tail:
    """A session of a growing file. Starts before the first line; `grow` reads to the end of what is there."""

    def __init__(self, opened: Opened, importer: Importer, importers: Sequence[Importer] = ()) -> None:
        """`importers` are those whose sessions may stand behind the first one in the same file."""
        self._importer, self._seams = importer, Seams(importer, importers)
        self._path = opened.path
        self._spool = opened.spool
        self._source = TailSource(None if isinstance(opened.source, MemorySource) else FileSource(opened.path, 0))
        source = Opened(opened.path, self._source, opened.warnings, opened.spool)
        self._records, self._lines = unfinished_records(source)
        self._reading = importer.begin(self._records)
        self._identity = self._path.stat().st_ino
        self.records = 0
        """Records taken."""
        self._probes = self._read_probes()

    def continues(self) -> bool:
        """Whether the file still begins with everything that was read of it. Raises OSError."""
        info = self._path.stat()
        if (info.st_ino, True) != (self._identity, info.st_size >= self._lines.offset):
            return False
        return self._read_probes() == self._probes

    def read_on(self, reporter: Reporter | None = None) -> bool:
        """Take every line that is whole; says whether there was anything new to tell. Raises OSError and
        ReadAsAWholeError."""
        before = self._told()
        grown = False
        with self._path.open("rb") as file, uncollected(), keeping(self._spool):
            total = os.fstat(file.fileno()).st_size
            file.seek(self._lines.offset)
            for raw in lines(file, most_record()):
                if isinstance(raw, LongLine):
                    raise ReadAsAWholeError(f"{self._path.name} has a line that is longer than a record may be.")
                if not raw.endswith(b"\n") and not self._lines.is_whole(raw):
                    self._lines.wait(len(raw))
                    break
                self._source.append(raw)
                grown = self._take(self._lines.take(raw)) or grown
                if reporter is not None:
                    reporter.report(self._lines.offset, total)
            grown = self._take(self._lines.finish()) or grown
        self._probes = self._read_probes()
        return grown or self._told() != before

    def _take(self, records: tuple[Record, ...]) -> bool:
        for record in records:
            if self._seams.at(record) is not None:
                raise ReadAsAWholeError(f"{self._path.name} holds another session behind the first one.")
            self._reading.take(record)
            self.records += 1
        return bool(records)

    @property
    def unsettled(self) -> bool:
        """Whether lines were given up as damage that the next lines could make whole: then it is read anew."""
        return self._lines.unsettled

    def session(self) -> Session:
        """The session of all lines taken. Raises SessionError where they turn out not to be what they looked like."""
        with uncollected(), keeping(self._spool):
            return checked(self._reading.session(), self._importer)

    def _told(self) -> tuple[int, int | None]:
        """What is known of damage: how much there is, and where a cut last line begins."""
        pending = self._records.pending
        return len(self._records.damage), None if pending is None else pending.offset

    def _read_probes(self) -> tuple[bytes, bytes]:
        """The first bytes of what was read, and its last ones, as they stand in the file now."""
        end = self._lines.offset
        with self._path.open("rb") as file:
            first = file.read(min(_PROBE, end))
            file.seek(max(0, end - _PROBE))
            return first, file.read(min(_PROBE, end))
