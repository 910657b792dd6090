"""Replays of whole sessions: Run, Frame, metrics, filters."""

from ravenglass.replay.branching import branch, rollback
from ravenglass.replay.bulk import replay
from ravenglass.replay.changes import HandChange
from ravenglass.replay.run import Run

__all__ = ["HandChange", "Run", "branch", "replay", "rollback"]
