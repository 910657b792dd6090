"""One term of a filter, from its text to its node: the key, how it is compared, and its values."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import cast

from ravenglass.errors import FilterError
from ravenglass.replay.filter.keys import FILTER_KEYS, FilterKey, KeyKind
from ravenglass.replay.filter.nodes import (
    Choice,
    ChoiceKey,
    Compare,
    Flagged,
    Node,
    NumberKey,
    RangeNode,
    Relation,
    Text,
    ToolNode,
)

QUOTED = r'"(?:[^"\\]|\\.)*"'
"""A quoted text; only a backslash before a quote or a backslash is an escape."""

_ITEM = re.compile(rf'({QUOTED})|([^",]+)|(,)|(")', re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\])')
_NUMBER = re.compile(r"([0-9]{1,15}(?:_[0-9]{1,15}){0,4}(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?)([kK]?)")
_RANGE = re.compile(r"(.*?)\.\.(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FilterTerm:
    """One value of a term, unquoted, and where it starts in the filter's text."""

    text: str
    position: int


def unquote(quoted: str) -> str:
    """The text of a quotation, without its quotes."""
    return _ESCAPE.sub(r"\1", quoted[1:-1])


def parse_text(text: str, position: int) -> Node:
    """A search for `text`. Raises FilterError if it is empty."""
    if not text:
        raise FilterError("An empty text is in every message; leave it out.", position=position)
    return Text(text.lower())


def parse_term(name: str, relation: str, value: str, position: int) -> Node:
    """The node of `name` `relation` `value`, standing at `position`. Raises FilterError."""
    key = FILTER_KEYS.get(name.lower())
    if key is None:
        raise FilterError(_unknown_key(name, relation, value), position=position)
    start = position + len(name) + len(relation)
    items = _items(value, start)
    if not items:
        raise FilterError(f'"{name}{relation}" needs a value after it, such as {key.example}.', position=start)
    if key.kind is KeyKind.NUMBER:
        return _numeric(key, relation, items)
    if relation not in (":", "="):
        raise FilterError(
            f'"{key.name}" has no order to compare; it is written with a colon, such as {key.example}.',
            position=position + len(name),
        )
    if key.kind is KeyKind.GLOB:
        return ToolNode(tuple(item.text for item in items))
    values = tuple(_choice(key, item) for item in items)
    return Flagged(values) if key.name == "flag" else Choice(cast(ChoiceKey, key.name), values)


def _items(value: str, start: int) -> list[FilterTerm]:
    items: list[FilterTerm] = []
    expected = bool(value)
    for found in _ITEM.finditer(value):
        quoted, bare, comma, stray = found.groups()
        position = start + found.start()
        if stray:
            raise FilterError("This quotation is not closed.", position=position)
        if comma:
            if expected:
                raise FilterError("A value is missing before this comma.", position=position)
            expected = True
            continue
        if not expected:
            raise FilterError("A comma is missing between two values.", position=position)
        text = unquote(quoted) if quoted else bare
        if not text:
            raise FilterError("A value is empty.", position=position)
        items.append(FilterTerm(text, position))
        expected = False
    if expected:
        raise FilterError("A value is missing after this comma.", position=start + len(value) - 1)
    return items


def _choice(key: FilterKey, item: FilterTerm) -> str:
    value = item.text.lower()
    if value not in key.values:
        raise FilterError(
            f'"{item.text}" is no value of "{key.name}"; {_suggestion(value, key.values)}'
            f"the values are {', '.join(key.values)}.",
            position=item.position,
        )
    return value


def _numeric(key: FilterKey, relation: str, items: list[FilterTerm]) -> Node:
    name = cast(NumberKey, key.name)
    if relation == ":":
        return RangeNode(name, tuple(_range(item) for item in items))
    if len(items) > 1:
        raise FilterError(
            f'"{relation}" compares with one number; several are written {key.name}:1,2,3.',
            position=items[1].position,
        )
    return Compare(name, cast(Relation, relation), _number(items[0]))


def _range(item: FilterTerm) -> tuple[float, float]:
    found = _RANGE.fullmatch(item.text)
    if found is None:
        value = _number(item)
        return (value, value)
    low_text, high_text = found.groups()
    if not low_text and not high_text:
        raise FilterError(
            "A range needs a number on one side at least, such as 10..20 or 10.. .", position=item.position
        )
    low = _number(FilterTerm(low_text, item.position)) if low_text else -math.inf
    high_position = item.position + len(low_text) + 2
    high = _number(FilterTerm(high_text, high_position)) if high_text else math.inf
    if low > high:
        raise FilterError(
            f"The range {item.text} runs backwards; write {high_text}..{low_text}.", position=item.position
        )
    return (low, high)


def _number(item: FilterTerm) -> float:
    found = _NUMBER.fullmatch(item.text)
    value = float(found[1]) * (1_000 if found[2] else 1) if found else math.nan
    if not math.isfinite(value):
        raise FilterError(f'"{item.text}" is no number; write digits, such as 500, 0.4 or 2k.', position=item.position)
    return value


def _unknown_key(name: str, relation: str, value: str) -> str:
    return (
        f'"{name}" is no key of a filter; {_suggestion(name.lower(), tuple(FILTER_KEYS))}'
        f"the keys are {', '.join(FILTER_KEYS)}. "
        f'To look for "{name}{relation}{value}" in the text, put it in quotes.'
    )


def _suggestion(word: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(word[:40], known, n=1)
    return f'did you mean "{close[0]}"? Else ' if close else ""
