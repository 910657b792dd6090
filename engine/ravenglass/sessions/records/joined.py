"""One address space over several pieces of bytes, for sessions whose records stand in many files or database rows.

Offsets are virtual: piece after piece, one byte (a line feed) between them. Every piece keeps its own name.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import BinaryIO

from ravenglass.sessions.model.session import Span


@dataclass(slots=True)
class JoinedSource:
    """A `Source` that grows by pieces."""

    _data: bytearray = field(default_factory=bytearray, repr=False)
    _starts: list[int] = field(default_factory=list)
    _names: list[str] = field(default_factory=list)
    _lines: int = 0

    @property
    def size(self) -> int:
        return len(self._data)

    def add(self, name: str, data: bytes) -> Span:
        """Append a piece (a file, a row) under a name that a person finds it by; returns where it stands."""
        if self._names:
            self._data += b"\n"
            self._lines += 1
        span = Span(self._lines + 1, len(self._data), len(data))
        self._starts.append(span.offset)
        self._names.append(name)
        self._data += data
        self._lines += data.count(b"\n")
        return span

    def name_of(self, span: Span) -> str:
        """The piece a span lies in; empty where there is none."""
        index = bisect_right(self._starts, span.offset) - 1
        return self._names[index] if index >= 0 else ""

    def read(self, span: Span) -> bytes:
        """The span's bytes."""
        return bytes(self._data[span.offset : span.offset + span.length])

    def open(self) -> BinaryIO:
        """A stream over all pieces as they are now."""
        return io.BytesIO(bytes(self._data))
