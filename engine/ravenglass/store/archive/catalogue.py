"""What an archive folder holds: one entry a file, read from its header once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ravenglass.errors import ArchiveError
from ravenglass.sessions.records.times import seconds
from ravenglass.store.archive.layout import Header
from ravenglass.store.archive.reading import read_header, read_ids
from ravenglass.store.archive.reference import Reference, label


@dataclass(frozen=True, slots=True)
class StoredArchive:
    """One archive file."""

    ref: str
    """Brings back all of it."""
    session_key: str
    reason: str
    tags: tuple[str, ...]
    summary: str
    created_at: str
    ids: tuple[int, ...]
    digests: tuple[str, ...]
    """SHA-256 of the records, in the order of `ids`; empty where none were recorded."""
    tokens: int | None
    """What the messages cost in the window; None is unknown."""
    size: int
    """Bytes of the file."""
    fault: str = ""
    """A sentence where the header cannot be read; the fields it holds are empty then."""

    @property
    def file(self) -> str:
        """Path of the file below the archive folder."""
        return self.ref.rpartition("#")[0]


class Catalogue:
    """The entries of one archive folder, kept between looks; a file is read again when it changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, tuple[tuple[int, int], StoredArchive]] = {}
        self._by_id: dict[tuple[str, int], list[str]] | None = None

    def entries(self) -> tuple[StoredArchive, ...]:
        """Everything there is, oldest first. Links, and what is no archive file, are passed over."""
        found = dict(self._files())
        for file in self._known.keys() - found.keys():
            del self._known[file]
        for file, status in found.items():
            known = self._known.get(file)
            if known is None or known[0] != _stamp(status):
                self._known[file] = (_stamp(status), self._read(file, status.st_size))
        self._by_id = None
        return tuple(sorted((entry for _, entry in self._known.values()), key=_age))

    def holding(self, session_key: str, digests: dict[int, str]) -> list[Reference]:
        """Where exactly these messages of a session stand already, verbatim: files that have all of them and,
        between the first and the last, no other."""
        first, last = min(digests), max(digests)
        if self._by_id is None:
            self.entries()
            self._by_id = {}
            for file, (_, entry) in self._known.items():
                self._index(self._by_id, file, entry)
        found = (self._known[file][1] for file in self._by_id.get((session_key, first), ()))
        return [Reference(entry.file, first, last) for entry in found if _within(entry, first, last) == digests]

    def add(self, file: str) -> None:
        """Take in a file that was just written."""
        try:
            status = (self._folder / file).stat()
        except OSError:
            self._by_id = None  # gone already; the next look sees what is there
            return
        entry = self._read(file, status.st_size)
        self._known[file] = (_stamp(status), entry)
        if self._by_id is not None:
            self._index(self._by_id, file, entry)

    def _index(self, by_id: dict[tuple[str, int], list[str]], file: str, entry: StoredArchive) -> None:
        if entry.digests:
            for number in entry.ids:
                by_id.setdefault((entry.session_key, number), []).append(file)

    def _files(self) -> list[tuple[str, os.stat_result]]:
        found: list[tuple[str, os.stat_result]] = []
        try:
            with os.scandir(self._folder) as days:
                folders = sorted(day.name for day in days if day.is_dir(follow_symlinks=False))
            for day in folders:
                with os.scandir(self._folder / day) as files:
                    found += [
                        (f"{day}/{file.name}", file.stat(follow_symlinks=False))
                        for file in files
                        if file.name.endswith(".jsonl") and file.is_file(follow_symlinks=False)
                    ]
        except FileNotFoundError:
            return found  # nothing was ever archived, or a folder was removed meanwhile
        except OSError as error:
            raise ArchiveError(f"The archive {self._folder} cannot be read: {error.strerror or error}.") from error
        return found

    def _read(self, file: str, size: int) -> StoredArchive:
        fault, header = "", None
        ids: tuple[int, ...] = ()
        try:
            header = read_header(self._folder / file, file)
            ids = (header.ids if header is not None else ()) or read_ids(self._folder / file, file)
            if header is None:
                fault = f"The header of {file} (line 1) is damaged; its records may still come back."
        except ArchiveError as error:
            fault = str(error)
        known = header or Header("")
        first, last = (min(ids), max(ids)) if ids else label(file) or (0, 0)
        return StoredArchive(
            ref=str(Reference(file, first, last)),
            session_key=known.session_key,
            reason=known.reason,
            tags=known.tags,
            summary=known.summary,
            created_at=known.created_at,
            ids=ids,
            digests=known.digests,
            tokens=known.tokens,
            size=size,
            fault=fault,
        )


def _stamp(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


def _age(entry: StoredArchive) -> tuple[str, float, str]:
    day, _, name = entry.file.partition("/")
    return day, seconds(entry.created_at) or 0.0, name


def _within(entry: StoredArchive, first: int, last: int) -> dict[int, str]:
    pairs = zip(entry.ids, entry.digests, strict=False)
    return {number: digest for number, digest in pairs if first <= number <= last}
