"""Changes a person makes at a call: they make a branch (a new run), the record itself is never touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChangeKind = Literal["pin", "unpin", "archive", "retrieve", "relevance"]


@dataclass(frozen=True, slots=True)
class HandChange:
    """From `call` on, `kind` holds for the group of `message`. `value` is the relevance, 0..1, for `relevance`."""

    call: int
    kind: ChangeKind
    message: int
    value: float | None = None
