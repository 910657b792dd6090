"""How a long read reports its progress and is cancelled. No I/O here."""

from __future__ import annotations

from collections.abc import Callable

from ravenglass.errors import Cancelled

__all__ = ["Cancelled", "Progress", "Reporter"]

Progress = Callable[[int, int], bool]
"""Called with bytes done and bytes in total; returns False to cancel."""

_STEP = 1 << 20
"""Bytes between two reports: often enough for a smooth bar, rare enough to cost nothing."""


class Reporter:
    """Passes progress on at most once a step and raises `Cancelled` when told to stop."""

    def __init__(self, progress: Progress | None, name: str) -> None:
        self._progress = progress
        self._name = name
        self._next = 0

    def report(self, done: int, total: int, *, force: bool = False) -> None:
        """Report `done` of `total` bytes; raises `Cancelled` if the caller no longer wants the result."""
        if self._progress is None or (done < self._next and not force):
            return
        self._next = done + _STEP
        if not self._progress(done, total):
            raise Cancelled(f"Reading {self._name} was cancelled; nothing was changed.")
