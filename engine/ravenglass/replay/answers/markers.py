"""What the timeline marks of a simulated run: events by name, and the calls where they happened."""

from __future__ import annotations

from collections.abc import Sequence

from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.trace import MARKER_EVENTS


def markers(log: ChangeLog, arrivals: Sequence[int], snapshots: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Event name -> calls. `arrivals` are the calls that follow a rollback, `snapshots` those after which one was
    taken."""
    found: dict[str, tuple[int, ...]] = {
        "slow_path_accepted": tuple(i for i, p in enumerate(log.paths, 1) if p == "slow"),
        "fallback": tuple(i for i, p in enumerate(log.paths, 1) if p == "fail_safe"),
        "summarized": tuple(log.told),
        "archived": tuple(log.archived),
        "protected_overflow": tuple(log.overflow),
        "quota_exceeded": tuple(log.over_quota),
        "retrieved": tuple(log.retrieved),
        "rolled_back": tuple(arrivals),
        "snapshot_taken": tuple(snapshots),
    }
    return {name: found[name] for name in ("slow_path_accepted", *MARKER_EVENTS)}
