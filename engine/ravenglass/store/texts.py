"""Texts and paths as SQLite can keep them: it takes UTF-8 only, which not all of them are."""

from __future__ import annotations

import os
from pathlib import Path

_RAW = "bytes:"
"""Begins a path that is not UTF-8; no absolute path begins so."""


def storable(text: str) -> str:
    """`text` with `?` for lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def path_text(path: Path) -> str:
    """The absolute path as text, its inverse `text_path`. File names that are no UTF-8 go in hexadecimal."""
    text = str(path.absolute())
    try:
        text.encode()
    except UnicodeEncodeError:
        return _RAW + os.fsencode(text).hex()
    return text


def text_path(text: str) -> Path:
    """The path that `path_text` wrote."""
    if text.startswith(_RAW):
        return Path(os.fsdecode(bytes.fromhex(text.removeprefix(_RAW))))
    return Path(text)
