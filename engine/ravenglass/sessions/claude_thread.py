"""Builds the messages of one thread of a Claude Code transcript, line after line.

One API message stands on several lines; it becomes one Message at the place of its first line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from ravenglass.sessions.blocks import parts_of
from ravenglass.sessions.claude_kinds import user_kind
from ravenglass.sessions.claude_lines import ApiMessage, ClaudeLine, tool_results
from ravenglass.sessions.model import Kind, Marker, MarkerKind, Message, Part, Role, Span, ToolCall, Usage
from ravenglass.sessions.values import dump, mapping, sequence, text, text_or_none

_SPAWNERS = frozenset({"Task", "Agent"})
"""Tools that start a sub-agent."""


@dataclass(slots=True)
class _Draft:
    """A message that may still grow."""

    role: Role
    ts: float | None
    source_id: str | None
    parts: list[Part] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    uuids: set[str] = field(default_factory=set)
    kind: Kind = "ordinary"
    flags: frozenset[str] = frozenset()
    model: str | None = None
    usage: Usage | None = None
    call_id: str | None = None
    is_error: bool = False


@dataclass(slots=True)
class Thread:
    """The main thread or one sidechain. `add` takes lines in file order."""

    name: str = ""
    markers: list[Marker] = field(default_factory=list)
    spawns: dict[str, list[str]] = field(default_factory=dict)
    """Prompt of a sub-agent -> ids of the tool calls that started one with it."""
    results_of: dict[str, str] = field(default_factory=dict)
    """Sub-agent id -> id of the tool call whose result it brought."""
    cwd: str = ""
    started_by: str | None = None
    _drafts: list[_Draft] = field(default_factory=list)
    _growing: dict[str, _Draft] = field(default_factory=dict)
    _uuids: set[str] = field(default_factory=set)
    _nameless: deque[str] = field(default_factory=deque)

    def __len__(self) -> int:
        return len(self._drafts)

    def seen(self, line: ClaudeLine) -> bool:
        """Whether a record of this uuid was added before."""
        return line.uuid is not None and line.uuid in self._uuids

    def add(self, line: ClaudeLine) -> None:
        """Take in the messages of a user or assistant record; lines without a message are ignored."""
        if line.message is None:
            return
        self.cwd = self.cwd or line.cwd
        flags = frozenset({"duplicate_id"}) if self.seen(line) else frozenset()
        if line.message.role == "assistant":
            self._add_assistant(line, line.message, flags)
        else:
            self._add_user(line, line.message, flags)
        if line.uuid is not None:
            self._uuids.add(line.uuid)

    def mark(self, kind: MarkerKind, note: str) -> None:
        """Note what the writer did to its window at this point."""
        keep = None if kind == "clearing" else ()
        self.markers.append(Marker(kind, len(self._drafts), note, keep))

    def call_ids(self) -> Iterator[str]:
        """Ids of all tool calls."""
        return (call.id for draft in self._drafts for call in draft.calls)

    def messages(self) -> list[Message]:
        """The messages so far; ids are positions."""
        return [
            Message(
                id=position,
                role=draft.role,
                parts=tuple(draft.parts),
                kind=draft.kind,
                tool_calls=tuple(draft.calls),
                tool_call_id=draft.call_id,
                is_error=draft.is_error,
                ts=draft.ts,
                model=draft.model,
                usage=draft.usage,
                source_id=draft.source_id,
                spans=tuple(draft.spans),
                flags=draft.flags,
            )
            for position, draft in enumerate(self._drafts)
        ]

    def _add_assistant(self, line: ClaudeLine, message: ApiMessage, flags: frozenset[str]) -> None:
        draft = self._growing.get(message.id) if message.id is not None else None
        # A line that is already part of the message starts a second copy of it.
        if draft is None or (line.uuid is not None and line.uuid in draft.uuids):
            draft = self._new(line, "assistant", message.id or line.uuid, flags)
            if message.id is not None:
                self._growing[message.id] = draft
        else:
            draft.spans.append(line.span)
        if line.uuid is not None:
            draft.uuids.add(line.uuid)
        if message.model == "<synthetic>":
            draft.flags |= {"synthetic"}
        else:
            draft.model = draft.model or message.model
            draft.usage = _joined(draft.usage, message.usage)
        if line.api_error:
            draft.flags |= {"api_error"}
        self._add_content(draft, message.content)

    def _add_content(self, draft: _Draft, content: object) -> None:
        for item in content if isinstance(content, list) else [content]:
            block = mapping(item)
            if block.get("type") != "tool_use":
                draft.parts.extend(parts_of(item))
                continue
            call_id = text_or_none(block.get("id")) or self._invent_id(len(draft.calls))
            given, name = block.get("input"), text(block.get("name"))
            draft.calls.append(ToolCall(call_id, name, given if isinstance(given, str) else dump(given)))
            if name in _SPAWNERS and (prompt := text(mapping(given).get("prompt")).strip()):
                self.spawns.setdefault(prompt, []).append(call_id)

    def _invent_id(self, number: int) -> str:
        """An id for a call that has none; results without an id answer such calls in their order."""
        self._nameless.append(f"call-{len(self._drafts) - 1}-{number}")
        return self._nameless[-1]

    def _add_user(self, line: ClaudeLine, message: ApiMessage, flags: frozenset[str]) -> None:
        results = tool_results(message.content)
        for block in results:
            draft = self._new(line, "tool", line.uuid, flags)
            draft.call_id = text_or_none(block.get("tool_use_id")) or (
                self._nameless.popleft() if self._nameless else None
            )
            draft.is_error = block.get("is_error") is True
            draft.parts.extend(parts_of(block.get("content")))
            if line.spawned and draft.call_id:
                self.results_of[line.spawned] = draft.call_id
        rest = message.content
        if results:
            rest = [block for block in sequence(message.content) if mapping(block).get("type") != "tool_result"]
            if not rest:
                return
        parts = parts_of(rest)
        kind, more = user_kind(parts, meta=line.meta, summary=line.summary, origin=line.origin)
        draft = self._new(line, "user", line.uuid, flags | more)
        draft.kind = kind
        draft.parts.extend(parts)

    def _new(self, line: ClaudeLine, role: Role, source_id: str | None, flags: frozenset[str]) -> _Draft:
        draft = _Draft(role, line.ts, source_id, spans=[line.span], flags=flags)
        self._drafts.append(draft)
        return draft


def _joined(old: Usage | None, new: Usage | None) -> Usage | None:
    """Usage of a message from that of its lines: the request's figures are repeated, the output grows."""
    if old is None or new is None:
        return old or new
    output = max((value for value in (old.output, new.output) if value is not None), default=None)
    return Usage(
        old.context if old.context is not None else new.context,
        output,
        old.cache_read if old.cache_read is not None else new.cache_read,
        old.cache_write if old.cache_write is not None else new.cache_write,
    )
