"""Selects entries of a registry by words: `tier:task state:standby ttl:until read.py`. Pure; no knowledge of calls.

A word matches an entry that has it in any field; `field:value` one that has the value in that field. Case is ignored,
every word has to match.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from ravenglass.errors import FilterError
from ravenglass.hub.item import State
from ravenglass.hub.registry.entry import RegistryEntry

FIELDS = tuple(f.name for f in fields(RegistryEntry))
"""Every field of an entry, in its order."""

_SHORT = {"id": "context_id", "address": "context_id"}
"""What fields are called for short."""


def shown(entry: RegistryEntry, name: str) -> str:
    """A field in words; empty where it is None."""
    value = getattr(entry, name)
    if isinstance(value, State):
        return value.label
    return "" if value is None else str(value)


def select(entries: Iterable[RegistryEntry], text: str) -> list[RegistryEntry]:
    """The entries that match, in their order. Raises FilterError where a word names no field."""
    terms = [_term(word) for word in text.casefold().split()]
    return [entry for entry in entries if all(_matches(entry, *term) for term in terms)]


def _term(word: str) -> tuple[str, str]:
    """(field, value); the field is empty where any will do."""
    name, colon, value = word.partition(":")
    if not colon or value.startswith("//"):
        return "", word
    field = _SHORT.get(name, name)
    if field not in FIELDS:
        known = ", ".join((*_SHORT, *FIELDS))
        raise FilterError(f"{name!r} is no field of the registry; there are {known}.")
    return field, value


def _matches(entry: RegistryEntry, name: str, value: str) -> bool:
    if name:
        return value in shown(entry, name).casefold()
    return any(value in shown(entry, field).casefold() for field in FIELDS)
