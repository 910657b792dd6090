"""An opencode session as it is stored, wherever that is: messages with their parts, each record with its place.

The database, the JSON storage and an export all become this; `opencode_session` makes a Session of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ravenglass.sessions.model.session import Damage, OtherRecord, Source, Span
from ravenglass.sessions.records.pieces import Pieces
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import dump, kind_of, mapping, text

_LATEST = 1e16
"""Milliseconds; larger numbers, infinities and NaN are no time."""
_ASSISTANT = frozenset({"tool", "reasoning", "step-start", "step-finish", "patch", "retry"})
"""Types of parts that only an assistant message has."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record before it is decoded: a row of the database or a file of the storage folder."""

    table: str
    """`session`, `message`, `part`, or the name of another table."""
    id: str
    message: str
    """For a part: id of its message; else empty."""
    created: float
    """Order among the messages, in milliseconds; 0 where unknown."""
    data: bytes
    """The JSON exactly as it is stored."""
    name: str
    """What a person finds it by."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A decoded part."""

    id: str
    value: dict[str, Any]
    span: Span

    @property
    def kind(self) -> str:
        return text(self.value.get("type"))


@dataclass(slots=True)
class StoredMessage:
    """A message with its parts in order. `spans` is empty where its own record is missing or damaged."""

    id: str
    info: dict[str, Any] = field(default_factory=dict)
    spans: tuple[Span, ...] = ()
    parts: list[Piece] = field(default_factory=list)
    created: float = 0.0

    @property
    def role(self) -> str:
        """As recorded; where that is lost, told by the parts."""
        found = text(self.info.get("role"))
        if found or self.spans:
            return found
        return "assistant" if any(part.kind in _ASSISTANT for part in self.parts) else "user"

    @property
    def time(self) -> float | None:
        return seconds(mapping(self.info.get("time")).get("created")) or seconds(self.created)


@dataclass(slots=True)
class Stored:
    """A session as it is stored, with what surrounds it and its sub-agents."""

    id: str
    path: Path
    source: Source
    info: dict[str, Any] = field(default_factory=dict)
    messages: list[StoredMessage] = field(default_factory=list)
    other: list[OtherRecord] = field(default_factory=list)
    damage: tuple[Damage, ...] = ()
    warnings: tuple[str, ...] = ()
    pending: Span | None = None
    children: list[Stored] = field(default_factory=list)


class Collector:
    """Puts a session together from its rows, in whatever order they come."""

    def __init__(self, session: str, path: Path) -> None:
        self._session, self._path = session, path
        self._pieces = Pieces()
        self._info: dict[str, Any] = {}
        self._messages: dict[str, StoredMessage] = {}
        self._other: list[OtherRecord] = []
        self._warnings: list[str] = []

    @property
    def empty(self) -> bool:
        """Whether no message was found."""
        return not self._messages

    @property
    def size(self) -> int:
        """Bytes taken in."""
        return self._pieces.source.size

    def has(self, row: Row) -> bool:
        """Whether the record is there already, from another place."""
        if row.table == "session":
            return bool(self._info)
        if row.table == "message":
            return row.id in self._messages
        held = self._messages.get(row.message)
        return row.table == "part" and held is not None and any(part.id == row.id for part in held.parts)

    def lacking(self) -> frozenset[str]:
        """Ids of messages of which only parts were found."""
        return frozenset(name for name, message in self._messages.items() if not message.spans)

    def warn(self, sentence: str) -> None:
        self._warnings.append(sentence)

    def add(self, row: Row) -> None:
        """Take in a row; a damaged one is a damage and nothing else."""
        record = self._pieces.add(row.name, row.data)
        if record is None:
            if row.table == "message":
                self._message(row.id).created = row.created  # its parts are whole
            return
        value = mapping(record.value)
        if row.table == "session":
            self._info = value
            version = text(value.get("version"))
            self._other.append(OtherRecord(f"session record{f', opencode {version}' if version else ''}", record.span))
        elif not value:
            self._other.append(OtherRecord(f"{row.table} that is {kind_of(record.value)}", record.span))
        elif row.table == "message":
            message = self._message(row.id)
            message.info, message.spans = value, (record.span,)
            message.created = row.created or _number(mapping(value.get("time")).get("created"))
        elif row.table == "part":
            self._message(row.message).parts.append(Piece(row.id, value, record.span))
        else:
            label = " ".join(word for word in (row.table, text(value.get("type"))) if word)
            self._other.append(OtherRecord(label, record.span))

    def set_aside(self, row: Row, why: str) -> None:
        """Keep a row as an other record only."""
        record = self._pieces.add(row.name, row.data)
        if record is not None:
            self._other.append(OtherRecord(f"{row.table} file, {why}", record.span))

    def stored(self) -> Stored:
        """What was collected: messages by time and id, their parts by id."""
        messages = sorted(self._messages.values(), key=lambda message: (message.created, message.id))
        for message in messages:
            message.parts.sort(key=lambda part: part.id)
        return Stored(
            self._session,
            self._path,
            self._pieces.source,
            self._info,
            messages,
            self._other,
            tuple(self._pieces.damage),
            (*self._pieces.warnings(), *self._warnings),
        )

    def _message(self, name: str) -> StoredMessage:
        return self._messages.setdefault(name, StoredMessage(name))


def row_json(columns: dict[str, object]) -> bytes:
    """A row without a JSON column of its own, as one JSON object; columns that are null are left out."""
    return dump({key: value for key, value in columns.items() if value is not None}).encode()


def _number(value: object) -> float:
    """A time to sort by; 0 for what is no number, or one that no time can be."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return 0.0
    return float(value) if abs(value) < _LATEST else 0.0
