"""The place in a text that shows why it was found."""

from __future__ import annotations

import re
from functools import lru_cache

_BEFORE = 4
"""One part of so many of a snippet stands before the match."""
_SPACE = 4
"""So many characters are looked at for one that is shown: runs of white space become one blank."""


def around(text: str, pieces: tuple[str, ...], limit: int) -> str:
    """At most `limit` characters of the text on one line, around the first place that any piece stands at.

    Where none stands literally (another spelling, the parts of an identifier), around the first of their
    words, else from the start.
    """
    found = next((hit for pattern in _patterns(pieces) if (hit := pattern.search(text))), None)
    start = max(0, found.start() - limit // _BEFORE) if found else 0
    stop = start + limit * _SPACE
    line = ("…" if start else "") + " ".join(text[start:stop].split())
    if len(line) <= limit and stop >= len(text):
        return line
    return line[: limit - 1].rstrip() + "…"


@lru_cache(maxsize=64)
def _patterns(pieces: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """What to look for, most telling first."""
    parts = [part for piece in pieces for part in re.findall(r"[^\W_]+", piece)]
    return tuple(
        re.compile("|".join(re.escape(word) for word in sorted(set(words), key=lambda word: (-len(word), word))), re.I)
        for words in (pieces, parts)
        if words
    )
