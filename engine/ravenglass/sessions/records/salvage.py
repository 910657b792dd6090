"""What can be told apart in a JSON document that is cut or damaged: its outermost whole objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records.decode import TOLERANT, Record
from ravenglass.sessions.records.escapes import restored, without_invalid
from ravenglass.sessions.records.values import clean

_OBJECT = re.compile(r'\{[ \t\r\n]*["}]')
_ATTEMPT = 64
"""What an attempt to decode costs besides the characters read, in characters."""


def salvage(body: bytes, span: Span) -> Iterator[Record]:
    """Every whole object that is not inside another one, in order, with its own place.

    `span` says where `body` stands. NUL bytes count as blanks. Work is linear in the document's length: where
    damage makes it more, the rest of the document is given up.
    """
    text = body.replace(b"\x00", b" ").decode("utf-8", "surrogateescape")
    place = _Place(text, span)
    readable = without_invalid(text)[0]
    budget = 8 * len(text) + (1 << 16)
    match = _OBJECT.search(text)
    while match is not None and budget > 0:
        start = stop = match.start()
        try:
            value, stop = TOLERANT.raw_decode(readable, start)
            value = clean(restored(value))
        except json.JSONDecodeError as error:
            # The decoder counts lines up to the error, which costs a little for every byte before it.
            budget -= error.pos - start + error.pos // 32
        except (ValueError, RecursionError):
            stop = start
        budget -= stop - start + _ATTEMPT
        if stop > start:
            yield Record(value, place.span(start, stop))
        match = _OBJECT.search(text, max(stop, start + 1))


class _Place:
    """Spans of characters; asked with rising positions, so all calls together are linear."""

    def __init__(self, text: str, span: Span) -> None:
        self._text = text
        self._at, self._offset, self._line = 0, span.offset, span.line

    def span(self, start: int, stop: int) -> Span:
        self._go(start)
        line, offset = self._line, self._offset
        self._go(stop)
        return Span(line, offset, self._offset - offset)

    def _go(self, position: int) -> None:
        passed = self._text[self._at : position]
        self._offset += len(passed.encode("utf-8", "surrogateescape"))
        self._line += passed.count("\n")
        self._at = position
