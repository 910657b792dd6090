"""The messages and markers of one path through the tree of a pi or OpenClaw file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace

from ravenglass.sessions.formats.pi.tree import EntryTree, TreeBranch, TreeCompaction
from ravenglass.sessions.model.session import Marker, Message, Span


class Path:
    """A branch as messages with positions as ids, and what the writer's compactions left in the window."""

    def __init__(self, tree: EntryTree, branch: TreeBranch) -> None:
        self.branch = branch
        self.messages: list[Message] = []
        self.markers: list[Marker] = []
        self._tree = tree
        self._of: list[int] = []
        """Index of the entry of each message."""
        for index in branch.entries:
            entry = tree.entries[index]
            if entry.compaction is not None:
                self.markers.append(self._marker(entry.compaction))
            if entry.message is not None:
                self.messages.append(self._placed(index, entry.message, entry.span))
                self._of.append(index)

    def _placed(self, index: int, message: Message, span: Span) -> Message:
        """The message at its place; the one made the last time where that is still its place."""
        known = self._tree.placed.get(index)
        if known is None or known.id != len(self.messages):
            known = self._tree.placed[index] = replace(message, id=len(self.messages), spans=(span,))
        return known

    def length_after(self, entry: int) -> int:
        """How many messages there are up to an entry of the path."""
        return bisect_right(self._of, entry)

    def left_at(self, fork: int, size: int) -> Marker:
        """Where the person went back to an entry and left a branch of `size` messages; nothing leaves the window."""
        note = f"the person went back; {size:,} messages that came after this point are a branch of their own"
        return Marker("rollback", self.length_after(fork), note, None)

    def _marker(self, compaction: TreeCompaction) -> Marker:
        keep = self._kept(compaction.first_kept)
        who = "an extension" if compaction.by_hook else "the writer"
        note = f"{who} summarised the conversation, {len(keep):,} messages stayed"
        return Marker("compaction", len(self.messages), note, keep, tokens_before=compaction.tokens_before)

    def _kept(self, first: int | None) -> tuple[int, ...]:
        """Messages from an entry on. Summaries of earlier compactions do not stay: the new one takes them in."""
        if first is None:
            return ()
        start = bisect_left(self._of, first)
        known = bisect_left(self.branch.entries, first)
        inside = known < len(self.branch.entries) and self.branch.entries[known] == first
        if not inside and not self._tree.is_before(first, self.branch.fork):
            return ()
        return tuple(n for n in range(start, len(self.messages)) if self._tree.entries[self._of[n]].compaction is None)
