"""Backslashes in JSON strings that begin no escape (`C:\\Users`, `\\d+`, `\\u12`): each costs itself, not its record.

Such a backslash is exchanged for one character that no decoded text can hold, so that every place in the text stays
where it was; once decoded, it is the backslash again that the writer meant.
"""

from __future__ import annotations

import re

from ravenglass.sessions.records.values import changed

BACKSLASH = "\udc5c"
"""Stands for a backslash: the escaped byte 0x5C, which is valid UTF-8 and so never comes from escaping."""

_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')


def without_invalid(text: str) -> tuple[str, int]:
    """The text with every backslash that begins no escape exchanged, and how many there are. Same length."""
    if "\\" not in text:
        return text, 0
    count = 0

    def _exchanged(found: re.Match[str]) -> str:
        nonlocal count
        if len(found[0]) > 1:
            return found[0]
        count += 1
        return BACKSLASH

    return _ESCAPE.sub(_exchanged, text), count


def restored(value: object) -> object:
    """A decoded value with its backslashes in place."""
    return changed(value, lambda words: words.replace(BACKSLASH, "\\"))
