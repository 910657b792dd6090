"""Trace events: one named JSON object for every decision, written one a line as `{"ts", "event", "payload"}`.

The names are those of the reference implementation plus our own; a name outside this list is legal in a log
that was written elsewhere, and is kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, get_args

EventName = Literal[
    "curator_start", "fast_path", "curator_llm_request", "curator_llm_response", "curator_tool_result",
    "slow_path_accepted", "slow_path_exception", "fallback", "main_agent_result",
    "item_registered", "item_demoted", "state_changed", "quota_exceeded", "plan_rejected", "pinned", "pin_moved",
    "archived", "retrieved", "deduplicated", "offloaded", "summarized", "snapshot_taken", "rolled_back",
    "protected_overflow", "diagnosis",
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

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One event. `ts` is recorded time in seconds (None: the record has none); `call` is the 1-based call;
    `messages` are ids of the messages it is about, for jumping."""

    event: str
    payload: Json = field(default_factory=dict)
    call: int = 0
    ts: float | None = None
    messages: tuple[int, ...] = ()

    def to_json(self) -> str:
        """The line of a trace log, without the newline."""
        stamp = None if self.ts is None else datetime.fromtimestamp(self.ts, UTC).isoformat()
        return json.dumps({"ts": stamp, "event": self.event, "payload": self.payload}, ensure_ascii=False)
