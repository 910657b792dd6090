"""Replays of whole sessions: Run, Frame, metrics, filters."""

from typing import TYPE_CHECKING

from ravenglass.lazy import lazily

if TYPE_CHECKING:
    from ravenglass.replay.branches.branching import branch, rollback
    from ravenglass.replay.bulk import replay
    from ravenglass.replay.run import Run, SimulatedRun
    from ravenglass.replay.stepping.changes import HandChange

__all__ = ["HandChange", "Run", "SimulatedRun", "branch", "replay", "rollback"]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        {
            "HandChange": "ravenglass.replay.stepping.changes",
            "Run": "ravenglass.replay.run",
            "SimulatedRun": "ravenglass.replay.run",
            "branch": "ravenglass.replay.branches.branching",
            "replay": "ravenglass.replay.bulk",
            "rollback": "ravenglass.replay.branches.branching",
        },
    )
