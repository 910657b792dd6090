"""Which events of a rollout only say again what an item says: what stands in the file twice is one message.

Most are found by their text. Where an event's text is not the item's (an editor's context, redacted files), the
event belongs to the item right beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ravenglass.sessions.formats.codex.lines import Mirror, RolloutLine
from ravenglass.sessions.importing.responses.items import ResponsesItem

_NEAR = 8
"""How many messages and items may stand between an event and its item."""


@dataclass(slots=True)
class Mirrors:
    """What was found, by index of the line."""

    said: set[int] = field(default_factory=set)
    """Events that an item says as well."""
    typed: set[int] = field(default_factory=set)
    """User items that a person typed, as an event says."""
    events: bool = False
    """Whether the file has events for what a person types at all."""


def find_mirrors(lines: Sequence[RolloutLine]) -> Mirrors:
    """Pair events with items. Linear."""
    return _Search(lines).run()


class _Search:
    def __init__(self, lines: Sequence[RolloutLine]) -> None:
        self._lines = lines
        self._content = [i for i, line in enumerate(lines) if isinstance(line.what, (ResponsesItem, Mirror))]
        self._kinds = [_kind(lines[i].what) for i in self._content]
        self._digests = [lines[i].digests for i in self._content]
        self._taken: set[int] = set()
        self._found = Mirrors()

    def run(self) -> Mirrors:
        events = [place for place, i in enumerate(self._content) if isinstance(self._lines[i].what, Mirror)]
        self._found.events = any(self._kinds[place] == "user" for place in events)
        left = [place for place in events if not self._by_text(place)]
        for place in left:
            self._by_place(place)
        return self._found

    def _by_text(self, place: int) -> bool:
        own = next(iter(self._digests[place]))
        for other in self._around(place, _NEAR):
            if self._fits(place, other) and own in self._digests[other]:
                self._pair(place, other)
                return True
        return False

    def _by_place(self, place: int) -> None:
        for step in (-1, 1):
            other = place + step
            # A reasoning item is announced part by part.
            while self._kinds[place] == "reasoning" and self._is_event(other) and self._kinds[other] == "reasoning":
                other += step
            if self._fits(place, other) and not self._is_injected(other):
                self._pair(place, other)
                return

    def _around(self, place: int, reach: int) -> Iterator[int]:
        for distance in range(1, reach + 1):
            yield place - distance
            yield place + distance

    def _fits(self, place: int, other: int) -> bool:
        """Whether the other is an item of the same kind that still has no event of this one's sort."""
        if not 0 <= other < len(self._content) or self._kinds[place] != self._kinds[other] or self._is_event(other):
            return False
        what = self._lines[self._content[place]].what
        free = self._kinds[place] == "reasoning" or (isinstance(what, Mirror) and what.only_mirror)
        return free or other not in self._taken

    def _is_event(self, place: int) -> bool:
        return 0 <= place < len(self._content) and isinstance(self._lines[self._content[place]].what, Mirror)

    def _is_injected(self, place: int) -> bool:
        what = self._lines[self._content[place]].what
        return isinstance(what, ResponsesItem) and what.role == "user" and what.kind != "prompt"

    def _pair(self, place: int, other: int) -> None:
        what = self._lines[self._content[place]].what
        self._found.said.add(self._content[place])
        if isinstance(what, Mirror) and not what.only_mirror:
            self._taken.add(other)
        if self._kinds[place] == "user":
            self._found.typed.add(self._content[other])


def _kind(what: object) -> str:
    if isinstance(what, Mirror):
        return what.kind
    if isinstance(what, ResponsesItem) and what.type in ("message", "reasoning"):
        return "reasoning" if what.type == "reasoning" else what.role
    return ""
