"""Damage to bytes: what crashes, full disks, bad copies and other programs do to a file."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Mutator = Callable[[bytes, Random], bytes]

_GARBAGE = (
    b"\x00" * 37,
    b"\xff\xfe\xfd",
    b"\xed\xa0\x80",
    b"{",
    b"}",
    b'"',
    b"\\",
    b"[",
    b"]",
    b",",
    b"null",
    b"\r\n",
    b"\n\n",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"<<<<<<< HEAD\n",
    b'{"a":',
    b"\x1b[31m",
    b"\x0b",
    b"\xc2\x85",
    b"true\n",
    b"-",
    b"1e999",
)
_LONG = 150_000
"""Bytes of a line that is longer than any other."""


def _at(data: bytes, rng: Random) -> int:
    return rng.randint(0, len(data))


def _cut(data: bytes, rng: Random) -> bytes:
    return data[: _at(data, rng)]


def _behead(data: bytes, rng: Random) -> bytes:
    return data[_at(data, rng) :]


def _flip(data: bytes, rng: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 4, 20))):
        if changed:
            changed[rng.randrange(len(changed))] ^= rng.randint(1, 255)
    return bytes(changed)


def _zero(data: bytes, rng: Random) -> bytes:
    start, size = _at(data, rng), rng.choice((1, 3, 40, 400))
    inserted = rng.random() < 0.5
    return data[:start] + b"\x00" * size + data[start if inserted else start + size :]


def _drop(data: bytes, rng: Random) -> bytes:
    start = _at(data, rng)
    return data[:start] + data[start + rng.choice((1, 2, 30, 300, 3_000)) :]


def _repeat(data: bytes, rng: Random) -> bytes:
    start, stop = sorted((_at(data, rng), _at(data, rng)))
    return data[:stop] + data[start:]


def _insert(data: bytes, rng: Random) -> bytes:
    start = _at(data, rng)
    return data[:start] + rng.choice(_GARBAGE) + data[start:]


def _glue(data: bytes, rng: Random) -> bytes:
    """Take one line feed out: two records stand on one line."""
    ends = [place for place, byte in enumerate(data) if byte == 10]
    if not ends:
        return data + data
    end = rng.choice(ends)
    return data[:end] + data[end + 1 :]


def _glue_torn(data: bytes, rng: Random) -> bytes:
    """A record is cut, and the next is appended to what is left of it."""
    rows = data.split(b"\n")
    place = rng.randrange(len(rows))
    row = rows[place]
    rows[place] = row[: rng.randint(0, len(row))] + (rows[place + 1] if place + 1 < len(rows) else row)
    return b"\n".join(rows)


def _rows(data: bytes, rng: Random) -> bytes:
    """Lines left out, written twice, or in another order."""
    rows = data.split(b"\n")
    first, second = rng.randrange(len(rows)), rng.randrange(len(rows))
    how = rng.randrange(4)
    if how == 0:
        del rows[first]
    elif how == 1:
        rows.insert(second, rows[first])
    elif how == 2:
        rows[first], rows[second] = rows[second], rows[first]
    else:
        rng.shuffle(rows)
    return b"\n".join(rows)


def _split(data: bytes, rng: Random) -> bytes:
    """A line feed inside a record."""
    start = _at(data, rng)
    return data[:start] + b"\n" + data[start:]


def _long_line(data: bytes, rng: Random) -> bytes:
    ends = [0, *(place + 1 for place, byte in enumerate(data) if byte == 10)]
    start = rng.choice(ends)
    filling = rng.choice((b"x" * _LONG, b'{"type": "long", "text": "' + b"y" * _LONG + b'"}', b'{"a":' * (_LONG // 5)))
    return data[:start] + filling + b"\n" + data[start:]


_USUAL: tuple[Mutator, ...] = (
    _cut,
    _behead,
    _flip,
    _flip,
    _zero,
    _drop,
    _repeat,
    _insert,
    _insert,
    _glue,
    _glue_torn,
    _rows,
    _rows,
    _split,
)
_SHARE_OF_LONG = 0.02


def damaged(data: bytes, rng: Random) -> bytes:
    """The bytes with one damage, now and then with more."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        data = (_long_line if rng.random() < _SHARE_OF_LONG else rng.choice(_USUAL))(data, rng)
    return data
