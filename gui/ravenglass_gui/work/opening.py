"""Reads what a person opens: one file at a time in a thread of its own, the one asked for last first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from ravenglass.errors import RavenglassError
from ravenglass.profile import Profile
from ravenglass_gui.work.lane import Lane
from ravenglass_gui.work.workers import OpenWorker


@dataclass(frozen=True, slots=True)
class FileReading:
    """One file to be read; `show` it, with a `profile` under that one, or only put it on the list."""

    path: Path
    show: bool
    format_name: str = ""
    """What reads it, where its content is not to decide."""
    profile: Profile | None = None


class Opening(QObject):
    """`worker` runs in another thread; signals arrive here."""

    began = Signal(object)
    """The `Reading` that runs now."""
    read = Signal(object, object)
    """(Reading, Loaded): both as asked for and as it was found."""
    failed = Signal(object)
    """The RavenglassError; what was open is still there."""
    cancelled = Signal(object)
    """The Reading that a person cancelled."""
    ended = Signal()
    """Emitted after each of the others but `began`."""

    _asked = Signal(int, object, str)

    def __init__(self, worker: OpenWorker, parent: QObject) -> None:
        super().__init__(parent)
        self.lane: Lane[FileReading] = Lane(worker, self._ask)
        self._later: list[FileReading] = []
        self._asked.connect(worker.open)
        worker.finished.connect(self._finished)
        worker.failed.connect(self._failed)
        worker.cancelled.connect(self._cancelled)

    @property
    def busy(self) -> bool:
        return self.lane.running is not None or self.lane.waiting is not None

    def open(self, paths: Sequence[Path], format_name: str = "", profile: Profile | None = None) -> None:
        """Open and show the first file; the others are read after it and put on the list. All as one format where
        that has a name."""
        if paths:
            self._later = [FileReading(path, show=False, format_name=format_name) for path in paths[1:]]
            self.lane.submit(FileReading(paths[0], True, format_name, profile), at_once=True)

    def go_on(self, *, further: bool) -> None:
        """Read what waits; with `further`, where nothing does, the next file for the list."""
        self.lane.go_on()
        if further and not self.busy and self._later:
            self.lane.submit(self._later.pop(0))

    def cancel(self) -> None:
        self._later.clear()
        self.lane.cancel()

    def _ask(self, ticket: int, reading: FileReading) -> None:
        self.began.emit(reading)
        self._asked.emit(ticket, reading.path, reading.format_name)

    @Slot(int, object, float)
    def _finished(self, ticket: int, loaded: object, seconds: float) -> None:  # noqa: ARG002
        answer = self.lane.answered(ticket)
        if answer is None:
            return
        if answer.wanted:
            self.read.emit(answer.work, loaded)
        else:
            self._unwanted(answer.work)
        self.ended.emit()

    @Slot(int, object)
    def _failed(self, ticket: int, error: RavenglassError) -> None:
        answer = self.lane.answered(ticket)
        if answer is not None:
            if answer.wanted:
                self.failed.emit(error)
            else:
                self._unwanted(answer.work)
            self.ended.emit()

    @Slot(int)
    def _cancelled(self, ticket: int) -> None:
        answer = self.lane.answered(ticket)
        if answer is not None:
            self._unwanted(answer.work)
            self.ended.emit()

    def _unwanted(self, reading: FileReading) -> None:
        """Nothing is said of a file in whose place another one is read."""
        if self.lane.waiting is None:
            self.cancelled.emit(reading)
