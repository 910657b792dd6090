"""How large one input may become before it is refused or passed over, and the variables that change it.

A few bytes can stand for gigabytes (a bomb), and a line may never end; without a limit one file takes all memory. The
figures are far above what agents write. They are read when a file is opened, so a variable set later counts too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ravenglass.errors import SessionError

UNPACKED = "RAVENGLASS_MAX_UNPACKED"
RECORD = "RAVENGLASS_MAX_RECORD"

MOST_UNPACKED = 2 << 30
"""Bytes that a compressed file, an archive's member or the copy of a database may have."""
MOST_RECORD = 256 << 20
"""Bytes of one record: a line, or a whole document."""
MOST_RATIO = 1_000
"""How many times its own size a compressed file may become; counts from `RATIO_FROM` on and while no variable is set.
Logs that repeat every request reach about 200."""
RATIO_FROM = 64 << 20

_PIECE = 1 << 20
"""Bytes of a line that is passed over that are in memory at once."""

_UNITS = {"K": 10, "M": 20, "G": 30, "T": 40}


def most_unpacked(packed: int) -> int:
    """Bytes that so many compressed bytes may become. Raises SessionError for a variable that is no size."""
    chosen = _chosen(UNPACKED)
    return chosen if chosen is not None else min(MOST_UNPACKED, max(RATIO_FROM, packed * MOST_RATIO))


def most_copied() -> int:
    """Bytes of a database that are copied to be read. Raises SessionError for a variable that is no size."""
    chosen = _chosen(UNPACKED)
    return MOST_UNPACKED if chosen is None else chosen


def most_record() -> int:
    """Bytes of one record. Raises SessionError for a variable that is no size."""
    chosen = _chosen(RECORD)
    return MOST_RECORD if chosen is None else chosen


def grown_too_large(name: str, packed: int, most: int) -> str:
    """The sentence for a file that would become larger than it may."""
    return (
        f"becomes more than {most:,} bytes when {name} is undone, from {packed:,}; that is the limit, nothing of it was"
        f" kept. {UNPACKED} sets another one, for example {UNPACKED}=8G"
    )


def _chosen(variable: str) -> int | None:
    """The size that a variable gives: bytes, or a number with K, M, G or T."""
    text = os.environ.get(variable, "").strip().upper().removesuffix("B")
    if not text:
        return None
    shift = _UNITS.get(text[-1], 0)
    digits = text[:-1] if shift else text
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16) or not int(digits):
        raise SessionError(
            f"{variable} is {os.environ[variable]!r}, which is no size; it takes bytes, or a number with K, M, G or T."
        )
    return int(digits) << shift


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
