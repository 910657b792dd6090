"""Which records a damaged file still holds whole, told by code of its own: nothing is shared with the importers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_DEPTH = 5
"""Levels of a document down to which arrays are looked for."""

Place = tuple[int, int]
"""First byte and the byte behind the last."""


def whole_lines(data: bytes) -> list[Place]:
    """Where the lines stand that are JSON and nothing else."""
    found: list[Place] = []
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    for row in data[start:].split(b"\n"):
        inner = row.removesuffix(b"\r")
        if inner and is_json(inner):
            found.append((start, start + len(inner)))
        start += len(row) + 1
    return found


def is_json(data: bytes) -> bool:
    """Whether the bytes are one JSON value that nothing is wrong with."""
    return _value(data) is not None


def _value(data: bytes) -> tuple[Any] | None:
    try:
        return (json.loads(data.decode("utf-8")),)
    except (ValueError, RecursionError):
        return None


@dataclass(frozen=True)
class Element:
    """An element of an array of a document. `path` leads to the array, `*` stands for any index in between."""

    path: tuple[str, ...]
    place: Place
    text: str
    """Equal for equal values, however they are written."""


def elements(data: bytes) -> list[Element]:
    """The objects in every array of a document, down to some depth; none where it is no JSON."""
    if not is_json(data):
        return []
    try:
        return list(_elements(_Walk(data.decode("utf-8")), (), 0, _DEPTH))
    except (ValueError, RecursionError):
        return []


class _Walk:
    """A text, and the byte offsets of its characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._offsets: list[int] | None = None
        if not text.isascii():
            at, self._offsets = 0, []
            for character in text:
                self._offsets.append(at)
                at += len(character.encode())
            self._offsets.append(at)

    def byte(self, position: int) -> int:
        return position if self._offsets is None else self._offsets[position]

    def skip(self, position: int) -> int:
        found = _SPACE.match(self.text, position)
        return position if found is None else found.end()


def _elements(walk: _Walk, path: tuple[str, ...], position: int, depth: int) -> Iterator[Element]:
    position = walk.skip(position)
    opening = walk.text[position]
    if depth == 0 or opening not in "[{":
        return
    position = walk.skip(position + 1)
    members: dict[str, int] = {}
    while walk.text[position] not in "]}":
        if opening == "{":
            key, position = _DECODER.raw_decode(walk.text, position)
            position = walk.skip(walk.skip(position) + 1)
            members[key] = position
        value, end = _DECODER.raw_decode(walk.text, position)
        if opening == "[":
            if isinstance(value, dict) and value:
                yield Element(path, (walk.byte(position), walk.byte(end)), json.dumps(value, sort_keys=True))
            yield from _elements(walk, (*path, "*"), position, depth - 1)
        position = walk.skip(end)
        if walk.text[position] == ",":
            position = walk.skip(position + 1)
    # Of equal keys the last one counts.
    for key, start in members.items():
        yield from _elements(walk, (*path, key), start, depth - 1)
