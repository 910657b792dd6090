"""The registry: what the hub knows of every context item at one call, one entry an item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ravenglass.hub.item import State
from ravenglass.hub.registry.schema import Schema
from ravenglass.rules import SourceName, TierName, Ttl

Namespace = Literal["repo", "session", "task", "tool"]
Scope = Literal["global", "project", "file", "symbol"]
ResultStatus = Literal["ok", "error"]


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """One context item. Equal content at the same address has the same `context_id`; tokens are those of the whole."""

    context_id: str
    """The address; that of file content names its version."""
    namespace: Namespace
    scope: Scope
    source: SourceName
    schema: Schema
    ttl: Ttl
    priority: float
    """The score at the call, 0..1."""
    fingerprint: str
    """SHA-256 of the content that it showed, hexadecimal; of files without line numbers."""
    tier: TierName
    state: State
    tokens: int
    message: int
    """Id of the message it is, or comes from."""
    group: int | None
    """The group it is kept or evicted with; None for what is no message (a decision, a summary, a file as an edit left
    it)."""
    scheduled: int | None
    """The latest call that it was scheduled for: whose window held it, whole or not. None: in no window so far."""
    task: int
    """The task that it was made in, from 0."""
    result: ResultStatus | None
    """Of a tool's output: how the call ended; None for what is none."""
    parameters: str | None
    """Of a tool's output: SHA-256 of the arguments that it answers, hexadecimal, whatever the order of their keys."""


@dataclass(frozen=True, slots=True)
class Registry:
    """Entries right after a call: messages by id, then decisions, then the summary in the window."""

    call: int
    entries: tuple[RegistryEntry, ...]
    _newest: dict[str, RegistryEntry] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_newest", {entry.context_id: entry for entry in self.entries})

    def __iter__(self) -> Iterator[RegistryEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def find(self, context_id: str) -> RegistryEntry | None:
        """The newest entry with that address."""
        return self._newest.get(context_id)
