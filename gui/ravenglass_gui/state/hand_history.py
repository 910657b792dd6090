"""The changes that a person makes by hand, one after the other, to be undone and made again.

Each step keeps the finished run of either side, so that undoing shows the former run at once and replays nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand, QUndoStack

from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepping.changes import Change

Changes = tuple[Change, ...]
Apply = Callable[[Changes, SimulatedRun | None], None]
"""Puts changes in force, with the finished run that was made with them, where there is one."""

KEPT = 20
"""Steps that can be undone: each may keep a run."""


def in_order(changes: Changes) -> Changes:
    """As a run has them: by call, those at one call as they were made."""
    return tuple(sorted(changes, key=lambda change: change.call))


class HandHistory(QUndoStack):
    """`finished` says which run is there for what is in force now, if it is finished."""

    def __init__(self, apply: Apply, finished: Callable[[], SimulatedRun | None]) -> None:
        super().__init__()
        self.setUndoLimit(KEPT)
        self._apply, self._finished = apply, finished

    def make(self, before: Changes, after: Changes) -> None:
        """Put `after` in force, as a step."""
        self.push(_Step(self._apply, self._finished, before, after))

    def put(self, before: Changes, run: SimulatedRun) -> None:
        """Put a finished run in force, which no change by hand alone makes, as a step."""
        self.push(_Step(self._apply, self._finished, before, run.changes, run))


class _Step(QUndoCommand):
    def __init__(
        self,
        apply: Apply,
        finished: Callable[[], SimulatedRun | None],
        before: Changes,
        after: Changes,
        run: SimulatedRun | None = None,
    ) -> None:
        super().__init__("change by hand")
        self._apply, self._finished = apply, finished
        self._before, self._after = before, after
        self._run_before: SimulatedRun | None = None
        self._run_after = run

    def redo(self) -> None:
        self._run_before = self._finished()
        self._apply(self._after, self._run_after)

    def undo(self) -> None:
        self._run_after = self._finished()
        self._apply(self._before, self._run_before)
