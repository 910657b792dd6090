"""The tree of a pi or OpenClaw file: what each entry follows, the path that is the session, the branches left behind.

The parent of an entry always stands before it in the file, so it is known as soon as the entry is read. Versions
without ids are one line of entries.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ravenglass.sessions.importing.figures import Weighed, left_window
from ravenglass.sessions.model.session import Message, Span


@dataclass(frozen=True, slots=True)
class TreeCompaction:
    """From here on the window holds the summary (the entry's message) and the entries from `first_kept` on."""

    first_kept: int | None
    """Index of an entry; None where the writer names none that is there: nothing was kept."""
    tokens_before: int | None
    by_hook: bool


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry. `parent` is an index, -1 for none; `message` has no position yet."""

    parent: int
    span: Span
    message: Message | None = None
    compaction: TreeCompaction | None = None


@dataclass(frozen=True, slots=True)
class TreeBranch:
    """Entries (indices, ascending) that follow `fork`, an entry of branch `owner`; -1: it begins at the root."""

    entries: tuple[int, ...]
    fork: int
    owner: int


@dataclass(slots=True)
class EntryTree:
    """Entries in file order."""

    entries: list[TreeEntry] = field(default_factory=list)
    dangling: int = 0
    """Entries whose parent is not in the file; they follow the entry before them."""
    placed: dict[int, Message] = field(default_factory=dict)
    """Messages by entry as they were placed last, so that a growing file does not make all of them anew."""
    _weights: list[Weighed] = field(default_factory=list)
    _by_id: dict[str, int] = field(default_factory=dict)
    _by_call: dict[str, int] = field(default_factory=dict)

    def parent_of(self, given: object, *, known: bool, roots: frozenset[str]) -> int:
        """Index of the entry that a new one follows.

        `given` is its `parentId`, `known` whether it has one (null is a root of its own), `roots` the names that
        some writers give where they mean the session: that is no step back, so such an entry follows the last one.
        """
        last = len(self.entries) - 1
        if known and given is None:
            return -1
        if not isinstance(given, str) or given in roots:
            return last
        found = self._by_id.get(given, self._by_call.get(given))
        if found is None:
            self.dangling += 1
            return last
        return found

    def add(self, entry: TreeEntry, entry_id: str | None) -> None:
        """Append an entry; of equal ids the latest is meant from now on."""
        index = len(self.entries)
        self.entries.append(entry)
        if entry_id is not None:
            self._by_id[entry_id] = index
        for call in entry.message.tool_calls if entry.message is not None else ():
            self._by_call[call.id] = index

    def index_of(self, entry_id: object) -> int | None:
        """Index of the latest entry of that id so far."""
        return self._by_id.get(entry_id) if isinstance(entry_id, str) else None

    def branches(self) -> list[TreeBranch]:
        """The path from the root to the last entry, then what was left behind, latest first. Each entry once."""
        owner = [-1] * len(self.entries)
        found: list[TreeBranch] = []
        joined: dict[int, list[int]] = {}
        for leaf in range(len(self.entries) - 1, -1, -1):
            if owner[leaf] >= 0:
                continue
            path: list[int] = []
            at = leaf
            while at >= 0 and owner[at] < 0:
                owner[at] = len(found)
                path.append(at)
                at = self.entries[at].parent
            of = owner[at] if at >= 0 else 0
            if at >= 0 and not self._was_left(path, at, found[of].entries):
                # A retried error, or entries beside each other: how the writer writes, and no step back of a person.
                joined.setdefault(of, []).extend(path)
                for entry in path:
                    owner[entry] = of
                continue
            found.append(TreeBranch(tuple(reversed(path)), at, of))
        return [
            replace(branch, entries=tuple(sorted((*branch.entries, *joined[place])))) if place in joined else branch
            for place, branch in enumerate(found)
        ]

    def _was_left(self, path: list[int], fork: int, onward: tuple[int, ...]) -> bool:
        """Whether entries beside a path were left by a person: something was said in them, and the figures, where there
        are any, do not say that it stayed in the window."""
        spoken = (self.entries[entry].message for entry in path)
        if not any(message is not None and _is_said(message) for message in spoken):
            return all(self.entries[entry].message is None for entry in path)
        at = next((entry for entry in onward if entry > fork and self.entries[entry].message is not None), None)
        if at is None or at < path[0]:
            return True
        return left_window(self._weighed(), path, at) is not False

    def _weighed(self) -> list[Weighed]:
        """The entries' messages as figures are asked about them; made again when the file has grown."""
        known = self._weights
        for entry in self.entries[len(known) :]:
            message = entry.message
            if message is None:
                known.append(Weighed(0))
                continue
            characters = sum(len(part.text) for part in message.parts)
            characters += sum(len(call.arguments) for call in message.tool_calls)
            known.append(Weighed(characters, message.usage.context if message.usage is not None else None))
        return known

    def is_before(self, entry: int, fork: int) -> bool:
        """Whether an entry is `fork` or one that it follows."""
        while fork > entry:
            fork = self.entries[fork].parent
        return fork == entry and fork >= 0


def _is_said(message: Message) -> bool:
    """Whether a person or a model said it: neither a result, nor the writer's note of a failure."""
    if message.role == "assistant":
        return "api_error" not in message.flags
    return message.role == "user" and message.kind in ("prompt", "command", "summary")
