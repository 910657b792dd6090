"""The parts of a parsed filter: each tests a row and writes itself back as filter text.

Nodes are values: two filters that mean the same terms in the same order are equal.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache
from typing import ClassVar, Literal, Protocol


class FilterRow(Protocol):
    """What a filter can ask of a manifest row. All texts but `tool` are lower case."""

    @property
    def id(self) -> int: ...
    @property
    def call(self) -> int: ...
    @property
    def turn(self) -> int: ...
    @property
    def role(self) -> str: ...
    @property
    def tier(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def score(self) -> float | None: ...
    @property
    def flags(self) -> frozenset[str]: ...
    @property
    def tool(self) -> str: ...
    def text(self) -> str:
        """The message's text, lower-cased; asked for only when no cheaper term has decided."""
        ...


ChoiceKey = Literal["tier", "state", "role"]
NumberKey = Literal["tokens", "score", "turn", "call", "id"]
Relation = Literal["=", ">", ">=", "<", "<="]


@dataclass(frozen=True, slots=True)
class Choice:
    """`tier:task,session`: the row's value is one of `values`."""

    cost: ClassVar[int] = 0
    key: ChoiceKey
    values: tuple[str, ...]

    def matches(self, row: FilterRow) -> bool:
        match self.key:
            case "tier":
                return row.tier in self.values
            case "state":
                return row.state in self.values
            case "role":
                return row.role in self.values

    def __str__(self) -> str:
        return f"{self.key}:{','.join(self.values)}"


@dataclass(frozen=True, slots=True)
class Flagged:
    """`flag:pinned,protected`: the row carries at least one of `values`."""

    cost: ClassVar[int] = 0
    values: tuple[str, ...]

    def matches(self, row: FilterRow) -> bool:
        return not row.flags.isdisjoint(self.values)

    def __str__(self) -> str:
        return f"flag:{','.join(self.values)}"


@dataclass(frozen=True, slots=True)
class ToolNode:
    """`tool:Read,mcp__*`: the row's tool matches one of the globs, whatever the case."""

    cost: ClassVar[int] = 1
    globs: tuple[str, ...]

    def matches(self, row: FilterRow) -> bool:
        tool = row.tool.lower()
        return any(_glob(pattern).match(tool) for pattern in self.globs)

    def __str__(self) -> str:
        return f"tool:{','.join(map(_quote, self.globs))}"


@dataclass(frozen=True, slots=True)
class RangeNode:
    """`turn:10..20` or `id:17`: the number lies in one of the closed ranges; an open end is infinite."""

    cost: ClassVar[int] = 0
    key: NumberKey
    ranges: tuple[tuple[float, float], ...]

    def matches(self, row: FilterRow) -> bool:
        value = _number(row, self.key)
        return value is not None and any(low <= value <= high for low, high in self.ranges)

    def __str__(self) -> str:
        return f"{self.key}:{','.join(_write_range(low, high) for low, high in self.ranges)}"


@dataclass(frozen=True, slots=True)
class Compare:
    """`tokens>500`."""

    cost: ClassVar[int] = 0
    key: NumberKey
    relation: Relation
    value: float

    def matches(self, row: FilterRow) -> bool:
        value = _number(row, self.key)
        if value is None:
            return False
        match self.relation:
            case "=":
                return value == self.value
            case ">":
                return value > self.value
            case ">=":
                return value >= self.value
            case "<":
                return value < self.value
            case "<=":
                return value <= self.value

    def __str__(self) -> str:
        return f"{self.key}{self.relation}{_write_number(self.value)}"


@dataclass(frozen=True, slots=True)
class Text:
    """`"quota"` or a bare word: the message holds the text. `needle` is lower case."""

    cost: ClassVar[int] = 2
    needle: str

    def matches(self, row: FilterRow) -> bool:
        return self.needle in row.text()

    def __str__(self) -> str:
        return _quote(self.needle)


@dataclass(frozen=True, slots=True)
class Not:
    """`-term` or `not term`."""

    part: Node

    @property
    def cost(self) -> int:
        return self.part.cost

    def matches(self, row: FilterRow) -> bool:
        return not self.part.matches(row)

    def __str__(self) -> str:
        return f"-{_inside(self.part)}"


@dataclass(frozen=True, slots=True)
class And:
    """Terms side by side; at least two. `parts` keep the order in which they were written."""

    parts: tuple[Node, ...]
    cost: int = field(init=False, repr=False, compare=False)
    ordered: tuple[Node, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _order(self)

    def matches(self, row: FilterRow) -> bool:
        return all(part.matches(row) for part in self.ordered)

    def __str__(self) -> str:
        return " ".join(map(_inside, self.parts))


@dataclass(frozen=True, slots=True)
class Or:
    """Alternatives; at least two."""

    parts: tuple[Node, ...]
    cost: int = field(init=False, repr=False, compare=False)
    ordered: tuple[Node, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _order(self)

    def matches(self, row: FilterRow) -> bool:
        return any(part.matches(row) for part in self.ordered)

    def __str__(self) -> str:
        return " or ".join(map(_inside, self.parts))


Node = Choice | Flagged | ToolNode | RangeNode | Compare | Text | Not | And | Or


def _order(node: And | Or) -> None:
    """Puts the cheapest parts first: text is fetched only when nothing cheaper has decided."""
    ordered = tuple(sorted(node.parts, key=lambda part: part.cost))
    object.__setattr__(node, "ordered", ordered)
    object.__setattr__(node, "cost", ordered[-1].cost)


@lru_cache(maxsize=256)
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern.lower()))


def _number(row: FilterRow, key: NumberKey) -> float | None:
    match key:
        case "tokens":
            return row.tokens
        case "score":
            return row.score
        case "turn":
            return row.turn
        case "call":
            return row.call
        case "id":
            return row.id


def _inside(part: Node) -> str:
    return f"({part})" if isinstance(part, And | Or) else str(part)


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _write_range(low: float, high: float) -> str:
    if low == high:
        return _write_number(low)
    return f"{_write_number(low)}..{_write_number(high)}"


def _write_number(value: float) -> str:
    if math.isinf(value):
        return ""
    return repr(value).removesuffix(".0")
