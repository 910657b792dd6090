"""Where the members of a JSON array or object stand: exact byte ranges, also in a document that is cut."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from ravenglass.sessions.records.decode import decode_value

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[{}\[\],:]', re.DOTALL)
"""A string counts as one up to the cut of a cut document, or the brackets in it would count."""
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_BLANK = b" \t\r\n\x00"
_SPACE_BYTE = 0x20
_SPACE = re.compile(rb"[ \t\r\n\x00]*")
"""NUL bytes are damage that the reader names; here they are blanks."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a container: bytes `start` up to `stop`. `key` is None in an array."""

    key: str | None
    start: int
    stop: int
    complete: bool = True
    """False for the last member of a cut document, which reaches up to the cut."""


def members(data: bytes, start: int = 0, stop: int | None = None) -> list[Member]:
    """The members of the array or object that begins at the first non-blank byte from `start` on.

    Ranges exclude blanks. An empty list for anything that is no container. Linear in the bytes scanned.
    """
    end = len(data) if stop is None else stop
    start = _skip(data, start, end)
    if data[start : start + 1] not in (b"[", b"{"):
        return []
    return _walk(data, start, end) or _scan(data, start, end)


def member(data: bytes, key: str, start: int = 0, stop: int | None = None) -> Member | None:
    """The object's member of that name, the last if there are several, as decoders have it."""
    return next((item for item in reversed(members(data, start, stop)) if item.key == key), None)


def _walk(data: bytes, start: int, stop: int) -> list[Member]:
    """Fast way for a valid document: the decoder gives the members' lengths. Empty if that does not work."""
    body = data if start == 0 and stop == len(data) else data[start:stop]
    shift = start if body is not data else 0
    try:
        if body[:1] == b"[":
            return _walk_array(body, msgspec.json.decode(body, type=list[msgspec.Raw]), shift)
        return _walk_object(body, msgspec.json.decode(body, type=dict[str, msgspec.Raw]), shift)
    except (msgspec.DecodeError, RecursionError):
        return []


def _walk_array(body: bytes, values: list[msgspec.Raw], shift: int) -> list[Member]:
    found: list[Member] = []
    at = 1
    for value in values:
        at = _skip(body, at, len(body))
        size = len(memoryview(value))
        found.append(Member(None, shift + at, shift + at + size))
        at = _skip(body, at + size, len(body)) + 1
    return found


def _walk_object(body: bytes, values: dict[str, msgspec.Raw], shift: int) -> list[Member]:
    found: list[Member] = []
    at = 1
    for key, value in values.items():
        name = _STRING.match(body, _skip(body, at, len(body)))
        if name is None:
            return []
        at = _skip(body, _skip(body, name.end(), len(body)) + 1, len(body))
        size = len(memoryview(value))
        if bytes(value) != body[at : at + size]:
            return []  # a key occurs twice: the slow way tells the two apart
        found.append(Member(key, shift + at, shift + at + size))
        at = _skip(body, at + size, len(body)) + 1
    return found if body[at - 1 : at] == b"}" else []


def _scan(data: bytes, start: int, stop: int) -> list[Member]:
    """Slow way, token by token, for documents that do not decode."""
    found: list[Member] = []
    keyed = data[start : start + 1] == b"{"
    key: str | None = None
    begin, depth = start + 1, 1
    for token in _TOKEN.finditer(data, start + 1, stop):
        mark = token.group()[:1]
        if mark in b"{[":
            depth += 1
        elif mark in b"}]":
            depth -= 1
        if depth == 0 or (depth == 1 and mark == b","):
            _add(found, data, key, begin, token.start(), keyed=keyed, complete=True)
            key, begin = None, token.end()
        elif depth == 1 and mark == b":" and keyed and key is None:
            key, begin = _key(data[begin : token.start()]), token.end()
        if depth == 0:
            return found
    _add(found, data, key, begin, stop, keyed=keyed, complete=False)
    return found


def _add(
    found: list[Member], data: bytes, key: str | None, start: int, stop: int, *, keyed: bool, complete: bool
) -> None:
    start = _skip(data, start, stop)
    while stop > start and data[stop - 1] in _BLANK:
        stop -= 1
    if start < stop and (key is not None or not keyed):
        found.append(Member(key, start, stop, complete))


def _key(data: bytes) -> str | None:
    try:
        value = decode_value(data.strip())
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _skip(data: bytes, start: int, stop: int) -> int:
    if start < stop and data[start] > _SPACE_BYTE:
        return start  # the usual case, and much the faster one
    match = _SPACE.match(data, start, stop)
    return match.end() if match else start
