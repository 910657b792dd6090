"""What differs between two snapshots of one session: what became known, changed its state, entered or left the window.

Pure; entries are told apart by message and address, so that content shown twice is compared each time by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.hub.registry.entry import RegistryEntry
from ravenglass.hub.snapshots.snapshot import Snapshot

Key = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Moved:
    """An entry in both snapshots whose state or tier differs; `before` and `after` are such as `active · task`."""

    context_id: str
    message: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SnapshotDiff:
    """From `first` to `second`, by name. Message ids ascending."""

    first: str
    second: str
    added: tuple[RegistryEntry, ...]
    """Known only to the second."""
    removed: tuple[RegistryEntry, ...]
    """Known only to the first."""
    moved: tuple[Moved, ...]
    entered: tuple[int, ...]
    """Messages in the second's window only."""
    left: tuple[int, ...]
    """Messages in the first's window only."""
    working_state: bool
    """Whether the windows hold different versions of the working state."""
    summary: bool
    """Whether the windows hold different summaries."""
    instruction: bool
    """Whether the tasks began with different prompts."""

    @property
    def empty(self) -> bool:
        """Whether nothing differs."""
        lists = (self.added, self.removed, self.moved, self.entered, self.left)
        return not any(lists) and not (self.working_state or self.summary or self.instruction)


def compare(first: Snapshot, second: Snapshot) -> SnapshotDiff:
    """What changed on the way from one snapshot to the other."""
    before, after = _by_key(first), _by_key(second)
    moved = [
        Moved(entry.context_id, entry.message, _standing(before[key]), _standing(entry))
        for key, entry in after.items()
        if key in before and _standing(before[key]) != _standing(entry)
    ]
    was, now = set(first.latest), set(second.latest)
    return SnapshotDiff(
        first=first.name, second=second.name,
        added=tuple(entry for key, entry in after.items() if key not in before),
        removed=tuple(entry for key, entry in before.items() if key not in after),
        moved=tuple(moved), entered=tuple(sorted(now - was)), left=tuple(sorted(was - now)),
        working_state=first.working_state != second.working_state, summary=first.summary != second.summary,
        instruction=(first.request, first.instruction) != (second.request, second.instruction),
    )  # fmt: skip


def _by_key(held: Snapshot) -> dict[Key, RegistryEntry]:
    return {(entry.message, entry.context_id): entry for entry in held.entries}


def _standing(entry: RegistryEntry) -> str:
    return f"{entry.state.label} · {entry.tier}"
