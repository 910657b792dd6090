"""A message of a Claude Code thread while it may still grow: one API message stands on several lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from ravenglass.sessions.importing.draft import MessageDraft
from ravenglass.sessions.importing.figures import Weighed
from ravenglass.sessions.model.session import Usage


@dataclass(slots=True, eq=False)
class ClaudeDraft(MessageDraft):
    """A message that may still grow. `records` are the numbers of its records in the thread, beside `spans`."""

    records: list[int] = field(default_factory=list)


def weighed(draft: ClaudeDraft) -> Weighed:
    """What the draft weighs when figures are asked whether messages left the window."""
    characters = sum(len(part.text) for part in draft.parts) + sum(len(call.arguments) for call in draft.calls)
    return Weighed(characters, draft.usage.context if draft.usage is not None else None)


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
        old.cache_write_1h if old.cache_write_1h is not None else new.cache_write_1h,
    )
