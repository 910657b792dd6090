"""Signals that are passed on less often than they come, as superqt paces them: `throttle()` asks, `triggered` answers,
`cancel()` takes back."""

from __future__ import annotations

from typing import TypeAlias

from PySide6.QtCore import QObject
from superqt.utils import QSignalDebouncer, QSignalThrottler

Pace: TypeAlias = QSignalDebouncer | QSignalThrottler


def after_rest(parent: QObject, milliseconds: int) -> Pace:
    """Answers once nothing was asked for so long."""
    return _timed(QSignalDebouncer(QSignalThrottler.EmissionPolicy.Trailing, parent), milliseconds)


def at_most_every(parent: QObject, milliseconds: int) -> Pace:
    """Answers for all that was asked meanwhile, never twice in so long."""
    return _timed(QSignalThrottler(QSignalThrottler.EmissionPolicy.Trailing, parent), milliseconds)


def _timed(pace: Pace, milliseconds: int) -> Pace:
    pace.setTimeout(milliseconds)
    return pace
