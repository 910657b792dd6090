"""A worker whose answers a test gives: no thread, nothing to wait for."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from PySide6.QtCore import QObject, Signal

from ravenglass_gui.work.workers import Job, OpenWorker, ReplayWorker


class HandWorker(QObject):
    """Notes what it is asked for. `finished`, `failed` and `cancelled` are emitted by the test."""

    progressed = Signal(object)
    finished = Signal(int, object, float)
    failed = Signal(int, object)
    cancelled = Signal(int)
    came = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self.wanted = 0
        self.asked: list[tuple[int, Job]] = []
        self.read: list[tuple[int, Path]] = []

    def run(self, ticket: int, job: Job) -> None:
        self.asked.append((ticket, job))

    def open(self, ticket: int, path: Path, format_name: str = "") -> None:
        assert not format_name
        self.read.append((ticket, path))

    @property
    def job(self) -> Job:
        """What was asked for last."""
        return self.asked[-1][1]

    def finish(self, run: object) -> None:
        """Answer what was asked for last."""
        self.finished.emit(self.asked[-1][0], run, 0.1)

    def fail(self, error: Exception) -> None:
        self.failed.emit(self.asked[-1][0], error)

    @property
    def as_worker(self) -> ReplayWorker:
        return cast(ReplayWorker, self)

    @property
    def as_opener(self) -> OpenWorker:
        return cast(OpenWorker, self)
