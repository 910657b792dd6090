"""The tree that the records of a Claude Code thread form: which record follows which, and whose message each holds.

Order is file order everywhere else; the tree only tells rewound branches and what a resumed session found.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

NOBODY = -1


@dataclass(slots=True)
class Links:
    """Records are numbered in file order. Grows with the thread; a few bytes a record."""

    index: dict[str, int] = field(default_factory=dict)
    """Uuid -> record; of a uuid that comes again, the first."""
    parents: array[int] = field(default_factory=lambda: array("l"))
    owners: array[int] = field(default_factory=lambda: array("l"))
    """Record -> the first draft it holds, or NOBODY."""
    calling: bytearray = field(default_factory=bytearray)
    """Record -> whether it holds a tool call."""
    roots: set[int] = field(default_factory=set)
    """Records that the writer gave no parent, which is not the same as one that is not in the file."""
    again: set[int] = field(default_factory=set)
    """Records whose uuid stands on an earlier record too: what hangs below them cannot be told."""

    def __len__(self) -> int:
        return len(self.parents)

    def add(self, uuid: str | None, parent: str | None) -> int:
        """Take in the next record; a parent that is not in the thread (yet) is none."""
        number = len(self.parents)
        if uuid is not None:
            known = self.index.setdefault(uuid, number)
            if known != number:
                self.again.update((known, number))
        self.parents.append(self.index.get(parent, NOBODY) if parent is not None else NOBODY)
        if parent is None and uuid is not None:
            self.roots.add(number)
        if self.parents[number] >= number:
            self.parents[number] = NOBODY
        self.owners.append(NOBODY)
        self.calling.append(False)
        return number

    def owner(self, uuid: str) -> int:
        """The first draft that a record of this uuid holds; NOBODY where none is known."""
        number = self.index.get(uuid, NOBODY)
        return self.owners[number] if number >= 0 else NOBODY

    def message_above(self, number: int) -> int:
        """The record, or the nearest one above it, that holds a message; NOBODY where there is none."""
        return next((record for record in self.chain(number) if self.owners[record] != NOBODY), NOBODY)

    def chain(self, number: int) -> Iterator[int]:
        """The record and everything above it, upwards."""
        while number >= 0:
            yield number
            number = self.parents[number]
