"""Typed access to decoded JSON, whose containers may be null, missing or of another type than expected."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_FILE_NAME = re.compile(r"[^/\\\x00-\x1f]+")
_LONGEST_NAME = 240
"""Bytes; file systems take 255, with an ending."""
_MOST = 10**15
"""No count is larger; what is, is damage, and would not fit a float."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def mapping(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    """The value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def listed(value: object) -> list[Any]:
    """A content as the list that it is, or stands for: one value is a list of one, null an empty one."""
    return value if isinstance(value, list) else [] if value is None else [value]


def text(value: object) -> str:
    """The value if it is a string, else the empty string."""
    return value if isinstance(value, str) else ""


def text_or_none(value: object) -> str | None:
    """The value if it is a string with something in it, else None."""
    return value if isinstance(value, str) and value else None


def count(value: object) -> int | None:
    """The value as a number of tokens or bytes; None unless it is a whole number that a writer can have counted."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _MOST else None


def dump(value: object) -> str:
    """JSON text of a decoded value, non-ASCII characters as they are. What is nested too deeply is named, not shown."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return '"a value that is nested too deeply"'


def clean(value: object) -> object:
    """The value with every lone surrogate replaced by U+FFFD, in keys too: it can be encoded again."""
    return changed(value, lambda words: _SURROGATE.sub("\ufffd", words))


def changed(value: object, change: Callable[[str], str]) -> object:
    """The value with every string in it, keys too, as `change` makes it."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [changed(item, change) for item in value]
    if isinstance(value, dict):
        return {change(key): changed(item, change) for key, item in value.items()}
    return value


def is_file_name(value: str) -> bool:
    """Whether an id may be the name of a folder or file that its writer made: of one piece, and not too long."""
    return _FILE_NAME.fullmatch(value) is not None and value.strip(".") != "" and len(value.encode()) < _LONGEST_NAME


def kind_of(value: object) -> str:
    """What a decoded value is, in words for a message to the user."""
    if isinstance(value, dict):
        keys = ", ".join(str(key) for key in list(value)[:6])
        more = ", ..." if len(value) > 6 else ""
        return f"an object with the keys {keys}{more}" if value else "an empty object"
    if isinstance(value, list):
        return f"an array of {len(value):,} values"
    if isinstance(value, str):
        return "a string"
    return "null" if value is None else "true or false" if isinstance(value, bool) else "a number"
