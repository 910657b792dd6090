"""The writer's list of messages while it changes: rewritten, rewound, replaced. Nothing that was in it is lost.

Entries stand in the order in which they came. What was rewound is taken out and kept as a branch; what a replaced list
no longer holds stays, and a mark says that it left the window.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ravenglass.sessions.formats.gemini.records import GeminiDraft
from ravenglass.sessions.model.session import MarkerKind, OtherRecord, Span


@dataclass(slots=True, eq=False)
class HistoryEntry:
    """One message of the writer's list. `draft` is None for a note to the person and for what is no message."""

    draft: GeminiDraft | None
    label: str
    span: Span
    cleared: set[str] = field(default_factory=set)
    """Calls whose results the writer has shortened meanwhile."""

    @property
    def counts(self) -> bool:
        """Whether the writer's own lists for the model hold it: notes and commands they never do."""
        return self.draft is not None and self.draft.sent


@dataclass(slots=True, eq=False)
class HistoryMark:
    """Something that happened to the window between two entries."""

    kind: MarkerKind
    note: str
    keep: list[HistoryEntry] | None = None
    cleared: list[tuple[HistoryEntry, str]] = field(default_factory=list)
    """Results by the entry that holds them and the id of their call."""


@dataclass(slots=True)
class ChatHistory:
    """Entries and marks as they came; `live` is the writer's list, by id."""

    items: list[HistoryEntry | HistoryMark] = field(default_factory=list)
    branches: list[tuple[HistoryEntry, ...]] = field(default_factory=list)
    """What was taken out, in the order in which it was."""
    other: list[OtherRecord] = field(default_factory=list)
    live: dict[str, HistoryEntry] = field(default_factory=dict)
    _made: int = 0

    def name(self) -> str:
        """A name for the next entry, for what the writer gave no id."""
        self._made += 1
        return f"entry {self._made}"

    def put(self, key: str, entry: HistoryEntry) -> None:
        """A message; one whose id is in the list already takes that one's place."""
        known = self.live.get(key)
        if known is None:
            self.live[key] = entry
            self.items.append(entry)
        else:
            self._renew(known, entry)

    def rewind(self, target: str) -> None:
        """Take the message of that id and all after it out of the list; all, where there is none of that id."""
        gone: list[HistoryEntry] = []
        while self.live:
            key, entry = self.live.popitem()
            gone.append(entry)
            if key == target:
                break
        self._take_out(gone, "the person went back")

    def replace(self, entries: Iterable[tuple[str, HistoryEntry]], *, whole: bool = False) -> None:
        """The writer's list is this one from now on: a checkpoint, a compression, an aborted turn.

        `whole` says that the record the list stands in is kept whole, so that what it only repeats needs no record.
        """
        before, self.live = self.live, {}
        brought: list[tuple[str, HistoryEntry]] = []
        cleared: list[tuple[HistoryEntry, str]] = []
        for key, entry in entries:
            known = before.pop(key, None) or self.live.get(key)
            if known is None:
                brought.append((key, entry))
                self.live[key] = entry
            else:
                cleared += self._update(known, entry)
                self.live[key] = known
                if not whole and known.span != entry.span:
                    self.other.append(OtherRecord("message repeated", entry.span))
        brought = self._found_again(before, brought)
        gone = [entry for entry in before.values() if entry.counts]
        new = [entry for _, entry in brought]
        came = set(new)
        if gone and not new and self._is_end(gone):
            self._take_out(gone, "the writer took back the end of its history")
        elif gone:
            keep = [entry for entry in self.live.values() if entry not in came]
            kept = sum(entry.counts for entry in keep)
            note = f"the writer replaced its history: {len(gone):,} messages left the window, {kept:,} stayed"
            self.items.append(HistoryMark("compaction", f"{note}, {len(new):,} came", keep))
        if cleared:
            note = f"{len(cleared):,} tool results shortened in the window"
            self.items.append(HistoryMark("clearing", note, None, cleared))
        self.items.extend(new)

    def _found_again(
        self, before: dict[str, HistoryEntry], brought: list[tuple[str, HistoryEntry]]
    ) -> list[tuple[str, HistoryEntry]]:
        """Entries that are really new: some versions give known messages new ids."""
        if not before or not brought:
            return brought
        known: dict[object, list[str]] = {}
        for key, entry in reversed(before.items()):
            if entry.draft is not None:
                known.setdefault(entry.draft.fingerprint(), []).append(key)
        new = []
        for key, entry in brought:
            same = known.get(entry.draft.fingerprint()) if entry.draft is not None else None
            if same:
                self.live[key] = before.pop(same.pop())
                self.other.append(OtherRecord("message repeated", entry.span))
            else:
                new.append((key, entry))
        return new

    def _is_end(self, gone: list[HistoryEntry]) -> bool:
        """Whether these are the last entries there are."""
        left = set(gone)
        for item in reversed(self.items):
            if not left or not isinstance(item, HistoryEntry):
                break
            if item in left:
                left.remove(item)
            elif item.counts:
                break
        return not left

    def _take_out(self, gone: list[HistoryEntry], who: str) -> None:
        if not gone:
            return
        left, end = set(gone), len(self.items)
        stays: list[HistoryEntry | HistoryMark] = []
        taken: list[HistoryEntry] = []
        while left:
            end -= 1
            item = self.items[end]
            if isinstance(item, HistoryEntry) and item in left:
                left.remove(item)
                taken.append(item)
            else:
                stays.append(item)
        self.items[end:] = reversed(stays)
        self.branches.append(tuple(reversed(taken)))
        count = sum(entry.draft is not None for entry in taken)
        if count:
            note = f"{who}; {count:,} messages that were taken back are a session of their own"
            self.items.append(HistoryMark("rollback", note))

    def _renew(self, known: HistoryEntry, entry: HistoryEntry) -> None:
        self.other.append(OtherRecord("earlier version", known.span))
        known.draft, known.label, known.span = entry.draft, entry.label, entry.span

    def _update(self, known: HistoryEntry, entry: HistoryEntry) -> list[tuple[HistoryEntry, str]]:
        """What a replaced list says anew of a known message; returns results that it holds only in short.

        Those stay as they were: the record is of what the tool gave, the mark of what the window held from then on.
        """
        old, new = known.draft, entry.draft
        if old is None or new is None or old == new:
            return []
        had = {result.call_id: result for result in old.results}
        cleared = [
            (known, result.call_id)
            for result in new.results
            if result.call_id in had and result.call_id not in known.cleared and result.call_id is not None
            and result.parts != had[result.call_id].parts
        ]  # fmt: skip
        known.cleared.update(call_id for _, call_id in cleared)
        results = (*old.results, *(result for result in new.results if result.call_id not in had))
        calls = old.calls or new.calls
        merged = replace(
            old, parts=new.parts, thoughts=old.thoughts or new.thoughts, calls=calls, results=results, kind=new.kind
        )
        if merged != old:
            merged = replace(merged, model=old.model or new.model, usage=old.usage or new.usage)
            self._renew(known, HistoryEntry(merged, known.label, entry.span))
        return cleared
