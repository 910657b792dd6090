"""Imports sessions of Qwen Code: records chained like Claude Code's, whose messages are Gemini's contents."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.content.gemini import content_of
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.turns import Turns, gemini_usage
from ravenglass.sessions.model.session import Marker, OtherRecord, Part, Session, Span
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, kind_of, mapping, sequence, text, text_or_none


class QwenCode:
    """Qwen Code: `~/.qwen/projects/<project>/chats/`."""

    name = "qwen-code"
    label = "Qwen Code session (JSON lines)"
    description = (
        "Maps prompts, answers with thoughts and calls, tool results, usage of every request, and compressions with "
        "the history that took the window's place; keeps telemetry, snapshots, commands and unknown records as other "
        "records."
    )

    def sniff(self, head: Head) -> float:
        """1 for a chained record whose message has parts, as Gemini's API has them."""
        return max((_score(record) for record in head.records), default=0.0)

    def begin(self, records: Records) -> _Reading:
        """Records are taken in file order; those of sub-agents inside the file are children."""
        return _Reading(records)


def _score(record: object) -> float:
    fields = mapping(record)
    if not {"uuid", "sessionId", "type"} <= fields.keys():
        return 0.0
    parts = isinstance(mapping(fields.get("message")).get("parts"), list)
    return 1.0 if parts or fields.get("subtype") in ("ui_telemetry", "chat_compression") else 0.0


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._turns: dict[str, Turns] = {"": Turns()}
        self._other: list[OtherRecord] = []
        self._markers: list[Marker] = []
        self._id = self._project = self._title = ""

    def take(self, record: Record) -> None:
        fields = mapping(record.value)
        self._id = self._id or text(fields.get("sessionId"))
        self._project = self._project or text(fields.get("cwd"))
        kind, detail = text(fields.get("type")), text(fields.get("subtype"))
        body = mapping(fields.get("message"))
        if kind == "system" and detail == "chat_compression":
            self._compressed(fields, record.span)
        if kind == "system" and detail == "custom_title":
            self._title = text(mapping(fields.get("systemPayload")).get("customTitle")) or self._title
        if kind == "system" or not isinstance(body.get("parts"), list):
            self._other.append(OtherRecord(f"{kind}/{detail}".strip("/")[:80] or kind_of(record.value), record.span))
            return
        agent = text(fields.get("agentId")) if fields.get("isSidechain") is True or fields.get("agentId") else ""
        turns = self._turns.setdefault(agent, Turns())
        _add(turns, fields, body, record.span)

    def _compressed(self, fields: dict[str, Any], span: Span) -> None:
        """From here on the window is the compressed history and what follows."""
        turns = self._turns[""]
        payload = mapping(fields.get("systemPayload"))
        about = mapping(payload.get("info"))
        history = [mapping(item) for item in sequence(payload.get("compressedHistory"))]
        if not history:
            return
        before = len(turns.drafts)
        for item in history:
            content = content_of(item.get("parts"))
            if item.get("role") == "model":
                turns.answer(span, seconds(fields.get("timestamp"))).parts.extend([*content.thoughts, *content.parts])
                turns.drafts[-1].flags |= {"synthetic"}
                turns.close()
            else:
                turns.spoken("user", tuple(content.parts), span, seconds(fields.get("timestamp")), kind="summary")
        note = text(about.get("triggerReason")) or "the history was compressed"
        tokens = count(about.get("originalTokenCount")), count(about.get("newTokenCount"))
        self._markers.append(
            Marker("compaction", before, note, (), tokens_before=tokens[0] or None, tokens_after=tokens[1] or None)
        )

    def session(self) -> Session:
        records, name = self._records, self._id or stem(self._records.opened.path)
        children = [
            assembled(
                SessionDraft(f"{name}#{agent}", turns.messages(), title=agent, project=self._project),
                QwenCode.name,
                records,
                main=False,
            )
            for agent, turns in self._turns.items()
            if agent
        ]
        main = SessionDraft(name, self._turns[""].messages(), list(self._markers), list(self._other))
        main.project, main.title = self._project, self._title
        return assembled(main, QwenCode.name, records, children=children)


def _add(turns: Turns, fields: dict[str, Any], body: dict[str, Any], span: Span) -> None:
    content, ts = content_of(body["parts"]), seconds(fields.get("timestamp"))
    source = text_or_none(fields.get("uuid"))
    if text(body.get("role")) == "model" or fields.get("type") == "assistant":
        turns.close()
        usage, model = gemini_usage(fields.get("usageMetadata")), text_or_none(fields.get("model"))
        draft = turns.answer(span, ts, source_id=source, model=model, usage=usage)
        draft.parts.extend([*content.thoughts, *content.parts])
        for call in content.calls:
            turns.call(draft, call.id, call.name, call.arguments)
        return
    failed = mapping(fields.get("toolCallResult")).get("status") in ("error", "cancelled")
    for result in content.results:
        turns.result(result.call_id, result.parts, span, ts, is_error=result.is_error or failed)
    parts: tuple[Part, ...] = (*content.thoughts, *content.parts)
    if parts or not content.results:
        injected = text(fields.get("subtype")) in ("notification", "cron") or fields.get("provenance") == "system"
        turns.spoken("user", parts, span, ts, kind="meta" if injected else None, source_id=source)
