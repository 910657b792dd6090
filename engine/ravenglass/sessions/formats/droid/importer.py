"""Imports sessions of Factory Droid: a header, then messages in Anthropic's blocks, one a line."""

from __future__ import annotations

from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.content.salvaged import told
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.turns import Turns
from ravenglass.sessions.model.session import Marker, OtherRecord, Part, Session
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import kind_of, listed, mapping, text, text_or_none

_BLOCKS = frozenset({"tool_use", "tool_result"})


class Droid:
    """Factory Droid: `~/.factory/sessions/`."""

    name = "droid"
    label = "Factory Droid session (JSON lines)"
    description = (
        "Maps messages with thinking, tool calls and results, and compactions with their summary; keeps the header, "
        "todo lists and unknown records as other records. No usage is written a message."
    )

    def sniff(self, head: Head) -> float:
        """1 for a `session_start`; sure for messages in lines with Anthropic's blocks of tools."""
        return max((_score(record) for record in head.records), default=0.0)

    def begin(self, records: Records) -> _Reading:
        """Messages are taken in file order."""
        return _Reading(records)


def _score(record: object) -> float:
    fields = mapping(record)
    if fields.get("type") == "session_start" and isinstance(fields.get("id"), str):
        return 1.0
    message = mapping(fields.get("message"))
    chained = fields.get("type") == "message" and "id" in fields and "role" in message
    tools = any(text(mapping(block).get("type")) in _BLOCKS for block in listed(message.get("content")))
    return 0.95 if chained and tools else 0.0


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._turns = Turns()
        self._other: list[OtherRecord] = []
        self._markers: list[Marker] = []
        self._id = self._title = self._project = ""

    def take(self, record: Record) -> None:
        fields = mapping(record.value)
        kind, body = text(fields.get("type")), mapping(fields.get("message"))
        ts = seconds(fields.get("timestamp"))
        if kind == "message" and text(body.get("role")) in ("user", "assistant", "system"):
            if body["role"] == "assistant":
                self._turns.close()
            source = text_or_none(fields.get("id"))
            model = text_or_none(fields.get("model")) or text_or_none(body.get("model"))
            self._turns.blocks(body["role"], body.get("content"), record.span, ts, source_id=source, model=model)
            return
        if kind == "session_start":
            self._id = text(fields.get("id")) or self._id
            self._title = text(fields.get("sessionTitle")) or text(fields.get("title")) or self._title
            self._project = text(fields.get("cwd")) or self._project
        words = "\n".join(told(fields.get("summary") or fields.get("summaryText"))) or text(fields.get("summaryText"))
        if kind == "compaction_state" and (words := words or "\n".join(told({"summary": fields.get("summary")}))):
            before = len(self._turns.drafts)
            self._markers.append(Marker("compaction", before, "compacted into a summary", ()))
            self._turns.spoken("user", (Part("text", words),), record.span, ts, kind="summary")
            return
        self._other.append(OtherRecord(kind[:80] or kind_of(record.value), record.span))

    def session(self) -> Session:
        name = self._id or stem(self._records.opened.path)
        draft = SessionDraft(name, self._turns.messages(), list(self._markers), list(self._other), self._title)
        draft.project = self._project
        return assembled(draft, Droid.name, self._records)
