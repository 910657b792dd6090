"""Payloads about items, tiers and the run: registered, moved, packed, kept, told. Tokens, unless said
otherwise; messages by id."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from ravenglass.trace.payload import UNSET, EventName, Payload, UnsetType


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """A tool's output: how the call ended, and the hash of its arguments (unset where the call is not there)."""

    message: int
    status: str
    parameters: str | UnsetType = UNSET


class ItemRegistered(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "item_registered"
    address: str
    tier: str
    source: str
    tokens: int
    task: int
    messages: list[int]
    results: list[ToolResult] | UnsetType = UNSET
    """Outputs of tools in it."""


class ItemDemoted(Payload, frozen=True, kw_only=True, rename={"before": "from", "after": "to"}):
    event: ClassVar[EventName] = "item_demoted"
    before: str
    after: str
    reason: str


class StateChanged(Payload, frozen=True, kw_only=True, rename={"before": "from", "after": "to"}):
    event: ClassVar[EventName] = "state_changed"
    before: str
    after: str
    form: str
    form_before: str
    reason: str | UnsetType = UNSET


class WriterDropped(Payload, frozen=True, kw_only=True, rename={"before": "from", "after": "to"}):
    """In a recorded run: the writer let messages go."""

    event: ClassVar[EventName] = "state_changed"
    before: str = "active"
    after: str = "standby"
    by: str = "writer"


class QuotaExceeded(Payload, frozen=True, kw_only=True):
    """A tier's cut, as `scheduler.packing.TierCut` says it."""

    event: ClassVar[EventName] = "quota_exceeded"
    tier: str
    quota: int
    exempt: int
    used: int
    ranked: int
    cut_rank: int | None
    cut_score: float | None
    left_at_cut: int
    needed_at_cut: int


class ProtectedOverflow(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "protected_overflow"
    tokens: int
    cap: int
    droppable: list[int]


class Pinned(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "pinned"
    instruction: str


class PinMoved(Payload, frozen=True, kw_only=True, rename={"before": "from", "after": "to"}):
    event: ClassVar[EventName] = "pin_moved"
    instruction: str
    before: int
    after: int


class Archived(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "archived"
    ref: str
    reason: str
    by: str


class ItemRetrieved(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "retrieved"
    ref: str
    by: str


class Deduplicated(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "deduplicated"
    form: str
    tokens: int
    full_tokens: int


class Offloaded(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "offloaded"
    form: str
    tokens: int
    full_tokens: int


class Updated(Payload, frozen=True, kw_only=True):
    """`edits`: the messages whose edits brought a file that was read before up to date."""

    event: ClassVar[EventName] = "updated"
    edits: tuple[int, ...]
    tokens: int
    full_tokens: int


class Summarized(Payload, frozen=True, kw_only=True):
    """`messages`: how many it stands for."""

    event: ClassVar[EventName] = "summarized"
    messages: int
    tokens: int
    full_tokens: int
    transcript: str
    text: str


class SnapshotTaken(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "snapshot_taken"
    snapshot: str
    step: int
    task: int
    kind: str
    trigger: str
    base: str | None
    deleted: list[str]


class RolledBack(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "rolled_back"
    snapshot: str
    step: int
    task: int
    from_call: int


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    rollback: str
    step: int


class Diagnosis(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "diagnosis"
    rule: str
    mean_score: float
    mean_before: float
    calls: int
    limit: float
    offer: Offer | None


class _Written(Payload, frozen=True, kw_only=True):
    """What a writer did to its own window, and its own word for it."""

    by: str
    kind: str
    note: str
    kept: int | None
    cleared: int
    tokens_before: int | None
    tokens_after: int | None


class WriterSummarized(_Written, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "summarized"


class WriterOffloaded(_Written, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "offloaded"


class WriterRolledBack(_Written, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "rolled_back"


class FiguresJumped(_Written, frozen=True, kw_only=True):
    """No marker of the writer: its reported figures fell or rose beyond the texts."""

    event: ClassVar[EventName] = "diagnosis"
