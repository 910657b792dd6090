"""Imports the stream that Claude Code and its Agent SDK print: `--output-format stream-json`."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.importing.turns import Turns, anthropic_usage
from ravenglass.sessions.model.session import Kind, Marker, OtherRecord, Session
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, dump, kind_of, mapping, sequence, text, text_or_none


class ClaudeStream:
    """`claude -p --output-format stream-json`, also as a list of messages (`json` with `--verbose`)."""

    name = "claude-stream"
    label = "Claude Code output stream (stream-json, Agent SDK messages)"
    description = (
        "Maps user and assistant messages with thinking, calls, results and usage, sub-agents as children, compactions "
        "and the answer of the result where no message holds it; keeps the start, the result, partial messages and "
        "unknown records as other records. The first prompt is only there where it was streamed in."
    )

    def sniff(self, head: Head) -> float:
        """1 for messages that name the call they belong to, or for this writer's start or result."""
        values = [inner for record in head.records for inner in (record[:20] if isinstance(record, list) else [record])]
        return max((_score(value) for value in values), default=0.0)

    def begin(self, records: Records) -> _Reading:
        """Messages without a parent are the session."""
        return _Reading(records)


def _score(value: object) -> float:
    fields = mapping(value)
    kind = fields.get("type")
    if "session_id" not in fields or "parentUuid" in fields:
        return 0.0
    if kind in ("user", "assistant"):
        return 1.0 if "parent_tool_use_id" in fields else 0.0
    if kind == "system" and fields.get("subtype") == "init":
        return 1.0 if isinstance(fields.get("tools"), list) else 0.0
    return 1.0 if kind == "result" and {"num_turns", "total_cost_usd"} & fields.keys() else 0.0


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._threads: dict[str, Turns] = {"": Turns()}
        self._other: list[OtherRecord] = []
        self._markers: list[Marker] = []
        self._draft = SessionDraft()

    def take(self, record: Record) -> None:
        if isinstance(record.value, list):
            for item in located(self._records, record).items():
                self._value(item)
        else:
            self._value(located(self._records, record))

    def _value(self, found: Located) -> None:
        fields = found.object
        kind, span = text(fields.get("type")), found.span
        self._draft.id = self._draft.id or text(fields.get("session_id"))
        body = mapping(fields.get("message")) or ({"content": fields["content"]} if "content" in fields else {})
        if kind in ("user", "assistant") and "content" in body:
            self._message(fields, body, kind, found)
            return
        if kind == "system" and fields.get("subtype") == "init":
            self._draft.project = text(fields.get("cwd"))
            self._draft.model = text_or_none(fields.get("model"))
            tools = sequence(fields.get("tools"))
            self._draft.tools = dump(tools) if any(isinstance(tool, dict) for tool in tools) else None
        elif kind == "system" and fields.get("subtype") == "compact_boundary":
            about = mapping(fields.get("compact_metadata"))
            before = len(self._threads[""].drafts)
            note, tokens = text(about.get("trigger")) or "compacted", count(about.get("pre_tokens"))
            self._markers.append(Marker("compaction", before, note, (), tokens_before=tokens or None))
        elif kind == "result":
            self._result(fields, found)
        label = f"{kind}/{text(fields.get('subtype'))}".strip("/")
        self._other.append(OtherRecord(label[:80] or kind_of(found.value), span))

    def _message(self, fields: dict[str, Any], body: dict[str, Any], kind: str, found: Located) -> None:
        turns = self._threads.setdefault(text(fields.get("parent_tool_use_id")), Turns())
        ts = seconds(fields.get("timestamp"))
        if kind == "user":
            injected: Kind | None = "meta" if fields.get("isSynthetic") is True else None
            turns.blocks("user", body.get("content"), found.span, ts, kind=injected)
            return
        source = text_or_none(body.get("id"))
        if source is None:
            turns.close()
        usage, model = (
            anthropic_usage(body.get("usage")),
            text_or_none(body.get("model")) or text_or_none(fields.get("model")),
        )
        turns.blocks("assistant", body.get("content"), found.span, ts, source_id=source, model=model, usage=usage)
        if fields.get("error") is not None or model == "<synthetic>":
            turns.drafts[-1].flags |= {"api_error" if fields.get("error") is not None else "synthetic"}

    def _result(self, fields: dict[str, Any], found: Located) -> None:
        """The result repeats the last answer; one that no message holds is taken from it."""
        turns, words = self._threads[""], text(fields.get("result"))
        said = any(part.text == words for draft in turns.drafts for part in draft.parts)
        if words and not said:
            turns.close()
            turns.blocks("assistant", words, found.span)
            if fields.get("is_error") is True:
                turns.drafts[-1].flags |= {"api_error"}

    def session(self) -> Session:
        name = self._draft.id or stem(self._records.opened.path)
        owner = {call.id: thread for thread, turns in self._threads.items() for d in turns.drafts for call in d.calls}
        below: dict[str, list[str]] = {}
        for call in filter(None, self._threads):
            starter = owner.get(call, "")
            below.setdefault("" if _above(starter, call, owner) else starter, []).append(call)
        children = [self._child(name, call, below) for call in below.get("", ())]
        draft = SessionDraft(name, self._threads[""].messages(), list(self._markers), list(self._other))
        draft.project, draft.model, draft.tools = self._draft.project, self._draft.model, self._draft.tools
        return assembled(draft, ClaudeStream.name, self._records, children=children)

    def _child(self, name: str, call: str, below: dict[str, list[str]]) -> Session:
        """The sub-agent that a call started, with those that it started itself."""
        draft = SessionDraft(f"{name}/{call}", self._threads[call].messages(), project=self._draft.project)
        draft.parent_call_id = call
        children = [self._child(name, inner, below) for inner in below.get(call, ())]
        return assembled(draft, ClaudeStream.name, self._records, main=False, children=children)


def _above(thread: str, call: str, owner: dict[str, str]) -> bool:
    """Whether a thread was started below the call that it holds: then the record names a ring of parents."""
    seen: set[str] = set()
    while thread and thread not in seen:
        if thread == call:
            return True
        seen.add(thread)
        thread = owner.get(thread, "")
    return False
