"""The lines of a stream, split on 0x0A only; of a line that never ends no more than its length is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

_PIECE = 1 << 20
"""Bytes of a line that is passed over that are in memory at once."""


@dataclass(frozen=True, slots=True)
class LongLine:
    """A line over the limit, in bytes with its line feed. Its text was passed over."""

    length: int
    ended: bool
    """Whether a line feed ends it; else the stream does."""


def lines(stream: BinaryIO, most: int) -> Iterator[bytes | LongLine]:
    """Every line with its line feed, which only the last may lack; `most` are the bytes of one without it."""
    while raw := stream.readline(most + 1):
        if len(raw) <= most or raw.endswith(b"\n"):
            yield raw
            continue
        length = len(raw)
        del raw  # it would stay in memory while the rest is passed over
        yield _passed_over(stream, length)


def _passed_over(stream: BinaryIO, length: int) -> LongLine:
    while piece := stream.readline(_PIECE):
        length += len(piece)
        if piece.endswith(b"\n"):
            return LongLine(length, ended=True)
    return LongLine(length, ended=False)
