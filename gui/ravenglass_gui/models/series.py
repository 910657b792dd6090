"""A run as the timeline draws it: arrays over calls, stacked by tier, and the places of its marked events.

Made once a run; nothing here is decided or counted, it is only arranged for drawing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ravenglass.replay.run import Run
from ravenglass.rules import TIERS
from ravenglass_gui.widgets.numbers import amount, compact, percent

Ints: TypeAlias = npt.NDArray[np.int64]

LANES: tuple[tuple[str, str], ...] = (
    ("slow_path_accepted", "slow path"),
    ("fallback", "fail-safe"),
    ("archived", "archived"),
    ("retrieved", "retrieved"),
    ("protected_overflow", "protected cap"),
    ("quota_exceeded", "over quota"),
    ("rolled_back", "rolled back"),
    ("snapshot_taken", "snapshot"),
)
"""Events that have a lane of their own below the plot, in the order of the lanes, and what they are called."""

_PATHS = {"fast": "fast path", "slow": "slow path", "fail_safe": "fail-safe"}


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """One kind of event: the calls where it happened, ascending."""

    event: str
    label: str
    calls: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """`stack[i]` is the sum of the tiers up to and with the i-th, one value a call; row 0 is at the bottom."""

    calls: int
    tiers: tuple[str, ...]
    stack: Ints
    """Tokens, shape (tiers, calls)."""
    totals: Ints
    paths: tuple[str, ...]
    lanes: tuple[Lane, ...]
    turns: Ints
    """The first call of every turn."""
    turn_of: Ints
    available: int
    threshold: int
    target: int

    @property
    def top(self) -> float:
        """Highest value that must be visible."""
        peak = int(self.totals.max()) if self.calls else 0
        return max(peak, self.available) * 1.06

    def describe(self, call: int) -> str:
        """The numbers of one call as plain text, for the tooltip."""
        i = call - 1
        total = int(self.totals[i])
        path = _PATHS.get(self.paths[i], self.paths[i])
        below = np.concatenate(([0], self.stack[:-1, i]))
        parts = zip(self.tiers, self.stack[:, i] - below, strict=True)
        lines = [
            f"call {call:,} · turn {int(self.turn_of[i]) + 1:,} · {path}",
            f"window {compact(total)} of {compact(self.available)} ({percent(total / self.available)})",
            *(f"{tier}  {compact(int(tokens))}" for tier, tokens in reversed(list(parts))),
        ]
        events = [lane.label for lane in self.lanes if call in lane.calls]
        return "\n".join([*lines, *(["events  " + ", ".join(events)] if events else [])])


def series(run: Run) -> Series:
    """Arrange a run for drawing."""
    tiers = np.array([run.tier_tokens[tier] for tier in TIERS], np.int64).reshape(len(TIERS), run.calls)
    turn_of = np.array([call.turn for call in run.session.structure.calls], np.int64)
    starts = np.flatnonzero(np.diff(turn_of, prepend=-1)) + 1 if run.calls else np.zeros(0, np.int64)
    markers = run.markers()
    lanes = tuple(
        Lane(event, label, np.array(markers[event], np.int64)) for event, label in LANES if markers.get(event)
    )
    return Series(
        calls=run.calls,
        tiers=TIERS,
        stack=np.cumsum(tiers, axis=0),
        totals=np.array(run.window_tokens, np.int64),
        paths=tuple(run.paths),
        lanes=lanes,
        turns=starts,
        turn_of=turn_of,
        available=run.budget.available,
        threshold=run.budget.threshold,
        target=run.budget.target,
    )


def summary(run: Run) -> str:
    """The facts in the timeline's header."""
    metrics = run.metrics
    fail_safe = f" · {metrics.fail_safe:,} fail-safe" if metrics.fail_safe else ""
    slow = amount(metrics.slow, "slow path")
    return f"{amount(run.calls, 'call')} · {slow}{fail_safe} · peak {compact(metrics.peak_tokens)}"
