"""Where a workspace keeps what its engine wrote, and how a session's key becomes the name of a file in it."""

from __future__ import annotations

import re
from pathlib import Path

CURATOR = Path("memory", ".curator")
"""The curator's folder below the workspace."""

_UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\ud800-\udfff]')
_NAME_CHARS = 60
"""Most characters of a key in a file name; each takes at most four bytes, and names may have 255."""


def file_name(key: str) -> str:
    """A session key as a file name, without suffix."""
    return _UNSAFE.sub("_", key).strip(". ")[:_NAME_CHARS] or "session"
