"""Trace events: one for every decision, written one a line as `{"ts", "event", "payload"}`.

The payloads of ours are a closed union of frozen values, each of one event. The names are those of the reference
implementation plus our own; an event of a log that was written elsewhere is `Unknown`, whatever its name, and is kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import get_args

from ravenglass.trace import curating, items
from ravenglass.trace.payload import EventName, Json, Payload, Unknown

__all__ = [
    "EVENT_NAMES", "MARKER_EVENTS", "EventName", "Json", "OurPayload", "Payload", "TraceEvent", "Unknown", "logged",
]  # fmt: skip

EVENT_NAMES: tuple[str, ...] = get_args(EventName)

MARKER_EVENTS: tuple[EventName, ...] = (
    "fallback",
    "summarized",
    "archived",
    "protected_overflow",
    "quota_exceeded",
    "retrieved",
    "rolled_back",
    "snapshot_taken",
)
"""Events that the timeline marks, most important first. The slow path itself is a marker of its own."""

OurPayload = (
    curating.CuratorStart | curating.FastPath | curating.CuratorRequest | curating.CuratorResponse
    | curating.CuratorToolResult | curating.PlanRejected | curating.SlowPathException | curating.SlowPathAccepted
    | curating.Fallback | curating.MainAgentResult
    | items.ItemRegistered | items.ItemDemoted | items.StateChanged | items.WriterDropped | items.QuotaExceeded
    | items.ProtectedOverflow | items.Pinned | items.PinMoved | items.Archived | items.ItemRetrieved
    | items.Deduplicated | items.Offloaded | items.Updated | items.Summarized | items.SnapshotTaken | items.RolledBack
    | items.Diagnosis
    | items.WriterSummarized | items.WriterOffloaded | items.WriterRolledBack | items.FiguresJumped
)  # fmt: skip


@dataclass(frozen=True)
class TraceEvent:
    """One event. `ts` is recorded time in seconds (None: the record has none); `call` is the 1-based call;
    `messages` are ids of the messages it is about, for jumping."""

    body: OurPayload | Unknown
    call: int = 0
    ts: float | None = None
    messages: tuple[int, ...] = ()

    @property
    def event(self) -> str:
        """Its name, as a log has it."""
        return self.body.event

    @cached_property
    def payload(self) -> Json:
        """The body as a log has it."""
        return self.body.as_json()

    def to_json(self) -> str:
        """The line of a trace log, without the newline."""
        stamp = None if self.ts is None else datetime.fromtimestamp(self.ts, UTC).isoformat()
        return json.dumps({"ts": stamp, "event": self.event, "payload": self.payload}, ensure_ascii=False)


def logged(
    event: str, payload: Json | None = None, call: int = 0, ts: float | None = None, messages: tuple[int, ...] = ()
) -> TraceEvent:
    """An event as a log holds it, whoever wrote it."""
    return TraceEvent(Unknown(event, {} if payload is None else payload), call, ts, messages)
