"""A trace log as values: records in file order, grouped into calls and turns. Nothing here reads or decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ravenglass.sessions.model.session import Damage, Span
from ravenglass.trace import EVENT_NAMES, Json, TraceEvent, logged

START = "curator_start"


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """One line of a log. `raw` are its bytes as they stood there, so that writing it again changes nothing."""

    event: str
    """Empty for a line that is JSON but no event."""
    payload: Json
    ts: float | None
    """Seconds since the epoch; None where the line has no readable time."""
    raw: bytes = field(repr=False)
    span: Span

    @property
    def known(self) -> bool:
        """Whether the event is one of those that this engine or the reference implementation writes."""
        return self.event in EVENT_NAMES

    def to_event(self, call: int = 0) -> TraceEvent:
        """The record as a trace event, for views that show both."""
        return logged(self.event, self.payload, call, self.ts)


@dataclass(frozen=True, slots=True)
class TraceCall:
    """The records of one model call, from its `curator_start` up to the next. `number` counts from 1 in its turn."""

    number: int
    records: tuple[TraceRecord, ...]

    def first(self, event: str) -> TraceRecord | None:
        """The first record of that name."""
        return next((record for record in self.records if record.event == event), None)

    def all(self, event: str) -> tuple[TraceRecord, ...]:
        """All records of that name, in order."""
        return tuple(record for record in self.records if record.event == event)


@dataclass(frozen=True, slots=True)
class TraceTurn:
    """One file: the calls of one turn, as `traces/{session}/{turn}.jsonl` has them."""

    name: str
    session: str
    """Key of the session, from the log or its folder; empty if neither says."""
    path: Path
    records: tuple[TraceRecord, ...]
    calls: tuple[TraceCall, ...]
    damage: tuple[Damage, ...] = ()
    pending: Span | None = None
    """A cut last line: not damage, the writer may still finish it."""
    lost: tuple[tuple[Span, bytes], ...] = ()
    """The undecodable bytes, the cut last line's too, kept as they stood."""
    warnings: tuple[str, ...] = ()
    """Complete sentences for the user."""

    @property
    def started(self) -> float | None:
        """Earliest recorded time, or None."""
        return min((record.ts for record in self.records if record.ts is not None), default=None)

    def lines(self) -> Iterator[bytes]:
        """Every record as it stood, damaged ones too, in file order and without line endings."""
        kept = [(record.span.offset, record.raw) for record in self.records]
        kept += [(span.offset, raw) for span, raw in self.lost]
        for _, raw in sorted(kept, key=lambda item: item[0]):
            yield raw


@dataclass(frozen=True, slots=True)
class TraceLog:
    """One log file, or a folder of them: turns in order of time, else of their names."""

    path: Path
    turns: tuple[TraceTurn, ...]

    @property
    def calls(self) -> tuple[tuple[TraceTurn, TraceCall], ...]:
        """Every call with its turn, in order."""
        return tuple((turn, call) for turn in self.turns for call in turn.calls)

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(sentence for turn in self.turns for sentence in turn.warnings)
