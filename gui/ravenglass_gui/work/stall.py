"""Measures how long the GUI thread stood still: the longest gap between beats of a fast timer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, SignalInstance, Slot

BEAT_MS = 5


@dataclass(frozen=True, slots=True)
class Stall:
    """Gaps are what passed between two beats beyond the beat itself, in milliseconds."""

    longest_ms: float
    beats: int
    over_50_ms: int
    elapsed_s: float
    timed_out: bool


class _Heart(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.gaps: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer, interval=BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    @Slot()
    def _beat(self) -> None:
        now = time.perf_counter()
        self.gaps.append((now - self._last) * 1_000 - BEAT_MS)
        self._last = now

    def stop(self) -> None:
        self._beat()
        self._timer.stop()


def measure_stall(start: Callable[[], object], done: SignalInstance, *, timeout_s: float = 120) -> Stall:
    """Call `start`, run the event loop until `done` is emitted, and report the longest standstill of this thread.

    `start` itself runs inside the loop, so what it does on the GUI thread counts as well.
    """
    loop = QEventLoop()
    heart = _Heart()
    late = QTimer(singleShot=True, interval=round(timeout_s * 1_000))
    late.timeout.connect(loop.quit)
    done.connect(loop.quit)
    late.start()
    begun = time.perf_counter()
    QTimer.singleShot(0, heart, start)
    loop.exec()
    heart.stop()
    timed_out = not late.isActive()
    late.stop()
    done.disconnect(loop.quit)
    return Stall(
        longest_ms=max(heart.gaps, default=0.0),
        beats=len(heart.gaps),
        over_50_ms=sum(gap > 50 for gap in heart.gaps),
        elapsed_s=time.perf_counter() - begun,
        timed_out=timed_out,
    )
