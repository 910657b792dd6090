"""Imports the events that Cursor's agent prints: `cursor-agent -p --output-format stream-json`."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.importing.content.salvaged import told
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.turns import Turns, output_parts
from ravenglass.sessions.model.session import OtherRecord, Part, Session, Span
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import kind_of, mapping, text, text_or_none

_ENDED = ("success", "error", "rejected", "failure", "permissionDenied", "timeout")


class CursorStream:
    """`cursor-agent -p --output-format stream-json`."""

    name = "cursor-stream"
    label = "Cursor agent output stream (stream-json)"
    description = (
        "Maps prompts, answers, also in pieces, thinking, calls of tools and their results; keeps the start, the "
        "result and unknown records as other records. No usage is told."
    )

    def sniff(self, head: Head) -> float:
        """1 for a call with this writer's `tool_call`, or a start that says whose key is used."""
        return max((_score(record) for record in head.records), default=0.0)

    def begin(self, records: Records) -> _Reading:
        """The whole stream is one session."""
        return _Reading(records)


def _score(record: object) -> float:
    fields = mapping(record)
    if fields.get("type") == "tool_call" and isinstance(fields.get("tool_call"), dict):
        return 1.0
    started = fields.get("type") == "system" and fields.get("subtype") == "init"
    return 1.0 if started and "apiKeySource" in fields and not isinstance(fields.get("tools"), list) else 0.0


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._turns = Turns()
        self._other: list[OtherRecord] = []
        self._id = self._project = ""
        self._model: str | None = None
        self._called: set[str] = set()

    def take(self, record: Record) -> None:
        fields, span = mapping(record.value), record.span
        kind, ts = text(fields.get("type")), seconds(fields.get("timestamp_ms") or fields.get("timestamp"))
        self._id = self._id or text(fields.get("session_id"))
        content = mapping(fields.get("message")).get("content")
        if kind == "user":
            self._turns.spoken("user", parts_of(content), span, ts)
        elif kind == "assistant":
            self._said(parts_of(content), span, ts)
        elif kind == "thinking" and text(fields.get("text")):
            self._grow("thinking", text(fields.get("text")), span, ts)
        elif kind == "tool_call" and mapping(fields.get("tool_call")):
            self._tool(fields, span, ts)
        else:
            self._aside(fields, kind, record)

    def _aside(self, fields: dict[str, Any], kind: str, record: Record) -> None:
        if kind == "system" and fields.get("subtype") == "init":
            self._project, self._model = text(fields.get("cwd")), text_or_none(fields.get("model"))
        words = text(fields.get("result"))
        if kind == "result" and words:
            texts = [
                "".join(p.text for p in d.parts if p.kind == "text")
                for d in self._turns.drafts
                if d.role == "assistant"
            ]
            if not any((said and said in words) or words in said for said in texts[-3:]) and words not in "".join(
                texts
            ):
                self._turns.close()
                self._turns.answer(record.span).parts.extend(parts_of(words))
        self._other.append(OtherRecord(kind[:80] or kind_of(record.value), record.span))

    def _said(self, parts: tuple[Part, ...], span: Span, ts: float | None) -> None:
        """Pieces join; a message that repeats the pieces before it is the same message."""
        draft = self._turns.answer(span, ts, model=self._model)
        known = "".join(part.text for part in draft.parts if part.kind == "text")
        words = "".join(part.text for part in parts)
        if words and known != words:
            for part in parts:
                self._grow("text", part.text, span, ts)

    def _grow(self, kind: str, words: str, span: Span, ts: float | None) -> None:
        draft = self._turns.answer(span, ts, model=self._model)
        last = draft.parts[-1] if draft.parts else None
        if last is not None and last.kind == kind:
            draft.parts[-1] = Part(last.kind, last.text + words)
        else:
            draft.parts.append(Part("thinking" if kind == "thinking" else "text", words))

    def _tool(self, fields: dict[str, Any], span: Span, ts: float | None) -> None:
        tool = mapping(fields.get("tool_call"))
        name = next((key for key in tool if isinstance(tool[key], dict)), "tool")
        body = mapping(tool.get(name))
        call_id = text(fields.get("call_id")) or text(body.get("toolCallId"))
        plain = mapping(tool.get("function"))
        if call_id not in self._called or not call_id:
            draft = self._turns.answer(span, ts, model=self._model)
            given = plain.get("arguments") if plain else body.get("args")
            self._turns.call(draft, call_id, text(plain.get("name")) or name.removesuffix("ToolCall"), given)
            self._called.add(call_id)
            call_id = draft.calls[-1].id
        if fields.get("subtype") != "completed":
            self._other.append(OtherRecord(f"tool_call/{text(fields.get('subtype'))}", span))
            return
        result = mapping(body.get("result")) or mapping(tool.get("result"))
        ended = next((key for key in _ENDED if key in result), "")
        parts = output_parts(result.get(ended)) if ended else output_parts(result or None)
        if ended and not parts:
            parts = parts_of("\n".join(told(result)))
        self._turns.result(call_id, parts, span, ts, is_error=bool(ended) and ended != "success")

    def session(self) -> Session:
        draft = SessionDraft(self._id or stem(self._records.opened.path), self._turns.messages())
        draft.other, draft.model, draft.project = list(self._other), self._model, self._project
        return assembled(draft, CursorStream.name, self._records)
