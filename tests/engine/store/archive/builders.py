"""Records for the tests of the archive, and what stands in an archive's files."""

from __future__ import annotations

from pathlib import Path

from ravenglass.sessions.model.session import Message, Part, Role
from ravenglass.store.archive.store import ArchiveRecord, ArchiveStore, StoredRecord

DAY = 1_772_409_600.0
"""2026-03-02, 00:00 UTC."""


def record(number: int, text: str = "", raw: bytes | None = None, *, role: Role = "user") -> ArchiveRecord:
    """A record of one message; its bytes are a line of some format unless given."""
    words = text or f"message {number}"
    return ArchiveRecord(Message(number, role, (Part("text", words),)), words.encode() if raw is None else raw, 10)


def records(*numbers: int) -> list[ArchiveRecord]:
    return [record(number) for number in numbers]


def back(store: ArchiveStore, ref: str) -> dict[int, bytes]:
    """Everything that a reference brings back whole, by id."""
    return {item.id: item.raw for item in store.records(ref) if isinstance(item, StoredRecord)}


def files(root: Path) -> list[str]:
    """Every file below the archive folder, hidden ones too."""
    return sorted(str(path.relative_to(root / "archive")) for path in root.glob("archive/**/*") if path.is_file())
