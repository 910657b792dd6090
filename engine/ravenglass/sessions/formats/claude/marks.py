"""Markers of a Claude Code thread, from the ids of its boundary records to the ids of messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ravenglass.sessions.formats.claude.boundaries import Boundary
from ravenglass.sessions.formats.claude.draft import ClaudeDraft
from ravenglass.sessions.formats.claude.links import NOBODY, Links
from ravenglass.sessions.model.presence import Epoch
from ravenglass.sessions.model.session import Marker

RESUMED = Boundary("resume", "")
"""Stands where a session was resumed; whether that cost the window anything shows only later."""


@dataclass(slots=True)
class ClaudeMark:
    """A boundary at its place: `position` is the number of drafts before it, `record` its number in the thread."""

    boundary: Boundary
    position: int
    record: int
    again: set[int] = field(default_factory=set)
    """Drafts of which copies were written again behind the boundary: they stayed in the window."""


def markers(marks: Iterable[ClaudeMark], drafts: Sequence[ClaudeDraft], links: Links) -> list[Marker]:
    """The markers of a thread, their ids being places in `drafts`. Changes nothing, so it may be asked again."""
    found: list[Marker] = []
    epoch = Epoch(None, 0)
    result_of = {draft.call_id: place for place, draft in enumerate(drafts) if draft.role == "tool"}
    for mark in marks:
        marker = _marker(mark, epoch, drafts, links, result_of)
        if marker is not None:
            found.append(marker)
            epoch = epoch.after(marker, marker.before)
    return found


def _marker(
    mark: ClaudeMark, epoch: Epoch, drafts: Sequence[ClaudeDraft], links: Links, result_of: dict[str | None, int]
) -> Marker | None:
    boundary = mark.boundary
    keep: tuple[int, ...] | None = None
    cleared: set[int] = set()
    note = boundary.note
    if boundary.kind == "compaction":
        keep = _kept(mark, drafts, links)
    elif boundary.kind == "clearing":
        cleared = {result_of[tool] for tool in boundary.tools if tool in result_of}
        cleared |= set(_owned(boundary.cleared, drafts, links))
    elif boundary.kind == "new_chain":
        keep = ()
    elif boundary.kind == "resume":
        lost = _lost(mark, epoch, drafts, links)
        if not lost:
            return None
        keep = tuple(m for m in epoch.ids(mark.position) if m not in lost)
        note = f"resumed; {len(lost):,} messages beside the chain of parents were not read back"
    else:
        gone = set(_owned(boundary.retracted, drafts, links))
        keep = tuple(m for m in epoch.ids(mark.position) if m not in gone)
    return Marker(
        boundary.kind,
        mark.position,
        note,
        keep,
        tuple(sorted(m for m in cleared if m < mark.position)),
        boundary.tokens_before,
        boundary.tokens_after,
    )


def _owned(uuids: Iterable[str], drafts: Sequence[ClaudeDraft], links: Links) -> Iterable[int]:
    """All drafts of the records with these uuids; a record of several results holds several."""
    for uuid in uuids:
        first = links.owner(uuid)
        if first == NOBODY:
            continue
        number = links.index[uuid]
        yield first
        for place in range(first + 1, len(drafts)):
            if drafts[place].records[0] != number:
                break
            yield place


def _kept(mark: ClaudeMark, drafts: Sequence[ClaudeDraft], links: Links) -> tuple[int, ...]:
    kept = set(_owned(mark.boundary.kept, drafts, links)) | mark.again
    if mark.boundary.segment is not None:
        head, tail = (list(_owned((uuid,), drafts, links)) for uuid in mark.boundary.segment)
        if head and tail:
            kept.update(range(head[0], tail[-1] + 1))
    return tuple(sorted(m for m in kept if m < mark.position))


def _lost(mark: ClaudeMark, epoch: Epoch, drafts: Sequence[ClaudeDraft], links: Links) -> set[int]:
    """Messages of the window that a resumed session did not read back: those beside the chain of parents.

    Some versions read only that chain, which leaves out parallel tool calls and their results; others read all. The
    provider's figures tell: a window that shrank without a compaction lost them. Where they are missing, nothing is
    taken out.
    """
    before = next((_context(d) for d in reversed(drafts[: mark.position]) if _context(d)), None)
    after = next((_context(d) for d in drafts[mark.position :] if _context(d)), None)
    if before is None or after is None or after >= before:
        return set()
    chain = set(links.chain(mark.record))
    return {m for m in epoch.ids(mark.position) if not chain.intersection(drafts[m].records)}


def _context(draft: ClaudeDraft) -> int | None:
    return draft.usage.context if draft.usage is not None else None
