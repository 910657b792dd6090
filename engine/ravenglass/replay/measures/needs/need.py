"""A need of a response: a name that an earlier message introduced, or a call for what an earlier result showed."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.replay.figures import NeedKind


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
    place: tuple[str, ...] = ()
    """Of a fetch again: lines that the sources showed of what is asked for, without blanks around them."""
    result: int | None = None
    """Of a fetch again: the message that brought it back; None where none is recorded."""
