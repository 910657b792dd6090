"""Where a workspace keeps what its engine wrote, and how a session's key becomes the name of a file in it."""

from __future__ import annotations

import re
from pathlib import Path

from ravenglass.safe.names import key_name

CURATOR = Path("memory", ".curator")
"""The curator's folder below the workspace."""

_UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\ud800-\udfff]')
_NAME_CHARS = 60


def names_of(key: str) -> tuple[str, ...]:
    """The names, without suffix, that what belongs to a session key may have: the one that is written, then that of
    the reference implementation and of earlier versions, which other keys may have too."""
    earlier = _UNSAFE.sub("_", key).strip(". ")[:_NAME_CHARS] or "session"
    return tuple(dict.fromkeys((key_name(key), earlier)))
