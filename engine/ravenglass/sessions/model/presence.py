"""Which messages were in the writer's own window, from the markers of a session. Knows no format and no tokens.

A window is what a marker kept, and everything recorded since it. It is exact as far as the record says it; what the
writer re-attached without recording it is not here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ravenglass.sessions.model.session import Marker

REFITTED = frozenset({"compaction", "clearing", "consolidated", "new_chain", "fall", "rise"})
"""Kinds after which a window may hold, or lack, what the record does not show."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """What holds from one marker to the next. `marker` is None before the first."""

    marker: Marker | None
    before: int
    """First message id that stands behind the marker; 0 for the first epoch."""
    kept: tuple[int, ...] = ()
    """Ids below `start` that are in the window, ascending."""
    start: int = 0
    """From this id on everything recorded is in the window."""
    cleared: frozenset[int] = frozenset()
    """Results of which only a note is left."""
    segment: int = 0
    """How many markers of a kind in `REFITTED` came before: calls of one segment share what the record lacks."""

    def holds(self, message: int) -> bool:
        """Whether the message was in the window, if it was recorded by then."""
        if message >= self.start:
            return True
        place = bisect_right(self.kept, message) - 1
        return place >= 0 and self.kept[place] == message

    def ids(self, end: int) -> Iterator[int]:
        """Ids in the window of a call that sees every message below `end`, ascending."""
        yield from (m for m in self.kept if m < end)
        yield from range(self.start, end)

    def after(self, marker: Marker, before: int) -> Epoch:
        """The epoch that a marker begins."""
        kept, start = self.kept, self.start
        if marker.keep is not None:
            kept, start = tuple(sorted({m for m in marker.keep if 0 <= m < before})), before
        # A result that stood before its call was moved behind it, maybe behind the marker too: cleared all the same.
        cleared = self.cleared.union(marker.cleared)
        return Epoch(marker, before, kept, start, cleared, self.segment + (marker.kind in REFITTED))


def epochs(markers: Sequence[Marker]) -> tuple[Epoch, ...]:
    """The epochs of a session in order; markers are taken in the order of their place, equal ones as they stand."""
    found = [Epoch(None, 0)]
    for marker in sorted(markers, key=lambda m: m.before):
        found.append(found[-1].after(marker, max(0, marker.before)))
    return tuple(found)


class Presence:
    """Windows of a session by the message that a call produced."""

    def __init__(self, markers: Sequence[Marker]) -> None:
        self.epochs = epochs(markers)
        self._starts = [epoch.before for epoch in self.epochs]

    def place(self, boundary: int) -> int:
        """Index of the epoch of a call that sees the messages below `boundary`."""
        return max(0, bisect_right(self._starts, boundary) - 1)

    def at(self, boundary: int) -> Epoch:
        """The epoch of a call that sees the messages below `boundary`."""
        return self.epochs[self.place(boundary)]
