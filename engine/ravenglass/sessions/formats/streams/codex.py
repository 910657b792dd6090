"""Imports the events that `codex exec --json` prints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ravenglass.sessions.formats.streams.codex_usage import CodexUsage
from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.content.blocks import parts_of, unknown
from ravenglass.sessions.importing.content.salvaged import told
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.turns import Turns, output_parts
from ravenglass.sessions.model.session import OtherRecord, Part, Session, Span
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import dump, kind_of, mapping, text

_EVENTS = (
    "thread.started",
    "turn.started",
    "turn.completed",
    "turn.failed",
    "item.started",
    "item.updated",
    "item.completed",
)
_DONE = frozenset({"id", "type", "status", "aggregated_output", "exit_code", "result", "error"})
"""Fields of an item that say what came of it; the others are what was asked for."""
_NAMES = {
    "command_execution": "shell",
    "file_change": "apply_patch",
    "web_search": "web_search",
    "todo_list": "update_plan",
}


class CodexStream:
    """`codex exec --json`."""

    name = "codex-stream"
    label = "Codex output stream (exec --json)"
    description = (
        "Maps messages, reasoning, commands, changes of files, calls of MCP tools and searches with what came of them; "
        "keeps starts, ends and updates as other records. Usage is told a turn, so it is a call's only where the turn "
        "has one call, and a sentence sums up the others; the prompt is not in the stream."
    )

    def sniff(self, head: Head) -> float:
        """1 for a thread's start or an item's event with its item."""
        return max((_score(record) for record in head.records), default=0.0)

    def begin(self, records: Records) -> _Reading:
        """The whole stream is one session."""
        return _Reading(records)


def _score(record: object) -> float:
    fields = mapping(record)
    kind = fields.get("type")
    item = mapping(fields.get("item"))
    started = kind == "thread.started" and "thread_id" in fields
    return 1.0 if started or (kind in _EVENTS and {"id", "type"} <= item.keys()) else 0.3 if kind in _EVENTS else 0.0


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._turns = Turns()
        self._other: list[OtherRecord] = []
        self._id = ""
        self._usage = CodexUsage()
        self._waiting: dict[str, tuple[dict[str, Any], Span]] = {}

    def take(self, record: Record) -> None:
        fields = mapping(record.value)
        kind, item = text(fields.get("type")), mapping(fields.get("item"))
        if kind == "item.completed" and item:
            self._waiting.pop(text(item.get("id")), None)
            self._item(item, record.span, ended=True)
            return
        if kind in ("item.started", "item.updated") and item:
            # An item that never ends is read as it last stood.
            self._waiting[text(item.get("id"))] = (item, record.span)
        elif kind == "thread.started":
            self._started(text(fields.get("thread_id")))
        elif kind == "turn.completed":
            self._usage.completed(fields.get("usage"), self._turns.drafts)
            self._turns.close()
        elif kind in ("turn.failed", "error"):
            self._failed(fields, record.span)
        self._other.append(OtherRecord(kind[:80] or kind_of(record.value), record.span))

    def _item(self, item: dict[str, Any], span: Span, *, ended: bool) -> None:
        kind = text(item.get("type")) or text(item.get("item_type"))
        turns, name = self._turns, text(item.get("id"))
        if kind in ("agent_message", "assistant_message"):
            turns.answer(span).parts.extend(parts_of(item.get("text")))
            turns.close()
        elif kind == "reasoning":
            words = text(item.get("text"))
            turns.answer(span).parts.extend([Part("thinking", words)] if words else [])
        elif kind == "user_message":
            turns.spoken("user", parts_of(item.get("text") or item.get("content")), span)
        elif kind in _NAMES or kind == "mcp_tool_call" or kind.endswith("_tool_call"):
            self._called(item, kind, name, span, ended=ended)
        elif kind == "error":
            turns.close()
            draft = turns.answer(span)
            draft.parts.extend(parts_of(text(item.get("message"))))
            draft.flags |= {"api_error"}
            turns.close()
        else:
            turns.answer(span).parts.append(unknown(kind or "item of no type", item))

    def _called(self, item: dict[str, Any], kind: str, name: str, span: Span, *, ended: bool) -> None:
        asked = {key: value for key, value in item.items() if key not in _DONE}
        tool = _NAMES.get(kind) or ".".join(filter(None, (text(item.get("server")), text(item.get("tool"))))) or kind
        given = asked.get("arguments", asked) if kind not in _NAMES else asked
        self._turns.call(self._turns.answer(span), name, tool, given if isinstance(given, str) else dump(given))
        if not ended:
            return
        result = item.get("aggregated_output", item.get("result"))
        parts = output_parts(result) if result not in (None, "") else ()
        error = item.get("error")
        if error is not None:
            parts += parts_of("\n".join(told({"error": error})))
        code = item.get("exit_code")
        failed = item.get("status") in ("failed", "declined") or error is not None or (code is not None and code != 0)
        self._turns.result(name, parts, span, is_error=failed)

    def _started(self, name: str) -> None:
        """Several streams may stand in one file; one that goes on with its thread goes on counting."""
        if name != self._id:
            self._usage.begin(len(self._turns.drafts))
        self._id = self._id or name
        self._turns.close()

    def _failed(self, fields: dict[str, Any], span: Span) -> None:
        words = text(mapping(fields.get("error")).get("message")) or text(fields.get("message"))
        if words:
            self._turns.close()
            draft = self._turns.answer(span)
            draft.parts.extend(parts_of(words))
            draft.flags |= {"api_error"}
            self._turns.close()

    def session(self) -> Session:
        known = self._turns
        self._turns = known.copy()
        for item, span in self._waiting.values():
            self._item(item, span, ended=False)
        messages, self._turns = self._turns.messages(), known
        draft = SessionDraft(self._id or stem(self._records.opened.path), messages)
        draft.other = list(self._other)
        session = assembled(draft, CodexStream.name, self._records)
        told_of = self._usage.told()
        return replace(session, warnings=(*session.warnings, told_of)) if told_of else session
