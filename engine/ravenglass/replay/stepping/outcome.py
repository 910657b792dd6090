"""What one call of a replay came to: path, tokens, and what moved."""

from __future__ import annotations

from dataclasses import dataclass, field

from ravenglass.curator.plan import Assembled
from ravenglass.hub.summary import Summary
from ravenglass.replay.frame import PathName
from ravenglass.rules import TierName
from ravenglass.scheduler.packing import Decision


@dataclass(frozen=True, slots=True)
class Moves:
    """Groups that went to the archive or came back at one call."""

    archived: dict[int, str] = field(default_factory=dict)
    """Group -> why."""
    by_hand: frozenset[int] = frozenset()
    """Those of `archived` that a person archived."""
    retrieved: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """Outcome of one call, in tokens. `decision` and `assembled` are None on the fast path."""

    call: int
    path: PathName
    tokens: int
    history: int
    """What was measured against the threshold."""
    tiers: dict[TierName, int]
    state_version: int
    """Index of the working state that is injected; -1: none."""
    opening: bool
    summary: Summary | None = None
    """What stands in the window for messages that left it; made at this call or before."""
    decision: Decision | None = None
    assembled: Assembled | None = None
    moves: Moves
    reason: str = ""
    """Why the fail-safe decided; empty otherwise."""

    @property
    def impossible(self) -> bool:
        """Whether not even the current request fits."""
        return self.assembled is not None and self.assembled.verdict.impossible
