"""Puts the records of a log into calls, and finds the session they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from ravenglass.sessions.records.values import text
from ravenglass.traces.manifests import session_key
from ravenglass.traces.model import START, TraceCall, TraceRecord

FOLDER = "traces"


def by_call(records: Sequence[TraceRecord]) -> tuple[TraceCall, ...]:
    """Calls in order. What stands before the first `curator_start` belongs to the first call."""
    starts = [n for n, record in enumerate(records) if record.event == START]
    bounds = [0, *starts[1:], len(records)]
    return tuple(
        TraceCall(number, tuple(records[begin:end]))
        for number, (begin, end) in enumerate(pairwise(bounds), start=1)
        if begin < end
    )


def session_of(path: Path, records: Sequence[TraceRecord]) -> str:
    """The session's key: what the log says of itself, else the name of its folder inside `traces`, else empty."""
    for record in records:
        key = text(record.payload.get("session_key")) or session_key(record)
        if key:
            return key
    return path.parent.name if path.parent.parent.name == FOLDER else ""
