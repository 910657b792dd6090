"""Imports the events that Gemini CLI prints: `--output-format stream-json`."""

from __future__ import annotations

from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.importing.content.salvaged import told
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.turns import Turns, output_parts
from ravenglass.sessions.model.session import OtherRecord, Part, Session
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import kind_of, mapping, text, text_or_none


class GeminiStream:
    """`gemini --output-format stream-json`."""

    name = "gemini-stream"
    label = "Gemini CLI output stream (stream-json)"
    description = (
        "Maps messages, also in pieces, calls of tools and their results; keeps the start, errors, the result with its "
        "totals and unknown records as other records. No usage is told a call."
    )

    def sniff(self, head: Head) -> float:
        """1 for a call or result with this writer's `tool_id`, or a start beside such messages."""
        kinds = [mapping(record) for record in head.records]
        tools = any(record.get("type") in ("tool_use", "tool_result") and "tool_id" in record for record in kinds)
        started = any(record.get("type") == "init" and {"session_id", "model"} <= record.keys() for record in kinds)
        said = any(record.get("type") == "message" and "role" in record and "content" in record for record in kinds)
        return 1.0 if tools or (started and (said or len(kinds) == 1)) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The whole stream is one session."""
        return _Reading(records)


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._turns = Turns()
        self._other: list[OtherRecord] = []
        self._id = ""
        self._model: str | None = None

    def take(self, record: Record) -> None:
        fields, turns, span = mapping(record.value), self._turns, record.span
        kind, ts = text(fields.get("type")), seconds(fields.get("timestamp"))
        if kind == "init":
            self._id = text(fields.get("session_id"))
            self._model = text_or_none(fields.get("model"))
        elif kind == "message" and fields.get("role") in ("assistant", "model"):
            draft = turns.answer(span, ts, model=self._model)
            words, last = text(fields.get("content")), draft.parts[-1] if draft.parts else None
            if fields.get("delta") is True and last is not None and last.kind == "text" and words:
                draft.parts[-1] = Part("text", last.text + words)
            else:
                draft.parts.extend(parts_of(fields.get("content")))
            return
        elif kind == "message":
            turns.spoken(
                "system" if fields.get("role") == "system" else "user", parts_of(fields.get("content")), span, ts
            )
            return
        elif kind == "tool_use":
            draft = turns.answer(span, ts, model=self._model)
            turns.call(draft, fields.get("tool_id"), fields.get("tool_name"), fields.get("parameters"))
            return
        elif kind == "tool_result":
            error = fields.get("error")
            parts = output_parts(fields.get("output"))
            parts += parts_of("\n".join(told({"error": error}))) if error is not None else ()
            turns.result(fields.get("tool_id"), parts, span, ts, is_error=fields.get("status") == "error")
            return
        self._other.append(OtherRecord(kind[:80] or kind_of(record.value), span))

    def session(self) -> Session:
        draft = SessionDraft(self._id or stem(self._records.opened.path), self._turns.messages())
        draft.other, draft.model = list(self._other), self._model
        return assembled(draft, GeminiStream.name, self._records)
