"""What an engine archived on disk of the session that is open: listed and brought back, never written to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ravenglass.replay.frame import Retrieved
from ravenglass.replay.vocabulary import RetrieveMode
from ravenglass.store.archive.catalogue import StoredArchive
from ravenglass.store.archive.store import ArchiveStore
from ravenglass.store.layout import names_of


@dataclass(frozen=True, slots=True)
class RecordedEntry:
    """One archive file, as the table of archivings shows it. None: the file does not say."""

    ref: str
    messages: tuple[int, ...]
    tokens: int | None
    reason: str
    by: str = "recorded"
    call: int | None = None
    retrieved_at: int | None = None


class RecordedArchive:
    """`folder` holds `archive/`; of its files those of one session."""

    def __init__(self, folder: Path, session_key: str) -> None:
        """Raises ArchiveError where the archive cannot be read, StoreError where a newer program wrote it."""
        self._store = ArchiveStore(folder, writable=False)
        # A trace log knows the key only as the name of its folder.
        names = {session_key, *names_of(session_key)}
        found = (entry for entry in self._store.entries() if names & set(names_of(entry.session_key)))
        self.entries = tuple(map(_entry, found))

    def retrieve(self, ref: str, mode: RetrieveMode, max_tokens: int) -> Retrieved:
        """What the file holds, verbatim. Raises ArchiveError."""
        found = self._store.retrieve(ref, mode, max_tokens)
        return Retrieved(found.ref, found.text, found.raw, found.digests, found.tokens, found.truncated)


def _entry(stored: StoredArchive) -> RecordedEntry:
    when = f" · {stored.created_at}" if stored.created_at else ""
    return RecordedEntry(stored.ref, stored.ids, stored.tokens, stored.fault or f"{stored.reason}{when}")
