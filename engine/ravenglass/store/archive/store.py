"""The archive on disk: lossless, verbatim eviction with a reference that brings the messages back.

    with ArchiveStore(root) as archive:
        ref = archive.write("cli:demo", [ArchiveRecord.of(session, m) for m in (4, 5)], reason="quota")
        archive.retrieve(ref).text

Files are written once and never changed; archive_layout.py shows what is in them. Nothing here decides what to
archive, or closes groups: that is the caller's.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Self

from ravenglass.curator.archive import RetrieveMode
from ravenglass.errors import ArchiveError
from ravenglass.profile import Profile
from ravenglass.store.archive.catalogue import Catalogue, StoredArchive
from ravenglass.store.archive.layout import ArchiveRecord, Header, header_line, record_line
from ravenglass.store.archive.reading import RecordFault, StoredRecord, read_ids, read_records
from ravenglass.store.archive.reference import Reference, file_name, parse, resolve, shown
from ravenglass.store.archive.retrieval import Retrieval, Retriever
from ravenglass.store.archive.text import iso
from ravenglass.store.durable import make_folder, write_whole
from ravenglass.store.texts import storable
from ravenglass.store.workspace import Workspace
from ravenglass.tokens import tokenizer

__all__ = ["ARCHIVE_FOLDER", "ArchiveRecord", "ArchiveStore", "Retrieval", "StoredArchive", "StoredRecord"]

ARCHIVE_FOLDER: Final = "archive"
_FAULTS_TOLD: Final = 3


class ArchiveStore:
    """The archive of one workspace. Every method may raise ArchiveError; then nothing was changed.

    `place` is the workspace's folder, or a workspace that is open already and stays open. Where it cannot be
    written to (another process writes, `writable=False`) `write` is refused with the reason and all else works.
    The profile gives the cap and the snippet length of retrievals and the token table.
    """

    def __init__(self, place: Path | Workspace, profile: Profile | None = None, *, writable: bool = True) -> None:
        self._owns = not isinstance(place, Workspace)
        self.workspace: Final = place if isinstance(place, Workspace) else Workspace.open(place, writable=writable)
        self.folder: Final = self.workspace.root / ARCHIVE_FOLDER
        self.profile: Final = profile or Profile()
        self._retriever = Retriever(self.profile, tokenizer(self.profile.tokenizer).count)
        self._catalogue = Catalogue(self.folder)
        self._writing = threading.Lock()
        self.workspace.tidy(self.folder)

    @property
    def writable(self) -> bool:
        return self.workspace.writable

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the user about what happened on opening."""
        return self.workspace.warnings

    def write(
        self,
        session_key: str,
        records: Sequence[ArchiveRecord],
        *,
        reason: str = "",
        tags: Sequence[str] = (),
        summary: str = "",
        created: float | None = None,
    ) -> str:
        """Archive records of a session and return the reference, once they are safe on the disk.

        The same messages are never archived twice: where a file has them already, unharmed, its reference
        comes back and `reason`, `tags` and `summary` are dropped. `created` is in seconds since the epoch and
        decides the day's folder (UTC); now if left out. Killed at any point, the archive has all or nothing.
        """
        given, session_key = _ordered(records), storable(session_key)
        with self._writing:
            if not self.writable:
                raise ArchiveError(f"Nothing was archived. {self.workspace.read_only}")
            reference, fresh = self._reference(session_key, given, created)
            if fresh:
                counted = [record.tokens for record in given.values()]
                header = Header(
                    session_key=session_key,
                    reason=reason,
                    tags=tuple(tags),
                    summary=summary,
                    created_at=_stamp(created),
                    ids=tuple(given),
                    digests=tuple(record.digest for record in given.values()),
                    tokens=None if None in counted else sum(tokens or 0 for tokens in counted),
                )
                self._put(reference, header, list(given.values()))
            return str(reference)

    def ref_of(self, session_key: str, records: Sequence[ArchiveRecord], created: float | None = None) -> str:
        """The reference that `write` would return for these records; nothing is written."""
        given = _ordered(records)
        with self._writing:
            return str(self._reference(storable(session_key), given, created)[0])

    def retrieve(self, ref: str, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Retrieval:
        """Bring back what a reference names. `max_tokens` None: the profile's cap; 0: no cap.

        A first record larger than the cap comes back cut. Damaged records are named in `faults` and the rest
        comes back; ArchiveError where nothing does, or the reference is refused.
        """
        if max_tokens is not None and max_tokens < 0:
            raise ArchiveError(f"A retrieval of {max_tokens:,} tokens is impossible; 0 means no cap.")
        found = self._retriever.bring(ref, self.records(ref), mode, max_tokens)
        if found.records:
            return found
        if found.faults:
            told = " ".join(str(fault) for fault in found.faults[:_FAULTS_TOLD])
            raise ArchiveError(f"Nothing of {shown(ref)} can be brought back. {told}")
        ids = read_ids(self.path(ref), parse(ref).path)
        holds = f"it holds messages {min(ids)} to {max(ids)}" if ids else "it holds none"
        raise ArchiveError(f"{shown(ref)} names no message of its file; {holds}.")

    def records(self, ref: str) -> Iterator[StoredRecord | RecordFault]:
        """The records that a reference names, one by one, each whole or as what is wrong with it."""
        reference = parse(ref)
        path = resolve(self.folder, reference)
        return read_records(path, reference.path, reference.first, reference.last)

    def path(self, ref: str) -> Path:
        """The file that a reference leads to."""
        return resolve(self.folder, parse(ref))

    def entries(self) -> tuple[StoredArchive, ...]:
        """What is there, oldest first; also what another process wrote meanwhile."""
        with self._writing:
            return self._catalogue.entries()

    def close(self) -> None:
        """Let others write, unless the workspace was the caller's; closing twice is no error."""
        if self._owns:
            self.workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _reference(
        self, session_key: str, given: dict[int, ArchiveRecord], created: float | None
    ) -> tuple[Reference, bool]:
        """Where the records stand already or would be put, and whether they must be written."""
        digests = {number: record.digest for number, record in given.items()}
        for known in self._catalogue.holding(session_key, digests):
            if self._unharmed(known, digests):
                return known, False
        first, last = min(given), max(given)
        day = _stamp(created)[:10]
        content = "\n".join([session_key, *(f"{number} {digest}" for number, digest in digests.items())])
        attempt = 0
        while True:
            # From the content, so that the same run writes the same references again.
            tag = hashlib.sha256(f"{attempt}\n{content}".encode()).hexdigest()[:8]
            reference = Reference(f"{day}/{file_name(session_key, first, last, tag)}", first, last)
            if not os.path.lexists(self.folder / reference.path):
                return reference, True
            attempt += 1

    def _unharmed(self, reference: Reference, digests: dict[int, str]) -> bool:
        """Whether the records can be brought back from there: a damaged copy is no reason not to write one."""
        try:
            found = list(self.records(str(reference)))
        except ArchiveError:
            return False
        return digests == {item.id: item.digest for item in found if isinstance(item, StoredRecord) and item.proved}

    def _put(self, reference: Reference, header: Header, records: list[ArchiveRecord]) -> None:
        path = self.folder / reference.path
        try:
            make_folder(path.parent)
            if path.parent.resolve() != self.folder.resolve() / path.parent.name:
                raise ArchiveError(f"Nothing was archived: {path.parent} is a link that leads out of the archive.")
            write_whole(path, _lines(header, records))
        except OSError as error:
            what = f"{len(records):,} message{'s' * (len(records) != 1)}"
            raise ArchiveError(
                f"{what} could not be archived in {path}: {error.strerror or error}. "
                "Nothing half-written was left, and the messages stay where they were."
            ) from error
        self._catalogue.add(reference.path)


def _lines(header: Header, records: list[ArchiveRecord]) -> Iterator[bytes]:
    yield header_line(header)
    yield from map(record_line, records)


def _ordered(records: Sequence[ArchiveRecord]) -> dict[int, ArchiveRecord]:
    """The records by id, ids rising."""
    if not records:
        raise ArchiveError("There is nothing to archive: no record was given.")
    given: dict[int, ArchiveRecord] = {}
    for record in sorted(records, key=lambda record: record.id):
        if record.id < 0 or given.setdefault(record.id, record).raw != record.raw:
            raise ArchiveError(f"Message {record.id} is negative or was given twice with different content.")
    return given


def _stamp(created: float | None) -> str:
    stamp = iso(time.time() if created is None else created)
    if stamp is None:
        raise ArchiveError(f"Nothing was archived: {created} is no time that has a date.")
    return stamp
