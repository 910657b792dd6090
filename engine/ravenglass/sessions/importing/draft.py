"""A message while it may still grow: one API message stands in several records of its file."""

from __future__ import annotations

from dataclasses import dataclass, field

from ravenglass.sessions.model.session import Kind, Message, Part, Role, Span, ToolCall, Usage


@dataclass(slots=True, eq=False)
class MessageDraft:
    """Compared by identity: two messages may say the same. Formats add what they tell records by."""

    role: Role
    ts: float | None
    source_id: str | None = None
    kind: Kind = "ordinary"
    parts: list[Part] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
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
