"""Attribute values of OpenTelemetry's JSON encoding as plain values."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.importing.located import Located
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import mapping, sequence, text

_DEEPEST = 40
"""Levels of a nested value that are read."""


def any_value(value: object, depth: int = 0) -> object:
    """The plain value of an AnyValue; a value that is none stays as it is."""
    found = mapping(value)
    if len(found) != 1 or depth > _DEEPEST:
        return value
    ((key, inner),) = found.items()
    kind = key.replace("_", "").lower()
    if kind == "intvalue":
        try:
            return int(inner)
        except (TypeError, ValueError, OverflowError):
            return inner
    if kind in ("stringvalue", "doublevalue", "boolvalue", "bytesvalue"):
        return inner
    if kind == "arrayvalue":
        return [any_value(item, depth + 1) for item in sequence(mapping(inner).get("values"))]
    if kind == "kvlistvalue":
        return _pairs(mapping(inner).get("values"), depth + 1)
    return value


def attributes(value: object) -> dict[str, Any]:
    """Attributes, a list of keys and values or (as some exporters write them) an object."""
    return dict(value) if isinstance(value, dict) else _pairs(value, 0)


def structured(value: object) -> object:
    """A value that instrumentations write either as it is or as JSON text."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return decode_value(value.encode("utf-8", "replace"))
        except ValueError:
            return value
    return value


def places(span: Located, key: str, size: int) -> list[Located]:
    """Where the elements of an attribute stand: each on its own if it is structured, else all at the attribute."""
    given = span.get("attributes")
    for item in given.items() if given is not None else []:
        if item.object.get("key") == key:
            value = item.get("value")
            array = value.get("arrayValue") if value is not None else None
            elements = array.elements("values") if array is not None else []
            return elements if len(elements) == size else [item] * size
    direct = given.get(key) if given is not None else None
    return [direct or span] * size


def _pairs(value: object, depth: int) -> dict[str, Any]:
    pairs = (mapping(item) for item in sequence(value))
    return {text(pair.get("key")): any_value(pair.get("value"), depth) for pair in pairs if text(pair.get("key"))}
