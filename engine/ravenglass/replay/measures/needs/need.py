"""A need of a response: a name that an earlier message introduced, or a call for what an earlier result showed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ravenglass.replay.figures import NeedKind
from ravenglass.replay.measures.needs.shown import SAME_RUN


@dataclass(frozen=True, slots=True)
class Need:
    """`sources` are ids of the messages that introduced it, or of the results that showed it, ascending."""

    kind: NeedKind
    what: str
    """The term as the response writes it; for a fetch again the file, command, pattern or address asked for."""
    sources: tuple[int, ...]
    mentions: tuple[int, ...] = ()
    """Earlier messages that only repeat the name."""
    call: int = -1
    """Of a fetch again: which call of the response it is, from 0."""
    places: tuple[tuple[str, ...], ...] = ()
    """Of a fetch again, for each source: the lines it showed of what is asked for, without blanks around them."""
    result: int | None = None
    """Of a fetch again: the message that brought it back; None where none is recorded."""

    def stands(self, shows: Callable[[int, tuple[str, ...]], bool]) -> bool:
        """Whether the need is verbatim in a window where `shows(source, its lines of the place)`: a name where one
        source is, what is fetched again where the sources that are there show all but a few of the lines."""
        places = self.places or ((),) * len(self.sources)
        there = [place for source, place in zip(self.sources, places, strict=True) if shows(source, place)]
        held = {line for place in there for line in place}
        lost = {line for place in places for line in place} - held
        return bool(there) and len(lost) < SAME_RUN
