"""A record whose strings hold raw line feeds stands on several lines: they are put together again.

JSON has line feeds in strings only as escapes, but some writers put them there as they are. A line that ends inside a
string waits for the lines after it, up to the one whose end is outside of strings; what that makes is decoded once.
Whether a line ends inside a string is found without decoding it, and all lines together cost a time that grows with
their bytes: read from a place inside a string and from one outside of it, a line cannot both be JSON and end inside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ravenglass.safe.limits import most_record
from ravenglass.sessions.model.session import Damage, Span
from ravenglass.sessions.records.decode import Record, SourceLine, decoded, escape_damage

_INSIDE = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
"""A string's bytes up to the quote that ends it, or up to the end of the line."""
_OUTSIDE = re.compile(rb'[^"\\]*')
_AFTER = re.compile(rb"[ \t\r\n]*(?:[,:}\]]|\Z)")
"""What may follow a string."""


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line as it stands in the file."""

    data: bytes
    """Without its line feed."""
    number: int
    offset: int
    """Where `data` begins."""
    ended: bool
    """Whether a line feed follows."""


def ends_inside(data: bytes, *, inside: bool = False) -> bool | None:
    """Whether a line ends inside a string, which it may begin `inside` of; None where it is no part of JSON."""
    position = 0
    while position < len(data):
        if not inside:
            position = _end(_OUTSIDE, data, position)
            if position == len(data):
                return False
            if data[position] != ord('"'):
                return None  # a backslash outside of strings
            inside, position = True, position + 1
            continue
        position = _end(_INSIDE, data, position)
        if position == len(data) or data[position] != ord('"'):
            return True  # also where the last byte is a backslash
        inside, position = False, position + 1
        if _AFTER.match(data, position) is None:
            return None
    return inside


def _end(pattern: re.Pattern[bytes], data: bytes, position: int) -> int:
    found = pattern.match(data, position)
    return found.end() if found else position


class BrokenLine:
    """A line that ends inside a string, and those after it that were taken in."""

    def __init__(self, first: RawLine, alone: SourceLine, rest: Span) -> None:
        self.lines = [first]
        self.alone = alone
        """What the first line holds by itself."""
        self._start = rest.offset - first.offset
        self._size, self._most = len(first.data), most_record()

    @classmethod
    def begun(cls, line: RawLine, alone: SourceLine) -> BrokenLine | None:
        """The line as the first of a record on several lines, where it can be one."""
        rest = alone.rest
        if not line.ended or rest is None or not ends_inside(line.data[rest.offset - line.offset :]):
            return None
        return cls(line, alone, rest)

    def continues(self, line: RawLine) -> bool | None:
        """Whether the record goes on after this line too; None where the line is no part of it.

        A line for which the answer is not None is taken in; one that makes the record longer than any may be is none.
        """
        inside = ends_inside(line.data, inside=True)
        self._size += len(line.data) + 1
        if inside is None or self._size > self._most:
            return None
        self.lines.append(line)
        return inside

    def with_last(self, line: RawLine) -> SourceLine | None:
        """What the lines and this one make, which is not taken in; None where they are no whole record."""
        if ends_inside(line.data, inside=True) is not False:
            return None
        return self._made([*self.lines, line])

    def whole(self) -> SourceLine | None:
        """The record that all lines are together, after the whole records of the first; None where they are none."""
        return self._made(self.lines)

    def _made(self, lines: list[RawLine]) -> SourceLine | None:
        first, feeds = lines[0], len(lines) - 1
        data = b"\n".join([first.data[self._start :], *(line.data for line in lines[1:])]).rstrip(b" \t\r")
        span = Span(first.number, first.offset + self._start, len(data))
        try:
            value, escapes = decoded(data)
        except ValueError:
            return None
        if not isinstance(value, dict):
            return None
        what = "1 line feed inside a string" if feeds == 1 else f"{feeds:,} line feeds inside strings"
        damage = [Damage(span, what, "everything, the line feeds as they stand")]
        damage += [escape_damage(span, escapes)] if escapes else []
        return SourceLine((*self.alone.records, Record(value, span)), tuple(damage))
