"""From positions inside a record's bytes to places in its file."""

from __future__ import annotations

from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records.scan import Member


class RecordPlace:
    """A record's bytes and where they stand, to turn positions into Spans. Asked with rising positions."""

    def __init__(self, data: bytes, span: Span) -> None:
        self.data = data
        self._span = span
        self._mark = (0, span.line)

    def span(self, item: Member) -> Span:
        position, line = self._mark if self._mark[0] <= item.start else (0, self._span.line)
        line += self.data.count(b"\n", position, item.start)
        self._mark = (item.start, line)
        return Span(line, self._span.offset + item.start, item.stop - item.start)
