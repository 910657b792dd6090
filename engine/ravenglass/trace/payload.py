"""What every payload is: frozen fields that are written in their order, and the name of its event."""

from __future__ import annotations

from typing import ClassVar, Literal, cast

import msgspec
from msgspec import UNSET, UnsetType

Json = dict[str, object]

EventName = Literal[
    "curator_start", "fast_path", "curator_llm_request", "curator_llm_response", "curator_tool_result",
    "slow_path_accepted", "slow_path_exception", "fallback", "main_agent_result",
    "item_registered", "item_demoted", "state_changed", "quota_exceeded", "plan_rejected", "pinned", "pin_moved",
    "archived", "retrieved", "deduplicated", "offloaded", "updated", "summarized", "snapshot_taken", "rolled_back",
    "protected_overflow", "diagnosis",
]  # fmt: skip

__all__ = ["UNSET", "EventName", "Json", "Payload", "Unknown", "UnsetType"]


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """A field that is UNSET is not written; `None` is, as null."""

    event: ClassVar[EventName]

    def as_json(self) -> Json:
        """The payload as a log holds it; its own copy."""
        return cast("Json", msgspec.to_builtins(self))


class Unknown(msgspec.Struct, frozen=True):
    """An event as a log holds it: of another program, of another version, or one that nobody knows. Kept and shown."""

    event: str
    payload: Json

    def as_json(self) -> Json:
        return self.payload
