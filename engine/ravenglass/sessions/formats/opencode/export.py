"""Imports what `opencode export` writes: one JSON object with the session's info and its messages with their parts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ravenglass.sessions.formats.opencode.session import NAME, session_of
from ravenglass.sessions.formats.opencode.stored import Piece, Stored, StoredMessage
from ravenglass.sessions.importing.build import warnings_of
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.model.session import OtherRecord, Session
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import kind_of, mapping, text

_ROLES = frozenset({"user", "assistant"})


class OpenCodeExport:
    """`opencode export ID > session.json`."""

    name = NAME
    label = "opencode export (JSON)"
    description = (
        "Maps the info and the messages of an exported session as the opencode database's; keeps patches, snapshots, "
        "ignored texts, unknown parts and unknown members as other records."
    )

    def sniff(self, head: Head) -> float:
        """Sure for an export; for a damaged one, its messages tell."""
        if any(_is_export(record) for record in head.records):
            return 1.0
        return 0.9 if any(_is_message(record) for record in head.records) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The first export is the session, every further one in the file a child."""
        return _Reading(records)


@dataclass(slots=True)
class _Reading:
    records: Records
    found: list[Stored] = field(default_factory=list)

    def take(self, record: Record) -> None:
        whole = located(self.records, record)
        if _is_export(record.value):
            self.found.append(self._new())
            self._export(self.found[-1], whole)
        elif _is_message(record.value):
            self._message(self._current(), whole)
        elif not self._current().info and _is_info(record.value):
            self._info(self._current(), whole)
        else:
            self._current().other.append(OtherRecord(kind_of(record.value), record.span))

    def session(self) -> Session:
        path, source = self.records.opened.path, self.records.opened.source
        first, *rest = [replace(item, path=path, source=source) for item in self.found or [self._new()]]
        made = session_of(replace(first, children=rest, damage=self.records.damage, pending=self.records.pending))
        # Its own sentence on an empty session is the same as the reader's.
        own = tuple(sentence for sentence in made.warnings if made.messages)
        return replace(made, warnings=(*warnings_of(self.records, made.messages), *own))

    def _new(self) -> Stored:
        path = self.records.opened.path
        number = f"#{len(self.found) + 1}" if self.found else ""
        return Stored(path.name.split(".", 1)[0] + number, path, self.records.opened.source)

    def _current(self) -> Stored:
        if not self.found:
            self.found.append(self._new())
        return self.found[-1]

    def _export(self, stored: Stored, whole: Located) -> None:
        if (info := whole.get("info")) is not None:
            self._info(stored, info)
        for message in whole.elements("messages"):
            if _is_message(message.value):
                self._message(stored, message)
            else:
                stored.other.append(OtherRecord(kind_of(message.value), message.span))
        stored.other += whole.others("info", "messages")

    def _info(self, stored: Stored, info: Located) -> None:
        stored.info, stored.id = info.object, text(info.object.get("id")) or stored.id
        stored.other.append(OtherRecord("session record", info.span))

    def _message(self, stored: Stored, whole: Located) -> None:
        info = whole.get("info")
        given = info.object if info is not None else {}
        message = StoredMessage(text(given.get("id")) or f"message-{len(stored.messages) + 1}", given)
        message.spans = (info.span,) if info is not None else ()
        for number, part in enumerate(whole.elements("parts"), start=1):
            name = text(part.object.get("id")) or f"{message.id}-{number}"
            message.parts.append(Piece(name, part.object, part.span))
        stored.messages.append(message)
        stored.other += whole.others("info", "parts")


def _is_info(value: object) -> bool:
    found = mapping(value)
    return bool(text(found.get("id"))) and ("directory" in found or "projectID" in found)


def _is_export(value: object) -> bool:
    found = mapping(value)
    info, messages = mapping(found.get("info")), found.get("messages")
    if not info or not isinstance(messages, list):
        return False
    return any(_is_message(item) for item in messages[:20]) or ("projectID" in info or "directory" in info)


def _is_message(value: object) -> bool:
    found = mapping(value)
    return text(mapping(found.get("info")).get("role")) in _ROLES and isinstance(found.get("parts"), list)
