"""One use of one file by a tool call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SYMBOL = "symbol="
"""How the part of a read begins that shows one symbol of its file."""

Op = Literal["read", "write", "edit", "none"]
"""`write` shows the whole new content, in the call; `edit` is every other change: what it shows is no file content."""


@dataclass(frozen=True, slots=True)
class FileUse:
    """One tool call's use of a file. `part` names the range of a partial read; empty: the whole file."""

    op: Op
    path: str
    part: str = ""
    how: str = ""
    """What was done, in the past tense, where the op does not say it: removed, moved, restored."""
