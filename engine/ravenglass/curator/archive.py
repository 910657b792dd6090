"""What the curator needs of an archive. The replay's virtual archive and the one on disk both have it."""

from __future__ import annotations

import re
from typing import Literal, Protocol

RetrieveMode = Literal["snippet", "exact"]
_NUMBER = re.compile(r"\s*#([0-9]{1,9})\s*")


def message_number(ref: str) -> int | None:
    """The message that a reference like `#12` names, as summaries and searches write it; None for any other."""
    found = _NUMBER.fullmatch(ref)
    return int(found[1]) if found else None


class Brought(Protocol):
    """What came back."""

    @property
    def text(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def truncated(self) -> bool: ...


class Archive(Protocol):
    """Lossless, verbatim eviction with a reference."""

    def ref(self, group: int) -> str:
        """The reference a group has or would get."""
        ...

    def retrieve(self, ref: str, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Brought:
        """Bring back what a reference holds; `#12` is the whole group of message 12. Raises ArchiveError where it
        does not resolve."""
        ...
