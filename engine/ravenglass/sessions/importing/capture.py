"""A captured request and its answer, however a proxy or a gateway wrote them: bodies as JSON or as text, answers also
as the events of a stream. Knows no format."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.importing.located import Located
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import mapping, sequence

_BODIES = ("body", "body_raw", "content", "json", "data")
"""Keys under which a capture keeps the body of a request or an answer."""


def parsed(value: object) -> object:
    """A JSON text as the value it holds; anything else as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return decode_value(value.encode("utf-8", "replace"))
    except ValueError:
        return value


def bodies(value: object) -> list[object]:
    """What may be the body of a request or answer: the value itself and what it keeps under the usual keys."""
    whole = parsed(value)
    return [whole, *(parsed(mapping(whole)[key]) for key in _BODIES if key in mapping(whole))]


def placed_bodies(found: Located | None) -> list[Located]:
    """Like `bodies`, each with the bytes it stands at."""
    if found is None:
        return []
    whole = found if not isinstance(found.value, str) else Located(parsed(found.value), found.member, found.place)
    inner = [whole.get(key) for key in _BODIES]
    return [whole, *(Located(parsed(item.value), item.member, item.place) for item in inner if item is not None)]


def events_of(value: object) -> list[dict[str, Any]]:
    """The events of a streamed answer: a text of server-sent events or JSON lines, or a list of either. Else empty."""
    if isinstance(value, str):
        pieces: list[object] = list(value.replace("\r\n", "\n").split("\n"))
    else:
        pieces = sequence(value)
    found = [mapping(_event(piece)) for piece in pieces]
    return [event for event in found if event]


def _event(piece: object) -> object:
    if not isinstance(piece, str):
        inner = mapping(piece)
        return parsed(inner["data"]) if isinstance(inner.get("data"), str) else piece
    words = piece.strip()
    return parsed(words[5:].strip() if words.startswith("data:") else words)
