"""The keys of the filter language: what each compares, its help and its values, for errors and completion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from ravenglass.rules import TIERS


class KeyKind(Enum):
    """How a key's values are written and compared."""

    CHOICE = "one of a fixed list of values"
    GLOB = "a name, `*` stands for any characters"
    NUMBER = "a number or a range such as 10..20"


@dataclass(frozen=True, slots=True)
class FilterKey:
    """One key. `values` is the closed list of a CHOICE key and empty for the others."""

    name: str
    kind: KeyKind
    help: str
    example: str
    values: tuple[str, ...] = ()


FLAGS = (
    "protected",
    "pinned",
    "archived",
    "included",
    "changed",
    "expired",
    "stub",
    "updated",
    "orphan",
    "unanswered",
    "error",
)
STATES = ("registered", "active", "standby", "expired", "archived")
ROLES = ("system", "developer", "user", "assistant", "tool")

_KEYS = (
    FilterKey("tier", KeyKind.CHOICE, "Tier of the message's group.", "tier:task,session", tuple(TIERS)),
    FilterKey("state", KeyKind.CHOICE, "State of the message's group.", "state:standby", STATES),
    FilterKey("role", KeyKind.CHOICE, "Role of the message; `tool` is a tool result.", "role:tool", ROLES),
    FilterKey("flag", KeyKind.CHOICE, "Flag that the message carries at this call.", "flag:pinned", FLAGS),
    FilterKey("tool", KeyKind.GLOB, "Name of the tool that was called or answered.", "tool:Read"),
    FilterKey("tokens", KeyKind.NUMBER, "Size of the message in tokens.", "tokens>500"),
    FilterKey("score", KeyKind.NUMBER, "Score, 0 to 1; a message without one matches no comparison.", "score<0.4"),
    FilterKey("turn", KeyKind.NUMBER, "Turn that the message belongs to.", "turn:10..20"),
    FilterKey("call", KeyKind.NUMBER, "First call that can see the message.", "call:10..20"),
    FilterKey("id", KeyKind.NUMBER, "Id of the message.", "id:17"),
)

FILTER_KEYS: Mapping[str, FilterKey] = MappingProxyType({key.name: key for key in _KEYS})
"""Every key by its name, in the order in which completion offers them."""
