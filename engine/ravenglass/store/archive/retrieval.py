"""What a retrieval brings back: as much of the records as its cap allows, and an honest word on the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ravenglass.curator.archive import RetrieveMode
from ravenglass.profile import Profile
from ravenglass.store.archive.reading import RecordFault, StoredRecord
from ravenglass.store.archive.text import body, head, snippet

_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What came back from an archive on disk."""

    ref: str
    text: str
    records: tuple[StoredRecord, ...]
    """The records that `text` shows, each complete, also one that the cap cut."""
    tokens: int
    """Tokens of `text`, at most the cap."""
    truncated: bool
    """True exactly when something that the reference names is not in `text`: words or records past the cap,
    words past a snippet's length, damaged records."""
    faults: tuple[RecordFault, ...] = ()
    """Damaged records met on the way; `text` names them too."""

    @property
    def raw(self) -> tuple[bytes, ...]:
        """Verbatim source records, complete, one a message."""
        return tuple(record.raw for record in self.records)

    @property
    def digests(self) -> tuple[str, ...]:
        """SHA-256 of `raw`, hexadecimal."""
        return tuple(record.digest for record in self.records)


class Retriever:
    """Turns records into a retrieval under a profile's lengths and a token table's `count`."""

    def __init__(self, profile: Profile, count: Callable[[str], int]) -> None:
        self._profile = profile
        self._count = count

    def bring(
        self, ref: str, found: Iterable[StoredRecord | RecordFault], mode: RetrieveMode, max_tokens: int | None
    ) -> Retrieval:
        """The retrieval. `max_tokens` None: the profile's cap; 0: no cap. Reading stops where the cap is met."""
        cap = self._profile.retrieve_tokens if max_tokens is None else max_tokens
        pieces: list[str] = []
        records: list[StoredRecord] = []
        faults: list[RecordFault] = []
        used, truncated = 0, False
        for item in found:
            piece, left_out = self._piece(item, mode)
            between = _BETWEEN if pieces else ""
            cost = self._count(between + piece)
            full = bool(cap) and used + cost > cap
            if full:
                piece = head(piece, cap - used - self._count(between), self._count)
            truncated |= left_out or full
            if piece:
                pieces += [between, piece]
                used += cost
                if isinstance(item, StoredRecord):
                    records.append(item)
            if isinstance(item, RecordFault):
                faults.append(item)
            if full:
                break
        text = "".join(pieces)
        if cap and self._count(text) > cap:  # tokens of a whole may be a few more than those of its pieces
            text, truncated = head(text, cap, self._count), True
        return Retrieval(ref, text, tuple(records), self._count(text), truncated, tuple(faults))

    def _piece(self, item: StoredRecord | RecordFault, mode: RetrieveMode) -> tuple[str, bool]:
        """The text of a record and whether it lacks something."""
        if isinstance(item, RecordFault):
            return f"[{item}]", True
        whole = body(item.message, item.id, item.raw)
        return snippet(whole, self._profile.snippet_chars) if mode == "snippet" else (whole, False)
