"""Where a Claude Code thread begins anew in the middle of its file: a person's message below a record without a parent.

The harness clears the context (to carry a plan over, say) by starting a new chain of records. What came before stays in
the file and is in no later window.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from ravenglass.sessions.formats.claude.boundaries import Boundary
from ravenglass.sessions.formats.claude.draft import ClaudeDraft, weighed
from ravenglass.sessions.formats.claude.links import NOBODY, Links
from ravenglass.sessions.formats.claude.marks import ClaudeMark
from ravenglass.sessions.importing.figures import left_window


def with_new_chains(marks: Sequence[ClaudeMark], drafts: Sequence[ClaudeDraft], links: Links) -> list[ClaudeMark]:
    """The marks of a thread in order, with one for every new chain. Changes nothing."""
    found = list(_new_chains(marks, drafts, links))
    return sorted([*marks, *found], key=lambda mark: (mark.position, mark.record)) if found else list(marks)


def _new_chains(marks: Sequence[ClaudeMark], drafts: Sequence[ClaudeDraft], links: Links) -> Iterator[ClaudeMark]:
    if len(links.roots) < 2:
        return
    tops = _tops(links)
    compactions = {mark.record: mark.position for mark in marks if mark.boundary.kind == "compaction"}
    figures = [weighed(draft) for draft in drafts]
    answers = [place for place, draft in enumerate(drafts) if draft.role == "assistant" and not draft.flags]
    known: set[int] = set()
    answered = False
    start = 0
    for place, draft in enumerate(drafts):
        top = tops[draft.records[0]]
        new, begun = top not in known, answered
        known.add(top)
        # Chains are told only where the writer links its records at all.
        answered = answered or (draft.role == "assistant" and not draft.flags and top != draft.records[0])
        if not (new and begun and top in links.roots and top not in compactions and top not in links.again):
            continue
        if draft.role != "user" or draft.kind == "summary" or "duplicate_id" in draft.flags:
            continue
        following = next((answer for answer in answers if answer > place), None)
        if following is None or tops[drafts[following].records[0]] != top:
            continue
        start = max([start, *(position for position in compactions.values() if position <= place)])
        if left_window(figures, range(start, place), place) is False:
            continue
        note = f"context cleared: a new chain of records begins, {place - start:,} messages before it left the window"
        yield ClaudeMark(Boundary("new_chain", note), place, draft.records[0])
        start = place


def _tops(links: Links) -> array[int]:
    """Record -> the record at the top of its chain. Parents always stand before their children."""
    found = array("l", range(len(links)))
    for record, parent in enumerate(links.parents):
        if parent != NOBODY:
            found[record] = found[parent]
    return found
