"""Imports what `opencode export` writes: one JSON object with the session's info and its messages with their parts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.build import warnings_of
from ravenglass.sessions.chat_conversation import Place
from ravenglass.sessions.importer import Head
from ravenglass.sessions.model import OtherRecord, Session
from ravenglass.sessions.opencode_session import NAME, session_of
from ravenglass.sessions.opencode_stored import Piece, Stored, StoredMessage
from ravenglass.sessions.reader import Record, Records
from ravenglass.sessions.scan import Member, members
from ravenglass.sessions.values import kind_of, mapping, sequence, text

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
        value = mapping(record.value)
        data = self.records.opened.source.read(record.span)
        place, whole = Place(data, record.span), Member(None, 0, len(data))
        if _is_export(value):
            self.found.append(self._new())
            self._export(self.found[-1], value, whole, place)
        elif _is_message(value):
            self._message(self._current(), value, whole, place)
        elif text(value.get("id")) and ("directory" in value or "projectID" in value) and not self._current().info:
            self._info(self._current(), value, whole, place)
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

    def _export(self, stored: Stored, value: dict[str, Any], whole: Member, place: Place) -> None:
        for item in _last(members(place.data, whole.start, whole.stop)):
            inner = value.get(item.key or "")
            if item.key == "info" and isinstance(inner, dict):
                self._info(stored, inner, item, place)
            elif item.key == "messages" and isinstance(inner, list):
                for message, spot in _elements(inner, item, place):
                    if _is_message(message):
                        self._message(stored, message, spot, place)
                    else:
                        stored.other.append(OtherRecord(kind_of(message), place.span(spot)))
            else:
                stored.other.append(OtherRecord(item.key or "member", place.span(item)))

    def _info(self, stored: Stored, value: dict[str, Any], item: Member, place: Place) -> None:
        stored.info, stored.id = value, text(value.get("id")) or stored.id
        stored.other.append(OtherRecord("session record", place.span(item)))

    def _message(self, stored: Stored, value: dict[str, Any], whole: Member, place: Place) -> None:
        info = mapping(value.get("info"))
        message = StoredMessage(text(info.get("id")) or f"message-{len(stored.messages) + 1}", info)
        stored.messages.append(message)
        for item in _last(members(place.data, whole.start, whole.stop)):
            if item.key == "info":
                message.spans = (*message.spans, place.span(item))
            elif item.key == "parts":
                for number, (part, spot) in enumerate(_elements(value.get("parts"), item, place)):
                    name = text(mapping(part).get("id")) or f"{message.id}-{number + 1}"
                    message.parts.append(Piece(name, mapping(part), place.span(spot)))
            else:
                stored.other.append(OtherRecord(item.key or "member", place.span(item)))


def _last(found: list[Member]) -> list[Member]:
    """Members by name, the last of equal ones, as the decoder has them."""
    return list({item.key: item for item in found}.values())


def _elements(value: object, item: Member, place: Place) -> list[tuple[Any, Member]]:
    """A list's elements with their places; where those cannot be told, the list's own."""
    values, spots = sequence(value), members(place.data, item.start, item.stop)
    return list(zip(values, spots if len(spots) == len(values) else [item] * len(values), strict=True))


def _is_export(value: object) -> bool:
    found = mapping(value)
    info, messages = mapping(found.get("info")), found.get("messages")
    if not info or not isinstance(messages, list):
        return False
    return any(_is_message(item) for item in messages[:20]) or ("projectID" in info or "directory" in info)


def _is_message(value: object) -> bool:
    found = mapping(value)
    return text(mapping(found.get("info")).get("role")) in _ROLES and isinstance(found.get("parts"), list)
