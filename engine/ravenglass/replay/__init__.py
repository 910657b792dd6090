"""Replays of whole sessions: Run, Frame, metrics, filters."""

from ravenglass.replay.branches.branching import branch, rollback
from ravenglass.replay.bulk import replay
from ravenglass.replay.run import Run, SimulatedRun
from ravenglass.replay.stepping.changes import HandChange

__all__ = ["HandChange", "Run", "SimulatedRun", "branch", "replay", "rollback"]
