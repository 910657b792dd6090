"""Imports sessions of Hermes Agent that are documents: chat messages with the session's own fields around them."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.chat.messages import ChatThread
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import located
from ravenglass.sessions.model.session import OtherRecord, Session
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import kind_of, mapping, sequence, text, text_or_none

_MARKS = frozenset({"platform", "session_start", "last_updated", "message_count"})
_KNOWN = ("session_id", "model", "system_prompt", "tools", "messages")


class Hermes:
    """Hermes Agent: `~/.hermes/sessions/`."""

    name = "hermes"
    label = "Hermes Agent session (JSON)"
    description = (
        "Maps chat messages with reasoning, calls and results, the system prompt and the tools; of the database "
        "state.db also what a compaction archived and what was rewound. It keeps the session's other fields as other "
        "records. No usage is written a request."
    )

    def sniff(self, head: Head) -> float:
        """1 for a session's id and messages with at least two of this writer's fields."""
        return 1.0 if any(_is_session(record) for record in head.records) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The document is one session."""
        return _Reading(records)


def _is_session(record: object) -> bool:
    fields = mapping(record)
    return "session_id" in fields and isinstance(fields.get("messages"), list) and len(_MARKS & fields.keys()) >= 2


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._thread = ChatThread()
        self._draft = SessionDraft()

    def take(self, record: Record) -> None:
        found = located(self._records, record)
        fields = found.object
        if isinstance(fields.get("messages"), list):
            self._draft.id = text(fields.get("session_id"))
            self._draft.model = text_or_none(fields.get("model"))
            self._draft.system = text_or_none(fields.get("system_prompt"))
            tools = found.get("tools")
            self._draft.tools = tools.text() if tools is not None and sequence(tools.value) else None
            for item in found.elements("messages"):
                if not self._thread.add(chat_of(item.object), item.span):
                    self._draft.other.append(OtherRecord(kind_of(item.value), item.span))
            self._draft.other += found.others(*_KNOWN)
        elif not self._thread.add(chat_of(mapping(record.value)), record.span):
            self._draft.other.append(OtherRecord(kind_of(record.value), record.span))

    def session(self) -> Session:
        self._draft.id = self._draft.id or stem(self._records.opened.path)
        self._draft.messages = list(self._thread.messages)
        return assembled(self._draft, Hermes.name, self._records)


def chat_of(value: dict[str, Any]) -> dict[str, Any]:
    """A message in the names of chat completions."""
    if value.get("role") == "tool" and "name" not in value:
        return {**value, "name": value.get("tool_name")}
    return value
