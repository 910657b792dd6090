"""Messages made of Responses items: consecutive items of the assistant are one message, as one call produced them."""

from __future__ import annotations

from dataclasses import dataclass, field

from ravenglass.sessions.importing.draft import MessageDraft
from ravenglass.sessions.importing.responses.items import ResponsesItem
from ravenglass.sessions.model.session import Kind, Message, Span


@dataclass(slots=True, eq=False)
class ResponsesDraft(MessageDraft):
    """A message that may still grow."""

    keys: set[str] = field(default_factory=set)
    """Keys of its items, without reasoning."""


@dataclass(slots=True)
class ItemThread:
    """The messages of one conversation, added item by item in order."""

    drafts: list[ResponsesDraft] = field(default_factory=list)
    _open: ResponsesDraft | None = None

    def add(self, item: ResponsesItem, span: Span, ts: float | None = None, kind: Kind | None = None) -> ResponsesDraft:
        """Add an item; returns the message that it belongs to. `kind` overrides what the item itself says."""
        if item.role == "assistant":
            draft = self._open
            if draft is None:
                draft = self._open = self._new(item, ts, "ordinary")
        else:
            self._open = None
            draft = self._new(item, ts, kind or item.kind)
            draft.call_id, draft.is_error = item.call_id, item.is_error
        draft.parts.extend(item.parts)
        draft.calls.extend(item.calls)
        draft.hidden += item.hidden
        if not draft.spans or draft.spans[-1] != span:
            draft.spans.append(span)
        if item.type == "message" or draft.source_id is None:
            draft.source_id = item.id or draft.source_id
        if item.type != "reasoning":
            draft.keys.add(item.key)
        return draft

    def close(self) -> None:
        """The response of one call is complete: what the assistant says next belongs to the next call."""
        self._open = None

    def cut(self, position: int) -> list[ResponsesDraft]:
        """Take out the messages from `position` on."""
        removed = self.drafts[position:]
        del self.drafts[position:]
        self._open = None
        return removed

    def _new(self, item: ResponsesItem, ts: float | None, kind: Kind) -> ResponsesDraft:
        draft = ResponsesDraft(item.role, ts, kind=kind)
        self.drafts.append(draft)
        return draft


def messages_of(drafts: list[ResponsesDraft]) -> list[Message]:
    """Messages whose ids are their positions."""
    return [draft.message(position) for position, draft in enumerate(drafts)]
