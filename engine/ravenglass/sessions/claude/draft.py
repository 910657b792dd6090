"""A message of a Claude Code thread while it may still grow: one API message stands on several lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from ravenglass.sessions.model import Kind, Message, Part, Role, Span, ToolCall, Usage


@dataclass(slots=True)
class Draft:
    """A message that may still grow. `records` are the numbers of its records in the thread, beside `spans`."""

    role: Role
    ts: float | None
    source_id: str | None
    parts: list[Part] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    records: list[int] = field(default_factory=list)
    kind: Kind = "ordinary"
    flags: frozenset[str] = frozenset()
    model: str | None = None
    usage: Usage | None = None
    call_id: str | None = None
    is_error: bool = False
    hidden: int = 0
    unsent: int = 0

    def message(self, position: int) -> Message:
        """The message as it is now; its id is its position."""
        return Message(
            id=position,
            role=self.role,
            parts=tuple(self.parts),
            kind=self.kind,
            tool_calls=tuple(self.calls),
            tool_call_id=self.call_id,
            is_error=self.is_error,
            ts=self.ts,
            model=self.model,
            usage=self.usage,
            source_id=self.source_id,
            spans=tuple(self.spans),
            flags=self.flags,
            hidden=self.hidden,
            unsent=self.unsent,
        )


def joined(old: Usage | None, new: Usage | None) -> Usage | None:
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
