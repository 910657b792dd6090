"""What the curator needs of an archive. The replay's virtual archive and the one on disk both have it."""

from __future__ import annotations

from typing import Literal, Protocol

RetrieveMode = Literal["snippet", "exact"]


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
        """Bring back what a reference holds. Raises ArchiveError where it does not resolve."""
        ...
