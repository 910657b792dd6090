"""Imports goose sessions that are files: lines of messages after a header, and exported documents."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.formats.goose.blocks import add_message, has_blocks
from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import located
from ravenglass.sessions.importing.turns import Turns
from ravenglass.sessions.model.session import OtherRecord, Session
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import kind_of, mapping, text

_HEADER = frozenset({"message_count", "description", "total_tokens", "accumulated_total_tokens", "schedule_id"})


class Goose:
    """goose before version 1.10: `~/.local/share/goose/sessions/*.jsonl`; exports."""

    name = "goose"
    label = "goose session (JSON lines or an export)"
    description = (
        "Maps messages with thinking, requests of tools and their responses, notes, title and directory; of the "
        "database sessions.db also the messages that a compaction took out of the agent's sight. It keeps headers, "
        "totals and unknown records as other records. No usage is written a message."
    )

    def sniff(self, head: Head) -> float:
        """1 for a header with a working directory or a message with this writer's blocks."""
        return max((_score(record) for record in head.records), default=0.0)

    def begin(self, records: Records) -> _Reading:
        """Messages are taken in file order."""
        return _Reading(records)


def _score(record: object) -> float:
    fields = mapping(record)
    header = "working_dir" in fields and "type" not in fields and bool(_HEADER & fields.keys())
    conversation = "working_dir" in fields and isinstance(fields.get("conversation"), list)
    return 1.0 if header or conversation or ("role" in fields and has_blocks(fields)) else 0.0


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._turns = Turns()
        self._draft = SessionDraft()

    def take(self, record: Record) -> None:
        fields = mapping(record.value)
        if fields.get("role") in ("user", "assistant", "system"):
            add_message(self._turns, fields, record.span)
            return
        if "working_dir" in fields:
            self._about(fields)
        if isinstance(fields.get("conversation"), list):
            found = located(self._records, record)
            for item in found.elements("conversation"):
                if item.object.get("role") in ("user", "assistant", "system"):
                    add_message(self._turns, item.object, item.span)
                else:
                    self._draft.other.append(OtherRecord(kind_of(item.value), item.span))
            self._draft.other += found.others("conversation")
            return
        self._draft.other.append(OtherRecord("header" if fields else kind_of(record.value), record.span))

    def _about(self, fields: dict[str, Any]) -> None:
        draft = self._draft
        draft.id = text(fields.get("id")) or draft.id
        draft.title = text(fields.get("name")) or text(fields.get("description")) or draft.title
        draft.project = text(fields.get("working_dir"))

    def session(self) -> Session:
        self._draft.id = self._draft.id or stem(self._records.opened.path)
        self._draft.messages = self._turns.messages()
        return assembled(self._draft, Goose.name, self._records)
